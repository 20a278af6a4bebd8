"""Whether more labels are worth it: "label 30 more, then stop", with a band.

1. Models are fitted on the first 20 %, 30 % … 80 % of the labels, in the order of the answers.
2. On rows without a label, today's model sees how much better it is than each of them: the
   mean of its probability of its own class less that of the other model's class; of numbers, the
   mean squared difference, as a share of the error. These gains are far less noisy than scores on
   a few check rows, and they need no label.
3. A power law through these gains tells what is to come (``_power_law``).
4. Without costs: stop when labels for all other rows would gain less than ``negligible``. With
   costs: when further labels cost more than the errors they save.

Below 30 labels, with fewer than three labels per class, or while the model predicts one class for
nearly all rows although others occur, there is too little to tell.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._intervals import Interval
from branchline._validation import Constraint, Real, Whole, check_parameters
from branchline.active._check_score import LEAST_CHECKS, check_score
from branchline.active._fitting import fit_on
from branchline.active._pool import Pool
from branchline.active._power_law import PowerLaw, fit_power_law
from branchline.active._stop_advice import StopAdvice
from branchline.errors import ParameterError, Repair

__all__ = ["advise"]

_SHARES = np.arange(2, 9) / 10
_MOST_MEASURED, _LEAST_MEASURED, _LEAST_CHECKS = 2_000, 50, 20
_LEAST_LABELS, _FOR_EACH_CLASS, _LEAST_SIZES = 30, 3, 3
_N_PLACES = 200
_LEAST_OTHERS = 0.25


def advise(
    learner: Any,
    pool: Pool,
    classes: AnyArray | None,
    *,
    negligible: float,
    costs: tuple[Any, Any, Any],
    batch_size: int,
) -> StopAdvice:
    """Return what further labels are worth."""
    allowed: dict[str, Constraint] = {"negligible": Real(0.0, low_open=True)}
    check_parameters("advice", {"negligible": negligible}, allowed)
    worth = _worth_of_gain(costs, classes)
    score = None
    if len(pool.check_rows) >= LEAST_CHECKS and _can_learn(pool, classes):
        score = check_score(fit_on(learner, pool, pool.training, classes), pool)
    known: dict[str, Any] = {
        "metric": "accuracy" if classes is not None else "rmse",
        "n_labeled": len(pool.answers),
        "n_left": len(pool.left),
        "score": score,
        "negligible": negligible,
    }
    n_needed = _n_needed(pool, classes)
    seen = None if n_needed or not len(pool.left) else _seen_gains(learner, pool, classes, score)
    if seen is None:
        return StopAdvice(**known, n_needed=min(n_needed, known["n_left"]))
    sizes, gains, n_measured = seen
    law = fit_power_law(sizes, gains, len(pool.answers), n_measured)
    found = _suggestion(law, known, batch_size, worth)
    return StopAdvice(**known, **found, seen_sizes=sizes, seen=-gains)


def _can_learn(pool: Pool, classes: AnyArray | None) -> bool:
    known = {pool.answers[row] for row in pool.training.tolist()}
    return len(known) > 1 or (classes is None and len(known) > 0)


def _n_needed(pool: Pool, classes: AnyArray | None) -> int:
    n_classes = 0 if classes is None else len(classes)
    return max(0, max(_LEAST_LABELS, _FOR_EACH_CLASS * n_classes) - len(pool.answers))


def _worth_of_gain(costs: tuple[Any, Any, Any], classes: Any) -> tuple[float, float] | None:
    """Return what a gain of 1 is worth and what a label costs; None without costs."""
    if all(one is None for one in costs):
        return None
    names = ("label_cost", "error_cost", "n_predictions")
    if any(one is None for one in costs) or classes is None:
        why = "All three are needed" if classes is not None else "They are for classes only"
        raise ParameterError(
            f"Costs are label_cost, error_cost and n_predictions. {why}.",
            code="P843",
            repair=Repair(
                "learner.advice(label_cost=1.0, error_cost=5.0, n_predictions=10_000)",
                "--label-cost 1 --error-cost 5 --n-predictions 10000",
            ),
        )
    allowed: dict[str, Constraint] = {
        "label_cost": Real(0.0),
        "error_cost": Real(0.0),
        "n_predictions": Whole(1),
    }
    check_parameters("advice", dict(zip(names, costs, strict=True)), allowed)
    label, error, n_rows = costs
    return float(error) * float(n_rows), float(label)


def _seen_gains(
    learner: Any, pool: Pool, classes: AnyArray | None, score: Interval | None
) -> tuple[Floats, Floats, int] | None:
    """Return sizes of earlier models and the gain that today's model sees; None: cannot tell."""
    rows, measured = pool.rows, pool.left[:_MOST_MEASURED]
    if len(measured) < _LEAST_MEASURED:  # few are left: those with labels are measured as well
        measured = pool.order[:_MOST_MEASURED]
    table = pool.table.rows(measured)
    today = fit_on(learner, pool, rows, classes).outputs(table)
    if classes is not None and _sees_one_class(today, pool, classes):
        return None
    if classes is None and (score is None or score.estimate == 0):
        return None
    sizes, gains = [], []
    for size in np.unique(np.round(_SHARES * len(rows)).astype(int)):
        first = rows[:size]
        if classes is not None and len({pool.answers[row] for row in first.tolist()}) < 2:
            continue
        earlier = fit_on(learner, pool, first, classes).outputs(table)
        sizes.append(float(size))
        gains.append(_gain(earlier, today, score))
    if len(sizes) < _LEAST_SIZES:
        return None
    return np.array(sizes), np.array(gains), len(measured)


def _sees_one_class(today: Floats, pool: Pool, classes: AnyArray) -> bool:
    """Whether the model predicts other classes than the main one far less often than they occur."""
    rows = pool.check_rows if len(pool.check_rows) >= _LEAST_CHECKS else pool.rows
    known = np.unique([pool.answers[row] for row in rows.tolist()], return_counts=True)[1]
    predicted = np.bincount(today.argmax(axis=1), minlength=len(classes))
    others = 1 - predicted.max() / predicted.sum()
    return bool(others == 0 or others < _LEAST_OTHERS * (1 - known.max() / known.sum()))


def _gain(earlier: Floats, today: Floats, score: Interval | None) -> float:
    if today.ndim == 2:
        theirs = today[np.arange(len(today)), earlier.argmax(axis=1)]
        return float(np.mean(today.max(axis=1) - theirs))
    assert score is not None
    return float(np.mean((earlier - today) ** 2)) / (2 * score.estimate**2)


def _suggestion(
    law: PowerLaw, known: dict[str, Any], batch_size: int, worth: tuple[float, float] | None
) -> dict[str, Any]:
    """Return how many more labels are worth it, and what they gain."""
    n, n_left = known["n_labeled"], known["n_left"]
    places = np.unique(np.minimum(n_left, _steps(n_left, batch_size)))
    gains = [law.gain(n, n + step) for step in places]
    if worth is None:
        to_come = [law.gain(n + step, n + n_left) for step in places]
        limit = known["negligible"]
        n_more = [_first(places, [end(one) <= limit for one in to_come]) for end in _ENDS]
    else:
        value, price = worth
        n_more = [int(places[np.argmax([value * end(one) - price * step for one, step
                                        in zip(gains, places, strict=True)])])
                  for end in _ENDS]  # fmt: skip
    batch = min(batch_size, n_left)
    next_gain = law.gain(n, n + batch)
    at = np.unique(np.concatenate([np.linspace(0.2, 1, 17) * n, n + places])).astype(float)
    at = at[at <= n + max(2 * n, n_more[0] * 1.5)]
    return {
        "n_more": n_more[0],
        "n_more_low": min(n_more),
        "n_more_high": max(n_more),
        "gain_next": next_gain,
        "gain_all": law.gain(n, n + n_left),
        "net_next": None if worth is None else _net(next_gain, *worth, batch),
        "curve_sizes": at,
        "curve": _curve(law, at, n),
    }


_ENDS: tuple[Callable[[Interval], float], ...] = (
    lambda one: one.estimate,
    lambda one: one.low,
    lambda one: one.high,
)


def _steps(n_left: int, batch_size: int) -> Floats:
    """Return numbers of further labels, whole batches: each one at first, then by equal ratios."""
    ratios = np.geomspace(1, max(1, n_left / batch_size), _N_PLACES)
    few = np.arange(min(_N_PLACES, n_left // batch_size + 1))
    return np.asarray(batch_size * np.concatenate([few, np.ceil(ratios)])).astype(np.int64)


def _first(places: Any, holds: list[bool]) -> int:
    return int(places[holds.index(True)]) if any(holds) else int(places[-1])


def _net(gain: Interval, value: float, price: float, n_rows: int) -> Interval:
    ends = (value * end - price * n_rows for end in (gain.estimate, gain.low, gain.high))
    return Interval(*ends)


def _curve(law: PowerLaw, at: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    """Return the change of the score against today: low, expected, high."""
    found = [law.gain(n, one) for one in at]
    low, mid, high = np.array([[one.low, one.estimate, one.high] for one in found]).T
    return np.minimum(low, high), mid, np.maximum(low, high)
