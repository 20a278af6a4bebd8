"""A report as Markdown: the same sections, pictures replaced by their numbers."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from branchline._plain_text import clean, shorten
from branchline.report._blocks import (
    Block,
    Code,
    Facts,
    Folded,
    Grid,
    Heading,
    Items,
    Notice,
    Picture,
    Section,
    SideBySide,
    Words,
)

__all__ = ["markdown"]

_LONGEST_CELL = 90
# What Markdown, or HTML inside it, would take for markup.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Return the report."""
    parts = [f"# {_plain(title)}", _plain(subtitle)]
    for section in sections:
        parts.append(f"## {_plain(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", clean(text))


def _block(block: Block) -> str:
    return _WRITERS[type(block)](block)


def _words(block: Words) -> str:
    return f"**{_plain(block.text)}**" if block.look == "lead" else _plain(block.text)


def _items(block: Items) -> str:
    return "\n".join(
        f"- {f'**{_plain(subject)}**: ' if subject else ''}{_plain(text)}"
        for subject, text in block.items
    )


def _grid(block: Grid) -> str:
    heads = _line(block.heads)
    sides = ["---" if place < block.n_words else "---:" for place in range(len(block.heads))]
    rows = [_line(row, bold=place in block.marked) for place, row in enumerate(block.rows)]
    return "\n".join([_plain(block.caption) + ":", "", heads, f"| {' | '.join(sides)} |", *rows])


def _line(cells: Sequence[str], *, bold: bool = False) -> str:
    shown = [_plain(shorten(clean(cell), _LONGEST_CELL)) for cell in cells]
    if bold:
        shown = [f"**{cell}**" if cell else cell for cell in shown]
    return f"| {' | '.join(shown)} |"


def _picture(block: Picture) -> str:
    words = f"{_plain(block.words)}" if block.words else ""
    numbers = "" if block.numbers is None else _block(block.numbers)
    return "\n\n".join(part for part in (f"### {_plain(block.title)}", words, numbers) if part)


def _code(block: Code) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", block.text)), default=0))
    return f"{fence}{block.language}\n{block.text}\n{fence}"


def _facts(block: Facts) -> str:
    return "\n".join(
        f"- {_plain(name)}: **{_plain(value)}**{f' ({_plain(words)})' if words else ''}"
        for name, value, words in block.facts
    )


def _folded(block: Folded) -> str:
    inner = "\n\n".join(_block(part) for part in block.blocks)
    return f"### {_plain(block.summary)}\n\n{inner}"


_WRITERS: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Heading: lambda block: f"### {_plain(block.text)}",
    Items: _items,
    Notice: lambda block: f"> {_plain(block.text)}",
    Facts: _facts,
    Grid: _grid,
    Picture: _picture,
    SideBySide: lambda block: "\n\n".join(_picture(picture) for picture in block.pictures),
    Code: _code,
    Folded: _folded,
}
