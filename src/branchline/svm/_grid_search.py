"""Scores of every C and fold on one matrix of distances: the work of ``SVCGrid``."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._memory import budget_bytes, refuse_over_budget
from branchline.svm._grid_scores import SCORES
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._pairs import Task, class_scores, rows_of, tasks_of
from branchline.svm._problem import Floats

__all__ = ["Fold", "GridSearch", "deal"]

# Distances, kernel values, and the parts that are being worked on: bytes for each pair of rows.
_BYTES = 24
_PROBLEMS_A_THREAD = 4


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and rows to judge by."""

    train: npt.NDArray[np.intp]
    test: npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GridSearch:
    """What is the same for every gamma.

    Parameters
    ----------
    rows
        All rows, prepared for an RBF kernel.
    strengths
        The C to try, rising.
    n_folds
        How many folds to deal.
    costs
        What C is multiplied by for each row.
    strategy, scoring, tolerance
        As in ``SVCGrid``.
    """

    rows: KernelRows
    strengths: Floats
    n_folds: int
    costs: Floats
    strategy: str
    scoring: str
    tolerance: float

    @cached_property
    def folds(self) -> list[Fold]:
        """The folds, which neither row order nor chance changes."""
        target = self.rows.data.class_target
        return deal(target.class_of_row, target.n_classes, self.n_folds)

    @cached_property
    def _distances(self) -> Floats:
        refuse_over_budget(
            _BYTES * len(self.rows) ** 2, "the matrices of distances and kernel values"
        )
        matrix = self.rows.points.matrix
        return _core.squared_distances_double(matrix, matrix, self.rows.n_threads)

    def groups(self, gammas: Floats) -> list[Floats]:
        """Return the gammas in groups that share the threads and fit the memory."""
        n_problems = max(1, len(self.folds) * len(self._tasks))
        wanted = -(-_PROBLEMS_A_THREAD * self.rows.n_threads // n_problems)
        room = (budget_bytes() - _BYTES * len(self.rows) ** 2) // (8 * len(self.rows) ** 2)
        size = int(np.clip(room + 1, 1, wanted))
        return [gammas[first : first + size] for first in range(0, len(gammas), size)]

    def scores_of(self, gammas: Floats) -> Floats:
        """Return the score of each gamma, C and fold."""
        target = self.rows.data.class_target
        scores = np.ones((len(gammas), len(self.strengths), len(self.folds)))
        if target.n_classes == 1:
            return scores
        measure = SCORES[self.scoring]
        for g, of_folds in enumerate(self._decisions(gammas)):
            for at, (fold, decision) in enumerate(zip(self.folds, of_folds, strict=True)):
                truth, weights = target.class_of_row[fold.test], self.rows.weights[fold.test]
                for c in range(len(self.strengths)):
                    by_class = class_scores(decision[c], self._tasks, target.n_classes)
                    scores[g, c, at] = measure(truth, by_class, weights)
        return scores

    @property
    def _tasks(self) -> list[Task]:
        n_classes = self.rows.data.class_target.n_classes
        return tasks_of(n_classes, self.strategy) if n_classes > 1 else []

    def _decisions(self, gammas: Floats) -> list[list[Floats]]:
        """Return, for each gamma and fold, the scores of its test rows: by C, row and task."""
        n_strengths, n_tasks = len(self.strengths), len(self._tasks)
        found = [
            [np.zeros((n_strengths, len(fold.test), n_tasks)) for fold in self.folds]
            for _ in gammas
        ]
        problems, places = [], []
        target = self.rows.data.class_target
        for (at, fold), (k, task) in product(enumerate(self.folds), enumerate(self._tasks)):
            classes = target.class_of_row[fold.train]
            (chosen,) = rows_of([task], classes, target.n_classes)
            here, labels = fold.train[chosen], task.labels(classes[chosen])
            only = np.unique(labels)
            if len(only) < 2:  # nothing else can be said in this fold, or nothing at all
                for of_folds in found:
                    of_folds[at][:, :, k] = only.sum()
                continue
            for g in range(len(gammas)):
                costs, test = self.costs[here], _u32(fold.test)
                problems.append(_core.SvmPath(_u32(here), labels, costs, test, g))
                places.append((g, at, k))
        grams = np.empty((len(gammas), len(self.rows), len(self.rows)))
        for g, gamma in enumerate(gammas.tolist()):
            grams[g] = _core.rbf_of_distances_double(self._distances, gamma, self.rows.n_threads)
        options = self.rows.options(SolverLimits(self.tolerance))
        answers = _core.svm_paths_double(grams, problems, self.strengths, options)
        for (g, at, k), (decision, _, _) in zip(places, answers, strict=True):
            found[g][at][:, :, k] = decision.reshape(n_strengths, -1)
        return found


def deal(class_of_row: npt.NDArray[np.uint32], n_classes: int, n_folds: int) -> list[Fold]:
    """Deal rows to folds, class by class in canonical order; folds without rows are left out."""
    fold_of_row = np.empty(len(class_of_row), dtype=np.intp)
    first = 0
    for one in range(n_classes):
        members = np.flatnonzero(class_of_row == one)
        fold_of_row[members] = (first + np.arange(len(members))) % n_folds
        first += len(members)
    folds = []
    for fold in range(n_folds):
        test = np.flatnonzero(fold_of_row == fold)
        train = np.flatnonzero(fold_of_row != fold)
        if len(test) and len(train):
            folds.append(Fold(train, test))
    return folds or [Fold(np.arange(len(class_of_row)), np.arange(len(class_of_row)))]


def _u32(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    return rows.astype(np.uint32)
