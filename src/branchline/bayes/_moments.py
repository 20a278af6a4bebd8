"""Weight, mean and standard deviation of many numeric columns in each class, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.bayes._class_sums import ClassSums
from branchline.bayes._summary import LEAST_SD, Summary

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
    def of_summaries(places: Sequence[int], summaries: Sequence[Summary | None]) -> "Moments":
        """Return the moments of columns one by one; None is a column that does not vary."""
        pairs = [(p, s) for p, s in zip(places, summaries, strict=True) if s is not None]
        found = [one for _, one in pairs]
        if not found:
            none = np.empty((0, 1))
            return Moments(np.empty(0, dtype=np.intp), none, none, none, np.empty(0))
        return Moments(
            np.array([place for place, _ in pairs], dtype=np.intp),
            np.array([one.weight for one in found]),
            np.array([one.mean for one in found]),
            np.array([one.sd for one in found]),
            np.array([one.overall_sd for one in found]),
        )

    @staticmethod
    def of_sums(
        places: Sequence[int], groups: Sequence[ClassSums], weight_of_unit: float
    ) -> "Moments":
        """Return the moments that the compiled sums gave."""
        units = np.concatenate([sums.units for sums in groups])
        mean = np.concatenate([sums.mean for sums in groups])
        sd = np.concatenate([sums.deviation for sums in groups])
        varies = np.flatnonzero(sd[:, -1] >= LEAST_SD)
        units, mean, sd = units[varies], mean[varies], sd[varies]
        present = units > 0
        return Moments(
            np.asarray(places, dtype=np.intp)[varies],
            units.astype(np.float64) * weight_of_unit,
            np.where(present, mean[:, :-1], mean[:, -1:]),
            np.where(present, sd[:, :-1], sd[:, -1:]),
            sd[:, -1].copy(),
        )
