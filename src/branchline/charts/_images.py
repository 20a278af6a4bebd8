"""Gray images in a grid, each with a few words below it: faces, digits, blocks of a photograph.

Pixels are written as PNG inside the SVG, so a picture of many pixels stays one small file.
"""

import base64
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchline._drawing import number, shorten, text, wrapped
from branchline._plain_numbers import joined
from branchline.charts._picture import Picture
from branchline.charts._svg import Theme
from branchline.charts._svg._render import wrap_svg
from branchline.charts._svg._style import SMALL
from branchline.errors import ParameterError, Repair

__all__ = ["Images"]

_MARGIN, _GAP, _LINE, _USUAL = 14.0, 6.0, 15.0, 640.0
_MOST_TOLD = 8  # captions
_FEWEST = 2  # images in a line of a narrow picture


@dataclass(frozen=True, eq=False, repr=False)
class Images(Picture):
    """Gray images in lines, as data: notebooks show them, ``save`` writes them.

    Parameters
    ----------
    images
        Arrays of numbers, the first row at the top; the largest number of an image is white.
    captions
        A few words below each image; empty: none.
    n_columns
        How many images stand in a line; fewer on a phone.
    title, note
        A line above all, and what a reader should know.
    ends
        The numbers that are black and white in every image; None: the least and the largest of
        each image.

    See Also
    --------
    DrawnReproduction : ``draw`` returns it.

    Examples
    --------
    >>> from branchline.charts import Images
    >>> Images(([[0, 1], [1, 0]],), ("a cross",), title="Four pixels").text
    'Four pixels. 1 image of 2 × 2 pixels: a cross.'
    """

    images: tuple[Any, ...]
    captions: tuple[str, ...] = ()
    n_columns: int = 4
    title: str = ""
    note: str = ""
    ends: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        made = tuple(np.asarray(image, dtype=np.float64) for image in self.images)
        is_bad = any(one.ndim != 2 or not one.size or not np.isfinite(one).all() for one in made)
        if not made or is_bad or len(self.captions) not in {0, len(made)}:
            raise ParameterError(
                "Images need arrays of numbers with two dimensions, and one caption for each.",
                code="P742",
                values=[[one.shape for one in made[:3]]],
                repair=Repair("Images((pixels.reshape(64, 64),), ('a face',))"),
            )
        object.__setattr__(self, "images", made)

    def __repr__(self) -> str:
        return f"<Images: {self.title or len(self.images)}>"

    @property
    def text(self) -> str:
        """What the picture shows, for readers who cannot see it."""
        high, wide = self.images[0].shape
        noun = "image" if len(self.images) == 1 else "images"
        told = f"{len(self.images)} {noun} of {high} × {wide} pixels"
        said = joined(list(dict.fromkeys(words for words in self.captions if words)), _MOST_TOLD)
        parts = [self.title, f"{told}: {said}" if said else told, self.note]
        return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)

    def to_svg(self, width: float = _USUAL, theme: Theme = "auto") -> str:
        """Return the images as one SVG."""
        across = min(self.n_columns, max(_FEWEST, round(self.n_columns * width / _USUAL)))
        inside = float(width) - 2 * _MARGIN
        parts, y = [], _MARGIN
        for line in wrapped(self.title, inside, 14.0, bold=True) if theme != "page" else ():
            parts.append(text(_MARGIN, y + 12, line, "ink head"))
            y += 20
        side = (inside - _GAP * (across - 1)) / across
        for begin in range(0, len(self.images), across):
            drawn, high = self._line(range(begin, min(begin + across, len(self.images))), side, y)
            parts += drawn
            y += high
        for line in wrapped(self.note, inside, SMALL) if theme != "page" else ():
            parts.append(text(_MARGIN, y + 12, line, "quiet small"))
            y += _LINE
        return wrap_svg("".join(parts), float(width), y + _MARGIN, self.text, theme)

    def _line(self, places: range, side: float, y: float) -> tuple[list[str], float]:
        """Return images next to each other, and the height of the line."""
        parts, highest = [], 0.0
        for at, place in enumerate(places):
            image = self.images[place]
            x, high = _MARGIN + at * (side + _GAP), side * image.shape[0] / image.shape[1]
            parts.append(
                f'<image x="{number(x)}" y="{number(y)}" width="{number(side)}" '
                f'height="{number(high)}" preserveAspectRatio="none" '
                f'style="image-rendering:pixelated" href="{self._address(image)}"/>'
            )
            if self.captions:
                words = shorten(self.captions[place], side, SMALL)
                parts.append(text(x + side / 2, y + high + 12, words, "quiet small mid"))
            highest = max(highest, high)
        return parts, highest + (_LINE + 4 if self.captions else _GAP)

    def _address(self, image: Any) -> str:
        low, high = self.ends or (float(image.min()), float(image.max()))
        share = np.clip((image - low) / (high - low), 0, 1) if high > low else 0 * image + 0.5
        gray = np.round(255 * share).astype(np.uint8)
        return "data:image/png;base64," + base64.b64encode(_png(gray)).decode()

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return one row for each pixel: image, caption, row, column, value."""
        from branchline.table import need_library

        columns: dict[str, list[Any]] = {
            key: [] for key in ("image", "caption", "row", "column", "value")
        }
        for place, image in enumerate(self.images):
            rows, across = np.indices(image.shape)
            columns["image"] += [place] * image.size
            columns["caption"] += [self.captions[place] if self.captions else ""] * image.size
            columns["row"] += rows.ravel().tolist()
            columns["column"] += across.ravel().tolist()
            columns["value"] += image.ravel().tolist()
        return need_library(library).DataFrame(columns)


def _png(gray: npt.NDArray[np.uint8]) -> bytes:
    """Return gray pixels as a PNG."""
    high, wide = gray.shape
    lines = np.hstack([np.zeros((high, 1), np.uint8), gray]).tobytes()  # each line without a filter
    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    blocks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(blocks)
