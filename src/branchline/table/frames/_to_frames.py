"""A table as a frame again: pandas, polars or Arrow, with the types the columns came with.

1. Each library has a dictionary from a column's source to a function that makes its series.
2. Missing cells are null (NaN in float columns of pandas); so are categories unseen at fit.
3. Whole numbers stay whole and booleans boolean, also with missing cells; text is text; categories
   keep their names, their order and whether the order means something.
4. Units and time zones are kept where the library has them: pandas has no days, so dates become
   moments in seconds, and no times of day, so these become Python's; polars has no seconds, so they
   become milliseconds.
"""

import importlib
from typing import TYPE_CHECKING, Any

from branchline.errors import MissingExtra, Repair
from branchline.table._table import Table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["need_library", "to_arrow", "to_pandas", "to_polars"]


def to_pandas(table: Table) -> "pandas.DataFrame":
    """Return the table as a pandas frame; a sparse table as a frame of sparse columns."""
    need_library("pandas")
    from branchline.table.frames._to_pandas import pandas_frame

    return pandas_frame(table)


def to_polars(table: Table) -> "polars.DataFrame":
    """Return the table as a polars frame."""
    need_library("polars")
    from branchline.table.frames._to_polars import polars_frame

    return polars_frame(table)


def to_arrow(table: Table) -> "pyarrow.Table":
    """Return the table as an Arrow table."""
    need_library("pyarrow")
    from branchline.table.frames._to_arrow import arrow_table

    return arrow_table(table)


def need_library(library: str) -> Any:
    """Return a library that is imported only when it is needed; say how to install it."""
    try:
        return importlib.import_module(library)
    except ImportError as problem:
        raise MissingExtra(
            f"This needs {library}, which is not installed.",
            code="X001",
            repair=Repair(f"pip install {library}"),
        ) from problem
