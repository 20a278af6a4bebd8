"""Errors of a Gaussian process on rows that its parameters have not seen.

Errors of rows left out one by one are too small where there are few rows for each parameter: the
row was among those that the parameters were learned from.

1. Rows are split into five folds, in canonical order.
2. Without each fold the parameters are learned anew, from those of all rows on.
3. The rows of the fold are predicted with the parameters and the rows of the other folds.
"""

import numpy as np

from branchline._arrays import Floats
from branchline._long_algebra import cholesky, solve
from branchline.svm.gaussian._inducing import lower_solve
from branchline.svm.gaussian._learning import Learned, learned_again
from branchline.svm.gaussian._marginal_likelihood import Problem, noise_of

__all__ = ["fold_errors", "has_few_rows"]

_N_FOLDS = 5
_ROWS_PER_PARAMETER = 20


def has_few_rows(problem: Problem, found: Learned) -> bool:
    """Return whether there are few rows for each parameter that was learned."""
    n_rows, n_parameters = len(problem.points), len(found.values)
    return _N_FOLDS < n_rows < _ROWS_PER_PARAMETER * n_parameters


def fold_errors(problem: Problem, found: Learned) -> tuple[Floats, Floats]:
    """Return the error of each row, and the standard deviation that was expected of it."""
    n_rows = len(problem.points)
    errors, deviations = np.full(n_rows, np.nan), np.full(n_rows, np.nan)
    fold = np.arange(n_rows) % _N_FOLDS
    for at in range(_N_FOLDS):
        inside, outside = np.flatnonzero(fold != at), np.flatnonzero(fold == at)
        again = learned_again(problem, inside, found.values)
        known, new = again.points.take(inside), again.points.take(outside)
        gram = again.kernel.gram(known, known)
        gram.flat[:: len(gram) + 1] += noise_of(again.noise, problem.weights[inside])
        factor = cholesky(np.asfortranarray(gram))
        if factor is None:
            continue
        alpha = solve(factor, problem.targets[inside][:, None])[:, 0]
        between = again.kernel.gram(new, known)
        within = lower_solve(factor, np.asfortranarray(between.T))
        variances = again.kernel.diag(new) - np.einsum("ij,ij->j", within, within)
        errors[outside] = problem.targets[outside] - between @ alpha
        deviations[outside] = np.sqrt(np.maximum(variances, 0.0) + again.noise)
    return errors, deviations
