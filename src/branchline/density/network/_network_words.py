"""A network in words: what each column depends on, how strongly, and which arrows are sure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._plain_numbers import count, fine_percent, joined
from branchline._plain_text import shorten
from branchline.density.network._elimination import marginals
from branchline.density.network._network import MISSING, Network

__all__ = ["level_words", "network_text"]

_MOST_NAMES = 12
_LONG = 40
_FEW_ROWS = 100


def level_words(name: str, level: str) -> str:
    """Return that a column has a level: "sex = male", "age ≤ 20"."""
    return f"{name} {level}" if level[:1] in "≤≥>" else f"{name} = {level}"


def network_text(
    network: Network,
    names: Sequence[str],
    levels: Sequence[Sequence[str]],
    directed: Bools,
    first: int | None,
    left_out: Sequence[str],
    n_rows: float,
) -> str:
    """Return a network in words.

    Parameters
    ----------
    network
        The network.
    names, levels
        The names of columns, and those of their levels.
    directed
        Which edges have one direction in all equivalent networks: a row for each child.
    first
        A column to begin with, and whose Markov blanket is said; None: none.
    left_out
        Columns of the table that are not in the network.
    n_rows
        The weight of the training rows.
    """
    words = _Words(network, names, levels, directed)
    size = f"{count(len(network), 'column')}, {count(len(network.edges), 'arrow')}"
    order = sorted(network.order, key=lambda at: at != first)
    lines = [f"Bayesian network of {size}.", *(words.sentence(at) for at in order)]
    if first is not None:
        near = [words.name(each) for each in network.blanket(first)]
        said = joined(near, _MOST_NAMES) if near else "no column"
        lines.insert(2, f"To predict {words.name(first)}, it is enough to know {said}.")
    lines += words.directions()
    if n_rows < _FEW_ROWS and network.edges:
        lines.append(f"The table has {count(n_rows, 'row')} only: arrows may be chance.")
    if left_out:
        lines.append(
            f"Left out, because no two values are frequent enough: {joined(left_out, _MOST_NAMES)}."
        )
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Words:
    """What is said about a network.

    Parameters
    ----------
    network
        The network.
    names, levels
        The names of columns, and those of their levels.
    directed
        Which edges have one direction in all equivalent networks: a row for each child.
    """

    network: Network
    names: Sequence[str]
    levels: Sequence[Sequence[str]]
    directed: Bools

    def sentence(self, column: int) -> str:
        """Return what a column depends on, with the two configurations that differ most."""
        parents = self.network.parents[column]
        name = self.name(column)
        if not parents:
            best = int(self.network.tables[column].argmax())
            share = fine_percent(float(self.network.tables[column][best]))
            return f"{name} has no parents: {self._level(column, best)} with {share}."
        on = joined([self.name(each) for each in parents], _MOST_NAMES)
        return f"{name} depends on {on}: {self._contrast(column)}."

    def _contrast(self, column: int) -> str:
        """Return where the level that varies most is most and least probable."""
        table = self.network.tables[column]
        flat, shares = table.reshape(-1, table.shape[-1]), self._shares(column)
        usual = shares >= min(0.01, float(shares.max()) / 2)  # configurations that occur
        spread = np.ptp(flat[usual], axis=0)
        level = int(spread.argmax())
        values = np.where(usual, flat[:, level], np.nan)
        low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
        if low == high:
            return f"{self._level(column, level)} with {fine_percent(float(flat[high, level]))}"
        said = [
            f"{fine_percent(float(flat[at, level]))} where {self._given(column, at)}"
            for at in (high, low)
        ]
        return f"{self._level(column, level)} with {said[0]}, with {said[1]}"

    def _shares(self, column: int) -> Floats:
        """Return how probable each configuration of the parents is."""
        blank = np.full((1, len(self.network)), MISSING, dtype=np.uint16)
        return np.asarray(marginals(self.network, blank, self.network.parents[column])).reshape(-1)

    def _given(self, column: int, at: int) -> str:
        parents = self.network.parents[column]
        places = np.unravel_index(at, self.network.tables[column].shape[:-1])
        said = [
            level_words(self.name(parent), self._level(parent, int(place)))
            for parent, place in zip(parents, places, strict=True)
        ]
        return joined(said, _MOST_NAMES)

    def directions(self) -> list[str]:
        """Return which arrows could point the other way."""
        either = [
            f"{self.name(parent)} – {self.name(child)}"
            for parent, child in self.network.edges
            if not self.directed[child, parent]
        ]
        n_edges = len(self.network.edges)
        if not n_edges:
            return ["No column depends on another one beyond chance."]
        if not either:
            return ["All arrows have the same direction in all networks that fit as well."]
        return [
            f"{len(either)} of {count(n_edges, 'arrow')} could point the other way (networks that "
            f"imply the same independences fit as well): {joined(either, _MOST_NAMES)}."
        ]

    def name(self, column: int) -> str:
        """Return the name of a column, shortened."""
        return shorten(self.names[column], _LONG)

    def _level(self, column: int, level: int) -> str:
        return shorten(self.levels[column][level], _LONG)
