"""Tables from pandas frames (2.x and 3.x).

1. A frame of float64 only, or float32 only, is borrowed as a matrix; pandas copies it only when its
   columns lie apart.
2. A frame of sparse columns that fill with zero stays sparse.
3. Any other frame goes column by column, by the class of its dtype. Row labels are not kept.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._names import column_names
from branchline.errors import KindError, Repair
from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.frames._categories import boolean_column, declared_column, text_column
from branchline.table.frames._from_cells import column_from_cells
from branchline.table.frames._from_numpy import column_from_array, from_sparse
from branchline.table.frames._shapes import no_columns
from branchline.table.frames._time_columns import time_column
from branchline.table.frames._whole_numbers import whole_column

__all__ = ["column_from_pandas", "from_pandas"]


def from_pandas(frame: Any) -> Table:
    """Return a table from a pandas frame."""
    names, named = column_names(frame.columns)
    if not names:
        raise no_columns(len(frame))
    matrix = _float_matrix(frame)
    if matrix is not None:
        return Table.from_matrix(matrix).with_names(names, named=named)
    if _is_sparse(frame):
        return from_sparse(frame.sparse.to_coo()).with_names(names, named=named)
    # By position: names may occur twice, which the table refuses with a clear error.
    columns = [column_from_pandas(name, frame.iloc[:, place]) for place, name in enumerate(names)]
    return Table.from_columns(columns, named=named)


def column_from_pandas(name: str, values: Any) -> Column:
    """Return a column from a pandas series, index or extension array."""
    import pandas

    series = values if isinstance(values, pandas.Series) else pandas.Series(values)
    if isinstance(series.dtype, np.dtype):
        return column_from_array(name, series.to_numpy())
    reader = _READERS.get(type(series.dtype).__name__)
    if reader is not None:
        return reader(name, series)
    if hasattr(series.dtype, "numpy_dtype"):
        return _nullable(name, series)
    return column_from_cells(name, series.tolist())


def _float_matrix(frame: Any) -> AnyArray | None:
    dtypes = set(frame.dtypes)
    if len(dtypes) != 1 or dtypes.pop() not in (np.float32, np.float64):
        return None
    return np.asarray(frame.to_numpy())


def _is_sparse(frame: Any) -> bool:
    return all(
        type(dtype).__name__ == "SparseDtype" and dtype.kind in "fiu" and dtype.fill_value == 0
        for dtype in frame.dtypes
    )


# -- one reader a class of dtype ---------------------------------------------------------------


def _nullable(name: str, series: Any) -> Column:
    """Read pandas' masked numbers and booleans; integers keep their mask, even an empty one."""
    dtype = series.dtype.numpy_dtype
    if dtype.kind == "b":
        return boolean_column(name, series.to_numpy(dtype=np.int8, na_value=-1))
    if dtype.kind == "f":
        return column_from_array(name, series.to_numpy(dtype=dtype, na_value=np.nan))
    values = series.to_numpy(dtype=dtype, na_value=0)
    return whole_column(name, values, series.isna().to_numpy())


def _category(name: str, series: Any) -> Column:
    categories = series.dtype.categories.tolist()
    codes = series.cat.codes.to_numpy()
    return declared_column(name, codes, categories, ordered=bool(series.dtype.ordered))


def _text(name: str, series: Any) -> Column:
    import pandas

    codes, names = pandas.factorize(series)
    return text_column(name, codes, names.tolist())


def _zoned(name: str, series: Any) -> Column:
    in_utc = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    return time_column(name, in_utc, str(series.dtype.tz))


def _sparse(name: str, series: Any) -> Column:
    return column_from_array(name, np.asarray(series.sparse.to_dense()))


def _interval(name: str, series: Any) -> Column:
    return column_from_cells(
        name, [None if isinstance(cell, float) else str(cell) for cell in series.tolist()]
    )


def _arrow(name: str, series: Any) -> Column:
    import pyarrow

    from branchline.table.frames._from_arrow import column_from_arrow

    return column_from_arrow(name, pyarrow.chunked_array(series.array.__arrow_array__()))


def _period(name: str, series: Any) -> Column:
    raise KindError(
        f"Column {name!r} holds periods ({series.dtype}), which are neither numbers nor moments.",
        code="K004",
        column=name,
        values=[str(cell) for cell in series.iloc[:2]],
        repair=Repair(f"X[{name!r}] = X[{name!r}].dt.to_timestamp()"),
    )


_READERS: dict[str, Callable[[str, Any], Column]] = {
    "CategoricalDtype": _category,
    "StringDtype": _text,
    "DatetimeTZDtype": _zoned,
    "SparseDtype": _sparse,
    "IntervalDtype": _interval,
    "ArrowDtype": _arrow,
    "PeriodDtype": _period,
}
