"""Compressed files that come in: how much they unpack to is found out before one is read.

Nothing is kept of what is unpacked here, and unpacking ends at the limit. The reader of tables has
limits of its own, for what is packed twice and for xz and Zstandard files.
"""

import bz2
import gzip
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from branchline.errors import DataError
from branchline.studio._limits import UNPACKED_BYTES, UNPACKED_FREE_BYTES, UNPACKED_TIMES

__all__ = ["refuse_bomb"]

_PIECE = 2**20
_BROKEN = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile)


def refuse_bomb(path: Path) -> None:
    """Refuse a file that unpacks to too much; archives and workbooks count as a whole."""
    packed = path.stat().st_size
    most = min(UNPACKED_BYTES, max(UNPACKED_FREE_BYTES, UNPACKED_TIMES * packed))
    with path.open("rb") as file:
        start = file.read(4)
    count = next((count for magic, count in _COUNTS.items() if start.startswith(magic)), None)
    if count is None:
        return
    try:
        is_too_much = count(path, most) > most
    except (*_BROKEN, NotImplementedError):  # the reader says what is wrong with the file
        return
    if is_too_much:
        raise DataError(
            f"The file has {packed:,} bytes and unpacks to more than {most:,}.", code="F965"
        )


def _count_of_zip(path: Path, most: int) -> int:
    """Return what the archive says; nothing beyond that is ever read of it."""
    with zipfile.ZipFile(path) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def _count_of(opened: Callable[[Path], Any]) -> Callable[[Path, int], int]:
    def count(path: Path, most: int) -> int:
        size = 0
        with opened(path) as stream:
            while size <= most and (piece := stream.read(_PIECE)):
                size += len(piece)
        return size

    return count


_COUNTS: dict[bytes, Callable[[Path, int], int]] = {
    b"PK\x03\x04": _count_of_zip,
    b"\x1f\x8b": _count_of(gzip.open),
    b"BZh": _count_of(bz2.open),
}
