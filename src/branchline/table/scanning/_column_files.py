"""Columns as files: values one after the other, lowest byte first, with a running checksum.

A column is one file of values, and one of marks (a byte per row, 1: missing) where its type has no
value for a missing cell. Nothing else is in them: no header, no compression.
"""

import mmap
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from branchline._arrays import AnyArray

__all__ = ["ColumnFile", "checksum_of", "mapped"]

_PIECE = 1 << 24


@dataclass
class ColumnFile:
    """A file to which values are added; its length and checksum go along.

    Parameters
    ----------
    path
        The file.
    n_bytes, crc
        Its length, and the CRC-32 of its bytes.
    """

    path: Path
    n_bytes: int = 0
    crc: int = 0

    def add(self, values: AnyArray) -> None:
        """Add values at the end."""
        plain = np.ascontiguousarray(values)
        if plain.dtype.byteorder == ">":
            plain = plain.astype(plain.dtype.newbyteorder("<"))
        data = plain.view(np.uint8).data if plain.size else b""
        with self.path.open("r+b" if self.n_bytes else "wb") as file:
            file.seek(self.n_bytes)  # what an interruption left behind it is overwritten
            file.write(data)
        self.crc = zlib.crc32(data, self.crc)
        self.n_bytes += len(data)

    def add_zeros(self, n_bytes: int) -> None:
        """Add bytes 0."""
        while n_bytes:
            size = min(n_bytes, _PIECE)
            self.add(np.zeros(size, np.uint8))
            n_bytes -= size

    def end(self) -> None:
        """Cut off what an interruption left behind the end."""
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.truncate(self.n_bytes)

    def is_whole(self) -> bool:
        """Whether the file still begins with the bytes that were written."""
        return checksum_of(self.path, self.n_bytes) == self.crc


def checksum_of(path: Path, n_bytes: int) -> int | None:
    """Return the CRC-32 of the first bytes of a file; None where there are fewer."""
    crc, left = 0, n_bytes
    try:
        with path.open("rb") as file:
            while left and (piece := file.read(min(left, _PIECE))):
                crc, left = zlib.crc32(piece, crc), left - len(piece)
    except OSError:
        return None
    return None if left else crc


def mapped(path: Path, dtype: np.dtype[Any], n_rows: int) -> AnyArray:
    """Return a file as an array that is not written to; its pages are read when they are used."""
    if not n_rows:
        return np.empty(0, dtype)
    with path.open("rb") as file:
        view = mmap.mmap(file.fileno(), n_rows * dtype.itemsize, access=mmap.ACCESS_READ)
    return np.frombuffer(view, dtype=dtype.newbyteorder("<") if dtype.itemsize > 1 else dtype)
