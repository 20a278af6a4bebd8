"""The few SVG elements a drawing is made of, and the page around them.

Everything that varies is text: it is escaped here and nowhere else. Colors that stand for "ink"
are ``currentColor``: inside a page a drawing takes the page's ink and ground. A file of its own
follows the reader's choice of light or dark, and brings its ground along, because a page that shows
it as an image may have chosen otherwise.
"""

from hashlib import blake2s
from html import escape

__all__ = ["document", "missing_mark", "number", "path", "rect", "text", "text_pair", "title"]

_FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
_LIGHT = "svg:root{color:#1f2328;background:#fff;color-scheme:light dark}"
_DARK = "@media(prefers-color-scheme:dark){svg:root{color:#e6edf3;background:#14181d}}"


def number(value: float) -> str:
    """Write a coordinate with one decimal at most."""
    written = f"{value:.1f}"
    return written.removesuffix(".0") if written != "-0.0" else "0"


def text(x: float, y: float, words: str, look: str = "") -> str:
    """Return a line of text; ``look`` names its styles."""
    styles = f' class="{look}"' if look else ""
    return f'<text x="{number(x)}" y="{number(y)}"{styles}>{escape(words)}</text>'


def rect(x: float, y: float, width: float, height: float, look: str, corner: float = 0) -> str:
    """Return a rectangle."""
    round_corner = f' rx="{number(corner)}"' if corner else ""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}"{round_corner} class="{look}"/>'
    )


def path(steps: str, look: str, stroke_width: float | None = None) -> str:
    """Return a path."""
    styles = f' class="{look}"' if look else ""
    thickness = "" if stroke_width is None else f' stroke-width="{number(stroke_width)}"'
    return f'<path d="{steps}"{styles}{thickness}/>'


def title(lines: list[str]) -> str:
    """Return the words that appear when the pointer rests on an element."""
    return f"<title>{escape(chr(10).join(lines))}</title>"


def document(body: str, width: float, height: float, styles: list[str], caption: str) -> str:
    """Return a whole SVG; its styles hold for it alone, under a name made of its content."""
    size = f"{number(width)} {number(height)}"
    name = "bl-" + blake2s((size + body).encode(), digest_size=5).hexdigest()
    rules = "".join(f"#{name} {style}" for style in styles)  # one selector a style
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {size}" role="img" '
        f'aria-label="{escape(caption)}"><style>'
        f"{_LIGHT}{_DARK}"
        f"#{name}{{font-family:{_FONTS};font-size:11px}}{rules}</style>{body}</svg>"
    )


def text_pair(x: float, y: float, strong: str, weak: str) -> str:
    """Return a line of text that begins in bold."""
    begin = f"<tspan>{escape(strong)}</tspan> " if strong else ""
    return f'<text x="{number(x)}" y="{number(y)}" class="o">{begin}{escape(weak)}</text>'


def missing_mark(x: float, y: float) -> str:
    """Return the diamond that marks the way of missing values."""
    return path(f"M{number(x - 3)} {number(y)}l3-3l3 3l-3 3z", "mark")
