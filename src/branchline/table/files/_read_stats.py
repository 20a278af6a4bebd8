"""Files of SPSS, Stata and SAS into a table, by pyreadstat: value labels become categories."""

import io
from typing import Any

from branchline._memory import refuse_over_budget
from branchline.errors import BranchlineError, DataError
from branchline.table._table import Table
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source
from branchline.table.frames._from_polars import from_polars

__all__ = ["read_sas", "read_spss", "read_stata", "read_xport"]

_BYTES_PER_CELL = 16


def read_spss(source: Source, options: ReadOptions) -> Table:
    """Return the table of an SPSS file (.sav, .zsav or .por)."""
    portable = source.suffix == ".por" or not source.content.startswith((b"$FL2", b"$FL3"))
    return _read(source, options, "read_por" if portable else "read_sav", "SPSS")


def read_stata(source: Source, options: ReadOptions) -> Table:
    """Return the table of a Stata file (.dta)."""
    return _read(source, options, "read_dta", "Stata")


def read_sas(source: Source, options: ReadOptions) -> Table:
    """Return the table of a SAS file (.sas7bdat)."""
    return _read(source, options, "read_sas7bdat", "SAS")


def read_xport(source: Source, options: ReadOptions) -> Table:
    """Return the table of a SAS transport file (.xpt)."""
    return _read(source, options, "read_xport", "SAS")


def _read(source: Source, options: ReadOptions, function: str, what: str) -> Table:
    library = need_extra("pyreadstat", "stats", f"{what} files")
    read = getattr(library, function)
    labeled = {"apply_value_formats": True} if function in {"read_sav", "read_dta"} else {}
    try:
        _, about = read(io.BytesIO(source.content), metadataonly=True)
        _refuse_large(source, about)
        frame, _ = read(io.BytesIO(source.content), output_format="polars", **labeled)
    except BranchlineError:
        raise
    except Exception as error:  # the library has its own errors, and passes on those of dates
        raise _damaged(source, what, error) from None
    if not frame.width:
        raise file_error(source.name, "there are no columns in it.", code="F004")
    return options.apply_to_frame(_plain(frame))


def _refuse_large(source: Source, about: Any) -> None:
    rows, columns = about.number_rows or 0, about.number_columns or 0
    refuse_over_budget(_BYTES_PER_CELL * rows * columns, f"{rows:,} × {columns:,} cells")


def _damaged(source: Source, what: str, error: Exception) -> DataError:
    why = str(error).partition("\n")[0][:120]
    message = f"the {what} file is damaged or cut short ({why}). Fetch or write it again."
    return file_error(source.name, message, code="F008")


def _plain(frame: Any) -> Table:
    """Return the frame with whole numbers whole, midnights as days and empty texts missing."""
    import polars as pl

    changes = []
    for series in frame:
        column = pl.col(series.name)
        known = series.drop_nulls()
        if series.dtype == pl.Float64 and len(known) and bool((known == known.floor()).all()):
            if bool((known.abs() <= 2**53).all()):
                changes.append(column.cast(pl.Int64))
        elif series.dtype == pl.String:
            changes.append(column.str.strip_chars().replace("", None))
        elif isinstance(series.dtype, pl.Datetime) and bool(
            (known == known.dt.truncate("1d")).all()
        ):
            changes.append(column.cast(pl.Date))
    return from_polars(frame.with_columns(changes))
