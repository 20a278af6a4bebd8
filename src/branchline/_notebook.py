"""Small HTML for notebooks: a line of words, a table, bars; no scripts, every text escaped.

Colors are those of the page around it: a dark notebook may stand on a light system.
"""

from collections.abc import Collection, Sequence
from html import escape

__all__ = ["bars", "box", "grid", "words"]

_STYLE = """
.branchline{font:14px/1.45 system-ui,sans-serif;color:inherit;overflow-x:auto;max-width:60em}
.branchline p{margin:.4em 0}
.branchline .quiet{color:color-mix(in srgb,currentColor 70%,transparent)}
.branchline table{border-collapse:collapse;margin:.5em 0;font:inherit;color:inherit}
.branchline th,.branchline td{padding:.15em 1em .15em 0;text-align:left;vertical-align:top;border:0;
 border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);color:inherit;
 background:transparent;white-space:nowrap}
.branchline tr{background:transparent}
.branchline th{font-weight:600}
.branchline tbody th{font-weight:400;white-space:pre-wrap}
.branchline .number{text-align:right;font-variant-numeric:tabular-nums}
.branchline .marked th,.branchline .marked td{font-weight:600}
.branchline .begin th,.branchline .begin td{border-top:2px solid
 color-mix(in srgb,currentColor 45%,transparent)}
.branchline .bar{display:inline-block;height:.7em;vertical-align:middle;background:#3b76af}
.branchline .bar.less{background:#d1605e}
.branchline .side{display:inline-block;width:7em;text-align:right}
.branchline .side+.side{text-align:left;border-left:1px solid
 color-mix(in srgb,currentColor 45%,transparent)}
"""


def box(*parts: str) -> str:
    """Return parts, already HTML, as one ``div`` that brings its own style."""
    inside = "\n".join(part for part in parts if part)
    return f'<div class="branchline">\n<style>{_STYLE}</style>\n{inside}\n</div>'


def words(text: str, *, quiet: bool = False) -> str:
    """Return a paragraph."""
    look = ' class="quiet"' if quiet else ""
    return f"<p{look}>{escape(text)}</p>" if text else ""


def grid(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    n_words: int = 1,
    marked: Collection[int] = (),
    begins: Collection[int] = (),
) -> str:
    """Return a table.

    Parameters
    ----------
    heads, rows
        The texts of its cells.
    n_words
        How many columns, from the left, hold words; the others hold numbers.
    marked
        Rows to bring out.
    begins
        Rows before which a thicker line stands.
    """
    lines = [_row(row, n_words, at in marked, at in begins) for at, row in enumerate(rows)]
    return _table(heads, lines, n_words)


def bars(heads: Sequence[str], rows: Sequence[tuple[str, str, float]]) -> str:
    """Return a table of a name, a number in words, and a bar to the left or right of zero."""
    largest = max((abs(size) for _, _, size in rows), default=0.0)
    lines = []
    for name, number, size in rows:
        length = 100 * abs(size) / largest if largest > 0 else 0.0
        bar = f'<span class="bar{" less" * (size < 0)}" style="width:{length:.0f}%"></span>'
        sides = ("", bar) if size >= 0 else (bar, "")
        drawn = "".join(f'<span class="side">{side}</span>' for side in sides) if size else ""
        lines.append(
            f'<tr><th scope="row">{escape(name)}</th><td class="number">{escape(number)}</td>'
            f"<td>{drawn}</td></tr>"
        )
    return _table([*heads, ""], lines, 1)


def _table(heads: Sequence[str], lines: Sequence[str], n_words: int) -> str:
    head = "".join(
        f'<th scope="col"{_look(at, n_words)}>{escape(text)}</th>' for at, text in enumerate(heads)
    )
    body = "\n".join(lines)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _row(cells: Sequence[str], n_words: int, is_marked: bool, begins: bool) -> str:
    looks = [name for name, holds in (("marked", is_marked), ("begin", begins)) if holds]
    style = f' class="{" ".join(looks)}"' if looks else ""
    first, *rest = cells
    written = f'<th scope="row">{escape(first)}</th>' + "".join(
        f"<td{_look(at, n_words)}>{escape(cell)}</td>" for at, cell in enumerate(rest, 1)
    )
    return f"<tr{style}>{written}</tr>"


def _look(at: int, n_words: int) -> str:
    return "" if at < n_words else ' class="number"'
