"""What a hashed model has learned, and its packed form: only weights that are not zero."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST
from branchline._memory import refuse_over_budget
from branchline._state import array_from_state, malformed, number_from_state
from branchline.errors import DataError
from branchline.linear._linear_sums import matrix_from_state

__all__ = ["Learned", "nothing_learned", "pack_learned", "unpack_learned"]

_PLACE = np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class Learned:
    """Weights and constants, one row per sum; steps taken; the loss of rows before learning.

    Parameters
    ----------
    weights, bias
        The sums.
    n_steps
        How many rows were learned from, each pass counted.
    n_scored, loss
        How many rows were predicted before they were learned from, and the sum of their log losses.
    recent
        The mean log loss of the last block of rows.
    """

    weights: Floats
    bias: Floats
    n_steps: int
    n_scored: int
    loss: float
    recent: float


def nothing_learned(n_sums: int, n_features: int) -> Learned:
    """Return weights of zero."""
    refuse_over_budget(3 * 8 * n_sums * n_features, "the weights of all classes")
    return Learned(np.zeros((n_sums, n_features)), np.zeros(n_sums), 0, 0, 0.0, 0.0)


def pack_learned(learned: Learned) -> Mapping[str, Any]:
    """Return what was learned as plain values."""
    places = np.flatnonzero(learned.weights.any(axis=0)).astype(_PLACE)
    return {
        "places": places,
        "weights": np.ascontiguousarray(learned.weights[:, places]),
        "bias": learned.bias,
        "n_steps": learned.n_steps,
        "n_scored": learned.n_scored,
        "loss": learned.loss,
        "recent": learned.recent,
    }


def unpack_learned(state: Any, n_sums: int, n_features: int) -> Learned:
    """Check packed values and return what was learned."""
    names = {"places", "weights", "bias", "n_steps", "n_scored", "loss", "recent"}
    if not isinstance(state, dict) or set(state) != names:
        raise malformed("what was learned lacks a part, or has one too many")
    places = array_from_state(state, "places", _PLACE)
    if len(places) and (places[0] < 0 or places[-1] >= n_features or (np.diff(places) <= 0).any()):
        raise malformed("the places of the weights are not in order, or out of range")
    counts = [state["n_steps"], state["n_scored"]]
    if not all(type(count) is int and 0 <= count < 2**62 for count in counts):
        raise malformed("the rows that were learned from are not counted")
    loss, recent = number_from_state(state, "loss"), number_from_state(state, "recent")
    if not 0 <= loss <= LARGEST or not 0 <= recent <= LARGEST:
        raise malformed("a loss is out of range")
    kept = matrix_from_state(state, "weights", (n_sums, len(places)))
    bias = matrix_from_state(state, "bias", (n_sums,))
    if (np.abs(kept) > LARGEST).any() or (np.abs(bias) > LARGEST).any():
        raise malformed("a weight is larger than any descent makes one")
    try:
        weights = nothing_learned(n_sums, n_features).weights
    except DataError as error:
        raise malformed(f"its weights are too many ({error.message})") from error
    weights[:, places] = kept
    return Learned(weights, bias, counts[0], counts[1], loss, recent)
