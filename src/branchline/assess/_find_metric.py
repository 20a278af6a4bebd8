"""Metrics and positive classes by name; a name that does not exist is refused with the nearest."""

import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from branchline.assess._metric import Metric
from branchline.assess._metrics import METRICS
from branchline.assess._metrics_at import FAMILIES, metric_at, percent_name
from branchline.errors import ParameterError, Repair

__all__ = ["check_metric_name", "check_positive", "find_metric", "nearest_name"]


def find_metric(name: str | None, task: str) -> Metric:
    """Return the metric called ``name``, or the task's usual one."""
    wanted = name or ("accuracy" if task == "classification" else "rmse")
    fitting = [metric.name for metric in METRICS.values() if metric.task == task]
    if wanted in fitting:
        return METRICS[wanted]
    found = _at(wanted)
    if found is not None and found.task == task:
        return found
    raise _no_such_metric(wanted, fitting, f"a metric for {task}")


def check_metric_name(name: str) -> None:
    """Refuse a metric that no task has; for which task it is shows when the target is known."""
    if name not in METRICS and _at(name) is None:
        raise _no_such_metric(name, list(METRICS), "a metric")


def _at(name: Any) -> Metric | None:
    """Return a metric at a share or a threshold; refuse one that is not between 0 and 100 %."""
    found = metric_at(name)
    before, mark, after = str(name).partition("@")
    family = FAMILIES.get(_plain(before))
    if found is not None or not mark or family is None:
        return found
    example = f"{family.name}@{percent_name(family.usual)}"
    raise ParameterError(
        f"{name!r} is not a metric: after the @ stands {family.what}, between 0 and 100 %. "
        f"Got {after!r}.",
        code="P350",
        values=[name],
        repair=Repair(f"metric={example!r}", f"--metric {example}"),
    )


def _no_such_metric(name: Any, known: list[str], what: str) -> ParameterError:
    near = nearest_name(name, known)
    hint = f" Did you mean {near!r}?" if near else ""
    return ParameterError(
        f"{name!r} is not {what}.{hint} Those that are: {', '.join(known)}.",
        code="P011",
        values=[name],
        repair=Repair(f"metric={near or known[0]!r}", f"--metric {near or known[0]}"),
    )


def nearest_name(name: Any, known: Sequence[str], cutoff: float = 0.5) -> str | None:
    """Return the name that was probably meant: capitals and hyphens do not matter."""
    plain = {_plain(one): one for one in reversed(known)}
    near = get_close_matches(_plain(name), plain, n=1, cutoff=cutoff)
    return plain[near[0]] if near else None


def _plain(name: Any) -> str:
    return str(name).casefold().replace("-", "_").replace(" ", "_")


def check_positive(metric: Metric, positive: Any, classes: Any) -> int:
    """Return the place of the positive class, or say that one must be named."""
    names: list[Any] = np.asarray(classes).tolist()
    if positive is None and set(names) <= {0, 1}:
        return names.index(1) if 1 in names else len(names) - 1
    if positive in names:
        return names.index(positive)
    as_text = [str(name) for name in names]
    if isinstance(positive, str) and positive in as_text:  # as the command line gives it
        return as_text.index(positive)
    near = None if positive is None else nearest_name(positive, as_text)
    meant = names[-1] if near is None else names[as_text.index(near)]
    classes_are = f"The classes are: {', '.join(repr(name) for name in names)}."
    why = f"{metric.name!r} describes one class: name the positive class."
    if positive is not None:
        hint = "" if near is None else f" Did you mean {meant!r}?"
        why = f"The positive class {positive!r} is not a class of the target.{hint}"
    raise ParameterError(
        f"{why} {classes_are}",
        code="P010",
        repair=Repair(f"positive={meant!r}", f"--positive {shlex.quote(str(meant))}"),
    )
