"""The problem to solve: a table, its target, and what rows belong together or follow each other."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools
from branchline._codes import fit_codes
from branchline._folds import FoldRows
from branchline._plain_numbers import cell, count
from branchline._row_keys import content_keys
from branchline._validation import (
    ClassTarget,
    Owner,
    Task,
    check_target,
    known_part,
    known_rows,
    known_values,
    task_of,
)
from branchline._warn import warn
from branchline.assess._find_metric import check_positive
from branchline.assess._metrics import Metric
from branchline.assess._rows_to_split import rows_to_split
from branchline.assess.comparing._unlabeled import UnlabeledRows, unlabeled_warning
from branchline.errors import BranchlineWarning, DataError, KindError, ParameterError, Repair
from branchline.table import Column, Table, as_table
from branchline.table.looking import Finding

__all__ = ["Problem", "checked_problem", "positive_place"]

AnyArray = npt.NDArray[Any]

# Whole numbers with at most this many values may well be codes of classes; consecutive ones with
# several rows each may be even when there are more.
_FEW_VALUES, _MOST_CODES, _ROWS_OF_A_CODE = 10, 50, 5


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and its target, checked.

    Parameters
    ----------
    table
        The inputs.
    task
        "classification" or "regression".
    target
        Class names, or numbers.
    classes
        The classes, sorted; None for numbers.
    target_name
        What the target is called.
    groups
        The group of each row; rows of one group are in one fold. None: every row is alone.
    times
        When each row happened; None: at no particular time.
    group_name, time_name
        The columns that hold groups and times. They are not among the inputs.
    set_aside
        Columns that only name rows and are not among the inputs, each with the reason.
    kept
        Columns that were to be used although they look like identifiers.
    remarks
        Warnings about the target or the time column, which were given when it was made.
    by
        Columns by whose groups results are shown, as they were given; None: there are none.
    unlabeled
        Rows whose target is missing; None: there are none that a learner could use.

    See Also
    --------
    make_problem : return a table and its target, checked, as ``compare`` sees them.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import make_problem
    >>> make_problem(load_dataset("iris"), "species").table.n_columns
    4
    """

    table: Table
    task: Task
    target: AnyArray
    classes: AnyArray | None
    target_name: str = "target"
    groups: AnyArray | None = None
    times: AnyArray | None = None
    group_name: str | None = None
    time_name: str | None = None
    set_aside: tuple[Finding, ...] = ()
    kept: tuple[str, ...] = ()
    remarks: tuple[BranchlineWarning, ...] = ()
    by: Table | None = None
    unlabeled: UnlabeledRows | None = None

    def __repr__(self) -> str:
        rows, inputs = count(self.n_rows, "row"), count(self.table.n_columns, "input")
        return f"Problem({self.task} of {self.target_name!r}, {rows}, {inputs})"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The place of each row's class among the classes."""
        assert self.classes is not None
        return np.searchsorted(self.classes, self.target)

    @cached_property
    def row_keys(self) -> npt.NDArray[np.uint64]:
        """A hash of each row's content, so that folds do not depend on the order of rows."""
        words = (
            self.places.astype(np.uint64)
            if self.classes is not None
            else np.ascontiguousarray(self.target + 0.0).view(np.uint64)
        )
        return content_keys(self.table, fit_codes(self.table), words[:, None], None)

    @cached_property
    def n_repeated(self) -> int:
        """The number of rows that are equal to an earlier row, the target included."""
        return self.n_rows - len(np.unique(self.row_keys))

    @cached_property
    def folds(self) -> FoldRows:
        """The rows, ready to be split; groups stay together."""
        return rows_to_split(self.table, self.target, self.classes)

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of all rows: the same for the same rows in any order."""
        keys = np.sort(self.row_keys).tobytes()
        names = "\0".join((*self.table.names, self.target_name)).encode()
        if self.unlabeled is not None:
            names += str(len(self.unlabeled)).encode()
        return hashlib.blake2b(keys + names, digest_size=8).hexdigest()

    @property
    def usual_resampling(self) -> str:
        """The kind of folds that the marks of the rows need."""
        if self.groups is not None:
            return "group_folds"
        return "folds" if self.times is None else "time_folds"

    def rows(self, which: Any) -> "Problem":
        """Return the problem on some of its rows."""
        groups = None if self.groups is None else self.groups[which]
        times = None if self.times is None else self.times[which]
        return replace(
            self,
            table=self.table.rows(which),
            target=self.target[which],
            groups=groups,
            times=times,
            by=None if self.by is None else self.by.rows(which),
            unlabeled=None if self.unlabeled is None else self.unlabeled.rows(which),
        )

    def with_inputs(self, names: Sequence[str]) -> "Problem":
        """Return the problem with some of its inputs; groups and times stay."""
        table = self.table.select(names).with_groups(self.groups).with_times(self.times)
        unlabeled = None if self.unlabeled is None else self.unlabeled.with_inputs(names)
        return replace(self, table=table.packed(), unlabeled=unlabeled)

    def column_of(self, name: str) -> Column:
        """Return an input, or a column by which results are shown."""
        if self.by is not None and name in self.by.names:
            return self.by.column(name)
        return self.table.column(name)


def positive_place(metric: Metric, positive: Any, problem: Problem) -> int | None:
    """Return the place of the positive class; of two classes the rarer when none was named."""
    classes = problem.classes
    if classes is None:
        return None
    if positive is not None:
        return check_positive(metric, positive, classes)
    if len(classes) == 2:
        return int(np.argmin(np.bincount(problem.places, minlength=2)))
    return check_positive(metric, None, classes) if metric.needs_positive else None


def checked_problem(
    X: Any,
    y: Any,
    *,
    task: Task | None = None,
    group: str | None = None,
    time_column: str | None = None,
    target_name: str = "target",
    by: str | Sequence[str] = (),
) -> Problem:
    """Return a table and its target, checked, with all inputs; see ``make_problem``."""
    table = as_table(X)
    if isinstance(y, str):
        target_name = y
        table, y = table.split_target(y)
    _refuse_no_inputs(table)
    every, table, y, labeled = _with_target(table, y)
    shown_by = _columns_by(table, by, target_name)
    known = known_values(y) if task is None else None
    wanted = task_of(known) if known is not None else task
    assert wanted is not None
    remarks = _codes_of_classes(known) if known is not None and wanted == "regression" else []
    owner = Owner("compare", None)
    checked = check_target(y, table.n_rows, task=wanted, owner=owner, tell_one_class=False)
    # Marks of the table itself count as well, where no column is named.
    groups = table.groups if group is None else table.column(group).to_numpy().astype(str)
    times = table.times if time_column is None else _times(table, time_column)
    remarks += [] if time_column is None else _fractions_without_order(table.column(time_column))
    not_inputs = [name for name in dict.fromkeys((group, time_column)) if name is not None]
    if not_inputs:
        table, every = table.drop(not_inputs), every.drop(not_inputs)
    _refuse_no_inputs(table)
    unlabeled = None
    if labeled is not None:
        can_help = wanted == "classification" and times is None
        remarks.append(unlabeled_warning(int((~labeled).sum()), len(labeled), can_help=can_help))
        if can_help:
            places = np.flatnonzero(~labeled), np.flatnonzero(labeled)
            unlabeled = UnlabeledRows(every.packed(), *places)
    if isinstance(checked, ClassTarget):
        target, classes = checked.classes[checked.class_of_row], checked.classes
    else:
        target, classes = checked.values, None
    table = table.packed().with_groups(groups).with_times(times)  # for every inner choice, too
    for remark in remarks:
        warn(remark)
    found = Problem(table, wanted, target, classes, target_name, groups, times, group, time_column)
    return replace(found, remarks=tuple(remarks), by=shown_by, unlabeled=unlabeled)


def _with_target(table: Table, y: Any) -> tuple[Table, Table, Any, Bools | None]:
    """Return all rows, those whose target is known, their target, and which they are.

    None stands for all of them; a target without any known value is left to its check.
    """
    labeled = known_rows(y, table.n_rows)
    if labeled is None or labeled.all() or not labeled.any():
        return table, table, y, None
    return table, table.rows(labeled), known_part(y, labeled), labeled


def _columns_by(table: Table, by: str | Sequence[str], target: str) -> Table | None:
    """Return the columns by which results are shown; refuse the target."""
    names = list(dict.fromkeys([by] if isinstance(by, str) else by))
    if target in names:
        raise ParameterError(
            f"Results cannot be shown by the target {target!r}: name an input. How well each class "
            "is found is in the report, and in confusion(comparison.outcome(learner)).",
            code="P354",
            values=[target],
        )
    return table.select(names) if names else None


def _refuse_no_inputs(table: Table) -> None:
    if table.n_columns == 0:
        raise DataError("There are no input columns besides the target.", code="D002")


def _codes_of_classes(known: AnyArray) -> list[BranchlineWarning]:
    """Warn of whole numbers that may be codes of classes.

    These are up to ten different ones; or up to fifty that begin with 0 or 1, leave none out, and
    have several rows each.
    """
    values, counts = np.unique(known, return_counts=True)
    if len(values) > _MOST_CODES or (values != np.rint(values)).any():
        return []
    is_coded = values[0] in {0, 1} and values[-1] - values[0] == len(values) - 1
    if len(values) > _FEW_VALUES and not (is_coded and counts.min() >= _ROWS_OF_A_CODE):
        return []
    return [
        BranchlineWarning(
            f"The target has only {len(values)} different whole numbers, {cell(float(values[0]))} "
            f"to {cell(float(values[-1]))}. They are taken as amounts to predict (regression); if "
            "they are codes of classes, ask for classification.",
            code="W008",
            repair=Repair("compare(X, y, task='classification')", "--task classification"),
        )
    ]


def _fractions_without_order(column: Column) -> list[BranchlineWarning]:
    """Warn of a time column of fractions in no order, which is hardly a time."""
    values = column.values
    is_plain = values.dtype.kind == "f" and not column.type.is_time
    if not is_plain or (values == np.floor(values)).all():
        return []
    steps = np.diff(values)
    if (steps >= 0).all() or (steps <= 0).all():
        return []
    return [
        BranchlineWarning(
            f"Column {column.name!r} does not look like a time: it holds fractions that neither "
            "rise nor fall from row to row. Rows with smaller values are taken as the past.",
            code="W014",
            repair=Repair(
                "compare(X, y)  # or name a column of dates, years or counts",
                "leave --time-column out, or name a column of dates, years or counts",
            ),
        )
    ]


def _times(table: Table, name: str) -> AnyArray:
    column = table.column(name)
    if column.kind == "category":
        raise KindError(
            f"Rows cannot be put in order by column {name!r}, which holds names.",
            code="K021",
            column=name,
            values=column.categories[:3],
            repair=Repair(
                f"import pandas\nX[{name!r}] = pandas.to_datetime(X[{name!r}])",
            ),
        )
    if column.is_missing.any():
        rows = np.flatnonzero(column.is_missing)
        raise DataError(
            f"Rows cannot be put in order: column {name!r} has missing values.",
            code="D130",
            column=name,
            rows=rows[:5],
            n_rows=len(rows),
        )
    return column.numbers()
