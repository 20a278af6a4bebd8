"""What is known, as levels: values that the user gives for some columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._plain_numbers import joined
from branchline.density.network._levels import Bins, NetworkColumns
from branchline.density.network._limits import place_of
from branchline.density.network._network import MISSING
from branchline.errors import ParameterError, Repair
from branchline.table import Schema

__all__ = ["evidence_levels"]


def evidence_levels(evidence: Any, columns: NetworkColumns, schema: Schema) -> AnyArray:
    """Return one row of levels; what is not given is missing."""
    names, levels = columns.names(schema), columns.level_names(schema)
    row = np.full((1, len(names)), MISSING, dtype=np.uint16)
    given = {} if evidence is None else evidence
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"evidence must be a mapping of columns to values. Got {given!r}.",
            code="P705",
            values=[str(given)],
            repair=Repair("model.query({'smoke': 'yes'}, of='lung')"),
        )
    for name, value in given.items():
        at = place_of("evidence", name, names)
        row[0, at] = _level(name, value, columns, at, schema, levels[at])
    return row


def _level(
    name: str,
    value: Any,
    columns: NetworkColumns,
    at: int,
    schema: Schema,
    names: Sequence[str],
) -> int:
    """Return the level of a value: by its name, as a category, or as a number."""
    if str(value) in names:
        return list(names).index(str(value))
    column = columns.columns[at]
    if isinstance(column, Bins):
        try:
            found = int(column.levels(np.array([float(value)]))[0])
        except (TypeError, ValueError):
            found = MISSING
    else:
        categories = schema.fields[columns.places[at]].type.categories or ()
        texts = [str(category) for category in categories]
        known = str(value) in texts
        level = int(column.level_of_code[texts.index(str(value))]) if known else -1
        found = MISSING if level < 0 else level
    if found == MISSING:
        raise ParameterError(
            f"evidence: {value!r} is not a value of {name!r}. Its levels are "
            f"{joined([repr(each) for each in names])}.",
            code="P706",
            values=[str(value)],
            repair=Repair(f"model.query({{{name!r}: {names[0]!r}}}, of={name!r})"),
        )
    return found
