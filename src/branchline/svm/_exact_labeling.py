"""The best labels of few unlabeled rows, with a proof: branch and bound.

1. A node fixes the labels of some unlabeled rows. The machine that learns from the labeled rows and
   from these has an objective that no completion goes below: slack of other rows only adds to it.
2. Each node also suggests a completion, the best labels for its scores. The best one found so far
   is the bound from above.
3. A node is left when its bound is not below that, or when no completion is allowed.
4. Else the free row whose score is farthest from 0 gets its likely label first, then the other.
   When every free row must have the same label, all get it at once.

O. Chapelle, V. Sindhwani and S. S. Keerthi, Branch and bound for semi-supervised support vector
machines, 2006.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from branchline._arrays import Floats
from branchline.svm._labeling import Labeling, LabelProblem, Machine

__all__ = ["exact_labeling"]

_ROUNDING = 1e-9


@dataclass
class _Search:
    """The best labels so far, and how much has been looked at."""

    problem: LabelProblem
    max_nodes: int
    labels: Floats
    machine: Machine
    n_nodes: int = 0
    least_left: float = math.inf  # the lowest bound of a node that was left unopened
    tried: set[bytes] = field(default_factory=set)

    @property
    def limit(self) -> float:
        """Nodes with a bound from here on cannot hold better labels."""
        return self.machine.primal * (1 - _ROUNDING)

    def offer(self, labels: Floats) -> None:
        """Solve the machine for labels of all rows, and keep them if they are the best."""
        key = labels.tobytes()
        if key in self.tried:
            return
        self.tried.add(key)
        machine = self.problem.whole(labels)
        self.n_nodes += 1
        if machine.primal < self.machine.primal:
            self.labels, self.machine = labels, machine


def exact_labeling(problem: LabelProblem, start: Labeling, max_nodes: int) -> Labeling:
    """Return the best allowed labels, and a bound: the proof that there are no better ones.

    After ``max_nodes`` machines the search stops, with the bound that is proven by then.
    """
    search = _Search(problem, max_nodes, start.labels, start.machine)
    waiting = [(-math.inf, np.zeros(len(problem.free)))]
    while waiting:
        bound, labels = waiting.pop()
        if bound >= search.limit:
            continue
        if search.n_nodes >= max_nodes:
            search.least_left = min(search.least_left, bound)
            continue
        waiting += _opened(search, labels)
    best = search.machine
    bound = min(best.dual, search.least_left)
    return Labeling(search.labels, best, max(bound, 0.0), search.n_nodes + start.n_nodes)


def _opened(search: _Search, labels: Floats) -> list[tuple[float, Floats]]:
    """Look at a node; return the nodes that follow it, the one to look at first last."""
    problem = search.problem
    forced = _forced(problem, labels)
    if forced is None:
        return []
    labels = forced
    fixed, free = np.flatnonzero(labels), np.flatnonzero(labels == 0)
    if len(free) == 0:
        search.offer(labels)
        return []
    machine = problem.machine(fixed, labels[fixed])
    search.n_nodes += 1
    if machine.dual >= search.limit:
        return []
    scores = machine.scores[problem.free]
    search.offer(_completed(problem, labels, scores))
    at = free[np.argmax(np.abs(scores[free]))]
    likely = 1.0 if scores[at] >= 0 else -1.0
    found = []
    for label in (-likely, likely):
        child = labels.copy()
        child[at] = label
        found.append((machine.dual, child))
    return found


def _forced(problem: LabelProblem, labels: Floats) -> Floats | None:
    """Return labels with those that follow from the balance; None when no completion is allowed."""
    positive, free = float(problem.mass[labels > 0].sum()), labels == 0
    open_mass = float(problem.mass[free].sum())
    if positive > problem.most or positive + open_mass < problem.least:
        return None
    if not free.any():
        return labels
    least = float(problem.mass[free].min())
    if positive + least > problem.most:
        completed = np.where(free, -1.0, labels)
    elif positive + open_mass - least < problem.least:
        completed = np.where(free, 1.0, labels)
    else:
        return labels
    total = float(problem.mass[completed > 0].sum())
    return completed if problem.least <= total <= problem.most else None


def _completed(problem: LabelProblem, labels: Floats, scores: Floats) -> Floats:
    """Return allowed labels that agree with those of a node, the best for its scores."""
    large = 2 * float(np.abs(scores).max()) + 2.0
    return problem.best_labels(np.where(labels == 0, scores, labels * large))
