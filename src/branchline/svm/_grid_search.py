"""Scores of every C and fold on the kernel matrices of a grid: the work of ``SVCGrid``."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._folds import Fold, fold_rows
from branchline._memory import budget_bytes
from branchline.svm._class_tasks import Task, class_scores, rows_of, tasks_of
from branchline.svm._grid_grams import BYTES
from branchline.svm._grid_scores import SCORES
from branchline.svm._kernel_rows import KernelRows, SolverLimits

__all__ = ["GridSearch", "share_of"]

_PROBLEMS_A_THREAD = 4


@dataclass(frozen=True, eq=False)
class GridSearch:
    """What is the same for every kernel.

    Parameters
    ----------
    rows
        All rows.
    strengths
        The C to try, rising.
    n_folds
        The number of folds.
    costs
        What C is multiplied by for each row.
    strategy, metric, tolerance
        As in ``SVCGrid``.
    """

    rows: KernelRows
    strengths: Floats
    n_folds: int
    costs: Floats
    strategy: str
    metric: str
    tolerance: float

    @cached_property
    def folds(self) -> list[Fold]:
        """The folds; the training rows themselves when there is nothing to hold out."""
        rows = fold_rows(self.rows.data)
        return rows.split(self.n_folds) or [Fold(rows.units, rows.units)]

    def groups(self, n_kernels: int) -> list[range]:
        """Return the kernels in groups that share the threads and fit the memory."""
        n_problems = max(1, len(self.folds) * len(self._tasks))
        wanted = -(-_PROBLEMS_A_THREAD * self.rows.n_threads // n_problems)
        room = (budget_bytes() - BYTES * len(self.rows) ** 2) // (8 * len(self.rows) ** 2)
        size = int(np.clip(room + 1, 1, wanted))
        return [range(at, min(at + size, n_kernels)) for at in range(0, n_kernels, size)]

    def scores_of(self, grams: Floats) -> Floats:
        """Return the score of each kernel matrix, C and fold."""
        target = self.rows.data.class_target
        scores = np.ones((len(grams), len(self.strengths), len(self.folds)))
        if target.n_classes == 1:
            return scores
        measure = SCORES[self.metric]
        for g, of_folds in enumerate(self._decisions(grams)):
            for at, (fold, decision) in enumerate(zip(self.folds, of_folds, strict=True)):
                truth = target.class_of_row[fold.test_rows]
                weights = share_of(self.rows, fold.test) * self.rows.weights[fold.test_rows]
                for c in range(len(self.strengths)):
                    by_class = class_scores(decision[c], self._tasks, target.n_classes)
                    scores[g, c, at] = measure(truth, by_class, weights)
        return scores

    @property
    def _tasks(self) -> list[Task]:
        n_classes = self.rows.data.class_target.n_classes
        return tasks_of(n_classes, self.strategy) if n_classes > 1 else []

    def _decisions(self, grams: Floats) -> list[list[Floats]]:
        """Return, for each matrix and fold, the scores of its test rows: by C, row and task."""
        n_strengths, n_tasks = len(self.strengths), len(self._tasks)
        found = [
            [np.zeros((n_strengths, len(fold.test_rows), n_tasks)) for fold in self.folds]
            for _ in grams
        ]
        problems, places = [], []
        target = self.rows.data.class_target
        for (at, fold), (k, task) in product(enumerate(self.folds), enumerate(self._tasks)):
            train, share = fold.learn_rows, share_of(self.rows, fold.learn)
            classes = target.class_of_row[train]
            (chosen,) = rows_of([task], classes, target.n_classes)
            here, labels = train[chosen], task.labels(classes[chosen])
            only = np.unique(labels)
            if len(only) < 2:  # nothing else can be said in this fold, or nothing at all
                for of_folds in found:
                    of_folds[at][:, :, k] = only.sum()
                continue
            for g in range(len(grams)):
                costs, test = self.costs[here] * share[chosen], _u32(fold.test_rows)
                problems.append(_core.SvmPath(_u32(here), labels, costs, test, g))
                places.append((g, at, k))
        options = self.rows.options(SolverLimits(self.tolerance))
        answers = _core.svm_paths_double(grams, problems, self.strengths, options)
        for (g, at, k), (decision, _, _) in zip(places, answers, strict=True):
            found[g][at][:, :, k] = decision.reshape(n_strengths, -1)
        return found


def share_of(rows: KernelRows, units: npt.NDArray[np.int64]) -> Floats:
    """Return which share of their weight the rows of a fold have, those without left out."""
    of_rows = rows.data.weights.units
    whole = 1 if of_rows is None else of_rows[units > 0]
    share: Floats = units[units > 0] / whole
    return share


def _u32(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    return rows.astype(np.uint32)
