"""Parameters of a Gaussian process: those of the largest marginal likelihood.

1. The logarithms of all parameters, and of the noise, are moved along exact derivatives
   (``_scoring``).
2. The search begins on few rows and ends on all, or on the first
   ``MOST_ROWS`` in canonical order, which is an order by a hash of their content.
3. Further starts are drawn around the first; the best end wins.
4. A sparse process goes on from there: inducing rows are chosen, and the variational bound on more
   rows is made as large as possible.
5. Logarithms are rounded to six digits, so that the last bits of sums do not matter.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from branchline._arrays import Floats, Places
from branchline.kernels import FittedKernel, Points
from branchline.svm.gaussian._inducing import BoundLikelihood, inducing_places
from branchline.svm.gaussian._marginal_likelihood import ExactLikelihood, Problem
from branchline.svm.gaussian._scoring import Box, End, least

__all__ = ["MOST_ROWS", "NOISES", "START_NOISE", "Learned", "learned", "learned_again"]

MOST_ROWS = 1200
START_NOISE = 0.1
NOISES = (1e-8, 1e2)  # of the variance of the target
_FEW_ROWS = 250  # on which the search begins
_FEW_STEPS, _MOST_STEPS, _AGAIN_STEPS = 100, 60, 12
_SPREAD = 1.5
_DIGITS = 6
_BOUND_ROWS, _BOUND_INDUCING, _BOUND_STEPS = 5000, 256, 15


@dataclass(frozen=True, eq=False)
class Learned:
    """The kernel with its parameters, the rows as prepared for it, σ², and all logarithms."""

    kernel: FittedKernel
    points: Points
    noise: float
    values: Floats


def learned(problem: Problem, n_restarts: int, seed: int, *, is_sparse: bool) -> Learned:
    """Return the kernel with the parameters of the largest marginal likelihood."""
    box = _box(problem)
    values = box.start
    if len(values) and (problem.targets != 0).any():
        values = _best(problem.take(slice(MOST_ROWS)), box, n_restarts, seed).values
        if is_sparse:
            values = _by_bound(problem, box, values)
        values = np.round(values, _DIGITS)
    return _at(problem, values)


def learned_again(problem: Problem, rows: Places, values: Floats) -> Learned:
    """Return the kernel with parameters of some rows, found from those of all rows."""
    box = replace(_box(problem), start=values)
    end = least(ExactLikelihood(problem.take(rows)), box, _AGAIN_STEPS)
    return _at(problem, np.round(end.values, _DIGITS))


def _at(problem: Problem, values: Floats) -> Learned:
    """Return the kernel with given logarithms of its parameters."""
    of_kernel, noise = problem.split(values)
    kernel = problem.kernel.at(of_kernel)
    parts = problem.kernel.parts_at(of_kernel, problem.points.parts)
    return Learned(kernel, Points(parts, len(problem.points)), noise, values)


def _box(problem: Problem) -> Box:
    of_kernel = problem.kernel.parameters
    if problem.noise is not None:
        return Box(of_kernel.start, of_kernel.low, of_kernel.high)
    own = [math.log(one) for one in (START_NOISE, *NOISES)]
    of_kernels = (of_kernel.start, of_kernel.low, of_kernel.high)
    return Box(*(np.append(one, last) for one, last in zip(of_kernels, own, strict=True)))


def _best(problem: Problem, box: Box, n_restarts: int, seed: int) -> End:
    """Return the end of the best start."""
    generator = np.random.default_rng(seed)
    ends = [_end(problem, box)]
    for _ in range(n_restarts - 1):
        drawn = box.start + _SPREAD * generator.standard_normal(len(box.start))
        ends.append(_end(problem, replace(box, start=np.clip(drawn, box.low, box.high))))
    return min(ends, key=lambda end: end.value)


def _end(problem: Problem, box: Box) -> End:
    """Return the end of one start: on few rows first, then on all."""
    some = problem.take(slice(_FEW_ROWS))
    end = least(ExactLikelihood(some), box, _FEW_STEPS)
    if len(some.points) == len(problem.points):
        return end
    return least(ExactLikelihood(problem), replace(box, start=end.values), _MOST_STEPS)


def _by_bound(problem: Problem, box: Box, values: Floats) -> Floats:
    """Return the parameters of the largest bound, from good ones."""
    some = problem.take(slice(_BOUND_ROWS))
    found = _at(some, values)
    places = inducing_places(found.kernel, found.points, _BOUND_INDUCING)
    few = some.points.take(places)
    exact = ExactLikelihood(problem.take(slice(MOST_ROWS)))
    bound = BoundLikelihood(some, few, exact)
    return least(bound, replace(box, start=values), _BOUND_STEPS).values
