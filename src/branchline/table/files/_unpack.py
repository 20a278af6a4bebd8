"""Compressed content: gzip, bzip2, xz, Zstandard and zip, undone by looking at the bytes.

1. Content is unpacked piece by piece and never beyond the memory budget; what unpacks to much more
   than its own size is a bomb and refused early.
2. A zip archive gives its only file, or the one that is named after a # or by ``sheet``; workbooks,
   which are zip archives too, are left alone.
3. Compression inside compression is undone up to three times.
"""

import bz2
import gzip
import io
import lzma
import shlex
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

from branchline._memory import refuse_over_budget
from branchline.errors import DataError
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error, part_repair

__all__ = ["is_workbook", "read_all", "unpacked"]

_CHUNK = 1 << 24
_DEEPEST = 3
_SMALL, _MOST_TIMES = 1 << 28, 2_000  # bytes that are always fine; times the packed size beyond
_XZ_MEMORY = 1 << 28
_PIECE = 1 << 11
_WORKBOOK_PARTS = ("xl/", "mimetype", "content.xml", "word/", "ppt/")
_ENCRYPTED = 0x1
_ABOUT = ("readme", "licen", "source", "changelog", "metadata")
_ABOUT_ENDINGS = (".md", ".pdf", ".html", ".htm", ".doc", ".docx", ".rtf", ".py", ".r")
_TABLES = (".csv", ".tsv", ".tab", ".xlsx", ".xls", ".ods", ".json", ".parquet", ".arff", ".data")
_MODEL_PARTS = {"manifest.json", "arrays/0"}
_BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def unpacked(name: str, content: bytes, part: str | None = None) -> tuple[bytes, str | None]:
    """Return the content, unpacked, and the name of the file in an archive (None without one)."""
    inner = None
    for _ in range(_DEEPEST):
        undo = next((undo for magic, undo in _UNDO.items() if content.startswith(magic)), None)
        if undo is not None:
            content = _guarded(name, content, undo)
        elif content.startswith(b"PK\x03\x04") and not is_workbook(content):
            inner, content = _from_archive(name, content, part)
            part = None
        else:
            break
    return content, inner


def read_all(handle: Any, name: str, packed: int | None = None) -> bytes:
    """Read to the end, but stop with an error at the memory budget or at a bomb."""
    chunks: list[bytes] = []
    size = 0
    while chunk := handle.read(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        refuse_over_budget(size, f"the content of {name}")
        if packed is not None and size > max(_SMALL, _MOST_TIMES * packed):
            raise _bomb(name, size, packed)
    return b"".join(chunks)


def _bomb(name: str, size: int, packed: int) -> DataError:
    return file_error(
        name,
        f"{packed:,} bytes unpack to {size:,} bytes and more; no table does that. Unpack the file "
        "yourself when you trust it.",
        code="F101",
    )


def _guarded(name: str, content: bytes, undo: "Callable[[bytes], IO[bytes]]") -> bytes:
    try:
        return read_all(undo(content), name, len(content))
    except DataError:
        raise
    except _BROKEN as error:
        raise file_error(
            name,
            f"the compressed file is damaged or cut short ({error}). Fetch or write it again.",
            code="F007",
        ) from None


def _gzip(content: bytes) -> IO[bytes]:
    return gzip.GzipFile(fileobj=io.BytesIO(content))  # type: ignore[return-value]


def _bzip2(content: bytes) -> IO[bytes]:
    return bz2.BZ2File(io.BytesIO(content))


class _Xz(io.RawIOBase):
    """An xz stream that may not ask for more memory than is reasonable."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def read(self, size: int = -1) -> bytes:
        while True:
            if self._machine.eof:
                self._content = self._machine.unused_data.lstrip(b"\0")
                if not self._content:
                    return b""
                self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            given, self._content = self._content, b""
            if not given and self._machine.needs_input:
                raise EOFError("the end of the stream is not there")
            made = self._machine.decompress(given, max_length=size)
            if made:
                return made


def _xz(content: bytes) -> IO[bytes]:
    return _Xz(content)  # type: ignore[return-value]


class _Zstandard:
    """A Zstandard stream, given to the library in pieces so small that no bomb goes off in one."""

    def __init__(self, content: bytes) -> None:
        library = need_extra("zstandard", "zstd", "Zstandard files")
        self._error = library.ZstdError
        self._library = library.ZstdDecompressor(max_window_size=1 << 27)
        self._machine = self._library.decompressobj()
        self._content = content
        self._place = 0

    def read(self, size: int = -1) -> bytes:
        made = b""
        try:
            while not made and self._goes_on():
                piece = self._content[self._place : self._place + _PIECE]
                self._place += len(piece)
                made = self._machine.decompress(piece)
        except self._error as error:
            raise ValueError(str(error)) from None
        return made

    def _goes_on(self) -> bool:
        """Turn to the next frame where one ends; say whether anything is left."""
        if self._machine.eof:
            self._place -= len(self._machine.unused_data)
            self._machine = self._library.decompressobj()
            return self._place < len(self._content)
        if self._place >= len(self._content):
            raise EOFError("the end of the stream is not there")
        return True


def _zstandard(content: bytes) -> IO[bytes]:
    return _Zstandard(content)  # type: ignore[return-value]


_UNDO: "dict[bytes, Callable[[bytes], IO[bytes]]]" = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    b"\xfd7zXZ\x00": _xz,
    b"\x28\xb5\x2f\xfd": _zstandard,
}


# -- zip archives ---------------------------------------------------------------------------------


def is_workbook(content: bytes) -> bool:
    """Whether a zip archive is a workbook or another document rather than an archive of files."""
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    except _BROKEN:
        return False
    return "[Content_Types].xml" in names or ("mimetype" in names and "content.xml" in names)


def _from_archive(name: str, content: bytes, part: str | None) -> tuple[str, bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        if set(archive.namelist()) >= _MODEL_PARTS:
            raise _model_file(name)
        entry = _chosen(name, archive, part)
        if entry.flag_bits & _ENCRYPTED:
            raise file_error(name, "the archive has a password. Unpack it first.", code="F102")
        refuse_over_budget(entry.file_size, f"{entry.filename} in {name}")
        with archive.open(entry) as handle:
            return entry.filename, read_all(handle, name, max(1, entry.compress_size))
    except DataError:
        raise
    except (*_BROKEN, NotImplementedError, RuntimeError, KeyError) as error:
        raise file_error(
            name,
            f"the zip archive is damaged or cut short ({error}). Fetch or write it again.",
            code="F007",
        ) from None


def _chosen(name: str, archive: zipfile.ZipFile, part: str | None) -> zipfile.ZipInfo:
    """Return the entry that is named, or the only one that is a file of the user."""
    entries = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir()
        and not entry.filename.startswith("__MACOSX/")
        and not entry.filename.rpartition("/")[2].startswith(".")
    ]
    if part is not None:
        for entry in entries:
            if part in {entry.filename, entry.filename.rpartition("/")[2]}:
                return entry
    tables = _tables_among(entries)
    if part is None and len(tables) == 1:
        return tables[0]
    names = [entry.filename for entry in tables]
    largest = max(tables, key=lambda entry: entry.file_size).filename if tables else None
    raise part_repair(name, "file", names, part, largest)


def _tables_among(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files that may be tables; beside sure tables, a .txt file is a description."""
    tables = [entry for entry in entries if not _is_about(entry)] or entries
    others = [entry for entry in tables if not entry.filename.lower().endswith(".txt")]
    return others if any(entry.filename.lower().endswith(_TABLES) for entry in others) else tables


def _model_file(name: str) -> DataError:
    return file_error(
        name,
        "this is a saved model, not a table. Were the model and the table swapped? The model comes "
        "first.",
        code="F110",
        repair=f"import branchline\nmodel = branchline.load({name!r})",
        flag=f"branchline predict {shlex.quote(name)} TABLE",
    )


def _is_about(entry: zipfile.ZipInfo) -> bool:
    """Whether a file is about the tables beside it rather than a table."""
    name = entry.filename.rpartition("/")[2].lower()
    return name.startswith(_ABOUT) or name.endswith(_ABOUT_ENDINGS)
