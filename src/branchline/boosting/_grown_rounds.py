"""What rounds of gradient boosting leave: their trees, and what the tests of each column gained.

Native rounds come many at a time, others one by one; both are kept with their number of rounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.table import Schema

__all__ = ["EarlierRounds", "GrownRounds", "covering", "gains_of_rounds"]

_CELLS = 2**16  # gains that are summed at a time


@dataclass(frozen=True, eq=False)
class EarlierRounds:
    """What a warm start continues: the trees of an earlier fit, its columns and their gains."""

    trees: BoostedArrays
    schema: Schema
    gains: Floats | None


@dataclass(frozen=True, eq=False)
class GrownRounds:
    """Consecutive rounds that were made in one call.

    Parameters
    ----------
    trees
        Their trees, as the compiled core returns them: a tree per round and output.
    value
        The values of all leaves, in the order of trees.
    n_rounds
        The number of rounds.
    terms
        The terms of leaves, as the compiled core returns them; None: leaves are constant.
    """

    trees: dict[str, Any]
    value: Floats
    n_rounds: int
    terms: dict[str, Any] | None = None


def covering(grown: Sequence[GrownRounds], n_rounds: int | None) -> Sequence[GrownRounds]:
    """Return the calls that made the first rounds, perhaps with some rounds after them."""
    if n_rounds is None:
        return grown
    before = np.cumsum([0, *(some.n_rounds for some in grown)])[:-1]
    return grown[: int(np.count_nonzero(before < n_rounds))]


def gains_of_rounds(
    trees: dict[str, Any], places: Places, n_outputs: int, n_columns: int
) -> Iterator[Floats]:
    """Yield what each column gained in each round: the order of sums decides the last bits."""
    n_tests = (trees["n_nodes"] // 2).reshape(-1, n_outputs).sum(axis=1)
    ends = np.cumsum(n_tests)
    columns = places[trees["feature"]]
    a_block = max(1, _CELLS // n_columns)
    for first in range(0, len(n_tests), a_block):
        own = n_tests[first : first + a_block]
        begin = int(ends[first - 1]) if first else 0
        tests = slice(begin, begin + int(own.sum()))
        cell = np.repeat(np.arange(len(own)) * n_columns, own) + columns[tests]
        gains = np.bincount(cell, trees["gain"][tests], len(own) * n_columns)
        yield from gains.astype(np.float64, copy=False).reshape(len(own), n_columns)
