"""In which direction predictions may follow a column: what ``monotonic_cst`` stands for."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._names import nearest_name, no_such_column_words
from branchline.errors import ParameterError, Repair
from branchline.table import Table

__all__ = ["directions_of"]


def directions_of(table: Table, monotonic_cst: Any, n_outputs: int) -> npt.NDArray[np.int8] | None:
    """Return −1, 0 or 1 for each column; None when no column is constrained.

    Parameters
    ----------
    table
        The table to learn from.
    monotonic_cst
        Directions by column, as given.
    n_outputs
        The number of scores or means that are predicted: 1 for two classes.
    """
    if monotonic_cst is None:
        return None
    directions = np.zeros(table.n_columns, dtype=np.int8)
    for place, direction in _pairs(table, monotonic_cst):
        if direction not in (-1, 0, 1):
            raise _bad_direction(table, place, direction)
        kind = table.schema.fields[place].type.kind
        if direction != 0 and kind != "numeric":
            raise ParameterError(
                f"'monotonic_cst' is for columns of numbers, but {table.names[place]!r} is {kind}.",
                code="P140",
                column=table.names[place],
            )
        directions[place] = direction
    if not directions.any():
        return None
    if n_outputs > 1:
        raise ParameterError(
            "'monotonic_cst' is for two classes (the probability of the second) or one number: a "
            "direction has no meaning with several outputs.",
            code="P141",
            repair=Repair("model.set_params(monotonic_cst=None)"),
        )
    return directions


def _pairs(table: Table, given: Any) -> list[tuple[int, Any]]:
    if not isinstance(given, Mapping):
        if len(given) != table.n_columns:
            raise ParameterError(
                f"'monotonic_cst' has {len(given)} entries for {table.n_columns} columns.",
                code="P140",
                repair=Repair(f"monotonic_cst = {{{table.names[0]!r}: 1}}"),
            )
        return list(enumerate(np.asarray(given).tolist()))
    names = list(table.names)
    pairs = []
    for name, direction in given.items():
        place = name if isinstance(name, int) and not table.schema.named else None
        place = names.index(name) if name in names else place
        if place is None or not 0 <= place < len(names):
            near = nearest_name(name, names)
            raise ParameterError(
                "'monotonic_cst' names a column that the table does not have. "
                f"{no_such_column_words(name, names, near)}",
                code="P140",
                values=[name],
                repair=Repair(None if near is None else f"monotonic_cst = {{{near!r}: 1}}"),
            )
        pairs.append((int(place), direction))
    return pairs


def _bad_direction(table: Table, place: int, direction: Any) -> ParameterError:
    return ParameterError(
        f"The direction of {table.names[place]!r} in 'monotonic_cst' must be 1 (larger values, "
        f"larger predictions), -1 (smaller predictions) or 0 (free). Got {direction!r} instead.",
        code="P140",
        column=table.names[place],
        values=[direction],
    )
