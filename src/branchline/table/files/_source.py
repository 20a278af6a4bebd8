"""What is read: the bytes of a file, and the one way to say what is wrong with them.

1. A path, "-" (standard input), a binary or a text file object becomes a name and bytes.
2. Gzip is undone by looking at the bytes, not at the name.
3. Nothing larger than the memory budget is read, so that no file can fill the machine.
"""

import io
import re
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias

from branchline._memory import refuse_over_budget
from branchline.errors import DataError, Repair

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

DEFAULT_MISSING = ("", "NA", "?", "NaN", "nan", "N/A", "null", "NULL")
IMPORT = "from branchline import read_table"
BLANKS = " \t\r\n\f\v\u00a0"

AnyFile: TypeAlias = str | PathLike[str] | IO[bytes] | IO[str]

_STANDARD_INPUT = "standard input"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.I)  # a Path has lost one of the two strokes
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 24


@dataclass(frozen=True)
class Source:
    """The bytes of a file, gzip undone, and what to call it in messages."""

    name: str
    content: bytes
    path: Path | None = None
    encoding: str | None = None

    @property
    def suffix(self) -> str:
        """The extension in lower case, that of gzip left aside; empty without a path."""
        if self.path is None:
            return ""
        name = self.path.name.lower().removesuffix(".gz")
        return Path(name).suffix


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
    known = {_STANDARD_INPUT: '"-"'}
    is_stream = name.startswith("<")
    file = known.get(name, "path" if is_stream else repr(name))
    back = "path.seek(0)\n" if is_stream else ""
    return f"{IMPORT}\n{back}table = read_table({file}{', ' if option else ''}{option})"


def with_missing(name: str, token: str) -> str:
    """Return the call that reads the file with one more token for missing."""
    return read_again(name, f"missing={(*DEFAULT_MISSING, token)!r}")


def open_source(path: AnyFile) -> Source:
    """Return the bytes behind ``path``, gzip undone."""
    if isinstance(path, str | PathLike):
        return _from_path(path)
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
        return Source(name, _unzipped(name, _read_all(path, name)))
    except DataError:  # a ValueError too, but one that has already been worded
        raise
    except UnicodeError as error:
        raise file_error(name, f"the text cannot be decoded ({error}).", code="F006") from None
    except (OSError, ValueError) as error:
        raise _cannot_open(name, error) from None


def _from_path(path: str | PathLike[str]) -> Source:
    if str(path) == "-":
        return Source(_STANDARD_INPUT, _unzipped(_STANDARD_INPUT, _read_all(sys.stdin.buffer, "-")))
    place = Path(path).expanduser()
    name = str(path)
    try:
        if place.is_dir():
            raise file_error(name, "this is a folder; a file is needed.", code="F002")
        with place.open("rb") as handle:
            content = _read_all(handle, name)
    except FileNotFoundError:
        raise _not_found(name, place) from None
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot_open(name, error) from None
    return Source(name, _unzipped(name, content), place)


def _read_all(handle: Any, name: str) -> bytes:
    """Read to the end, but stop with an error at the memory budget."""
    chunks: list[bytes] = []
    size = 0
    while chunk := handle.read(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        refuse_over_budget(size, f"the content of {name}")
    return b"".join(chunks)


def _unzipped(name: str, content: bytes) -> bytes:
    if not content.startswith(_GZIP_MAGIC):
        return content
    import gzip

    try:
        return _read_all(gzip.GzipFile(fileobj=io.BytesIO(content)), name)
    except (OSError, EOFError, zlib.error) as error:
        raise file_error(
            name,
            f"the gzip file is damaged or cut short ({error}). Fetch or write it again.",
            code="F007",
        ) from None


def _not_found(name: str, place: Path) -> DataError:
    from difflib import get_close_matches

    if _ADDRESS.match(name):
        message = "addresses (URLs) are not fetched. Download the file first and give its path."
        return file_error(name, message, code="F001")
    folder = place.parent
    here = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    near = get_close_matches(place.name, here, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    where = "" if here or folder.is_dir() else f" There is no folder {str(folder)!r} either."
    repair = read_again(str(folder / near[0])) if near else None
    return file_error(name, f"there is no such file.{hint}{where}", code="F001", repair=repair)


def _cannot_open(name: str, error: Exception) -> DataError:
    why = getattr(error, "strerror", None) or str(error)
    return file_error(name, f"the file cannot be read ({why}).", code="F003")
