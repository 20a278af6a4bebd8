"""Good labels of many unlabeled rows: labels and machine in turn, while slack gets more expensive.

1. First labels come from scores: those of the machine that knows the labeled rows alone, and those
   of label propagation over the neighbors that the kernel sees.
2. The machine that learns from all rows is solved; the best labels for its scores replace the
   former ones; and so on until none changes. Each step lowers the objective. No exchange of two
   labels could lower it for the scores found.
3. From the machine's scores, slack of unlabeled rows first costs a thousandth and then more and
   more, up to its price, so that labels are settled from the surest on (Joachims, 1999).
4. The labels with the lower objective are kept.
"""

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._sparse_equations import solve_sparse
from branchline.svm._labeling import Labeling, LabelProblem, Machine

__all__ = ["annealed_labeling"]

_FIRST_COST = 1e-3
_MOST_TURNS = 50
_NEIGHBORS = 10


def annealed_labeling(problem: LabelProblem, first: Machine, n_steps: int) -> Labeling:
    """Return labels from which no turn leads on, the better of two searches.

    ``first`` is the machine that learned from the labeled rows alone.
    """
    labels, n_solved = problem.best_labels(first.scores[problem.free]), 0
    for factor in np.geomspace(_FIRST_COST, 1.0, n_steps):
        labels, machine, n_turns = _in_turn(problem.with_costs(float(factor)), labels)
        n_solved += n_turns
    spread = problem.best_labels(_propagated(problem))
    others, other, n_turns = _in_turn(problem, spread)
    n_solved += n_turns
    if other.primal < machine.primal:
        labels, machine = others, other
    return Labeling(labels, machine, float("nan"), n_solved)


def _in_turn(problem: LabelProblem, labels: Floats) -> tuple[Floats, Machine, int]:
    """Return labels that are the best for the machine that learned from them."""
    best = problem.whole(labels)
    for turn in range(1, _MOST_TURNS):
        proposed = problem.best_labels(best.scores[problem.free])
        if (proposed == labels).all():
            return labels, best, turn
        machine = problem.whole(proposed)
        if machine.primal >= best.primal:
            return labels, best, turn + 1
        labels, best = proposed, machine
    return labels, best, _MOST_TURNS


def _propagated(problem: LabelProblem) -> Floats:
    """Return the mean label of each unlabeled row's neighbors, by the kernel (harmonic)."""
    gram, n_rows = problem.gram, len(problem.gram)
    own = np.diagonal(gram)
    k = min(_NEIGHBORS, n_rows - 1)
    rows, places, distances = [], [], []
    for row in range(n_rows):
        squares = own[row] + own - 2 * gram[row]
        squares[row] = np.inf
        near = np.argsort(np.round(squares, 9), kind="stable")[:k]
        rows.append(np.full(k, row))
        places.append(near)
        distances.append(np.maximum(squares[near], 0.0))
    squared = np.array(distances)
    reach = np.sqrt(np.maximum(squared[:, -1:], 1e-300))
    near = np.array(places)
    weights = np.maximum(np.exp(-squared / (reach * reach[near, 0])), 1e-6)
    at = (np.concatenate(rows), near.ravel())
    links = sparse.csr_array((weights.ravel(), at), shape=(n_rows, n_rows))
    links = links.maximum(links.T).tocsr()[problem.free]
    degrees = np.asarray(links.sum(axis=1)).ravel() + 1e-9  # parts without a label stay near 0
    equations = sparse.diags_array(degrees) - links[:, problem.free]
    right = np.asarray(links[:, problem.fixed] @ problem.labels)[:, None]
    return solve_sparse(equations.tocsr(), right)[:, 0]
