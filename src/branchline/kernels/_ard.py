"""RBF with a length scale for each column (automatic relevance determination).

    k(x, z) = exp(−½ Σ_c ‖x_c − z_c‖² / ℓ_c²)

x_c is what column c becomes: one number, or the indicators of a category and of a missing value,
which share the column's length scale. A long length scale means that the column hardly matters.

1. Rows are encoded as for every number kernel, and each term is divided by its column's ℓ.
2. On these rows it is RBF with gamma ½.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from branchline._arrays import Floats
from branchline._validation import Constraint, Real, check_parameters
from branchline.errors import ParameterError, Repair
from branchline.kernels._fitted_kernel import FittedKernel, Fitting
from branchline.kernels._fitted_numbers import FittedNumbers
from branchline.kernels._number_columns import NumberColumns, fit_number_columns
from branchline.kernels._number_kernels import NumberKernel
from branchline.kernels._number_rows import NumberForm
from branchline.kernels._points import DensePart
from branchline.table import Schema, Table

__all__ = ["ARD", "FittedARD"]

_LENGTH = {"length_scales": Real(1e-150, 1e150)}


@dataclass(frozen=True, init=False, repr=False)
class ARD(NumberKernel):
    """exp(−½ Σ_c ‖x_c − z_c‖² / ℓ_c²): RBF with a length scale for each column.

    ``GaussianProcessRegressor`` learns the length scales: columns with short ones matter.

    Parameters
    ----------
    columns
        Names of the columns to take; none: all.
    length_scales
        ℓ for each column, in the order of the names (without names: of the table's columns), or
        one number for all of them. The indicators of a category share its length scale.
        Default 1.0.

    See Also
    --------
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).
    GaussianProcessRegressor : predict numbers with a Gaussian process.

    Examples
    --------
    >>> from branchline.kernels import ARD
    >>> ARD(length_scales=(1.0, 100.0)).gram([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).round(3).tolist()
    [[1.0, 0.607, 1.0], [0.607, 1.0, 0.607], [1.0, 0.607, 1.0]]
    """

    length_scales: float | tuple[float, ...]
    _constraints: ClassVar[Mapping[str, Constraint]] = {}

    def __init__(self, *columns: str, length_scales: Any = 1.0) -> None:
        self._store(columns, length_scales=length_scales)

    def _store(self, columns: Any, **parameters: Any) -> None:
        super()._store(columns)
        given = parameters["length_scales"]
        several = isinstance(given, tuple | list | np.ndarray)
        for one in given if several else (given,):
            check_parameters("ARD", {"length_scales": one}, _LENGTH)
        kept = tuple(float(one) for one in given) if several else float(given)
        if isinstance(kept, tuple) and self.columns and len(kept) != len(self.columns):
            raise _wrong_count(len(kept), len(self.columns))
        object.__setattr__(self, "length_scales", kept)

    def _form(self, gamma: float) -> NumberForm:
        return NumberForm("rbf", 0.5)

    def _fit(self, fitting: Fitting) -> FittedKernel:
        columns, _ = fit_number_columns(fitting, self.columns)
        return self.fitted_to(columns, fitting.schema)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        found = FittedNumbers.restore(self, next(learned, None), schema)
        return self.fitted_to(found.columns, schema)

    def fitted_to(self, columns: NumberColumns, schema: Schema) -> "FittedARD":
        """Return the kernel on columns that are encoded in this way."""
        lengths = self._lengths_of(columns)
        return FittedARD(self, schema, columns, self._form(0.5), lengths)

    def _lengths_of(self, columns: NumberColumns) -> Floats:
        """Return ℓ of each term."""
        if not isinstance(self.length_scales, tuple):
            return np.full(columns.width, self.length_scales)
        names = self.columns or columns.schema.names
        if len(names) != len(self.length_scales):
            raise _wrong_count(len(self.length_scales), len(names))
        length = dict(zip(names, self.length_scales, strict=True))
        by_place = np.array([length[name] for name in columns.schema.names], dtype=np.float64)
        found: Floats = by_place[columns.encoding.column_of_term(columns.schema)]
        return found


@dataclass(frozen=True, eq=False)
class FittedARD(FittedNumbers):
    """The kernel, how columns become numbers, and ℓ of each term.

    Parameters
    ----------
    lengths
        ℓ of the column of each term.
    """

    lengths: Floats

    def _prepare_part(self, table: Table) -> DensePart:
        return DensePart(self.columns.encode(table).matrix / self.lengths)

    def _learn(self) -> dict[str, Any]:
        return {**self.columns.pack(), "gamma": 1.0}

    def with_lengths(self, by_column: Floats) -> "FittedARD":
        """Return the kernel with other length scales: one for each column, in their order."""
        place = {name: at for at, name in enumerate(self.columns.schema.names)}
        kernel = self.kernel
        assert isinstance(kernel, ARD)
        names = kernel.columns or self.columns.schema.names
        chosen = tuple(float(by_column[place[name]]) for name in names)
        formula = ARD(*kernel.columns, length_scales=chosen)
        lengths = by_column[self.columns.encoding.column_of_term(self.columns.schema)]
        return replace(self, kernel=formula, lengths=lengths)


def _wrong_count(given: int, needed: int) -> ParameterError:
    return ParameterError(
        f"ARD takes a length scale for each column, or one for all: {given} were given for "
        f"{needed} columns.",
        code="P890",
        values=[given],
        repair=Repair("kernel = ARD(length_scales=1.0)"),
    )
