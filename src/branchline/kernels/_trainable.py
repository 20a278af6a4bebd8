"""Kernels whose parameters are learned: values, and derivatives of what is computed from them.

A parameter t of a formula is known by its logarithm; a length scale ℓ by log(1/ℓ² + ``_FLAT``), so
that the search does not come to rest where a column hardly matters: at 1/ℓ² = 0 it does not matter
at all, and the derivative there is not 0. Given an adjoint M = ∂J/∂K of a block of kernel
values, a kernel returns Σ_ij M_ij ∂K_ij/∂log t for each of its parameters:

1. RBF and ARD: with W = M ∘ K, Σ_ij W_ij (x_i − z_j)² = Σ_i r_i x_i² + Σ_j s_j z_j² − 2 Σ_i x_i
   (W z)_i for each column, where r and s are the sums of W over columns and rows. No array of
   n × n × columns is made.
2. Laplacian: log K = −γ ‖x − z‖₁, so the derivative is Σ W ∘ log K.
3. Polynomial: the chain rule on (γ x·z + c)^d.
4. Kernels without parameters to learn are computed once for each block.

Columns are taken in an order that depends on their content only, so that the order of a table's
columns does not change the path of the optimizer.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._term_order import term_order
from branchline.kernels._ard import FittedARD
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._fitted_numbers import FittedNumbers
from branchline.kernels._number_kernels import RBF, Laplacian, Polynomial
from branchline.kernels._number_rows import NumberForm, number_gram
from branchline.kernels._points import DensePart, Parts

__all__ = ["Backward", "FixedKernel", "Parameters", "Trainable", "trainable_leaf"]

Backward: TypeAlias = Callable[[Floats], Floats]
Block: TypeAlias = tuple[Floats, Backward]

_SHORTEST, _LONGEST = 1e-2, 1e6
_FLAT = 1e-5
_GAMMAS = (1e-8, 1e4)
_OFFSETS = (1e-4, 1e4)
_NONE = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Logarithms of parameters: where the search begins, and how far it may go."""

    start: Floats
    low: Floats
    high: Floats

    @staticmethod
    def of(values: Any, limits: tuple[float, float]) -> "Parameters":
        """Return the parameters of some values; limits are widened to hold them."""
        # Rounded, so that the last digits of a sum of variances do not matter.
        logs: Floats = np.log(np.atleast_1d(np.asarray(values, dtype=np.float64)))
        start = np.asarray(np.round(logs, 6), dtype=np.float64)
        low, high = np.log(limits[0]), np.log(limits[1])
        return Parameters(start, np.minimum(start, low), np.maximum(start, high))

    @staticmethod
    def joined(parts: "list[Parameters]") -> "Parameters":
        """Return those of several kernels, one after the other."""
        starts, lows, highs = ([_NONE] for _ in range(3))
        for part in parts:
            starts.append(part.start)
            lows.append(part.low)
            highs.append(part.high)
        return Parameters(np.concatenate(starts), np.concatenate(lows), np.concatenate(highs))

    def __len__(self) -> int:
        return len(self.start)


class Trainable(ABC):
    """A kernel with parameters, on rows that were prepared for it.

    See Also
    --------
    trainable : return a fitted kernel with its parameters, for the rows that will be compared.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.kernels import RBF, trainable
    >>> table = Table([[0.0], [1.0]])
    >>> fitted = RBF(gamma=0.5).fit(table)
    >>> points = fitted.prepare(table)
    >>> kernel = trainable(fitted, points)
    >>> kernel.at(kernel.parameters.start).gram(points, points).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    fitted: FittedKernel
    parameters: Parameters

    @abstractmethod
    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return K(a_i, b_j), and what turns its adjoint into derivatives."""

    @abstractmethod
    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return K(a_i, a_i), and what turns its adjoint into derivatives."""

    @abstractmethod
    def at(self, values: Floats) -> FittedKernel:
        """Return the fitted kernel with these values of its parameters."""

    def parts_at(self, values: Floats, parts: Parts) -> Parts:
        """Return rows, prepared for the kernel as it was, as prepared for ``at(values)``."""
        del values
        return parts


@dataclass(eq=False)
class FixedKernel(Trainable):
    """A kernel without parameters to learn; each block is computed once."""

    fitted: FittedKernel
    parameters: Parameters = field(default_factory=lambda: Parameters(_NONE, _NONE, _NONE))
    _known: dict[Any, Any] = field(default_factory=dict)

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the block, made when it was first asked for."""
        key = (*map(id, a), *map(id, b))
        if key not in self._known:
            shape = (_length(a), _length(b))
            self._known[key] = (self.fitted._gram(a, b, shape, 1), a, b)  # a and b: ids stay theirs
        return self._known[key][0], lambda adjoint: _NONE

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return the diagonal."""
        return self.fitted._diag(a, _length(a)), lambda adjoint: _NONE

    def at(self, values: Floats) -> FittedKernel:
        """Return the kernel itself."""
        return self.fitted


def _length(parts: Parts) -> int:
    return len(parts[0])


class _OnNumbers(Trainable):
    """A kernel on numbers: columns in an order of their own."""

    def __init__(self, fitted: FittedNumbers, parts: Parts) -> None:
        self.fitted: FittedNumbers = fitted
        self._order = term_order(_matrix(parts))
        self._known: dict[int, Any] = {}

    def _rows(self, parts: Parts) -> Floats:
        """Return the numbers of rows, their columns in canonical order."""
        part = parts[0]
        if id(part) not in self._known:
            ordered = np.ascontiguousarray(self._raw(_matrix(parts))[:, self._order])
            self._known[id(part)] = (ordered, part)
        return cast("Floats", self._known[id(part)][0])

    def _raw(self, matrix: Floats) -> Floats:
        return matrix


class _Widths(_OnNumbers):
    """RBF: one gamma. Laplacian: likewise, by the logarithm of its values."""

    def __init__(self, fitted: FittedNumbers, parts: Parts) -> None:
        super().__init__(fitted, parts)
        self.parameters = Parameters.of(fitted.number_form.gamma, _GAMMAS)

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the kernel of the gamma, and Σ M ∘ K log K."""
        form = replace(self.fitted.number_form, gamma=float(np.exp(values[0])))
        x, z = self._rows(a), self._rows(b)
        gram = number_gram(form, DensePart(x), DensePart(z), 1)

        def backward(adjoint: Floats) -> Floats:
            weighted = adjoint * gram
            if form.kind == "rbf":
                return np.array([-form.gamma * _squares(weighted, x, z).sum()])
            logs = np.log(np.where(gram > 0, gram, 1.0))
            return np.array([float(np.vdot(weighted, logs))])

        return gram, backward

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return ones."""
        return np.ones(_length(a)), lambda adjoint: np.zeros(1)

    def at(self, values: Floats) -> FittedKernel:
        """Return the kernel with this gamma."""
        kernel = cast("RBF | Laplacian", self.fitted.kernel)
        formula = type(kernel)(*kernel.columns, gamma=float(np.exp(values[0])))
        return replace(self.fitted, kernel=formula, number_form=formula._form(formula.gamma))  # type: ignore[arg-type]


class _Lengths(_OnNumbers):
    """ARD: a length scale for each column that varies."""

    def __init__(self, fitted: FittedARD, parts: Parts) -> None:
        super().__init__(fitted, parts)
        self._lengths = fitted.lengths
        columns = fitted.columns
        place = columns.encoding.column_of_term(columns.schema)
        ordered = place[self._order]
        # Columns in the order of their first terms.
        _, first = np.unique(ordered, return_index=True)
        self._columns = ordered[np.sort(first)]
        at = {int(column): k for k, column in enumerate(self._columns)}
        self._of_term = np.array([at[int(column)] for column in ordered], dtype=np.intp)
        starts = np.ones(len(self._columns))
        starts[self._of_term] = fitted.lengths[self._order]
        limits = (_FLAT, _SHORTEST**-2)
        self.parameters = Parameters.of(starts**-2.0 + _FLAT, limits)

    def _raw(self, matrix: Floats) -> Floats:
        return matrix * self._lengths

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the kernel of the lengths; ∂K/∂(1/ℓ²) = −½ K ‖x_c − z_c‖²."""
        lengths = _lengths_of(values)
        scale = (1 / lengths)[self._of_term]
        x = self._rows(a) * scale
        z = x if a[0] is b[0] else self._rows(b) * scale
        gram = number_gram(NumberForm("rbf", 0.5), DensePart(x), DensePart(z), 1)

        def backward(adjoint: Floats) -> Floats:
            of_terms = _squares(adjoint * gram, x, z)
            by_column = np.bincount(self._of_term, of_terms, minlength=len(values))
            found: Floats = -0.5 * np.exp(values) * lengths**2 * by_column
            return found

        return gram, backward

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return ones."""
        return np.ones(_length(a)), lambda adjoint: np.zeros(len(values))

    def _by_column(self, values: Floats) -> Floats:
        """Return the length scale of each column; one that does not vary keeps its own."""
        fitted = cast("FittedARD", self.fitted)
        kernel = cast("Any", fitted.kernel)
        names = fitted.columns.schema.names
        if isinstance(kernel.length_scales, tuple):
            given = dict(zip(kernel.columns or names, kernel.length_scales, strict=True))
            lengths = np.array([given[name] for name in names], dtype=np.float64)
        else:
            lengths = np.full(len(names), kernel.length_scales)
        lengths[self._columns] = _lengths_of(values)
        return lengths

    def at(self, values: Floats) -> FittedKernel:
        """Return the kernel with these length scales."""
        return cast("FittedARD", self.fitted).with_lengths(self._by_column(values))

    def parts_at(self, values: Floats, parts: Parts) -> Parts:
        """Return rows divided by these length scales."""
        new = cast("FittedARD", self.at(values)).lengths
        return (DensePart(np.ascontiguousarray(self._raw(_matrix(parts)) / new)),)


def _lengths_of(values: Floats) -> Floats:
    """Return ℓ, given log(1/ℓ² + ``_FLAT``)."""
    found: Floats = np.maximum(np.exp(values) - _FLAT, _LONGEST**-2) ** -0.5
    return found


class _Powers(_OnNumbers):
    """Polynomial: gamma, and coef0 where it is above 0."""

    def __init__(self, fitted: FittedNumbers, parts: Parts) -> None:
        super().__init__(fitted, parts)
        form = fitted.number_form
        both = [Parameters.of(form.gamma, _GAMMAS)]
        both += [Parameters.of(form.coef0, _OFFSETS)] if form.coef0 > 0 else []
        self.parameters = Parameters.joined(both)

    def _values(self, products: Floats, values: Floats) -> Block:
        """Return (γ p + c)^d of products p, and Σ M d (γ p + c)^(d−1) × (γ p, c)."""
        degree, gamma = self.fitted.number_form.degree, float(np.exp(values[0]))
        offset = float(np.exp(values[1])) if len(values) > 1 else self.fitted.number_form.coef0
        base = gamma * products + offset

        def backward(adjoint: Floats) -> Floats:
            slope = adjoint * degree * base ** (degree - 1)
            found = [gamma * float(np.vdot(slope, products)), offset * float(slope.sum())]
            return np.array(found[: len(values)])

        return base**degree, backward

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the kernel of x·z."""
        return self._values(self._rows(a) @ self._rows(b).T, values)

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return the kernel of x·x."""
        x = self._rows(a)
        return self._values(np.einsum("ij,ij->i", x, x), values)

    def at(self, values: Floats) -> FittedKernel:
        """Return the kernel with these values."""
        kernel = cast("Polynomial", self.fitted.kernel)
        offset = float(np.exp(values[1])) if len(values) > 1 else kernel.coef0
        gamma = float(np.exp(values[0]))
        formula = Polynomial(kernel.degree, *kernel.columns, gamma=gamma, coef0=offset)
        return replace(self.fitted, kernel=formula, number_form=formula._form(gamma))


def trainable_leaf(fitted: FittedKernel, parts: Parts) -> Trainable:
    """Return a kernel that is not made of others, with its parameters."""
    kernel = fitted.kernel
    if isinstance(fitted, FittedNumbers) and fitted.columns.width > 0:
        if isinstance(fitted, FittedARD):
            return _Lengths(fitted, parts)
        if isinstance(kernel, RBF | Laplacian):
            return _Widths(fitted, parts)
        if isinstance(kernel, Polynomial):
            return _Powers(fitted, parts)
    return FixedKernel(fitted)


def _matrix(parts: Parts) -> Floats:
    part = parts[0]
    assert isinstance(part, DensePart)
    return part.matrix


def _squares(weighted: Floats, x: Floats, z: Floats) -> Floats:
    """Return Σ_ij W_ij (x_ic − z_jc)² of each column."""
    of_x, of_z = weighted.sum(axis=1), weighted.sum(axis=0)
    crossed = np.einsum("ic,ic->c", x, weighted @ z)
    found: Floats = of_x @ x**2 + of_z @ z**2 - 2 * crossed
    return found
