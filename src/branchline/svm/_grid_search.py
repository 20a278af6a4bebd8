"""Scores of every C and fold on one matrix of distances: the work of ``SVCGrid``."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._memory import refuse_over_budget
from branchline.svm._grid_scores import SCORES
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._pairs import Task, class_scores, tasks_of
from branchline.svm._problem import Floats

__all__ = ["Fold", "GridSearch", "deal"]


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
        refuse_over_budget(24 * len(self.rows) ** 2, "the matrices of distances and kernel values")
        matrix = self.rows.points.matrix
        return _core.squared_distances_double(matrix, matrix, self.rows.n_threads)

    def scores_of(self, gamma: float) -> Floats:
        """Return the score of each C and fold with one gamma."""
        target = self.rows.data.class_target
        if target.n_classes == 1:
            return np.ones((len(self.strengths), len(self.folds)))
        tasks = tasks_of(target.n_classes, self.strategy)
        decisions = self._decisions(gamma, tasks)
        measure = SCORES[self.scoring]
        scores = np.empty((len(self.strengths), len(self.folds)))
        for at, fold in enumerate(self.folds):
            truth, weights = target.class_of_row[fold.test], self.rows.weights[fold.test]
            for c in range(len(self.strengths)):
                by_class = class_scores(decisions[at][c], tasks, target.n_classes)
                scores[c, at] = measure(truth, by_class, weights)
        return scores

    def _decisions(self, gamma: float, tasks: list[Task]) -> list[Floats]:
        """Return, for each fold, the scores of its test rows: by C, row and task."""
        class_of_row = self.rows.data.class_target.class_of_row
        n_strengths = len(self.strengths)
        found = [np.zeros((n_strengths, len(fold.test), len(tasks))) for fold in self.folds]
        problems, places = [], []
        for at, fold in enumerate(self.folds):
            for k, task in enumerate(tasks):
                here = fold.train[task.rows(class_of_row[fold.train])]
                labels = task.labels(class_of_row[here])
                only = np.unique(labels)
                if len(only) == 1:  # nothing else can be said in this fold
                    found[at][:, :, k] = only[0]
                if len(only) == 2:
                    costs = self.costs[here]
                    problems.append(_core.SvmPath(_u32(here), labels, costs, _u32(fold.test)))
                    places.append((at, k))
        gram = _core.rbf_of_distances_double(self._distances, gamma, self.rows.n_threads)
        options = self.rows.options(SolverLimits(self.tolerance))
        answers = _core.svm_paths_double(gram, problems, self.strengths, options)
        for (at, k), (decision, _, _) in zip(places, answers, strict=True):
            found[at][:, :, k] = decision.reshape(n_strengths, -1)
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
