"""The table: named columns of numbers and categories, from whatever the user has.

A table is made from one of three stores and never changes afterwards:

1. *columns*, one array each (frames, files, records);
2. a dense *matrix* of floats, borrowed from NumPy without a copy; columns are views made on demand;
3. a *sparse* matrix (SciPy CSC); a column becomes dense only when it is asked for.

Everything else (selecting, writing, describing, handing back as a frame) goes through columns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline.errors import DataError, ParameterError
from branchline.table._column import AnyArray, Column, ColumnType
from branchline.table._schema import Field, Schema
from branchline.table.frames._column_names import made_up_names

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from branchline.table.looking._look import Look

__all__ = ["Table"]

_FLOAT = ColumnType("numeric", "float")


class Table:
    """Named columns, each numeric or a category, with missing values.

    Parameters
    ----------
    data
        Columns, a NumPy array (floats are borrowed without a copy), a SciPy sparse matrix, a list
        of rows or dictionaries, a mapping of names to values, or a pandas, polars or pyarrow frame.
    kinds
        Kinds to use instead of the inferred ones, by column name: "numeric" or "category".
    names
        Column names for data that have none.

    Examples
    --------
    >>> from branchline import Table
    >>> table = Table([{"age": 31, "town": "Liège"}, {"age": None, "town": "Mons"}])
    >>> table.shape
    (2, 2)
    >>> table["town"].categories
    ('Liège', 'Mons')
    """

    schema: Schema
    _matrix: AnyArray | None
    _sparse: Any

    def __init__(
        self,
        data: Any,
        *,
        kinds: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        if kinds is None and names is None and _is_columns(data):
            self._set_columns(tuple(data), named=True)
            return
        from branchline.table._convert import as_table

        self.__dict__.update(as_table(data, kinds=kinds, names=names).__dict__)

    # -- stores -------------------------------------------------------------------------------

    def _set_columns(self, columns: tuple[Column, ...], *, named: bool) -> None:
        _refuse_bad_columns(columns)
        self._matrix, self._sparse = None, None
        self.schema = Schema(tuple(Field(column.name, column.type) for column in columns), named)
        self.__dict__["columns"] = columns

    @classmethod
    def from_columns(cls, columns: Iterable[Column], *, named: bool = True) -> "Table":
        """Make a table of columns."""
        table = cls.__new__(cls)
        table._set_columns(tuple(columns), named=named)
        return table

    @classmethod
    def from_matrix(cls, matrix: AnyArray, names: Sequence[str] | None = None) -> "Table":
        """Make a table over a 2-D float array, which is borrowed, not copied."""
        table = cls.__new__(cls)
        table._matrix, table._sparse = matrix, None
        table.schema = _float_schema(matrix.shape[1], names)
        return table

    @classmethod
    def from_sparse(cls, matrix: Any, names: Sequence[str] | None = None) -> "Table":
        """Make a table over a SciPy sparse matrix of numbers; cells not stored are zero."""
        table = cls.__new__(cls)
        table._matrix, table._sparse = None, matrix.tocsc()
        table.schema = _float_schema(matrix.shape[1], names)
        return table

    @property
    def matrix(self) -> AnyArray | None:
        """The 2-D float array behind the table, when there is one."""
        return self._matrix

    @property
    def sparse(self) -> Any:
        """The SciPy CSC matrix behind the table, when there is one."""
        return self._sparse

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns; those of a sparse table are made dense, within the memory budget."""
        if self._sparse is not None:
            from branchline._memory import refuse_over_budget

            cells = self.n_rows * self.n_columns
            refuse_over_budget(8 * cells, f"a dense copy of {self.n_rows} × {self.n_columns} cells")
        return tuple(self.column(name) for name in self.names)

    def column(self, name: str) -> Column:
        """Return the column called ``name``."""
        place = self.schema.position.get(name)
        if place is None:
            raise _no_such_column(name, self.names)
        if self._matrix is not None:
            return Column(name, _FLOAT, self._matrix[:, place])
        if self._sparse is not None:
            return Column(name, _FLOAT, self._sparse[:, [place]].toarray()[:, 0])
        columns: tuple[Column, ...] = self.__dict__["columns"]
        return columns[place]

    # -- shape and selection ----------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        if self._matrix is not None:
            return int(self._matrix.shape[0])
        if self._sparse is not None:
            return int(self._sparse.shape[0])
        columns = self.__dict__["columns"]
        return len(columns[0]) if columns else 0

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.schema)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self.schema.names

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, self.n_columns

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, key: Any) -> Any:
        """Return a column by name, columns by a list of names, or rows by positions."""
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            return self.rows(key[0])
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, list | tuple) and key and all(isinstance(name, str) for name in key):
            return self.select(key)
        return self.rows(key)

    def rows(self, which: Any) -> "Table":
        """Return the rows at ``which``: positions, a mask or a slice."""
        if not isinstance(which, slice):
            which = np.atleast_1d(np.asarray(which))
            if which.size == 0:
                which = which.astype(np.intp)
        return self._map(
            lambda matrix: matrix[which], lambda column: column.take(which), self.schema.fields
        )

    def select(self, names: Iterable[str]) -> "Table":
        """Return only the columns called ``names``, in that order."""
        wanted = list(names)
        for name in wanted:
            if name not in self.schema.position:
                raise _no_such_column(name, self.names)
        places = [self.schema.position[name] for name in wanted]
        fields = tuple(self.schema.fields[place] for place in places)
        if self._matrix is not None or self._sparse is not None:
            return self._map(lambda matrix: matrix[:, places], None, fields)
        return Table.from_columns([self.column(name) for name in wanted], named=self.schema.named)

    def drop(self, names: str | Iterable[str]) -> "Table":
        """Return the table without the columns called ``names``."""
        gone = {names} if isinstance(names, str) else set(names)
        for name in gone:
            if name not in self.schema.position:
                raise _no_such_column(name, self.names)
        return self.select(name for name in self.names if name not in gone)

    def split_target(self, target: str) -> tuple["Table", Any]:
        """Return the inputs as a table and the target column as an array (names or numbers).

        Missing cells of the target stay missing: NaN among numbers, None among names.
        """
        column = self.column(target)
        inputs = self.drop(target)
        if column.kind == "numeric":
            whole = column.type.source == "integer" and not column.is_missing.any()
            return inputs, column.values.copy() if whole else column.numbers()
        names = np.array(column.to_list(), dtype=object)
        if not column.is_missing.any() and all(isinstance(name, str) for name in names):
            return inputs, names.astype(str)
        return inputs, names if column.is_missing.any() else np.array(names.tolist())

    def with_names(self, names: Sequence[str], *, named: bool = True) -> "Table":
        """Return the same table under other column names."""
        _refuse_bad_names(names, self.n_columns)
        fields = tuple(
            Field(name, field.type) for name, field in zip(names, self.schema, strict=True)
        )
        renamed = self._map(lambda matrix: matrix, None, fields)
        if self._matrix is None and self._sparse is None:
            renamed.__dict__["columns"] = tuple(
                column.renamed(name) for name, column in zip(names, self.columns, strict=True)
            )
        renamed.schema = Schema(fields, named)
        return renamed

    def with_kinds(self, kinds: Mapping[str, str]) -> "Table":
        """Return the table with the kinds of some columns changed."""
        from branchline.table._kinds import change_kinds

        return change_kinds(self, kinds)

    def _map(
        self,
        on_matrix: Callable[[Any], Any],
        on_column: Callable[[Column], Column] | None,
        fields: tuple[Field, ...],
    ) -> "Table":
        table = Table.__new__(Table)
        table._matrix = None if self._matrix is None else on_matrix(self._matrix)
        table._sparse = None if self._sparse is None else on_matrix(self._sparse)
        table.schema = Schema(fields, self.schema.named)
        if self._matrix is None and self._sparse is None and on_column is not None:
            table.__dict__["columns"] = tuple(on_column(column) for column in self.columns)
        return table

    # -- out again --------------------------------------------------------------------------

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return numbers as a 2-D array with NaN for missing; categories as their codes."""
        if self._matrix is not None:
            return self._matrix
        out = np.empty(self.shape, order="F")
        for place, column in enumerate(self.columns):
            if column.kind == "numeric":
                out[:, place] = column.numbers()
            else:
                out[:, place] = np.where(column.values < 0, np.nan, column.values)
        return out

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas frame with the types the columns came with."""
        from branchline.table.frames._to_frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> "polars.DataFrame":
        """Return a polars frame with the types the columns came with."""
        from branchline.table.frames._to_frames import to_polars

        return to_polars(self)

    def to_arrow(self) -> "pyarrow.Table":
        """Return an Arrow table with the types the columns came with."""
        from branchline.table.frames._to_frames import to_arrow

        return to_arrow(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary a row, None for missing."""
        lists = [column.to_list() for column in self.columns]
        return [dict(zip(self.names, row, strict=True)) for row in zip(*lists, strict=True)]

    def write_csv(self, path: str | Path) -> None:
        """Write the table as CSV (gzipped when the name ends in .gz), empty cells for missing."""
        from branchline.table.files._write import write_csv

        write_csv(self, path)

    def write_arff(self, path: str | Path, *, relation: str = "table") -> None:
        """Write the table as Weka's ARFF, ``?`` for missing."""
        from branchline.table.files._write import write_arff

        write_arff(self, path, relation=relation)

    # -- words ------------------------------------------------------------------------------

    def look(self) -> "Look":
        """Describe the table: kinds, missing cells, distinct values, suspicious columns."""
        from branchline.table.looking._look import look

        return look(self)

    def __repr__(self) -> str:
        shown = ", ".join(f"{field.name}: {field.type}" for field in self.schema.fields[:3])
        more = f", … {self.n_columns - 3} more" if self.n_columns > 3 else ""
        return f"Table({self.n_rows} rows × {self.n_columns} columns; {shown}{more})"

    def _repr_html_(self) -> str:
        return self.look().to_html()


def _is_columns(data: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and bool(data)
        and all(isinstance(item, Column) for item in data)
    )


def _float_schema(n_columns: int, names: Sequence[str] | None) -> Schema:
    given = made_up_names(n_columns) if names is None else names
    _refuse_bad_names(given, n_columns)
    return Schema(tuple(Field(name, _FLOAT) for name in given), named=names is not None)


def _refuse_bad_columns(columns: tuple[Column, ...]) -> None:
    _refuse_double_names([column.name for column in columns])
    for column in columns:
        if len(column) != len(columns[0]):
            raise DataError(
                f"Column {column.name!r} has {len(column)} rows, but {columns[0].name!r} has "
                f"{len(columns[0])}.",
                code="D004",
                column=column.name,
            )


def _refuse_bad_names(names: Sequence[str], n_columns: int) -> None:
    if isinstance(names, str) or len(names) != n_columns:
        raise ParameterError(f"{len(names)} names for {n_columns} columns.", code="P005")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ParameterError("Column names must be texts.", code="P005", values=wrong)
    _refuse_double_names(names)


def _refuse_double_names(names: Sequence[str]) -> None:
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    double = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    raise DataError(
        f"Two columns are called {double!r}; every column needs its own name.",
        code="D005",
        column=double,
    )


def _no_such_column(name: str, names: Sequence[str]) -> DataError:
    from difflib import get_close_matches

    near = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return DataError(
        f"There is no column {name!r}.{hint} The columns are: {listed}.",
        code="D003",
        column=str(name),
    )
