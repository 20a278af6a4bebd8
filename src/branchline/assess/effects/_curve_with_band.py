"""One column's curves with their bands.

The model is asked once for every row at every place (partial dependence), or at the two ends of its
stretch (accumulated). Draws of rows are weights over those answers, so a band costs no further
prediction.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._column_places import ColumnPlaces, with_cells
from branchline._intervals import Interval
from branchline.assess.effects._asked import Asked
from branchline.assess.effects._effect_curve import EffectCurve
from branchline.assess.effects._level_order import level_order
from branchline.table import MISSING_CODE, Table

__all__ = ["RowDraws", "curves_of_column"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RowDraws:
    """How often each draw (rows) holds each row (columns); the first draw holds each row once."""

    counts: Floats

    @classmethod
    def of(cls, n_rows: int, n_draws: int, seed: int) -> "RowDraws":
        """Draw rows with replacement."""
        rng = np.random.default_rng([seed, 3])
        drawn = rng.multinomial(n_rows, np.full(n_rows, 1.0 / n_rows), size=n_draws)
        return cls(np.vstack([np.ones(n_rows), drawn]).astype(np.float64))


def curves_of_column(
    asked: Asked,
    rows: Table,
    places: ColumnPlaces,
    method: str,
    draws: RowDraws,
    refitted: list[Asked],
) -> list[EffectCurve]:
    """Return a curve for each output."""
    if method == "accumulated":
        work: _Partial | _Accumulated = _Accumulated.of(rows, places)
    else:
        work = _Partial(rows, places)
    found = work.curves(asked, draws.counts)  # draws × places × outputs
    varied = np.array([work.curves(one, draws.counts[:1])[0] for one in refitted])
    missing = work.when_missing(asked, draws.counts)
    of_refits = [work.when_missing(one, draws.counts[:1]) for one in refitted]
    curves = []
    for output, name in enumerate(asked.names):
        if refitted:
            low, high = _around(found[0, :, output], varied[:, :, output])
        else:
            low, high = _middle(found[:, :, output])
        curves.append(
            EffectCurve(
                places.name,
                name,
                method,
                work.at,
                work.names,
                found[0, :, output],
                low,
                high,
                work.n_rows,
                _missing_interval(missing, of_refits, output),
                "refits" if refitted else "rows",
                places.axis_name,
            )
        )
    return curves


def _middle(found: Floats) -> tuple[Floats, Floats]:
    """Return the middle 95 % of draws; the curve itself without any."""
    if len(found) == 1:
        return found[0], found[0]
    low, high = np.quantile(found[1:], [0.025, 0.975], axis=0)
    return np.minimum(low, found[0]), np.maximum(high, found[0])


def _around(curve: Floats, varied: Floats) -> tuple[Floats, Floats]:
    """Return the curve ± t standard deviations of the refitted curves."""
    reach = stats.t.ppf(0.975, len(varied) - 1) * varied.std(axis=0, ddof=1)
    return curve - reach, curve + reach


def _missing_interval(
    missing: Floats | None, of_refits: list[Floats | None], output: int
) -> Interval | None:
    if missing is None:
        return None
    if of_refits:
        varied = np.array([one[0, output] for one in of_refits if one is not None])
        low, high = _around(missing[0, output], varied)
    else:
        low, high = _middle(missing[:, output])
    return Interval(float(missing[0, output]), float(low), float(high))


@dataclass(frozen=True, eq=False)
class _Partial:
    """Partial dependence: every row at every place."""

    rows: Table
    places: ColumnPlaces

    @property
    def at(self) -> Floats:
        return self.places.at

    @property
    def names(self) -> tuple[str, ...]:
        return self.places.names

    @property
    def n_rows(self) -> npt.NDArray[np.int64]:
        column = self.places.column
        if self.names:
            return np.array(
                [(column.values == code).sum() for code in self.places.cells], dtype=np.int64
            )
        known = self.places.of_rows()
        stretch = np.searchsorted(self.at, known[np.isfinite(known)], side="right") - 1
        return np.bincount(np.clip(stretch, 0, len(self.at) - 1), minlength=len(self.at)).astype(
            np.int64
        )

    def curves(self, asked: Asked, counts: Floats) -> Floats:
        share = counts / counts.sum(axis=1, keepdims=True)
        found = [share @ self._outputs(asked, place) for place in range(len(self.at))]
        return np.stack(found, axis=1)

    def _outputs(self, asked: Asked, place: int) -> Floats:
        cells = np.full(self.rows.n_rows, self.places.cells[place])
        return asked.outputs(with_cells(self.rows, {self.places.name: cells}))

    def when_missing(self, asked: Asked, counts: Floats) -> Floats | None:
        column = self.places.column
        if self.names or not column.is_missing.any():
            return None
        absent = column.take([int(np.flatnonzero(column.is_missing)[0])] * self.rows.n_rows)
        others = [
            absent if name == column.name else self.rows.column(name) for name in self.rows.names
        ]
        moved = Table.from_columns(others, named=self.rows.schema.named)
        found: Floats = (counts / counts.sum(axis=1, keepdims=True)) @ asked.outputs(moved)
        return found


@dataclass(frozen=True, eq=False)
class _Accumulated:
    """Accumulated local effects: rows with a known cell, each at the ends of its own stretch.

    Parameters
    ----------
    rows
        The rows with a known cell.
    places
        The places, categories in their order.
    kept
        Which rows of the table these are.
    at, names
        The places on the axis, and the names of categories.
    lower
        The place at the lower end of the step that a row counts for.
    row_of_step
        The row of each entry of ``lower``: categories count a row for both neighbors.
    own
        The place of each row itself, whose mean effect is 0.
    """

    rows: Table
    places: ColumnPlaces
    kept: Places
    at: Floats
    names: tuple[str, ...]
    cells: npt.NDArray[np.generic]
    lower: Places
    row_of_step: Places
    own: Places

    @classmethod
    def of(cls, rows: Table, places: ColumnPlaces) -> "_Accumulated":
        known = places.of_rows()
        usable = np.isfinite(known)
        cells, names = places.cells, places.names
        if names:
            usable &= places.column.values != MISSING_CODE
            at = np.arange(int((cells != MISSING_CODE).sum()), dtype=np.float64)
            order = level_order(rows, places.column, cells[: len(at)])
            cells, names = cells[order], tuple(names[place] for place in order)
        else:
            at = places.at
        kept = np.flatnonzero(usable)
        if places.names:
            rank = {int(code): place for place, code in enumerate(cells.tolist())}
            own = np.array([rank[int(code)] for code in places.column.values[kept]], dtype=np.intp)
            lower, of_step = _both_neighbors(own, len(at))
        else:
            upper = np.clip(np.searchsorted(at, known[kept], side="left"), 1, max(1, len(at) - 1))
            own = np.minimum(upper, len(at) - 1)  # a constant has one place and no step
            lower, of_step = upper - 1, np.arange(len(kept))
            lower, of_step = (lower, of_step) if len(at) > 1 else (lower[:0], of_step[:0])
        return cls(rows.rows(kept), places, kept, at, names, cells, lower, of_step, own)

    @property
    def n_rows(self) -> npt.NDArray[np.int64]:
        own = self.own if self.names else np.maximum(self.own - 1, 0)
        return np.bincount(own, minlength=len(self.at)).astype(np.int64)

    def curves(self, asked: Asked, counts: Floats) -> Floats:
        weight = counts[:, self.kept]
        steps = self._steps(asked)
        n_steps = len(self.at) - 1
        found = np.zeros((len(counts), len(self.at), len(asked.names)))
        for step in range(n_steps):
            here = np.flatnonzero(self.lower == step)
            share = weight[:, self.row_of_step[here]]
            total = share.sum(axis=1)
            mean = (share @ steps[here]) / np.where(total > 0, total, 1.0)[:, None]
            found[:, step + 1] = found[:, step] + mean
        return found - self._mean(found, weight)[:, None, :]

    def _steps(self, asked: Asked) -> Floats:
        """Return f at the upper less f at the lower end, for each row and step it counts for."""
        if not len(self.lower):
            return np.zeros((0, len(asked.names)))
        rows = self.rows.rows(self.row_of_step)
        ends = [
            asked.outputs(with_cells(rows, {self.places.name: self.cells[self.lower + shift]}))
            for shift in (1, 0)
        ]
        found: Floats = ends[0] - ends[1]
        return found

    def _mean(self, found: Floats, weight: Floats) -> Floats:
        """Return the mean effect over rows; numbers have that of the middle of their stretch."""
        values = found[:, self.own]
        if not self.names and len(self.at) > 1:
            values = values / 2 + found[:, self.own - 1] / 2
        total = np.maximum(weight.sum(axis=1), 1.0)
        mean: Floats = np.einsum("dr,dro->do", weight, values) / total[:, None]
        return mean

    def when_missing(self, asked: Asked, counts: Floats) -> Floats | None:
        return None


def _both_neighbors(own: Places, n_places: int) -> tuple[Places, Places]:
    """Return the steps that rows of categories count for: the one below and the one above them."""
    rows = np.arange(len(own))
    below, above = own > 0, own < n_places - 1
    lower = np.concatenate([own[below] - 1, own[above]])
    return lower, np.concatenate([rows[below], rows[above]])
