"""Metrics that are taken at a share of rows or at a threshold: ``lift@10%``, ``net_benefit@20%``.

1. Gain and lift at a share q: the rows of a test set are ranked by the probability of the positive
   class. Of the first q, a share p is positive; of all rows, a share p₀. The lift is p / p₀: how
   many times as many are found as by picking rows at random. The gain is q p / p₀: the share of all
   positives that is found there. Rows with equal probabilities at the end of the share count in
   part, so their order does not matter. A constant has a lift of 1.
2. Net benefit at a threshold t (Vickers and Elkin, 2006): all rows with a probability of at least t
   are treated. With n rows, TP treated ones that are positive and FP that are not,

       net benefit = TP / n − FP / n · t / (1 − t).

   It is in true positives per row: 0.05 is worth 5 positives found in 100 rows without a single
   false alarm. Who treats from a probability of t on says that a false alarm costs t / (1 − t) of
   what a missed positive costs.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._exact_sum import exact_mean, exact_sum
from branchline._plain_numbers import number
from branchline.assess._metric import Metric
from branchline.assess._outcome import Outcome

__all__ = [
    "FAMILIES",
    "MetricFamily",
    "in_first",
    "metric_at",
    "net_benefits",
    "percent_name",
]

Floats = npt.NDArray[np.float64]
# A score, by how much each row moves it, and how many rows it is a share of.
Deviations: TypeAlias = tuple[float, Floats, float]

_FORM = re.compile(r"(?P<family>[a-z_]+)@(?P<number>\d+(?:\.\d+)?)(?P<percent>%?)")
_TIE = 1e-12  # probabilities that are equal but for rounding


def in_first(probabilities: Floats, share: float) -> Floats:
    """Return how much of each row is among the first ``share`` of rows, the most probable first.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess._metrics_at import in_first
    >>> in_first(np.array([0.9, 0.5, 0.5, 0.1]), 0.5).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    order = np.argsort(-probabilities, kind="stable")
    ranked, n_rows = probabilities[order], len(order)
    begins = np.flatnonzero(np.concatenate([[True], np.diff(ranked) < -_TIE]))
    sizes = np.diff(np.append(begins, n_rows))
    taken = np.clip((share * n_rows - begins) / sizes, 0.0, 1.0)
    parts = np.empty(n_rows)
    parts[order] = np.repeat(taken, sizes)
    return parts


def _gain(outcome: Outcome, share: float) -> float:
    truth = outcome.is_positive.astype(np.float64)
    if not truth.any():
        return math.nan
    parts = in_first(_positive_probabilities(outcome), share)
    return exact_sum(parts * truth) / float(truth.sum())


def _lift(outcome: Outcome, share: float) -> float:
    return _gain(outcome, share) / share


def _gain_of_rows(parts: Sequence[Outcome], share: float) -> Deviations | None:
    """Return the gain of several test sets, each ranked by itself, and what each row adds to it.

    With w the part of a row that is taken, y whether it is positive and T = mean(w y), the gain is
    T / mean(y). How far down the share reaches depends on the rows, too. So a row moves T by
    w (y − r) less the mean of this, r being the share of positives where the taken rows end: the
    slope of the gain between half and one and a half of the share.
    """
    truth = np.concatenate([part.is_positive for part in parts]).astype(np.float64)
    if not truth.any():
        return None
    ends = (share, 0.5 * share, min(1.0, 1.5 * share))
    taken, less, more = (
        np.concatenate([in_first(_positive_probabilities(part), end) for part in parts])
        for end in ends
    )
    rate, found = float(truth.mean()), exact_mean(taken * truth)
    slope = exact_mean((more - less) * truth) / (ends[2] - ends[1])
    of_found = taken * (truth - slope) - (found - slope * exact_mean(taken))
    gain = min(1.0, found / rate)
    return gain, (of_found - gain * (truth - rate)) / rate, float(truth.sum())


def _lift_of_rows(parts: Sequence[Outcome], share: float) -> Deviations | None:
    found = _gain_of_rows(parts, share)
    return None if found is None else (found[0] / share, found[1] / share, found[2])


def _positive_probabilities(outcome: Outcome) -> Floats:
    assert outcome.probabilities is not None
    return outcome.probabilities[:, outcome.positive]


def net_benefits(outcome: Outcome, threshold: float) -> Floats:
    """Return what each row adds to the net benefit of treating from a threshold on."""
    treated = _positive_probabilities(outcome) >= threshold - _TIE
    weight = threshold / (1 - threshold)
    return np.asarray(treated * np.where(outcome.is_positive, 1.0, -weight))


def _net_benefit(outcome: Outcome, threshold: float) -> float:
    return exact_mean(net_benefits(outcome, threshold))


@dataclass(frozen=True)
class MetricFamily:
    """Metrics that differ in their share of rows, or in their threshold.

    Parameters
    ----------
    name
        What stands before the ``@``.
    usual
        The share or the threshold of the name alone.
    make
        Makes the metric at a share or a threshold, with a name.
    what
        What the number after the ``@`` is.
    """

    name: str
    usual: float
    make: Callable[[float, str], Metric]
    what: str


_RANKS: dict[str, Any] = {"needs_positive": True, "needs_probabilities": True, "of_ranks": True}


def _gain_at(share: float, name: str) -> Metric:
    return Metric(
        name,
        "classification",
        partial(_gain, share=share),
        f"share of the positives found in the {percent_name(share)} of rows ranked first",
        deviations=partial(_gain_of_rows, share=share),
        at=share,
        **_RANKS,
    )


def _lift_at(share: float, name: str) -> Metric:
    return Metric(
        name,
        "classification",
        partial(_lift, share=share),
        f"positives in the {percent_name(share)} of rows ranked first, as a multiple of chance",
        highest=1.0 / share,
        negligible=0.1,
        deviations=partial(_lift_of_rows, share=share),
        at=share,
        **_RANKS,
    )


def _net_benefit_at(threshold: float, name: str) -> Metric:
    return Metric(
        name,
        "classification",
        partial(_net_benefit, threshold=threshold),
        f"true positives per row less false alarms, treating from {percent_name(threshold)} on",
        needs_positive=True,
        needs_probabilities=True,
        lowest=-threshold / (1 - threshold),
        negligible=0.005,
        of_rows=partial(net_benefits, threshold=threshold),
        at=threshold,
    )


FAMILIES: dict[str, MetricFamily] = {
    family.name: family
    for family in (
        MetricFamily("gain", 0.1, _gain_at, "a share of rows"),
        MetricFamily("lift", 0.1, _lift_at, "a share of rows"),
        MetricFamily("net_benefit", 0.5, _net_benefit_at, "a threshold"),
    )
}


def percent_name(share: float) -> str:
    """Return a share as it stands in a metric's name: 10%, 2.5%."""
    return f"{number(100 * share, 6)}%"


def metric_at(name: object) -> Metric | None:
    """Return the metric that a name such as ``lift@20%`` or ``lift@0.2`` means; None: no metric.

    Examples
    --------
    >>> from branchline.assess._metrics_at import metric_at
    >>> metric_at("lift@0.2").name, metric_at("lift@200%"), metric_at("auc@10%")
    ('lift@20%', None, None)
    """
    found = _FORM.fullmatch(str(name).strip().casefold().replace("-", "_"))
    if found is None or found["family"] not in FAMILIES:
        return None
    at = float(found["number"]) / (100.0 if found["percent"] else 1.0)
    family = FAMILIES[found["family"]]
    return family.make(at, f"{family.name}@{percent_name(at)}") if 0.0 < at < 1.0 else None
