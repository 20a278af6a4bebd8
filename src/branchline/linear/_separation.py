"""Whether classes can be told apart without error, so that no best coefficients exist.

Without a penalty, the likelihood of separated classes grows for ever along some direction W:
(W_y − W_k)·(1, z) ≥ 0 for every row (z, y) and every other class k, and > 0 for one of them. A
linear programme in the box −1 ≤ W ≤ 1 finds the direction of the largest sum of these differences,
which is 0 when there is none (Konis, 2007; quasi-separation is found too).
"""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from branchline._arrays import Floats
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.linear._logistic_solver import SoftmaxProblem, Solution

__all__ = ["is_separated", "warn_of_separation"]

# Log-odds as large as this are rare in a fit that exists, and certain in one that does not.
_SUSPICIOUS = 10.0
_MOST_CELLS = 20_000_000


def is_separated(problem: SoftmaxProblem, solution: Solution) -> bool:
    """Whether an unpenalized fit has no end.

    Only a suspicious fit is looked into; one that is too large to look into counts as separated
    when its log-odds are so large that probabilities equal 0 and 1 but for rounding.
    """
    if isinstance(problem.matrix, EncodedBlocks):
        return solution.is_apart
    largest = float(np.abs(_margins(problem, solution)).max(initial=0.0))
    if largest < _SUSPICIOUS:
        return False
    n_rows, n_terms = problem.shape
    n_others = problem.n_classes - 1
    if n_rows * n_others * (n_terms + 1) > _MOST_CELLS:
        return largest > 3 * _SUSPICIOUS
    return _has_direction(_differences(problem))


def _margins(problem: SoftmaxProblem, solution: Solution) -> Floats:
    scores = np.asarray(problem.matrix @ solution.weights.T) + solution.bias
    if problem.n_classes == 2:
        return scores[:, 0]
    truth = scores[np.arange(len(scores)), problem.class_of_row]
    margins: Floats = scores - truth[:, None]
    return margins


def _differences(problem: SoftmaxProblem) -> sparse.csr_array:
    """Return a row for each case and other class: the coefficients of (W_y − W_k)·(1, z)."""
    inputs = sparse.hstack(
        [np.ones((problem.shape[0], 1)), sparse.csr_array(problem.matrix)], format="csr"
    )
    classes = problem.class_of_row.astype(np.intp)
    if problem.n_classes == 2:
        return sparse.csr_array(sparse.diags_array(2.0 * classes - 1.0) @ inputs)
    parts = []
    for other in range(problem.n_classes):
        rows = np.flatnonzero(classes != other)
        sign = np.zeros((len(rows), problem.n_classes))
        sign[np.arange(len(rows)), classes[rows]] = 1.0
        sign[:, other] = -1.0
        chosen = inputs[rows]
        blocks = [sparse.diags_array(column) @ chosen for column in sign.T]
        parts.append(sparse.hstack(blocks, format="csr"))
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def _has_direction(differences: sparse.csr_array) -> bool:
    largest = np.asarray(abs(differences).max(axis=1).todense()).ravel()
    scaled = sparse.diags_array(1.0 / np.maximum(largest, 1e-300)) @ differences
    found = linprog(
        -np.asarray(scaled.sum(axis=0)).ravel(),
        A_ub=-scaled,
        b_ub=np.zeros(differences.shape[0]),
        bounds=(-1.0, 1.0),
        method="highs",
    )
    return bool(found.status == 0 and -found.fun > 1e-6)


def warn_of_separation(strength: float) -> None:
    """Say that no best coefficients exist, and what is given instead."""
    warn(
        "The classes can be told apart without error (or some of them, by a category that has one "
        "class only), so without a penalty coefficients have no bound. A faint penalty, C = "
        f"{strength:g}, keeps them finite; they have no intervals. Use penalty='l2', or leave out "
        "the column that gives the class away.",
        BranchlineWarning,
    )
