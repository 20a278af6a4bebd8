"""The grid of a boundary: its places, its rows, and what the model predicts there."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._column_places import (
    ColumnPlaces,
    category_places,
    known_numbers,
    number_places,
    with_cells,
)
from branchline._model_rows import rows_for
from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table import Column, Table

__all__ = ["Answer", "Grid", "ask", "grid_edges", "make_grid", "places_of"]

Floats = npt.NDArray[np.float64]
_MARGIN = 0.04
_MOST_THRESHOLDS = 150


@dataclass(frozen=True, eq=False)
class Grid:
    """Places over one or two columns, and a row for each pair of them (the first runs fastest)."""

    places: tuple[ColumnPlaces, ...]
    rows: Table

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of places along each column."""
        return tuple(len(places) for places in self.places)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model predicts: numbers, or places in ``names`` with their strength."""

    values: Floats
    names: tuple[str, ...] = ()
    strength: Floats | None = None
    probabilities: Floats | None = None


def places_of(column: Column, model: Any, n_steps: int) -> ColumnPlaces:
    """Return the places along a column: its names, or the middles of equal steps over its range."""
    if column.kind == "category":
        return category_places(column)
    known = known_numbers(column)
    low, high = float(known.min()), float(known.max())
    room = _MARGIN * (high / 2 - low / 2) * 2 or 0.5 * abs(low) or 0.5
    edges = np.linspace(low - room, high + room, n_steps + 1)
    exact = _thresholds(model, column.name, edges[0], edges[-1])
    if exact is not None and column.type.unit is None:
        edges = exact
    return number_places(column, edges[:-1] / 2 + edges[1:] / 2, edges)


def _thresholds(model: Any, name: str, low: float, high: float) -> Floats | None:
    """Return the ends and the thresholds of a tree on a column; None for other models."""
    tree, schema = getattr(model, "tree_", None), getattr(model, "schema_", None)
    if tree is None or schema is None or not hasattr(tree, "threshold") or name not in schema.names:
        return None
    asked = (tree.feature == schema.position[name]) & np.isfinite(tree.threshold)
    found = np.unique(tree.threshold[asked])
    found = found[(found > low) & (found < high)]
    return np.concatenate([[low], found, [high]]) if len(found) <= _MOST_THRESHOLDS else None


def grid_edges(places: ColumnPlaces) -> Floats:
    """Return the ends of the cells around places, one more than there are places."""
    if places.edges is not None:
        return places.edges
    return np.arange(len(places) + 1, dtype=np.float64) - 0.5


def make_grid(held: Table, places: list[ColumnPlaces]) -> Grid:
    """Return a row for each pair of places; all other cells are those of the held row."""
    n_rows = int(np.prod([len(one) for one in places]))
    rows = held.rows(np.zeros(n_rows, dtype=np.intp))
    cells = {places[0].name: np.tile(places[0].cells, n_rows // len(places[0]))}
    if len(places) == 2:
        cells[places[1].name] = np.repeat(places[1].cells, len(places[0]))
    return Grid(tuple(places), with_cells(rows, cells))


def ask(model: Any, grid: Grid) -> Answer:
    """Return what the model predicts on the grid; it has warned of these rows' cells elsewhere."""
    given = rows_for(model, grid.rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        predicted = np.asarray(model.predict(given))
        classes = getattr(model, "classes_", None)
        if classes is None:
            return Answer(_one_number(predicted))
        names = tuple(str(name) for name in np.asarray(classes).tolist())
        order = {name: place for place, name in enumerate(np.asarray(classes).tolist())}
        values = np.array([order[name] for name in predicted.tolist()], dtype=np.float64)
        if not hasattr(model, "predict_proba"):
            return Answer(values, names)
        probabilities = np.asarray(model.predict_proba(given), dtype=np.float64)
    strength = probabilities[np.arange(len(values)), values.astype(np.intp)]
    return Answer(values, names, np.clip(strength, 0.0, 1.0), probabilities)


def _one_number(predicted: npt.NDArray[Any]) -> Floats:
    if predicted.ndim == 1:
        return predicted.astype(np.float64)
    raise DataError(
        f"The model predicts {predicted.shape[1]} numbers for each row; boundaries show one.",
        code="D483",
        repair=Repair("fit a model of one of the targets"),
    )
