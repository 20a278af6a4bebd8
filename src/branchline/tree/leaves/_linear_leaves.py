"""Linear sums in the leaves of a tree: they predict, and say themselves in words.

The leaf of a row predicts b + Σ w_j z_j over the terms z of the encoded table. The result is cut to
the range of the leaf's training targets, so that no sum runs away far from its rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._encoding import Encoding
from branchline._plain_numbers import number
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._trees._node_notes import NodeNotes
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema, Table
from branchline.tree.leaves._linear_rows import take_terms

__all__ = ["LinearLeaves"]

_MOST_SHOWN = 5
_LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class LinearLeaves(NodeNotes):
    """The sums of all leaves.

    Parameters
    ----------
    encoding
        How a table becomes terms.
    places
        The terms of the encoding that sums may use.
    bias, weights
        b and w of each leaf, in the order of leaves.
    low, high
        The range of the training targets of each leaf.
    leaves
        The node of each leaf.
    """

    encoding: Encoding
    places: npt.NDArray[np.int32]
    bias: Floats
    weights: Floats
    low: Floats
    high: Floats
    leaves: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {n: p for p, n in enumerate(self.leaves.tolist())})

    # -- predicting -----------------------------------------------------------------------------

    def predict(self, table: Table, nodes: npt.NDArray[np.int32], *, clip: bool) -> Floats:
        """Return the sum of each row's leaf; ``nodes`` are the leaves that rows end in."""
        place = np.searchsorted(self.leaves, nodes)
        sums = self.bias[place]
        if len(self.places):
            terms = take_terms(self.encoding.encode(table), self.places)
            # Row by row, so that a row's sum is the same in any company.
            with np.errstate(over="ignore", invalid="ignore"):
                sums = sums + (terms * self.weights[place]).sum(axis=1)
        if clip:
            sums = np.clip(sums, self.low[place], self.high[place])
        return np.nan_to_num(np.clip(sums, -_LARGEST, _LARGEST), nan=0.0)

    # -- words ----------------------------------------------------------------------------------

    @cached_property
    def _in_units(self) -> tuple[Floats, Floats]:
        """The constants and coefficients in the units of the table."""
        unit, center = self.encoding.units
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            slopes = self.weights / unit[self.places]
            return self.bias - slopes @ center[self.places], slopes

    def coefficients(self, node: int) -> dict[str, float]:
        """Return the coefficients of a leaf in the units of the table, by the term's name."""
        place = self._place[node]  # type: ignore[attr-defined]
        names = self.encoding.term_names
        return {
            names[term]: float(slope)
            for term, slope in zip(self.places.tolist(), self._in_units[1][place], strict=True)
            if slope != 0
        }

    def intercept(self, node: int) -> float:
        """Return the constant of a leaf, in the units of the table."""
        return float(self._in_units[0][self._place[node]])  # type: ignore[attr-defined]

    def value(self, node: int) -> str | None:
        """Return the sum of a leaf in words: "30.1 − 0.0041·weight + 0.2·year"."""
        return self._sum_words(node, _MOST_SHOWN, 4, " + {} more")

    def short_value(self, node: int) -> str | None:
        """Return the constant and the largest part of the sum."""
        return self._sum_words(node, 1, 3, " + …")

    def _sum_words(self, node: int, most: int, digits: int, rest: str) -> str | None:
        if node not in self._place:  # type: ignore[attr-defined]
            return None
        place = self._place[node]  # type: ignore[attr-defined]
        strength = np.abs(self.weights[place])
        order = [j for j in np.argsort(-strength, kind="stable").tolist() if strength[j] > 0]
        slopes, names = self._in_units[1][place], self.encoding.term_names
        words = number(self.intercept(node), digits)
        for term in order[:most]:
            sign = "−" if slopes[term] < 0 else "+"
            words += f" {sign} {number(abs(slopes[term]), digits)}·{names[self.places[term]]}"
        n_more = len(order) - most
        return f"{words}{rest.format(n_more)}" if n_more > 0 else words

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the sums as plain values."""
        return {
            "encoding": dict(self.encoding.pack()),
            "places": self.places,
            "bias": self.bias,
            "weights": np.ravel(self.weights),
            "low": self.low,
            "high": self.high,
        }

    @staticmethod
    def unpack(state: Any, schema: Schema, tree: TreeArrays) -> "LinearLeaves":
        """Check packed values and return the sums of a tree's leaves."""
        names = {"encoding", "places", "bias", "weights", "low", "high"}
        if not isinstance(state, Mapping) or set(state) != names:
            raise malformed("the sums of leaves lack a part, or have one too many")
        encoding = Encoding.unpack(state["encoding"], schema)
        places = array_from_state(state, "places", np.dtype(np.int32))
        if (np.diff(places) <= 0).any() or (len(places) and not _are_terms(places, encoding.width)):
            raise malformed("a sum uses a term that does not exist")
        leaves = np.flatnonzero(tree.is_leaf)
        sizes: Sequence[tuple[str, int]] = [(name, len(leaves)) for name in ("bias", "low", "high")]
        bias, low, high = (numbers_from_state(state, name, length=size) for name, size in sizes)
        weights = numbers_from_state(state, "weights", length=len(leaves) * len(places))
        if (low > high).any():
            raise malformed("the range of a leaf's targets is empty")
        shape = (len(leaves), len(places))
        return LinearLeaves(encoding, places, bias, weights.reshape(shape), low, high, leaves)


def _are_terms(places: npt.NDArray[np.int32], width: int) -> bool:
    return int(places[0]) >= 0 and int(places[-1]) < width
