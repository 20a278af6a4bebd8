"""A mixture in words: for each component, what sets it apart from all rows."""

import numpy as np

from branchline._plain_numbers import number, percent
from branchline.density._mixed_cells import MixedCells
from branchline.density._mixture_fit import Components
from branchline.table import Schema

__all__ = ["describe_components"]

_MOST = 4


def describe_components(model: Components, cells: MixedCells, schema: Schema) -> str:
    """Return a line for each component: its share, then what differs most from all rows."""
    lines = []
    for at in range(len(model)):
        parts = sorted(_parts(model, cells, schema, at), key=lambda part: (-part[0], part[1]))
        words = "; ".join(text for _, text in parts[:_MOST])
        lines.append(f"Component {at}: {percent(float(model.weights[at]))} of the rows. {words}.")
    return "\n".join(lines)


def _parts(
    model: Components, cells: MixedCells, schema: Schema, component: int
) -> list[tuple[float, str]]:
    """Return each column with how far it is from all rows, and its words."""
    found = []
    means = cells.scales.in_units(model.gaussians.means)[component]
    spread = np.sqrt(np.diag(model.gaussians.covariance(component))) * cells.scales.units
    for at, place in enumerate(cells.scales.places):
        distance = abs(float(model.gaussians.means[component, at]))
        text = f"{schema.names[place]} {number(means[at], 3)} ± {number(spread[at], 2)}"
        found.append((distance, text))
    overall = model.weights @ model.shares
    starts = np.cumsum([0, *cells.n_levels])
    for at, place in enumerate(cells.category_places):
        some = slice(starts[at], starts[at + 1])
        excess = (model.shares[component] - overall)[some] / np.sqrt(overall[some])
        best = int(excess.argmax())
        share = percent(float(model.shares[component, some][best]))
        name = cells.level_names(schema, at)[best]
        found.append((float(excess[best]), f"{schema.names[place]} = {name} ({share})"))
    return found
