"""Rows that were placed, and where new rows lie among them.

1. A row that equals a placed row has its place.
2. Any other row y is placed by its distances δ_j from the placed rows x_j, which stay (Gower 1968):
   it starts at ½ (Σ p_j x_j x_jᵀ)⁻¹ Σ p_j x_j (|x_j|² − δ_j²), and also at the nearest placed row.
3. Steps y ← Σ p_j (x_j + δ_j (y − x_j) / |y − x_j|) lower Σ p_j (|y − x_j| − δ_j)². The
   better end of both starts is its place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._row_distances._kept_rows import KeptRows
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline.table import Schema, Table

__all__ = ["PlacedRows", "knots"]

_MOST_STEPS = 200
_SETTLED = 1e-10
_FARTHEST = 1e50  # in units of the largest distance: squares of it stay finite
_LARGEST_PLACE = 1e6
_BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """Rows and their places.

    Parameters
    ----------
    rows
        The rows as their metric sees them.
    share
        The share of each in the weight of all.
    places
        Where each lies, divided by ``unit``.
    unit
        A power of two near the largest distance.
    curve
        Given distances and those that places aim at, both rising and divided by ``unit``; without
        any, places aim at the given distances.
    """

    rows: KeptRows
    share: Floats
    places: Floats
    unit: float
    curve: tuple[Floats, Floats]

    def place(self, table: Table, *, n_threads: int = 1) -> Floats:
        """Return where the rows of a table lie."""
        seen = self.rows.seen(table)
        placed, is_equal = self._equal(seen)
        new = np.flatnonzero(~is_equal)
        step = max(1, _BLOCK // max(1, len(self.places)))
        for first in range(0, len(new), step):
            some = new[first : first + step]
            given = self.rows.distances(seen[some], n_threads=n_threads) / self.unit
            placed[some] = self._place(self._aimed_at(np.minimum(given, _FARTHEST)))
        return placed * self.unit

    def _equal(self, seen: Floats) -> tuple[Floats, Bools]:
        """Return the places of rows that equal a placed row, and which do."""
        placed = np.zeros((len(seen), self.places.shape[1]))
        if self.rows.comparison is None:
            nearest = np.argmin(seen, axis=1)
            is_equal = seen[np.arange(len(seen)), nearest] == 0
            placed[is_equal] = self.places[nearest[is_equal]]
            return placed, np.asarray(is_equal)
        place_of = {words: at for at, words in enumerate(_words(self.rows.points))}
        found = np.array([place_of.get(words, -1) for words in _words(seen)], dtype=np.intp)
        placed[found >= 0] = self.places[found[found >= 0]]
        return placed, found >= 0

    def _aimed_at(self, given: Floats) -> Floats:
        """Return the distances that places aim at; beyond the curve they grow in proportion."""
        low, high = self.curve
        if not len(low) or not high[-1] > 0:
            return given
        made = np.interp(given, low, high)
        return np.where(given > low[-1], high[-1] * given / max(low[-1], 1e-300), made)

    def _place(self, given: Floats) -> Floats:
        if not self.places.any():
            return np.zeros((len(given), self.places.shape[1]))
        ends = [self._settled(start, given) for start in self._starts(given)]
        lost = [self._lost(end, given) for end in ends]
        return np.where((lost[1] < lost[0])[:, None], ends[1], ends[0])

    def _starts(self, given: Floats) -> tuple[Floats, Floats]:
        weighted = self.places * self.share[:, None]
        product = self.places.T @ weighted
        middle = (self.places**2).sum(axis=1) - given**2
        by_products = 0.5 * middle @ weighted @ np.linalg.pinv(product, hermitian=True)
        return np.clip(by_products, -_FARTHEST, _FARTHEST), self.places[np.argmin(given, axis=1)]

    def _settled(self, place: Floats, given: Floats) -> Floats:
        center = self.share @ self.places
        for _ in range(_MOST_STEPS):
            apart = self._apart(place)
            ratio = np.divide(given, apart, out=np.zeros_like(given), where=apart > 0) * self.share
            moved = center + ratio.sum(axis=1)[:, None] * place - ratio @ self.places
            change = float(np.abs(moved - place).max(initial=0.0))
            place = moved
            if change <= _SETTLED * max(1.0, float(np.abs(place).max(initial=0.0))):
                break
        return place

    def _lost(self, place: Floats, given: Floats) -> Floats:
        return np.asarray((self._apart(place) - given) ** 2 @ self.share)

    def _apart(self, place: Floats) -> Floats:
        total = np.zeros((len(place), len(self.places)))
        for here, there in zip(place.T, self.places.T, strict=True):
            total += np.subtract.outer(here, there) ** 2
        return np.asarray(np.sqrt(total))

    def pack(self) -> dict[str, Any]:
        """Return rows and places as plain values."""
        return {**self.rows.pack(), "share": self.share, "places": self.places.ravel(),
                "unit": self.unit, "given": self.curve[0], "aimed": self.curve[1]}  # fmt: skip

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "PlacedRows":
        """Check packed values and return rows and places."""
        rows = KeptRows.unpack(state, schema)
        share = numbers_from_state(state, "share", length=len(rows))
        places = numbers_from_state(state, "places", length=_length(state, "places"))
        unit, n_knots = number_from_state(state, "unit"), _length(state, "given")
        curve = tuple(numbers_from_state(state, k, length=n_knots) for k in ("given", "aimed"))
        if (share <= 0).any() or abs(float(share.sum()) - 1) > 1e-6 or not 0 < unit < 1e306:
            raise malformed("weights of places are not above 0, or distances have no unit")
        if not len(places) or len(places) % len(rows) or np.abs(places).max() > _LARGEST_PLACE:
            raise malformed("places of rows are missing or out of reach")
        if any((np.diff(side, prepend=0.0) < 0).any() for side in curve) or any(
            side.max(initial=0.0) > _LARGEST_PLACE for side in curve
        ):
            raise malformed("the curve of distances falls or is out of reach")
        return PlacedRows(rows, share, places.reshape(len(rows), -1), unit, (curve[0], curve[1]))


def _length(state: Mapping[str, Any], name: str) -> int:
    values = state.get(name)
    return len(values) if isinstance(values, np.ndarray) and values.ndim == 1 else -1


def _words(points: Floats) -> list[bytes]:
    """Return the bits of each row; −0 is 0, and missing is missing."""
    plain = np.where(np.isnan(points), np.nan, points + 0.0)
    return [row.tobytes() for row in plain]


def knots(given: Floats, aimed: Floats) -> tuple[Floats, Floats]:
    """Return the ends of each step of a rising curve."""
    is_first = np.diff(aimed, prepend=-1.0) > 0
    is_last = np.append(is_first[1:], True)
    kept = np.flatnonzero(is_first | is_last)
    return given[kept], np.maximum.accumulate(aimed[kept])
