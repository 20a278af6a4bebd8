"""The one door for data in memory: whatever the user has becomes a ``Table``.

1. The first route whose question is answered yes reads the data.
2. ``names`` then replace the column names.
3. Text columns that hold amounts, dates and the like are converted as in files, and ``kinds``
   replace the kinds of some columns.

The routes ask about the most common and the most specific types first; objects that merely look
like arrays come last.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from branchline.errors import KindError, ParameterError, Repair
from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.converting._conversion import Conversion
from branchline.table.files._options import several_texts
from branchline.table.frames._from_frames import (
    from_frame,
    is_frame,
    is_lazy,
    is_series,
    lazy_frame,
)
from branchline.table.frames._from_numpy import from_numpy, from_sparse
from branchline.table.frames._from_records import from_mapping, from_records, from_rows
from branchline.table.frames._shapes import not_two_dimensional
from branchline.table.frames._text_columns import convert_texts, without_marks

__all__ = ["as_table"]

Texts: TypeAlias = Literal["ask", "keep", "raw"]

_TEXTS = get_args(Texts)
_ACCEPTED = (
    "a NumPy array, a SciPy sparse matrix, a pandas, polars or pyarrow frame, a list of rows, a "
    "list of dictionaries or a dictionary of columns"
)


def as_table(
    data: Any,
    *,
    kinds: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    missing: str | Iterable[str] = (),
    texts: Texts = "ask",
) -> Table:
    """Return ``data`` as a table.

    Parameters
    ----------
    data
        A table (returned as it is), a NumPy array (floats are borrowed without a copy), a SciPy
        sparse matrix, a pandas, polars or pyarrow frame, a list of rows or of dictionaries, or a
        dictionary of columns.
    kinds
        Kinds to use instead of the inferred ones, by column name: "number", "category", or how
        texts are written, such as "date:%d/%m/%Y". Default None: all kinds are inferred.
    names
        Column names to use instead of those the data have or lack.
        Default None: the names in the data.
    missing
        Texts that mean missing, in addition to empty cells.
        Default: none.
    texts
        What becomes of text columns that hold amounts, dates and the like: "ask" (default) converts
        them and refuses those that can be read in two ways; "keep" leaves the latter as text; "raw"
        converts nothing, as for rows to predict, where the schema decides.

    See Also
    --------
    Table : named columns, each numeric or a category, with missing values.

    Examples
    --------
    >>> from branchline.table import as_table
    >>> as_table({"size": [1.5, None], "color": ["red", "blue"]})
    Table(2 rows × 2 columns; size: numeric, color: category (2))
    """
    if texts not in _TEXTS:
        raise ParameterError(
            f"'texts' must be one of {', '.join(map(repr, _TEXTS))}.",
            code="P641",
            values=[texts],
            repair=Repair("as_table(X, texts='raw')" if str(texts) == "as they are" else None),
        )
    table = _reader_of(data)(data)
    if names is not None:
        table = table.with_names(names)
    marks = several_texts("missing", missing) if missing != () else ()
    if marks:
        table = without_marks(table, marks)
    if texts != "raw" and table is not data:
        conversion = Conversion(ambiguous=texts, tells=texts == "ask")
        table = convert_texts(table, conversion, leave=kinds or ())
    return table if kinds is None else table.with_kinds(kinds)


def _reader_of(data: Any) -> Callable[[Any], Table]:
    """Return who reads the data; the common frames are known by their class alone."""
    kind = type(data)
    known = _READER_OF_CLASS.get((kind.__module__, kind.__qualname__))
    return known or next((reader for fits, reader in _ROUTES if fits(data)), _refuse)


def _is_table(data: Any) -> bool:
    return isinstance(data, Table)


def _as_it_is(data: Table) -> Table:
    return data


def _is_array(data: Any) -> bool:
    return isinstance(data, np.ndarray)


def _is_sparse(data: Any) -> bool:
    loaded = sys.modules.get("scipy.sparse")
    return loaded is not None and bool(loaded.issparse(data))


def _is_mapping(data: Any) -> bool:
    return isinstance(data, Mapping)


def _is_list(data: Any) -> bool:
    return isinstance(data, list | tuple)


def _from_list(data: Sequence[Any]) -> Table:
    if data and isinstance(data[0], Mapping):
        return from_records(data)
    if data and all(isinstance(item, Column) for item in data):
        return Table.from_columns(data)
    return from_rows(data)


def _is_array_like(data: Any) -> bool:
    return hasattr(data, "__array__") or hasattr(data, "__dlpack__")


def _from_array_like(data: Any) -> Table:
    try:
        array = np.asarray(data) if hasattr(data, "__array__") else np.from_dlpack(data)
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        raise KindError(
            f"{_a_type(data)} could not be read as an array: {problem}", code="K003"
        ) from problem
    return from_numpy(array)


def _refuse_series(data: Any) -> Table:
    can = hasattr(data, "to_frame")
    raise not_two_dimensional(1, "X = X.to_frame()" if can else 'X = {"x": X}')


def _refuse_lazy(data: Any) -> Table:
    raise lazy_frame(data)


def _refuse(data: Any) -> Table:
    repair = None
    if isinstance(data, str | PathLike):
        repair = f"import branchline\nX = branchline.read_table({str(data)!r})"
    elif isinstance(data, Iterator):
        repair = "X = list(X)"
    raise KindError(
        f"{_a_type(data)} is not a table. Accepted: {_ACCEPTED}.",
        code="K003",
        repair=Repair(repair),
    )


def _a_type(data: Any) -> str:
    kind = type(data)
    where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"An object of type {where}{kind.__qualname__}"


_ROUTES: tuple[tuple[Callable[[Any], bool], Callable[[Any], Table]], ...] = (
    (_is_table, _as_it_is),
    (_is_array, from_numpy),
    (is_lazy, _refuse_lazy),
    (is_series, _refuse_series),
    (is_frame, from_frame),
    (_is_sparse, from_sparse),
    (_is_mapping, from_mapping),
    (_is_list, _from_list),
    (_is_array_like, _from_array_like),
)
# Rows to predict often come one by one, and ten questions cost more than some predictions.
_READER_OF_CLASS: dict[tuple[str, str], Callable[[Any], Table]] = {
    ("pandas", "DataFrame"): from_frame,
    ("pandas.core.frame", "DataFrame"): from_frame,
    ("polars.dataframe.frame", "DataFrame"): from_frame,
    ("builtins", "list"): _from_list,
}
