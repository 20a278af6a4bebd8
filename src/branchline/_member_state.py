"""Members inside a model file: each is a whole model, checked as one.

A packed member is its class's name, its parameters and its fitted values. Its columns are those of
the ensemble (or those that a stack gives to its final learner), so the schema is there only once.
A member must do the ensemble's task and know no class that the ensemble does not know. Ensembles
may hold ensembles, at most ``_DEEPEST`` inside each other.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, Estimator, Regressor
from branchline._named_learners import is_estimator
from branchline._saving._classes import name_of
from branchline._saving._read import restore
from branchline._saving._write import parameters_of
from branchline._state import malformed
from branchline.errors import ModelFileError
from branchline.table import Schema

__all__ = ["can_be_packed", "labels_from_state", "member_from_state", "member_to_state"]

_PARTS = {"class": str, "parameters": dict, "fitted": dict}
_DEEPEST = 3


def can_be_packed(member: Any) -> bool:
    """Whether a fitted member, with all that is inside it, is made of our own estimators."""
    try:
        name_of(member)
    except ModelFileError:
        return False
    inside = [
        *getattr(member, "members_", ()),
        *getattr(member, "estimators_", ()),
        getattr(member, "final_", None),
    ]
    return all(can_be_packed(one) for one in inside if is_estimator(one))


def member_to_state(member: Any) -> dict[str, Any]:
    """Return a fitted member as plain values."""
    return {
        "class": name_of(member),
        "parameters": parameters_of(member),
        "fitted": dict(member._pack()),
    }


def member_from_state(state: Any, schema: Schema, classes: npt.NDArray[Any] | None) -> Estimator:
    """Return the fitted member on the columns of ``schema`` that ``state`` describes, checked."""
    _check_shape(state)
    _check_depth(state)
    member = restore(state["class"], state["parameters"], schema.to_json(), state["fitted"])
    if classes is None:
        if not isinstance(member, Regressor):
            raise malformed("a member does not predict numbers")
    elif not isinstance(member, Classifier):
        raise malformed("a member does not predict classes")
    else:
        _check_classes(member, classes)
    return member


def labels_from_state(state: Mapping[str, Any], n_members: int) -> list[str]:
    """Return the labels of the members: texts that all differ."""
    labels = state.get("labels")
    if not isinstance(labels, list) or not all(type(label) is str for label in labels):
        raise malformed("the members have no labels")
    if len(labels) != n_members or len(set(labels)) != n_members:
        raise malformed("there is not one label for each member")
    return labels


def _check_shape(state: Any) -> None:
    if not isinstance(state, dict) or set(state) != set(_PARTS):
        raise malformed("a member lacks a part, or has one too many")
    for name, kind in _PARTS.items():
        if type(state[name]) is not kind:
            raise malformed(f"the part {name!r} of a member is malformed")


def _check_depth(state: dict[str, Any]) -> None:
    """Refuse ensembles in ensembles beyond a depth, before any of them is made."""
    level: list[Any] = [state]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise malformed(f"there are more than {_DEEPEST} ensembles inside each other")


def _inside(state: Any) -> list[Any]:
    fitted = state.get("fitted") if isinstance(state, dict) else None
    if not isinstance(fitted, dict):
        return []
    members = fitted.get("members")
    listed = members if isinstance(members, list) else []
    final = fitted.get("final")
    return [*listed, final] if isinstance(final, dict) else listed


def _check_classes(member: Classifier, classes: npt.NDArray[Any]) -> None:
    known = [(type(name), name) for name in classes.tolist()]
    theirs = [(type(name), name) for name in np.asarray(member.classes_).tolist()]
    if not set(theirs) <= set(known):
        raise malformed("a member knows classes that the ensemble does not know")
