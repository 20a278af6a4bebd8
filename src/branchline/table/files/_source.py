"""What is read: the bytes of a file, and the one way to say what is wrong with them.

1. A path, "-" (standard input), a binary or a text file object becomes a name and bytes.
2. Compression is undone by looking at the bytes, not at the name.
3. What follows a # names a part: a sheet of a workbook, a table, a file of an archive.
4. Nothing larger than the memory budget is read, so that no file can fill the machine.
"""

import re
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias

from branchline.errors import DataError
from branchline.table.files._files import (
    DEFAULT_MISSING,
    IMPORT,
    STANDARD_INPUT,
    file_error,
    read_again,
)
from branchline.table.files._unpack import read_all, unpacked

__all__ = [
    "BLANKS",
    "DEFAULT_MISSING",
    "IMPORT",
    "AnyFile",
    "Source",
    "file_error",
    "open_source",
    "read_again",
    "with_missing",
]

BLANKS = " \t\r\n\f\v\u00a0"

AnyFile: TypeAlias = str | PathLike[str] | IO[bytes] | IO[str]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.I)  # a Path has lost one of the two strokes
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


@dataclass(frozen=True)
class Source:
    """The bytes of a file, unpacked, and what to call it in messages.

    ``part`` is the sheet or table that is asked for; ``inner`` the file's name in its archive.
    """

    name: str
    content: bytes
    path: Path | None = None
    encoding: str | None = None
    part: str | None = None
    inner: str | None = None

    @property
    def suffix(self) -> str:
        """The extension in lower case, that of compression left aside; empty without a path."""
        if self.path is None and self.inner is None:
            return ""
        name = (self.inner or (self.path.name if self.path else "")).lower()
        for ending in _PACKED:
            name = name.removesuffix(ending)
        return Path(name).suffix


def with_missing(name: str, token: str) -> str:
    """Return the call that reads the file with one more token for missing."""
    return read_again(name, f"missing={(*DEFAULT_MISSING, token)!r}")


def open_source(path: AnyFile, part: str | None = None) -> Source:
    """Return the bytes behind ``path``, unpacked; ``part`` is what is asked for inside."""
    if isinstance(path, str | PathLike):
        return _from_path(path, part)
    name = str(getattr(path, "name", "<stream>"))
    if not callable(getattr(path, "read", None)):
        raise file_error(
            "path",
            f"a path or an open file is needed, not an object of type {type(path).__name__}. A "
            "table in memory is made with Table.",
            code="F001",
            repair="import branchline\ntable = branchline.Table(X)",
        )
    try:
        first: Any = path.read(0)
        if isinstance(first, str):
            return Source(name, path.read().encode("utf-8"), encoding="utf-8")  # type: ignore[union-attr]
        return _source(name, read_all(path, name), None, part)
    except DataError:  # a ValueError too, but one that has already been worded
        raise
    except UnicodeError as error:
        raise file_error(name, f"the text cannot be decoded ({error}).", code="F006") from None
    except (OSError, ValueError) as error:
        raise _cannot_open(name, error) from None


def _source(name: str, content: bytes, path: Path | None, part: str | None) -> Source:
    plain, inner = unpacked(name, content, part)
    return Source(name, plain, path, part=part, inner=inner)


def _from_path(path: str | PathLike[str], part: str | None) -> Source:
    if str(path) == "-":
        return _source(STANDARD_INPUT, read_all(sys.stdin.buffer, "-"), None, part)
    name, part = _without_part(str(path), part)
    place = Path(name).expanduser()
    try:
        if place.is_dir():
            raise file_error(name, "this is a folder; a file is needed.", code="F002")
        with place.open("rb") as handle:
            content = read_all(handle, name)
    except FileNotFoundError:
        raise _not_found(name, place) from None
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot_open(name, error) from None
    return _source(name, content, place, part)


def _without_part(name: str, part: str | None) -> tuple[str, str | None]:
    """Cut off what follows a #, when the file's own name does not have it."""
    begin, mark, end = name.rpartition("#")
    try:
        is_part = (
            bool(mark and end)
            and not Path(name).expanduser().exists()
            and (Path(begin).expanduser().is_file())
        )
    except (OSError, ValueError):
        is_part = False
    return (begin, part or end) if is_part else (name, part)


def _not_found(name: str, place: Path) -> DataError:
    from difflib import get_close_matches

    from branchline.table._datasets import dataset_names

    if _ADDRESS.match(name):
        message = "addresses (URLs) are not fetched. Download the file first and give its path."
        return file_error(name, message, code="F001")
    folder = place.parent
    here = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    near = get_close_matches(place.name, here, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if not near and name in dataset_names():
        return _bundled(name)
    where = "" if here or folder.is_dir() else f" The folder {str(folder)!r} does not exist either."
    repair = read_again(str(folder / near[0])) if near else None
    return file_error(name, f"the file does not exist.{hint}{where}", code="F001", repair=repair)


def _bundled(name: str) -> DataError:
    """Return the error of a bundled data set that is asked for as if it were a file."""
    return file_error(
        name,
        "the file does not exist. There is a bundled data set of this name.",
        code="F001",
        repair=f"from branchline import load_dataset\ntable = load_dataset({name!r})",
        flag=f"branchline datasets {name} --save {name}.csv, then use {name}.csv",
    )


def _cannot_open(name: str, error: Exception) -> DataError:
    why = getattr(error, "strerror", None) or str(error)
    return file_error(name, f"the file cannot be read ({why}).", code="F003")
