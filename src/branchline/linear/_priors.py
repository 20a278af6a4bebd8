"""Prior probabilities of classes: as frequent as in the rows, or as the user knows better."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._validation import Given
from branchline.errors import ParameterError, Repair

__all__ = ["PRIORS", "priors_of"]

# The constraint of the parameter ``priors``.
PRIORS = Given((dict,), "a mapping of classes to probabilities")
_ROUNDING = 1e-6


def priors_of(given: dict[Any, Any] | None, classes: npt.NDArray[Any], weight: Floats) -> Floats:
    """Return the prior of each class: its share of the weight, or the given one."""
    if given is None:
        share: Floats = weight / weight.sum()
        return share
    names = classes.tolist()
    try:
        values = np.array([given.get(name, 0.0) for name in names], dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    known = set(given) <= set(names)
    if not known or not (values > 0).all() or abs(values.sum() - 1) > _ROUNDING:
        equal = {name: round(1 / len(names), 6) for name in names[:3]}
        raise ParameterError(
            "The 'priors' parameter must give each class a probability above 0, with a sum of 1. "
            f"The classes are: {', '.join(map(str, names[:20]))}. Got {given!r} instead.",
            code="P060",
            repair=Repair(f"priors = {equal!r}" if len(names) <= 3 else None),
        )
    scaled: Floats = values / values.sum()
    return scaled
