"""What a report must hold so that the same comparison can be made again: its recipe.

1. The options, as the command line remembers them; for a comparison made in Python, those that
   follow from its plan.
2. Each learner with its parameters, the seed, the fingerprint of the rows, the versions. A
   comparison of estimators of the user's own, or one that the command line has no options for, is
   made again by the lines of Python that the report shows; its recipe has the reason instead of
   options.
"""

from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline.assess import Resampling

if TYPE_CHECKING:
    from branchline.assess import Comparison, Learner

__all__ = ["recipe_of"]


def recipe_of(comparison: "Comparison", options: dict[str, Any] | None) -> dict[str, Any]:
    """Return the recipe; ``options`` are those of the command, None without one."""
    plan, problem = comparison.plan, comparison.problem
    why = None if options is not None else _why_not(comparison)
    return {
        "options": options if options is not None or why else _options(comparison),
        "why_not": why,
        "learners": [_learner(one, plan.task) for one in plan.learners],
        "seed": plan.seed,
        "fingerprint": problem.fingerprint,
        "rows": problem.n_rows,
        "is_complete": comparison.is_complete,
    }


def _learner(learner: "Learner", task: Any) -> dict[str, Any]:
    made = learner.estimator
    if made is None and learner.name is not None:
        made = catalog.make(learner.name, task=task)
    parameters = {name: repr(value) for name, value in made.get_params(deep=False).items()}
    return {"label": learner.label, "class": type(made).__name__, "parameters": parameters}


def _why_not(comparison: "Comparison") -> str | None:
    """Return why the command line cannot make the comparison; None when it can."""
    plan, problem = comparison.plan, comparison.problem
    own = [one.label for one in plan.learners if one.estimator is not None or one.label != one.name]
    if own:
        return f"it has estimators or names of your own ({', '.join(own[:5])})"
    resampling = plan.resampling
    usual = Resampling(resampling.kind, resampling.n_folds, resampling.n_repeats)
    if resampling != usual or problem.groups is not None or problem.times is not None:
        return "its rows were split in a way of their own"
    if plan.select is not None and not isinstance(plan.select, str):
        return "its inputs were chosen by a selector that is a Python object"
    if plan.costs is not None:
        return "its costs were given as Python objects"
    return None


def _options(comparison: "Comparison") -> dict[str, Any]:
    """Return the options of the command that makes the same comparison."""
    plan, problem = comparison.plan, comparison.problem
    resampling = plan.resampling
    return {
        "path": "",
        "target": problem.target_name,
        "task": plan.task,
        "learners": ",".join(str(one.name) for one in plan.learners),
        "n_folds": resampling.n_folds,
        "n_repeats": resampling.n_repeats,
        "resampling": None if resampling.kind == "folds" else resampling.kind,
        "metric": ",".join(plan.metrics),
        "tuning": plan.tuning,
        "n_inner_folds": plan.n_inner_folds,
        "select": plan.select,
        "positive": None if plan.positive is None else str(plan.positive),
        "threshold": plan.threshold,
        "random_state": plan.seed,
        "time_budget": None if plan.time_budget is None else f"{plan.time_budget:g}s",
        "prefer": plan.prefer,
        "keep": list(problem.kept),
        "by": list(plan.by),
    }
