"""Which library a frame or series comes from, told without importing that library.

1. A class is looked up in loaded modules only: a frame exists only after its library was loaded.
2. pandas, polars and pyarrow have a reader each; a narwhals frame is unwrapped.
3. Any other frame that offers Arrow's stream is read through polars.
4. Lazy frames are plans, not data, and are refused.
"""

import sys
from typing import Any

from branchline.errors import KindError, Repair
from branchline.table._column import Column
from branchline.table._table import Table

__all__ = [
    "column_from_series",
    "comes_from",
    "from_frame",
    "is_frame",
    "is_lazy",
    "is_series",
    "lazy_frame",
]


def is_frame(data: Any) -> bool:
    """Whether ``data`` is an eager frame of any library."""
    return (
        comes_from(data, "pandas", "DataFrame")
        or comes_from(data, "polars", "DataFrame")
        or comes_from(data, "narwhals", "DataFrame")
        or hasattr(data, "__arrow_c_stream__")
    )


def is_series(data: Any) -> bool:
    """Whether ``data`` is a single column of any library."""
    return (
        comes_from(data, "pandas", "Series", "Index")
        or comes_from(data, "pandas.api.extensions", "ExtensionArray")
        or comes_from(data, "polars", "Series")
        or comes_from(data, "pyarrow", "Array", "ChunkedArray")
        or comes_from(data, "narwhals", "Series")
    )


def is_lazy(data: Any) -> bool:
    """Whether ``data`` is a frame that has not been computed yet."""
    return (
        comes_from(data, "polars", "LazyFrame")
        or comes_from(data, "narwhals", "LazyFrame")
        or comes_from(data, "dask.dataframe", "DataFrame")
    )


def from_frame(frame: Any) -> Table:
    """Return a table from an eager frame."""
    if comes_from(frame, "narwhals", "DataFrame"):
        frame = frame.to_native()
    if comes_from(frame, "pandas", "DataFrame"):
        from branchline.table.frames._from_pandas import from_pandas

        return from_pandas(frame)
    if comes_from(frame, "pyarrow", "Table", "RecordBatch"):
        from branchline.table.frames._from_arrow import from_arrow

        return from_arrow(frame)
    from branchline.table.frames._from_polars import from_polars

    return from_polars(frame)


def column_from_series(name: str, series: Any) -> Column:
    """Return a column from a series of any library."""
    if comes_from(series, "narwhals", "Series"):
        series = series.to_native()
    if comes_from(series, "polars", "Series"):
        from branchline.table.frames._from_polars import column_from_polars

        return column_from_polars(name, series)
    if comes_from(series, "pyarrow", "Array", "ChunkedArray"):
        from branchline.table.frames._from_arrow import column_from_arrow

        return column_from_arrow(name, series)
    from branchline.table.frames._from_pandas import column_from_pandas

    return column_from_pandas(name, series)


def lazy_frame(data: Any) -> KindError:
    """Return the error for a frame that has not been computed yet."""
    verb = "collect" if hasattr(data, "collect") else "compute"
    return KindError(
        f"A lazy frame ({type(data).__module__.split('.')[0]}) has no rows yet.",
        code="K005",
        repair=Repair(f"X = X.{verb}()"),
    )


def comes_from(data: Any, module: str, *class_names: str) -> bool:
    loaded = sys.modules.get(module)
    classes = [getattr(loaded, name, None) for name in class_names]
    return isinstance(data, tuple(kind for kind in classes if isinstance(kind, type)))
