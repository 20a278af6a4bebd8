"""Which label may follow which: pairs that a person forbids, or that training rows do not have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray, Ints
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["ForbiddenTransitions", "allowed_transitions", "refuse_forbidden_training"]

Allowed = npt.NDArray[np.uint8]
UNSEEN = "unseen"


@dataclass(frozen=True)
class ForbiddenTransitions:
    """The constraint of the parameter: None, "unseen", or pairs of labels."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` could be pairs of labels."""
        if value is None or isinstance(value, str):
            return value is None or value == UNSEEN
        if not isinstance(value, list | tuple):
            return False
        return all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value)

    def describe(self) -> str:
        """Say in words what is allowed."""
        return (
            "None, 'unseen', or pairs of labels (before, after); None in place of a label stands "
            "for the start (before) or the end (after) of a sequence"
        )


def allowed_transitions(
    forbidden: Any, classes: AnyArray, class_of_token: npt.NDArray[np.uint32], starts: Ints
) -> Allowed:
    """Return a matrix of which label (row) may be followed by which (column).

    The last row is the start of a sequence, the last column its end.
    """
    n_labels = len(classes)
    allowed = np.ones((n_labels + 1, n_labels + 1), dtype=np.uint8)
    if forbidden is None:
        return allowed
    if isinstance(forbidden, str):
        allowed[:n_labels, :n_labels] = 0
        before, after = _pairs(class_of_token, starts)
        allowed[before, after] = 1
        return allowed
    place = {label: at for at, label in enumerate(classes.tolist())}
    for pair in forbidden:
        allowed[tuple(_place(place, label, n_labels) for label in pair)] = 0
    return allowed


def _place(place: dict[Any, int], label: Any, n_labels: int) -> int:
    if label is None:
        return n_labels
    if label in place:
        return place[label]
    raise ParameterError(
        f"The 'forbidden_transitions' parameter of SequenceLabeler names the label {label!r}, "
        f"which no token has. Labels are {', '.join(repr(one) for one in list(place)[:12])}.",
        code="P870",
        values=[label],
        repair=Repair("model.set_params(forbidden_transitions=None)"),
    )


def _pairs(class_of_token: npt.NDArray[np.uint32], starts: Ints) -> tuple[AnyArray, AnyArray]:
    """Return the labels of tokens and of those that follow them in the same sequence."""
    follows = np.ones(len(class_of_token), dtype=bool)
    follows[starts[:-1]] = False
    after = np.flatnonzero(follows)
    return class_of_token[after - 1], class_of_token[after]


def refuse_forbidden_training(
    allowed: Allowed, classes: AnyArray, class_of_token: npt.NDArray[np.uint32], starts: Ints
) -> None:
    """Refuse training sequences that have a transition that is forbidden."""
    n_labels = len(classes)
    first, last = class_of_token[starts[:-1]], class_of_token[starts[1:] - 1]
    end = np.full(len(first), n_labels)
    before, after = _pairs(class_of_token, starts)
    pairs = np.stack(
        [np.concatenate([before, end, last]), np.concatenate([after, first, end])]
    ).astype(np.intp)
    wrong = np.flatnonzero(allowed[pairs[0], pairs[1]] == 0)
    if len(wrong) == 0:
        return
    names: Sequence[Any] = [*classes.tolist(), None]
    found = dict.fromkeys((names[a], names[b]) for a, b in pairs[:, wrong].T.tolist())
    shown = ", ".join(f"{a!r} before {b!r}" for a, b in list(found)[:5])
    raise DataError(
        f"{len(wrong)} places of the training sequences have a forbidden transition: {shown}.",
        code="D644",
        values=list(found)[:5],
        repair=Repair(
            f"gone = {list(found)!r}\n"
            "model.set_params(forbidden_transitions=[\n"
            "    pair for pair in model.forbidden_transitions if tuple(pair) not in gone\n"
            "])"
        ),
    )
