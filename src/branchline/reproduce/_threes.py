"""Handwritten threes on a grid of quantiles of two principal components.

1. The threes of the digits of the US postal service, 16 × 16 pixels each.
2. Principal components, pixels in their own units.
3. A grid of the 5, 25, 50, 75 and 95 % quantiles of the first two. The three nearest to each of the
   25 corners is drawn there: along a line one sees what the axis is.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._plain_numbers import fine_percent
from branchline._validation import Flag, Given, check_parameters, check_seed
from branchline.charts import Images
from branchline.projection import PCA
from branchline.reproduce._drawn import DrawnReproduction, claim, images_of

__all__ = ["threes"]

_SIDE, _LABEL_OF_THREE = 16, 4
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def threes(
    data: str | os.PathLike[str] | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> DrawnReproduction:
    """Draw handwritten threes at the quantiles of their first two principal components.

    Parameters
    ----------
    data
        The file USPS.mat, its folder, or the folder around it; None (default): the folder that the
        environment variable BRANCHLINE_DATA names.
    quick
        Every third digit. Default False.
    random_state
        The seed of the test of how many axes there are. Default 0.
    tell
        Called with a sentence when the axes are found. Default None: nothing is called.

    See Also
    --------
    DrawnReproduction : a published picture, made anew.
    """
    rules: dict[str, Any] = {"data": Given((str, os.PathLike), "a folder"), "quick": Flag()}
    check_parameters("threes", {"data": data, "quick": quick}, rules)
    arrays = images_of("threes", data, "usps", "USPS.mat", {"fea": 11_000, "gnd": 11_000})
    rows = arrays["fea"][arrays["gnd"].ravel() == _LABEL_OF_THREE].astype(np.float64)
    rows = rows[::3] if quick else rows
    model = PCA(2, standardize=False, random_state=check_seed(random_state)).fit(rows)
    places = model.transform(rows)
    if tell is not None:
        tell(model.counts_.verdict())
    corners, chosen = _nearest(places)
    shares = model.explained_variance_ratio_
    return DrawnReproduction(
        f"Handwritten threes: {len(rows):,} images of {_SIDE} × {_SIDE} pixels",
        (
            claim("two axes", "beyond chance", model.counts_.beyond_chance >= 2,
                  f"{fine_percent(shares[0])} and {fine_percent(shares[1])} of the variance"),
            claim("corners", "25 different images", len(set(chosen.tolist())) == len(corners),
                  str(len(set(chosen.tolist())))),
        ),
        "our own checks; the original is a picture",
        (model.counts_.verdict(),),
        picture=_images(rows, chosen),
    )  # fmt: skip


def _nearest(places: Floats) -> tuple[Floats, Places]:
    """Return the corners of the grid, line by line from the top, and the row nearest to each."""
    across, up = np.quantile(places, _QUANTILES, axis=0).T
    corners = np.array([(x, y) for y in up[::-1] for x in across])
    apart = ((places - corners[:, None, :]) ** 2).sum(axis=2)
    return corners, np.asarray(apart.argmin(axis=1))


def _images(rows: Floats, chosen: Places) -> Images:
    words = [f"{round(100 * share)} %" for share in _QUANTILES]
    captions = [f"{x}, {y}" for y in reversed(words) for x in words]
    images = tuple(rows[at].reshape(_SIDE, _SIDE) for at in chosen)
    note = (
        "Below each image: the quantiles of axis 1 (from left to right) and axis 2 (upward) that "
        "it is nearest to. What changes along a line is what the axis means."
    )
    title = "Threes at quantiles of their first two axes"
    return Images(images, tuple(captions), len(words), title, note)
