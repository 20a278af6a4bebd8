"""What nodes of a regression tree lose by another measure than squared error.

1. *Absolute error*: a node predicts the weighted median and loses Σ w · |y − median|. Neither
   follows from the children, so both are kept for every node.
2. *Poisson*: a node predicts the mean, as by squared error, and loses half the Poisson deviance,
   Σ w · y · log(y / mean).

Losses are counted in units of the tree's scale (2^exponent), as spreads are in its square.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import malformed, numbers_from_state

__all__ = ["MEASURES", "NodeLosses", "losses_from_state", "pack_losses"]

Floats = npt.NDArray[np.float64]

# How losses of numbers are measured, and how they are named for people.
MEASURES = {
    "squared_error": "squared error",
    "absolute_error": "absolute error",
    "poisson": "half Poisson deviance",
}
_MOST_LOSS = 2.0**62
# A split never loses more than its node; rounding may.
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class NodeLosses:
    """Losses of all nodes, and their medians.

    Parameters
    ----------
    measure
        "absolute_error" or "poisson".
    loss
        A row for each node, a column for each output.
    median
        The same for medians; None by Poisson deviance.
    """

    measure: str
    loss: Floats
    median: Floats | None

    def of_nodes(self, nodes: npt.NDArray[Any]) -> "NodeLosses":
        """Return what some nodes have, in their order."""
        median = None if self.median is None else self.median[nodes]
        return NodeLosses(self.measure, self.loss[nodes], median)


def pack_losses(losses: NodeLosses | None) -> dict[str, Any]:
    """Return the values that make up the losses, by name."""
    if losses is None:
        return {}
    packed: dict[str, Any] = {"measure": losses.measure, "node_loss": np.ravel(losses.loss)}
    if losses.median is not None:
        packed["node_median"] = np.ravel(losses.median)
    return packed


def losses_from_state(
    state: Mapping[str, Any], shape: tuple[int, int], parent: npt.NDArray[Any]
) -> NodeLosses | None:
    """Rebuild the losses of nodes, refusing values that no fit could have produced.

    ``shape`` is the number of nodes and of outputs; ``parent`` is the parent of each node but the
    root.
    """
    if "measure" not in state:
        return None
    measure = state["measure"]
    if not isinstance(measure, str) or measure not in MEASURES or measure == "squared_error":
        raise malformed("'measure' is not a measure of losses")
    length = shape[0] * shape[1]
    loss = numbers_from_state(state, "node_loss", length=length, low=0.0, high=_MOST_LOSS)
    loss = loss.reshape(shape)
    below = np.zeros(shape)
    np.add.at(below, parent, loss[1:])
    is_inner = np.bincount(parent, minlength=shape[0]) > 0
    total = loss.sum(axis=1)
    if (below.sum(axis=1) > total + _SLACK * total.max())[is_inner].any():
        raise malformed("a node loses less than its children")
    median = None
    if measure == "absolute_error":
        median = numbers_from_state(state, "node_median", length=length).reshape(shape)
    return NodeLosses(measure, loss, median)
