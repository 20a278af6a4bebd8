"""What a kernel is: an immutable formula k(o, o′) of two rows, with an algebra.

1. A kernel is a frozen dataclass of its parameters; equal formulas are equal and hash alike.
2. ``k1 + k2``, ``k1 * k2``, ``c * k`` (c ≥ 0), ``k ** n``, ``k.reweighted(g)`` and
   ``k.normalized()`` are kernels again, and Mercer kernels when their parts are.
3. ``fit`` looks at training rows (columns, scales, the number that gamma="scale" stands for) and
   gives a ``FittedKernel``. ``gram``, ``diag``, ``distance`` and ``is_psd`` do this on the way,
   with numbers as they are.

Texts: a leaf on texts is a ``StringKernel`` with a field ``column`` and two methods.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from branchline._arrays import Floats
from branchline._state import malformed
from branchline._validation import count_threads
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineError
from branchline.kernels._fitted_kernel import FittedKernel, Fitting
from branchline.kernels._inputs import table_of
from branchline.table import Schema, Table

if TYPE_CHECKING:
    from branchline.kernels._definiteness import Definiteness

__all__ = ["Kernel"]

# Numbers as they are; a category of one row is a category, since nothing is learned from few.
_AS_THEY_ARE = TableEncoder(scale="none", min_frequency=1)
_STANDARDISED = TableEncoder()


@dataclass(frozen=True, repr=False)
class Kernel(ABC):
    """A formula of two rows, by which they are compared; formulas can be added and multiplied.

    See Also
    --------
    kernel_of : return the kernel that an estimator's parameters stand for.

    Examples
    --------
    >>> from branchline.kernels import RBF, Hamming
    >>> kernel = RBF("height", gamma=0.5) * Hamming("color")
    >>> rows = {"height": [1.0, 2.0, 2.0], "color": ["red", "red", "blue"]}
    >>> kernel.gram(rows).round(3).tolist()
    [[1.0, 0.607, 0.0], [0.607, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    # -- what each kernel defines -------------------------------------------------------------

    @abstractmethod
    def _fit(self, fitting: Fitting) -> FittedKernel:
        """Return the kernel fitted to training rows."""

    @abstractmethod
    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        """Return the fitted kernel from what its leaves have learned, each checked."""

    @property
    def is_mercer(self) -> bool:
        """Whether the formula is positive semidefinite on any rows, by construction."""
        return True

    @property
    def holds_matrix(self) -> bool:
        """Whether a Gram matrix that was given is part of the formula."""
        parts = self._parameters().values()
        return any(part.holds_matrix for part in parts if isinstance(part, Kernel))

    # -- values -------------------------------------------------------------------------------

    def fit(
        self,
        table: Table,
        weights: Floats | None = None,
        *,
        standardize: bool = False,
        encoder: TableEncoder | None = None,
    ) -> FittedKernel:
        """Return the kernel fitted to the rows of a table.

        Parameters
        ----------
        table
            The training rows.
        weights
            The weight of each row; None: all weigh 1.
        standardize
            Whether number kernels see standardized numbers (and pool rare categories) rather than
            numbers as they are.
        encoder
            How number kernels turn the table into numbers, instead of what ``standardize`` says.
        """
        chosen = _STANDARDISED if standardize else _AS_THEY_ARE
        given = np.ones(table.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
        return self._fit(Fitting(table, given, chosen if encoder is None else encoder))

    def gram(self, X: Any, Z: Any = None, n_jobs: int | None = None) -> Floats:
        """Return the matrix of K(x, z), for the rows of X and Z (or of X twice).

        The kernel is fitted to X; numbers are taken as they are.
        """
        table = table_of(X)
        fitted = self.fit(table)
        a = fitted.prepare(table)
        b = a if Z is None else fitted.prepare(table_of(Z))
        return fitted.gram(a, b, n_threads=count_threads(n_jobs, len(a) * len(b)))

    def diag(self, X: Any) -> Floats:
        """Return K(x, x) of each row."""
        table = table_of(X)
        fitted = self.fit(table)
        return fitted.diag(fitted.prepare(table))

    def distance(self, X: Any, Z: Any = None, n_jobs: int | None = None) -> Floats:
        """Return squared distances in the kernel's space: K(x, x) + K(z, z) − 2 K(x, z)."""
        table = table_of(X)
        fitted = self.fit(table)
        a = fitted.prepare(table)
        b = a if Z is None else fitted.prepare(table_of(Z))
        products = fitted.gram(a, b, n_threads=count_threads(n_jobs, len(a) * len(b)))
        squares = fitted.diag(a)[:, None] + fitted.diag(b)[None, :] - 2 * products
        # Of a Mercer kernel only rounding can be negative; of others a negative value tells.
        return np.maximum(squares, 0.0) if self.is_mercer else squares

    def is_psd(self, X: Any) -> "Definiteness":
        """Say whether the kernel is positive semidefinite on X, with a witness when it is not."""
        from branchline.kernels._definiteness import definiteness

        return definiteness(self.gram(X), is_proved=self.is_mercer)

    # -- algebra ------------------------------------------------------------------------------

    def __add__(self, other: Any) -> "Kernel":
        from branchline.kernels._algebra import add

        return add(self, other)

    def __radd__(self, other: Any) -> "Kernel":
        from branchline.kernels._algebra import add

        return add(other, self)

    def __mul__(self, other: Any) -> "Kernel":
        from branchline.kernels._algebra import multiply

        return multiply(self, other)

    def __rmul__(self, other: Any) -> "Kernel":
        from branchline.kernels._algebra import multiply

        return multiply(other, self)

    def __pow__(self, exponent: Any) -> "Kernel":
        from branchline.kernels._algebra import Power

        return Power(self, exponent)

    def __neg__(self) -> "Kernel":
        return -1.0 * self  # refused, with the reason

    def __sub__(self, other: Any) -> "Kernel":
        return self + -1.0 * other if isinstance(other, Kernel) else self + -other

    def reweighted(self, g: Callable[[Any], float]) -> "Kernel":
        """Return g(x) k(x, y) g(y) for a function of one row.

        The row is an array of numbers, or of Python objects when some column is not a number; the
        value itself when there is one column only and it is not a number.
        """
        from branchline.kernels._reweighted import Reweighted

        return Reweighted(self, g)

    def normalized(self) -> "Kernel":
        """Return k(x, y) / √(k(x, x) k(y, y)), which is 0 where a row has no length."""
        from branchline.kernels._algebra import Normalized

        return Normalized(self)

    # -- parameters as plain values -----------------------------------------------------------

    def _parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def _from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        return cls(**parameters)

    @classmethod
    def _restored(cls, parameters: Any) -> Self:
        """Return the kernel of parameters that come from a file or a pickle, each checked."""
        names = {field.name for field in fields(cls)}
        if not isinstance(parameters, dict) or set(parameters) != names:
            raise malformed("the parameters of a kernel are not its own")
        try:
            return cls._from_parameters(parameters)
        except (BranchlineError, TypeError, ValueError, OverflowError) as error:
            raise malformed("a parameter of a kernel is out of range") from error

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(type(self)._restored(state).__dict__)

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in self._parameters().items()]
        return f"{type(self).__name__}({', '.join(shown)})"
