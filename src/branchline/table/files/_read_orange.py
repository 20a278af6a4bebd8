r"""Orange's .tab files: three header lines (names, types, roles), or one with marks (mD#name).

1. Types: continuous, discrete (perhaps with its values: ``low\ risk high``), string, time.
2. Roles: class, meta, ignore, weight. Ignored columns are left out; all others are kept.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.table._table import Table
from branchline.table.files._cells import Cells
from branchline.table.files._declared import Attribute, declared_table
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source

if TYPE_CHECKING:
    pass

__all__ = ["has_marks", "orange_table"]

_LETTERS = {"c": "number", "n": "number", "d": "words", "s": "words", "t": "words"}
_WORDS = {
    "continuous": "c",
    "numeric": "c",
    "discrete": "d",
    "string": "s",
    "text": "s",
    "time": "t",
}
_ROLES = {"m": "meta", "i": "ignore", "c": "class", "w": "weight"}
_MARKED = re.compile(r"(?!#)([mMiIcCwW]?)([CcDdSsNnTt]?)#(.+)")
_BLANK = re.compile(r"(?<!\\)\s+")


def has_marks(first: Sequence[str]) -> bool:
    """Whether the header has Orange's marks before names (mD#name)."""
    return any(_MARKED.fullmatch(cell) for cell in first) and len(first) > 0


def orange_table(
    source: Source, cells: Cells, options: ReadOptions, *, marked: bool = False
) -> Table:
    """Return the table below Orange's header; ``cells`` hold it and have no outer blanks."""
    from branchline.table.files._read_csv import holed, unique_names

    frame = cells.frame
    rows = frame.head(3).rows()
    if marked:
        names, types, roles = _split_marks(rows[0])
    else:
        names, types = list(rows[0]), list(rows[1])
        roles = [role.partition(" ")[0] for role in rows[2]]
    first = 1 if marked else 3
    names = unique_names(names, source.name)
    roles = [_ROLES.get(role, role) for role in roles]
    meta = [name for name, role in zip(names, roles, strict=True) if role == "meta"]
    if meta:
        warn(
            f"{source.name}: {', '.join(meta)} are meta columns in Orange, which learns nothing "
            "from them; leave them out with drop= (--drop) to do the same.",
            BranchlineWarning,
        )
    attributes = [
        Attribute(name, "ignore") if role == "ignore" else _attribute(source.name, name, kind)
        for name, kind, role in zip(names, types, roles, strict=True)
    ]
    below = Cells(holed(frame[first:], (*options.missing, ".", "~")), cells.lines[first:])
    return _converted(
        declared_table(source.name, below, attributes, options), names, types, options
    )


def _split_marks(first: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    names, types, roles = [], [], []
    for cell in first:
        found = _MARKED.fullmatch(cell)
        names.append(found[3] if found else cell)
        types.append(found[2].lower() if found else "")
        roles.append(found[1].lower() if found else "")
    return names, types, roles


def _attribute(file: str, name: str, kind: str) -> Attribute:
    letter = _WORDS.get(kind.lower(), kind.lower())
    if not kind:
        return Attribute(name, "words")
    if letter in _LETTERS:
        return Attribute(name, "number" if letter in "cn" else "words")
    values = [value.replace("\\ ", " ") for value in _BLANK.split(kind.strip()) if value]
    if len(set(values)) != len(values):
        raise file_error(file, f"the values of {name!r} are listed twice.", code="F014", line=2)
    return Attribute(name, "values", tuple(values))


def _converted(
    table: Table, names: Sequence[str], types: Sequence[str], options: ReadOptions
) -> Table:
    """Return the table with columns of time as dates, and of no type as their texts show."""
    loose = [
        name
        for name, kind in zip(names, types, strict=True)
        if name in table.names and _WORDS.get(kind, kind) in {"t", ""} and name not in options.kinds
    ]
    if not loose:
        return table
    read = _from_texts(table.select(loose), replace(options, kinds={}, drop=()))
    columns = [read[name] if name in loose else table[name] for name in table.names]
    return Table.from_columns(columns)


def _from_texts(table: Table, options: ReadOptions) -> Table:
    from branchline.table.files._loose_cells import loose_table

    return loose_table(table.names, [column.to_list() for column in table.columns], options)
