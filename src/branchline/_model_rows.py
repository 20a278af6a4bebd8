"""Rows in the form that a model takes: a table for ours, a frame or an array for others."""

from typing import Any

import numpy as np

from branchline.table import Table

__all__ = ["rows_for"]


def rows_for(model: Any, table: Table) -> Any:
    """Return rows as a table; estimators of other libraries get a frame or an array.

    A model that holds one of ours as its ``estimator``, such as a search for parameters, takes a
    table.
    """
    if _takes_tables(model) or _takes_tables(getattr(model, "estimator", None)):
        return table
    return table.to_pandas() if table.schema.named else np.asarray(table)


def _takes_tables(model: Any) -> bool:
    return hasattr(type(model), "_check_rows")
