"""The values of new leaves: exact sums, one tree among several, and rounding to 32 bits."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.boosting._loss_interface import Leaves
from branchline.errors import ParameterError, Repair

__all__ = ["in_32_bits", "leaf_sums", "one_tree", "without_end"]

Floats = npt.NDArray[np.float64]


def one_tree(grown: dict[str, Any], tree: int) -> dict[str, Any]:
    """Return the kinds, columns and leaf weights of one of the trees that were grown."""
    n_leaves = (grown["n_nodes"] + 1) // 2
    node, leaf = int(grown["n_nodes"][:tree].sum()), int(n_leaves[:tree].sum())
    n_nodes, n_own = int(grown["n_nodes"][tree]), int(n_leaves[tree])
    first = node - leaf  # inner nodes before it
    return {
        "kind": grown["kind"][node : node + n_nodes],
        "feature": grown["feature"][first : first + n_nodes - n_own],
        "units": grown["units"][leaf : leaf + n_own],
    }


def in_32_bits(value: Floats, rate: float) -> Floats:
    """Return values as predictions add them."""
    with np.errstate(over="ignore"):
        kept = value.astype(np.float32).astype(np.float64)
    if np.isfinite(kept).all():
        return kept
    raise without_end(rate)


def without_end(rate: float) -> ParameterError:
    """Return the error of scores that grow beyond all numbers."""
    return ParameterError(
        f"With learning_rate={rate:g} scores grow without end: each round makes up for more than "
        "was lacking.",
        code="P156",
        values=[rate],
        repair=Repair("model.set_params(learning_rate=0.1)"),
    )


def leaf_sums(values: npt.NDArray[np.float32], leaves: Leaves) -> Floats:
    """Return the sum of values in each leaf, the same for any order of rows."""
    units = 1 if leaves.units is None else leaves.units
    room = 52 - int(np.max(units)).bit_length() - len(values).bit_length()
    exponent = room - int(np.frexp(np.max(values, initial=np.float32(0)))[1])
    whole = np.rint(np.ldexp(values.astype(np.float64), exponent)) * units
    return np.ldexp(np.bincount(leaves.leaf_of_row, whole, leaves.n_leaves), -exponent)
