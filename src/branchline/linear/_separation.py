"""Whether classes can be told apart without error, so that no best coefficients exist.

Without a penalty, the likelihood of separated classes grows for ever along some direction W:
(W_y − W_k)·(1, z) ≥ 0 for every row (z, y) and every other class k, and > 0 for one of them. With a
row d_yk of coefficients for each of these differences, that is D W ≥ 0 and D W ≠ 0.

1. Log-odds of moderate size: not separated.
2. A solution that tells every row's class from all others is such a direction.
3. By Stiemke's lemma there is no such W if and only if Dᵀ v = 0 for some v > 0. Where the gradient
   vanishes, Dᵀ v is nearly 0 for v = w p (weights times probabilities of wrong classes). With
   H = Dᵀ diag(v) D and H u = Dᵀ v, v (1 − D u) makes it 0 exactly, so D u < 1 proves that classes
   are not separated. H is solved for in directions that are uncorrelated; where it is nearly
   singular, nothing is proved.
4. Where D u ≥ 0 but for rounding, u itself is such a direction.
5. Else a linear programme in the box −1 ≤ W ≤ 1 finds the direction of the largest sum of
   differences, which is 0 when there is none (Konis, 2007; quasi-separation is found too).
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog

from branchline._arrays import Floats
from branchline._class_sums import probabilities_of
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._one_thread import one_thread
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.linear._logistic_solver import SoftmaxProblem, Solution, whitened

__all__ = ["is_separated", "warn_of_separation"]

# Log-odds as large as this are rare in a fit that exists, and certain in one that does not.
_SUSPICIOUS = 10.0
_MOST_CELLS = 20_000_000
# H that keeps less than this share of a row's information in some direction proves nothing, nor
# does a step that is as long as this: it would have to be 1 if classes were separated.
_LEAST_INFORMATION, _SHORT_STEP = 1e-7, 0.5
_LARGEST_INFORMATION = 600  # unknowns: as for standard errors
_NOTHING = 1e-7  # as exactly as the linear programme is solved


def is_separated(problem: SoftmaxProblem, solution: Solution) -> bool:
    """Whether an unpenalized fit has no end.

    Only a suspicious fit is looked into; one that is too large to look into counts as separated
    when its log-odds are so large that probabilities equal 0 and 1 but for rounding.
    """
    if isinstance(problem.matrix, EncodedBlocks):
        return solution.is_apart
    margins = _margins(problem, solution)
    largest = float(np.abs(margins).max(initial=0.0))
    if largest < _SUSPICIOUS:
        return False
    if (_wrong(margins, problem) < 0).all():
        return True
    n_rows, n_terms = problem.shape
    n_others = problem.n_classes - 1
    if not sparse.issparse(problem.matrix) and n_others * (n_terms + 1) <= _LARGEST_INFORMATION:
        proved = _proved(problem, solution)
        if proved is not None:
            return proved
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


def _wrong(margins: Floats, problem: SoftmaxProblem) -> Floats:
    """Return by how much the likeliest wrong class of each row beats its own."""
    if problem.n_classes == 2:
        return np.where(problem.class_of_row == 1, -margins, margins)
    margins[np.arange(len(margins)), problem.class_of_row] = -np.inf
    return np.asarray(margins.max(axis=1))


@one_thread
def _proved(problem: SoftmaxProblem, solution: Solution) -> bool | None:
    """Return whether classes are separated, as the step from the solution shows; None: not known.

    The last class stands for 0: what is added to all classes changes nothing.
    """
    scores = np.asarray(problem.matrix @ solution.weights.T) + solution.bias
    wrong = probabilities_of(scores, problem.n_classes)
    rows, truth = np.arange(len(wrong)), problem.class_of_row.astype(np.intp)
    wrong[rows, truth] = 0.0
    wrong *= problem.weights[:, None]
    mean, whitening = whitened(problem)
    design = np.ones((len(wrong), whitening.shape[1] + 1))
    np.matmul(problem.matrix - mean, whitening, out=design[:, 1:])
    information, slope = _information(design, wrong, truth)
    spread, directions = np.linalg.eigh(information)
    is_regular = spread[0] > _LEAST_INFORMATION * problem.weights.sum()
    spread = np.maximum(spread, np.finfo(np.float64).tiny)
    step = directions @ ((directions.T @ slope) / spread)
    moved = np.zeros_like(wrong)
    moved[:, :-1] = design @ step.reshape(-1, design.shape[1]).T
    change = moved[rows, truth][:, None] - moved
    if is_regular and change.max() < _SHORT_STEP:
        return False
    is_direction = change.max() > 0 and change.min() >= -_NOTHING * change.max()
    return True if is_direction and np.isfinite(change).all() else None


def _information(
    design: Floats, wrong: Floats, truth: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Return H and Dᵀ v, given v: a column for each class, 0 for a row's own."""
    n_free, width = wrong.shape[1] - 1, design.shape[1]
    total = wrong.sum(axis=1)
    own = np.zeros_like(wrong)
    own[np.arange(len(wrong)), truth] = total
    slope = (own - wrong)[:, :n_free].T @ design
    information = np.empty((n_free, width, n_free, width))
    for one in range(n_free):
        for other in range(one, n_free):
            size = own[:, one] + wrong[:, one]
            if one != other:
                size = -(wrong[:, other] * (truth == one) + wrong[:, one] * (truth == other))
            information[one, :, other] = (design * size[:, None]).T @ design
            information[other, :, one] = information[one, :, other]
    return information.reshape(n_free * width, -1), slope.ravel()


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
