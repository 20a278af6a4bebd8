"""Estimators with parameters drawn from what each says it allows."""

import random
from typing import Any

from sklearn.base import clone

from branchline._validation import AnyOf, Flag, OneOf, Real, Whole
from branchline.features._selector import Selector
from common.estimators import ESTIMATORS

__all__ = ["random_estimator"]

# What takes time, and how much of it is enough.
_AT_MOST = {
    "n_estimators": 12,
    "max_iter": 60,
    "n_restarts": 2,
    "max_epochs": 20,
    "folds": 4,
    "lookahead": 2,  # the time grows with its power, as its page says
}
# Of a search for an optimum: beyond these its time runs out, and the result depends on the machine.
_AT_MOST_IN_A_SEARCH = {"max_depth": 2, "max_rules": 2, "max_conditions": 2, "max_thresholds": 3}
_LEFT_ALONE = {"time_budget", "random_state", "n_jobs", "warm_start", "oob_score"}

# Selectors hand on columns, whatever they hold; files of theirs are tried by model_files.
_NAMES = sorted(name for name in ESTIMATORS if not isinstance(ESTIMATORS[name], Selector))


def random_estimator(rng: random.Random) -> Any:
    """Return an estimator of the library, with up to three parameters changed."""
    model = clone(ESTIMATORS[rng.choice(_NAMES)])
    limits = _AT_MOST | (_AT_MOST_IN_A_SEARCH if hasattr(model, "time_budget") else {})
    names = [name for name in model._constraints if name not in _LEFT_ALONE]
    for name in rng.sample(names, min(len(names), rng.choice([0, 0, 1, 2, 3]))):
        if name not in model.get_params(deep=False):
            continue
        value = _drawn(rng, model._constraints[name], limits.get(name, 20))
        if value is not None:
            model.set_params(**{name: value})
    return model


def _drawn(rng: random.Random, constraint: Any, most: int) -> Any:
    if isinstance(constraint, AnyOf):
        return _drawn(rng, rng.choice(constraint.options), most)
    if isinstance(constraint, OneOf):
        return rng.choice(constraint.choices)
    if isinstance(constraint, Flag):
        return rng.random() < 0.5
    if isinstance(constraint, Whole):
        high = most if constraint.high is None else min(most, constraint.high)
        return rng.randint(constraint.low, max(constraint.low, high))
    if isinstance(constraint, Real):
        low = max(1e-3, float(constraint.low))
        high = min(100.0, float(constraint.high))
        return min(max(low, 10 ** rng.uniform(-3, 2)), high)
    return None
