"""How good a subset of columns is: information criteria, adjusted R², cross-validation.

With n rows (their total weight), k terms, and u the unexplained share of the variance s²:

    AIC = n log(u s²) + 2 (k + 1),   BIC = n log(u s²) + log(n) (k + 1),
    adjusted R² = 1 − u (n − 1) / (n − k − 1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._state import malformed
from branchline.linear._cv_curve import mean_and_error
from branchline.linear._moments import Centered, moments_of_folds, origin_of
from branchline.linear._regressor import RegressionProblem
from branchline.linear._subset_search import Subset, correlations

__all__ = [
    "NUMBERS",
    "Candidate",
    "SubsetSize",
    "judge",
    "names_from_state",
    "sizes_from_state",
]

NUMBERS = ("n_terms", "r2", "adjusted_r2", "aic", "bic", "cv_error")
_PERFECT = 1e-15  # no fit is better than rounding


@dataclass(frozen=True)
class SubsetSize:
    """The subset that was found for one number of columns.

    Parameters
    ----------
    columns
        Its columns, in the order of the table.
    n_terms
        How many terms they have.
    r2, adjusted_r2
        The explained share of the target's variance (1 when it does not vary); adjusted for the
        number of terms (NaN when there are as many as rows).
    aic, bic
        The information criteria; smaller is better.
    cv_error
        The squared error on rows left out, as a share of the target's variance; NaN unless the
        criterion is "cv".
    """

    columns: tuple[str, ...]
    n_terms: int
    r2: float
    adjusted_r2: float
    aic: float
    bic: float
    cv_error: float


@dataclass(frozen=True)
class Candidate:
    """A subset with its criteria; see ``SubsetSize``."""

    columns: frozenset[int]
    n_terms: int
    r2: float
    adjusted_r2: float
    aic: float
    bic: float
    cv_error: float


def judge(
    problem: RegressionProblem,
    found: list[Subset],
    groups: list[npt.NDArray[np.intp]],
    search: Callable[..., list[Subset]],
    n_folds: int,
) -> list[Candidate]:
    """Return the subsets with their criteria; ``n_folds`` of 0 leaves out cross-validation."""
    n_rows, y = problem.total_weight, problem.targets[:, 0]
    _, y_mean = origin_of(problem)
    spread = float(problem.weights @ (y - y_mean) ** 2 / n_rows)
    scale = 2.0 * int(problem.exponents[0]) * np.log(2.0)
    log_spread = (np.log(spread) if spread > 0 else 0.0) + scale
    errors = np.full(len(found), np.nan)
    if n_folds:
        errors = _cross_validate(problem, groups, search, n_folds, len(found)) / (spread or 1.0)
    return [
        _candidate(one, groups, n_rows, log_spread, float(error))
        for one, error in zip(found, errors, strict=True)
    ]


def _candidate(
    one: Subset, groups: list[npt.NDArray[np.intp]], n_rows: float, log_spread: float, error: float
) -> Candidate:
    n_terms = sum(len(groups[column]) for column in one.columns)
    fit = n_rows * (np.log(max(one.residual, _PERFECT)) + log_spread)
    df = n_rows - n_terms - 1
    adjusted = 1 - one.residual * (n_rows - 1) / df if df > 0 else np.nan
    bic = fit + np.log(n_rows) * (n_terms + 1)
    aic = fit + 2.0 * (n_terms + 1)
    return Candidate(
        one.columns, n_terms, 1 - one.residual, float(adjusted), float(aic), float(bic), error
    )


def _cross_validate(
    problem: RegressionProblem, groups: Any, search: Any, n_folds: int, n_sizes: int
) -> Floats:
    """Return the error on rows left out for each number of columns, the search repeated."""
    folds = moments_of_folds(problem, n_folds) if problem.n_terms else []
    if not folds:
        return np.zeros(n_sizes)
    curves, weights = [], []
    for rest, part in folds:
        sums = rest.centered()
        found = search(correlations(sums), groups, n_sizes - 1)
        models = np.array([_weights(sums, one.columns, groups) for one in found])
        errors = part.mean_error(models, sums.y_mean - models @ sums.x_mean)
        curves.append(np.append(errors, np.full(n_sizes - len(errors), np.inf)))
        weights.append(part.weight)
    return mean_and_error(np.array(curves), np.array(weights)).error


def _weights(sums: Centered, columns: frozenset[int], groups: Any) -> Floats:
    """Return least squares on the terms of some columns, from the products of terms."""
    weights = np.zeros(len(sums.xy))
    if columns:
        terms = np.concatenate([groups[column] for column in sorted(columns)])
        square = sums.xx[np.ix_(terms, terms)]
        weights[terms] = np.linalg.lstsq(square, sums.xy[terms], rcond=1e-10)[0]
    return weights


def names_from_state(found: Any, names: list[str]) -> tuple[str, ...]:
    """Return a subset of columns, in the order of the table."""
    is_list = isinstance(found, list) and all(isinstance(name, str) for name in found)
    if not is_list or found != [name for name in names if name in found]:
        raise malformed("a subset of columns is not one of the table's")
    return tuple(found)


def sizes_from_state(state: FittedState, names: list[str]) -> tuple[SubsetSize, ...]:
    """Return the subsets of a packed model."""
    columns, numbers = state.get("size_columns"), state.get("size_numbers")
    if not isinstance(columns, list) or not isinstance(numbers, np.ndarray) or not columns:
        raise malformed("the sizes of subsets are not a list")
    if numbers.dtype != np.float64 or numbers.shape != (len(columns), len(NUMBERS)):
        raise malformed("the criteria of subsets are not a table of numbers")
    sizes = []
    for listed, row in zip(columns, numbers.tolist(), strict=True):
        n_terms, *rest = row
        if not 0 <= n_terms <= 1e9 or n_terms != int(n_terms) or np.isinf(rest).any():
            raise malformed("the criteria of subsets are out of range")
        sizes.append(SubsetSize(names_from_state(listed, names), int(n_terms), *rest))
    return tuple(sizes)
