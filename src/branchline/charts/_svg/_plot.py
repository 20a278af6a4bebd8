"""The inside of a chart: where its axes lie on the page, and how rows of categories stand."""

from dataclasses import dataclass

from branchline.charts._svg._place import Place

__all__ = ["Plot"]


@dataclass(frozen=True, eq=False)
class Plot:
    """The two axes in pixels.

    Parameters
    ----------
    x, y
        Where numbers stand.
    row_height
        The height of a row where the vertical axis has categories, else 0.
    width
        The width of the whole chart.
    is_narrow
        Whether labels of rows stand above them, as on a phone.
    """

    x: Place
    y: Place
    row_height: float = 0.0
    width: float = 0.0
    is_narrow: bool = False
