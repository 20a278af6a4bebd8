"""Every learner on every bundled data set: what a new learner must survive.

1. A case is a data set with a target: the set's own, and for regression also the numeric column of
   a set of classes that has the most distinct values. Columns that only name rows are set aside.
2. A learner is fitted with its defaults, predicts, is saved and loaded; the loaded one must predict
   the same to the bit. It explains a row, says its complexity and, where it can, prints itself.
3. Anything raised is a failure, and so is a warning that is not Branchline's own.
"""

import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from branchline.catalog._entry import Entry, Task
from branchline.catalog._make import entry, make, names
from branchline.errors import BranchlineWarning
from branchline.table import Table, dataset_info, dataset_names, load_dataset
from branchline.table.looking._identifiers import likely_identifiers

__all__ = ["Case", "Outcome", "Walked", "cases", "walk", "walk_one"]


@dataclass(frozen=True)
class Case:
    """A table to learn from: a bundled data set, and which column to predict."""

    dataset: str
    target: str
    task: Task

    @property
    def label(self) -> str:
        """The data set, with the target where it is not the set's own."""
        own = dataset_info(self.dataset).target == self.target
        return self.dataset if own else f"{self.dataset}:{self.target}"


@dataclass(frozen=True)
class Outcome:
    """How one learner fared on one case; ``failure`` is None when all went well."""

    case: Case
    seconds: float
    failure: str | None


@dataclass(frozen=True)
class Walked:
    """How one learner fared on all cases."""

    name: str
    outcomes: tuple[Outcome, ...]

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The cases that went wrong."""
        return tuple(outcome for outcome in self.outcomes if outcome.failure is not None)

    def to_text(self) -> str:
        """Return one line, and one more for each failure."""
        seconds = sum(outcome.seconds for outcome in self.outcomes)
        n_passed = len(self.outcomes) - len(self.failures)
        line = f"{self.name:<20} {n_passed:>3} of {len(self.outcomes):<3} {seconds:8.2f} s"
        if self.outcomes:
            worst = max(self.outcomes, key=lambda outcome: outcome.seconds)
            line += f"   slowest: {worst.case.label} {worst.seconds:.2f} s"
        wrong = [
            f"  {outcome.case.task} of {outcome.case.label}: {outcome.failure}"
            for outcome in self.failures
        ]
        return "\n".join([line, *wrong])


def cases(datasets: Iterable[str] | None = None) -> tuple[Case, ...]:
    """Return the cases of some bundled data sets, or of all."""
    found: list[Case] = []
    for name in dataset_names() if datasets is None else datasets:
        info = dataset_info(name)
        if info.target is None or info.task == "other":
            continue
        found.append(Case(name, info.target, info.task))
        number = _number_to_predict(name, info.target)
        if info.task == "classification" and number is not None:
            found.append(Case(name, number, "regression"))
    return tuple(found)


def walk(
    learners: Sequence[str] | None = None, datasets: Sequence[str] | None = None
) -> Iterator[Walked]:
    """Yield how each learner fares, as soon as it is through."""
    entries = [entry(name) for name in (names() if learners is None else learners)]
    everything = cases(datasets)
    for one in entries:
        fitting = [case for case in everything if _can_do(one, case)]
        yield Walked(one.name, tuple(walk_one(one, case) for case in fitting))


def _can_do(learner: Entry, case: Case) -> bool:
    """Whether a learner has the task of a case, and can handle that number of classes."""
    if case.task not in learner.classes or learner.most_classes is None:
        return case.task in learner.classes
    return len(np.unique(np.asarray(_rows_of(case)[1]).astype(str))) <= learner.most_classes


def walk_one(learner: Entry, case: Case) -> Outcome:
    """Fit, predict, save, load and explain a learner on one case."""
    started = time.perf_counter()
    failure = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            _use(learner, case)
        except Exception as error:  # whatever goes wrong is what the walk is there to report
            failure = f"{type(error).__name__}: {error}".splitlines()[0]
    return Outcome(case, time.perf_counter() - started, failure)


def _use(learner: Entry, case: Case) -> None:
    X, y = _rows_of(case)
    model = make(learner.name, task=case.task).fit(X, y)
    predicted = model.predict(X)
    _check("one prediction a row", len(predicted) == X.n_rows)
    if case.task == "regression":
        _check("finite predictions", bool(np.isfinite(predicted).all()))
    loaded = _saved_and_loaded(model)
    _check("the same predictions after loading", np.array_equal(loaded.predict(X), predicted))
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        _check(
            "the same probabilities after loading",
            np.array_equal(loaded.predict_proba(X), probabilities),
        )
        _check("probabilities that sum to 1", np.allclose(probabilities.sum(axis=1), 1.0))
    _check("a readable explanation", bool(loaded.explain(X.rows([0])).to_text()))
    _check("a complexity", learner.interpretability(loaded).count >= 0)
    if hasattr(loaded, "to_text"):
        _check("a readable model", bool(loaded.to_text()))


def _check(what: str, holds: bool) -> None:
    if not holds:
        raise AssertionError(f"it lacks {what}")


def _saved_and_loaded(model: Any) -> Any:
    from branchline._saving import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.branchline"
        model.save(path)
        return load(path)


@cache
def _rows_of(case: Case) -> tuple[Table, Any]:
    """Return inputs and target, without rows whose target is missing."""
    X, y = load_dataset(case.dataset).split_target(case.target)
    X = X.drop([found.name for found in likely_identifiers(X)])
    if case.task == "classification":
        known = np.array([value is not None for value in np.asarray(y).tolist()])
    else:
        known = np.isfinite(np.asarray(y, dtype=np.float64))
    return (X, y) if known.all() else (X.rows(known), y[known])


def _number_to_predict(name: str, target: str) -> str | None:
    """Return the numeric column with the most distinct values, the first of equals."""
    table = load_dataset(name)
    counts = {
        column.name: len(np.unique(column.numbers()))
        for column in table.columns
        if column.kind == "numeric" and column.name != target
    }
    enough = [column for column in counts if counts[column] > 2 and table.n_columns > 1]
    return max(enough, key=counts.__getitem__) if enough else None
