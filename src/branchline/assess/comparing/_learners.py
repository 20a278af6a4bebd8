"""The learners of a comparison: by name, as estimators, or with labels of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from branchline import catalog
from branchline._base import Estimator
from branchline._validation import Task
from branchline.assess.comparing._choices import check_learner_names
from branchline.errors import ParameterError, Repair

__all__ = ["BASELINE", "FAST", "Learner", "both_choose_one_column", "choose_learners"]

BASELINE = "baseline"
_EVERYWHERE = ("nearest_neighbors", "random_forest", "gradient_boosting")
# What is compared when nothing else is asked for: those of each family that are quick to fit.
FAST: dict[str, tuple[str, ...]] = {
    "classification": (
        *("baseline", "one_rule", "tree", "naive_bayes", "logistic", "lda"),
        *_EVERYWHERE,
    ),
    "regression": ("baseline", "stump", "tree", "ridge", "lasso", "pls", *_EVERYWHERE),
}
# Those that learn from rows without a target, beside learners that do not.
FEW_LABELS = (
    *("baseline", "naive_bayes", "logistic", "nearest_neighbors", "svm", "random_forest"),
    *("self_training", "s3vm", "label_propagation", "label_spreading"),
)


@dataclass(frozen=True, eq=False)
class Learner:
    """One row of a comparison: a label, and the catalog's name or an estimator of the user's.

    See Also
    --------
    Plan : what a comparison will do.
    make_plan : check every choice and return the plan.

    Examples
    --------
    >>> from branchline.assess import Learner
    >>> deep = Learner("deep", "tree", parameters={"prune": None})
    >>> len(deep.parameters)
    1
    """

    label: str
    name: str | None = None
    estimator: Any = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    all_inputs: bool = False  # where a plan chooses inputs: this one gets all of them
    labels_only: bool = False  # where rows have no target: this one does not get them

    def make(self, task: Task, seed: int) -> Any:
        """Return an unfitted estimator."""
        if self.estimator is not None:
            from sklearn.base import clone

            return clone(self.estimator)
        assert self.name is not None
        return catalog.make(self.name, task=task, random_state=seed, n_jobs=1, **self.parameters)

    def gives_probabilities(self, task: Task) -> bool:
        """Whether it gives probabilities, on which a threshold can be put."""
        return hasattr(self.make(task, 0), "predict_proba")

    def to_dict(self) -> dict[str, Any]:
        """Return the learner as plain data."""
        words = None if self.estimator is None else repr(self.estimator)
        return {"label": self.label, "name": self.name, "estimator": words}


def both_choose_one_column(pair: Sequence[Learner], task: Task, *, of_ranks: bool) -> bool:
    """Whether two learners each predict by one column that they choose: stumps, one-rule.

    A constant counts as one where rows are ranked: its AUC has no spread, so that all of the
    difference is the other's.
    """
    others = [one for one in pair if not (of_ranks and one.name == BASELINE)]
    return bool(others) and all(_is_one_test(one.make(task, 0)) for one in others)


def _is_one_test(estimator: Any) -> bool:
    given = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    return bool(given.get("max_depth") == 1 and "n_estimators" not in given)


def choose_learners(learners: Any, task: Task) -> tuple[Learner, ...]:
    """Return the learners that are asked for: a word, names, estimators, or a mapping."""
    if isinstance(learners, str):
        learners = _names(learners, task)
    pairs = learners.items() if isinstance(learners, Mapping) else [(None, one) for one in learners]
    chosen = [_learner(label, given, task) for label, given in pairs]
    if not any(learner.name == BASELINE for learner in chosen):
        chosen.insert(0, Learner(BASELINE, BASELINE))
    labels = [learner.label for learner in chosen]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ParameterError(
            f"Two learners have the label {twice[0]!r}: give them labels of their own.",
            code="P102",
            values=twice,
            repair=Repair("learners = {'first': one, 'second': other}"),
        )
    return tuple(chosen)


def _names(words: str, task: Task) -> Sequence[str]:
    if words == "fast":
        return FAST[task]
    if words == "few_labels":
        return FEW_LABELS
    if words == "all":
        # A learner of two classes only is another one at another threshold: that is asked for. So
        # are learners of unlabeled rows, which without such rows are others once more.
        entries = [catalog.entry(name) for name in catalog.names(task)]
        return [
            one.name
            for one in entries
            if one.most_classes is None and "unlabeled" not in one.handles
        ]
    return check_learner_names(words)


def _learner(label: str | None, given: Any, task: Task) -> Learner:
    if isinstance(given, str):
        name = catalog.entry(given).name
        catalog.make(name, task=task)  # refuses a learner that cannot do the task
        return Learner(label or name, name)
    if not hasattr(given, "fit") or not hasattr(given, "predict"):
        raise ParameterError(
            f"A learner is a name of the catalog or an estimator, not {given!r}.",
            code="P102",
            values=[given],
            repair=Repair("from branchline import catalog\ncatalog.names()", "branchline learners"),
        )
    own = label or (type(given).__name__ if isinstance(given, Estimator) else str(given)[:40])
    return Learner(own, None, given)
