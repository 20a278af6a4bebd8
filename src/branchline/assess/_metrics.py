"""Metrics by name: what they compare, and for which task (scikit-learn computes them)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn import metrics

from branchline.errors import ParameterError, Repair

__all__ = ["METRICS", "Metric", "check_positive", "find_metric"]


@dataclass(frozen=True)
class Metric:
    """A score of predictions.

    Parameters
    ----------
    name
        How it is asked for.
    task
        "classification" or "regression".
    score
        Computes it from truth and predictions.
    needs_positive
        Whether it describes one class, which must be named.
    lowest, highest
        The worst and the best it can be, or the other way round for errors.
    """

    name: str
    task: str
    score: Callable[..., float]
    needs_positive: bool = False
    lowest: float = 0.0
    highest: float = 1.0


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "classification", metrics.accuracy_score),
        Metric("precision", "classification", metrics.precision_score, needs_positive=True),
        Metric("recall", "classification", metrics.recall_score, needs_positive=True),
        Metric("f1", "classification", metrics.f1_score, needs_positive=True),
        Metric("mae", "regression", metrics.mean_absolute_error, highest=math.inf),
        Metric("rmse", "regression", metrics.root_mean_squared_error, highest=math.inf),
        Metric("r2", "regression", metrics.r2_score, lowest=-math.inf),
    )
}


def find_metric(name: str | None, task: str) -> Metric:
    """Return the metric called ``name``, or the task's usual one."""
    wanted = name or ("accuracy" if task == "classification" else "rmse")
    fitting = [metric.name for metric in METRICS.values() if metric.task == task]
    if wanted in fitting:
        return METRICS[wanted]
    near = get_close_matches(str(wanted), fitting, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(
        f"{wanted!r} is not a metric for {task}.{hint} Those that are: {', '.join(fitting)}.",
        code="P011",
        values=[wanted],
        repair=Repair(
            f"cross_validate(model, X, y, metric={(near or fitting)[0]!r})",
        ),
    )


def check_positive(metric: Metric, positive: Any, classes: Any) -> Any:
    """Return the positive class, or say that one must be named."""
    names = np.asarray(classes).tolist()
    if positive is None and set(names) <= {0, 1}:
        return 1
    if positive in names:
        return positive
    seen = "is not given" if positive is None else f"{positive!r} is not a class"
    raise ParameterError(
        f"{metric.name!r} describes one class, and the positive class {seen}. The classes are: "
        f"{', '.join(repr(name) for name in names)}.",
        code="P010",
        repair=Repair(
            f"cross_validate(model, X, y, metric={metric.name!r}, positive={names[-1]!r})",
        ),
    )
