"""Formulas of several kernels whose parameters are learned: sums, products, factors, powers.

Each hands to its children the adjoint that belongs to them (reverse differentiation):

    sum              M
    product          M ∘ the product of the other kernels
    factor c · k     c M                                    (∂/∂log c = Σ M ∘ c k)
    power k^n        n M ∘ k^(n−1)
    normalized k     M_ij / √(k_ii k_jj), and −½ Σ_j M_ij K_ij / k_ii for the diagonal
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

import numpy as np

from branchline._arrays import Floats
from branchline.kernels._algebra import Constant, Normalized, Power, Product, Scaled, Sum
from branchline.kernels._fitted_algebra import (
    FittedConstant,
    FittedNode,
    FittedNormalised,
    FittedPower,
    FittedProduct,
    FittedScaled,
    FittedSum,
)
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._points import Parts, Points
from branchline.kernels._trainable import (
    Backward,
    FixedKernel,
    Parameters,
    Trainable,
    trainable_leaf,
)

__all__ = ["trainable"]

_FACTORS = (1e-4, 1e4)
Block = tuple[Floats, Backward]


def trainable(fitted: FittedKernel, points: Points, *, is_fixed: bool = False) -> Trainable:
    """Return a fitted kernel with its parameters, for the rows that will be compared.

    ``is_fixed``: it keeps the parameters that it has.

    See Also
    --------
    Trainable : a kernel with parameters, on rows that were prepared for it.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.kernels import RBF, trainable
    >>> table = Table([[0.0], [1.0]])
    >>> fitted = RBF(gamma=0.5).fit(table)
    >>> points = fitted.prepare(table)
    >>> kernel = trainable(fitted, points)
    >>> len(kernel.parameters.start)
    1
    """
    if is_fixed:
        return FixedKernel(fitted)
    return _trainable(fitted, points.parts, len(points))


def _trainable(fitted: FittedKernel, parts: Parts, n_rows: int) -> Trainable:
    if isinstance(fitted, FittedConstant):
        return _Constant(fitted, n_rows)
    kind = _NODES.get(type(fitted))
    if kind is None:
        return trainable_leaf(fitted, parts) if fitted.n_parts == 1 else FixedKernel(fitted)
    node = cast("FittedNode", fitted)
    first, children = 0, []
    for child in node.children:
        children.append(_trainable(child, parts[first : first + child.n_parts], n_rows))
        first += child.n_parts
    return kind(node, children)


class _Constant(Trainable):
    """The same value everywhere, learned where it is above 0."""

    def __init__(self, fitted: FittedConstant, n_rows: int) -> None:
        self.fitted = fitted
        values = [fitted.value] if fitted.value > 0 else []
        self.parameters = Parameters.of(values, _FACTORS)

    def _value(self, values: Floats) -> float:
        return float(np.exp(values[0])) if len(values) else 0.0

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the value, which broadcasts."""
        value = self._value(values)
        return np.full((1, 1), value), lambda adjoint: value * adjoint.sum() * np.ones(len(values))

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return the value, which broadcasts."""
        value = self._value(values)
        return np.full(1, value), lambda adjoint: value * adjoint.sum() * np.ones(len(values))

    def at(self, values: Floats) -> FittedKernel:
        """Return the constant."""
        return replace(self.fitted, kernel=Constant(self._value(values)))


class _Node(Trainable):
    """A formula of other kernels; its own parameters come first."""

    def __init__(self, fitted: FittedNode, children: Sequence[Trainable]) -> None:
        self.fitted: FittedNode = fitted
        self.children = children
        self.parameters = Parameters.joined([self._own(), *(c.parameters for c in children)])

    def _own(self) -> Parameters:
        return Parameters.joined([])

    @property
    def _n_own(self) -> int:
        return len(self._own())

    def _shares(self, values: Floats) -> list[Floats]:
        ends = np.cumsum([self._n_own, *(len(child.parameters) for child in self.children)])
        return [values[low:high] for low, high in pairwise(ends)]

    def _parts(self, parts: Parts) -> list[Parts]:
        ends = np.cumsum([0, *(child.fitted.n_parts for child in self.children)]).tolist()
        return [parts[low:high] for low, high in pairwise(ends)]

    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return the combination of the children's blocks."""
        shares = self._shares(values)
        found = [
            child.block(share, x, z)
            for child, share, x, z in zip(
                self.children, shares, self._parts(a), self._parts(b), strict=True
            )
        ]
        return self._combined(values, [one for one, _ in found], [back for _, back in found])

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return the combination of the children's diagonals."""
        shares = self._shares(values)
        found = [
            child.diagonal(share, x)
            for child, share, x in zip(self.children, shares, self._parts(a), strict=True)
        ]
        return self._combined(values, [one for one, _ in found], [back for _, back in found])

    def _combined(self, values: Floats, blocks: list[Floats], backs: list[Backward]) -> Block:
        raise NotImplementedError

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        raise NotImplementedError

    def at(self, values: Floats) -> FittedKernel:
        """Return the fitted formula with these values."""
        pairs = zip(self.children, self._shares(values), strict=True)
        return self._formula(values, tuple(child.at(share) for child, share in pairs))

    def parts_at(self, values: Floats, parts: Parts) -> Parts:
        """Return the rows as prepared for the children at these values."""
        each = zip(self.children, self._shares(values), self._parts(parts), strict=True)
        return tuple(part for child, share, own in each for part in child.parts_at(share, own))


class _Sum(_Node):
    def _combined(self, values: Floats, blocks: list[Floats], backs: list[Backward]) -> Block:
        total = blocks[0]
        for block in blocks[1:]:
            total = total + block
        return total, lambda adjoint: np.concatenate([back(adjoint) for back in backs])

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        formula = Sum(tuple(child.kernel for child in children))
        return FittedSum(formula, self.fitted.schema, children)


class _Product(_Node):
    def _combined(self, values: Floats, blocks: list[Floats], backs: list[Backward]) -> Block:
        total = blocks[0]
        for block in blocks[1:]:
            total = total * block

        def backward(adjoint: Floats) -> Floats:
            found = []
            for at, back in enumerate(backs):
                one = adjoint
                for k, block in enumerate(blocks):
                    one = one * block if k != at else one
                found.append(back(one))
            return np.concatenate(found)

        return total, backward

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        formula = Product(tuple(child.kernel for child in children))
        return FittedProduct(formula, self.fitted.schema, children)


class _Scaled(_Node):
    def _own(self) -> Parameters:
        factor = cast("FittedScaled", self.fitted).factor
        return Parameters.of([factor] if factor > 0 else [], _FACTORS)

    def _factor(self, values: Floats) -> float:
        return float(np.exp(values[0])) if self._n_own else 0.0

    def _combined(self, values: Floats, blocks: list[Floats], backs: list[Backward]) -> Block:
        factor, block, back = self._factor(values), blocks[0], backs[0]

        def backward(adjoint: Floats) -> Floats:
            own = [factor * float((adjoint * block).sum())] * self._n_own
            return np.concatenate([own, factor * back(adjoint)])

        return factor * block, backward

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        factor = self._factor(values)
        formula = Scaled(factor, children[0].kernel)
        return FittedScaled(formula, self.fitted.schema, children, factor)


class _Power(_Node):
    def _combined(self, values: Floats, blocks: list[Floats], backs: list[Backward]) -> Block:
        n, block, back = cast("FittedPower", self.fitted).exponent, blocks[0], backs[0]
        return block**n, lambda adjoint: back(adjoint * n * block ** (n - 1))

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        n = cast("FittedPower", self.fitted).exponent
        return FittedPower(Power(children[0].kernel, n), self.fitted.schema, children, n)


class _Normalized(_Node):
    def block(self, values: Floats, a: Parts, b: Parts) -> Block:
        """Return k_ij / √(k_ii k_jj)."""
        child = self.children[0]
        block, back = child.block(values, a, b)
        of_a, back_a = child.diagonal(values, a)
        of_b, back_b = child.diagonal(values, b)
        inverse_a, inverse_b = _inverse(of_a), _inverse(of_b)
        scale = np.sqrt(inverse_a)[:, None] * np.sqrt(inverse_b)
        gram = block * scale

        def backward(adjoint: Floats) -> Floats:
            crossed = adjoint * gram
            found: Floats = back(adjoint * scale)
            found = found - 0.5 * back_a(crossed.sum(axis=1) * inverse_a)
            return found - 0.5 * back_b(crossed.sum(axis=0) * inverse_b)

        return gram, backward

    def diagonal(self, values: Floats, a: Parts) -> Block:
        """Return 1; 0 for a row without length."""
        of_a, _ = self.children[0].diagonal(values, a)
        return (of_a > 0).astype(np.float64), lambda adjoint: np.zeros(len(values))

    def _formula(self, values: Floats, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedNormalised(Normalized(children[0].kernel), self.fitted.schema, children)


def _inverse(squares: Floats) -> Floats:
    return np.where(squares > 0, 1.0 / np.where(squares > 0, squares, 1.0), 0.0)


_NODES: dict[type[FittedKernel], type[_Node]] = {
    FittedSum: _Sum,
    FittedProduct: _Product,
    FittedScaled: _Scaled,
    FittedPower: _Power,
    FittedNormalised: _Normalized,
}
