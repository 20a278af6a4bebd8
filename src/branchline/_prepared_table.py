"""A mixed table as centered numbers of comparable size, with NaN where cells are missing.

1. The encoder turns columns into terms: a number, or an indicator for each category.
2. Terms of missing cells are NaN, so that nothing is made up.
3. Terms are centered at their mean. Numbers are divided by their standard deviation (or kept in
   their units); the indicator of a category with share p is divided by √p, so that a column of k
   categories has the variance k − 1 in all (Pagès 2004: factor analysis of mixed data).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Bools, Floats, Places
from branchline._encoding._block import Options
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._memory import refuse_over_budget
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import TrainingData
from branchline.table import Schema, Table

__all__ = ["NOTHING", "Preparation", "fit_preparation", "options_for", "preparation_of"]

# A term that varies less than this share of its size is constant, but for rounding.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Preparation:
    """How a table becomes centered numbers.

    Parameters
    ----------
    encoding
        From cells to terms.
    kept
        Which terms vary.
    center, scale
        What is taken off each term that is kept, and what it is divided by.
    unit
        By how much all scales are larger than the terms' own: 1 when numbers are standardized.
    """

    encoding: Encoding
    kept: Bools
    center: Floats
    scale: Floats
    unit: float = 1.0

    @property
    def names(self) -> list[str]:
        """The names of the terms that are kept."""
        return [str(name) for name, kept in zip(self.encoding.term_names, self.kept, strict=True)
                if kept]  # fmt: skip

    def column_of_term(self, schema: Schema) -> Places:
        """Return the column that each term comes from; terms of a column stand together."""
        return self.encoding.column_of_term(schema)[self.kept]

    def matrix(self, table: Table) -> Floats:
        """Return the centered terms of rows; NaN where a cell is missing."""
        terms = _terms(self.encoding, table)[:, self.kept]
        return np.asarray((terms - self.center) / self.scale)

    def pack(self) -> dict[str, Any]:
        """Return the preparation as plain values."""
        return {
            "encoding": dict(self.encoding.pack()),
            "kept": self.kept.astype(np.float64),
            "center": self.center,
            "scale": self.scale,
            "unit": self.unit,
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "Preparation":
        """Check packed values and return the preparation."""
        encoding = Encoding.unpack(state.get("encoding"), schema)
        kept = numbers_from_state(state, "kept", length=encoding.width)
        if not np.isin(kept, (0.0, 1.0)).all():
            raise malformed("terms are neither kept nor left out")
        n_kept = int(kept.sum())
        center = numbers_from_state(state, "center", length=n_kept)
        scale = numbers_from_state(state, "scale", length=n_kept)
        unit = number_from_state(state, "unit")
        if (scale <= 0).any() or unit <= 0:
            raise malformed("a scale is not above 0")
        return Preparation(encoding, kept.astype(bool), center, scale, unit)


def fit_preparation(
    rows: TrainingData, weights: Floats, *, standardize: bool
) -> tuple[Preparation, Floats]:
    """Learn how a table becomes numbers; return it and the numbers of the training rows."""
    encoding, _ = fit_encoding(rows.table, weights, options_for(float(weights.sum())))
    terms = _terms(encoding, rows.table)
    known = np.isfinite(terms)
    weight_of = np.maximum(weights @ known, np.finfo(np.float64).tiny)
    filled = np.where(known, terms, 0.0)
    center = weights @ filled / weight_of
    moved = np.where(known, filled - center, 0.0)
    size = np.abs(filled).max(axis=0, initial=0.0)
    reach = np.abs(moved).max(axis=0, initial=0.0)
    share = moved / np.where(reach > 0, reach, 1.0)  # squares of it stay finite
    deviation = reach * np.sqrt(weights @ share**2 / weight_of)
    kept = deviation > NOTHING * size
    prepared = preparation_of(encoding, center, deviation, kept, standardize=standardize)
    return prepared, np.where(known, moved, np.nan)[:, kept] / prepared.scale


def options_for(n_rows: float) -> Options:
    """Return how the columns of this number of rows are encoded."""
    rare = min(10.0, max(2.0, n_rows / 50))
    return Options(scale="none", rare=rare, indicators=False, date_parts=False)


def preparation_of(
    encoding: Encoding, center: Floats, deviation: Floats, kept: Bools, *, standardize: bool
) -> Preparation:
    """Return the preparation of terms with these means and deviations."""
    scale = _scales(encoding, center, np.where(kept, deviation, 1.0), standardize)
    unit = 1.0 if standardize else common_unit(np.where(kept, deviation, 1.0))
    return Preparation(encoding, kept, center[kept], scale[kept], unit)


def _scales(encoding: Encoding, center: Floats, deviation: Floats, standardize: bool) -> Floats:
    """Return what terms are divided by; without standardizing, all by one power of two more."""
    columns = [term.column for term in encoding.terms]
    is_level = np.array([term.level is not None for term in encoding.terms], dtype=bool)
    n_of_column = Counter(columns)
    is_one_of_many = is_level & np.array([n_of_column[name] > 1 for name in columns], dtype=bool)
    numbers = deviation if standardize else np.ones(len(center))
    of_levels = np.where(is_one_of_many, np.sqrt(np.maximum(center, NOTHING)), deviation)
    scale = np.where(is_level, of_levels, numbers)
    return scale if standardize else scale * common_unit(deviation)


def common_unit(deviation: Floats) -> float:
    """Return a power of two near the largest deviation: products of scaled terms stay finite."""
    largest = float(deviation.max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _terms(encoding: Encoding, table: Table) -> Floats:
    """Return the terms of rows; NaN where a cell is missing."""
    refuse_over_budget(24 * table.n_rows * encoding.width, "the table as numbers", is_copy=True)
    matrix = encoding.encode(table)
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else np.array(matrix, dtype=np.float64)
    if table.matrix is not None:
        missing = np.isnan(np.asarray(table.matrix, dtype=np.float64))
        matrix[missing[:, encoding.column_of_term(table.schema)]] = np.nan
        return np.asarray(matrix)
    places = encoding.column_of_term(table.schema)
    for place in np.unique(places):
        missing = table.columns[place].is_missing
        if missing.any():
            matrix[np.ix_(missing, places == place)] = np.nan
    return np.asarray(matrix)
