"""What a forest is told: the parameters that all forests share, and what they stand for on a table.

``PARAMETERS`` states what each may be, once for all estimators; the functions resolve those that
refer to columns or rows.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._validation import AnyOf, Constraint, Flag, Given, OneOf, Real, Whole
from branchline.errors import ParameterError, Repair
from branchline.table import Table
from branchline.table._names import nearest_name, no_such_column_words

__all__ = [
    "MOST_TREES",
    "OF_CLASSES",
    "OF_NUMBERS",
    "PARAMETERS",
    "SCORE_THRESHOLD",
    "bag_of",
    "columns_a_node",
    "corrects_for_chance",
    "directions_of",
]

# As many trees as "auto" grows at most.
MOST_TREES = 1000

# "auto" looks at fewer columns only where there are fewer.
_FEWEST_COLUMNS = 3

_NONE = OneOf((None,))

PARAMETERS: dict[str, Constraint] = {
    "n_estimators": AnyOf((Whole(1), OneOf(("auto",)))),
    "max_features": AnyOf(
        (OneOf(("auto", "sqrt", "third", "log2", None)), Whole(1), Real(0.0, 1.0, low_open=True))
    ),
    "bootstrap": Flag(),
    "max_samples": AnyOf((_NONE, Whole(1), Real(0.0, 1.0, low_open=True))),
    "max_bins": AnyOf((_NONE, Whole(2, 65534))),
    "max_depth": AnyOf((_NONE, Whole(1))),
    "max_leaf_nodes": AnyOf((_NONE, Whole(2))),
    "min_samples_split": Whole(2),
    "min_samples_leaf": Whole(1),
    "min_gain": Real(0.0),
    "monotonic_cst": Given((Mapping, list, tuple, np.ndarray), "a mapping from column names"),
    "correct_for_chance": AnyOf((Flag(), OneOf(("auto",)))),
    "oob_score": Flag(),
    "time_budget": AnyOf((_NONE, Real(0.0, low_open=True))),
    "warm_start": Flag(),
}

OF_CLASSES: dict[str, Constraint] = {
    "criterion": OneOf(("gini", "entropy", "misclassification", "gain_ratio", "mdl")),
    "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
    "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
}

OF_NUMBERS: dict[str, Constraint] = {
    "criterion": OneOf(("variance", "squared_error")),
    "keep_targets": Flag(),
}

# Columns of more categories are names and other identifiers, as a rule.
_MANY_CATEGORIES = 64

SCORE_THRESHOLD = AnyOf((_NONE, Real(0.0, 1.0)))


def corrects_for_chance(wanted: bool | str, table: Table) -> bool:
    """Return whether tests are compared by what they gain beyond chance."""
    if wanted != "auto":
        return bool(wanted)
    return any(
        len(field.type.categories or ()) > _MANY_CATEGORIES
        and table.column(field.name).n_used_categories > _MANY_CATEGORIES
        for field in table.schema
    )


def columns_a_node(max_features: Any, n_columns: int) -> int:
    """Return how many columns a node looks at."""
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        wanted = math.sqrt(n_columns)
    elif max_features == "log2":
        wanted = math.log2(n_columns)
    elif max_features == "third":
        wanted = n_columns / 3
    elif max_features == "auto":
        wanted = max(_FEWEST_COLUMNS, math.ceil(2 * n_columns / 3))
    elif isinstance(max_features, float | np.floating):
        wanted = float(max_features) * n_columns
    else:
        wanted = float(max_features)
    return int(min(n_columns, max(1, math.floor(wanted))))


def bag_of(bootstrap: bool, max_samples: Any, n_rows: int) -> tuple[_core.BagKind, float]:
    """Return the kind of the trees' bags and the rate at which rows are drawn."""
    if max_samples is None:
        rate = 1.0
    elif isinstance(max_samples, float | np.floating):
        rate = float(max_samples)
    else:
        rate = min(1.0, int(max_samples) / n_rows)
    if bootstrap:
        return _core.BagKind.bootstrap, rate
    kind = _core.BagKind.all if rate == 1.0 else _core.BagKind.subsample
    return kind, rate


def directions_of(table: Table, monotonic_cst: Any) -> npt.NDArray[np.int8] | None:
    """Return −1, 0 or 1 for each column; None when no column is constrained."""
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
    return directions if directions.any() else None


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
