"""What a model keeps of its errors on rows it had not seen: the ground of prediction intervals.

Cross-validation predicts every training row by a model that was not fitted on it. These pairs of
prediction and truth are attached to the fitted model (``prediction_errors_``) and travel in its
file. ``branchline.assess.uncertainty`` makes them and turns them into intervals.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._dtypes import CLASS_INDEX
from branchline._state import array_from_state, malformed, number_from_state, numbers_from_state

__all__ = ["ClassErrors", "NumberErrors", "PredictionErrors", "errors_from_state"]

Floats: TypeAlias = npt.NDArray[np.float64]
_LONGEST_TEXT = 200


@dataclass(frozen=True, eq=False)
class NumberErrors:
    """Numbers that were predicted out of fold, with the truth.

    Parameters
    ----------
    truth, predicted
        The true number of each row, and the one predicted by a model that had not seen the row.
    weight
        How much each row counts; positive.
    n_effective
        The number of independent rows that tell as much: fewer than there are rows where copies of
        a row or rows of one group err together.
    origin
        How the rows were predicted: "10-fold cross-validation".
    """

    truth: Floats
    predicted: Floats
    weight: Floats
    n_effective: float
    origin: str

    def to_state(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        return {
            "kind": "numbers",
            "truth": self.truth,
            "predicted": self.predicted,
            "weight": self.weight,
            "n_effective": self.n_effective,
            "origin": self.origin,
        }


@dataclass(frozen=True, eq=False)
class ClassErrors:
    """Classes that were predicted out of fold, with the truth.

    Parameters
    ----------
    truth, predicted
        The place of each row's true and predicted class among the model's classes.
    p_truth, p_predicted
        The probability that was given to the true and to the predicted class; None when the learner
        gives no probabilities.
    weight, n_effective, origin
        As in ``NumberErrors``.
    """

    truth: npt.NDArray[np.uint32]
    predicted: npt.NDArray[np.uint32]
    p_truth: Floats | None
    p_predicted: Floats | None
    weight: Floats
    n_effective: float
    origin: str

    def to_state(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        state = {
            "kind": "classes",
            "truth": self.truth,
            "predicted": self.predicted,
            "weight": self.weight,
            "n_effective": self.n_effective,
            "origin": self.origin,
        }
        if self.p_truth is not None:
            state |= {"p_truth": self.p_truth, "p_predicted": self.p_predicted}
        return state


PredictionErrors: TypeAlias = NumberErrors | ClassErrors


def errors_from_state(state: Mapping[str, Any], n_classes: int | None) -> PredictionErrors:
    """Check what a model file keeps; ``n_classes`` is None for a model that predicts numbers."""
    kind = "numbers" if n_classes is None else "classes"
    if state.get("kind") != kind:
        raise malformed("its prediction errors are not of the kind that it predicts")
    weight = array_from_state(state, "weight", np.dtype(np.float64))
    n_rows = len(weight)
    if n_rows == 0 or not (np.isfinite(weight).all() and (weight > 0).all()):
        raise malformed("the weights of prediction errors are not positive numbers")
    about: dict[str, Any] = {"weight": weight, **_size_and_origin(state, n_rows)}
    if n_classes is None:
        found: PredictionErrors = NumberErrors(
            numbers_from_state(state, "truth", length=n_rows),
            numbers_from_state(state, "predicted", length=n_rows),
            **about,
        )
    else:
        places = [_places(state, name, n_rows, n_classes) for name in ("truth", "predicted")]
        found = ClassErrors(*places, *_probabilities(state, n_rows), **about)
    if set(found.to_state()) != set(state):
        raise malformed("prediction errors have values that nothing uses")
    return found


def _size_and_origin(state: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
    n_effective, origin = number_from_state(state, "n_effective"), state.get("origin")
    if not 0 < n_effective <= n_rows * (1 + 1e-9) or not math.isfinite(n_effective):
        raise malformed("the number of independent prediction errors is out of range")
    if not isinstance(origin, str) or len(origin) > _LONGEST_TEXT:
        raise malformed("prediction errors do not say where they come from")
    return {"n_effective": n_effective, "origin": origin}


def _places(state: Mapping[str, Any], name: str, n_rows: int, n_classes: int) -> Any:
    places = array_from_state(state, name, np.dtype(CLASS_INDEX), length=n_rows)
    if not (places < n_classes).all():
        raise malformed(f"{name!r} names a class that the model does not have")
    return places


def _probabilities(state: Mapping[str, Any], n_rows: int) -> list[Floats | None]:
    if "p_truth" not in state:
        return [None, None]
    return [
        numbers_from_state(state, name, length=n_rows, low=0.0, high=1.0)
        for name in ("p_truth", "p_predicted")
    ]
