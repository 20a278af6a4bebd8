"""How exactly logistic coefficients are known: Wald's standard errors.

1. The Fisher information of the sums is H = Σ_i w_i (diag(p_i) − p_i p_iᵀ) ⊗ (1, z_i)(1, z_i)ᵀ.
2. Without a penalty, the coefficients' covariance is H⁻¹. With an L2 penalty it is (H + I/C)⁻¹, the
   spread of the posterior for normal weights of variance C: approximate, and about coefficients
   that are shrunk on purpose.
3. Softmax sums are known up to a constant, so each class stands against the mean of all: the
   variance of W_k − mean of W.
4. A term that others can stand for (a copy, a sum of indicators) has no standard error.
"""

import numpy as np
from scipy import linalg, sparse

from branchline._arrays import Floats
from branchline._class_sums import probabilities_of
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._one_thread import one_thread
from branchline.linear._logistic_blocks import varying_directions
from branchline.linear._logistic_solver import SoftmaxProblem, Solution

__all__ = ["standard_errors"]

# The information is a square matrix of this many rows at most.
_MOST_UNKNOWN = 600
_CELLS_AT_ONCE = 2**16  # stay in the cache


@one_thread
def standard_errors(problem: SoftmaxProblem, solution: Solution) -> Floats | None:
    """Return the standard error of each weight, one row per sum; NaN where there is none."""
    n_sums, n_terms = solution.weights.shape
    if n_terms == 0 or n_sums * (n_terms + 1) > _MOST_UNKNOWN or problem.l1_share > 0:
        return None
    matrix = problem.matrix
    if isinstance(matrix, EncodedBlocks):
        return None if solution.curvature is None else _errors_of_blocks(problem, solution)
    inputs = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)
    size = _sizes(inputs)
    information = _information(problem, solution, inputs, size)
    if np.isfinite(problem.strength):
        penalized = np.append(0.0, 1.0 / (problem.strength * size[1:] ** 2))
        information += np.diag(np.tile(penalized, n_sums))
    variance = _scaled_variances(information, n_sums, size)
    if not np.isfinite(problem.strength):
        whole = np.hstack([np.ones((len(inputs), 1)), inputs]) / size
        variance[:, _is_replaceable(whole)[1:]] = np.nan
    errors: Floats = np.sqrt(np.maximum(variance, 0.0))
    return errors


def _scaled_variances(information: Floats, n_sums: int, size: Floats) -> Floats:
    """Return the variance of each weight, given the information of terms in units of sizes."""
    variance = _variances(linalg.pinvh(information, rtol=1e-12), n_sums)[:, 1:] / size[1:]
    return np.asarray(variance / size[1:])


def _errors_of_blocks(problem: SoftmaxProblem, solution: Solution) -> Floats:
    """Return the standard errors of a large table's weights, by the last pass over its rows."""
    n_sums, n_terms = solution.weights.shape
    information = np.array(solution.curvature)
    own = np.diag(information).reshape(n_sums, n_terms + 1).mean(axis=0)
    size = np.sqrt(np.where(own > 0, own, 1.0) / float(problem.weights.sum()))
    units = np.tile(size, n_sums)
    information /= units[:, None] * units
    if np.isfinite(problem.strength):
        penalized = np.append(0.0, 1.0 / (problem.strength * size[1:] ** 2))
        information += np.diag(np.tile(penalized, n_sums))
    variance = _scaled_variances(information, n_sums, size)
    if not np.isfinite(problem.strength):
        variance[:, varying_directions(problem.matrix, problem.weights)[1]] = np.nan
    return np.sqrt(np.maximum(variance, 0.0))


def _sizes(inputs: Floats) -> Floats:
    """Return the root mean square of the constant and of each term, 1 where it is 0."""
    squares = np.einsum("ij,ij->j", inputs, inputs) / max(1, len(inputs))
    size: Floats = np.sqrt(np.append(1.0, squares))
    size[size == 0] = 1.0
    return size


def _information(
    problem: SoftmaxProblem, solution: Solution, inputs: Floats, size: Floats
) -> Floats:
    """Return the information of all sums, of terms in units of their sizes."""
    scores = np.asarray(problem.matrix @ solution.weights.T) + solution.bias
    probabilities = probabilities_of(scores, problem.n_classes)
    if problem.n_classes == 2:
        probabilities = probabilities[:, 1:]
    n_sums, width = probabilities.shape[1], len(size)
    blocks = np.zeros((n_sums, width, n_sums, width))
    step = max(1, _CELLS_AT_ONCE // width)
    for first in range(0, len(inputs), step):
        some = slice(first, first + step)
        part = np.hstack([np.ones((len(inputs[some]), 1)), inputs[some]]) / size
        for one, chosen in enumerate(probabilities[some].T):
            for other, second in enumerate(probabilities[some].T):
                factor = chosen * ((one == other) - second) * problem.weights[some]
                blocks[one, :, other] += part.T @ (factor[:, None] * part)
    return blocks.reshape(n_sums * width, n_sums * width)


def _variances(covariance: Floats, n_sums: int) -> Floats:
    """Return the variance of each weight; with several sums, of its difference from their mean."""
    width = len(covariance) // n_sums
    among = covariance.reshape(n_sums, width, n_sums, width)
    of_term = np.einsum("ajbj->jab", among)
    if n_sums > 1:
        center = np.eye(n_sums) - 1.0 / n_sums
        of_term = center @ of_term @ center
    variances: Floats = np.einsum("jaa->aj", of_term)
    return variances


def _is_replaceable(inputs: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each term is a sum of multiples of others: it takes part in a null vector."""
    triangle = np.linalg.qr(inputs, mode="r")
    _, spread, directions = linalg.svd(triangle, full_matrices=True)
    n_kept = int((spread > spread[0] * 1e-10 * len(directions) ** 0.5).sum())
    null = directions[n_kept:]
    taking_part = np.sqrt((null**2).sum(axis=0)) if len(null) else np.zeros(inputs.shape[1])
    return np.asarray(taking_part > 1e-6)
