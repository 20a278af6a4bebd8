"""What the parameters of ``ActiveLearner`` may be, and what "auto" stands for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._named_learners import Learner
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    Given,
    OneOf,
    Real,
    Whole,
    known_values,
    task_of,
)
from branchline.active._strategies import OF_CLASSES, OF_NUMBERS
from branchline.errors import ParameterError, Repair

__all__ = ["CONSTRAINTS", "task_of_labels", "usable_strategy"]

_NONE = OneOf((None,))
CONSTRAINTS: dict[str, Constraint] = {
    "estimator": Learner(),
    "strategy": OneOf(("auto", *OF_CLASSES)),
    "batch_size": Whole(1),
    "check_share": Real(0.0, 1.0),
    "diverse": Flag(),
    "classes": AnyOf((_NONE, Given((Sequence, np.ndarray), "a list of all classes"))),
    "task": OneOf((None, "classification", "regression")),
}


def task_of_labels(y: Any, classes: Any) -> str:
    """Return what the known labels suggest; without any, classes are predicted."""
    if classes is not None or y is None:
        return "classification"
    known = known_values(y)
    return task_of(known) if len(known) else "classification"


def usable_strategy(strategy: str, task: str, learner: Any) -> str:
    """Return the strategy; refuse one that the learner or the task does not have."""
    if strategy == "auto":
        if task == "regression" or not hasattr(learner, "predict_proba"):
            return "committee"
        return "margin"
    if strategy in OF_NUMBERS:
        return strategy
    if task == "regression":
        raise _unusable(strategy, "needs classes, and the target is a number")
    if not hasattr(learner, "predict_proba"):
        name = type(learner).__name__
        raise _unusable(strategy, f"needs probabilities, which {name} does not give")
    return strategy


def _unusable(strategy: str, why: str) -> ParameterError:
    return ParameterError(
        f"The strategy {strategy!r} {why}. 'committee' and 'random' need neither.",
        code="P841",
        values=[strategy],
        repair=Repair(
            "learner = ActiveLearner(X, y, strategy='committee')", "--strategy committee"
        ),
    )
