"""Sums of classes: how many there are, what probabilities they mean, and how they are named.

1. Two classes have one sum s, the log-odds of the second; more have one each.
2. p = 1 / (1 + e^−s), or p_k = e^{s_k} / Σ_l e^{s_l} (softmax).
3. A prediction is explained by the sum of the predicted class less that of the runner-up.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline._arrays import Floats

__all__ = [
    "LARGEST_PART",
    "is_second_likelier",
    "n_sums",
    "probabilities_of",
    "softmax",
    "versus",
    "with_runner_up",
]

# Log-odds as small as this may mean two probabilities of ½.
_NEAR_EVEN = 1e-15
# No sum or share in an explanation counts as larger: a million of them can be added.
LARGEST_PART = float(np.finfo(np.float64).max) / 2**20


def n_sums(n_classes: int) -> int:
    """Return how many sums tell this number of classes apart: one for two."""
    return n_classes if n_classes > 2 else 1


def probabilities_of(scores: Floats, n_classes: int) -> Floats:
    """Return the probability of each class, given the sums of each row."""
    # Differences must be finite.
    scores = np.minimum(np.maximum(scores, -LARGEST_PART), LARGEST_PART)
    if n_classes == 1:
        return np.ones((len(scores), 1))
    if n_classes == 2:
        probabilities = np.empty((len(scores), 2))
        expit(-scores[:, 0], out=probabilities[:, 0])
        expit(scores[:, 0], out=probabilities[:, 1])
        return probabilities
    return softmax(scores)


def is_second_likelier(scores: Floats) -> npt.NDArray[np.bool_]:
    """Return where the second of two classes is likelier, given its log-odds.

    Of log-odds near 0, probabilities may be the same.
    """
    found = scores > 0.0
    near = np.abs(scores) < _NEAR_EVEN
    if near.any():
        found[near] = expit(scores[near]) > expit(-scores[near])
    return np.asarray(found)


def softmax(scores: Floats) -> Floats:
    """Return e^{s_k} / Σ_l e^{s_l} of each row; SciPy's takes longer for a few rows."""
    shares: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def with_runner_up(best: int, sums: Floats) -> tuple[int, int]:
    """Return the place of the predicted class and that of the largest sum among the others."""
    others = np.delete(np.arange(len(sums)), best)
    return best, int(others[np.argmax(sums[others])]) if len(others) else best


def versus(what: str, classes: npt.NDArray[Any], best: int, second: int) -> str:
    """Say what a difference of two sums measures."""
    if best == second:
        return f"{what} of {str(classes[best])!r}, the only class"
    return f"{what} of {str(classes[best])!r} against {str(classes[second])!r}"
