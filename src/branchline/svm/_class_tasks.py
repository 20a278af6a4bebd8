"""Several classes from machines of two: one against one, or one against the rest.

One against one: a machine for each pair a < b, whose score is positive for a. The class that wins
most of its pairs is predicted; among equals the one whose scores are largest in sum (squeezed into
(−½, ½), so that they never outweigh a win).

One against the rest: a machine for each class; the largest score is predicted.

Two classes have one machine, whose score is positive for the second.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats

__all__ = ["Task", "class_scores", "couple", "is_one_vs_rest", "rows_of", "tasks_of"]

_LEAST_PROBABILITY = 1e-7


class Task(NamedTuple):
    """One machine's task: the class whose rows are +1, and the one whose rows are −1.

    ``negative`` is None when all other classes are −1.
    """

    positive: int
    negative: int | None

    def labels(self, class_of_row: npt.NDArray[np.uint32]) -> Floats:
        """Return +1 or −1 for each of the given rows."""
        return np.where(class_of_row == self.positive, 1.0, -1.0)


def tasks_of(n_classes: int, strategy: str) -> list[Task]:
    """Return the tasks of the machines for this number of classes."""
    if n_classes == 2:
        return [Task(1, 0)]
    if strategy == "one_vs_rest":
        return [Task(one, None) for one in range(n_classes)]
    return [Task(a, b) for a, b in combinations(range(n_classes), 2)]


def rows_of(
    tasks: Sequence[Task], class_of_row: npt.NDArray[np.uint32], n_classes: int
) -> list[npt.NDArray[np.uint32]]:
    """Return the rows that each machine learns from: all in order, or some class by class."""
    everything = np.arange(len(class_of_row), dtype=np.uint32)
    order = np.argsort(class_of_row, kind="stable").astype(np.uint32)
    ends = np.cumsum(np.bincount(class_of_row, minlength=n_classes))
    members = np.split(order, ends[:-1])
    found = []
    for task in tasks:
        if task.negative is None or n_classes == 2:
            found.append(everything)
        else:
            first, second = sorted((task.positive, task.negative))
            found.append(np.concatenate([members[first], members[second]]))
    return found


def is_one_vs_rest(tasks: list[Task]) -> bool:
    """Whether each machine tells one class from the rest."""
    return tasks[0].negative is None


def class_scores(scores: Floats, tasks: list[Task], n_classes: int) -> Floats:
    """Return a score for each class, the largest for the one that is predicted."""
    if n_classes == 2:
        return np.column_stack([-scores[:, 0], scores[:, 0]])
    if is_one_vs_rest(tasks):
        return scores
    scored = _core.svm_class_scores(np.ascontiguousarray(scores), n_classes)
    return scored.reshape(len(scores), n_classes)


def couple(pairwise: Floats, tasks: list[Task], n_classes: int) -> Floats:
    """Return class probabilities from those of pairs (Wu, Lin and Weng 2004, second method).

    p minimizes Σ_{a≠b} (r_ba p_a − r_ab p_b)² with Σ p = 1, where r_ab is the probability of a
    given that it is a or b.
    """
    n_rows = len(pairwise)
    ratios = np.zeros((n_rows, n_classes, n_classes))
    for at, task in enumerate(tasks):
        assert task.negative is not None
        first = np.clip(pairwise[:, at], _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        ratios[:, task.positive, task.negative] = first
        ratios[:, task.negative, task.positive] = 1 - first
    # Q_aa = Σ_{s≠a} r_sa², Q_ab = −r_ba r_ab; the minimum solves [Q 1; 1ᵀ 0] [p; b] = [0; 1].
    quadratic = -ratios * ratios.transpose(0, 2, 1)
    places = np.arange(n_classes)
    quadratic[:, places, places] = (ratios**2).sum(axis=1)
    system = np.ones((n_rows, n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = quadratic
    system[:, n_classes, n_classes] = 0.0
    wanted = np.zeros((n_rows, n_classes + 1, 1))
    wanted[:, n_classes] = 1.0
    solved = np.linalg.solve(system, wanted)[:, :n_classes, 0]
    positive = np.maximum(solved, 0.0)
    coupled: Floats = positive / positive.sum(axis=1, keepdims=True)
    return coupled
