"""The normal distributions of many columns at once, as arrays of classes × columns.

Variances are shrunk towards that of all rows: (n_c s_c² + p s²) / (n_c + p), with p rows' worth of
the overall variance s². Scores are added up by the compiled kernel (``gaussian_scores.hpp``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline.bayes._moments import Moments
from branchline.bayes._number_groups import GROUP_WIDTH, number_groups
from branchline.bayes._terms import LOG_SQRT_2_PI, GaussianTerm, Term
from branchline.table import Table

__all__ = ["GaussianColumns", "relative_sd"]

Floats = npt.NDArray[np.float64]

_LEAST_SD = 2.0**-15  # of the overall deviation: its square is 1e-9


@dataclass(frozen=True)
class GaussianColumns:
    """A normal distribution for each class (a row) and column (at ``places`` of the table)."""

    places: npt.NDArray[np.intp]
    unit: Floats
    mean: Floats
    sd: Floats

    @staticmethod
    def of_moments(moments: Moments, n_classes: int, variance_prior: float) -> "GaussianColumns":
        """Return the curves of columns with these moments."""
        unit = moments.overall_sd
        variance = (moments.sd / unit[:, None]) ** 2
        sd = unit[:, None] * relative_sd(moments.weight, variance, variance_prior)
        mean, sd = (np.ascontiguousarray(a.reshape(-1, n_classes).T) for a in (moments.mean, sd))
        return GaussianColumns(moments.places, unit, mean, sd)

    @staticmethod
    def of_terms(terms: Sequence[Term], n_classes: int) -> "GaussianColumns":
        """Return the curves of the Gaussian ones among the terms of all columns."""
        places = [place for place, term in enumerate(terms) if isinstance(term, GaussianTerm)]
        some = [term for term in terms if isinstance(term, GaussianTerm)]
        shape = (len(some), n_classes)
        return GaussianColumns(
            np.array(places, dtype=np.intp),
            np.array([term.unit for term in some], dtype=np.float64),
            np.ascontiguousarray(np.array([term.mean for term in some]).reshape(shape).T),
            np.ascontiguousarray(np.array([term.sd for term in some]).reshape(shape).T),
        )

    def terms(self) -> Iterator[tuple[int, GaussianTerm]]:
        """Go through the columns: their positions and terms."""
        for column, place in enumerate(self.places.tolist()):
            yield place, self.term(column)

    def term(self, column: int) -> GaussianTerm:
        """Return the term of one column, by its number here."""
        mean, sd = self.mean[:, column].copy(), self.sd[:, column].copy()
        return GaussianTerm(float(self.unit[column]), mean, sd)

    def add_scores(self, total: Floats, table: Table) -> None:
        """Add the log densities of a table's rows to ``total``, which has a row for each class."""
        begin = 0
        for group in number_groups(table, self.places.tolist()):
            end = begin + len(group.places)
            _core.add_gaussian_scores(group.as_matrix(), self._curves(begin, end), total)
            begin = end

    def _curves(self, begin: int, end: int) -> _core.GaussianCurves:
        mean, sd, steepness, constants = (
            np.ascontiguousarray(array[:, begin:end])
            for array in (self.mean, self.sd, self._steepness, self._constants)
        )
        return _core.GaussianCurves(
            mean, sd, steepness, constants, _sums_of_groups(constants), GROUP_WIDTH
        )

    @cached_property
    def _steepness(self) -> Floats:
        with np.errstate(over="ignore"):  # infinite for the smallest: then the slow way is taken
            found: Floats = 1.0 / self.sd
        return found

    @cached_property
    def _constants(self) -> Floats:
        """What each class takes off whatever the value: log (sd / unit) + ½ log 2π."""
        found: Floats = np.log(self.sd / self.unit) + LOG_SQRT_2_PI
        return found


def _sums_of_groups(constants: Floats) -> Floats:
    n_classes, n_columns = constants.shape
    whole = n_columns - n_columns % GROUP_WIDTH
    full = constants[:, :whole].reshape(n_classes, -1, GROUP_WIDTH).sum(axis=2)
    if whole == n_columns:
        return np.ascontiguousarray(full)
    return np.column_stack([full, np.ascontiguousarray(constants[:, whole:]).sum(axis=1)])


def relative_sd(weight: Floats, variance: Floats, prior: float) -> Floats:
    """Return deviations relative to the overall one, shrunk towards it by ``prior`` rows."""
    held = weight + prior
    share = np.where(held > 0, (weight * variance + prior) / np.where(held > 0, held, 1.0), 1.0)
    return np.maximum(np.sqrt(share), _LEAST_SD)
