"""SVG as PNG, by resvg (Apache-2.0 or MIT): the same picture in pixels, in a tenth of a second.

A machine without any font would give a picture without words. So a letter is drawn first; where
that leaves no trace, the fonts that matplotlib brings are taken, or the error says what to install.
"""

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

from branchline.errors import BranchlineError, DataError, MissingExtra, Repair

__all__ = ["svg_to_png"]

_COMMAND = "pip install 'branchline[charts]'"
_LETTER = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    '<text x="2" y="16" font-family="sans-serif">{}</text></svg>'
)


def svg_to_png(svg: str, zoom: float = 2.0) -> bytes:
    """Return a drawing as PNG, each of its pixels ``zoom`` pixels wide, on white paper.

    Words without a color of their own are black: on a dark page they need the paper.
    """
    render = _renderer()
    return bytes(render(svg_string=svg, zoom=zoom, background="white", **_fonts()))


def _renderer() -> Any:
    try:
        from resvg_py import svg_to_bytes
    except ImportError as problem:
        raise MissingExtra(
            "Writing a PNG needs the library resvg_py, which is not installed.",
            code="X001",
            repair=Repair(_COMMAND, _COMMAND),
        ) from problem
    return svg_to_bytes


@lru_cache(maxsize=1)
def _fonts() -> dict[str, Any]:
    """Return where fonts are, if the system's are not enough."""
    render = _renderer()
    blank = bytes(render(svg_string=_LETTER.format("")))
    folders = [
        {},
        *(
            {"font_dirs": [str(folder)], "sans_serif_family": "DejaVu Sans"}
            for folder in _matplotlib_fonts()
        ),
    ]
    for options in folders:
        if bytes(render(svg_string=_LETTER.format("M"), **options)) != blank:
            return options
    raise _no_fonts()


def _matplotlib_fonts() -> list[Path]:
    """Return the folder of the fonts that matplotlib brings, without loading it."""
    found = importlib.util.find_spec("matplotlib")
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [folder] if folder.is_dir() else []


def _no_fonts() -> BranchlineError:
    return DataError(
        "This machine has no font, so a PNG would have no words. Install a font, such as Debian's "
        "package fonts-dejavu-core, or save the chart as .svg or .html.",
        code="D480",
        repair=Repair("chart.save('chart.svg')"),
    )
