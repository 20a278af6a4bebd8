"""Combinations of fitted kernels: each child is handed the parts that belong to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from branchline._arrays import Floats
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._points import Parts, Points
from branchline.table import Table

if TYPE_CHECKING:
    from branchline.kernels._algebra import Constant

__all__ = [
    "FittedConstant",
    "FittedNode",
    "FittedNormalised",
    "FittedPower",
    "FittedProduct",
    "FittedScaled",
    "FittedSum",
]


@dataclass(frozen=True, eq=False)
class FittedConstant(FittedKernel):
    """The same value for any two rows: it needs nothing of them."""

    @property
    def n_parts(self) -> int:
        """None."""
        return 0

    @property
    def value(self) -> float:
        """The value."""
        return cast("Constant", self.kernel).value

    def _prepare(self, table: Table) -> Parts:
        return ()

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        return np.full(shape, self.value)

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        return np.full(n_rows, self.value)

    def _learned(self) -> list[dict[str, Any]]:
        return []

    def _unpack_parts(self, states: Sequence[Any]) -> Parts:
        return ()


@dataclass(frozen=True, eq=False)
class FittedNode(FittedKernel):
    """A combination of fitted kernels."""

    children: tuple[FittedKernel, ...]

    @property
    def n_parts(self) -> int:
        """Those of all children."""
        return sum(child.n_parts for child in self.children)

    @property
    def reads_text(self) -> bool:
        """Whether a child does."""
        return any(child.reads_text for child in self.children)

    def _prepare(self, table: Table) -> Parts:
        return tuple(part for child in self.children for part in child._prepare(table))

    def _learned(self) -> list[dict[str, Any]]:
        return [state for child in self.children for state in child._learned()]

    def _unpack_parts(self, states: Sequence[Any]) -> Parts:
        pairs = zip(self.children, self._shares(states), strict=True)
        return tuple(part for child, own in pairs for part in child._unpack_parts(own))

    def _shares(self, parts: Sequence[Any]) -> list[Any]:
        """Return the parts of each child."""
        ends = np.cumsum([child.n_parts for child in self.children]).tolist()
        return [parts[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    def _grams(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> list[Floats]:
        shares = zip(self.children, self._shares(a), self._shares(b), strict=True)
        return [child._gram(of_a, of_b, shape, n_threads) for child, of_a, of_b in shares]

    def _diags(self, a: Parts, n_rows: int) -> list[Floats]:
        shares = zip(self.children, self._shares(a), strict=True)
        return [child._diag(own, n_rows) for child, own in shares]


@dataclass(frozen=True, eq=False)
class FittedSum(FittedNode):
    """The sum of its children."""

    def sums(
        self,
        a: Points,
        b: Points,
        coefficients: Floats,
        *,
        n_threads: int = 1,
        single: bool = False,
    ) -> Floats:
        """Return the sum of the children's sums."""
        total = np.zeros((len(a), coefficients.shape[1]))
        shares = zip(self.children, self._shares(a.parts), self._shares(b.parts), strict=True)
        for child, of_a, of_b in shares:
            own = Points(of_a, len(a)), Points(of_b, len(b))
            total += child.sums(*own, coefficients, n_threads=n_threads, single=single)
        return total

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        total, *others = self._grams(a, b, shape, n_threads)
        for other in others:
            total += other
        return total

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        total: Floats = np.sum(self._diags(a, n_rows), axis=0)
        return total


@dataclass(frozen=True, eq=False)
class FittedProduct(FittedNode):
    """The product of its children."""

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        total, *others = self._grams(a, b, shape, n_threads)
        with np.errstate(over="ignore", invalid="ignore"):
            for other in others:
                total *= other
        return total

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            total: Floats = np.prod(self._diags(a, n_rows), axis=0)
        return total


@dataclass(frozen=True, eq=False)
class FittedScaled(FittedNode):
    """A factor times its child."""

    factor: float

    def sums(
        self,
        a: Points,
        b: Points,
        coefficients: Floats,
        *,
        n_threads: int = 1,
        single: bool = False,
    ) -> Floats:
        """Return factor × the sums of k."""
        child = self.children[0]
        return self.factor * child.sums(a, b, coefficients, n_threads=n_threads, single=single)

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        gram = self.children[0]._gram(a, b, shape, n_threads)
        gram *= self.factor
        return gram

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        return self.factor * self.children[0]._diag(a, n_rows)


@dataclass(frozen=True, eq=False)
class FittedPower(FittedNode):
    """Its child to a whole power."""

    exponent: int

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        with np.errstate(over="ignore"):
            return self.children[0]._gram(a, b, shape, n_threads) ** self.exponent

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        with np.errstate(over="ignore"):
            return self.children[0]._diag(a, n_rows) ** self.exponent


@dataclass(frozen=True, eq=False)
class FittedNormalised(FittedNode):
    """k(x, y) / √(k(x, x) k(y, y))."""

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        gram = self.children[0]._gram(a, b, shape, n_threads)
        gram *= self._inverse_length(a, shape[0])[:, None]
        gram *= self._inverse_length(b, shape[1])[None, :]
        if a is b or all(x is y for x, y in zip(a, b, strict=True)):
            np.fill_diagonal(gram, self._diag(a, shape[0]))  # 1, not 1 ± a rounding error
        return gram

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        return (self._inverse_length(a, n_rows) > 0).astype(np.float64)

    def _inverse_length(self, a: Parts, n_rows: int) -> Floats:
        """Return 1 / √k(x, x); 0 for a row without length, whose normalized kernel is 0."""
        squares = self.children[0]._diag(a, n_rows)
        has_length = squares > 0
        return np.where(has_length, 1.0 / np.sqrt(np.where(has_length, squares, 1.0)), 0.0)
