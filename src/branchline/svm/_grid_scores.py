"""How a cell of a grid is judged: scores of held-out rows against their classes."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn import metrics

from branchline._arrays import Floats

__all__ = ["SCORES"]

Measure = Callable[[npt.NDArray[np.uint32], Floats, Floats], float]


def _accuracy(truth: npt.NDArray[np.uint32], scores: Floats, weights: Floats) -> float:
    return float(np.average(np.argmax(scores, axis=1) == truth, weights=weights))


def _balanced_accuracy(truth: npt.NDArray[np.uint32], scores: Floats, weights: Floats) -> float:
    right = np.argmax(scores, axis=1) == truth
    shares = [
        np.average(right[truth == one], weights=weights[truth == one]) for one in np.unique(truth)
    ]
    return float(np.mean(shares))


def _f1_macro(truth: npt.NDArray[np.uint32], scores: Floats, weights: Floats) -> float:
    predicted = np.argmax(scores, axis=1)
    return float(
        metrics.f1_score(
            truth, predicted, average="macro", sample_weight=weights, zero_division=0.0
        )
    )


def _roc_auc(truth: npt.NDArray[np.uint32], scores: Floats, weights: Floats) -> float:
    if len(np.unique(truth)) < 2 or scores.shape[1] != 2:
        return 0.5
    return float(metrics.roc_auc_score(truth, scores[:, 1], sample_weight=weights))


SCORES: dict[str, Measure] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "f1_macro": _f1_macro,
    "auc": _roc_auc,
}
