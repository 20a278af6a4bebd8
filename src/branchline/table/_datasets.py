"""The bundled data sets: worked examples with known answers, and a few real tables.

1. ``data/catalog.json`` has one entry a set: title, shape, target, license, citation, kinds.
2. ``data/NAME.csv`` holds the rows under a header; an empty cell is missing and nothing else is.
3. Loading reads the file with the kinds of the catalog.
4. Where the catalog declares categories, the column gets them all, in that order: a count table may
   have a column of zeros, which no row can show.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import as_file, files
from typing import Any, Literal, TypeAlias

from branchline.errors import DataError, Repair
from branchline.table._column import ColumnType
from branchline.table._schema import Field, Schema
from branchline.table._table import Table
from branchline.table.files._read import read_table

__all__ = ["DatasetInfo", "Task", "dataset_info", "dataset_names", "load_dataset"]

Task: TypeAlias = Literal["classification", "regression", "other"]

_FOLDER = files("branchline.table").joinpath("data")


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a bundled data set without reading its rows.

    Parameters
    ----------
    name
        The name ``load_dataset`` takes.
    title
        The name people use.
    n_rows, n_columns
        The shape, target included.
    target
        The column to predict; None when there is none.
    task
        What the target asks for.
    description
        What a row is, and what to know before using it.
    source
        Where the rows came from.
    license
        The terms under which they may be used.
    citation
        What to cite.
    kinds
        Kinds that differ from what a reader would infer, by column name.
    categories
        Categories declared in full, by column name.

    See Also
    --------
    dataset_info : return what is known of the data set called ``name``.

    Examples
    --------
    >>> from branchline.table import dataset_info
    >>> dataset_info("iris").n_rows
    150
    """

    name: str
    title: str
    n_rows: int
    n_columns: int
    target: str | None
    task: Task
    description: str
    source: str
    license: str
    citation: str
    kinds: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def dataset_names() -> tuple[str, ...]:
    """Return the names of the bundled data sets: the small tables first, then the real ones.

    See Also
    --------
    dataset_info : return what is known of the data set called ``name``.
    load_dataset : return the bundled data set called ``name``, target column included.

    Examples
    --------
    >>> from branchline.table import dataset_names
    >>> len(dataset_names())
    23
    """
    return tuple(_catalog())


def dataset_info(name: str) -> DatasetInfo:
    """Return what is known of the data set called ``name``: shape, target, license, citation.

    See Also
    --------
    DatasetInfo : what is known of a bundled data set without reading its rows.

    Examples
    --------
    >>> from branchline.table import dataset_info
    >>> dataset_info("iris").target
    'species'
    """
    catalog = _catalog()
    if name not in catalog:
        raise _no_such_dataset(name, tuple(catalog))
    return catalog[name]


def load_dataset(name: str) -> Table:
    """Return the bundled data set called ``name``, target column included.

    Parameters
    ----------
    name
        One of ``dataset_names()``.

    Raises
    ------
    DataError
        D050 when no bundled data set has this name.

    See Also
    --------
    Table : named columns, each numeric or a category, with missing values.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> load_dataset("tennis").shape
    (14, 5)
    """
    info = dataset_info(name)
    with as_file(_FOLDER.joinpath(f"{info.name}.csv")) as path:
        table = read_table(path, kinds=info.kinds, missing=("",), delimiter=",", header=True)
    return _with_categories(table, info.categories)


@cache
def _catalog() -> dict[str, DatasetInfo]:
    entries = json.loads(_FOLDER.joinpath("catalog.json").read_text(encoding="utf-8"))
    return {entry["name"]: _info_from_json(entry) for entry in entries}


def _info_from_json(entry: dict[str, Any]) -> DatasetInfo:
    declared = entry.get("categories", {})
    categories = {column: tuple(values) for column, values in declared.items()}
    return DatasetInfo(**{**entry, "categories": categories})


def _with_categories(table: Table, categories: Mapping[str, tuple[str, ...]]) -> Table:
    """Give the columns named in ``categories`` all of them, in the declared order."""
    if not categories:
        return table
    fields = tuple(
        Field(column.name, ColumnType("category", "string", categories[column.name]))
        if column.name in categories
        else column
        for column in table.schema
    )
    return Schema(fields).apply(table)


def _no_such_dataset(name: str, names: tuple[str, ...]) -> DataError:
    near = get_close_matches(str(name).lower(), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return DataError(
        f"No bundled data set is called {name!r}.{hint} The bundled sets are: {', '.join(names)}.",
        code="D050",
        repair=Repair(f'load_dataset("{near[0]}")' if near else None),
    )
