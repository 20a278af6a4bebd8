"""Distances that are not sums over columns: how they see rows, and how far apart these are.

1. ``CorrelationMeasure``: 1 − ρ over the numeric columns of two rows.
2. ``KernelMeasure``: √(k(a, a) + k(b, b) − 2 k(a, b)), the distance in the space of a kernel.
3. ``FunctionMeasure``: what a function of the user answers.
4. ``MatrixMeasure``: the cells of a matrix of distances.

Each has the three methods of ``Measure``. Rows are held in a form of which single rows can be taken
by position (``Rows``).
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._row_distances import Comparison, numbers_of
from branchline.errors import DataError, ParameterError, Repair
from branchline.kernels import FittedKernel, Points, unpack_kernel
from branchline.neighbors._responses import Numbers, Whole
from branchline.table import Schema, Table

__all__ = [
    "CorrelationMeasure",
    "FunctionMeasure",
    "KernelMeasure",
    "KernelRows",
    "MatrixMeasure",
    "Measure",
    "Rows",
]

# A squared distance is known to this many binary digits of k(a, a) + k(b, b): see _rounded.
_DIGITS = 43
_NEGATIVE = 1e-9


class Rows(Protocol):
    """Rows as a measure sees them."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: Any) -> Any: ...


class Measure(Protocol):
    """A distance of rows that has seen training rows."""

    def see(self, table: Table, places: Whole | None) -> Rows:
        """Return rows in the form that is compared; ``places``: training rows, by their number."""

    def between(self, a: Any, b: Any, n_threads: int) -> Numbers:
        """Return the distance of each row of a from each training row of b."""

    def pack(self) -> dict[str, Any]:
        """Return what was learned as plain values."""


@dataclass(frozen=True, eq=False)
class CorrelationMeasure:
    """1 − ρ of two rows."""

    comparison: Comparison

    def __str__(self) -> str:
        return "1 − correlation of two rows"

    def see(self, table: Table, places: Whole | None) -> Rows:
        """Return rows as numbers."""
        return self.comparison.rows(table)

    def between(self, a: Any, b: Any, n_threads: int) -> Numbers:
        """Return 1 − ρ, at least 0."""
        found = self.comparison.between(a, np.ascontiguousarray(b), n_threads=n_threads)
        # ρ is known to about 1e-16: rows that are proportional are at distance 0.
        return np.asarray(np.rint(np.maximum(found, 0.0) * 2.0**_DIGITS) * 2.0**-_DIGITS)

    def pack(self) -> dict[str, Any]:
        """Return the comparison."""
        return self.comparison.pack()


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Rows that a kernel has prepared, with k(a, a) of each (None where it is not needed)."""

    points: Points
    squares: Numbers | None

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, which: Any) -> "KernelRows":
        squares = None if self.squares is None else self.squares[which]
        return KernelRows(self.points.take(which), squares)


@dataclass(frozen=True, eq=False)
class KernelMeasure:
    """The distance of two rows in the space of a kernel."""

    fitted: FittedKernel

    def __str__(self) -> str:
        return f"in the space of the kernel {self.fitted.kernel!r}"

    def see(self, table: Table, places: Whole | None) -> Rows:
        """Return prepared rows and the kernel of each with itself."""
        points = self.fitted.prepare(table)
        return KernelRows(points, self.fitted.diag(points))

    def between(self, a: Any, b: Any, n_threads: int) -> Numbers:
        """Return √(k(a, a) + k(b, b) − 2 k(a, b))."""
        means = a.squares[:, None] / 2 + b.squares[None, :] / 2
        halves = means - self.fitted.gram(a.points, b.points, n_threads=n_threads)
        if (means < 0).any() or (halves < -_NEGATIVE * means).any():
            raise DataError(
                f"The kernel {self.fitted.kernel!r} gives no distance of these rows: "
                "k(a, a) + k(b, b) − 2 k(a, b) is below 0 for some of them.",
                code="D944",
                repair=Repair("from branchline.kernels import RBF\nkernel = RBF()"),
            )
        return np.asarray(np.sqrt(2.0 * np.maximum(_rounded(halves, means), 0.0)))

    def weights(self, a: Any, b: Any) -> Numbers:
        """Return k(a, b) as weights of the rows of b, refused when some are below 0."""
        values = self.fitted.gram(a.points, b.points)
        if values.size and values.min() < -_NEGATIVE * max(float(values.max()), 0.0):
            raise DataError(
                f"The kernel {self.fitted.kernel!r} has values below 0 on these rows. "
                "As weights of rows they must be at least 0.",
                code="D945",
                values=[float(values.min())],
                repair=Repair("from branchline.kernels import RBF\nmodel.set_params(kernel=RBF())"),
            )
        return np.maximum(values, 0.0)

    def pack(self) -> dict[str, Any]:
        """Return the formula and what it has learned."""
        return self.fitted.pack()

    @staticmethod
    def unpack(state: Any, schema: Schema) -> "KernelMeasure":
        """Check packed values and return the measure."""
        return KernelMeasure(unpack_kernel(state, schema))


def _rounded(halves: Numbers, means: Numbers) -> Numbers:
    """Return squared distances without digits that are rounding errors, so that ties are ties.

    The error of k(a, a) + k(b, b) − 2 k(a, b) is a share of the sum, however small the result is.
    """
    grain = np.ldexp(1.0, np.maximum(np.frexp(means)[1] - _DIGITS, -1000))
    return np.asarray(np.rint(halves / grain) * grain)


@dataclass(frozen=True, eq=False)
class FunctionMeasure:
    """The answers of a function: it learns nothing."""

    fitted: FittedKernel

    def __str__(self) -> str:
        return f"by the function {_name_of(self.fitted.kernel)}"

    def see(self, table: Table, places: Whole | None) -> Rows:
        """Return rows as a function sees them."""
        return KernelRows(self.fitted.prepare(table), None)

    def between(self, a: Any, b: Any, n_threads: int) -> Numbers:
        """Return what the function answers, checked."""
        try:
            found = self.fitted.gram(a.points, b.points)
        except ParameterError as error:
            if error.code != "P166":
                raise
            raise _bad_answer("something other than finite numbers") from error
        if found.size and found.min() < 0:
            raise _bad_answer(f"{float(found.min())!r}, which is below 0")
        return found

    def pack(self) -> dict[str, Any]:
        """Return the function as an object, which no model file takes."""
        return self.fitted.pack()

    @staticmethod
    def unpack(state: Any, schema: Schema) -> "FunctionMeasure":
        """Check packed values and return the measure."""
        return FunctionMeasure(unpack_kernel(state, schema))


def _name_of(kernel: Any) -> str:
    return str(getattr(kernel.function, "__name__", type(kernel.function).__name__))


def _bad_answer(what: str) -> ParameterError:
    return ParameterError(
        f"The function given as 'metric' returned {what}. It must return the distance of two rows, "
        "a finite number of at least 0, or a matrix of such distances for two blocks of rows.",
        code="P944",
        repair=Repair("model.set_params(metric=lambda a, b: abs(a - b).sum())"),
    )


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows of a matrix of distances; ``places`` are the columns that belong to training rows."""

    cells: Numbers
    places: npt.NDArray[Any] | None

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, which: Any) -> "GivenRows":
        return GivenRows(self.cells[which], None if self.places is None else self.places[which])


@dataclass(frozen=True, eq=False)
class MatrixMeasure:
    """Distances that were given: a column for each training row, in the order of ``fit``."""

    def __str__(self) -> str:
        return "as given in a matrix"

    def see(self, table: Table, places: Whole | None) -> Rows:
        """Return rows of the matrix, checked."""
        cells = numbers_of(table)
        if cells.size and not cells.min() >= 0:  # also when one is NaN
            raise DataError(
                "With metric='precomputed' each row holds its distances from the training rows. "
                "Some of these are missing or below 0.",
                code="D943",
                repair=Repair("from sklearn.metrics import pairwise_distances\n"
                              "model.predict(pairwise_distances(X, X_train))"),
            )  # fmt: skip
        return GivenRows(cells, places)

    def between(self, a: Any, b: Any, n_threads: int) -> Numbers:
        """Return the cells of two sets of rows."""
        return np.ascontiguousarray(a.cells[:, b.places])

    def pack(self) -> dict[str, Any]:
        """Return nothing: the matrix is that of the training rows."""
        return {}
