"""Tables from NumPy arrays and SciPy sparse matrices.

1. Float32 and float64 matrices are borrowed, whatever their order or strides.
2. Other numbers and booleans become float64 once: a plain array has no column types. Where whole
   numbers beyond 2⁵³ would be rounded, the array is read column by column.
3. Objects, text and dates are read column by column; a structured array has columns already.
4. Sparse matrices stay sparse; cells not stored are zero.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline._names import made_up_names
from branchline.errors import DataError, KindError, Repair
from branchline.table._column import Column, ColumnType
from branchline.table._table import Table
from branchline.table.frames._categories import boolean_column
from branchline.table.frames._from_cells import column_from_cells
from branchline.table.frames._shapes import complex_numbers, no_columns, not_two_dimensional
from branchline.table.frames._time_columns import time_column
from branchline.table.frames._whole_numbers import are_exact, refuse_inexact, whole_column

__all__ = ["column_from_array", "from_numpy", "from_sparse"]


def from_numpy(array: AnyArray) -> Table:
    """Return a table over a 2-D array or a structured array."""
    if array.dtype.names is not None:
        return _from_structured(array)
    if array.ndim != 2:
        raise not_two_dimensional(array.ndim)
    if array.shape[1] == 0:
        raise no_columns(array.shape[0])
    if array.dtype.kind == "c":
        raise complex_numbers()
    if array.dtype.kind in "fb" or (array.dtype.kind in "iu" and are_exact(np.asarray(array))):
        return Table.from_matrix(_as_floats(array))
    names = made_up_names(array.shape[1])
    columns = [column_from_array(name, array[:, place]) for place, name in enumerate(names)]
    return Table.from_columns(columns, named=False)


def from_sparse(matrix: Any) -> Table:
    """Return a table over a SciPy sparse matrix or array of any format."""
    if matrix.ndim != 2:
        raise not_two_dimensional(matrix.ndim)
    if matrix.shape[1] == 0:
        raise no_columns(matrix.shape[0])
    if matrix.dtype.kind == "c":
        raise complex_numbers()
    if matrix.dtype.kind not in "fiub":
        raise _unusable_dtype("X", matrix.dtype)
    if matrix.dtype not in (np.float32, np.float64):
        refuse_inexact(matrix.tocsc().data)
        matrix = matrix.astype(np.float64)
    return Table.from_sparse(matrix)


def column_from_array(name: str, values: AnyArray) -> Column:
    """Return a column from a 1-D array of any dtype that a column can hold."""
    if values.ndim != 1:
        raise DataError(
            f"Column {name!r} has {values.ndim} dimensions; a column has one.",
            code="D006",
            column=name,
        )
    reader = _READERS.get(values.dtype.kind)
    if reader is None or values.dtype.names is not None:
        raise _unusable_dtype(name, values.dtype)
    return reader(name, values)


def _from_structured(array: AnyArray) -> Table:
    if array.ndim != 1:
        raise DataError(
            f"A structured array has one dimension, its rows; this one has {array.ndim}.",
            code="D006",
            repair=Repair("X = X.ravel()"),
        )
    names = array.dtype.names or ()
    if not names:
        raise no_columns(len(array))
    return Table.from_columns([column_from_array(name, array[name]) for name in names])


def _as_floats(array: AnyArray) -> npt.NDArray[Any]:
    """Return float32 and float64 as they are, anything else as float64; masked cells as NaN."""
    if isinstance(array, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(array.astype(np.float64), np.nan))
    if array.dtype in (np.float32, np.float64):
        return np.asarray(array)
    with np.errstate(over="ignore"):  # a long double beyond the largest float64 becomes infinite
        return np.asarray(array).astype(np.float64)


def _unusable_dtype(name: str, dtype: np.dtype[Any]) -> KindError:
    return KindError(
        f"Column {name!r} has the NumPy type {dtype}, which is neither numbers, text, booleans, "
        "dates nor times.",
        code="K004",
        column=name,
        repair=Repair("X = X.astype(float)"),
    )


# -- one reader a kind of dtype ----------------------------------------------------------------


def _masked(values: AnyArray) -> npt.NDArray[np.bool_] | None:
    """Return which cells a masked array hides, None for none."""
    hidden = np.ma.getmask(values) if isinstance(values, np.ma.MaskedArray) else np.ma.nomask
    return None if hidden is np.ma.nomask or not hidden.any() else np.asarray(hidden)


def _float(name: str, values: AnyArray) -> Column:
    hidden = _masked(values)
    floats = _native(values)
    if hidden is not None:
        floats = np.where(hidden, floats.dtype.type(np.nan), floats)
    return Column(name, ColumnType("numeric", "float"), floats)


def _integer(name: str, values: AnyArray) -> Column:
    return whole_column(name, _native(values), _masked(values))


def _boolean(name: str, values: AnyArray) -> Column:
    hidden, codes = _masked(values), np.asarray(values).astype(np.int32)
    if hidden is not None:
        codes[hidden] = -1
    return boolean_column(name, codes)


def _moments(name: str, values: AnyArray) -> Column:
    hidden, moments = _masked(values), np.asarray(values)
    if hidden is not None:
        moments = np.where(hidden, np.array("NaT", dtype=moments.dtype), moments)
    return time_column(name, moments)


def _cells(name: str, values: AnyArray) -> Column:
    return column_from_cells(name, values.tolist())


def _bytes(name: str, values: AnyArray) -> Column:
    try:
        texts = np.char.decode(values, "utf-8")
    except UnicodeDecodeError as problem:
        raise KindError(
            f"Column {name!r} holds bytes that are not UTF-8 text: {problem}",
            code="K004",
            column=name,
            repair=Repair('import numpy\nX = numpy.char.decode(X, "latin-1")'),
        ) from problem
    return column_from_cells(name, texts.tolist())


def _complex(name: str, values: AnyArray) -> Column:
    raise complex_numbers(name)


def _native(values: AnyArray) -> npt.NDArray[Any]:
    """Return numbers in the machine's byte order, long doubles as float64; otherwise no copy."""
    plain = np.asarray(values)
    native = plain.dtype.newbyteorder("=")
    if native.kind == "f" and native.itemsize > 8:
        native = np.dtype(np.float64)
    with np.errstate(over="ignore"):
        return plain.astype(native, copy=False)


_READERS: dict[str, Callable[[str, AnyArray], Column]] = {
    "f": _float,
    "i": _integer,
    "u": _integer,
    "b": _boolean,
    "M": _moments,
    "m": _moments,
    "O": _cells,
    "U": _cells,
    "T": _cells,
    "S": _bytes,
    "c": _complex,
}
