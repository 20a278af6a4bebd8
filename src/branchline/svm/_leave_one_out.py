"""Scores of rows by a machine that has not seen them, without fitting it again and again.

Exact (``exact_scores``): a row with α = 0 does not matter, so its score stays. Each support vector
is left out in turn, and the solver goes on from there (``svm_resampling.hpp``).

Near (``span_scores``): as long as the same rows stay support vectors, leaving out row p changes its
score to f(x_p) − β_p (S_p² − ridge_p), with S_p² the squared distance of φ(x_p) from the span of
the other free ones (Vapnik and Chapelle 2000):

1. A = [K_FF + ridge, 1; 1ᵀ, 0] over free support vectors F.
2. p free: S_p² = 1 / (A⁻¹)_pp.
3. p at its bound: S_p² = K_pp − vᵀ A⁻¹ v with v = [K_Fp; 1].

The solver gives spans of small problems; those of large ones are computed here.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg

from branchline import _core
from branchline._arrays import Floats
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._quadratic_program import Solution

__all__ = ["copies_of", "exact_scores", "span_scores"]

_MOST_FREE = 1000
_JITTER = 1e-10


def copies_of(rows: KernelRows) -> Floats:
    """Return how many copies each row stands for; 1 where weights are not whole numbers."""
    units = rows.data.weights.units
    if units is None or rows.data.weights.unit != 1.0:
        return np.ones(len(rows))
    return units.astype(np.float64)


def exact_scores(
    rows: KernelRows, solution: Solution, bias: float, limits: SolverLimits, *, has_sum: bool
) -> Floats:
    """Return the score of each row of the problem when (one copy of) it is left out.

    NaN where no other row of its class is left.
    """
    problem, places = solution.problem, solution.problem.rows
    copies = copies_of(rows)[places]
    kept = 1 - 1 / copies
    with np.errstate(invalid="ignore", divide="ignore"):
        lower = np.where(kept > 0, problem.lower * kept, 0.0)
        upper = np.where(kept > 0, problem.upper * kept, 0.0)
        # Squared slack of one copy less costs less.
        ridge = None if problem.ridge is None else problem.ridge * np.where(kept > 0, 1 / kept, 1)
    changes = (solution.beta < lower) | (solution.beta > upper)
    matters = np.flatnonzero(changes if ridge is None else solution.beta != 0)
    scores: Floats = solution.score + bias
    if len(matters) == 0:
        return scores
    refuse_over_budget(8 * len(places) ** 2, "the kernel matrix of leave-one-out")
    own_rows = np.arange(len(places), dtype=np.uint32)
    scores[matters] = _core.svm_leave_one_out_double(
        np.ascontiguousarray(rows.block(places, places)),
        replace(problem, rows=own_rows, start=solution.beta).native(),
        matters.astype(np.uint32),
        _core.SvmBounds(lower[matters], upper[matters], None if ridge is None else ridge[matters]),
        rows.options(limits, has_sum=has_sum),
    )
    return scores


def span_scores(
    rows: KernelRows, solution: Solution, bias: float, sample: npt.NDArray[Any]
) -> Floats:
    """Return near leave-one-out scores of the variables in ``sample``."""
    scores: Floats = solution.score[sample] + bias
    if len(solution.span):
        change = solution.beta[sample] * solution.span[sample]
        if rows.data.weights.units is not None:
            change = change / copies_of(rows)[solution.problem.rows[sample]]
        near: Floats = scores - change
        return near
    share = 1 / copies_of(rows)[solution.problem.rows]
    is_support = solution.beta[sample] != 0
    chosen = sample[is_support]
    if len(chosen):
        change = solution.beta[chosen] * share[chosen]
        scores[is_support] -= change * _squared_spans(rows, solution, chosen)
    return scores


@one_thread
def _squared_spans(rows: KernelRows, solution: Solution, chosen: npt.NDArray[Any]) -> Floats:
    """Return S_p² − ridge_p of some support vectors."""
    problem, ridge = solution.problem, solution.problem.ridge
    is_free = solution.is_free
    wanted = chosen[is_free[chosen]][:_MOST_FREE]
    others = np.setdiff1d(np.flatnonzero(is_free), wanted)[: _MOST_FREE - len(wanted)]
    free = np.concatenate([wanted, others])
    diagonal = rows.kernel.diag(rows.points.take(problem.rows[chosen]))
    spans = np.maximum(diagonal, 0.0)
    if len(free) == 0:
        return spans
    inverse = _inverse(rows, solution, free)
    spans = np.empty(len(chosen))
    place = {variable: at for at, variable in enumerate(free.tolist())}
    in_free = np.array([variable in place for variable in chosen.tolist()])
    at = np.array([place[variable] for variable in chosen[in_free].tolist()], dtype=np.intp)
    with np.errstate(divide="ignore"):
        spans[in_free] = 1 / inverse[at, at]
    if ridge is not None:
        spans[in_free] -= ridge[chosen[in_free]]
    rest = chosen[~in_free]
    if len(rest):
        block = rows.block(problem.rows[free], problem.rows[rest])
        known = np.vstack([block, np.ones(len(rest))])
        spans[~in_free] = diagonal[~in_free] - np.einsum("ij,ij->j", known, inverse @ known)
    limited: Floats = np.clip(
        np.nan_to_num(spans, posinf=np.inf), 0.0, 4 * np.abs(diagonal) + 1e-300
    )
    return limited


def _inverse(rows: KernelRows, solution: Solution, free: npt.NDArray[Any]) -> Floats:
    n_free = len(free)
    system = np.ones((n_free + 1, n_free + 1))
    places = solution.problem.rows[free]
    system[:n_free, :n_free] = rows.block(places, places)
    system[n_free, n_free] = 0.0
    diagonal = np.arange(n_free)
    jitter = _JITTER * max(1e-300, float(np.abs(system[diagonal, diagonal]).max()))
    ridge = solution.problem.ridge
    system[diagonal, diagonal] += jitter if ridge is None else jitter + ridge[free]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", linalg.LinAlgWarning)  # spans are limited all the same
        try:
            inverse: Floats = linalg.inv(system)
        except linalg.LinAlgError:
            inverse = linalg.pinv(system)
    return inverse
