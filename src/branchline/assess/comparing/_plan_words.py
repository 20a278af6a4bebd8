"""A plan in words: what will be done, and how long it will take."""

from branchline._plain_numbers import count
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._plan import Plan

__all__ = ["plan_sentence", "plan_text"]

Size = tuple[int, int, int]  # rows, columns, classes


def plan_text(plan: Plan, size: Size, speed: float = 1.0) -> str:
    """Return a plan as lines; ``speed`` is how much longer fits take than usual."""
    n_rows, n_columns, _ = size
    tuning = "learners as they are"
    if plan.tuning is not None:
        tuning = f"each tuned for {plan.metric} ({plan.tuning} space) inside every training set"
    seconds = speed * plan.estimate_seconds(*size)
    lines = [
        f"task: {plan.task}, {n_rows:,} rows × {count(n_columns, 'column')}",
        f"learners: {', '.join(learner.label for learner in plan.learners)}",
        f"tuning: {tuning}" + ("; thresholds too" if plan.threshold == "tuned" else ""),
        f"testing: {plan.resampling.describe(n_rows)}",
        f"deciding metric: {plan.metric} ({METRICS[plan.metric].title}); "
        f"also {', '.join(plan.metrics[1:]) or 'none'}",
        f"fits: {plan.count_fits(n_rows)}, about {_duration(seconds)} on one core",
    ]
    if plan.time_budget is not None:
        lines.append(f"time: {_budget_words(plan, n_rows, seconds)}")
    return "\n".join(lines)


def plan_sentence(plan: Plan, size: Size) -> str:
    """Return what is begun, in a sentence."""
    n_rows, n_columns, _ = size
    learners, fits = count(len(plan.learners), "learner"), count(plan.count_fits(n_rows), "fit")
    seconds = plan.estimate_seconds(*size)
    about = f"about {_duration(seconds)} on one core"
    if plan.time_budget is not None:
        about = _budget_words(plan, n_rows, seconds)
    how = plan.resampling.describe(n_rows)
    rows = f"{count(n_rows, 'row')} × {count(n_columns, 'input')}"
    return f"Comparing {learners} on {rows}: {how}, {fits}, {about}."


def _budget_words(plan: Plan, n_rows: int, seconds: float) -> str:
    """Say what a budget is enough for, if all fits take so many seconds."""
    assert plan.time_budget is not None
    at_most = f"at most {_duration(plan.time_budget)}"
    n_splits = plan.resampling.count(n_rows)
    able = int(n_splits * plan.time_budget / max(seconds, 1e-9))
    if able >= n_splits:
        return f"{at_most}, which should be enough"
    few = f"about {able}" if able else "not even one"
    return f"{at_most}, on one core enough for {few} of {n_splits} test sets"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
