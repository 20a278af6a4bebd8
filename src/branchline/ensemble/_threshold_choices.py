"""What a threshold needs to know before it is chosen: two classes, which is positive, costs."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._trees._costs import check_costs
from branchline.ensemble._training_rows import TrainingRows
from branchline.errors import ParameterError, Repair

__all__ = [
    "find_costs",
    "find_positive",
    "gives_probabilities",
    "refuse_many_classes",
    "refuse_without_probabilities",
    "rows_of_rarest",
]


def gives_probabilities(learner: Any) -> bool:
    """Whether a learner, fitted or not, has probabilities to put a threshold on."""
    return hasattr(learner, "predict_proba")


def refuse_many_classes(classes: npt.NDArray[Any]) -> None:
    """Refuse more than two classes: one threshold cannot separate them."""
    if len(classes) <= 2:
        return
    raise ParameterError(
        "Only binary classification is supported. A threshold separates two classes, but the "
        f"target has {len(classes)}. A tree with costs={{(truth, predicted): cost}} minimizes the "
        "cost of errors for any number of classes.",
        code="P086",
        values=classes[:5].tolist(),
        repair=Repair(
            "from branchline.tree import DecisionTreeClassifier\n"
            f"model = DecisionTreeClassifier(costs={{{_first_pair(classes)!r}: 5.0}})"
        ),
    )


def _first_pair(classes: npt.NDArray[Any]) -> tuple[Any, Any]:
    first, second = classes[:2].tolist()
    return first, second


def refuse_without_probabilities(learner: Any) -> None:
    """Refuse a learner that decides without probabilities."""
    if gives_probabilities(learner):
        return
    raise ParameterError(
        f"A threshold is put on a probability, but {type(learner).__name__} gives none.",
        code="P087",
        values=[type(learner).__name__],
        repair=Repair("model.set_params(estimator='logistic')"),
    )


def find_positive(rows: TrainingRows, positive: Any) -> int:
    """Return the place of the positive class: of the rarer one when none is named."""
    names = rows.target.classes.tolist()
    if len(names) == 1:  # the class that is named may be missing here
        return 0
    if positive is None:
        weight = np.bincount(rows.target.class_of_row, weights=rows.units, minlength=2)
        return int(np.argmin(weight))
    for place, name in enumerate(names):
        if name == positive:
            return place
    raise ParameterError(
        "The 'positive' parameter of ThresholdClassifier must be one of the classes, "
        f"{names[0]!r} or {names[1]!r}. Got {positive!r} instead.",
        code="P010",
        values=[positive],
        repair=Repair(f"model.set_params(positive={names[1]!r})"),
    )


def find_costs(costs: Any, classes: npt.NDArray[Any]) -> Floats:
    """Return the 2 × 2 costs of errors, rows the truth; 1 for each error when none are given."""
    given = check_costs(costs, classes) if len(classes) == 2 else None
    return 1.0 - np.eye(2) if given is None else given


def rows_of_rarest(rows: TrainingRows) -> int:
    """Return how many rows, copies counted, the rarest of two classes has; 0 for a single class."""
    if len(rows.target.classes) < 2:
        return 0
    return int(np.bincount(rows.target.class_of_row, weights=rows.folds.size, minlength=2).min())
