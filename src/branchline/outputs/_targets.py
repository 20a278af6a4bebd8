"""Several targets: their names, and for each whether it is a class or a number.

1. Names come from a table, a frame or a mapping; columns of an array are called "output 1" and on.
2. A column of numbers of more than two values is a number to predict, all others are classes,
   unless it is said otherwise.
3. Every target of every row must be known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Bools, Floats
from branchline._validation import ClassTarget, NumberTarget, Owner, check_target
from branchline._validation._guess_task import task_of
from branchline.errors import BranchlineError, DataError, ParameterError, Repair
from branchline.table import Table

__all__ = ["Targets", "read_targets", "refuse_missing", "refuse_unknown_names"]

_ONE_COLUMN = "import numpy\ny = numpy.asarray(y).reshape(len(y), -1)\nmodel.fit(X, y)"
_ONLY_KNOWN = (
    "import pandas\n"
    "from branchline import Table\n"
    "keep = ~pandas.DataFrame(y).isna().any(axis=1).to_numpy()\n"
    "y = pandas.DataFrame(y)[keep]\n"
    "model.fit(Table(X)[keep], y)"
)


@dataclass(frozen=True, eq=False)
class Targets:
    """Checked targets.

    Parameters
    ----------
    names
        What each target is called.
    each
        Class indices or numbers, for each target.
    """

    names: tuple[str, ...]
    each: tuple[ClassTarget | NumberTarget, ...]

    @property
    def classes(self) -> list[AnyArray | None]:
        """The classes of each target; None for numbers."""
        return [one.classes if isinstance(one, ClassTarget) else None for one in self.each]

    @property
    def matrix(self) -> Floats:
        """Numbers, and indices of classes, in a column for each target."""
        columns = [
            one.class_of_row.astype(np.float64) if isinstance(one, ClassTarget) else one.values
            for one in self.each
        ]
        return np.column_stack(columns)

    def rows(self, which: AnyArray) -> "Targets":
        """Return the targets of some rows."""
        return Targets(self.names, tuple(one.rows(which) for one in self.each))

    def values(self, place: int) -> AnyArray:
        """Return the names of classes, or the numbers, of one target."""
        one = self.each[place]
        if isinstance(one, ClassTarget):
            return np.asarray(one.classes[one.class_of_row])
        return one.values


def read_targets(y: Any, n_rows: int, owner: str, keep: Bools | None, tasks: Any = None) -> Targets:
    """Return checked targets.

    Parameters
    ----------
    y
        A table, a frame, a mapping or an array with a column for each target.
    n_rows
        How many rows there are.
    owner
        Whose targets they are, for messages.
    keep
        Which rows count; None: all.
    tasks
        "classification", "regression", a mapping of names to one of these, or None.
    """
    names, columns = _columns(y, owner)
    refuse_missing(columns)
    given = tasks if isinstance(tasks, Mapping) else {}
    refuse_unknown_names(owner, "tasks", list(given), names)
    found = []
    for name, column in zip(names, columns, strict=True):
        task = given.get(name, tasks if isinstance(tasks, str) else task_of(_plain(column)))
        try:
            checked = check_target(column, n_rows, task=task, owner=Owner(owner, None))
        except BranchlineError as error:
            error.message = f"Target {name!r}: {error.message}"
            raise
        found.append(checked if keep is None else checked.rows(np.flatnonzero(keep)))
    return Targets(names, tuple(found))


def _plain(column: AnyArray) -> AnyArray:
    """Return numbers in a column of objects as numbers."""
    if column.dtype.kind != "O":
        return column
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in column):
        return column.astype(np.float64)
    return column


def _columns(y: Any, owner: str) -> tuple[tuple[str, ...], list[AnyArray]]:
    if isinstance(y, Table):
        return y.names, [column.to_numpy() for column in y.columns]
    if isinstance(y, Mapping):
        return tuple(map(str, y)), [np.asarray(column) for column in y.values()]
    if hasattr(y, "columns") and hasattr(y, "__getitem__"):
        named = [str(name) for name in y.columns]
        return tuple(named), [np.asarray(y[name]) for name in y.columns]
    array = _rows_of(y)
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(
            f"{owner} predicts several targets: y must have a column for each. Its shape is "
            f"{array.shape}.",
            code="D647",
            repair=Repair(_ONE_COLUMN if array.ndim == 1 else None),
        )
    names = tuple(f"output {at + 1}" for at in range(array.shape[1]))
    return names, [_narrow(array[:, at]) for at in range(array.shape[1])]


def _rows_of(y: Any) -> AnyArray:
    """Return rows of targets as an array, each column of a list of rows in its own kind.

    What is not rows of one length becomes an array of one dimension.
    """
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return y
    given = list(y) if isinstance(y, list | tuple | np.ndarray) else []
    if all(isinstance(row, list | tuple | np.ndarray) for row in given):
        rows = [list(row) for row in given]
        if len({len(row) for row in rows}) == 1:
            return np.array(rows, dtype=object)
    return np.empty(len(given), dtype=object)


def _narrow(column: AnyArray) -> AnyArray:
    """Return a column of an array of mixed kinds in the kind of its own."""
    if column.dtype.kind != "O":
        return column
    kinds = {type(value) for value in column}
    return np.array(column.tolist()) if len(kinds) == 1 else column


def refuse_missing(columns: list[AnyArray]) -> None:
    """Refuse targets of which a cell is missing."""
    missing = np.zeros(max(map(len, columns)), dtype=bool)
    for column in columns:
        unknown = [value is None or value != value for value in column.tolist()]
        missing[: len(column)] |= np.array(unknown, dtype=bool)
    rows = np.flatnonzero(missing)
    if len(rows):
        raise DataError(
            f"{len(rows)} rows have a target that is missing; all targets of a row must be known.",
            code="D648",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair(_ONLY_KNOWN),
        )


def refuse_unknown_names(
    owner: str, parameter: str, given: Sequence[Any], names: Sequence[str]
) -> None:
    """Refuse names that no target has."""
    wrong = [name for name in given if name not in names]
    if wrong:
        raise ParameterError(
            f"The {parameter!r} parameter of {owner} names {wrong[0]!r}, but the targets are "
            f"{', '.join(repr(name) for name in names[:12])}.",
            code="P875",
            values=wrong[:5],
            repair=Repair(f"model.set_params({parameter}=None)"),
        )
