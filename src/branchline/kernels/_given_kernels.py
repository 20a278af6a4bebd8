"""Kernels that come from outside: a Gram matrix, or a function of the user.

- ``Precomputed``: X is the Gram matrix of the training rows (square, symmetric); later rows bring
  their kernel with each of the training rows, in the same order.
- ``FunctionKernel``: a function of two rows, or of two blocks of rows; it is called in blocks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from branchline._arrays import Floats
from branchline._state import array_from_state, malformed
from branchline._validation import Flag, check_parameters
from branchline.errors import DataError, ParameterError, Repair
from branchline.kernels._definiteness import refuse_asymmetric
from branchline.kernels._fitted_kernel import FittedKernel, FittedLeaf, Fitting
from branchline.kernels._kernel import Kernel
from branchline.kernels._points import GivenPart, ObjectPart, plain_state
from branchline.table import Schema, Table

__all__ = ["FunctionKernel", "Precomputed", "rows_of", "unpack_objects"]

# Pairs of rows that a function on blocks is given at a time.
_BLOCK_PAIRS = 2**20


@dataclass(frozen=True, repr=False)
class Precomputed(Kernel):
    """The Gram matrix that is given in place of a table.

    See Also
    --------
    FunctionKernel : a function of the user as a kernel.
    kernel_of : return the kernel that an estimator's parameters stand for.

    Examples
    --------
    >>> from branchline.kernels import Precomputed
    >>> Precomputed().gram([[2.0, 1.0], [1.0, 3.0]]).tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """

    @property
    def is_mercer(self) -> bool:
        """Return None: it is not known before the matrix is seen."""
        return False

    @property
    def holds_matrix(self) -> bool:
        """Return True: it is the matrix."""
        return True

    def _fit(self, fitting: Fitting) -> FittedKernel:
        matrix = _numbers_of(fitting.table)
        n_rows, n_columns = matrix.shape
        if n_rows != n_columns:
            raise DataError(
                f"A precomputed kernel is a square matrix of training rows; this one has {n_rows} "
                f"rows and {n_columns} columns.",
                code="D160",
            )
        refuse_asymmetric(matrix)
        return FittedGiven(self, fitting.schema)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        plain_state(next(learned, None), set())
        return FittedGiven(self, schema)


@dataclass(frozen=True, eq=False)
class FittedGiven(FittedLeaf):
    """A given Gram matrix: columns are the training rows.

    A square table is read as the training rows, in their order: reorder with ``Points.take``, never
    the rows of the table.
    """

    def _prepare_part(self, table: Table) -> GivenPart:
        matrix = _numbers_of(self.schema.apply(table))
        n_rows, n_columns = matrix.shape
        places = np.arange(n_rows, dtype=np.int64) if n_rows == n_columns else None
        return GivenPart(matrix, places, n_rows)

    def _part_gram(self, a: GivenPart, b: GivenPart, n_threads: int) -> Floats:
        if b.places is None:
            raise _unknown_pairs("the kernel of two rows that are not training rows")
        if a.rows is not None:
            return np.ascontiguousarray(a.rows[:, b.places])
        if b.rows is None or a.places is None:
            raise _unknown_pairs("the kernel of training rows from a model file with each other")
        return np.ascontiguousarray(b.rows[:, a.places].T)

    def _part_diag(self, a: GivenPart) -> Floats:
        if a.places is None or a.rows is None:
            raise _unknown_pairs("K(o, o) of rows that are not training rows")
        values: Floats = a.rows[np.arange(len(a)), a.places]
        return values

    def _unpack_part(self, state: Any) -> GivenPart:
        places = array_from_state(plain_state(state, {"places"}), "places", np.dtype(np.int64))
        if len(places) and (places.min() < 0 or places.max() >= len(self.schema)):
            raise malformed("a kernel names training rows that are not there")
        return GivenPart(None, places, len(places))


@dataclass(frozen=True, repr=False)
class FunctionKernel(Kernel):
    """A function of the user as a kernel.

    Parameters
    ----------
    function
        k(A, B) → matrix of len(A) × len(B) for blocks of rows, or k(x, z) → number for two rows.
        Rows are arrays of numbers, or of Python objects when some column is not a number; with one
        column that is not a number, blocks are rows of its values, and a row is the value itself.
    vectorized
        Whether the function takes blocks. Default True.

    See Also
    --------
    Precomputed : the Gram matrix that is given in place of a table.
    kernel_of : return the kernel that an estimator's parameters stand for.

    Examples
    --------
    >>> from branchline.kernels import FunctionKernel
    >>> FunctionKernel(lambda A, B: A @ B.T).gram([[1.0], [3.0]]).tolist()
    [[1.0, 3.0], [3.0, 9.0]]
    """

    function: Callable[[Any, Any], Any]
    vectorized: bool = True

    def __post_init__(self) -> None:
        check_parameters("FunctionKernel", {"vectorized": self.vectorized}, {"vectorized": Flag()})
        if not callable(self.function):
            raise ParameterError(
                f"A FunctionKernel needs a function of two rows. Got {self.function!r} instead.",
                code="P166",
                values=[self.function],
                repair=Repair("kernel = FunctionKernel(lambda A, B: A @ B.T)"),
            )

    @property
    def is_mercer(self) -> bool:
        """Return None: it is not known."""
        return False

    def _fit(self, fitting: Fitting) -> FittedKernel:
        return FittedFunction(self, fitting.schema)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        plain_state(next(learned, None), set())
        return FittedFunction(self, schema)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"FunctionKernel({name}{'' if self.vectorized else ', vectorized=False'})"


@dataclass(frozen=True, eq=False)
class FittedFunction(FittedLeaf):
    """A function as a kernel: it learns nothing."""

    @property
    def reads_text(self) -> bool:
        """Whether some column is not a number."""
        return any(field.type.kind == "category" for field in self.schema)

    def _prepare_part(self, table: Table) -> ObjectPart:
        return ObjectPart(rows_of(table.select(self.schema.names)))

    def _part_gram(self, a: ObjectPart, b: ObjectPart, n_threads: int) -> Floats:
        kernel = cast("FunctionKernel", self.kernel)
        if not kernel.vectorized:
            return _checked([[kernel.function(x, z) for z in b.rows] for x in a.rows], (a, b))
        gram = np.empty((len(a), len(b)))
        step = max(1, _BLOCK_PAIRS // max(1, len(b)))
        for first in range(0, len(a), step):
            block = a.take(slice(first, first + step))
            gram[first : first + step] = _checked(kernel.function(block.rows, b.rows), (block, b))
        return gram

    def _part_diag(self, a: ObjectPart) -> Floats:
        ones = (a.take(slice(at, at + 1)) for at in range(len(a)))
        return np.array([self._part_gram(one, one, 1)[0, 0] for one in ones])

    def _unpack_part(self, state: Any) -> ObjectPart:
        return unpack_objects(state)


def unpack_objects(state: Any) -> ObjectPart:
    """Check packed rows of a function and return them."""
    rows = plain_state(state, {"rows"})["rows"]
    if not isinstance(rows, np.ndarray) or rows.ndim not in {1, 2}:
        raise malformed("the rows of a function are not an array")
    return ObjectPart(np.asarray(rows))


def rows_of(table: Table) -> Any:
    """Return rows as a user's function sees them."""
    if all(column.kind == "numeric" for column in table.columns):
        return np.ascontiguousarray(table.to_numpy(), dtype=np.float64)
    cells = np.empty((table.n_rows, table.n_columns), dtype=object)
    for place, column in enumerate(table.columns):
        cells[:, place] = column.to_list()
    return cells[:, 0] if table.n_columns == 1 else cells


def _checked(answer: Any, parts: tuple[ObjectPart, ObjectPart]) -> Floats:
    expected = (len(parts[0]), len(parts[1]))
    try:
        values = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _bad_answer(f"no numbers ({error})") from error
    if values.shape != expected:
        raise _bad_answer(f"an array of shape {values.shape} where {expected} was due")
    if not np.isfinite(values).all():
        raise _bad_answer("numbers that are not finite")
    return values


def _bad_answer(what: str) -> ParameterError:
    return ParameterError(
        f"The function of a kernel gave {what}. A function on blocks gives a matrix with a row for "
        "each row of A and a column for each row of B; one of two rows gives a number.",
        code="P166",
        repair=Repair("kernel = FunctionKernel(function, vectorized=False)"),
    )


def _numbers_of(table: Table) -> Floats:
    is_matrix = all(field.type.kind == "numeric" for field in table.schema)
    matrix = (
        np.asarray(table.to_numpy(), dtype=np.float64) if is_matrix else np.full((1, 1), np.nan)
    )
    if not np.isfinite(matrix).all():
        raise DataError(
            "A precomputed kernel is a matrix of finite numbers; this one has missing values or "
            "texts.",
            code="D160",
        )
    return matrix


def _unknown_pairs(what: str) -> DataError:
    return DataError(
        f"A precomputed kernel does not tell {what}; it has a column for each training row.",
        code="D160",
    )
