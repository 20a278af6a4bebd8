"""Bytes into text: which encoding they are in, and which bytes are not text at all.

1. A byte-order mark decides; else UTF-8 when the bytes are valid, else cp1252 or latin-1.
2. Bytes with many controls are binary, whatever encoding is asked for; UTF-16 without a mark is
   told from them by how it reads.
"""

import codecs

from branchline.errors import DataError
from branchline.table.files._source import Source, file_error, read_again

__all__ = ["ENCODING_OF_MARK", "decode", "not_text", "refuse_binary"]

ENCODING_OF_MARK = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\v\x1a\x1b")
_MOST_CONTROLS, _FEW_CONTROLS = 0.01, 8  # a share of the bytes; a number that is always allowed
_FEWEST_ASCII = 0.02  # blanks, delimiters and line ends are ASCII in any script
_HEAD = 1 << 16


def decode(source: Source, encoding: str | None) -> str:
    """Return the text of the file, without byte-order mark, line ends as they are."""
    forced = encoding or source.encoding
    text = _decode_as(source, forced) if forced else _decode_by_look(source)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise file_error(source.name, "the file is empty.", code="F004")
    if "\x00" in text:
        raise not_text(source)
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of the old Macintosh
    return text


def _decode_as(source: Source, encoding: str, *, forced: bool = True) -> str:
    try:
        text = source.content.decode(encoding)
        text.encode()  # utf-7 and the like may give halves of characters, which are not text
        return text
    except UnicodeDecodeError as error:
        if forced and _is_binary(source.content) and not _bare_utf16(source.content):
            raise not_text(source) from None
        line = source.content.count(b"\n", 0, error.start) + 1
        seen = source.content[error.start : error.start + 4]
        by_itself = read_again(source.name) + "  # finds the encoding by itself"
        raise file_error(
            source.name,
            f"the bytes {seen!r} are not {encoding} text.",
            code="F006",
            line=line,
            repair=by_itself if forced else None,
        ) from None
    except (LookupError, ValueError):
        raise file_error(
            source.name,
            f"{encoding!r} is not a text encoding; use utf-8, utf-16, cp1252, latin-1, …",
            code="F006",
        ) from None


def _decode_by_look(source: Source) -> str:
    content = source.content
    for mark, encoding in ENCODING_OF_MARK:
        if content.startswith(mark):
            return _decode_as(source, encoding, forced=False)
    refuse_binary(source)
    for encoding in ("utf-8", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def refuse_binary(source: Source) -> None:
    """Refuse bytes that are not text, by the first of them."""
    if _is_binary(source.content):
        raise not_text(source)


def _is_binary(content: bytes) -> bool:
    """Whether many bytes are controls that no text has, and no byte-order mark explains them."""
    if content.startswith(tuple(mark for mark, _ in ENCODING_OF_MARK)):
        return False
    head = content[:_HEAD]
    n_controls = len(head) - len(head.translate(None, _CONTROLS))
    return n_controls > max(_FEW_CONTROLS, _MOST_CONTROLS * len(head))


def _bare_utf16(content: bytes) -> str | None:
    """Return the encoding of a UTF-16 text without byte-order mark, None for anything else."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        # a line end shows that the bytes were paired the right way round
        if "\x00" not in text and "\n" in text and _is_plain(text[:_HEAD]):
            return encoding
    return None


def _is_plain(text: str) -> bool:
    """Whether a text has hardly a control in it and looks like text, not like random characters."""
    n_controls = sum(ord(character) < 32 and character not in "\t\n\r" for character in text)
    n_ascii = sum(character.isascii() for character in text)
    return n_controls <= _MOST_CONTROLS * len(text) and n_ascii > _FEWEST_ASCII * len(text)


def not_text(source: Source) -> DataError:
    """Return the error for bytes that are not text, or whose encoding must be said."""
    encoding = _bare_utf16(source.content)
    if encoding is None:
        return file_error(
            source.name,
            f"this is not a text file: it begins with {source.content[:12]!r}. Save the table as "
            "CSV with the program that wrote it.",
            code="F005",
        )
    return file_error(
        source.name,
        f"this is {encoding} text without a byte-order mark, so its encoding must be said.",
        code="F005",
        repair=read_again(source.name, f'encoding="{encoding}"'),
        flag=f"--encoding {encoding}",
    )
