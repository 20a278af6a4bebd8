"""A report as one page of HTML that asks for nothing from outside.

1. Every text is escaped here and nowhere else; names stand in ``bdi``, so that a name written from
   right to left does not turn the line around it.
2. A content policy in the page forbids all requests and every script but one, by its hash: it
   opens what is folded before printing.
3. The whole report as data stands at the end of the page, for programs.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from branchline._drawing import spark_svg
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
    Spark,
    Words,
)
from branchline.report._style import STYLE

__all__ = ["page"]

# Tables of more columns are set in smaller letters, so that a desktop shows all of them.
_MOST_AT_EASE, _LONG_CELL = 9, 28
_LONGEST_CELL, _LONGEST_WORDS, _LONGEST_FIRST, _LONGEST_HINT = 60, 140, 40, 500
_SHORT = 14  # a cell of so few letters stays on one line
# What a phone shows side by side, in pixels: of the page, of a letter, between two cells.
_PHONE, _LETTER, _BETWEEN = 350.0, 7.4, 16.0
_SCRIPT = (
    "addEventListener('beforeprint',()=>document.querySelectorAll('details').forEach("
    "part=>{part.dataset.was=part.open?'1':'';part.open=true}));"
    "addEventListener('afterprint',()=>document.querySelectorAll('details').forEach("
    "part=>{part.open=part.dataset.was==='1'}))"
)


def page(title: str, subtitle: str, sections: Sequence[Section], data: dict[str, Any]) -> str:
    """Return the page."""
    links = "".join(
        f'<li><a href="#{section.anchor}">{escape(section.link or section.title)}</a></li>'
        for section in sections
    )
    body = "\n".join(_section(section) for section in sections)
    name = escape(clean(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#decision">Skip to the decision</a>\n'
        f"<header><h1><bdi>{name}</bdi></h1>\n<p>{escape(clean(subtitle))}</p>\n"
        f'<nav aria-label="Contents"><ol>{links}</ol></nav></header>\n<main>\n{body}\n</main>\n'
        f'<script type="application/json" id="branchline-report">{_island(data)}</script>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _island(data: dict[str, Any]) -> str:
    # No text of the data may end the script or begin a comment in it.
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _section(section: Section) -> str:
    blocks = "\n".join(_block(block) for block in section.blocks)
    return (
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-title">\n'
        f'<h2 id="{section.anchor}-title">{escape(section.title)}</h2>\n{blocks}\n</section>'
    )


def _block(block: Block) -> str:
    return _WRITERS[type(block)](block)


def _prose(text: str) -> str:
    """Return a sentence; no line begins with its per cent sign, and blanks in a row are kept."""
    return escape(text).replace(" %", "&nbsp;%").replace("  ", "&nbsp; ")


def _words(block: Words) -> str:
    look = f' class="{block.look}"' if block.look else ""
    return f"<p{look}>{_prose(block.text)}</p>"


def _items(block: Items) -> str:
    items = "".join(
        f"<li>{f'<b>{_name(subject)}</b>: ' if subject else ''}{_prose(text)}</li>"
        for subject, text in block.items
    )
    return f"<ul>{items}</ul>"


def _notice(block: Notice) -> str:
    mark = "✓" if block.tone == "good" else "!"
    return (
        f'<p class="notice {block.tone}"><span class="mark" aria-hidden="true">{mark}</span> '
        f"<span>{_prose(block.text)}</span></p>"
    )


def _facts(block: Facts) -> str:
    tiles = "".join(
        f"<div><dt>{escape(name)}</dt><dd><b>{_name(value)}</b><span>{_prose(words)}</span></dd></div>"
        for name, value, words in block.facts
    )
    return f'<dl class="facts">{tiles}</dl>'


def _name(text: str, longest: int = _LONGEST_CELL) -> str:
    """Return a text of the data, shortened; the pointer shows more of it."""
    whole = clean(text)
    short = shorten(whole, longest)
    hint = "" if short == whole else f' title="{escape(shorten(whole, _LONGEST_HINT))}"'
    if not hint and whole.isascii():
        shown = escape(whole)
        return shown.replace(" ", "&nbsp;") if len(whole) <= _SHORT else shown
    return f"<bdi{hint}>{escape(short)}</bdi>"


def _grid(block: Grid) -> str:
    heads = "".join(
        f'<th scope="col"{_side(place, block)}>{_name(head)}</th>'
        for place, head in enumerate(block.heads)
    )
    is_wide = _is_wide(block)
    rows = "\n".join(
        _grid_row(block, place, row, is_wide=is_wide) for place, row in enumerate(block.rows)
    )
    caption = clean(block.caption)
    looks = ["dense"] * (len(block.heads) > _MOST_AT_EASE) + ["cards"] * is_wide
    look = f' class="{" ".join(looks)}"' if looks else ""
    # Beside the table, not in it: a caption would be as wide as a table that scrolls.
    return (
        f'<p class="caption" aria-hidden="true">{_prose(caption)}</p>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f"<table{look}>"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _is_wide(block: Grid) -> bool:
    """Return whether a table is too wide for a phone, which then shows each row as a card."""
    widths = [
        max(max(map(len, head.split()), default=0), *(len(row[place]) for row in block.rows), 0)
        for place, head in enumerate(block.heads)
    ]
    return sum(width * _LETTER + _BETWEEN for width in widths) > _PHONE


def _grid_row(block: Grid, place: int, row: tuple[str, ...], *, is_wide: bool) -> str:
    looks = [
        *(["marked"] if place in block.marked else []),
        *(["break"] if place in block.breaks else []),
    ]
    look = f' class="{" ".join(looks)}"' if looks else ""
    first, *rest = row
    heads = [f' data-head="{escape(clean(head))}"' for head in block.heads] if is_wide else None
    cells = "".join(
        f"<td{_side(at, block, cell)}{heads[at] if heads else ''}>{_cell(cell)}</td>"
        for at, cell in enumerate(rest, start=1)
    )
    head = f'<th scope="row"{_side(0, block)}>{_name(first, _LONGEST_FIRST)}</th>'
    return f"<tr{look}>{head}{cells}</tr>"


def _cell(cell: str) -> str:
    if isinstance(cell, Spark):
        return spark_svg(cell.counts) if cell.counts else ""
    return _name(cell, _LONGEST_WORDS)


def _side(place: int, block: Grid, cell: str = "") -> str:
    if place >= block.n_words:
        return ' class="number"'
    # On a phone, a long cell that is scrolled out of sight must not make its row tall.
    return ' class="long"' if len(cell) > _LONG_CELL else ""


def _picture(block: Picture) -> str:
    drawn = block.svg
    if block.narrow is not None:
        drawn = f'<div class="wide">{block.svg}</div><div class="narrow">{block.narrow}</div>'
    words = f"<p>{_prose(block.words)}</p>" if block.words else ""
    numbers = ""
    if block.numbers is not None:
        what = "The numbers" if isinstance(block.numbers, Grid) else "The same as text"
        numbers = f"<details><summary>{what}</summary>{_block(block.numbers)}</details>"
    title = escape(clean(block.title))
    return (
        f'<div class="plot"><figure><figcaption><b>{title}</b>{words}</figcaption>'
        f'<div class="scroll picture" tabindex="0" role="group" aria-label="{title}">{drawn}'
        f"</div></figure>{numbers}</div>"
    )


def _side_by_side(block: SideBySide) -> str:
    return f'<div class="beside">{"".join(_picture(picture) for picture in block.pictures)}</div>'


def _code(block: Code) -> str:
    return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'


def _folded(block: Folded) -> str:
    inner = "\n".join(_block(part) for part in block.blocks)
    return f"<details><summary>{escape(clean(block.summary))}</summary>\n{inner}\n</details>"


_WRITERS: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Heading: lambda block: f"<h3>{escape(clean(block.text))}</h3>",
    Items: _items,
    Notice: _notice,
    Facts: _facts,
    Grid: _grid,
    Picture: _picture,
    SideBySide: _side_by_side,
    Code: _code,
    Folded: _folded,
}
