"""Kernels on numbers: linear, polynomial, RBF, Laplacian, sigmoid.

Without names a kernel takes the whole table: categories become indicators, so that RBF on a mixed
table is RBF on its numbers times a kernel of matching categories. With names it takes those.

gamma="scale" is 1 / (number of columns × variance of all their cells) for columns that are numbers
without missing values, taken as they are (as scikit-learn has it), and
1 / (sum of the columns' variances) otherwise; gamma="auto" is 1 / (number of columns). Both are 1
when nothing varies.
"""

import math
import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._one_thread import limit_threads
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole, check_parameters
from branchline.kernels._checks import check_columns
from branchline.kernels._fitted_kernel import FittedKernel, Fitting
from branchline.kernels._fitted_numbers import FittedNumbers
from branchline.kernels._kernel import Kernel
from branchline.kernels._number_columns import NumberColumns, fit_number_columns
from branchline.kernels._number_rows import NumberForm
from branchline.table import Schema

__all__ = ["RBF", "Gamma", "Laplacian", "Linear", "NumberKernel", "Polynomial", "Sigmoid"]

Gamma = float | str
GAMMA = AnyOf((OneOf(("scale", "auto")), Real(0, low_open=True)))
_MOST_DEGREE = 1000


@dataclass(frozen=True, init=False, repr=False)
class NumberKernel(Kernel):
    """What kernels on numbers share: the columns they take, and a form."""

    columns: tuple[str, ...]
    _constraints: ClassVar[Mapping[str, Constraint]] = {}

    @abstractmethod
    def _form(self, gamma: float) -> NumberForm:
        """Return the form, given the number that gamma stands for."""

    def _fit(self, fitting: Fitting) -> FittedKernel:
        columns, matrix = fit_number_columns(fitting, self.columns)
        gamma = _number_of(getattr(self, "gamma", 1.0), columns, matrix, fitting)
        return FittedNumbers(self, fitting.schema, columns, self._form(gamma))

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        return FittedNumbers.restore(self, next(learned, None), schema)

    def _store(self, columns: Any, **parameters: Any) -> None:
        """Check the parameters and keep them: numbers as Python's own."""
        check_columns(type(self).__name__, columns)
        check_parameters(type(self).__name__, parameters, self._constraints)
        object.__setattr__(self, "columns", tuple(columns))
        for name, value in parameters.items():
            kept = int(value) if name == "degree" else value
            is_float = name != "degree" and not isinstance(value, str)
            object.__setattr__(self, name, float(value) if is_float else kept)

    @classmethod
    def _from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        made = object.__new__(cls)
        made._store(**parameters)
        return made

    def __repr__(self) -> str:
        shown = [repr(name) for name in self.columns]
        others = [(name, v) for name, v in self._parameters().items() if name != "columns"]
        shown += [f"{name}={value!r}" for name, value in others]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, init=False, repr=False)
class Linear(NumberKernel):
    """The scalar product x·z.

    Parameters
    ----------
    columns
        Names of the columns to take; none: all.

    See Also
    --------
    Polynomial : (gamma x·z + coef0)^degree.
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).

    Examples
    --------
    >>> from branchline.kernels import Linear
    >>> Linear().gram([[1.0, 2.0], [3.0, 0.0]]).tolist()
    [[5.0, 3.0], [3.0, 9.0]]
    """

    def __init__(self, *columns: str) -> None:
        self._store(columns)

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("linear")


@dataclass(frozen=True, init=False, repr=False)
class Polynomial(NumberKernel):
    """(gamma x·z + coef0)^degree: a Mercer kernel for coef0 of at least 0.

    Parameters
    ----------
    degree
        The exponent, from 1 on. Default 3.
    columns
        Names of the columns to take; none: all.
    gamma
        The factor of x·z: a number above 0, "scale" or "auto". Default 1.0.
    coef0
        What is added; above 0, products of fewer columns count too. Default 1.0.

    See Also
    --------
    Linear : the scalar product x·z.
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).

    Examples
    --------
    >>> from branchline.kernels import Polynomial
    >>> Polynomial(2).gram([[1.0], [2.0]]).tolist()
    [[4.0, 9.0], [9.0, 25.0]]
    """

    degree: int
    gamma: Gamma
    coef0: float
    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "degree": Whole(1, _MOST_DEGREE),
        "gamma": GAMMA,
        "coef0": Real(),
    }

    def __init__(
        self, degree: int = 3, *columns: str, gamma: Gamma = 1.0, coef0: float = 1.0
    ) -> None:
        self._store(columns, degree=degree, gamma=gamma, coef0=coef0)

    @property
    def is_mercer(self) -> bool:
        """Whether no coefficient of the expanded power is negative."""
        return self.coef0 >= 0

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("polynomial", gamma, self.coef0, self.degree)

    def __repr__(self) -> str:
        shown = [str(self.degree), *(repr(name) for name in self.columns)]
        shown += [f"gamma={self.gamma!r}", f"coef0={self.coef0!r}"]
        return f"Polynomial({', '.join(shown)})"


@dataclass(frozen=True, init=False, repr=False)
class RBF(NumberKernel):
    """exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).

    Parameters
    ----------
    columns
        Names of the columns to take; none: all.
    gamma
        A number above 0, "scale" (default) or "auto".
    sigma
        The width, instead of gamma. Default None: gamma decides.

    See Also
    --------
    Laplacian : exp(−gamma ‖x − z‖₁).
    ARD : exp(−½ Σ_c ‖x_c − z_c‖² / ℓ_c²).

    Examples
    --------
    >>> from branchline.kernels import RBF
    >>> RBF(gamma=0.5).gram([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    gamma: Gamma
    _constraints: ClassVar[Mapping[str, Constraint]] = {"gamma": GAMMA}

    def __init__(self, *columns: str, gamma: Gamma = "scale", sigma: float | None = None) -> None:
        if sigma is not None:
            check_parameters("RBF", {"sigma": sigma}, {"sigma": Real(1e-150, 1e150)})
            gamma = 0.5 / float(sigma) ** 2
        self._store(columns, gamma=gamma)

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("rbf", gamma)


@dataclass(frozen=True, init=False, repr=False)
class Laplacian(NumberKernel):
    """exp(−gamma ‖x − z‖₁).

    Parameters
    ----------
    columns
        Names of the columns to take; none: all.
    gamma
        A number above 0, "scale" (default) or "auto".

    See Also
    --------
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).
    ChiSquare : exp(−gamma Σ (x − z)² / (x + z)).

    Examples
    --------
    >>> from branchline.kernels import Laplacian
    >>> Laplacian(gamma=0.5).gram([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    gamma: Gamma
    _constraints: ClassVar[Mapping[str, Constraint]] = {"gamma": GAMMA}

    def __init__(self, *columns: str, gamma: Gamma = "scale") -> None:
        self._store(columns, gamma=gamma)

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("laplacian", gamma)


@dataclass(frozen=True, init=False, repr=False)
class Sigmoid(NumberKernel):
    """tanh(gamma x·z + coef0): not a Mercer kernel; ``is_psd`` tells what it is on a sample.

    Parameters
    ----------
    columns
        Names of the columns to take; none: all.
    gamma
        A number above 0, "scale" (default) or "auto".
    coef0
        What is added to gamma x·z. Default 0.0.

    See Also
    --------
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).
    Definiteness : the verdict on a kernel and a sample.

    Examples
    --------
    >>> from branchline.kernels import Sigmoid
    >>> Sigmoid(gamma=0.5).gram([[1.0], [2.0]]).round(3).tolist()
    [[0.462, 0.762], [0.762, 0.964]]
    """

    gamma: Gamma
    coef0: float
    _constraints: ClassVar[Mapping[str, Constraint]] = {"gamma": GAMMA, "coef0": Real()}

    def __init__(self, *columns: str, gamma: Gamma = "scale", coef0: float = 0.0) -> None:
        self._store(columns, gamma=gamma, coef0=coef0)

    @property
    def is_mercer(self) -> bool:
        """No: most samples of any size have a negative eigenvalue."""
        return False

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("sigmoid", gamma, self.coef0)


def _number_of(
    gamma: Gamma, columns: NumberColumns, matrix: Floats | None, fitting: Fitting
) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    if columns.width == 0:
        return 1.0
    if gamma == "auto":
        return 1.0 / columns.width
    encoded = columns.encode(fitting.table).matrix if matrix is None else matrix
    spread = _total_variance(columns, encoded, fitting)
    least = 1.0 / sys.float_info.max
    return 1.0 / spread if least < spread < math.inf else 1.0


def _total_variance(columns: NumberColumns, matrix: Floats, fitting: Fitting) -> float:
    """Return the variance of all cells × columns, or the sum of the columns' variances."""
    share = fitting.weights / fitting.weights.sum()
    # Terms of thousands of columns are asked for only where they matter.
    is_plain = fitting.encoder.scale == "none" and _has_numbers_only(columns)
    with np.errstate(over="ignore"), limit_threads("blas"):
        if not is_plain:
            return float((share @ (matrix - share @ matrix) ** 2).sum())
        if share.min() == share.max():
            return float(matrix.shape[1] * matrix.var())
        center = (share @ matrix).mean()
        return float((share @ (matrix - center) ** 2).sum())


def _has_numbers_only(columns: NumberColumns) -> bool:
    return all(term.level is None for term in columns.encoding.terms)
