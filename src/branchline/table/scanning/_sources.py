"""Which files a scan reads, and what tells that they have not changed.

1. A path, a folder, a pattern (``folder/*.parquet``) or a list of them; files go by name.
2. All of them are Parquet, or all of them delimited text.
3. A file is known by its size, the time of its last change, and a hash of its beginning, its end
   and 64 places between.
"""

import glob
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from branchline.table.files._files import file_error
from branchline.table.files._read import find_format
from branchline.table.files._source import Source, open_source

__all__ = ["SourceFile", "find_files", "format_of", "known_by"]

_PARQUET, _TEXT = "parquet", "csv"
_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".tab", ".data")
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_HEAD = 1 << 16
_N_PLACES, _PLACE = 64, 4096


@dataclass(frozen=True)
class SourceFile:
    """A file, and what tells that it has not changed."""

    path: str
    size: int
    changed: int
    fingerprint: str


def find_files(given: Any) -> list[Path]:
    """Return the files that are meant, in their order."""
    if isinstance(given, str | PathLike):
        return _files_of(Path(given).expanduser())
    if not isinstance(given, Iterable):
        raise file_error(
            "path",
            "a path, a pattern of paths or a list of paths is needed, not an object of type "
            f"{type(given).__name__}.",
            code="F001",
        )
    files = [file for one in given for file in _files_of(Path(one).expanduser())]
    if not files:
        raise file_error("path", "the list of files is empty.", code="F001")
    return files


def _files_of(place: Path) -> list[Path]:
    if place.is_dir():
        found = sorted(file for file in place.iterdir() if _may_be_table(file))
    elif place.exists() or not glob.has_magic(str(place)):
        if not place.exists():
            open_source(place)  # says what is there instead
        return [place]
    else:
        found = sorted(Path(name) for name in glob.glob(str(place), recursive=True))
        found = [file for file in found if file.is_file()]
    if not found:
        raise file_error(str(place), "there is no file of a table here.", code="F001")
    return found


def _may_be_table(file: Path) -> bool:
    name = file.name.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return file.is_file() and not name.startswith((".", "_")) and name.endswith(_ENDINGS)


def format_of(files: list[Path], heads: list[bytes]) -> str:
    """Return the format of all files: "parquet" or "csv"."""
    formats = {_format(file, head) for file, head in zip(files, heads, strict=True)}
    if len(formats) > 1:
        raise file_error(
            str(files[0].parent),
            "some of the files are Parquet and some are delimited text. Name those that are meant.",
            code="F120",
            repair=f"scan_table({str(files[0].parent / '*.parquet')!r})",
        )
    return formats.pop()


def _format(file: Path, head: bytes) -> str:
    packed = head.startswith(b"PK\x03\x04")
    found = None if packed else find_format(Source(str(file), head, file))
    if found not in {_PARQUET, _TEXT}:
        raise file_error(
            str(file),
            "only delimited text and Parquet can be scanned part by part. Read the table whole, or "
            "write it as CSV or Parquet first.",
            code="F120",
            repair=f"from branchline import read_table\ntable = read_table({str(file)!r})",
        )
    return found


def known_by(path: Path) -> SourceFile:
    """Return what tells whether a file has changed."""
    status = path.stat()
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        step = max(_PLACE, status.st_size // _N_PLACES)
        for place in range(0, status.st_size, step):
            file.seek(place)
            digest.update(file.read(_PLACE))
        file.seek(max(0, status.st_size - _HEAD))
        digest.update(file.read(_HEAD))
    return SourceFile(str(path.resolve()), status.st_size, status.st_mtime_ns, digest.hexdigest())
