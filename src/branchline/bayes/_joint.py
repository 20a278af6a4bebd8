"""Prior and terms put together: log p(class) + Σ_columns log p(cell | class), for many rows.

1. Bell curves go by blocks of rows: all columns' squared distances at once, then added column after
   column. What a missing cell would have taken off is given back.
2. The other columns follow, each with its own term.

Every addition is made in the order of columns for each row by itself, never as a sum over an axis:
so a row's result does not depend on the other rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.bayes._number_groups import NumberGroup, number_groups
from branchline.bayes._terms import GaussianTerm, KernelTerm, Term, squared_distances
from branchline.table import Table

__all__ = ["Evidence", "joint_scores", "most_probable", "per_unit", "posterior"]

Floats = npt.NDArray[np.float64]

_ROWS = 2_048


@dataclass(frozen=True)
class Evidence:
    """A fitted model: log priors, a term for each column, and how much columns count."""

    log_prior: Floats
    terms: tuple[Term, ...]
    column_weight: float


def joint_scores(evidence: Evidence, table: Table) -> Floats:
    """Return log p(class) + weight · Σ log p(cell | class), a row for each class."""
    n_classes = len(evidence.log_prior)
    total = np.zeros((n_classes, table.n_rows))
    bells = [p for p, term in enumerate(evidence.terms) if isinstance(term, GaussianTerm)]
    for group in number_groups(table, bells):
        terms = [evidence.terms[place] for place in group.places]
        _add_bells(total, group, [term for term in terms if isinstance(term, GaussianTerm)])
    for place, term in enumerate(evidence.terms):
        if term.kind not in {"gaussian", "silent"}:
            total += term.scores(table.column(table.names[place]))
    total *= evidence.column_weight
    total += evidence.log_prior[:, None]
    return total


def per_unit(evidence: Evidence, table: Table) -> Floats:
    """Return what the joint scores of each row lack: −log of the units of its numbers."""
    found = np.zeros(table.n_rows)
    for term, name in zip(evidence.terms, table.names, strict=True):
        if isinstance(term, GaussianTerm | KernelTerm):
            missing = np.isnan(table.column(name).numbers())
            found -= np.where(missing, 0.0, evidence.column_weight * np.log(term.unit))
    return found


def posterior(joint: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of classes and their logarithms, a row for each class."""
    shifted = joint - joint.max(axis=0)
    powers = np.exp(shifted)
    total = powers[0].copy()
    for kind in powers[1:]:
        total += kind
    return powers / total, shifted - np.log(total)


def _add_bells(total: Floats, group: NumberGroup, terms: Sequence[GaussianTerm]) -> None:
    """Add the scores of Gaussian columns to ``total``."""
    mean = np.array([term.mean for term in terms]).T[:, :, None]
    sd = np.array([term.sd for term in terms]).T[:, :, None]
    with np.errstate(over="ignore"):
        steepness = 1.0 / sd  # infinite for the smallest deviations: then the slow way is taken
    constants = np.array([term.constants for term in terms]).T
    for begin in range(0, total.shape[1], _ROWS):
        rows = slice(begin, begin + _ROWS)
        values = group.block(rows)
        holes = np.isnan(values)
        some, room = np.flatnonzero(holes.any(axis=1)), np.empty_like(values)
        seen = holes if len(some) else None
        for kind in range(len(total)):
            apart = _sum_of_squares(values, mean[kind], steepness[kind], seen, room)
            far = np.flatnonzero(~np.isfinite(apart))
            if len(far):
                squares = squared_distances(values[:, far], mean[kind], sd[kind])
                apart[far] = _add_up(np.nan_to_num(squares, nan=0.0))
            apart *= -0.5
            apart -= constants[kind].sum()
            for place in some:
                apart += np.where(holes[place], constants[kind][place], 0.0)
            total[kind, rows] += apart


def _sum_of_squares(
    values: Floats,
    mean: Floats,
    steepness: Floats,
    holes: npt.NDArray[np.bool_] | None,
    squares: Floats,
) -> Floats:
    """Return the sum over columns of squared distances from the means, in deviations.

    ``squares`` is room to work in.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        np.subtract(values, mean, out=squares)
        squares *= steepness
        squares *= squares
        if holes is not None:
            squares[holes] = 0.0
        return _add_up(squares)


def most_probable(joint: Floats) -> npt.NDArray[np.intp]:
    """Return the class of the highest score of each row; the first on ties."""
    best, top = np.zeros(joint.shape[1], dtype=np.intp), joint[0].copy()
    for kind, scores in enumerate(joint[1:], start=1):
        best[scores > top] = kind
        np.maximum(top, scores, out=top)
    return best


def _add_up(squares: Floats) -> Floats:
    total: Floats = squares[0].copy()
    for column in squares[1:]:
        total += column
    return total
