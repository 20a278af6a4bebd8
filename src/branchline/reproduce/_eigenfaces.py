"""Eigenfaces: photographs of faces as sums of 15 axes.

1. 400 photographs of 40 people, 64 × 64 pixels each (Olivetti). The last one of each person is set
   aside.
2. Principal components of the other 360, pixels in their own units. The mean and 15 axes are drawn
   as images.
3. The photographs set aside are rebuilt from 15 numbers each: what is left is their error. It must
   be smaller than that of the mean face, which is the answer with no axis at all.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import percent
from branchline._validation import Flag, Given, check_parameters, check_seed
from branchline.charts import Images
from branchline.projection import PCA
from branchline.reproduce._drawn import DrawnReproduction, claim, images_of

__all__ = ["eigenfaces"]

_N_AXES, _SIDE, _EACH = 15, 64, 10
_COLUMNS = 8


def eigenfaces(
    data: str | os.PathLike[str] | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> DrawnReproduction:
    """Draw 15 eigenfaces, and faces that were not used, rebuilt from 15 numbers each.

    Parameters
    ----------
    data
        The file olivettifaces.mat, its folder, or the folder around it; None (default): the folder
        that the environment variable BRANCHLINE_DATA names.
    quick
        Photographs of 32 × 32 pixels. Default False.
    random_state
        The seed of the test of how many axes there are. Default 0.
    tell
        Called with a sentence when the axes are found. Default None: nothing is called.

    See Also
    --------
    DrawnReproduction : a published picture, made anew.
    """
    rules: dict[str, Any] = {"data": Given((str, os.PathLike), "a folder"), "quick": Flag()}
    check_parameters("eigenfaces", {"data": data, "quick": quick}, rules)
    faces = _faces(images_of("eigenfaces", data, "olivetti", "olivettifaces.mat", {"faces": 4096}))
    faces = faces[:, ::2, ::2] if quick else faces
    rows, is_new = faces.reshape(len(faces), -1), np.arange(len(faces)) % _EACH == _EACH - 1
    model = PCA(_N_AXES, standardize=False, random_state=check_seed(random_state))
    model.fit(rows[~is_new])
    old, new = (model.reconstructed_share(rows[one]) for one in (~is_new, is_new))
    if tell is not None:
        tell(f"{_N_AXES} axes hold {percent(old)} of the variance")
    return DrawnReproduction(
        f"Eigenfaces: {len(faces)} photographs of {faces.shape[1]} × {faces.shape[2]} pixels",
        (
            claim("axes", f"{_N_AXES} axes", len(model.components_) == _N_AXES, f"{_N_AXES}"),
            claim("new faces", "rebuilt better than by the mean", new > 0, f"{percent(new)} held"),
        ),
        "our own checks; the original is a picture",
        (
            f"{_N_AXES} axes hold {percent(old)} of the variance of {np.sum(~is_new)} photographs "
            f"and {percent(new)} of that of {np.sum(is_new)} others of the same people.",
        ),
        picture=_picture(model, faces, is_new),
    )


def _faces(arrays: dict[str, Any]) -> Floats:
    """Return photographs with their first row of pixels at the top."""
    flat = arrays["faces"].T.astype(np.float64)
    return np.ascontiguousarray(flat.reshape(len(flat), _SIDE, _SIDE).transpose(0, 2, 1))


def _picture(model: PCA, faces: Floats, is_new: Any) -> Images:
    """Return the mean face, the axes, and some new faces above what is made of them."""
    shape = faces.shape[1:]
    mean = model.inverse_transform(np.zeros((1, _N_AXES)))[0]
    axes = [direction.reshape(shape) for direction in model.components_]
    some = faces[is_new][:: max(1, int(np.sum(is_new)) // _COLUMNS)][:_COLUMNS]
    rebuilt = model.inverse_transform(model.transform(some.reshape(len(some), -1)))
    images = [mean.reshape(shape), *axes, *some, *(one.reshape(shape) for one in rebuilt)]
    captions = ["mean", *(f"axis {at + 1}" for at in range(_N_AXES))]
    captions += ["new face"] * len(some) + ["rebuilt"] * len(some)
    note = (
        "Each image reaches from black to white on a scale of its own. First axes show where "
        "photographs differ most, such as light from the side; they need not concern who is "
        "shown."
    )
    return Images(tuple(images), tuple(captions), _COLUMNS, "Faces as sums of 15 axes", note)
