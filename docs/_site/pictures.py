"""Pictures in the colors of the page: each SVG that follows the reader's choice becomes two.

Branchline's pictures ask the system for light or dark. A reader of the site may choose otherwise
with the button at the top: the site holds a light and a dark copy and shows the one that fits.
"""

import re
from pathlib import Path
from typing import Any

__all__ = ["setup"]

_DARK = re.compile(r"@media ?\(prefers-color-scheme: ?dark\) ?\{((?:[^{}]*\{[^{}]*\})*)\}")
_IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^"]+\.svg)"[^>]*?>')


def _finish(app: Any, problem: Exception | None) -> None:
    """Write two copies of each picture, and name them in the pages."""
    if problem is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        changed = _IMAGE.sub(lambda match, page=page: _both(match, page), text)
        if changed != text:
            page.write_text(changed, encoding="utf-8")


def _both(match: re.Match[str], page: Path) -> str:
    """Return the image twice, or as it is when the picture has one look only."""
    tag, source = match[0], match[1]
    path = (page.parent / source).resolve()
    if not path.is_file() or "only-light" in tag:
        return tag
    light, dark = (path.with_suffix(f".{look}.svg") for look in ("light", "dark"))
    if not light.is_file():
        drawing = path.read_text(encoding="utf-8")
        if not _DARK.search(drawing):
            return tag
        light.write_text(_DARK.sub("", drawing), encoding="utf-8")
        dark.write_text(_DARK.sub(r"\1", drawing), encoding="utf-8")
    return "".join(_named(tag, source, look) for look in ("light", "dark"))


def _named(tag: str, source: str, look: str) -> str:
    shown = tag.replace(source, source.removesuffix(".svg") + f".{look}.svg")
    if 'class="' in shown:
        return shown.replace('class="', f'class="only-{look} ', 1)
    return shown.replace("<img", f'<img class="only-{look}"', 1)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx to look at the pictures when all pages are written."""
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
