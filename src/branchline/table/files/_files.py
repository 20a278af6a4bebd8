"""The one way to say what is wrong with a file: its name, the line, what was seen, the repair."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from branchline.errors import DataError, Repair

__all__ = ["DEFAULT_MISSING", "IMPORT", "STANDARD_INPUT", "file_error", "part_repair", "read_again"]

DEFAULT_MISSING = ("", "NA", "?", "NaN", "nan", "N/A", "n/a", "null", "NULL")
IMPORT = "from branchline import read_table"
STANDARD_INPUT = "standard input"
_MOST_PARTS = 12


def file_error(
    name: str,
    message: str,
    *,
    code: str,
    line: int | None = None,
    column: str | None = None,
    values: Iterable[Any] = (),
    repair: str | None = None,
    flag: str | None = None,
) -> DataError:
    """Return the error that says which file, which line, what was seen and how to mend it."""
    place = name if line is None else f"{name}, line {line}"
    mend = Repair(repair, flag)
    return DataError(f"{place}: {message}", code=code, column=column, values=values, repair=mend)


def read_again(name: str, option: str = "") -> str:
    """Return the call that reads the file once more, with an option."""
    known = {STANDARD_INPUT: '"-"'}
    is_stream = name.startswith("<")
    file = known.get(name, "path" if is_stream else repr(name))
    back = "path.seek(0)\n" if is_stream else ""
    return f"{IMPORT}\n{back}table = read_table({file}{', ' if option else ''}{option})"


def part_repair(
    name: str, what: str, names: Sequence[str], asked: str | None, likely: str | None = None
) -> DataError:
    """Return the error that asks which sheet, table or file of several is meant.

    Parameters
    ----------
    name
        The file.
    what
        "sheet", "table" or "file".
    names
        Those that it holds.
    asked
        The one that was asked for and is not there, if any.
    likely
        The one that the repair names when nothing else decides: the one with the data.
    """
    shown = ", ".join(repr(each) for each in names[:_MOST_PARTS])
    more = f" and {len(names) - _MOST_PARTS} more" if len(names) > _MOST_PARTS else ""
    if not names:
        return file_error(name, f"there is no {what} in it.", code="F004")
    near = get_close_matches(asked or "", names, n=1) or [likely or names[0]]
    begin = f"there is no {what} {asked!r}" if asked is not None else f"which {what} is meant"
    return file_error(
        name,
        f"{begin}; it holds {shown}{more}.",
        code="F103",
        values=names,
        repair=read_again(name, f"sheet={near[0]!r}"),
        flag=f"--sheet {near[0]!r}",
    )
