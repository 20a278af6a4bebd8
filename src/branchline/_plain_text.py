"""Names and sentences as short, safe, aligned text.

Names may hold anything: characters that do not print are escaped, and the width on a screen is
counted (wide East Asian characters take two places, combining ones none).
"""

import unicodedata

__all__ = ["clean", "pad", "quoted", "shorten", "width", "wrap"]

_TIMES = "\xa0×\xa0"  # of a number with a power of ten, whose blanks do not break a line


def clean(text: str) -> str:
    """Return the text with characters that do not print written as escapes."""
    if text.isprintable():
        return text
    parts = text.split(_TIMES)
    return _TIMES.join("".join(map(_shown, part)) for part in parts)


def _shown(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def width(text: str) -> int:
    """Return how many places the text takes on a screen."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, most: int) -> str:
    """Return the text cut to ``most`` places, with an ellipsis when something was cut."""
    if width(text) <= most:
        return text
    kept, used = [], 1  # one place for the ellipsis
    for character in text:
        used += _character_width(character)
        if used > most:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, most: int) -> list[str]:
    """Return the text as lines of at most ``most`` places, broken at blanks."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if width(longer) <= most:
            lines[-1] = longer
        else:
            lines.append(shorten(word, most))
    return [line for line in lines if line]


def quoted(name: object) -> str:
    """Return a name in quotation marks, cleaned and not too long."""
    return f"'{shorten(clean(str(name)), 40)}'"


def pad(text: str, places: int, *, right: bool = False) -> str:
    """Return the text filled up with blanks to ``places``, at its right or left."""
    blanks = " " * (places - width(text))
    return blanks + text if right else text + blanks
