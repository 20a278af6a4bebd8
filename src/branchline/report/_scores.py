"""What a score means for someone who has never heard of the metric."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._plain_numbers import alike, fixed, rounded
from branchline.assess import METRICS, Interval
from branchline.report._words import named

if TYPE_CHECKING:
    from branchline.assess import Comparison

__all__ = ["baseline_sentence", "brief_score", "score_sentence"]

# Metrics that are shares, in words "of a hundred": first for a learner, then for the baseline.
_OF_HUNDRED: dict[str, tuple[str, str]] = {
    "accuracy": ("is right about {0} of 100 new rows", "would be right about {0}"),
    "error": ("is wrong about {0} of 100 new rows", "would be wrong about {0}"),
    "balanced_accuracy": (
        "is right about {0} of 100 rows, each class counting alike",
        "would be right about {0}",
    ),
    "recall": ("finds {0} of 100 rows that are {positive}", "would find {0}"),
    "sensitivity": ("finds {0} of 100 rows that are {positive}", "would find {0}"),
    "specificity": (
        "leaves {0} of 100 rows alone that are not {positive}",
        "would leave {0} alone",
    ),
    "precision": ("is right about {0} of 100 rows that it calls {positive}", ""),
    "r2": ("explains {0} % of the variation of {target}", "would explain {0} %"),
    "auc": ("{pairs} in {0} of 100 pairs", "would in {0}"),
}
_IN_UNITS: dict[str, tuple[str, str]] = {
    "rmse": ("has a root mean squared error (RMSE) of {0}", "has an RMSE of {0}"),
    "mse": ("has a mean squared error of {0}", "has one of {0}"),
    "mae": ("is off by {0} in {target} on average (MAE)", "would be off by {0}"),
    "cost": ("costs {0} per row on average", "would cost {0}"),
}
_NOTHING = 0.005
_IN_PER_CENT = {"accuracy", "error", "recall", "sensitivity", "specificity", "precision", "r2"}


def score_sentence(comparison: "Comparison", interval: Interval, label: str | None = None) -> str:
    """Return what a score means, with its interval, as the rest of a sentence.

    With the label of a learner of numbers it also says how large half of its errors are at most:
    the root of the mean squared error is not the size of a typical error.
    """
    name = comparison.plan.metric
    estimate, low, high = _numbers(name, interval)
    ends = f"(95 % interval: {low} to {high})"
    sentence = _SENTENCES.get(name)
    if sentence is None:
        return f"scores {estimate} in {name} {ends}, the {METRICS[name].title}"
    score = f"{sentence[0].format(estimate, **_about(comparison))} {ends}"
    half = _median(comparison, label)
    return f"{half} and {score}" if half else score


def _median(comparison: "Comparison", label: str | None) -> str:
    if label is None or comparison.problem.classes is not None:
        return ""
    outcome = comparison.outcome(label)
    sizes = np.abs(outcome.truth.astype(np.float64) - outcome.predicted)
    half = rounded(float(np.median(sizes[np.isfinite(sizes)])))
    return f"is off by less than {half} in half of its predictions"


def baseline_sentence(comparison: "Comparison", interval: Interval) -> str:
    """Return what the baseline's score means, to stand after a learner's; nothing without one."""
    name = comparison.plan.metric
    estimate = _numbers(name, interval)[0]
    sentence = _SENTENCES.get(name, ("", "scores {0}"))[1]
    if not sentence or estimate == "–":
        return ""
    if name == "r2" and interval.estimate < _NOTHING:
        return "would explain nothing"
    return sentence.format(estimate)


_SENTENCES = {**_OF_HUNDRED, **_IN_UNITS}


def _numbers(name: str, interval: Interval) -> tuple[str, ...]:
    ends = (interval.estimate, interval.low, interval.high)
    if name in _OF_HUNDRED and all(-10 < end <= 1 for end in ends):
        # Near 0 and 100 one more digit tells apart what else would look the same.
        is_extreme = any(0 < end < 0.02 or 0.98 < end < 1 for end in ends)
        return tuple(fixed(100 * end, 1 if is_extreme else 0) for end in ends)
    if name and METRICS[name].negligible is None:
        return tuple(alike(ends))
    return tuple(fixed(end) if abs(end) < 1e6 else "–" for end in ends)


def _about(comparison: "Comparison") -> dict[str, str]:
    """Return the names that sentences need."""
    positive = ""
    if comparison.problem.classes is not None:
        outcome = comparison.outcome(comparison.best)
        if outcome.positive is not None and outcome.classes is not None:
            positive = named(outcome.classes[outcome.positive])
    pairs = (
        f"ranks a row that is {positive} above one that is not"
        if positive
        else "ranks a row of a class above one of another"
    )
    target = named(comparison.problem.target_name)
    return {"target": target, "positive": positive, "pairs": pairs}


def brief_score(comparison: "Comparison", interval: Interval) -> tuple[str, str]:
    """Return a score and its interval for a tile: in per cent where everyone reads it so."""
    name = comparison.plan.metric
    if name in _IN_PER_CENT:
        estimate, low, high = _numbers(name, interval)
        return f"{estimate} %", f"{low} % to {high} %"
    if METRICS[name].negligible is None:
        estimate, low, high = alike([interval.estimate, interval.low, interval.high])
    else:
        estimate, low, high = _numbers("", interval)
    return estimate, f"{low} to {high}"
