"""What rows are compared in: a space of columns or a measure, behind one set of calls.

1. ``search_in`` builds the search among training rows.
2. ``pack_any`` and ``unpack_any`` keep either kind in model files.
3. ``needs_rows`` is the error of calls that need the columns themselves.
"""

from typing import Any, TypeAlias

from branchline.errors import ParameterError, Repair
from branchline.neighbors._measured_space import (
    AnySearch,
    MeasuredSpace,
    measure_of,
    unpack_measured_space,
)
from branchline.neighbors._measures import FunctionMeasure, MatrixMeasure
from branchline.neighbors._responses import Whole
from branchline.neighbors._search import Search
from branchline.neighbors._space import Space
from branchline.neighbors._space_state import pack_space, unpack_space
from branchline.table import Schema, Table

__all__ = [
    "AnySpace",
    "check_can_explain",
    "check_can_grow",
    "pack_any",
    "reads_text",
    "search_in",
    "unpack_any",
]

AnySpace: TypeAlias = Space | MeasuredSpace


def search_in(space: AnySpace, table: Table, metric: Any, row_numbers: Whole) -> AnySearch:
    """Return the search among training rows."""
    if isinstance(space, MeasuredSpace):
        return space.search(table, row_numbers)
    return Search.build(space.of(table), metric)


def reads_text(space: AnySpace) -> bool:
    """Whether texts of rows to predict are read as they are."""
    return isinstance(space, MeasuredSpace) and space.reads_text


def pack_any(space: AnySpace) -> dict[str, Any]:
    """Return a space as plain values."""
    if isinstance(space, MeasuredSpace):
        return {"measure": space.measure.pack()}
    return pack_space(space)


def unpack_any(model: Any, state: Any, schema: Schema, row_numbers: Whole) -> AnySpace:
    """Return a packed space of the kind that the model's parameters ask for, checked."""
    metric = measure_of(model)
    if metric is None:
        return unpack_space(state, schema)
    return unpack_measured_space(metric, state.get("measure"), schema, row_numbers)


def check_can_grow(space: AnySpace) -> None:
    """Refuse more rows for a matrix of distances: the old rows have no distance from them."""
    if isinstance(space, MeasuredSpace) and isinstance(space.measure, MatrixMeasure):
        raise ParameterError(
            "With metric='precomputed' rows cannot be added: a matrix of distances needs a column "
            "for each of them. Fit again with the whole matrix.",
            code="P947",
            repair=Repair("model.fit(X, y)"),
        )


def check_can_explain(space: AnySpace) -> None:
    """Refuse an explanation by columns where distances cannot do without a cell."""
    measure = space.measure if isinstance(space, MeasuredSpace) else None
    if not isinstance(measure, FunctionMeasure | MatrixMeasure):
        return
    what = "a given matrix" if isinstance(measure, MatrixMeasure) else "a function"
    raise ParameterError(
        f"Predictions by {what} cannot be explained column by column: no distance is known when "
        "a cell is missing. kneighbors names the rows that decide.",
        code="P948",
        repair=Repair("distances, rows = model.kneighbors(X)"),
    )
