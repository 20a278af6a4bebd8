"""The history of self-training as plain values, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import malformed, number_from_state
from branchline.semi._labeling_history import LabelingHistory, LabelingRound

__all__ = ["history_from_state", "history_to_state"]

_FIXED = 3  # counts of a round before those of the classes
_NEVER = 2.0  # a threshold above all probabilities


def history_to_state(history: LabelingHistory) -> dict[str, Any]:
    """Return the rounds as one row of counts each, and the threshold."""
    counts = [[one.n_sure, one.n_labeled, one.n_changed, *one.of_class] for one in history.rounds]
    width = _FIXED + len(history.classes)
    return {
        "rounds": np.array(counts, dtype=np.float64).reshape(-1, width).ravel(),
        "threshold": min(history.threshold, _NEVER),
    }


def history_from_state(state: Mapping[str, Any], classes: npt.NDArray[Any]) -> LabelingHistory:
    """Check packed rounds and return the history."""
    counts, width = state.get("rounds"), _FIXED + len(classes)
    if not isinstance(counts, np.ndarray) or counts.ndim != 1 or len(counts) % width:
        raise malformed("the rounds of self-training are missing")
    is_count = counts.dtype == np.float64 and bool((counts >= 0).all())
    if not is_count or (counts != np.rint(counts)).any() or (counts > 2**40).any():
        raise malformed("the rounds of self-training are not counts")
    rounds = tuple(
        LabelingRound(
            int(row[0]), int(row[1]), int(row[2]), tuple(int(one) for one in row[_FIXED:])
        )
        for row in counts.reshape(-1, width)
    )
    threshold = number_from_state(state, "threshold")
    if not 0 <= threshold <= _NEVER:
        raise malformed("the threshold of self-training is out of range")
    names = tuple(str(name) for name in classes.tolist())
    return LabelingHistory(rounds, names, float("inf") if threshold > 1 else threshold)
