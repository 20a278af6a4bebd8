"""Random estimators on random tables: every promise of the README is held, or an error has a code.

A case is one promise, tried with an estimator, parameters and a table that its number determines.
Children try cases one after another, so crashes and hangs are seen, too. A refusal with a code is
fine; an error without one, a warning of another library and a broken promise are findings.

``python -m fuzz.estimators --seconds 300 --seed 1``, from the folder ``tests``;
``--room branchline.tree`` tries the estimators of one room.
"""

import argparse
import inspect
import pickle
import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import branchline
from branchline.errors import BranchlineError, BranchlineWarning
from common.own_checks import _FIRST_COLUMN_WINS, agree, outputs
from common.tables import kind_of_target
from fuzz.harness import FAILURES, Campaign, Result, main, run, summary
from fuzz.random_estimators import random_estimator
from fuzz.random_tables import random_frame, random_target

__all__ = ["CAMPAIGN", "Case", "attempt", "case"]

_ROUND = 60  # cases between two looks at the clock
_LIMIT = 60.0  # seconds for a case
_MEMORY = 2**32


class Case:
    """An estimator, a table and a target."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"{seed}:{number}")
        self.model = random_estimator(self.rng)
        self.frame = random_frame(self.rng)
        self.y = random_target(self.rng, self.frame, kind_of_target(self.model))
        self.order = np.random.default_rng(self.rng.getrandbits(32)).permutation(len(self.frame))
        self.takes_weights = "sample_weight" in inspect.signature(self.model.fit).parameters

    def fit(self, frame: Any = None, y: Any = None, **options: Any) -> Any:
        """Return a fitted copy of the estimator."""
        frame = self.frame if frame is None else frame
        return clone(self.model).fit(frame, self.y if y is None else y, **options)

    def weights(self, least: int) -> np.ndarray[Any, Any]:
        """Return a whole weight for each row."""
        weights = np.array([self.rng.choice([least, 1, 1, 2, 3]) for _ in range(len(self.y))])
        weights[:2] = 1  # of two classes at least, or there is nothing to tell apart
        return weights

    def __str__(self) -> str:
        kinds = ", ".join(f"{name}: {kind}" for name, kind in self.frame.dtypes.items())
        return f"{self.model!r}\non {len(self.frame)} rows of {kinds[:400]}"


def row_order(case: Case) -> None:
    """Rows in another order."""
    again = case.fit(case.frame.iloc[case.order], case.y[case.order])
    if not case.model._learns_in_sequence:
        for left, right in _both(case, case.fit(), again):
            np.testing.assert_array_equal(left, right)


def copies(case: Case) -> None:
    """A row of weight k, or k rows."""
    if not case.takes_weights:
        return
    weights = case.weights(least=1)
    rows = np.repeat(np.arange(len(weights)), weights)
    repeated = case.fit(case.frame.iloc[rows], case.y[rows])
    _agree(case, case.fit(sample_weight=weights), repeated)


def weight_zero(case: Case) -> None:
    """A row of weight 0, or none."""
    if not case.takes_weights:
        return
    weights = case.weights(least=0)
    kept = weights > 0
    absent = case.fit(case.frame[kept], case.y[kept], sample_weight=weights[kept])
    _agree(case, case.fit(sample_weight=weights), absent)


def column_order(case: Case) -> None:
    """Columns in another order, at the fit and when predictions are made."""
    names = list(case.frame.columns)
    case.rng.shuffle(names)
    fitted = case.fit()
    _same(outputs(fitted, case.frame), outputs(fitted, case.frame[names]))
    if isinstance(case.model, _FIRST_COLUMN_WINS):
        return
    again = case.fit(case.frame[names])
    for left, right in _both(case, fitted, again):
        if left.dtype.kind == "f":
            size = float(np.abs(left).max(initial=1e-300))
            np.testing.assert_allclose(left / size, right / size, rtol=1e-5, atol=1e-5)


def threads(case: Case) -> None:
    """One thread, or several."""
    if "n_jobs" in case.model.get_params():
        one = clone(case.model).set_params(n_jobs=1).fit(case.frame, case.y)
        three = clone(case.model).set_params(n_jobs=3).fit(case.frame, case.y)
        _agree(case, one, three)


def saving(case: Case) -> None:
    """A model from a file, or from a pickle."""
    fitted = case.fit()
    fitted.save("model.branchline")
    for again in (branchline.load("model.branchline"), pickle.loads(pickle.dumps(fitted))):
        for left, right in _both(case, fitted, again):
            np.testing.assert_array_equal(left, right)


def one_by_one(case: Case) -> None:
    """Rows predicted alone, or together."""
    fitted = case.fit()
    table = branchline.Table(case.frame)
    some = range(min(8, table.n_rows))
    rows = [outputs(fitted, table.rows([row])) for row in some]
    for place, together in enumerate(outputs(fitted, table)):
        agree(case.model, together[: len(some)], np.concatenate([one[place] for one in rows]))


def again(case: Case) -> None:
    """A second fit of the same object, and sound numbers."""
    fitted = case.fit()
    before = outputs(fitted, case.frame)
    _same(before, outputs(fitted.fit(case.frame, case.y), case.frame))
    if hasattr(fitted, "predict_proba"):
        probability = fitted.predict_proba(case.frame)
        assert ((probability >= 0) & (probability <= 1)).all(), "probabilities out of range"
        np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-9)


def _same(one: list[Any], other: list[Any]) -> None:
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


def _both(case: Case, one: Any, other: Any) -> list[tuple[Any, Any]]:
    methods = ("transform", "predict_proba", "predict")
    asked = [name for name in methods if hasattr(one, name)]
    return [
        (getattr(one, name)(case.frame), getattr(other, name)(case.frame)) for name in asked[:2]
    ]


def _agree(case: Case, one: Any, other: Any) -> None:
    for left, right in _both(case, one, other):
        if left.dtype.kind == "f":
            agree(case.model, left, right)


PROMISES: dict[str, Callable[[Case], None]] = {
    "row order": row_order,
    "copies": copies,
    "weight 0": weight_zero,
    "columns": column_order,
    "threads": threads,
    "saving": saving,
    "one by one": one_by_one,
    "again": again,
}


def case(seed: int, number: int) -> Case:
    """Return the case of that number."""
    return Case(seed, number)


def attempt(seed: int, number: int) -> str:
    """Try a case: "usable", or "refused" with a code; anything else is raised."""
    made = Case(seed, number)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        warnings.filterwarnings("ignore", "The solver stopped", ConvergenceWarning)  # our own words
        try:
            PROMISES[CAMPAIGN.kind_of(number)](made)
        except BranchlineError as error:
            if error.code:
                return "refused"
            raise
        except Exception as error:
            error.add_note(str(made))
            raise
    return "usable"


CAMPAIGN = Campaign(
    module="fuzz.estimators",
    preload=("branchline", "pandas", "sklearn", "common.estimators"),
    kinds=tuple(PROMISES),
    attempt=attempt,
    prepare=lambda: pd.DataFrame(),
)


def campaign(seconds: float, seed: int, n_workers: int, room: str = "") -> list[Result]:
    """Try cases until the time is over, and tell each finding as it comes."""
    begin, results = time.monotonic(), []
    every = (number for number in count() if room in type(Case(seed, number).model).__module__)
    while time.monotonic() - begin < seconds:
        numbers = list(islice(every, _ROUND))
        found = run(
            CAMPAIGN, numbers, seed=seed, n_workers=n_workers, limit_s=_LIMIT, memory=_MEMORY
        )
        results += found
        for result in found:
            if result.outcome in FAILURES:
                print(f"{result.outcome}: {result.kind}, --seed {seed} --only {result.number}")
                print(result.detail, flush=True)
    return results


def _main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.estimators", add_help=False)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--room", default="", help="only estimators of modules so named: tree")
    given, _ = parser.parse_known_args(arguments)
    if given.seconds is None:  # a number of cases, or one that is repeated
        main(CAMPAIGN, arguments)
        return
    results = campaign(given.seconds, given.seed, given.workers, given.room)
    print(summary(CAMPAIGN, results, given.seed))
    sys.exit(any(result.outcome in FAILURES for result in results))


if __name__ == "__main__":
    _main()
