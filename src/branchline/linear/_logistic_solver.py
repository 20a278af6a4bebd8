"""Logistic and softmax regression: the solver chosen by the problem's shape.

The problem: make Σ_i w_i ℓ(y_i, s(z_i)) + (1/C) [ρ ‖W‖₁ + (1 − ρ)/2 ‖W‖²] least, where ℓ is the log
loss, s the sums with constants that are not penalized, and ρ 0 for L2, 1 for L1.

1. ``choose_solver`` names the solver and says why.
2. Without a penalty, terms are first replaced by an orthonormal basis of the space they span
   (``whitened``): any number of copies of a column gives the same sums, and Newton's steps are
   well conditioned. The weights are those of least norm.
3. Few unknowns and no L1 penalty: ``_logistic_newton``; all others: scikit-learn.
4. saga's last digits are found by ``_proximal``, since it slows down on unevenly weighted rows.
5. ``solve`` runs the solver until the gradient (for L1, the least subgradient) vanishes, and
   measures it; ``warn_if_unfinished`` says so when it does not.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Borrowed

from branchline._arrays import Floats
from branchline._class_sums import n_sums, probabilities_of
from branchline._folds import FoldRows
from branchline._one_thread import one_thread
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.linear._logistic_newton import newton, newton_rows
from branchline.linear._proximal import descend, largest_curvature

__all__ = [
    "SoftmaxProblem",
    "Solution",
    "choose_solver",
    "fit_quietly",
    "has_newton",
    "largest_gradient",
    "new_solver",
    "solve",
    "warn_if_unfinished",
    "whitened",
]

# Newton's method factors a square matrix of this many rows at most in each step.
_MOST_NEWTON = 400
# Beyond, the singular vectors of the terms take longer than an iterative solver.
_MOST_WHITENED = 2000
_CLOSE = 1e-9
_SAGA_CLOSE = 1e-6
_MOST_SAGA = 300  # epochs; what is left is polished
_VANISHED = 1e-5
_POLISHED = 1e-6
_SEEDS = 2**32


@dataclass(frozen=True)
class SoftmaxProblem:
    """What is minimized; ``l1_share`` is ρ, ``strength`` C (infinite: no penalty)."""

    matrix: Any  # an array, a SciPy CSR matrix, or ``EncodedBlocks``
    class_of_row: npt.NDArray[Any]
    weights: Floats
    n_classes: int
    strength: float
    l1_share: float
    max_iter: int
    seed: int
    folds: FoldRows | None  # None: no C is chosen, or on some of the rows, which have their own

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and terms."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def rows(self, which: npt.NDArray[Any], share: Floats | None = None) -> "SoftmaxProblem":
        """Return the same problem on some of the rows, or on a share of their weights."""
        weights = self.weights[which]
        return replace(
            self,
            matrix=self.matrix[which],
            class_of_row=self.class_of_row[which],
            weights=weights if share is None else weights * share,
        )


@dataclass(frozen=True)
class Solution:
    """Weights and constants, one row per sum; steps taken; the largest entry of the gradient.

    Of a large table also the second derivatives of the summed losses, and whether the classes are
    told apart without error: to find out later would take another pass over its rows.
    """

    weights: Floats
    bias: Floats
    n_iter: int
    gradient: float
    curvature: Floats | None = None
    is_apart: bool = False


def choose_solver(problem: SoftmaxProblem, *, is_turned: bool = False) -> tuple[str, str]:
    """Return the name of scikit-learn's solver for a problem, and the reason.

    ``is_turned`` says that terms were replaced by the directions that the rows span.
    """
    solver, reason = _solver_for(problem)
    return solver, f"{reason}, in the space that the rows span" if is_turned else reason


def _solver_for(problem: SoftmaxProblem) -> tuple[str, str]:
    n_terms = problem.shape[1]
    n_unknown = n_sums(problem.n_classes) * (n_terms + 1)
    if n_terms == 0 or problem.n_classes == 1:
        return "none", "no column says anything, or there is one class: the model is a constant"
    if problem.l1_share > 0:
        return "saga", "the L1 penalty has corners, which saga steps over; constants stay free"
    if sparse.issparse(problem.matrix):
        return "lbfgs", "the terms are sparse, and lbfgs only multiplies with them"
    if n_unknown <= _MOST_NEWTON:
        return (
            "newton-cholesky",
            f"{n_unknown} unknowns are few enough to factor their Hessian in each step",
        )
    return "lbfgs", f"{n_unknown} unknowns are too many to factor their Hessian in each step"


@one_thread
def solve(problem: SoftmaxProblem, solver: str) -> Solution:
    """Run the solver until the gradient vanishes."""
    if solver == "none":
        return _constant(problem)
    if np.isfinite(problem.strength) or sparse.issparse(problem.matrix):
        return _solve(problem, solver)
    if problem.shape[1] > _MOST_WHITENED:
        return _solve(problem, solver)
    mean, whitening = whitened(problem)
    turned = replace(problem, matrix=(problem.matrix - mean) @ whitening)
    by_newton = solver == "newton-cholesky" and problem.l1_share == 0
    found = _by_newton(turned) if by_newton else _solve(turned, solver)
    weights = found.weights @ whitening.T
    return replace(found, weights=weights, bias=found.bias - weights @ mean)


def has_newton(problem: SoftmaxProblem, solver: str) -> bool:
    """Whether a problem is solved by our Newton's method: few unknowns and an L2 penalty."""
    is_penalized = problem.l1_share == 0 and np.isfinite(problem.strength)
    return solver == "newton-cholesky" and bool(is_penalized)


def new_solver(problem: SoftmaxProblem, solver: str) -> Borrowed:
    """Return scikit-learn's estimator for a problem."""
    return Borrowed(
        C=problem.strength,
        l1_ratio=problem.l1_share,
        solver=solver,
        tol=_SAGA_CLOSE if solver == "saga" else _CLOSE,
        max_iter=min(problem.max_iter, _MOST_SAGA) if solver == "saga" else problem.max_iter,
        random_state=problem.seed % _SEEDS,
        warm_start=True,
    )


def fit_quietly(model: Borrowed, problem: SoftmaxProblem) -> Borrowed:
    """Fit scikit-learn's estimator; whether it converged is measured afterwards."""
    # saga's steps are safe for weights of at most 1; the same factor in C changes nothing.
    factor = float(problem.weights.max()) if problem.l1_share > 0 else 1.0
    model.set_params(C=problem.strength * factor)
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, LinAlgWarning, RuntimeWarning):
            warnings.simplefilter("ignore", kind)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        return model.fit(
            problem.matrix, problem.class_of_row, sample_weight=problem.weights / factor
        )


def _solve(problem: SoftmaxProblem, solver: str) -> Solution:
    if has_newton(problem, solver):
        return _by_newton(problem)
    model = fit_quietly(new_solver(problem, solver), problem)
    weights, bias = model.coef_.astype(np.float64), np.array(model.intercept_, dtype=np.float64)
    weights, bias = _around_zero(problem, weights, bias)
    gradient = largest_gradient(problem, weights, bias)
    found = Solution(weights, bias, int(model.n_iter_.max()), gradient)
    return _polish(problem, found) if gradient > _POLISHED and solver == "saga" else found


def _by_newton(problem: SoftmaxProblem) -> Solution:
    rows = newton_rows(
        problem.matrix, problem.class_of_row, problem.weights[None], problem.n_classes
    )
    start = np.zeros((1, rows.n_unknown))
    found = newton(rows, problem.strength, start, close=_CLOSE, max_iter=problem.max_iter)
    sums = found.sums.reshape(n_sums(problem.n_classes), -1)
    weights, bias = _around_zero(problem, np.ascontiguousarray(sums[:, 1:]), sums[:, 0].copy())
    return Solution(weights, bias, found.n_iter, largest_gradient(problem, weights, bias))


def _around_zero(problem: SoftmaxProblem, weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """Return sums of mean 0 over the classes: what is added to all of them changes nothing."""
    if problem.n_classes == 2:
        return weights, bias
    bias = bias - bias.mean()
    return weights - (weights.mean(axis=0) if problem.l1_share == 0 else 0.0), bias


def _polish(problem: SoftmaxProblem, found: Solution) -> Solution:
    """Go on from where saga stopped, with steps that any weights allow."""
    share = problem.weights / problem.weights.sum()
    price = 1.0 / (problem.strength * problem.weights.sum())
    ridge = np.append(0.0, np.full(problem.shape[1], price * (1 - problem.l1_share)))
    corner = np.append(0.0, np.full(problem.shape[1], price * problem.l1_share))

    def gradient(sums: Floats) -> Floats:
        missed = _missed(problem, sums[:, 1:], sums[:, 0])
        slope = np.asarray((problem.matrix.T @ missed).T)
        return np.hstack([missed.sum(axis=0)[:, None], slope]) + ridge * sums

    bound = 0.25 if problem.n_classes == 2 else 0.5
    curvature = bound * largest_curvature(problem.matrix, share) + ridge.max()
    start = np.hstack([found.bias[:, None], found.weights])
    sums, steps = descend(start, gradient, curvature, corner, _POLISHED / 10, problem.max_iter)
    weights, bias = np.ascontiguousarray(sums[:, 1:]), sums[:, 0].copy()
    bias = bias - (bias.mean() if problem.n_classes > 2 else 0.0)
    return Solution(weights, bias, found.n_iter + steps, largest_gradient(problem, weights, bias))


def _constant(problem: SoftmaxProblem) -> Solution:
    """Return the sums that give every row the frequencies of the classes."""
    count = np.bincount(problem.class_of_row, problem.weights, minlength=problem.n_classes)
    log_share = np.log(count / count.sum())
    if problem.n_classes == 2:
        bias = np.array([log_share[1] - log_share[0]])
    else:
        bias = log_share - log_share.mean()
    return Solution(np.zeros((len(bias), problem.shape[1])), bias, 0, 0.0)


def whitened(problem: SoftmaxProblem) -> tuple[Floats, Floats]:
    """Return the terms' means and the matrix that makes them uncorrelated, of variance 1."""
    matrix, share = problem.matrix, problem.weights / problem.weights.sum()
    mean = share @ matrix
    centered = np.sqrt(share)[:, None] * (matrix - mean)
    size = np.sqrt((centered**2).sum(axis=0))
    size[size == 0] = 1.0
    triangle = np.linalg.qr(centered / size, mode="r")
    _, spread, directions = linalg.svd(triangle, full_matrices=False)
    kept = spread > spread.max(initial=0.0) * 1e-10 * max(1, len(size)) ** 0.5
    whitening: Floats = (directions[kept].T / spread[kept]) / size[:, None]
    return mean, whitening


def _missed(problem: SoftmaxProblem, weights: Floats, bias: Floats) -> Floats:
    """Return each row's probabilities less the truth, times its share: the slope of the sums."""
    scores = np.asarray(problem.matrix @ weights.T) + bias
    missed = probabilities_of(scores, problem.n_classes)
    missed[np.arange(len(missed)), problem.class_of_row] -= 1.0
    missed = missed[:, 1:] if problem.n_classes == 2 else missed
    shared: Floats = missed * (problem.weights / problem.weights.sum())[:, None]
    return shared


def largest_gradient(problem: SoftmaxProblem, weights: Floats, bias: Floats) -> float:
    """Return the largest entry of the mean loss's gradient, for L1 of its least subgradient.

    Entries are in units of each term's size, so that the number does not depend on scales.
    """
    total = problem.weights.sum()
    missed = _missed(problem, weights, bias)
    slope = np.asarray((problem.matrix.T @ missed).T)
    price = 0.0 if np.isinf(problem.strength) else 1.0 / (problem.strength * total)
    slope = slope + price * (1 - problem.l1_share) * weights
    corner = price * problem.l1_share
    at_zero = np.maximum(np.abs(slope) - corner, 0.0)
    slope = np.where(weights == 0, at_zero, np.abs(slope + corner * np.sign(weights)))
    size = (
        np.asarray(abs(problem.matrix).max(axis=0).todense()).ravel()
        if sparse.issparse(problem.matrix)
        else np.abs(problem.matrix).max(axis=0, initial=0.0)
    )
    largest = (slope / np.maximum(size, 1.0)).max(initial=0.0)
    return float(max(largest, np.abs(missed.sum(axis=0)).max()))


def warn_if_unfinished(solution: Solution, solver: str) -> None:
    """Say it when the solver gave up before the gradient vanished."""
    if solution.gradient <= _VANISHED:
        return
    warn(
        f"The solver {solver!r} stopped after {solution.n_iter} steps with a gradient of "
        f"{solution.gradient:.1e} instead of {_VANISHED:.0e}: coefficients may still change in "
        "their first digits. Raise max_iter, or penalize more (a smaller C).",
        BranchlineWarning,
    )
