"""Losses inside, where numbers are in fixed point, and in the units of the target."""

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import Scale, TreeArrays

__all__ = ["scaled", "scaled_loss", "unscaled"]

Floats = npt.NDArray[np.float64]


def scaled(values: Floats, tree: TreeArrays) -> Floats:
    """Return target values in the units in which spreads are counted."""
    return scaled_by(values, tree.scale)


def scaled_by(values: Floats, scale: Scale) -> Floats:
    """Return target values in the units in which trees of a scale count spreads."""
    centered = values - np.asarray(scale.center)
    result: Floats = np.ldexp(centered, -scale.exponent)
    return result


def unscaled(losses: Floats, tree: TreeArrays) -> Floats:
    """Return losses in the user's units: errors as they are, numbers in the target's own units."""
    if tree.is_classification:
        return losses
    with np.errstate(over="ignore", under="ignore"):
        real: Floats = np.ldexp(losses, _power(tree) * tree.scale.exponent)
        return np.minimum(real, float(np.finfo(np.float64).max))


def scaled_loss(loss: float, tree: TreeArrays) -> float:
    """Return a loss that the user gave in the units in which losses are counted inside."""
    if tree.is_classification:
        return loss
    return float(np.ldexp(loss, -_power(tree) * tree.scale.exponent))


def _power(tree: TreeArrays) -> int:
    return 2 if tree.losses is None else 1
