"""Learning naive Bayes in batches: each one is counted and added to what was counted before.

1. Check the batch, and bring its columns into the schema with its new categories added.
2. Find its classes among those known; new ones are added unless all were given at first.
3. Add its tally to that of the batches before, and make the model anew.
"""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier
from branchline._state import column_attributes
from branchline._validation import (
    Owner,
    TrainingData,
    check_parameters,
    check_training_data,
)
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._deferred_tally import deferred_tally
from branchline.bayes._growing import class_places, grown_schema, union_of_classes
from branchline.bayes._model import is_wide
from branchline.bayes._tally import NumberTally, Tally, UnitWeights, take_tally, unit_weights
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.table import Schema, Table

__all__ = ["LearnsInBatches"]


# Rows that are counted at a time; tallies add up to the same whole numbers.
_PIECE = 2**18


class LearnsInBatches(Classifier):
    """Learning in batches for naive Bayes; a subclass makes models of tallies."""

    numeric: str | None
    _tally: Tally
    _classes_are_given: bool

    def _model(
        self, tally: Tally, schema: Schema, classes: npt.NDArray[Any], *, are_given: bool
    ) -> dict[str, Any]:
        """Return all fitted attributes but those of the schema."""
        raise NotImplementedError

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows; the model is that of one fit on all rows so far.

        Exactly so: to the last bit when weights are whole numbers (or none), else to 1 part in
        10^12. Batches may bring new categories, and new classes unless ``classes`` was given. Of a
        numeric column at most 4 096 different values are kept (unless ``numeric`` is "gaussian");
        beyond that, neighboring values are merged, as in one fit on all rows.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``; columns are found by name.
        classes
            All classes of all batches, given with the first one. None: new classes are added as
            batches bring them.
        """
        data = self._begin_batch(X, y, sample_weight)
        target, is_first = data.class_target, not self.__sklearn_is_fitted__()
        known = self._known_classes(classes, target.classes, is_first=is_first)
        places = class_places(known, target.classes)
        class_of_row = places[target.class_of_row].astype(np.uint32)
        tally = self._count(data, class_of_row, len(known), self._last_bits())
        are_given = classes is not None if is_first else self._classes_are_given
        if not is_first:
            old = np.searchsorted(known, self.classes_)
            tally = self._tally.with_classes(old, len(known)).add(tally)
        fitted = self._model(tally, data.table.schema, known, are_given=are_given)
        self.__dict__.update(fitted, **column_attributes(data.table.schema))
        return self

    def _count(
        self, data: TrainingData, class_of_row: Any, n_classes: int, bits: int | None
    ) -> Tally:
        weights = unit_weights(data.given, bits)
        with_cells = self.numeric != "gaussian"
        if self.numeric in {None, "gaussian"} and is_wide(*data.table.shape):
            rows = ClassRows.of(class_of_row, n_classes, weights.units)
            return deferred_tally(data.table, rows, weights, with_cells=with_cells)
        return _by_pieces(data.table, class_of_row, n_classes, weights, with_cells=with_cells)

    def _last_bits(self) -> int | None:
        if not self.__sklearn_is_fitted__() or self._tally.is_whole:
            return None
        return self._tally.bits

    def _begin_batch(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Check parameters and one batch; bring its columns into the known, grown schema."""
        check_parameters(type(self).__name__, self.get_params(deep=False), self._constraints)
        owner = Owner(type(self).__name__, self._opposite, self._multi_output)
        with warnings.catch_warnings():
            # A batch may well hold one class only.
            warnings.filterwarnings("ignore", "The target y has only one class", BranchlineWarning)
            data = check_training_data(X, y, sample_weight, task="classification", owner=owner)
        if not self.__sklearn_is_fitted__():
            return data
        self._refuse_other_counts()
        is_empty = [not column.units.any() for column in self._tally.columns]
        schema = grown_schema(self.schema_, data.table, is_empty)
        return replace(data, table=schema.apply(data.table))

    def _refuse_other_counts(self) -> None:
        """Refuse to go on when the batches before were counted for another ``numeric``."""
        for column in self._tally.columns:
            if isinstance(column, NumberTally):
                if (column.cells is None) == (self.numeric == "gaussian"):
                    return
                raise ParameterError(
                    "The 'numeric' parameter was changed between batches: a model that was begun "
                    "with 'gaussian' keeps no values, and one with another setting does.",
                    code="P031",
                    values=[self.numeric],
                    repair=Repair("model.fit(X, y)"),
                )

    def _known_classes(
        self, given: Any, new: npt.NDArray[Any], *, is_first: bool
    ) -> npt.NDArray[Any]:
        """Return the classes of the model after this batch."""
        if given is not None:
            wanted = np.unique(np.asarray(given))
            if is_first or np.array_equal(wanted, self.classes_):
                return wanted
            raise ParameterError(
                "The 'classes' of this batch are not those of the first one.",
                code="P032",
                values=wanted.tolist()[:5],
                repair=Repair("model.partial_fit(X, y)"),
            )
        if is_first:
            return new
        return self.classes_ if self._classes_are_given else union_of_classes(self.classes_, new)


def _by_pieces(
    table: Table, class_of_row: Any, n_classes: int, weights: UnitWeights, *, with_cells: bool
) -> Tally:
    """Count a table, many rows piece by piece: counting takes several copies of a piece."""
    tally: Tally | None = None
    step = _PIECE if table.sparse is None else table.n_rows
    for first in range(0, table.n_rows, step):
        some = slice(first, first + step)
        piece = table if table.n_rows <= step else table.rows(some)
        units = None if weights.units is None else weights.units[some]
        rows = ClassRows.of(class_of_row[some], n_classes, units)
        counted = take_tally(piece, rows, weights, with_cells=with_cells)
        tally = counted if tally is None else tally.add(counted)
    assert tally is not None
    return tally
