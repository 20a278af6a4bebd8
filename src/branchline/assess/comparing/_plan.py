"""The plan of a comparison: which learners, how tuned, how tested, by what, for how long.

A plan is data. It says how many fits it means before anything is fitted, it is written into every
report, and the same plan on the same rows gives the same numbers.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline._validation import AnyOf, Constraint, OneOf, Real, Task, Whole, check_parameters
from branchline.assess._find_metric import find_metric
from branchline.assess._keywords import refuse_unknown
from branchline.assess.comparing._choice_costs import choice_seconds
from branchline.assess.comparing._choices import PREFERENCES, THRESHOLDS, TUNINGS
from branchline.assess.comparing._learners import BASELINE, Learner, choose_learners
from branchline.assess.comparing._options import CompareOptions
from branchline.assess.comparing._resampling import Resampling
from branchline.features import check_selector, selector_words

if TYPE_CHECKING:
    from branchline.assess.comparing._plan_words import Forecast

__all__ = ["Plan", "make_plan", "plan_of"]

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
    "random_state": Whole(0, 2**63 - 1),
    "prefer": OneOf(PREFERENCES),
}


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
        How rows are split into training and test sets.
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
        What it costs to predict j when i is true: {(truth, predicted): cost}.
    threshold
        "tuned": each learner that gives probabilities is given a threshold, chosen inside every
        training set by ``n_inner_folds`` folds. "half": learners decide as they do. None: "tuned"
        where costs decide between two classes (``settle_threshold``), else "half".
    seed
        The seed of the folds and of every learner's randomness.
    time_budget
        Seconds for everything, spent fold by fold over all learners. None: as long as it takes.
    prefer
        What is recommended: "accuracy", "balance" or "simplicity"; see ``compare``.
    by
        Columns by whose groups results are shown.
    select
        What chooses inputs inside every training set: a selector or its name. None: all inputs.

    See Also
    --------
    make_plan : check every choice and return the plan.

    Examples
    --------
    >>> from branchline.assess import make_plan
    >>> make_plan("regression", learners="tree", n_folds=5, n_repeats=2).count_fits(100)
    20
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
    by: tuple[str, ...] = ()
    select: Any = None

    @property
    def metric(self) -> str:
        """The metric that decides."""
        return self.metrics[0]

    @property
    def baseline(self) -> str:
        """The label of the baseline."""
        return next(learner.label for learner in self.learners if learner.name == BASELINE)

    @property
    def tunes_threshold(self) -> bool:
        """Whether thresholds are chosen inside training sets."""
        return self.threshold == "tuned"

    def count_fits(self, n_rows: int) -> int:
        """Return how many models will be fitted on training sets of a table of ``n_rows``."""
        n_splits = self.resampling.count(n_rows)
        fits = [self._fits_of(learner) for learner in self.learners]
        # Where inputs are chosen, one learner is fitted on all inputs, too: the recommended one.
        return n_splits * (sum(fits) + (max(fits) if self.select is not None else 0))

    def _fits_of(self, learner: Learner) -> int:
        n_searched = self._search_fits_of(learner)
        if not self.tunes_threshold or not learner.gives_probabilities(self.task):
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
        if self.select is not None:
            size = n_rows, n_columns, n_classes
            seconds += n_splits * choice_seconds(self.select, self.task, size)
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
            costs = [[str(truth), str(guess), cost] for (truth, guess), cost in costs.items()]
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
            "by": list(self.by),
            **({} if self.select is None else {"select": selector_words(self.select)}),
        }


def make_plan(task: Task, **options: Any) -> Plan:
    """Check every choice and return the plan.

    Parameters
    ----------
    task
        "classification" or "regression".
    **options
        Parameters of ``compare``, with the same defaults and meanings.

    See Also
    --------
    Plan : what a comparison will do.

    Examples
    --------
    >>> from branchline.assess import make_plan
    >>> make_plan("classification", learners="tree,logistic", n_folds=5).count_fits(100)
    15
    """
    return plan_of(options_from(options), task)


def options_from(given: Mapping[str, Any]) -> CompareOptions:
    """Return options; refuse names that there are none of."""
    known = [one.name for one in fields(CompareOptions)]
    refuse_unknown("make_plan", given, known)
    return CompareOptions(**given)


def plan_of(options: CompareOptions, task: Task) -> Plan:
    """Return the plan that options ask for."""
    check_parameters(
        "compare", {name: getattr(options, name) for name in _CONSTRAINTS}, _CONSTRAINTS
    )
    resampling = options.chosen_resampling()
    if not isinstance(resampling, Resampling):
        usual = _USUAL_REPEATS.get(resampling, 1)
        n_repeats = usual if options.n_repeats is None else options.n_repeats
        resampling = Resampling(resampling, n_folds=options.n_folds, n_repeats=n_repeats)
    budget = options.time_budget
    return Plan(
        task,
        choose_learners(options.learners, task),
        resampling,
        _metrics(options.metric, task, options.costs),
        options.tuning,
        int(options.n_inner_folds),
        options.positive,
        options.costs,
        int(options.random_state),
        None if budget is None else float(budget),
        options.threshold,
        options.prefer,
        options.columns_by(),
        _checked_selector(options.select),
    )


def _checked_selector(select: Any) -> Any:
    if select is not None:
        check_selector(select)
    return select


def _metrics(metric: Any, task: Task, costs: Any) -> tuple[str, ...]:
    """Return the metrics: the deciding one first, then the usual ones."""
    asked = [metric] if metric is None or isinstance(metric, str) else list(metric)
    if metric is None and costs is not None:
        asked = ["cost"]
    chosen = [find_metric(name, task).name for name in asked]
    return tuple(dict.fromkeys([*chosen, *_USUAL_METRICS[task]]))
