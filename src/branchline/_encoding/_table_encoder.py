"""The encoder as a transformer: any table in, numbers out, with a name for each.

1. Rows are put in canonical order, equal ones merged, so that nothing depends on their order.
2. Each column is encoded by its kind: ``_number_block``, ``_category_block``, ``_date_block``.
3. Everything that is learned (medians, scales, frequencies) is weighted.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._encoding._block import Options
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._validation import AnyOf, Constraint, Flag, OneOf, TrainingData, Whole
from branchline.table import Schema

__all__ = ["TableEncoder", "options_of"]

# Parts of dates are up to eleven numbers; with fewer rows than this they would be noise.
_ROWS_FOR_DATE_PARTS = 500


class TableEncoder(Transformer):
    """Turn a table into numbers, without being told which column is what.

    Numbers are scaled, and their missing values filled with the median. Categories become
    indicators; rare ones are pooled. Dates become days and, where rows span enough time, season,
    weekday and hour. Every learner of this library that works on numbers uses it; it can also be a
    step of a pipeline.

    Parameters
    ----------
    scale
        "standard" (default; mean 0, standard deviation 1), "range" (0 to 1) or "none".
    min_frequency
        How many rows a category must have to keep an indicator of its own; those with fewer are
        pooled as "other", which categories unseen in training join. "auto" (default): a fiftieth of
        the rows, at least 2 and at most 10.
    max_categories
        Maximum number of indicators of a column; the most frequent categories are kept.
        Default 100.
    indicators
        Whether the missing values of a number get an indicator. It is left out where fewer than
        ``min_frequency`` rows are missing. Default True.
    dates
        "number" (days only), "parts" (also season, weekday and hour), or "auto" (default): parts
        from 500 rows on.
    drop
        None (default): a category of three or more levels has an indicator for each.
        "most_frequent": all but the most frequent, so that no column is a sum of others.

    Attributes
    ----------
    encoding_
        The fitted encoding; its ``terms`` say what each number stands for.

    See Also
    --------
    Table

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.encoding import TableEncoder
    >>> X, y = load_dataset("titanic").select(["sex", "age", "survived"]).split_target("survived")
    >>> encoder = TableEncoder().fit(X)
    >>> encoder.get_feature_names_out().tolist()
    ['sex=male', 'age', 'age missing']
    >>> encoder.transform(X).shape
    (1309, 3)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "scale": OneOf(("standard", "range", "none")),
        "min_frequency": AnyOf((OneOf(("auto",)), Whole(1))),
        "max_categories": Whole(2, 60_000),
        "indicators": Flag(),
        "dates": OneOf(("auto", "number", "parts")),
        "drop": OneOf((None, "most_frequent")),
    }
    _copies_of_columns_count = True
    encoding_: Encoding

    def __init__(
        self,
        *,
        scale: str = "standard",
        min_frequency: int | str = "auto",
        max_categories: int = 100,
        indicators: bool = True,
        dates: str = "auto",
        drop: str | None = None,
    ) -> None:
        self.scale = scale
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.indicators = indicators
        self.dates = dates
        self.drop = drop

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn scales, medians and levels; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        encoding, _ = fit_encoding(rows.table, weights, options_of(self, rows))
        return self._finish(data, encoding_=encoding)

    def transform(self, X: Any) -> Any:
        """Return the numbers of each row; a SciPy sparse matrix when it is large and mostly 0."""
        rows = self._check_rows(X)
        return self.encoding_.encode(rows.table)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the name of each number: "age", "town=Mons", "age missing"."""
        self._check_fitted()
        return np.array([term.name for term in self.encoding_.terms], dtype=object)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self.encoding_.width), "numbers")

    def _pack(self) -> FittedState:
        return {"encoding": dict(self.encoding_.pack())}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {"encoding_": Encoding.unpack(state.get("encoding"), schema)}


def options_of(encoder: TableEncoder, rows: TrainingData) -> Options:
    """Return how an encoder treats some training rows."""
    n_rows = rows.weights.total_units(rows.table.n_rows) * rows.weights.unit
    rare = min(10.0, max(2.0, n_rows / 50))
    if not isinstance(encoder.min_frequency, str):
        rare = float(encoder.min_frequency)
    date_parts = n_rows >= _ROWS_FOR_DATE_PARTS if encoder.dates == "auto" else False
    return Options(
        scale=encoder.scale,
        rare=rare,
        max_categories=int(encoder.max_categories),
        indicators=bool(encoder.indicators),
        date_parts=date_parts or encoder.dates == "parts",
        drop_reference=encoder.drop is not None,
    )
