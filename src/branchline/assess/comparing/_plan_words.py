"""A plan in words: what will be done, and how long it will take."""

from dataclasses import dataclass

from branchline._plain_numbers import count
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._plan import Plan
from branchline.features import selector_words

__all__ = ["Forecast", "plan_sentence", "plan_text"]

Size = tuple[int, int, int]  # rows, columns, classes
# Costs of the catalog are rough: twice the time must be there before it is called enough.
_ROOM = 2.0


@dataclass(frozen=True)
class Forecast:
    """What is known of the time before the first fit.

    Parameters
    ----------
    speed
        How many times longer fits take here than the catalog says; None: not measured.
    available
        The seconds of work that a budget leaves for fits, over all processes; None: all of it.
    """

    speed: float | None = None
    available: float | None = None


def plan_text(plan: Plan, size: Size, forecast: Forecast | None = None) -> str:
    """Return a plan as lines."""
    n_rows, n_columns, _ = size
    forecast = forecast or Forecast()
    tuning = "learners as they are"
    if plan.tuning is not None:
        tuning = f"each tuned for {plan.metric} ({plan.tuning} space) inside every training set"
    seconds = (forecast.speed or 1.0) * plan.estimate_seconds(*size)
    lines = [
        f"task: {plan.task}, {n_rows:,} rows × {count(n_columns, 'column')}",
        f"learners: {', '.join(learner.label for learner in plan.learners)}",
        f"tuning: {tuning}" + ("; thresholds too" if plan.tunes_threshold else ""),
        *_choosing(plan),
        f"testing: {plan.resampling.describe(n_rows)}",
        f"deciding metric: {plan.metric} ({METRICS[plan.metric].title}); "
        f"also {', '.join(plan.metrics[1:]) or 'none'}",
        f"fits: {plan.count_fits(n_rows)}, about {_duration(seconds)} on one core",
    ]
    if plan.time_budget is not None:
        lines.append(f"time: {_budget_words(plan, n_rows, seconds, forecast)}")
    return "\n".join(lines)


def _choosing(plan: Plan) -> list[str]:
    """Say how inputs are chosen; nothing where all are used."""
    if plan.select is None:
        return []
    return [
        f"inputs: chosen by {selector_words(plan.select)} inside every training set; the "
        "recommended learner is tested on all inputs, too"
    ]


def plan_sentence(plan: Plan, size: Size, forecast: Forecast | None = None) -> str:
    """Return what is begun, in a sentence."""
    n_rows, n_columns, _ = size
    forecast = forecast or Forecast()
    learners, fits = count(len(plan.learners), "learner"), count(plan.count_fits(n_rows), "fit")
    seconds = (forecast.speed or 1.0) * plan.estimate_seconds(*size)
    about = f"about {_duration(seconds)} on one core"
    if plan.time_budget is not None:
        about = _budget_words(plan, n_rows, seconds, forecast)
    how = plan.resampling.describe(n_rows)
    rows = f"{count(n_rows, 'row')} × {count(n_columns, 'input')}"
    if plan.select is not None:
        how = f"{how}, inputs chosen by {selector_words(plan.select)} in each training set"
    return f"Comparing {learners} on {rows}: {how}, {fits}, {about}."


def _budget_words(plan: Plan, n_rows: int, seconds: float, forecast: Forecast) -> str:
    """Say what a budget is enough for, if all fits together take ``seconds``.

    That it should be enough is said only where the speed was measured and half of it would do.
    """
    assert plan.time_budget is not None
    available = plan.time_budget if forecast.available is None else max(0.0, forecast.available)
    at_most = f"at most {_duration(plan.time_budget)}"
    n_splits = plan.resampling.count(n_rows)
    able = int(n_splits * available / max(seconds, 1e-9))
    if able >= n_splits:
        is_sure = forecast.speed is not None and available >= _ROOM * seconds
        return f"{at_most}, which {'should' if is_sure else 'may'} be enough"
    if able == 0:
        return f"{at_most}, probably too little for one of {n_splits} test sets"
    return f"{at_most}, probably enough for about {able} of {n_splits} test sets"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
