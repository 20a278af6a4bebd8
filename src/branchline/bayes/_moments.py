"""Weight, mean and standard deviation of many numeric columns in each class, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.bayes._class_sums import ClassSums, moments_of
from branchline.bayes._summary import LEAST_SD
from branchline.bayes._tally import NumberTally

__all__ = ["Moments"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Arrays of columns × classes for the columns that vary, at ``places`` of the table.

    A class without any value has the mean and the deviation of all rows.
    """

    places: npt.NDArray[np.intp]
    weight: Floats
    mean: Floats
    sd: Floats
    overall_sd: Floats

    @staticmethod
    def of_tallies(
        places: Sequence[int], tallies: Sequence[NumberTally], weight_of_unit: float
    ) -> "Moments":
        """Return the moments of columns that were counted one by one."""
        if not tallies:
            none = np.empty((0, 1))
            return Moments(np.empty(0, dtype=np.intp), none, none, none, np.empty(0))
        units = np.array([one.units for one in tallies], dtype=np.int64)
        listed = units.tolist()
        found = [
            [
                *map(moments_of, some, one.firsts, one.seconds),
                moments_of(sum(some), sum(one.firsts), sum(one.seconds)),
            ]
            for one, some in zip(tallies, listed, strict=True)
        ]
        pairs = np.array(found, dtype=np.float64).reshape(len(found), -1, 2)
        return Moments._of_arrays(places, units, pairs[:, :, 0], pairs[:, :, 1], weight_of_unit)

    @staticmethod
    def of_sums(
        places: Sequence[int], groups: Sequence[ClassSums], weight_of_unit: float
    ) -> "Moments":
        """Return the moments that the compiled sums gave."""
        units = np.concatenate([sums.units for sums in groups])
        mean = np.concatenate([sums.mean for sums in groups])
        sd = np.concatenate([sums.deviation for sums in groups])
        return Moments._of_arrays(places, units, mean, sd, weight_of_unit)

    @staticmethod
    def _of_arrays(
        places: Sequence[int],
        units: npt.NDArray[np.int64],
        mean: Floats,
        sd: Floats,
        weight_of_unit: float,
    ) -> "Moments":
        """Return the moments of columns; those of all classes together come last."""
        varies = np.flatnonzero(sd[:, -1:].ravel() >= LEAST_SD)
        units, mean, sd = units[varies], mean[varies], sd[varies]
        present = units > 0
        return Moments(
            np.asarray(places, dtype=np.intp)[varies],
            units.astype(np.float64) * weight_of_unit,
            np.where(present, mean[:, :-1], mean[:, -1:]),
            np.where(present, sd[:, :-1], sd[:, -1:]),
            sd[:, -1].copy(),
        )
