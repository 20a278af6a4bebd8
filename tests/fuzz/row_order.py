"""Rows in another order change no score, no advice and no choice that a learner makes by itself.

1. A number determines a random table: mixed kinds, missing values, copies of rows; on some tables
   groups, times or whole weights.
2. Each promise computes something on the table and on the same rows in another order:
   ``cross_validate``, ``compare``, a search of the catalog, and every learner that chooses
   something on folds of its own (pruning, strength, k, bandwidth, rounds, threshold, stacking).
3. Scores must be equal to the last bit, and predictions must be those of the same rows; rows that
   are equal, target included, may change places.

``python -m fuzz.row_order --tables 200 --seed 1``, from the folder ``tests``. A refusal must have a
code, and both orders must be refused with the same one.
"""

import argparse
import inspect
import random
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from branchline import Table, catalog, compare, cross_validate
from branchline.boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ResidualBooster,
)
from branchline.ensemble import (
    BayesianAverageClassifier,
    StackingClassifier,
    StackingRegressor,
    ThresholdClassifier,
    VotingClassifier,
    VotingRegressor,
)
from branchline.errors import BranchlineError, BranchlineWarning
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from branchline.linear import (
    PLSDA,
    ElasticNet,
    ForwardStagewise,
    Lasso,
    LogisticRegression,
    PLSRegressor,
    Ridge,
    SubsetSelection,
)
from branchline.neighbors import (
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    ParzenClassifier,
    ParzenRegressor,
)
from branchline.neural import MLPClassifier
from branchline.svm import KernelRidge, SVCGrid
from branchline.tree import CART, DecisionTreeClassifier, DecisionTreeRegressor
from fuzz.harness import FAILURES, Campaign, main, run, summary
from fuzz.random_tables import random_frame, random_target

__all__ = ["CAMPAIGN", "CHOICES", "RandomTable", "attempt"]

_LIMIT = 120.0  # seconds for a case
_MEMORY = 2**32
_N_ROWS = (20, 90)  # smaller tables are refused, larger ones only take longer

# What a learner chooses by itself, on rows that it holds out of its training rows.
CHOICES: dict[str, Any] = {
    "pruning": DecisionTreeClassifier(),
    "pruning of numbers": DecisionTreeRegressor(),
    "pruning by 1-SE": CART(),
    "reduced error": DecisionTreeClassifier(prune="reduced_error"),
    "stopping early": DecisionTreeClassifier(prune=None, stop_by="entropy"),
    "strength of ridge": Ridge(),
    "strength of lasso": Lasso(),
    "strength of elastic net": ElasticNet(),
    "steps": ForwardStagewise(),
    "subset": SubsetSelection(criterion="cv"),
    "components": PLSRegressor(),
    "components of classes": PLSDA(),
    "C": LogisticRegression(),
    "C and gamma": SVCGrid(C=(0.1, 1.0, 10.0), gamma=(0.3, 1.0), n_folds=3),
    "kernel ridge": KernelRidge(),
    "k": NearestNeighborsClassifier(),
    "k of numbers": NearestNeighborsRegressor(),
    "bandwidth": ParzenClassifier(),
    "bandwidth of numbers": ParzenRegressor(),
    "rounds": GradientBoostingClassifier(
        n_estimators=40, learning_rate=0.3, early_stopping=True, patience=3
    ),
    "rounds of numbers": GradientBoostingRegressor(
        n_estimators=40, learning_rate=0.3, early_stopping=True, patience=3
    ),
    "rounds of residuals": ResidualBooster(
        n_estimators=20, learning_rate=0.5, validation_fraction=0.25, patience=2
    ),
    "out of bag": RandomForestClassifier(n_estimators=7, oob_score=True),
    "out of bag of numbers": RandomForestRegressor(n_estimators=7, oob_score=True),
    "epochs": MLPClassifier(hidden_layer_sizes=(3,), early_stopping=True, max_iter=30, tol=0.01),
    "threshold": ThresholdClassifier(estimator="naive_bayes", n_folds=3),
    "votes": VotingClassifier(estimators=("naive_bayes", "one_rule"), weights="stacked", n_folds=2),
    "votes of numbers": VotingRegressor(
        estimators=("stump", "baseline"), weights="accuracy", n_folds=3
    ),
    "stacking": StackingClassifier(estimators=("naive_bayes", "one_rule"), n_folds=3),
    "stacking of numbers": StackingRegressor(estimators=("stump", "linear_regression"), n_folds=3),
    "averaging": BayesianAverageClassifier(estimators=("naive_bayes", "one_rule"), n_folds=3),
}
_SEARCHES = {
    "classification": ("c45", "tree", "naive_bayes", "nearest_neighbors", "lda"),
    "regression": ("tree", "ridge", "nearest_neighbors", "lasso"),
}
_COMPARED = {
    "classification": ("one_rule", "naive_bayes", "stump", "c45", "lda", "tree"),
    "regression": ("stump", "linear_regression", "ridge", "tree"),
}


@dataclass
class RandomTable:
    """A table with its target and its marks, in the order in which it was drawn or in another."""

    frame: pd.DataFrame
    y: np.ndarray[Any, Any]
    groups: np.ndarray[Any, Any] | None
    times: np.ndarray[Any, Any] | None
    weight: np.ndarray[Any, Any] | None

    @classmethod
    def drawn(cls, rng: random.Random, task: str) -> "RandomTable":
        """Draw a table and its marks."""
        frame = random_frame(rng)
        while not _N_ROWS[0] <= len(frame) <= _N_ROWS[1] or frame.shape[1] > 8:
            frame = random_frame(rng)
        numbers, n_rows = np.random.default_rng(rng.getrandbits(32)), len(frame)
        y = random_target(rng, frame, task)
        mark = rng.choice(["none", "none", "groups", "times"])
        groups = numbers.integers(0, n_rows // 3, n_rows) if mark == "groups" else None
        times = numbers.integers(0, rng.choice([6, 1000]), n_rows) if mark == "times" else None
        weight = numbers.integers(1, 4, n_rows) if rng.random() < 0.3 else None
        return cls(frame, y, groups, times, weight)

    def reordered(self, order: np.ndarray[Any, Any]) -> "RandomTable":
        """Return the same rows in another order."""
        marks = [
            None if mark is None else mark[order] for mark in (self.groups, self.times, self.weight)
        ]
        frame = self.frame.iloc[order].reset_index(drop=True)
        return RandomTable(frame, self.y[order], *marks)

    def table(self) -> Table:
        """Return the inputs as a table with its marks."""
        return Table(self.frame).with_groups(self.groups).with_times(self.times)

    def columns(self) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return a frame with target and marks as columns, and the options that name them."""
        frame, options = self.frame.assign(target=self.y), {}
        if self.groups is not None:
            frame, options = frame.assign(patient=self.groups), {"group": "patient"}
        if self.times is not None:
            frame, options = frame.assign(day=self.times), {"time_column": "day"}
        return frame, options


@dataclass(frozen=True)
class Found:
    """What was computed: numbers and words that do not belong to rows, and those that do."""

    numbers: tuple[Any, ...]
    of_rows: tuple[np.ndarray[Any, Any], ...] = ()


# Of the table in some order; models predict the rows of the table as it was drawn.
Computed = Callable[[RandomTable, RandomTable], Found]


def _cross_validate(rng: random.Random) -> tuple[str, Computed]:
    task = rng.choice(["classification", "two classes", "regression"])
    kind = "regression" if task == "regression" else "classification"
    model = catalog.make(rng.choice(_COMPARED[kind]), task=kind)
    n_folds, seed = rng.choice([2, 3, 5]), rng.choice([0, 7])

    def compute(data: RandomTable, first: RandomTable) -> Found:
        found = cross_validate(model, data.table(), data.y, n_folds=n_folds, random_state=seed)
        score = found.score
        numbers = (score.estimate, score.low, score.high, *found.fold_scores)
        return Found(numbers, (found.predictions,))

    return task, compute


def _compare(rng: random.Random) -> tuple[str, Computed]:
    task = rng.choice(["classification", "two classes", "regression"])
    kind = "regression" if task == "regression" else "classification"
    learners = rng.sample(_COMPARED[kind], 2)
    options: dict[str, Any] = {"task": kind, "learners": learners, "n_folds": rng.choice([3, 5])}
    if task == "two classes" and rng.random() < 0.4:
        options |= {"threshold": "tuned", "n_inner_folds": 2}
    elif rng.random() < 0.3:
        options |= {"tuning": "small", "n_inner_folds": 2}
    if rng.random() < 0.3:
        options |= {
            "resampling": rng.choice(["hold_out", "three_way", "bootstrap", "leave_one_out"])
        }
        options |= {"n_repeats": 3} if options["resampling"] == "bootstrap" else {}

    def compute(data: RandomTable, first: RandomTable) -> Found:
        frame, marks = data.columns()
        chosen = {key: value for key, value in options.items() if not (marks and key in _UNMARKED)}
        found = compare(frame, "target", **chosen, **marks)
        alone = chosen.get("resampling") == "leave_one_out"  # each row is a fold, in their order
        scores = [] if alone else [found.fold_scores(each.learner) for each in found.standings]
        ranks = [(each.learner, each.group, each.score.low) for each in found.standings]
        advice = found.recommendation
        words = (advice.learner, advice.tied, advice.beats_baseline, advice.rows_to_settle)
        cautions = tuple(sorted(each.code or "" for each in found.warnings))
        return Found((*scores, *ranks, *words, cautions))

    return task, compute


_RESAMPLINGS = ["hold_out", "three_way", "bootstrap", "leave_one_out"]
_UNMARKED = {"resampling", "n_repeats"}  # with groups or times there is one way to split rows


def _search(rng: random.Random) -> tuple[str, Computed]:
    kind = rng.choice(list(_SEARCHES))
    model = catalog.search(rng.choice(_SEARCHES[kind]), task=kind, n_folds=rng.choice([2, 3]))

    def compute(data: RandomTable, first: RandomTable) -> Found:
        found = clone(model).fit(data.table(), data.y)
        scores = found.cv_results_["mean_test_score"]
        numbers = (str(found.best_params_), found.best_score_, scores)
        return Found((*numbers, found.predict(first.table())))

    return kind, compute


def _choice(name: str, rng: random.Random) -> tuple[str, Computed]:
    model = CHOICES[name]
    task = "two classes" if name == "threshold" else model._task

    def compute(data: RandomTable, first: RandomTable) -> Found:
        takes_weights = "sample_weight" in inspect.signature(model.fit).parameters
        weights = {"sample_weight": data.weight} if takes_weights else {}
        fitted = clone(model).fit(data.table(), data.y, **weights)
        methods = [each for each in ("predict", "predict_proba") if hasattr(fitted, each)]
        scored = (fitted.oob_score_,) if hasattr(fitted, "oob_score_") else ()
        rows = (
            first.table()
        )  # the last digit may depend on where a row stands among those predicted
        return Found((*scored, *(getattr(fitted, each)(rows) for each in methods)))

    return task, compute


PROMISES: dict[str, Callable[[random.Random], tuple[str, Computed]]] = {
    "cross_validate": _cross_validate,
    "compare": _compare,
    "search": _search,
    **{name: partial(_choice, name) for name in CHOICES},
}


def attempt(seed: int, number: int) -> str:
    """Try a promise on a table: "usable", or "refused" with a code; anything else is raised."""
    kind, table = CAMPAIGN.kind_of(number), number // len(PROMISES)
    task, compute = PROMISES[kind](random.Random(f"{seed}:{number}"))
    rng = random.Random(f"{seed}:{table}:{task}")
    data = RandomTable.drawn(rng, task)
    order = np.random.default_rng(rng.getrandbits(32)).permutation(len(data.y))
    one, other = (_computed(compute, each, data) for each in (data, data.reordered(order)))
    if isinstance(one, str) or isinstance(other, str):
        assert one == other, f"{one} in one order, {other} in another"
        return "refused"
    for left, right in zip(one.numbers, other.numbers, strict=True):
        np.testing.assert_array_equal(left, right)
    words = [str(row) for row in data.frame.assign(target=data.y).itertuples(index=False)]
    contents = pd.factorize(np.array(words))
    for left, right in zip(one.of_rows, other.of_rows, strict=True):
        np.testing.assert_array_equal(
            _by_content(left, contents[0]), _by_content(right, contents[0][order])
        )
    return "usable"


def _by_content(values: Any, contents: Any) -> Any:
    known = ["missing" if pd.isna(value) else value for value in values]
    frame = pd.DataFrame({"row": contents, "value": known if values.dtype.kind == "O" else values})
    return frame.sort_values(["row", "value"])["value"].to_numpy()


def _computed(compute: Computed, data: RandomTable, first: RandomTable) -> Found | str:
    """Return what was computed, or the code of the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        warnings.filterwarnings("ignore", "The solver stopped", ConvergenceWarning)  # our own words
        try:
            return compute(data, first)
        except BranchlineError as error:
            if error.code:
                return error.code
            raise


CAMPAIGN = Campaign(
    module="fuzz.row_order",
    preload=("branchline", "pandas", "sklearn"),
    kinds=tuple(PROMISES),
    attempt=attempt,
    prepare=lambda: None,
)


def _main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.row_order", add_help=False)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given, _ = parser.parse_known_args(arguments)
    if given.tables is None:  # a number of cases, or one that is repeated
        main(CAMPAIGN, arguments)
        return
    numbers = range(given.tables * len(PROMISES))
    results = run(
        CAMPAIGN, numbers, seed=given.seed, n_workers=given.workers, limit_s=_LIMIT, memory=_MEMORY
    )
    print(summary(CAMPAIGN, results, given.seed))
    sys.exit(any(result.outcome in FAILURES for result in results))


if __name__ == "__main__":
    _main()
