"""The text of a file piece by piece: unpacked and decoded, without ever holding all of it.

1. Compression (gzip, bzip2, xz, Zstandard) is known by the first bytes, as when a file is read
   whole.
2. One pass looks at all bytes: which encoding they are in, whether there are quotes, which line
   ends.
3. Later passes yield the text in pieces of a given size.
"""

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from branchline.table.files._encoding import ENCODING_OF_MARK, not_text, refuse_binary
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error, read_again
from branchline.table.files._source import Source

__all__ = ["TextLook", "head_of", "look_at_text", "opened", "pieces_of"]

_PIECE = 1 << 22
_HEAD = 1 << 16
_BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_XZ_MEMORY = 1 << 28


@dataclass(frozen=True)
class TextLook:
    """What is known of a text: its encoding, and whether a quote or only old line ends occur."""

    encoding: str
    has_quotes: bool
    has_old_line_ends: bool


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked; what is damaged is said as it is of a file that is read whole."""
    try:
        with path.open("rb") as raw:
            head = raw.read(8)
            raw.seek(0)
            undo = next((undo for magic, undo in _UNDO.items() if head.startswith(magic)), None)
            yield raw if undo is None else _Guarded(str(path), undo(raw))  # type: ignore[misc]
    except OSError as error:
        raise file_error(
            str(path), f"the file cannot be read ({error.strerror or error}).", code="F003"
        ) from None


class _Guarded:
    """A packed file, whose damage is a coded error."""

    def __init__(self, name: str, file: Any) -> None:
        self._name, self._file = name, file

    def read(self, size: int) -> bytes:
        try:
            made: bytes = self._file.read(size)
        except _BROKEN as error:
            raise file_error(
                self._name,
                f"the compressed file is damaged or cut short ({error}). Fetch or write it again.",
                code="F007",
            ) from None
        return made


class _Xz:
    """An xz stream that may not ask for more memory than is reasonable."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        self._left = b""

    def read(self, size: int) -> bytes:
        while True:
            if self._machine.eof:
                self._left = self._machine.unused_data.lstrip(b"\0") or self._raw.read(_HEAD)
                self._left = self._left.lstrip(b"\0")
                if not self._left:
                    return b""
                self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            given, self._left = self._left, b""
            if not given and self._machine.needs_input:
                given = self._raw.read(_HEAD)
                if not given:
                    raise EOFError("the end of the stream is not there")
            made = self._machine.decompress(given, max_length=size)
            if made:
                return made


def _zstandard(raw: IO[bytes]) -> Any:
    library = need_extra("zstandard", "zstd", "Zstandard files")
    machine = library.ZstdDecompressor(max_window_size=1 << 27)
    return _Zstandard(library.ZstdError, machine.stream_reader(raw, read_across_frames=True))


class _Zstandard:
    def __init__(self, error: Any, stream: Any) -> None:
        self._error, self._stream = error, stream

    def read(self, size: int) -> bytes:
        try:
            made: bytes = self._stream.read(size)
        except self._error as error:
            raise ValueError(str(error)) from None
        return made


_UNDO: dict[bytes, Any] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": _Xz,
    b"\x28\xb5\x2f\xfd": _zstandard,
}


def head_of(path: Path, size: int = _HEAD) -> bytes:
    """Return the first bytes of a file, unpacked."""
    with opened(path) as file:
        parts: list[bytes] = []
        left = size
        while left > 0 and (piece := file.read(left)):
            parts.append(piece)
            left -= len(piece)
    return b"".join(parts)


def look_at_text(path: Path, encoding: str | None) -> TextLook:
    """Look at all bytes of a file once."""
    head = head_of(path)
    source = Source(str(path), head, path)
    if encoding is not None:
        return _looked(path, source, [encoding], forced=True)
    for mark, known in ENCODING_OF_MARK:
        if head.startswith(mark):
            return _looked(path, source, [known], forced=False)
    refuse_binary(source)
    return _looked(path, source, ["utf-8", "cp1252", "latin-1"], forced=False)


def _looked(path: Path, source: Source, encodings: list[str], *, forced: bool) -> TextLook:
    for place, encoding in enumerate(encodings):
        look = _Look(source)
        try:
            for text in _decoded(path, encoding, _PIECE):
                look.add(text)
        except UnicodeDecodeError as error:
            if place + 1 < len(encodings):
                continue
            raise _undecodable(source, encoding, error, look.n_lines, forced=forced) from None
        except (LookupError, UnicodeEncodeError):
            raise file_error(
                source.name,
                f"{encoding!r} is not a text encoding; use utf-8, utf-16, cp1252, latin-1, …",
                code="F006",
            ) from None
        return look.done(encoding)
    raise AssertionError("latin-1 reads any bytes")


class _Look:
    """What a text shows while it goes by."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.n_lines = 0
        self._has_quotes = self._has_returns = self._has_more = False

    def add(self, text: str) -> None:
        if "\x00" in text:
            raise not_text(self._source)
        self.n_lines += text.count("\n")
        self._has_quotes = self._has_quotes or '"' in text
        self._has_returns = self._has_returns or "\r" in text
        self._has_more = self._has_more or (not text.isspace() and bool(text))

    def done(self, encoding: str) -> TextLook:
        if not self._has_more:
            raise file_error(self._source.name, "the file is empty.", code="F004")
        return TextLook(encoding, self._has_quotes, self._has_returns and not self.n_lines)


def _undecodable(
    source: Source, encoding: str, error: UnicodeDecodeError, n_lines: int, *, forced: bool
) -> Exception:
    seen = bytes(error.object[error.start : error.start + 4])
    line = n_lines + error.object[: error.start].count(b"\n") + 1
    by_itself = read_again(source.name) + "  # finds the encoding by itself"
    return file_error(
        source.name,
        f"the bytes {seen!r} are not {encoding} text.",
        code="F006",
        line=line,
        repair=by_itself if forced else None,
    )


def pieces_of(path: Path, look: TextLook, size: int) -> Iterator[str]:
    """Yield the text in pieces of about ``size`` bytes, line ends as they are."""
    for text in _decoded(path, look.encoding, size):
        yield text.replace("\r", "\n") if look.has_old_line_ends else text


def _decoded(path: Path, encoding: str, size: int) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    is_safe = encoding in {"utf-8", "utf-8-sig", "cp1252", "latin-1"}
    with opened(path) as file:
        is_first = True
        while True:
            raw = file.read(size)
            text = decoder.decode(raw, final=not raw)
            if not is_safe:
                text.encode()  # utf-7 and the like may give halves of characters
            if text:
                yield text.removeprefix("\ufeff") if is_first else text
                is_first = False
            if not raw:
                return
