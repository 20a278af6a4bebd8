"""Targets in a unit that networks learn well, and back.

1. A power of two 2^e brings each output into [−1, 1]; that changes no digit.
2. Its mean c and standard deviation s are taken there; the network learns (y / 2^e − c) / s.
3. A prediction o becomes (c + s o) 2^e, at most the largest float.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._power_of_two import power_of_two_scale
from branchline._state import array_from_state, malformed, numbers_from_state

__all__ = ["TargetScale", "fit_target_scale"]

_EXPONENT = np.dtype(np.int64)
_MOST = 1100
# The key in model files, as the first version wrote it.
_CENTER = "centre"  # words: ok
_LARGEST_FLOAT = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class TargetScale:
    """Where each output lies: its power of two, and mean and spread in that unit."""

    exponent: npt.NDArray[np.int64]
    center: Floats
    spread: Floats

    def shrink(self, targets: Floats) -> Floats:
        """Return targets with mean 0 and standard deviation 1."""
        scaled: Floats = (np.ldexp(targets, -self.exponent) - self.center) / self.spread
        return scaled

    def restore(self, outputs: Floats) -> Floats:
        """Return the outputs of a network in the unit of the targets."""
        with np.errstate(over="ignore"):
            numbers = np.ldexp(self.center + self.spread * outputs, self.exponent)
        return np.clip(numbers, -_LARGEST_FLOAT, _LARGEST_FLOAT)

    def pack(self) -> dict[str, Any]:
        """Return the scale as plain values."""
        return {"exponent": self.exponent, _CENTER: self.center, "spread": self.spread}

    @staticmethod
    def unpack(state: Any) -> "TargetScale":
        """Check packed values and return the scale."""
        if not isinstance(state, Mapping) or set(state) != {"exponent", _CENTER, "spread"}:
            raise malformed("the scale of the target lacks a part, or has one too many")
        exponent = array_from_state(state, "exponent", _EXPONENT)
        if len(exponent) == 0 or exponent.min() < -_MOST or exponent.max() > _MOST:
            raise malformed("an exponent of the target is out of range")
        center = numbers_from_state(state, _CENTER, length=len(exponent), low=-1.0, high=1.0)
        least = np.nextafter(0.0, 1.0)
        spread = numbers_from_state(state, "spread", length=len(exponent), low=least, high=1.0)
        return TargetScale(exponent, center, spread)


def fit_target_scale(targets: Floats) -> TargetScale:
    """Learn the scale of targets, which have a column for each output."""
    exponent = np.array([power_of_two_scale(output) for output in targets.T], dtype=_EXPONENT)
    scaled = np.ldexp(targets, -exponent)
    # Offsets from the least value first: of values that differ little, the mean keeps all digits.
    least = scaled.min(axis=0)
    mean = (scaled - least).mean(axis=0)
    spread = (scaled - least).std(axis=0)
    is_constant = scaled.max(axis=0) == least
    center = np.clip(least + np.where(is_constant, 0.0, mean), -1.0, 1.0)
    return TargetScale(exponent, center, np.where(is_constant | (spread == 0), 1.0, spread))
