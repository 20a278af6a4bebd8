"""Rows drawn from a mixture, as a table with the columns that the mixture describes."""

import numpy as np

from branchline._arrays import AnyArray, Floats, Ints
from branchline.density._mixed_cells import MixedCells
from branchline.density._mixture_fit import Components
from branchline.table import Column, ColumnType, Schema, Table

__all__ = ["draw_rows"]

_FLOAT = ColumnType("numeric", "float")


def draw_rows(
    model: Components, cells: MixedCells, schema: Schema, n_rows: int, draws: np.random.Generator
) -> Table:
    """Draw rows: a component, its numbers, its categories; dates are numbers of days since 1970."""
    components = draws.choice(len(model), size=n_rows, p=model.weights / model.weights.sum())
    numbers = cells.scales.in_units(_draw_numbers(model, components, draws))
    columns = {
        int(place): Column(schema.names[place], _FLOAT, np.ascontiguousarray(numbers[:, at]))
        for at, place in enumerate(cells.scales.places)
    }
    starts = np.cumsum([0, *cells.n_levels])
    for at, place in enumerate(cells.category_places):
        shares = model.shares[:, starts[at] : starts[at + 1]]
        level_of_code = cells.level_of_code[at]
        known = np.maximum(level_of_code, 0)
        of_codes = np.where(level_of_code >= 0, shares[:, known] * cells.share_of_code[at], 0.0)
        codes = _draw_codes(of_codes, components, draws)
        field = schema.fields[place]
        columns[int(place)] = Column(field.name, field.type, codes)
    return Table.from_columns([columns[place] for place in sorted(columns)], named=schema.named)


def _draw_numbers(model: Components, components: Ints, draws: np.random.Generator) -> Floats:
    normal = draws.normal(size=(len(components), model.gaussians.means.shape[1]))
    for at in range(len(model)):
        some = components == at
        factor = np.linalg.cholesky(model.gaussians.covariance(at))
        normal[some] = normal[some] @ factor.T + model.gaussians.means[at]
    return np.asarray(normal)


def _draw_codes(shares: Floats, components: Ints, draws: np.random.Generator) -> AnyArray:
    ends = np.cumsum(shares, axis=1)
    drawn = draws.random(len(components)) * ends[components, -1]
    found = (drawn[:, None] >= ends[components]).sum(axis=1)
    return np.asarray(np.minimum(found, shares.shape[1] - 1), dtype=np.int32)
