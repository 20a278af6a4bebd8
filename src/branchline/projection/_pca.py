"""Principal components: the directions in which the rows of a table differ most.

1. Rows are put in canonical order, equal ones merged, so that nothing depends on their order.
2. The table becomes centered numbers (``_prepared_table``); missing cells stay missing.
3. Missing cells are filled by the axes themselves, and the axes are found (``_components``).
4. Rules say how many axes there are (``_how_many_axes``).
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats, Places
from branchline._base import reports_progress
from branchline._canonical_rows import canonical_rows, row_keys_of
from branchline._prepared_table import fit_preparation
from branchline._random import KeyedRows
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    Whole,
    check_parameters,
    check_seed,
    check_training_inputs,
)
from branchline.projection._components import Axes, axes_of, filled_by_axes
from branchline.projection._how_many_axes import AxisCounts, count_axes
from branchline.projection._linear_axes import LinearAxes
from branchline.projection._loading_intervals import LoadingIntervals, loading_intervals

__all__ = ["PCA"]

_FEWEST = 2  # axes can be drawn
_MANY = 100  # axes of a large table, of which no more are looked for unless they are asked for
_TINY = 1e-300
_RULES = ("auto", "above_average", "knee")


class PCA(LinearAxes):
    """Turn each row of any table into a few numbers that keep most of what differs between rows.

    Numbers, categories and dates may be mixed, and cells may be missing: missing cells are neither
    filled with means nor dropped, but take the value that the axes suggest. ``counts_`` says how
    many axes the table has, and whether it has any beyond chance.

    The first axes need not have anything to do with a target: they show where rows differ most.

    Parameters
    ----------
    n_components
        How many axes are kept: "auto" (default: those beyond chance, at least two), a number, a
        share of the variance between 0 and 1, "above_average" (Kaiser's rule) or "knee".
    standardize
        Whether numbers are divided by their standard deviation. False keeps their units: a column
        of large numbers then decides. Default True.
    random_state
        Seed of the tables without structure that "beyond chance" is measured by. Default 0.

    Attributes
    ----------
    components_
        The direction of each axis: one row for each axis, one column for each term.
    explained_variance_, explained_variance_ratio_
        The variance of each axis, and its share of the whole.
    terms_
        What the numbers of a direction stand for: columns, or categories of columns.
    counts_
        What each rule says of how many axes there are, missing cells counting as the mean; can be
        printed and drawn. A loaded model does not have it.

    See Also
    --------
    SparsePCA : few columns per axis.
    KernelPCA
    MDS : places from distances.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import PCA
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(2).tolist()
    [0.73, 0.23]
    >>> model.formula(0)
    '0.58·petal_length + 0.57·petal_width + 0.52·sepal_length − 0.26·sepal_width'
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((Whole(1, 100_000), Real(0, 1, low_open=True), OneOf(_RULES))),
        "standardize": Flag(),
    }
    _left_out_of_files = frozenset({"counts_"})
    counts_: AxisCounts

    def __init__(
        self,
        n_components: int | float | str = "auto",
        *,
        standardize: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the axes; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        preparation, matrix = fit_preparation(rows, weights, standardize=self.standardize)
        seed = check_seed(self.random_state)
        places = preparation.column_of_term(rows.table.schema)
        every, counts = self._axes(matrix, weights, places, seed)
        n_axes = self._n_kept(every, counts)
        return self._finish(
            data,
            components_=np.ascontiguousarray(every.directions[:, :n_axes].T),
            _variances=every.variances[:n_axes],
            explained_variance_ratio_=every.variances[:n_axes] / max(every.total, _TINY),
            counts_=counts,
            _preparation=preparation,
            _noise=every.noise_beyond(n_axes),
        )

    def _axes(
        self, matrix: Floats, weights: Floats, places: Places, seed: int
    ) -> tuple[Axes, AxisCounts]:
        """Return all axes, and how many of them there are by each rule.

        Cells that the axes have filled agree with the axes by construction, so the rules see the
        mean in place of a missing cell: else noise would have axes.
        """
        filled = np.where(np.isfinite(matrix), matrix, 0.0)
        most = self._most_needed()
        every = axes_of(filled, weights, most)
        counts = count_axes(filled, weights, every, places, seed)
        if np.isfinite(matrix).all():
            return every, counts
        filled = filled_by_axes(matrix, weights, self._n_kept(every, counts))
        return axes_of(filled - weights @ filled / weights.sum(), weights, most), counts

    def _most_needed(self) -> int | None:
        """Return how many axes a large table is searched for; None: all, to reach a share."""
        wanted = self.n_components
        if isinstance(wanted, str):
            return _MANY
        is_share = isinstance(wanted, float | np.floating) and wanted < 1
        return None if is_share else max(_MANY, 2 * int(wanted))

    def loading_intervals(
        self, X: Any, *, n_bootstraps: int = 200, level: float = 0.95
    ) -> LoadingIntervals:
        """Return the weights of the axes with intervals from bootstrap samples of rows.

        Parameters
        ----------
        X
            The rows the axes were fitted on.
        n_bootstraps
            How many samples of the rows are drawn.
        level
            The confidence level of the intervals.
        """
        given = {"n_bootstraps": n_bootstraps, "level": level}
        allowed: dict[str, Constraint] = {
            "n_bootstraps": Whole(20, 100_000),
            "level": Real(0.5, 0.999),
        }
        check_parameters("loading_intervals", given, allowed)
        data = check_training_inputs(self._check_rows(X).table, None)
        rows = canonical_rows(data, merge=True)
        matrix, seed = self._preparation.matrix(rows.table), check_seed(self.random_state)
        copies = rows.weights.sizes(rows.table.n_rows)
        drawn = KeyedRows(row_keys_of(rows), copies, np.zeros_like(copies))
        counts = (drawn.bootstrap_counts(seed, task).astype(float) for task in range(n_bootstraps))
        return loading_intervals(matrix, counts, self.components_, self.terms_, level)

    def _n_kept(self, every: Axes, counts: AxisCounts) -> int:
        wanted, most = self.n_components, len(every.variances)
        if isinstance(wanted, str):
            if wanted == "auto":
                return min(most, max(_FEWEST, counts.beyond_chance))
            return min(most, max(1, int(getattr(counts, wanted))))
        if isinstance(wanted, float | np.floating) and wanted < 1:
            held = np.cumsum(every.variances) / max(every.total, _TINY)
            return min(most, int(np.searchsorted(held, wanted * (1 - 1e-12))) + 1)
        return min(most, int(wanted))
