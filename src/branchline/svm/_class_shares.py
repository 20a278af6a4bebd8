"""What share of the unlabeled rows each class has: as among labels, or as the user says."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._validation import ClassTarget, TrainingData
from branchline.errors import ParameterError, Repair

__all__ = ["shares_of_classes"]

# How many standard errors the share of a class may be from its share of the labels.
_ERRORS_AROUND = 0.5


def shares_of_classes(
    wanted: Any, target: ClassTarget, weights: Floats, rows: TrainingData
) -> tuple[Floats, Floats]:
    """Return the share of each class among unlabeled rows, and how far it may be from that."""
    if isinstance(wanted, Mapping):
        shares = _given(wanted, target)
        return shares, np.zeros(len(shares))
    class_of_row = rows.class_target.class_of_row
    counts = np.bincount(class_of_row, weights, minlength=target.n_classes + 1)[: target.n_classes]
    shares = counts / counts.sum()
    if wanted == "labels":
        return shares, np.zeros(len(shares))
    return shares, _ERRORS_AROUND * np.sqrt(shares * (1 - shares) / counts.sum())


def _given(wanted: Mapping[Any, Any], target: ClassTarget) -> Floats:
    """Return the shares that the user gave, in the order of the classes."""
    names = target.classes.tolist()
    values = np.array([_number(wanted.get(name)) for name in names], dtype=np.float64)
    is_share = set(wanted) == set(names) and bool(((values >= 0) & (values <= 1)).all())
    if not is_share or abs(values.sum() - 1) > 1e-6:
        raise ParameterError(
            "class_shares needs a share from 0 to 1 for each class, and they must sum to 1. The "
            f"classes are {', '.join(map(repr, names[:8]))}.",
            code="P821",
            values=[dict(wanted)],
            repair=Repair("model.set_params(class_shares='auto')"),
        )
    return values


def _number(value: Any) -> float:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if is_number else float("nan")
