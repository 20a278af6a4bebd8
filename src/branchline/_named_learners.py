"""Learners by name or as estimators: their labels, and which of them an ensemble can take.

1. A learner is a name of the catalog ("tree"), an unfitted estimator, or a pair (label, learner).
2. Its label is the name, or the class's name in small letters ("decision_tree"); a second one of
   the same label is numbered ("tree_2").
3. Nothing is fitted here: ensembles fit copies.

Trees and boosting take learners by name, too, so this file stands below all rooms: the catalog is
imported when a name is looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from branchline.errors import ParameterError, Repair

__all__ = [
    "Learner",
    "Learners",
    "check_learner",
    "check_learners",
    "is_estimator",
    "label_learners",
    "make_learner",
    "split_pair",
    "takes_weights",
    "without_labels",
]


@dataclass(frozen=True)
class Learner:
    """The constraint of one learner: a name or an estimator (or one of a few other words)."""

    others: tuple[str | None, ...] = ()

    def allows(self, value: Any) -> bool:
        """Whether ``value`` could be a learner."""
        if value is None:
            return None in self.others
        return isinstance(value, str) or is_estimator(value)

    def describe(self) -> str:
        """Say in words what is allowed."""
        others = "".join(f"{other!r}, " for other in self.others)
        return (
            f"{others}the name of a learner (branchline.catalog.names() lists them) or an estimator"
        )


@dataclass(frozen=True)
class Learners:
    """The constraint of a list of learners."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a list of learners, with or without labels."""
        return (
            isinstance(value, list | tuple)
            and len(value) > 0
            and all(_is_learner(split_pair(item)[1]) for item in value)
        )

    def describe(self) -> str:
        """Say in words what is allowed."""
        return (
            "a list of learners, each the name of a learner (branchline.catalog.names() lists "
            "them), an estimator, or a pair of a label and one of these"
        )


def is_estimator(value: Any) -> bool:
    """Whether ``value`` is an estimator that can be copied and fitted (not a class)."""
    able = all(hasattr(value, name) for name in ("fit", "predict", "get_params"))
    return able and not isinstance(value, type)


def _is_learner(value: Any) -> bool:
    return isinstance(value, str) or is_estimator(value)


def split_pair(item: Any) -> tuple[str | None, Any]:
    """Return the label that was given with a learner (None: none), and the learner."""
    if isinstance(item, list | tuple):
        is_pair = len(item) == 2 and isinstance(item[0], str)
        return (item[0], item[1]) if is_pair else (None, None)
    return None, item


def label_learners(learners: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return each learner with its label; labels that were given stay as they are."""
    pairs = [split_pair(item) for item in learners]
    taken = {label for label, _ in pairs if label is not None}
    alike: Counter[str] = Counter()
    labeled = []
    for given, learner in pairs:
        label = given
        while label is None:
            usual = _usual_label(learner)
            alike[usual] += 1
            numbered = usual if alike[usual] == 1 else f"{usual}_{alike[usual]}"
            label = None if numbered in taken else numbered
        labeled.append((label, learner))
    return labeled


def _usual_label(learner: Any) -> str:
    """Return "naive_bayes" for "naive_bayes", "decision_tree" for DecisionTreeClassifier."""
    name = learner if isinstance(learner, str) else type(learner).__name__
    name = re.sub(r"(?<=.)(Classifier|Regressor)$", "", name)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_") or "member"


def make_learner(learner: Any, task: str) -> Any:
    """Return the estimator that a name stands for; an estimator is returned as it is."""
    if not isinstance(learner, str):
        return learner
    from branchline import catalog

    return catalog.make(learner, task=task)


def check_learners(
    owner: str, parameter: str, labeled: Sequence[tuple[str, Any]], task: str
) -> None:
    """Refuse equal labels, unknown names and learners of the other task."""
    labels = Counter(label for label, _ in labeled)
    for label, learner in labeled:
        if labels[label] > 1 or not label or "__" in label:
            why = "is given twice" if labels[label] > 1 else "is empty or has two underscores"
            raise ParameterError(
                f"The {parameter!r} parameter of {owner} labels its learners, but the label "
                f"{label!r} {why}.",
                code="P081",
                values=[label],
                repair=without_labels(parameter),
            )
        check_learner(owner, parameter, learner, task)


def without_labels(parameter: str) -> Repair:
    """Return the repair that leaves the labels to the ensemble."""
    return Repair(
        "without = lambda item: item[1] if isinstance(item, (list, tuple)) else item\n"
        f"model.set_params({parameter}=[without(item) for item in model.{parameter}])"
    )


def check_learner(
    owner: str, parameter: str, learner: Any, task: str, codes: tuple[str, str] = ("P080", "P084")
) -> Any:
    """Return the estimator; refuse a name that is not in the catalog, and the other task.

    Parameters
    ----------
    owner, parameter
        What has the learner as a parameter, for the message.
    learner
        A name or an estimator.
    task
        "classification" or "regression".
    codes
        The codes of the two errors.
    """
    repair = Repair(f"from branchline import catalog\ncatalog.names({task!r})")
    try:
        made = make_learner(learner, task)
    except ParameterError as error:
        raise ParameterError(
            f"The {parameter!r} parameter of {owner} names a learner that cannot be used. "
            f"{error.message}",
            code=codes[0],
            values=[learner],
            repair=repair,
        ) from error
    fits = is_classifier if task == "classification" else is_regressor
    if not fits(made):
        kind = "a classifier" if task == "classification" else "a regressor"
        name = type(made).__name__
        raise ParameterError(
            f"The {parameter!r} parameter of {owner} takes learners for {task}: each must be "
            f"{kind}, but {name} is not.",
            code=codes[1],
            values=[name],
            repair=repair,
        )
    return made


def takes_weights(model: Any) -> bool:
    """Whether a learner, and every learner inside an ensemble, takes ``sample_weight``."""
    if not has_fit_parameter(model, "sample_weight"):
        return False
    made = getattr(model, "_made", None)  # of ensembles: a part as an estimator
    return made is None or all(takes_weights(made(part)) for part in model._parts().values())
