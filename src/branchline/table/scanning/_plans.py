"""How the cells of a part become the values of a column whose type is decided.

- *Plain*: texts are read as whole numbers, numbers, true and false or ISO dates; typed cells are
  taken as they are.
- *Looked up*: each of the different cells has its value; all others follow.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline.table._column import MISSING_CODE, Column, ColumnType
from branchline.table._kinds import as_comma_float
from branchline.table.converting._missing_marks import without_texts
from branchline.table.files._moments import iso_column
from branchline.table.frames._from_polars import column_from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LookUp", "Plain", "Plan", "Values"]


@dataclass(frozen=True)
class Values:
    """The values of some rows of a column; ``missing`` marks rows without one (None: none are)."""

    values: AnyArray
    missing: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Plain:
    """Cells that show their value by themselves.

    Parameters
    ----------
    name, type
        The column as it will be.
    reading
        "integer", "float", "comma", "boolean", "iso" for texts; "typed" for cells with a type.
    marks
        Texts that mean missing here.
    dtype
        The type of the values.
    """

    name: str
    type: ColumnType
    reading: str
    dtype: np.dtype[Any]
    marks: tuple[str, ...] = ()

    def convert(self, cells: "pl.Series") -> Values:
        """Return the values of a part."""
        import polars as pl

        if self.reading == "typed":
            return self._given(column_from_polars(self.name, cells))
        texts = without_texts(cells, self.marks) if self.marks else cells
        if self.reading == "integer":
            return self._given(column_from_polars(self.name, texts.cast(pl.Int64)))
        if self.reading == "float":
            return self._given(column_from_polars(self.name, texts.cast(pl.Float64)))
        if self.reading == "comma":
            floats = texts.to_frame("x").select(as_comma_float(pl.col("x"))).to_series()
            return self._given(column_from_polars(self.name, floats))
        if self.reading == "boolean":
            truths = texts.str.to_lowercase() == "true"
            return self._given(column_from_polars(self.name, truths))
        return self._moments(texts)

    def _moments(self, texts: "pl.Series") -> Values:
        if texts.null_count() == len(texts):
            n_rows = len(texts)
            return Values(np.zeros(n_rows, self.dtype), np.ones(n_rows, dtype=np.bool_))
        column = iso_column(self.name, texts)
        assert column is not None
        return self._given(column)

    def _given(self, column: Column) -> Values:
        return Values(np.asarray(column.values, dtype=self.dtype), column.missing)


@dataclass(frozen=True)
class LookUp:
    """Cells whose value is looked up among the different ones.

    Parameters
    ----------
    name, type
        The column as it will be.
    cells
        The different cells: texts, or whole numbers.
    known
        Their values.
    """

    name: str
    type: ColumnType
    cells: "pl.Series"
    known: Values

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.known.values.dtype

    @cached_property
    def _enum(self) -> Any:
        import polars as pl

        return pl.Enum(self.cells.cast(pl.String))

    def convert(self, cells: "pl.Series") -> Values:
        """Return the values of a part."""
        import polars as pl

        places = cells.cast(pl.String).cast(self._enum).to_physical()
        where = places.cast(pl.Int64).fill_null(len(self.cells)).to_numpy()
        known = self.known
        absent = np.zeros(1, self.dtype)  # what a missing cell holds
        if known.values.dtype.kind == "f":
            absent[0] = np.nan
        elif self.type.kind == "category":
            absent[0] = MISSING_CODE
        values = np.concatenate([known.values, absent])[where]
        if self.type.kind == "category" or known.values.dtype.kind == "f":
            return Values(values)
        gone = np.zeros(len(known.values) + 1, dtype=np.bool_)
        gone[-1] = True
        if known.missing is not None:
            gone[:-1] = known.missing
        missing = gone[where]
        return Values(values, missing if missing.any() else None)


Plan = Plain | LookUp
