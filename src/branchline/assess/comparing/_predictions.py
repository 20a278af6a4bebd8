"""Predictions of rows that a learner had not seen; every score follows from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._row_scores import Origin, count_different
from branchline._trees._costs import check_costs
from branchline.assess._find_metric import find_metric
from branchline.assess._metrics import METRICS, Metric
from branchline.assess._outcome import Outcome
from branchline.assess.comparing._learners import Learner
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem, positive_place
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._schedule import compared_folds
from branchline.errors import BranchlineWarning, ParameterError

__all__ = ["Predictions"]

Places = npt.NDArray[np.intp]

_NO_ROWS = np.zeros(0, dtype=np.intp)
_DIGITS = 12  # shares that are equal but for rounding are ties
_BLOCKS = 10  # into which test sets of one row are put together


@dataclass(frozen=True, eq=False)
class Predictions:
    """The results of a plan, as outcomes of rows; see ``Comparison`` for the parameters."""

    plan: Plan
    problem: Problem
    splits: Sequence[Split]
    results: Sequence[FoldResult]
    seconds: float = math.nan
    is_complete: bool = True
    seal: Any = field(default=None)
    noticed: tuple[BranchlineWarning, ...] = ()
    is_time_over: bool = False
    all_inputs: tuple[FoldResult, ...] = ()

    @cached_property
    def metric(self) -> Metric:
        """The metric that decides."""
        return METRICS[self.plan.metric]

    @cached_property
    def failures(self) -> dict[str, str]:
        """Why some learners have no score: their first error."""
        found: dict[str, str] = {}
        for result in self.results:
            if result.error is not None:
                found.setdefault(result.learner, result.error)
        return found

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The learners that are compared, in the order of the plan: on the same test sets."""
        return self._compared[0]

    @cached_property
    def finished(self) -> dict[str, int]:
        """How many test sets each learner has finished, failed ones not counted."""
        return {label: len(folds) for label, folds in self._finished_folds.items()}

    @cached_property
    def unfinished(self) -> dict[str, int]:
        """The learners that finished too few test sets to be compared, and how many."""
        return {label: n for label, n in self.finished.items() if label not in self.labels}

    @property
    def n_compared_folds(self) -> int:
        """The number of test sets that all learners compared have finished."""
        return len(self._compared[1])

    @cached_property
    def _finished_folds(self) -> dict[str, tuple[int, ...]]:
        labels = [one.label for one in self.plan.learners if one.label not in self.failures]
        return {label: tuple(self._results_of.get(label, ())) for label in labels}

    @cached_property
    def _compared(self) -> tuple[tuple[str, ...], frozenset[int]]:
        return compared_folds(self._finished_folds, self.plan.baseline)

    def outcome(
        self, learner: str, metric: str | None = None, *, repeat: int | None = 0
    ) -> Outcome:
        """Return a learner's predictions of rows it had not seen, in the order of splits.

        ``repeat`` chooses one repeat, in which each row is predicted at most once; None takes all.
        """
        wanted = self._metric(metric)
        parts = [
            self._outcome(result, wanted)
            for number, result in sorted(self._by_split(learner).items())
            if repeat is None or self.splits[number].repeat == repeat
        ]
        return _joined(parts)

    def tested_rows(self, learner: str, *, repeat: int = 0) -> npt.NDArray[np.intp]:
        """Return the rows of the table that ``outcome`` holds, in its order."""
        numbers = sorted(self._by_split(learner))
        parts = [self.splits[n].test for n in numbers if self.splits[n].repeat == repeat]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)

    def results_of(self, learner: str) -> dict[int, FoldResult]:
        """Return a learner's results by the number of their split, those that are compared."""
        return self._by_split(learner)

    def learner(self, label: str) -> Learner:
        """Return the learner that has a label."""
        for learner in self.plan.learners:
            if learner.label == label:
                return learner
        known = ", ".join(learner.label for learner in self.plan.learners)
        raise ParameterError(
            f"No learner of this comparison is called {label!r}. Its learners are: {known}.",
            code="P102",
            values=[label],
        )

    @cached_property
    def _n_train(self) -> float:
        """Different rows, or groups, in a training set, on average."""
        owners = self._owner_of_row
        n_of_owner = np.bincount(owners)
        return float(np.mean([_n_learned(split, owners, n_of_owner) for split in self.splits]))

    @cached_property
    def _owner_of_row(self) -> npt.NDArray[np.intp]:
        """Rows of a group err together, and so do copies of a row; others each for itself."""
        return self.problem.folds.owner_of_row

    def _origin(self, rows: npt.NDArray[np.intp]) -> Origin:
        owners, n_tested = self._owner_of_row[rows], count_different(rows)
        is_grouped = self.problem.groups is not None
        copies = 1.0 if is_grouped else n_tested / count_different(owners)
        times = self.problem.times if self.plan.resampling.kind == "time_folds" else None
        times = None if times is None else times[rows]
        return Origin(owners, self._n_train, len(rows) / n_tested, copies, times)

    @cached_property
    def _results_of(self) -> dict[str, dict[int, FoldResult]]:
        found: dict[str, dict[int, FoldResult]] = {}
        for result in self.results:
            if result.error is None:
                found.setdefault(result.learner, {})[result.split] = result
        return found

    def _by_split(self, learner: str) -> dict[int, FoldResult]:
        """Return a learner's results: on the test sets that are compared, if it is."""
        self.learner(learner)
        own, (labels, folds) = self._results_of.get(learner, {}), self._compared
        return {n: own[n] for n in own if n in folds} if learner in labels else own

    def _metric(self, name: str | None) -> Metric:
        return self.metric if name is None else find_metric(name, self.plan.task)

    @cached_property
    def _costs(self) -> Any:
        if self.plan.costs is None or self.problem.classes is None:
            return None
        return check_costs(self.plan.costs, self.problem.classes)

    def _outcome(self, result: FoldResult, metric: Metric) -> Outcome:
        test = self.splits[result.split].test
        if self.problem.classes is None:
            return Outcome(self.problem.target[test], result.predicted)
        return Outcome(
            self.problem.places[test],
            result.predicted,
            result.probabilities,
            tuple(self.problem.classes.tolist()),
            positive_place(metric, self.plan.positive, self.problem),
            self._costs,
        )

    def _parts(
        self, learner: str, metric: Metric, numbers: Sequence[int]
    ) -> tuple[list[Outcome], npt.NDArray[np.intp]]:
        """Return the outcome of some test sets, and the rows they predict.

        Test sets of one row are put together in ten: ranks and spreads need several rows.
        """
        results = self._by_split(learner)
        parts = [self._outcome(results[number], metric) for number in numbers]
        rows = np.concatenate([self.splits[number].test for number in numbers] or [_NO_ROWS])
        if parts and self._tests_single_rows:
            joined = _joined(parts)
            if metric.of_ranks:
                joined = self._with_equal_shares(joined, [self.splits[one] for one in numbers])
            if metric.name == "auc":  # pooled: every row is ranked against all of other classes
                return [joined], rows
            order = np.argsort(self.problem.row_keys[rows], kind="stable")
            blocks = np.array_split(order, min(_BLOCKS, len(order)))
            parts, rows = [joined.rows(block) for block in blocks], rows[np.concatenate(blocks)]
        return parts, rows

    def _with_equal_shares(self, outcome: Outcome, splits: Sequence[Split]) -> Outcome:
        """Return predictions of single rows as if all models had met the same shares of classes.

        Where rows are few, or whole groups are left out, training sets differ in shares. A model
        that only knows these would rank every row below those of other classes, and its AUC would
        be 0 in place of a half. Each probability is multiplied by the class's share of all rows
        over its share in training.
        """
        if outcome.probabilities is None or self.problem.classes is None:
            return outcome
        places, n_classes = self.problem.places, len(self.problem.classes)
        counts = np.bincount(places, minlength=n_classes).astype(np.float64)
        absent = [
            np.bincount(places[split.absent], minlength=n_classes)[None].repeat(len(split.test), 0)
            for split in splits
        ]
        in_training = np.maximum(counts - np.concatenate(absent), 1e-9)
        in_training /= in_training.sum(axis=1, keepdims=True)
        probabilities = outcome.probabilities * (counts / counts.sum()) / in_training
        total = probabilities.sum(axis=1, keepdims=True)
        probabilities = np.where(
            total > 0, probabilities / np.where(total > 0, total, 1.0), outcome.probabilities
        )
        even: npt.NDArray[np.float64] = np.asarray(probabilities, dtype=np.float64)
        return replace(outcome, probabilities=even.round(_DIGITS))

    @property
    def _tests_single_rows(self) -> bool:
        return self.plan.resampling.kind == "leave_one_out"  # with its copies


def _n_learned(split: Split, owners: Places, n_of_owner: Places) -> int:
    """Return how many owners have rows in a training set."""
    if split.given is not None:
        return count_different(owners[split.given])
    tested, n_tested = np.unique(owners[split.test], return_counts=True)
    return int(np.count_nonzero(n_of_owner)) - int((n_tested == n_of_owner[tested]).sum())


def _joined(parts: list[Outcome]) -> Outcome:
    probabilities = None
    if parts and all(part.probabilities is not None for part in parts):
        probabilities = np.concatenate([part.probabilities for part in parts])
    return replace(
        parts[0],
        truth=np.concatenate([part.truth for part in parts]),
        predicted=np.concatenate([part.predicted for part in parts]),
        probabilities=probabilities,
    )
