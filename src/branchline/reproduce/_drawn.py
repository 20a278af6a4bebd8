"""A reproduction with a picture, and the folders that images are read from."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat

from branchline.charts import Chart, Images, Panels
from branchline.errors import DataError, Repair
from branchline.reproduce._reproduction import Figure, Line, Reproduction

__all__ = ["DrawnReproduction", "claim", "images_of"]

_VARIABLE = "BRANCHLINE_DATA"
Picture = Chart | Images | Panels


@dataclass(frozen=True)
class DrawnReproduction(Reproduction):
    """A published picture, made anew: what is checked, and the picture.

    See Also
    --------
    eigenfaces : draw 15 eigenfaces, and faces that were not used, rebuilt from 15 numbers each.
    image_codes : store an image as codes of its blocks, with 200 and with 4 codes.
    orientation : predict the angle of simulated images from pixels, learned and tuned features.

    Examples
    --------
    >>> from branchline.reproduce import DrawnReproduction, Figure, Line
    >>> line = Line("15 axes", (Figure("share of the variance", 0.82, 0.82, True),))
    >>> len(DrawnReproduction("Faces", (line,), "within 0.01").lines)
    1
    """

    picture: Any = None

    def draw(self) -> Picture:
        """Return the picture."""
        drawn: Picture = self.picture
        return drawn


def claim(name: str, what: str, is_true: bool, ours: str) -> Line:
    """Return a line that checks a statement."""
    said = f"{'yes' if is_true else 'no'}: {ours}"
    return Line(name, (Figure(what, "yes", said, is_true),))


def images_of(
    name: str, given: str | os.PathLike[str] | None, folder: str, file: str, arrays: dict[str, int]
) -> dict[str, npt.NDArray[Any]]:
    """Return arrays of a file of images that is not bundled.

    Parameters
    ----------
    name
        The reproduction.
    given
        The file, its folder, or the folder around it; None: what BRANCHLINE_DATA names.
    folder, file
        What they are called.
    arrays
        The arrays of the file, and how many rows each has.
    """
    outer = given if given is not None else os.environ.get(_VARIABLE)
    places = [] if not outer else [Path(outer), Path(outer) / file, Path(outer) / folder / file]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        where = f"it is not in {str(outer)!r}" if outer else "no folder was given"
        raise DataError(
            f"The images are not bundled: the file {file} is needed, and {where}. The environment "
            f"variable {_VARIABLE} can name the folder too.",
            code="F001",
            repair=Repair(
                f'{name}("{folder}")', flag=f"branchline reproduce {name} --data {folder}"
            ),
        )
    try:
        content = loadmat(found, variable_names=list(arrays))
    except (ValueError, OSError, IndexError, TypeError, NotImplementedError) as problem:
        raise _another_shape(found, arrays) from problem
    if any(key not in content or len(content[key]) != n for key, n in arrays.items()):
        raise _another_shape(found, arrays)
    return {key: np.asarray(content[key]) for key in arrays}


def _another_shape(path: Path, arrays: dict[str, int]) -> DataError:
    wanted = ", ".join(f"{name!r} with {n:,} rows" for name, n in arrays.items())
    return DataError(f"{path}: a file of MATLAB with {wanted} is expected.", code="D720")
