"""From what the user passes to what kernels trust: tables, targets, weights.

``check_training_data``: X becomes a table, y a target, weights units; rows of weight zero are
dropped; anything that cannot be used is refused with the column, the rows and the repair.
``check_prediction_data``: X becomes a table in the schema learned at fit.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats, Places
from branchline._validation._partial_target import check_partial_class_target
from branchline._validation._target import (
    ONE_CLASS,
    ClassTarget,
    NumberTarget,
    Owner,
    check_class_target,
    check_number_target,
)
from branchline._validation._weights import CheckedWeights, RowWeights, check_weights
from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table import Column, Schema, Table, as_table, few_rows, release

__all__ = [
    "PredictionData",
    "Task",
    "TrainingData",
    "check_partly_labeled_data",
    "check_prediction_data",
    "check_target",
    "check_training_data",
    "check_training_inputs",
    "refuse_infinite",
]

Task: TypeAlias = Literal["classification", "regression"]

_FEW_VALUES = 2048  # to look at each is faster than a sum

_CHECK_TARGET: dict[Task, Callable[..., ClassTarget | NumberTarget]] = {
    "classification": check_class_target,
    "regression": check_number_target,
}


@dataclass(frozen=True)
class TrainingData:
    """What a model learns from, checked: only rows that count, in one form.

    Parameters
    ----------
    table
        The inputs.
    target
        Class indices or numbers; None for transformers.
    weights
        Integer weights of the rows.
    row_keys
        Hashes of the rows by their content, where they are known already.
    kept
        Which of the rows that ``fit`` was given are here: those of weight 0 are not. None: all.
    given
        The weights of the rows here as ``fit`` was given them; None: none were.
    """

    table: Table
    target: Any
    weights: RowWeights
    row_keys: npt.NDArray[np.uint64] | None = None
    kept: Bools | None = None
    given: Floats | None = None

    @property
    def kept_rows(self) -> Places | None:
        """Positions of the rows here among those that ``fit`` was given; None: all are here."""
        return None if self.kept is None else np.flatnonzero(self.kept)

    def rows(
        self, which: npt.NDArray[Any], units: npt.NDArray[np.int64] | None = None
    ) -> "TrainingData":
        """Return some rows; ``units`` are new weights of all rows, before rows are chosen."""
        weights = self.weights.rows(which)
        if units is not None and (weights.units is not None or (units[which] != 1).any()):
            weights = replace(weights, units=units[which])
        target = None if self.target is None else self.target.rows(which)
        keys = None if self.row_keys is None else self.row_keys[which]
        return TrainingData(self.table.rows(which), target, weights, keys)

    @property
    def n_cells(self) -> int:
        """Rows × columns."""
        return self.table.n_rows * self.table.n_columns

    @property
    def class_target(self) -> ClassTarget:
        """The target of a classifier."""
        assert isinstance(self.target, ClassTarget)
        return self.target

    @property
    def number_target(self) -> NumberTarget:
        """The target of a regressor."""
        assert isinstance(self.target, NumberTarget)
        return self.target


@dataclass(frozen=True)
class PredictionData:
    """Rows to predict, in the columns and codes of the fitted schema."""

    table: Table

    @property
    def n_cells(self) -> int:
        """Rows × columns."""
        return self.table.n_rows * self.table.n_columns


def check_training_data(
    X: Any, y: Any, sample_weight: Any, *, task: Task, owner: Owner
) -> TrainingData:
    """Check and convert what ``fit`` was given."""
    table = _usable_table(X)
    checked = check_weights(sample_weight, table.n_rows)
    target = _CHECK_TARGET[task](y, owner, table.n_rows, checked.kept)
    return _of_rows_that_count(table, target, checked, keep_names=isinstance(X, Table))


def check_partly_labeled_data(X: Any, y: Any, sample_weight: Any, *, owner: Owner) -> TrainingData:
    """Check and convert what a classifier was given that learns from rows without a class, too.

    A row whose target is missing has the class index that follows the last class.
    """
    table = _usable_table(X)
    checked = check_weights(sample_weight, table.n_rows)
    target = check_partial_class_target(y, owner, table.n_rows, checked.kept)
    return _of_rows_that_count(table, target, checked, keep_names=isinstance(X, Table))


def check_training_inputs(X: Any, sample_weight: Any) -> TrainingData:
    """Check and convert what the ``fit`` of a transformer was given: there is no target."""
    table = _usable_table(X)
    checked = check_weights(sample_weight, table.n_rows)
    return _of_rows_that_count(table, None, checked, keep_names=isinstance(X, Table))


def _of_rows_that_count(
    table: Table, target: Any, checked: CheckedWeights, *, keep_names: bool
) -> TrainingData:
    rows = table if checked.kept is None else table.rows(checked.kept)
    if checked.kept is not None and not keep_names:
        rows = _with_names_in_use(rows)
    return TrainingData(rows, target, checked.weights, kept=checked.kept, given=checked.given)


def _with_names_in_use(table: Table) -> Table:
    """Forget the texts that only rows of weight 0 have, as if these rows were not there."""
    if table.matrix is not None or table.sparse is not None:
        return table
    columns = [_names_in_use(column) for column in table.columns]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return Table.from_columns(columns, named=table.schema.named)


def _names_in_use(column: Column) -> Column:
    is_text = column.kind == "category" and column.type.source == "string"
    if not is_text or column.n_used_categories == len(column.categories):
        return column
    used = np.unique(column.values[column.values >= 0])
    code_of = np.full(len(column.categories) + 2, -1, dtype=np.int32)
    code_of[-2:] = (-2, -1)  # of categories not seen, and of missing values
    code_of[used] = np.arange(len(used), dtype=np.int32)
    kind = replace(column.type, categories=tuple(column.categories[code] for code in used))
    return Column(column.name, kind, code_of[column.values])


def _usable_table(X: Any) -> Table:
    """Return a table that has rows and columns and no infinite numbers."""
    table = as_table(X)
    if table.n_columns == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is "
            "required.",
            code="D002",
        )
    if table.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape=(0, {table.n_columns})) while a minimum of 1 is "
            "required.",
            code="D001",
        )
    table = table.packed()
    refuse_infinite(table)
    return table


def check_target(
    y: Any, n_rows: int, *, task: Task, owner: Owner, tell_one_class: bool = True
) -> ClassTarget | NumberTarget:
    """Check and convert a target alone, whose rows are then split among several fits.

    With ``tell_one_class=False``, the caller speaks of a target with one class only.
    """
    with warnings.catch_warnings():
        if not tell_one_class:
            warnings.filterwarnings("ignore", ONE_CLASS, BranchlineWarning)
        return _CHECK_TARGET[task](y, owner, n_rows, None)


def check_prediction_data(X: Any, schema: Schema, *, owner: str) -> PredictionData:
    """Check and convert what ``predict`` was given; texts are read as the schema says."""
    few = few_rows(X, schema)
    if few is not None:
        return PredictionData(few)
    table = as_table(X, texts="raw")
    if schema.named and not table.schema.named and table.n_columns == len(schema):
        warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names: "
            "columns are taken by position.",
            BranchlineWarning,
        )
    extra = schema.extra(table)
    if extra:
        shown = ", ".join(extra[:8]) + (", …" if len(extra) > 8 else "")
        warn(
            f"Columns that {owner} was not fitted on are ignored: {shown}.",
            BranchlineWarning,
        )
    applied = schema.apply(table).packed()
    refuse_infinite(applied)
    return PredictionData(applied)


def refuse_infinite(table: Table) -> None:
    """Refuse infinite numbers, with the column, the rows and the repair."""
    if table.matrix is not None and not _any_infinite(table.matrix):
        return
    if table.sparse is not None and not _any_infinite(table.sparse.data):
        return
    for name in table.names:
        column = table.column(name)
        if _may_be_infinite(column) and _any_infinite(column.values):
            raise _infinite(column, np.flatnonzero(np.isinf(column.values)))
        release(column.values)


def _any_infinite(values: npt.NDArray[Any]) -> bool:
    if values.size <= _FEW_VALUES:
        return bool(np.isinf(values).any())
    with np.errstate(all="ignore"):
        total = values.sum()  # finite when all values are; one fast pass in the usual case
    return not np.isfinite(total) and bool(np.isinf(values).any())


def _may_be_infinite(column: Column) -> bool:
    return column.kind == "numeric" and column.values.dtype.kind == "f"


def _infinite(column: Column, rows: npt.NDArray[np.intp]) -> DataError:
    return DataError(
        "Input X contains infinity or a value too large for dtype('float64'), in column "
        f"{column.name!r}.",
        code="D060",
        column=column.name,
        rows=rows[:5],
        n_rows=len(rows),
        values=column.values[rows[:5]].tolist(),
        repair=Repair(
            "import numpy\n"
            "from branchline import Table\n"
            "X = Table(X).to_pandas().replace([numpy.inf, -numpy.inf], numpy.nan)",
            f"--missing inf --missing=-inf if they mean missing; else --drop {column.name}",
        ),
    )
