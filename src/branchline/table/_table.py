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

from branchline._arrays import AnyArray
from branchline._memory import refuse_over_budget
from branchline._names import no_such_column, refuse_bad_names, refuse_double_names
from branchline._plain_numbers import count
from branchline.errors import DataError
from branchline.table._column import FLOAT, Column, refuse_unequal_lengths
from branchline.table._schema import Field, Schema, float_schema

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from branchline.table.looking._look import Look

__all__ = ["Table"]


_MANY = 64  # columns, from which on one matrix of floats is faster than an array for each


class Table:
    """Named columns, each numeric or a category, with missing values.

    Parameters
    ----------
    data
        Columns, a NumPy array (floats are borrowed without a copy), a SciPy sparse matrix, a list
        of rows or dictionaries, a mapping of names to values, or a pandas, polars or pyarrow frame.
    kinds
        Kinds to use instead of the inferred ones, by column name: "number", "category", or how
        texts are written, such as "date:%d/%m/%Y" (see ``read_table``).
    names
        Column names for data that have none.
    missing
        Texts that mean missing, in addition to empty cells.

    See Also
    --------
    load_dataset : return the bundled data set called ``name``, target column included.
    read_table : read a file as a table.
    as_table : return ``data`` as a table.

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
    matrix: AnyArray | None  # the 2-D float array behind the table, when there is one
    sparse: Any  # the SciPy CSC matrix behind the table, when there is one
    groups: AnyArray | None = None  # the group of each row: rows of a group share a fold
    times: AnyArray | None = None  # when each row happened: the past predicts the future

    def __init__(
        self,
        data: Any,
        *,
        kinds: Mapping[str, str] | None = None,
        names: Sequence[str] | None = None,
        missing: str | Iterable[str] = (),
    ) -> None:
        from branchline.table._convert import as_table

        made = as_table(data, kinds=kinds, names=names, missing=missing)
        self.__dict__.update(made.__dict__)

    # -- stores -------------------------------------------------------------------------------

    @classmethod
    def _over(
        cls, schema: Schema, matrix: Any = None, sparse: Any = None, columns: Any = None
    ) -> "Table":
        """Return a table over one of the three stores; the other two are None."""
        table = cls.__new__(cls)
        table.schema, table.matrix, table.sparse = schema, matrix, sparse
        if columns is not None:
            table.__dict__["columns"] = tuple(columns)
        return table

    @classmethod
    def from_columns(cls, columns: Iterable[Column], *, named: bool = True) -> "Table":
        """Make a table of columns."""
        given = tuple(columns)
        refuse_double_names([column.name for column in given])
        refuse_unequal_lengths(given)
        fields = tuple(Field(column.name, column.type) for column in given)
        return cls._over(Schema(fields, named), columns=given)

    @classmethod
    def from_matrix(cls, matrix: AnyArray, names: Sequence[str] | None = None) -> "Table":
        """Make a table over a 2-D float array, which is borrowed, not copied."""
        return cls._over(float_schema(matrix.shape[1], names), matrix=matrix)

    @classmethod
    def from_sparse(cls, matrix: Any, names: Sequence[str] | None = None) -> "Table":
        """Make a table over a SciPy sparse matrix of numbers; cells not stored are zero."""
        csc = matrix.tocsc()
        if not csc.has_canonical_format:  # the caller's own matrix is left as it is
            csc = csc.copy()
            csc.sum_duplicates()
        return cls._over(float_schema(matrix.shape[1], names), sparse=csc)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns; those of a sparse table are made dense, within the memory budget."""
        if self.sparse is not None:
            n_rows, n_columns = self.shape
            refuse_over_budget(
                8 * n_rows * n_columns, f"a dense copy of {n_rows} × {n_columns} cells"
            )
        return tuple(self.column(name) for name in self.names)

    def column(self, name: str) -> Column:
        """Return the column called ``name``."""
        place = self._place(name)
        if self.matrix is not None:
            return Column(name, FLOAT, self.matrix[:, place])
        if self.sparse is not None:
            return Column(name, FLOAT, self.sparse[:, [place]].toarray()[:, 0])
        columns: tuple[Column, ...] = self.__dict__["columns"]
        return columns[place]

    def packed(self) -> "Table":
        """Return the same table over one matrix, where it has many columns and all are floats.

        Then every step takes all columns at once; column by column, most of the time of a table of
        thousands of columns would go into calls.
        """
        columns = self.__dict__.get("columns")
        if self.matrix is not None or self.sparse is not None or columns is None:
            return self
        if len(columns) < _MANY or any(column.type != FLOAT for column in columns):
            return self
        matrix = np.empty(self.shape)
        for place, column in enumerate(columns):
            matrix[:, place] = column.numbers()
        made = self._over(self.schema, matrix=matrix)
        made.groups, made.times = self.groups, self.times
        return made

    # -- shape and selection ----------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        if self.matrix is not None:
            return int(self.matrix.shape[0])
        if self.sparse is not None:
            return int(self.sparse.shape[0])
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
            if which.ndim > 1:
                raise IndexError(f"rows are chosen by one list, not by {which.ndim} dimensions")
            if which.size == 0:
                which = which.astype(np.intp)
        chosen = self._map(
            self.schema,
            lambda matrix: matrix[which],
            lambda columns: [column.take(which) for column in columns],
        )
        for name in ("groups", "times"):
            marks = getattr(self, name)
            if marks is not None:
                setattr(chosen, name, marks[which])
        return chosen

    def with_groups(self, groups: Any) -> "Table":
        """Return the same table, its rows marked with groups that are never split.

        Every inner choice of a learner (rounds, pruning, penalties, thresholds, searches) then
        keeps all rows of a group in one fold.

        Parameters
        ----------
        groups
            One label for each row, such as a patient or a site; None removes the marks.
        """
        return self._marked("groups", groups)

    def with_times(self, times: Any) -> "Table":
        """Return the same table, its rows marked with times.

        Every inner choice of a learner is then made on rows that come after those it was fitted on.

        Parameters
        ----------
        times
            When each row happened: numbers or dates; None removes the marks.
        """
        return self._marked("times", times)

    def _marked(self, name: str, marks: Any) -> "Table":
        same = self._map(self.schema, lambda matrix: matrix, lambda columns: columns)
        given = None if marks is None else np.asarray(marks)
        if given is not None and given.shape != (self.n_rows,):
            raise DataError(
                f"{name!r} must hold one value for each of the {self.n_rows} rows; its shape is "
                f"{given.shape}.",
                code="D080",
            )
        setattr(same, name, given)
        return same

    def select(self, names: str | Iterable[str]) -> "Table":
        """Return only the columns called ``names``, in that order."""
        wanted = [names] if isinstance(names, str) else list(names)
        refuse_double_names(wanted)
        places = [self._place(name) for name in wanted]
        fields = tuple(self.schema.fields[place] for place in places)
        return self._map(
            Schema(fields, self.schema.named),
            lambda matrix: matrix[:, places],
            lambda columns: [columns[place] for place in places],
        )

    def drop(self, names: str | Iterable[str]) -> "Table":
        """Return the table without the columns called ``names``."""
        gone = {names} if isinstance(names, str) else set(names)
        for name in gone:
            self._place(name)
        return self.select(name for name in self.names if name not in gone)

    def _place(self, name: str) -> int:
        place = self.schema.position.get(name)
        if place is None:
            raise no_such_column(name, self.names)
        return place

    def split_target(self, target: str | Sequence[str]) -> tuple["Table", Any]:
        """Return the inputs as a table and the target column as an array (names or numbers).

        Missing cells of the target stay missing: NaN among numbers, None among names. Of a list of
        columns, the targets are a table (for ``branchline.outputs``).
        """
        if isinstance(target, str):
            return self.drop(target), self.column(target).to_numpy()
        return self.drop(target), self.select(target)

    def with_names(self, names: Sequence[str], *, named: bool = True) -> "Table":
        """Return the same table under other column names."""
        refuse_bad_names(names, self.n_columns)
        new = list(zip(names, self.schema, strict=True))
        return self._map(
            Schema(tuple(Field(name, field.type) for name, field in new), named),
            lambda matrix: matrix,
            lambda columns: [
                column.renamed(name) for name, column in zip(names, columns, strict=True)
            ],
        )

    def with_kinds(self, kinds: Mapping[str, str]) -> "Table":
        """Return the table with the kinds of some columns changed."""
        from branchline.table._change_kinds import change_kinds

        return change_kinds(self, kinds)

    def _map(
        self,
        schema: Schema,
        on_matrix: Callable[[Any], Any],
        on_columns: Callable[[tuple[Column, ...]], Iterable[Column]],
    ) -> "Table":
        """Return a table over the same kind of store, changed; the rows keep their marks."""
        if self.matrix is not None:
            made = Table._over(schema, matrix=on_matrix(self.matrix))
        elif self.sparse is not None:
            made = Table._over(schema, sparse=on_matrix(self.sparse))
        else:
            made = Table._over(schema, columns=on_columns(self.columns))
        made.groups, made.times = self.groups, self.times
        return made

    # -- out again --------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return an array: of numbers when all columns are numeric, else of objects."""
        if all(field.type.kind == "numeric" for field in self.schema):
            return np.array(self.to_numpy(), dtype=dtype, copy=copy)
        cells = np.empty(self.shape, dtype=object)
        for place, column in enumerate(self.columns):
            cells[:, place] = column.to_list()
        return cells if dtype is None else cells.astype(dtype)

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return numbers as a 2-D array with NaN for missing; categories as their codes."""
        if self.matrix is not None:
            return self.matrix
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
        """Return one dictionary per row, None for missing."""
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

    def look(self, target: str | None = None) -> "Look":
        """Describe the table: kinds, missing cells, distinct values, suspicious columns."""
        from branchline.table.looking._look import look

        return look(self, target)

    def __repr__(self) -> str:
        shown = ", ".join(f"{field.name}: {field.type}" for field in self.schema.fields[:3])
        more = f", … {self.n_columns - 3:,} more" if self.n_columns > 3 else ""
        shape = f"{count(self.n_rows, 'row')} × {count(self.n_columns, 'column')}"
        return f"Table({shape}; {shown}{more})"

    def _repr_html_(self) -> str:
        return self.look().to_html()
