"""Logistic and softmax regression in the space of a kernel, by Newton's method.

    minimize  ½ Σ_c a_cᵀ K a_c + Σ_i C_i ℓ(y_i, f_i),   f_ic = (K a_c)_i + b_c

with one column c for two classes (log-odds of the second) and one for each of more classes.

1. With probabilities p and truth t, the gradient is K v for v = a − C (t − p), and Σ_i C_i (p − t)
   for b. It is kept as (v, Σ): no power of K is lost, and at the optimum a = C (t − p).
2. A step (d, β) solves d + W (K d + β) = −v and 1ᵀ W (K d + β) = −Σ, with W the curvature of ℓ: by
   conjugate gradients in the inner product of K, preconditioned by the same equations with a
   diagonal W̄ (``_Diagonal``), one Cholesky factor (``_kernel_product``). For two classes W is
   diagonal, and the first step of the conjugate gradients is exact.
3. A step is halved until the objective falls.
4. a = C (t − p) with Σ a = 0 is a point of the dual, −½ Σ aᵀ K a + Σ_i C_i H(p_i), where H is the
   entropy: it bounds the objective of every model from below.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.special import entr, expit, log_softmax, softmax

from branchline._arrays import Floats
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_product import KernelProduct

__all__ = ["LogisticProblem", "LogisticSolution", "solve_logistic"]

_MOST_GRADIENTS = 500
_HALVINGS = 50
_BIAS_STEPS = 10
_LEAST_CURVATURE = 1e-16
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class LogisticProblem:
    """What is minimized.

    Parameters
    ----------
    kernel
        K, as a product.
    costs
        C_i of each row.
    truth
        1 where a row is of the class of a column, else 0; one column for two classes.
    """

    kernel: KernelProduct
    costs: Floats
    truth: Floats

    @staticmethod
    def of(
        kernel: KernelProduct, costs: Floats, class_of_row: npt.NDArray[np.uint32]
    ) -> "LogisticProblem":
        """Return the problem of two classes or more."""
        truth = np.eye(int(class_of_row.max()) + 1)[class_of_row]
        return LogisticProblem(kernel, costs, truth if truth.shape[1] > 2 else truth[:, 1:])

    @property
    def is_binary(self) -> bool:
        """Whether there is one column, for two classes."""
        return bool(self.truth.shape[1] == 1)

    @cached_property
    def size(self) -> float:
        """The length of a typical row in the space of the kernel."""
        return float(np.sqrt(np.abs(self.kernel.diagonal).mean())) or 1.0

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each column's class."""
        found: Floats = expit(scores) if self.is_binary else softmax(scores, axis=1)
        return found

    def loss(self, scores: Floats) -> float:
        """Return Σ C_i ℓ_i."""
        if self.is_binary:
            losses = np.logaddexp(0.0, np.where(self.truth == 1, -scores, scores))[:, 0]
        else:
            losses = -(self.truth * log_softmax(scores, axis=1)).sum(axis=1)
        return float(self.costs @ losses)

    def entropy(self, scores: Floats) -> float:
        """Return Σ C_i H(p_i)."""
        entropies = entr(self.probabilities(scores)).sum(axis=1)
        if self.is_binary:
            entropies += entr(expit(-scores[:, 0]))
        return float(self.costs @ entropies)

    def curvature(self, scores: Floats) -> Floats:
        """Return the diagonal of W: C_i p (1 − p), for each column."""
        own = self.probabilities(scores)
        rest = expit(-scores) if self.is_binary else 1 - own
        return self.costs[:, None] * np.maximum(own * rest, _LEAST_CURVATURE)


@dataclass(frozen=True, eq=False)
class _Place:
    """A model on the way: a, K a and b."""

    coefficients: Floats
    image: Floats
    bias: Floats

    @property
    def scores(self) -> Floats:
        """F of each row and column."""
        return self.image + self.bias

    def objective(self, problem: LogisticProblem) -> float:
        """Return the value that is minimized."""
        return float((self.coefficients * self.image).sum()) / 2 + problem.loss(self.scores)

    def moved(self, step: "_Place", share: float) -> "_Place":
        """Return the place after a share of a step."""
        return _Place(
            self.coefficients + share * step.coefficients,
            self.image + share * step.image,
            self.bias + share * step.bias,
        )


@dataclass(frozen=True, eq=False)
class LogisticSolution:
    """a (one column per class, or one for two), b, and how good they are."""

    coefficients: Floats
    bias: Floats
    certificate: Certificate


def solve_logistic(problem: LogisticProblem, tolerance: float, max_steps: int) -> LogisticSolution:
    """Return the best model; ``tolerance`` is of the gradient of the mean loss, ``_length``."""
    here = _start(problem)
    n_steps = 0
    while True:
        slope = _slope(problem, here)
        is_done = _length(problem, slope) <= tolerance
        if is_done or n_steps == max_steps:
            break
        following = _search(problem, here, slope, _newton_step(problem, here, slope))
        if following is None:
            break
        here, n_steps = following, n_steps + 1
    return _certified(problem, here, n_steps, is_done)


def _start(problem: LogisticProblem) -> _Place:
    """Return the model that knows nothing but how frequent classes are."""
    share = problem.costs @ problem.truth / problem.costs.sum()
    zeros = np.zeros_like(problem.truth)
    return _Place(zeros, zeros, np.log(share / (1 - share)) if problem.is_binary else np.log(share))


def _slope(problem: LogisticProblem, here: _Place) -> _Place:
    """Return the gradient: v, K v and the slope of b."""
    missed = problem.costs[:, None] * (problem.truth - problem.probabilities(here.scores))
    apart = here.coefficients - missed
    return _Place(apart, problem.kernel.times(apart), -missed.sum(axis=0))


def _length(problem: LogisticProblem, slope: _Place) -> float:
    """Return the length of the mean loss's gradient, for rows of length 1 or so."""
    total = float(problem.costs.sum())
    square = max(0.0, float((slope.coefficients * slope.image).sum()))
    return max(math.sqrt(square) / (total * problem.size), float(np.abs(slope.bias).max()) / total)


def _dot(one: _Place, other: _Place) -> float:
    return float((one.coefficients * other.image).sum() + one.bias @ other.bias)


# -- steps --------------------------------------------------------------------------------------


class _Diagonal:
    """The equations of a step with a diagonal W̄, solved exactly."""

    def __init__(self, kernel: KernelProduct, weights: Floats) -> None:
        self._kernel = kernel
        self._damped = kernel.damped(weights)
        self._ones = self._damped(np.ones((len(weights), 1)))

    def solve(self, right: _Place) -> _Place:
        """Return (d, β) with d + W̄ (K d + β) = v and 1ᵀ W̄ (K d + β) = s, for right = (v, s)."""
        free = right.coefficients - self._damped(right.image)
        bias = (free.sum(axis=0) - right.coefficients.sum(axis=0) + right.bias) / self._ones.sum()
        step = free - self._ones * bias
        return _Place(step, self._kernel.times(step), bias)


def _curved(problem: LogisticProblem, probabilities: Floats, step: _Place) -> _Place:
    """Return the left side of the equations of a step."""
    change = step.image + step.bias
    if problem.is_binary:
        change = change * (1 - probabilities)
    else:
        change = change - (probabilities * change).sum(axis=1, keepdims=True)
    change = problem.costs[:, None] * probabilities * change
    left = step.coefficients + change
    return _Place(left, problem.kernel.times(left), change.sum(axis=0))


def _newton_step(problem: LogisticProblem, here: _Place, slope: _Place) -> _Place:
    """Return the step to where the gradient vanishes, by preconditioned conjugate gradients."""
    weights = problem.curvature(here.scores).mean(axis=1)
    near = _Diagonal(problem.kernel, weights)
    found = slope.moved(slope, -1.0)  # nowhere
    left = found.moved(slope, -1.0)
    direction = solved = near.solve(left)
    if problem.is_binary:
        return solved
    probabilities = problem.probabilities(here.scores)
    size = first = _dot(left, solved)
    # Steps need few digits far from the end, and all of them near it.
    enough = first * min(0.01, _length(problem, slope))
    for _ in range(_MOST_GRADIENTS):
        curved = _curved(problem, probabilities, direction)
        energy = _dot(direction, curved)
        if size <= enough or energy <= 0:
            break
        found = found.moved(direction, size / energy)
        left = left.moved(curved, -size / energy)
        solved = near.solve(left)
        before, size = size, _dot(left, solved)
        direction = solved.moved(direction, size / before)
    return found


def _search(problem: LogisticProblem, here: _Place, slope: _Place, step: _Place) -> _Place | None:
    """Return the place after the step, or after the first half of it that lowers the objective."""
    fall, objective = _dot(slope, step), here.objective(problem)
    if abs(fall) <= _ROUNDING * (1 + abs(objective)):
        return here.moved(step, 1.0)  # too little to be seen in the objective
    share = 1.0
    for _ in range(_HALVINGS):
        there = here.moved(step, share)
        if there.objective(problem) <= objective + 1e-4 * share * fall:
            return there
        share /= 2
    return None


# -- what is certain ----------------------------------------------------------------------------


def _certified(
    problem: LogisticProblem, here: _Place, n_steps: int, is_done: bool
) -> LogisticSolution:
    """Return the model with its objective, and the bound below which none can be."""
    here = _with_best_bias(problem, here)
    missed = problem.costs[:, None] * (problem.truth - problem.probabilities(here.scores))
    feasible = _Place(missed, problem.kernel.times(missed), here.bias)
    dual = problem.entropy(here.scores) - float((missed * feasible.image).sum()) / 2
    best = min(here, feasible, key=lambda place: place.objective(problem))
    length = _length(problem, _slope(problem, best))
    certificate = Certificate(best.objective(problem), dual, length, n_steps, is_done)
    bias = best.bias - (0.0 if problem.is_binary else best.bias.mean())
    return LogisticSolution(best.coefficients, bias, certificate)


def _with_best_bias(problem: LogisticProblem, here: _Place) -> _Place:
    """Return the model with the b that is best for its a, so that C (t − p) has the sum 0."""
    for _ in range(_BIAS_STEPS):
        probabilities = problem.probabilities(here.scores)
        slope = problem.costs @ (probabilities - problem.truth)
        if np.abs(slope).max() <= 1e-15 * problem.costs.sum():
            break
        weighted = problem.costs[:, None] * probabilities
        square = np.diag(problem.curvature(here.scores).sum(axis=0))
        if not problem.is_binary:
            square = np.diag(weighted.sum(axis=0)) - probabilities.T @ weighted
        step = linalg.lstsq(square, -slope, cond=1e-12)[0]
        here = _Place(here.coefficients, here.image, here.bias + step)
    return here
