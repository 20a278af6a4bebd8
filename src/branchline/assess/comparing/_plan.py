"""The plan of a comparison: which learners, how tuned, how tested, by what, for how long.

A plan is data. It says how many fits it means before anything is fitted, it is written into every
report, and the same plan on the same rows gives the same numbers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline._base import Estimator
from branchline._validation import AnyOf, Constraint, OneOf, Real, Task, Whole, check_parameters
from branchline.assess._find_metric import find_metric
from branchline.assess.comparing._choices import (
    PREFERENCES,
    THRESHOLDS,
    TUNINGS,
    check_learner_names,
)
from branchline.assess.comparing._resampling import Resampling
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess.comparing._plan_words import Forecast

__all__ = ["FAST", "Learner", "Plan", "make_plan"]

_EVERYWHERE = ("nearest_neighbors", "random_forest", "gradient_boosting")
# What is compared when nothing else is asked for: those of each family that are quick to fit.
FAST: dict[str, tuple[str, ...]] = {
    "classification": (
        *("baseline", "one_rule", "tree", "naive_bayes", "logistic", "lda"),
        *_EVERYWHERE,
    ),
    "regression": ("baseline", "stump", "tree", "ridge", "lasso", "pls", *_EVERYWHERE),
}
_BASELINE = "baseline"
# One bootstrap sample says little: Efron and Tibshirani (1997) draw 50; 25 take as long as 25 folds
# and their mean varies by a fifth of what one sample does.
_USUAL_REPEATS = {"bootstrap": 25}
_USUAL_METRICS = {
    "classification": ("accuracy", "auc", "log_loss"),
    "regression": ("rmse", "mae", "r2"),
}
_CONSTRAINTS: dict[str, Constraint] = {
    "tuning": OneOf((None, *TUNINGS)),
    "n_inner_folds": Whole(2),
    "threshold": OneOf((None, *THRESHOLDS)),
    "time_budget": AnyOf((OneOf((None,)), Real(0.0, low_open=True))),
    "seed": Whole(0, 2**63 - 1),
    "prefer": OneOf(PREFERENCES),
}


@dataclass(frozen=True, eq=False)
class Learner:
    """One row of a comparison: a label, and the catalog's name or an estimator of the user's."""

    label: str
    name: str | None = None
    estimator: Any = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

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


@dataclass(frozen=True, eq=False)
class Plan:
    """What a comparison will do.

    Parameters
    ----------
    task
        "classification" or "regression".
    learners
        What is compared; the baseline is always among them.
    resampling
        How rows are dealt to training and test sets.
    metrics
        What is measured; the first decides.
    tuning
        None: learners as they are. "small", "medium" or "large": each learner's tuning space is
        searched inside every training set, by ``n_inner_folds`` folds.
    n_inner_folds
        Folds of the search inside a training set.
    positive
        The class that precision, recall and the like describe.
    costs
        What it costs to say j when i is true: {(truth, said): cost}.
    threshold
        None: learners decide as they do. "tuned": each that gives probabilities is given a
        threshold, chosen inside every training set by ``n_inner_folds`` folds.
    seed
        What every deal and every learner's randomness depends on.
    time_budget
        Seconds for everything, spent fold by fold over all learners. None: as long as it takes.
    prefer
        What is recommended: "accuracy", "balance" or "simplicity"; see ``compare``.
    """

    task: Task
    learners: tuple[Learner, ...]
    resampling: Resampling = field(default_factory=Resampling)
    metrics: tuple[str, ...] = ("accuracy",)
    tuning: str | None = None
    n_inner_folds: int = 3
    positive: Any = None
    costs: Any = None
    seed: int = 0
    time_budget: float | None = None
    threshold: str | None = None
    prefer: str = "balance"

    @property
    def metric(self) -> str:
        """The metric that decides."""
        return self.metrics[0]

    @property
    def baseline(self) -> str:
        """The label of the baseline."""
        return next(learner.label for learner in self.learners if learner.name == _BASELINE)

    def count_fits(self, n_rows: int) -> int:
        """Return how many models will be fitted on training sets of a table of ``n_rows``."""
        n_splits = self.resampling.count(n_rows)
        return sum(n_splits * self._fits_of(learner) for learner in self.learners)

    def _fits_of(self, learner: Learner) -> int:
        n_searched = self._search_fits_of(learner)
        if self.threshold is None or not learner.gives_probabilities(self.task):
            return n_searched
        return self.n_inner_folds + (1 if n_searched == 1 else 1 + n_searched)

    def _search_fits_of(self, learner: Learner) -> int:
        if self.tuning is None or learner.name is None:
            return 1
        inner = 1 if self.resampling.kind == "three_way" else self.n_inner_folds
        entry = catalog.entry(learner.name)
        n_candidates = entry.count_candidates(self.task, self.tuning)  # type: ignore[arg-type]
        return 1 if n_candidates <= 1 else 1 + inner * n_candidates

    def estimate_seconds(self, n_rows: int, n_columns: int, n_classes: int = 2) -> float:
        """Return roughly how long all fits take, on one core."""
        n_splits = self.resampling.count(n_rows)
        seconds = 0.0
        for learner in self.learners:
            if learner.name is not None:
                cost = catalog.entry(learner.name).costs[self.task]
                once = cost.estimate(n_rows, n_columns, n_classes)
                seconds += once * n_splits * self._fits_of(learner)
        return seconds

    def describe(
        self, n_rows: int, n_columns: int, n_classes: int = 2, forecast: "Forecast | None" = None
    ) -> str:
        """Say in words what will be done."""
        from branchline.assess.comparing._plan_words import plan_text

        return plan_text(self, (n_rows, n_columns, n_classes), forecast)

    def summary(
        self, n_rows: int, n_columns: int, n_classes: int = 2, forecast: "Forecast | None" = None
    ) -> str:
        """Say in a sentence what is begun."""
        from branchline.assess.comparing._plan_words import plan_sentence

        return plan_sentence(self, (n_rows, n_columns, n_classes), forecast)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, ready for JSON."""
        costs = self.costs
        if isinstance(costs, Mapping):
            costs = [[str(truth), str(said), cost] for (truth, said), cost in costs.items()]
        return {
            "task": self.task,
            "learners": [learner.to_dict() for learner in self.learners],
            "resampling": asdict(self.resampling),
            "metrics": list(self.metrics),
            "tuning": self.tuning,
            "n_inner_folds": self.n_inner_folds,
            "positive": None if self.positive is None else str(self.positive),
            "costs": None if costs is None else json.loads(json.dumps(costs, default=list)),
            "threshold": self.threshold,
            "seed": self.seed,
            "time_budget": self.time_budget,
            "prefer": self.prefer,
        }


def make_plan(  # noqa: PLR0913 (every choice a user may make, by name)
    task: Task,
    *,
    learners: Any = "fast",
    resampling: Resampling | str | None = None,
    n_folds: int = 10,
    n_repeats: int | None = None,
    metric: Any = None,
    tuning: str | None = None,
    n_inner_folds: int = 3,
    positive: Any = None,
    costs: Any = None,
    threshold: str | None = None,
    seed: int = 0,
    time_budget: float | None = None,
    prefer: str = "balance",
) -> Plan:
    """Check every choice and return the plan; see ``compare`` for what each means."""
    choices = {
        "tuning": tuning,
        "n_inner_folds": n_inner_folds,
        "threshold": threshold,
        "time_budget": time_budget,
        "seed": seed,
        "prefer": prefer,
    }
    check_parameters("compare", choices, _CONSTRAINTS)
    if not isinstance(resampling, Resampling):
        kind = resampling or "folds"
        times = _USUAL_REPEATS.get(kind, 1) if n_repeats is None else n_repeats
        resampling = Resampling(kind, n_folds=n_folds, n_repeats=times)
    return Plan(
        task,
        choose_learners(learners, task),
        resampling,
        _metrics(metric, task, costs),
        tuning,
        int(n_inner_folds),
        positive,
        costs,
        int(seed),
        None if time_budget is None else float(time_budget),
        threshold,
        prefer,
    )


def choose_learners(learners: Any, task: Task) -> tuple[Learner, ...]:
    """Return the learners that are asked for: "fast", "all", names, estimators, or a mapping."""
    if isinstance(learners, str):
        learners = _names(learners, task)
    pairs = learners.items() if isinstance(learners, Mapping) else [(None, one) for one in learners]
    chosen = [_learner(label, given, task) for label, given in pairs]
    if not any(learner.name == _BASELINE for learner in chosen):
        chosen.insert(0, Learner(_BASELINE, _BASELINE))
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
    if words == "all":
        # A learner of two classes only is another one at another threshold: that is asked for.
        return [name for name in catalog.names(task) if catalog.entry(name).most_classes is None]
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


def _metrics(metric: Any, task: Task, costs: Any) -> tuple[str, ...]:
    """Return the metrics: the deciding one first, then the usual ones."""
    asked = [metric] if metric is None or isinstance(metric, str) else list(metric)
    if metric is None and costs is not None:
        asked = ["cost"]
    chosen = [find_metric(name, task).name for name in asked]
    return tuple(dict.fromkeys([*chosen, *_USUAL_METRICS[task]]))
