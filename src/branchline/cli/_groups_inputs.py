"""What ``groups`` looks at: the table without what only names rows, and why.

1. Columns that only name rows are set aside, as ``compare`` does; those without a value are empty.
2. The known class is left out. Columns that look as if they had been chosen with it are warned of.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchline._plain_numbers import count, joined
from branchline.cli._emit import tell
from branchline.cli._reading import Reading, check_column, open_data
from branchline.errors import BranchlineError, BranchlineWarning, DataError, Repair

if TYPE_CHECKING:
    from branchline.table import Column, Table
    from branchline.table.looking import Finding

__all__ = ["Inputs", "read_inputs", "warn_of_choice"]

_NAMES = {"name", "code"}
_MOST_NAMED = 8


@dataclass(frozen=True)
class Inputs:
    """The table, the columns that rows are compared by, and what was left out and why."""

    table: "Table"
    used: "Table"
    set_aside: tuple["Finding", ...]
    empty: tuple[str, ...]
    constant: tuple[str, ...] = ()

    def names(self) -> list[Any] | None:
        """Return the names of rows, if a column that was set aside holds them."""
        found = [finding.name for finding in self.set_aside if finding.topic in _NAMES]
        if not found:
            return None
        values = self.table.column(found[0]).to_list()
        return [f"row {at}" if value is None else value for at, value in enumerate(values)]

    def lines(self) -> list[str]:
        """Return what rows were compared by, and what was left out."""
        names = joined(list(self.used.names), _MOST_NAMED)
        told = [f"Compared by {count(self.used.n_columns, 'column')}: {names}."]
        if self.set_aside:
            listed = joined([f"{one.name} ({one.reason})" for one in self.set_aside], 4)
            keep = "--keep COLUMN keeps one."
            told.append(f"Set aside, because they only name rows: {listed}. {keep}")
        if self.empty:
            told.append(f"Left out, because no cell has a value: {joined(list(self.empty))}.")
        if self.constant:
            told.append(f"Left out, because nothing varies: {joined(list(self.constant))}.")
        return told


def read_inputs(path: str, known: str | None, keep: Any, reading: Reading) -> Inputs:
    """Read the table, and set aside what rows cannot be compared by."""
    from branchline.table.looking import likely_identifiers

    table = reading.read(open_data(path))
    for option, names in (("--known", [known] if known else []), ("--keep", keep)):
        for name in names:
            check_column(table, option, name)
    left = table if known is None else table.drop(known)
    gone = tuple(one for one in likely_identifiers(left) if one.name not in keep)
    empty = tuple(one.name for one in left.columns if bool(one.is_missing.all()))
    names = {*(one.name for one in gone), *empty}
    if len(names) == left.n_columns:
        listed = joined([one.name for one in gone] or list(empty))
        raise DataError(
            f"There is no column that rows can be compared by: {listed} only name rows or hold no "
            "value.",
            code="D710",
            repair=Repair(flag=f"--keep {gone[0].name}" if gone else "branchline look FILE"),
        )
    constant = tuple(
        one.name for one in left.columns if one.name not in names and _is_constant(one)
    )
    names |= {*constant} if len(names) + len(constant) < left.n_columns else set()
    is_left_out = bool(constant) and constant[0] in names
    used = left.drop(sorted(names)) if names else left
    return Inputs(table, used, gone, empty, constant if is_left_out else ())


def _is_constant(column: "Column") -> bool:
    """Return whether the known cells of a column hold one value."""
    known = column.values[~column.is_missing]
    return len(known) > 0 and bool((known == known[0]).all())


def warn_of_choice(inputs: Inputs, known: str) -> None:
    """Warn of columns that look as if they had been chosen with the known class."""
    from branchline.assess import make_problem
    from branchline.assess.comparing import preselection_warnings

    names = [name for name in (*inputs.used.names, known) if name in inputs.table.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # of the target, which is not learned
        try:
            told = preselection_warnings(make_problem(inputs.table.select(names), known))
        except BranchlineError:  # a class that nothing can be learned for
            return
    if told:
        tell(
            BranchlineWarning(
                f"The columns look as if they had been chosen with {known!r}: nearly all of them "
                "are just related enough to it. Clusters of such columns return the class, also in "
                "noise, so their agreement proves nothing.",
                code="W065",
                repair=Repair(flag="give the table with all columns"),
            )
        )
