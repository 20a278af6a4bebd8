"""Text that fits: how wide words are, where to break them, what to leave out.

1. Text from outside is cleaned: line ends and characters that XML or a line cannot hold go.
2. Widths are those of DejaVu Sans, the widest of the usual screen fonts: what fits here fits.
3. What does not fit is shortened with an ellipsis; lists end in "and 3 more".
"""

import unicodedata
from functools import lru_cache

__all__ = ["clean", "list_lines", "shorten", "text_width", "wrapped"]

_WIDTHS = {
    character: width / 100
    for width, characters in {
        29: "'ijlIJ",
        36: " ,.·/:;\\|f-",
        42: "()[]t!r",
        50: '"*_`',
        56: "szc?L",
        62: "FkvxyPTYaoe",
        65: "ESbdghnpqu$0123456789{}",
        70: "KAVBRXZC",
        79: "UHNDG&OQ",
        85: "w#+<=>^~≤±M−–",
        100: "%mW@…",
    }.items()
    for character in characters
}
_UNKNOWN, _WIDE, _BOLD = 0.8, 1.35, 1.1
_MOST_LISTED = 40  # more names never fit
_JOINERS = "\u200c\u200d"  # they hold emoji and Persian words together


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Return the text on one line, without characters that XML forbids or that reorder a line."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(_clean_character(character) for character in text)


def _clean_character(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return " " if character.isspace() else "\ufffd"


@lru_cache(maxsize=8192)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how many pixels a text takes at most, in letters of ``size`` pixels."""
    widths = sum(_WIDTHS.get(character) or _other_width(character) for character in text)
    return widths * size * (_BOLD if bold else 1)


def _other_width(character: str) -> float:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _UNKNOWN


@lru_cache(maxsize=4096)
def shorten(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return the text if it fits, else its beginning and end around an ellipsis.

    Names that share a beginning often differ at the end. Without room for two letters there is
    nothing.
    """
    if text_width(text, size, bold=bold) <= width:
        return text
    room = width - text_width("…", size, bold=bold)
    tail = _n_that_fit(text[::-1], 0.4 * room, size, bold=bold)
    end = text[len(text) - tail :].lstrip()
    head = _n_that_fit(text, room - text_width(end, size, bold=bold), size, bold=bold)
    return f"{text[:head].rstrip()}…{end}" if head + tail >= 2 else ""


def _n_that_fit(text: str, room: float, size: float, *, bold: bool) -> int:
    for place, character in enumerate(text):
        room -= text_width(character, size, bold=bold)
        if room < 0:
            return place
    return len(text)


def list_lines(names: list[str], width: float, size: float, n_lines: int) -> list[str]:
    """Return names as lines of a list; what does not fit is counted: "red, blue and 12 more".

    Where not even one name fits beside such words there is only the number: "14 values".
    """
    first = [shorten(name, width, size) for name in names[: _MOST_LISTED + 1]]
    if len(first) == len(names):
        lines = _packed([f"{name}," for name in first[:-1]] + first[-1:], width, size)
        if len(lines) <= n_lines:
            return lines
    for form in ("and {:,} more", "+{:,} more"):
        for n_shown in range(min(len(first), len(names) - 1), 0, -1):
            words = [f"{name}," for name in first[: n_shown - 1]] + [first[n_shown - 1]]
            lines = _packed([*words, form.format(len(names) - n_shown)], width, size)
            if len(lines) <= n_lines:
                return lines
    return [f"{len(names):,} values"]


def _packed(words: list[str], width: float, size: float) -> list[str]:
    """Return words in as few lines as they need, none broken."""
    lines = words[:1]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        if text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def wrapped(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Return a text as lines that fit; a word that is too long is shortened.

    Examples
    --------
    >>> from branchline._drawing import wrapped
    >>> wrapped("lines that fit into a width", 80, 11)
    ['lines that fit', 'into a width']
    """
    words = [shorten(word, width, size, bold=bold) for word in clean(text).split()]
    return _packed(words, width / (_BOLD if bold else 1), size)
