"""What a chart and panels of charts have in common: notebooks, pages and files."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, Literal

from branchline._validation import OneOf, Real, check_parameters
from branchline.charts._png import svg_to_png
from branchline.charts._svg import Theme
from branchline.errors import ParameterError, Repair
from branchline.table.files import replace_file

__all__ = ["Picture", "save_svg"]

_WIDE, _PHONE = 640.0, 350.0


class Picture:
    """Something drawn: shown by notebooks, and saved as SVG, PNG, HTML or PDF."""

    title: str

    def to_svg(self, width: float = _WIDE, theme: Theme = "auto") -> str:
        """Return the picture as SVG."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What the picture shows, for readers who cannot see it."""
        raise NotImplementedError

    def on_page(self) -> str:
        """Return HTML for a page that states ``page_style()``: wide, and narrow for phones."""
        wide, narrow = self.to_svg(860.0, "page"), self.to_svg(_PHONE, "page")
        return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'

    def to_html(self, theme: Theme = "auto") -> str:
        """Return a page of its own: the picture for wide and for small screens, and its words."""
        wide, narrow = self.to_svg(_WIDE, theme), self.to_svg(_PHONE, theme)
        scheme = "light dark" if theme == "auto" else theme
        rules = (
            f":root{{color-scheme:{scheme}}}body{{margin:12px}}.narrow{{display:none}}"
            "@media(max-width:480px){.wide{display:none}.narrow{display:block}}"
            "@media print{:root{color-scheme:light}.wide{display:block}.narrow{display:none}}"
        )
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="color-scheme" content="{scheme}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title or 'Chart')}</title><style>{rules}</style></head>"
            f'<body><div class="wide">{wide}</div>'
            f'<div class="narrow">{narrow}</div></body></html>\n'
        )

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%">{self.to_svg()}</div>'

    def save(
        self,
        path: str | Path,
        *,
        width: float = _WIDE,
        theme: Literal["auto", "light", "dark"] | None = None,
        zoom: float = 2.0,
    ) -> None:
        """Write the picture to a file; its ending chooses the format: svg, png, html or pdf.

        Parameters
        ----------
        path
            The file; it is replaced if it exists.
        width
            The width in pixels for which the picture is laid out.
        theme
            "light", "dark", or "auto": the reader's choice, for svg and html. None: "auto" where
            it is possible, else "light".
        zoom
            How many pixels of a PNG a pixel of the layout has.
        """
        check_parameters("save", {"width": width, "zoom": zoom}, _SIZES)
        check_parameters("save", {"theme": theme}, _THEMES)
        ending = Path(path).suffix.lower()
        if ending not in _WRITERS:
            raise _unknown_ending(path)
        content = _WRITERS[ending](self, float(width), theme, float(zoom))
        replace_file(path, lambda file: file.write(content))  # whole, or not at all


_SIZES: dict[str, Any] = {"width": Real(200, 4000), "zoom": Real(0.25, 10)}
_THEMES: dict[str, Any] = {"theme": OneOf((None, "auto", "light", "dark"))}
_NAMES = ".svg, .png, .html or .pdf"


def save_svg(svg: str, path: str | Path, page: Callable[[], str], zoom: float = 2.0) -> None:
    """Write a drawing that exists as SVG, such as a tree: as svg, png, or the page around it.

    See Also
    --------
    page_style : return the rules that a page states once for all charts that were drawn for a page.
    Chart : a chart, as data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline.charts import impurity_curves, save_svg
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "curves.svg"
    >>> save_svg(impurity_curves().to_svg(), path, str)
    >>> path.read_text(encoding="utf-8").count("<svg")
    2
    """
    ending = Path(path).suffix.lower()
    if ending not in {".svg", ".png", ".html"}:
        raise _unknown_ending(path, ".svg, .png or .html")
    if ending == ".png":
        content = svg_to_png(svg, zoom)
    else:
        content = (svg if ending == ".svg" else page()).encode()
    replace_file(path, lambda file: file.write(content))


def _unknown_ending(path: str | Path, known: str = _NAMES) -> ParameterError:
    return ParameterError(
        f"A picture is written as {known}. Got {str(path)!r} instead.",
        code="P371",
        values=[str(path)],
        repair=Repair(f"picture.save({f'{path}.svg'!r})"),
    )


def _svg_file(picture: Picture, width: float, theme: Any, zoom: float) -> bytes:
    return picture.to_svg(width, theme or "auto").encode()


def _html_file(picture: Picture, width: float, theme: Any, zoom: float) -> bytes:
    return picture.to_html(theme or "auto").encode()


def _png_file(picture: Picture, width: float, theme: Any, zoom: float) -> bytes:
    return svg_to_png(picture.to_svg(width, "dark" if theme == "dark" else "light"), zoom)


def _pdf_file(picture: Picture, width: float, theme: Any, zoom: float) -> bytes:
    from branchline.charts._pyplot import to_pdf

    return to_pdf(picture, width)


_WRITERS: dict[str, Callable[[Picture, float, Any, float], bytes]] = {
    ".svg": _svg_file,
    ".png": _png_file,
    ".html": _html_file,
    ".pdf": _pdf_file,
}
