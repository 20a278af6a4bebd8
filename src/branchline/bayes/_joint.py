"""Prior and terms put together: log p(class) + Σ_columns log p(value | class), for many rows.

1. Gaussian columns are added up by a compiled kernel, all at once.
2. The other columns follow, each with its own term; where the table is a matrix and all of them
   have kernel densities, by another kernel (``kernel_scores.hpp``), with the same bits.

Every addition is made in the order of columns for each row by itself, so that a row's result does
not depend on the other rows. Rows are scored in blocks: memory is bounded whatever their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline.bayes._gaussian_columns import GaussianColumns
from branchline.bayes._terms import GaussianTerm, KernelTerm, SilentTerm, Term
from branchline.table import Table

__all__ = [
    "Evidence",
    "GaussianTerms",
    "joint_scores",
    "most_probable",
    "per_unit",
    "posterior",
    "row_blocks",
]

Floats = npt.NDArray[np.float64]

# Scores and values that are worked on at once.
_NUMBERS_AT_ONCE = 2**22


class GaussianTerms(Sequence[Term]):
    """The terms of all columns, of which most are Gaussian; each is made when it is asked for."""

    def __init__(self, gaussians: GaussianColumns, others: dict[int, Term], n_columns: int) -> None:
        self.gaussians, self.others, self._length = gaussians, others, n_columns
        self._number = np.full(n_columns, -1, dtype=np.intp)
        self._number[gaussians.places] = np.arange(len(gaussians.places))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Term: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Term]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(self._length)[place])
        place = range(self._length)[place]
        if place in self.others:
            return self.others[place]
        number = int(self._number[place])
        return SilentTerm(len(self.gaussians.mean)) if number < 0 else self.gaussians.term(number)


@dataclass(frozen=True)
class Evidence:
    """A fitted model: log priors, a term for each column, and how much columns count."""

    log_prior: Floats
    terms: Sequence[Term]
    column_weight: float

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out what is cached: the kernel's own copy of the curves."""
        return type(self), (self.log_prior, self.terms, self.column_weight)

    @cached_property
    def gaussians(self) -> GaussianColumns:
        """The Gaussian columns among the terms."""
        if isinstance(self.terms, GaussianTerms):
            return self.terms.gaussians
        return GaussianColumns.of_terms(self.terms, len(self.log_prior))

    @cached_property
    def others(self) -> dict[int, Term]:
        """The terms that are neither Gaussian nor silent, by position."""
        if isinstance(self.terms, GaussianTerms):
            return self.terms.others
        return {
            place: term
            for place, term in enumerate(self.terms)
            if not isinstance(term, GaussianTerm | SilentTerm)
        }

    @cached_property
    def densities(self) -> _core.KernelCurves | None:
        """The terms that are not Gaussian, where all are kernel densities, for the kernel."""
        given = [(at, term) for at, term in self.others.items() if isinstance(term, KernelTerm)]
        if not given or len(given) < len(self.others):
            return None
        places, terms = zip(*given, strict=True)
        return _core.KernelCurves(
            place=np.array(places, dtype=np.int64),
            n_points=np.array([len(term.log_density) for term in terms], dtype=np.int64),
            low=np.array([term.low for term in terms], dtype=np.float64),
            exponent=np.array([term.exponent for term in terms], dtype=np.int64),
            origin=np.array([term.origin for term in terms], dtype=np.float64),
            step=np.array([term.step for term in terms], dtype=np.float64),
            log_density=np.concatenate([term.log_density for term in terms]),
        )


def row_blocks(evidence: Evidence, table: Table) -> Iterator[Table]:
    """Go through a table in blocks of rows whose scores and values fit into little memory."""
    numbers = len(evidence.log_prior) + table.n_columns
    size = max(1_024, _NUMBERS_AT_ONCE // numbers)
    if table.n_rows <= size:
        yield table
        return
    for begin in range(0, table.n_rows, size):
        yield table.rows(slice(begin, begin + size))


def joint_scores(evidence: Evidence, table: Table) -> Floats:
    """Return log p(class) + weight · Σ log p(value | class), with a row for each class."""
    total = np.zeros((len(evidence.log_prior), table.n_rows))
    evidence.gaussians.add_scores(total, table)
    matrix = table.matrix
    if matrix is not None and matrix.flags.aligned and evidence.densities is not None:
        _core.add_kernel_scores(matrix, evidence.densities, total)
    else:
        for place, term in evidence.others.items():
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


def most_probable(joint: Floats) -> npt.NDArray[np.intp]:
    """Return the class of the highest score of each row; the first on ties."""
    best, top = np.zeros(joint.shape[1], dtype=np.intp), joint[0].copy()
    for kind, scores in enumerate(joint[1:], start=1):
        best[scores > top] = kind
        np.maximum(top, scores, out=top)
    return best
