"""A drawing: SVG text that a notebook shows and that can be written to a file."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from branchline.errors import ParameterError, Repair

__all__ = ["Drawing"]


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture of a model.

    Parameters
    ----------
    svg
        The picture, as SVG.
    caption
        What it shows, in a few words.
    """

    svg: str
    caption: str = ""

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing: {self.caption}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        # Wide drawings scroll: shrunk to the page, their words would be too small to read.
        return f'<div style="overflow-x:auto;max-width:100%">{self.svg}</div>'

    def to_html(self) -> str:
        """Return a page of its own that shows the drawing."""
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="color-scheme" content="light dark">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{escape(self.caption)}</title></head>"
            f'<body style="margin:16px">{self.svg}</body></html>\n'
        )

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file: .svg, .png, or .html for a page that shows it."""
        ending = Path(path).suffix.lower()
        if ending not in _FORMATS:
            raise ParameterError(
                f"A drawing is written as {' or '.join(_FORMATS)}. Got {str(path)!r} instead.",
                code="P001",
                values=[str(path)],
                repair=Repair(f"drawing.save({f'{path}.svg'!r})"),
            )
        from branchline.charts import save_svg

        save_svg(self.svg, path, self.to_html)  # whole, or not at all


_FORMATS = (".svg", ".png", ".html")
