"""Some columns of the user's data, in the container that they came in.

1. Columns are found by name where both the data and the learned schema have names, else by
   position: frames may hold the columns in another order, and others beside them.
2. Arrays, sparse matrices, tables and frames of pandas, polars, Arrow and narwhals keep their type.
3. Lists, dictionaries and any other data come back as a table.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._names import column_names
from branchline.table._schema import Schema
from branchline.table._table import Table
from branchline.table.frames._from_frames import comes_from

__all__ = ["select_columns"]


def select_columns(data: Any, rows: Table, places: Sequence[int]) -> Any:
    """Return some columns of data.

    Parameters
    ----------
    data
        Whatever ``as_table`` takes.
    rows
        The same rows as a table in the schema that a model learned.
    places
        Positions of the wanted columns in that schema.
    """
    wanted = [int(place) for place in places]
    if isinstance(data, np.ndarray) and data.dtype.names is None:
        return data[:, wanted]
    if type(data).__module__.startswith("scipy.sparse"):
        return data.tocsc()[:, wanted].asformat(data.format)
    if comes_from(data, "pandas", "DataFrame"):
        return data.iloc[:, _positions(data.columns, rows.schema, wanted)]
    if comes_from(data, "polars", "DataFrame") or comes_from(data, "narwhals", "DataFrame"):
        return data[:, _positions(data.columns, rows.schema, wanted)]
    if comes_from(data, "pyarrow", "Table", "RecordBatch"):
        return data.select(_positions(data.schema.names, rows.schema, wanted))
    return rows.select([rows.names[place] for place in wanted])


def _positions(labels: Any, schema: Schema, wanted: list[int]) -> list[int]:
    """Return where the wanted columns of the schema are in a frame with these labels."""
    names, named = column_names(labels)
    if not (named and schema.named):
        return wanted
    position = {name: place for place, name in enumerate(names)}
    return [position[schema.names[place]] for place in wanted]
