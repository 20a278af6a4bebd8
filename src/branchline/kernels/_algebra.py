"""The algebra of kernels: sums, products, factors, powers, normalization, constants.

All of them keep positive semidefiniteness: sums and products (Schur) of Mercer kernels, factors of
at least 0, whole powers, and division by the lengths of both rows. Negative factors would not, and
are refused.
"""

import math
import numbers
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from branchline.errors import ParameterError, Repair
from branchline.kernels._fitted_algebra import (
    FittedConstant,
    FittedNormalised,
    FittedPower,
    FittedProduct,
    FittedScaled,
    FittedSum,
)
from branchline.kernels._fitted_kernel import FittedKernel, Fitting
from branchline.kernels._kernel import Kernel
from branchline.table import Schema

__all__ = [
    "Composite",
    "Constant",
    "Normalized",
    "Power",
    "Product",
    "Scaled",
    "Sum",
    "add",
    "multiply",
]

_MOST_POWER = 1000


@dataclass(frozen=True, repr=False)
class Constant(Kernel):
    """The same value, at least 0, for any two rows.

    See Also
    --------
    Sum : the sum k1 + k2 + … of kernels.
    Linear : the scalar product x·z.

    Examples
    --------
    >>> from branchline.kernels import Constant, Linear
    >>> (Linear() + Constant(2.0)).gram([[1.0], [3.0]]).tolist()
    [[3.0, 5.0], [5.0, 11.0]]
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _factor(self.value))

    def _fit(self, fitting: Fitting) -> FittedKernel:
        return FittedConstant(self, fitting.schema)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        return FittedConstant(self, schema)

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


@dataclass(frozen=True, repr=False)
class Composite(Kernel):
    """A kernel made of others: it is a Mercer kernel when they are."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels it is made of."""

    @abstractmethod
    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        """Return the fitted kernel, given its fitted parts."""

    @property
    def is_mercer(self) -> bool:
        """Whether all parts are."""
        return all(kernel.is_mercer for kernel in self.parts)

    def _fit(self, fitting: Fitting) -> FittedKernel:
        children = tuple(kernel._fit(fitting) for kernel in self.parts)
        return self._combine(fitting.schema, children)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        children = tuple(kernel._restore(learned, schema) for kernel in self.parts)
        return self._combine(schema, children)


@dataclass(frozen=True, repr=False)
class Several(Composite):
    """Two kernels or more."""

    kernels: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.kernels, tuple | list) or len(self.kernels) < 2:
            raise _no_kernel(self.kernels)
        object.__setattr__(self, "kernels", tuple(_kernel(part) for part in self.kernels))

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """All of them."""
        return self.kernels


@dataclass(frozen=True, repr=False)
class Sum(Several):
    """The sum k1 + k2 + … of kernels.

    See Also
    --------
    Product : the product k1 × k2 × … of kernels.
    Scaled : a factor of at least 0 times a kernel.

    Examples
    --------
    >>> from branchline.kernels import RBF, Linear
    >>> (RBF(gamma=1.0) + Linear()).gram([[1.0], [2.0]]).round(3).tolist()
    [[2.0, 2.368], [2.368, 5.0]]
    """

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedSum(self, schema, children)

    def __repr__(self) -> str:
        return " + ".join(repr(kernel) for kernel in self.kernels)


@dataclass(frozen=True, repr=False)
class Product(Several):
    """The product k1 × k2 × … of kernels.

    See Also
    --------
    Sum : the sum k1 + k2 + … of kernels.
    Power : a kernel to a whole power, from 1 on.

    Examples
    --------
    >>> from branchline.kernels import RBF, Linear
    >>> (RBF(gamma=1.0) * Linear()).gram([[1.0], [2.0]]).round(3).tolist()
    [[1.0, 0.736], [0.736, 4.0]]
    """

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedProduct(self, schema, children)

    def __repr__(self) -> str:
        return " * ".join(_in_brackets(kernel, (Sum, Scaled)) for kernel in self.kernels)


@dataclass(frozen=True, repr=False)
class Scaled(Composite):
    """A factor of at least 0 times a kernel.

    See Also
    --------
    Sum : the sum k1 + k2 + … of kernels.
    Reweighted : g(x) k(x, y) g(y).

    Examples
    --------
    >>> from branchline.kernels import Linear
    >>> (3.0 * Linear()).gram([[1.0], [2.0]]).tolist()
    [[3.0, 6.0], [6.0, 12.0]]
    """

    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", _factor(self.factor))
        _kernel(self.kernel)

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel."""
        return (self.kernel,)

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedScaled(self, schema, children, self.factor)

    def __repr__(self) -> str:
        return f"{self.factor!r} * {_in_brackets(self.kernel, (Sum, Product))}"


@dataclass(frozen=True, repr=False)
class Power(Composite):
    """A kernel to a whole power, from 1 on.

    See Also
    --------
    Product : the product k1 × k2 × … of kernels.
    Polynomial : (gamma x·z + coef0)^degree.

    Examples
    --------
    >>> from branchline.kernels import Linear
    >>> (Linear() ** 2).gram([[1.0], [2.0]]).tolist()
    [[1.0, 4.0], [4.0, 16.0]]
    """

    kernel: Kernel
    exponent: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "exponent", _whole_exponent(self.exponent))
        _kernel(self.kernel)

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel."""
        return (self.kernel,)

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedPower(self, schema, children, self.exponent)

    def __repr__(self) -> str:
        return f"{_in_brackets(self.kernel, (Sum, Product, Scaled, Power))} ** {self.exponent}"


@dataclass(frozen=True, repr=False)
class Normalized(Composite):
    """k(x, y) / √(k(x, x) k(y, y)); 0 where a row has no length.

    See Also
    --------
    Scaled : a factor of at least 0 times a kernel.
    Reweighted : g(x) k(x, y) g(y).

    Examples
    --------
    >>> from branchline.kernels import Linear
    >>> Linear().normalized().gram([[1.0, 0.0], [3.0, 3.0]]).round(3).tolist()
    [[1.0, 0.707], [0.707, 1.0]]
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        _kernel(self.kernel)

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel."""
        return (self.kernel,)

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedNormalised(self, schema, children)

    def __repr__(self) -> str:
        return f"{_in_brackets(self.kernel, (Sum, Product, Scaled, Power))}.normalized()"


def add(left: Any, right: Any) -> Kernel:
    """Return left + right; a number of at least 0 counts as a constant kernel."""
    terms = [part if isinstance(part, Kernel) else Constant(part) for part in (left, right)]
    return Sum(tuple(inner for part in terms for inner in _opened(part, Sum)))


def multiply(left: Any, right: Any) -> Kernel:
    """Return left × right, of two kernels or a kernel and a number of at least 0."""
    if isinstance(left, Kernel) and isinstance(right, Kernel):
        return Product((*_opened(left, Product), *_opened(right, Product)))
    factor, kernel = (right, left) if isinstance(left, Kernel) else (left, right)
    if isinstance(kernel, Scaled):
        return Scaled(_factor(factor) * kernel.factor, kernel.kernel)
    return Scaled(factor, kernel)


def _opened(kernel: Kernel, kind: type[Sum] | type[Product]) -> tuple[Kernel, ...]:
    """Return the terms of a sum (the factors of a product): sums of sums are one sum."""
    return kernel.kernels if isinstance(kernel, kind) else (kernel,)


def _factor(value: Any) -> float:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and 0 <= float(value) < math.inf:
        return float(value)
    raise ParameterError(
        "Kernels are added, multiplied with each other, and multiplied with finite numbers of at "
        f"least 0: a negative factor would give negative squares of lengths. Got {value!r}.",
        code="P161",
        values=[value],
        repair=Repair("kernel = 0.5 * Linear() + RBF()"),
    )


def _whole_exponent(value: Any) -> int:
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if is_whole and 1 <= int(value) <= _MOST_POWER:
        return int(value)
    raise ParameterError(
        f"The exponent of a kernel is a whole number from 1 to {_MOST_POWER}; other powers need "
        f"not be kernels. Got {value!r}.",
        code="P163",
        values=[value],
        repair=Repair("kernel = Linear() ** 2"),
    )


def _kernel(value: Any) -> Kernel:
    if not isinstance(value, Kernel):
        raise _no_kernel(value)
    return value


def _no_kernel(value: Any) -> ParameterError:
    return ParameterError(
        f"Only kernels can be put together to a kernel. Got {value!r}.",
        code="P162",
        values=[value],
    )


def _in_brackets(kernel: Kernel, kinds: tuple[type[Kernel], ...]) -> str:
    return f"({kernel!r})" if isinstance(kernel, kinds) else repr(kernel)
