"""Weights of classes: how much more an error on one class counts than on another.

The weights multiply the loss of each row; scales, medians and levels of the encoding stay those of
the rows as they are.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._validation import AnyOf, ClassTarget, Given, OneOf
from branchline.errors import ParameterError, Repair

__all__ = ["CLASS_WEIGHT", "weigh_rows"]

# The constraint of the parameter ``class_weight``.
CLASS_WEIGHT = AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes")))


def weigh_rows(weights: Floats, target: ClassTarget, class_weight: Any) -> Floats:
    """Return the rows' weights multiplied by those of their classes."""
    if class_weight is None:
        return weights
    if class_weight == "balanced":
        count = np.bincount(target.class_of_row, weights, minlength=target.n_classes)
        present = np.maximum(count, np.nextafter(0.0, 1.0))
        of_class = weights.sum() / (target.n_classes * present)
    else:
        of_class = _given(target.classes, class_weight)
    weighed: Floats = weights * of_class[target.class_of_row]
    return weighed


def _given(classes: npt.NDArray[Any], class_weight: dict[Any, Any]) -> Floats:
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown:
        raise ParameterError(
            f"The 'class_weight' parameter names {unknown[0]!r}, but the classes are: "
            f"{', '.join(map(str, names[:20]))}.",
            code="P018",
            values=unknown[:5],
        )
    try:
        values = np.array([class_weight.get(name, 1.0) for name in names], dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if not np.isfinite(values).all() or (values <= 0).any():
        raise ParameterError(
            "The 'class_weight' parameter must give each class a finite number above 0. "
            f"Got {class_weight!r} instead.",
            code="P018",
            repair=Repair("model.set_params(class_weight='balanced')"),
        )
    return values
