"""What rows weigh when a forest draws them: copies to be drawn, and what each draw counts.

- Rows with equal inputs are drawn together, and so is a row of weight k: else a tree would be
  tested out of bag on copies of rows that it has seen (``_folds``). Each draw counts what the row
  weighs.
- Rows of a group (``Table.with_groups``) are drawn together, too.
- In a table of few possible rows, whole weights are *copies*, drawn one by one, as equal rows are;
  but not more than 2^16 of them.
- Weights of classes multiply what a draw counts, in 2^20ths, the mean over all copies being 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._dtypes import UNITS
from branchline._equal_rows import blocks_of
from branchline._random import KeyedRows, key_rows
from branchline._row_keys import scramble
from branchline._trees._costs import class_weights, weigh_classes
from branchline._validation import RowWeights, TrainingData

__all__ = ["Draws", "draws_of", "first_copies", "keyed_rows", "padded"]

Longs = npt.NDArray[np.int64]

_CLASS_BITS = 20
_MOST_COPIES = 2**16


@dataclass(frozen=True)
class Draws:
    """How rows are drawn.

    Parameters
    ----------
    copies
        How many copies each row stands for; None: one each.
    units
        What a draw of each row counts, in units; None: one unit each.
    unit
        What a unit weighs.
    kept
        Which of the rows given weigh anything; None: all.
    block_of_row
        Rows of one block are drawn together; None: each is drawn by itself.
    sizes
        How many rows of the input each row stands for; None: one each.
    repeats
        Whether equal rows are natural (``_equal_rows``): each copy is then drawn by itself.
    """

    copies: Longs | None
    units: Longs | None
    unit: float
    kept: npt.NDArray[np.bool_] | None = None
    block_of_row: npt.NDArray[np.intp] | None = None
    sizes: Longs | None = None
    repeats: bool = False

    @property
    def row_units(self) -> Longs | None:
        """What each row counts with all its copies; None: one unit each."""
        if self.copies is None or self.units is None:
            return self.units if self.copies is None else self.copies
        return self.copies * self.units

    def aligned(self, of_rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what is known of rows for all rows given; NaN where they weigh nothing."""
        if self.kept is None or self.kept.all():
            return of_rows
        wide = np.full((len(self.kept), *of_rows.shape[1:]), np.nan)
        wide[self.kept] = of_rows
        return wide

    @property
    def weights(self) -> RowWeights:
        """The same as weights of rows."""
        return RowWeights(self.row_units, self.unit, self.sizes)


def draws_of(data: TrainingData, class_weight: Any = None) -> tuple[TrainingData, Draws]:
    """Return the rows that weigh something, and how they are drawn.

    Parameters
    ----------
    data
        The rows that weigh something by themselves.
    class_weight
        The weights of classes as they were given.
    """
    if class_weight is None:
        return data, _draws(data, data.weights, data.kept)
    kept, weight = data.kept, class_weights(data.class_target, data, class_weight)
    if (weight == 0).any():
        kept = np.ones(data.table.n_rows, dtype=np.bool_) if kept is None else kept.copy()
        kept[np.flatnonzero(kept)[weight[data.class_target.class_of_row] == 0]] = False
    if data.weights.unit != 1.0:
        weighed = weigh_classes(data, class_weight)
        return weighed, _draws(weighed, weighed.weights, kept)
    data = _without(data, weight == 0)
    class_of_row = data.class_target.class_of_row
    sizes = data.weights.sizes(data.table.n_rows)
    count = np.bincount(class_of_row, sizes, minlength=len(weight))
    weight = weight * (count.sum() / (count * weight).sum())
    units = np.maximum(1, np.rint(np.ldexp(weight, _CLASS_BITS))).astype(UNITS)[class_of_row]
    return data, _draws(data, RowWeights(sizes * units, 2.0**-_CLASS_BITS, sizes), kept)


def _draws(data: TrainingData, weights: RowWeights, kept: npt.NDArray[np.bool_] | None) -> Draws:
    """Say which rows are drawn together, and what a draw counts."""
    sizes = data.weights.sizes(data.table.n_rows)
    blocks = blocks_of(data.table, sizes)
    given = None if (sizes == 1).all() else sizes
    if data.table.groups is not None:
        of_group = np.unique(data.table.groups.astype(str), return_inverse=True)[1].reshape(-1)
        if of_group.max() > 0:
            return Draws(None, weights.units, weights.unit, kept, of_group, given)
    if not blocks.is_saturated or given is None or not _are_few(given):
        repeats = blocks.is_saturated and given is None
        return Draws(None, weights.units, weights.unit, kept, blocks.of_row, given, repeats)
    assert weights.units is not None
    units = weights.units // given
    if (units == 1).all():
        return Draws(given, None, weights.unit, kept, None, given, repeats=True)
    return Draws(given, units, weights.unit, kept, None, given, repeats=True)


def _are_few(copies: Longs) -> bool:
    return bool(copies.max() <= _MOST_COPIES)


def keyed_rows(codes: Codes, words: npt.NDArray[Any], draws: Draws, *, n_threads: int) -> KeyedRows:
    """Give each row its key; rows of equal keys are numbered in the order of their weights.

    Rows after those of ``draws`` (they take no part in draws) are keyed, too.
    """
    n_rows = len(words)
    copies, weight = (padded(given, n_rows) for given in (draws.copies, draws.row_units))
    rows = key_rows(codes, words, copies, n_threads=n_threads)
    if draws.block_of_row is not None:
        return _keyed_blocks(rows, draws.block_of_row, weight)
    if weight is None:
        return rows
    return KeyedRows(rows.keys, rows.copies, first_copies(rows.keys, rows.copies, weight))


def padded(of_rows: Longs | None, n_rows: int, filling: int = 1) -> Longs | None:
    """Return numbers of the rows that are drawn, and a filling for those after them."""
    if of_rows is None or len(of_rows) == n_rows:
        return of_rows
    return np.concatenate([of_rows, np.full(n_rows - len(of_rows), filling, UNITS)])


def _keyed_blocks(
    rows: KeyedRows, block_of_row: npt.NDArray[np.intp], weight: Longs | None
) -> KeyedRows:
    """Give all rows of a block one key, the least of theirs, and one number."""
    n_blocks, n_more = int(block_of_row.max()) + 1, len(rows.keys) - len(block_of_row)
    block = np.concatenate([block_of_row, n_blocks + np.arange(n_more)])
    keys = np.full(n_blocks + n_more, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(keys, block, rows.keys)
    content = np.zeros(n_blocks + n_more, dtype=np.uint64)
    counted = np.ones(len(block), np.uint64) if weight is None else weight.astype(np.uint64)
    with np.errstate(over="ignore"):
        np.add.at(content, block, scramble(rows.keys) * counted)
    number = first_copies(keys, np.ones(len(keys), dtype=UNITS), content)
    return KeyedRows(keys[block], rows.copies, number[block])


def first_copies(keys: npt.NDArray[np.uint64], copies: Longs, weight: npt.NDArray[Any]) -> Longs:
    """Return the number of each row's first copy among rows of equal keys, the lightest first."""
    order = np.argsort(weight, kind="stable")
    first = np.empty(len(order), dtype=UNITS)
    first[order] = _core.first_copies(keys[order], copies[order])
    return first


def _without(data: TrainingData, is_out: npt.NDArray[np.bool_]) -> TrainingData:
    """Return the rows of the other classes."""
    target = data.class_target
    keep = ~is_out[target.class_of_row]
    if keep.all():
        return data
    return data.rows(keep)
