"""The options of the distance, which all estimators of this room share, and learning it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from branchline._validation import AnyOf, Constraint, Given, OneOf, TrainingData
from branchline.neighbors._column_weights import (
    add_shares_of_levels,
    check_column_weights,
    given_weights,
    relevance_weights,
    weights_of_shares,
)
from branchline.neighbors._measured_space import MeasureLearner, measure_learner, measure_of
from branchline.neighbors._responses import Numbers, Whole, outcomes_of
from branchline.neighbors._space import Space, learn_space
from branchline.neighbors._tuning import tune
from branchline.table import Table

__all__ = ["DISTANCE", "METRICS", "DistanceLearner", "Learner", "learner_for"]

METRICS = ("euclidean", "manhattan")
DISTANCE: dict[str, Constraint] = {
    "distance": OneOf(("overlap", "value_difference")),
    "metric": OneOf(METRICS),
    "scale": OneOf(("sd", "range", "none")),
    "column_weights": AnyOf(
        (OneOf((None, "relevance", "tuned")), Given((dict,), "a mapping of column names"))
    ),
}


@dataclass(frozen=True)
class DistanceLearner:
    """Learns a distance from some rows: called for all of them, and for all but each fold."""

    distance: str
    metric: str
    scale: str
    column_weights: Any
    factors: Numbers
    # Shares that are known already, by the table they belong to: folds find those of all rows, too.
    known: list[tuple[Table, Numbers]] = field(default_factory=list, compare=False)

    def __call__(self, data: TrainingData) -> Space:
        """Return the space in which rows are compared."""
        return self.space(data, self.weights(data))

    def space(self, data: TrainingData, weights: Numbers) -> Space:
        """Return the space for given weights of columns."""
        options = {"distance": self.distance, "metric": self.metric, "scale": self.scale}
        return learn_space(data.table, data.target, weights, **options)

    def weights(self, data: TrainingData) -> Numbers:
        """Return the weight of each column."""
        if self._has_given_weights:
            return given_weights(self.column_weights, data.table)
        for table, shares in self.known:
            if table is data.table:
                return self.weights_of(table, shares, data)
        return relevance_weights(data.table, outcomes_of(data.target)) * self.factors

    def weights_of(self, table: Table, shares: Numbers, levels: TrainingData | None) -> Numbers:
        """Return the weights of a table's columns of which numbers explain these shares.

        ``levels`` has the category columns of the rows to learn from; None: there are none.
        """
        if self._has_given_weights:
            return given_weights(self.column_weights, table)
        if levels is not None:
            add_shares_of_levels(shares, table, levels.table, outcomes_of(levels.target))
        return weights_of_shares(shares) * self.factors

    @property
    def _has_given_weights(self) -> bool:
        return self.column_weights is None or isinstance(self.column_weights, Mapping)


Learner: TypeAlias = DistanceLearner | MeasureLearner


def learner_for(model: Any, given: TrainingData, data: TrainingData, row_numbers: Whole) -> Learner:
    """Return what learns the distance that a model's parameters ask for.

    ``data`` has the rows of ``given`` in canonical order, ``row_numbers`` their places there.
    """
    if measure_of(model) is not None:
        return measure_learner(model, given, row_numbers)
    check_column_weights(model.column_weights, data.table)
    plain = DistanceLearner(
        model.distance,
        model.metric,
        model.scale,
        model.column_weights,
        np.ones(data.table.n_columns),
    )
    if model.column_weights != "tuned":
        return plain
    return replace(plain, factors=tune(data, plain, plain.metric))
