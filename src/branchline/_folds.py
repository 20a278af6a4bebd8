"""The one owner of folds, held-out rows and bags: which rows are fitted on, and which are tested.

1. Rows with equal inputs form a *block*, and so does a row of weight k: all copies of a row are in
   the same fold, or a model would be tested on rows that it has seen. Where numbers are predicted,
   rows with equal inputs and different targets are separate measurements, not copies.
   Given groups (``Table.with_groups``) are the blocks instead.
2. Where rows repeat by nature (``_equal_rows`` says when), each copy is a block of its own.
3. Blocks are ordered by class, then by size (powers of two, large ones first), then by a hash of
   their content and the seed. In this order they go round the folds. So folds are stratified and
   of even size, and neither row order, containers nor threads change them.
4. Given times (``Table.with_times``) replace all this: a model is tested on a stretch of time and
   fitted on everything before it. Rows of one moment stay together.
5. Weights: a whole weight k means k copies. Other weights are relative: only their ratios matter.

Bootstrap bags draw the same blocks (``keys`` and ``copies``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Places
from branchline._canonical_rows import row_keys_of
from branchline._dtypes import UNITS
from branchline._equal_rows import blocks_of
from branchline._row_keys import scramble, scramble_one
from branchline._validation import ClassTarget, TrainingData

__all__ = ["Fold", "FoldRows", "Mask", "fold_rows", "seed_of_repeat"]

Units = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fold:
    """One training set and one test set: how many units of each row belong to them.

    Parameters
    ----------
    learn, test
        Units of each row, 0 for rows that do not belong.
    """

    learn: Units
    test: Units

    @property
    def learn_rows(self) -> Places:
        """The rows to fit on."""
        return np.flatnonzero(self.learn)

    @property
    def test_rows(self) -> Places:
        """The rows to test on."""
        return np.flatnonzero(self.test)

    def learning(self, data: TrainingData) -> TrainingData:
        """Return the training set with its weights."""
        return data.rows(self.learn_rows, self.learn)

    def testing(self, data: TrainingData) -> TrainingData:
        """Return the test set with its weights."""
        return data.rows(self.test_rows, self.test)


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Rows ready to be split into folds.

    Parameters
    ----------
    keys
        The hash of each row's block: rows with the same key stay together (see ``copies``).
    rank
        The hash of each row, which orders rows of equal keys.
    copies
        How many copies, drawn one by one, each row stands for; 1 where copies stay together.
    units, unit
        The weight of each row in units, and the weight of a unit.
    size
        How many rows of the input each row stands for.
    stratum
        The class of each row; zeros for numbers.
    times
        When each row happened; None when no times are known.
    is_saturated
        Whether each copy is a block of its own (step 2).
    is_grouped
        Whether blocks are groups that were given.
    """

    keys: Words
    rank: Words
    copies: Units
    units: Units
    unit: float
    size: Units
    stratum: npt.NDArray[np.int64]
    times: npt.NDArray[Any] | None = None
    is_saturated: bool = False
    is_grouped: bool = False

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.keys)

    def rows(self, which: npt.NDArray[Any]) -> "FoldRows":
        """Return some rows."""
        names = ("keys", "rank", "copies", "units", "size", "stratum")
        parts = {name: getattr(self, name)[which] for name in names}
        return replace(self, **parts, times=None if self.times is None else self.times[which])

    def by_content(self, places: Places) -> Places:
        """Return places of rows in an order that depends on the rows alone.

        The last digit of a prediction may depend on where its row stands among those predicted
        together. In this order scores do not depend on the order of the table.
        """
        return places[np.argsort(self.rank[places], kind="stable")]

    @property
    def block_of_row(self) -> Places:
        """The number of each row's block."""
        return np.arange(self.n_rows) if self.is_saturated else self._blocks.of_row

    @property
    def owner_of_row(self) -> Places:
        """Rows with the same number are right or wrong together: copies, or rows of a group."""
        if self.is_saturated:
            return np.arange(self.n_rows)
        keys = self.keys if self.is_grouped else self.rank
        return np.unique(keys, return_inverse=True)[1]

    def effective_rows(self, weight: float) -> float:
        """Return how many rows of equal weight tell as much as blocks of a total ``weight`` do.

        With block weights w it is (Σ w)² / Σ w², for all blocks; a part of them has its share.
        """
        total = float(self.units.sum()) * self.unit
        if self.is_saturated:
            return weight / total * float(self.size.sum())
        of_block = np.bincount(self._blocks.of_row, self.units) * self.unit
        return weight / total * total**2 / float((of_block**2).sum())

    def split(self, n_folds: int, seed: int = 0, *, keep_classes: bool = False) -> list[Fold]:
        """Return the folds; fewer when there are fewer blocks, none when there is one row.

        With ``keep_classes`` a class is never held out whole: its rows stay to be fitted on.
        """
        folds = self._split(n_folds, seed)
        return [kept for fold in folds if (kept := self._kept(fold))] if keep_classes else folds

    def _split(self, n_folds: int, seed: int) -> list[Fold]:
        if self.times is not None:
            return self._split_in_time(n_folds)
        if self.is_saturated:
            return list(self._split_copies(n_folds, seed))
        order = self._order(seed)
        n_folds = min(n_folds, len(order))
        if n_folds < 2:
            return []
        fold_of_block = np.empty(len(order), dtype=np.intp)
        fold_of_block[order] = np.arange(len(order)) % n_folds
        fold_of_row = fold_of_block[self._blocks.of_row]
        return [self._fold(fold_of_row == fold) for fold in range(n_folds)]

    def hold_out(self, fraction: float, seed: int = 0, turn: int = 0) -> Fold | None:
        """Return a fold that tests about ``fraction`` of the rows; None when that leaves nothing.

        A class is never held out whole. ``turn`` chooses other rows of the same order.
        """
        if self.times is not None:
            return self._hold_out_last(fraction)
        start = (0.5 + turn * _GOLDEN) % 1.0
        if self.is_saturated:
            return self._hold_out_copies(fraction, start, seed)
        order = self._order(seed)
        held = np.zeros(len(order), dtype=bool)
        held[order] = np.diff(np.floor(np.arange(len(order) + 1) * fraction + start)) > 0
        if not held.any():
            held[order[len(order) // 2]] = True
        return self._kept(self._fold(held[self._blocks.of_row]))

    def leave_one_out(self) -> Iterator[Fold]:
        """Yield a fold for each block, in the order of the rows; a list would take n² places."""
        if self.is_saturated:
            yield from self._split_copies(int(self.copies.sum()), 0)
            return
        first = np.full(len(self._blocks.keys), self.n_rows, dtype=np.intp)
        np.minimum.at(first, self._blocks.of_row, np.arange(self.n_rows))
        block_of_row, order = self._blocks.of_row, np.argsort(first, kind="stable")
        for block in order.tolist():
            yield self._fold(block_of_row == block)

    def bootstrap(self, draws: np.random.Generator, seed: int = 0) -> tuple[Places, Places]:
        """Return rows drawn with replacement, block by block, and the rows left out."""
        order, of_row = self._order_by_content(seed)
        n_blocks = len(order)
        count = np.bincount(order[draws.integers(0, n_blocks, n_blocks)], minlength=n_blocks)
        drawn = np.repeat(np.arange(self.n_rows), count[of_row])
        return drawn, np.flatnonzero(count[of_row] == 0)

    def random_half(self, draws: np.random.Generator, seed: int = 0) -> Places:
        """Return half of the rows (rounded up), drawn without replacement, block by block."""
        order, of_row = self._order_by_content(seed)
        is_drawn = np.zeros(len(order), dtype=np.bool_)
        is_drawn[order[draws.permutation(len(order))[: (len(order) + 1) // 2]]] = True
        return np.flatnonzero(is_drawn[of_row])

    def _order_by_content(self, seed: int) -> tuple[Places, Places]:
        """Return the order in which blocks are drawn, which row order does not change."""
        keys = self.rank if self.is_saturated else self._blocks.keys
        of_row = np.arange(self.n_rows) if self.is_saturated else self._blocks.of_row
        return np.argsort(_mixed(keys, seed), kind="stable"), of_row

    # -- blocks -------------------------------------------------------------------------------

    @cached_property
    def _blocks(self) -> "_Blocks":
        """The blocks of rows that stay together."""
        first, of_row = np.unique(self.keys, return_inverse=True)
        size = np.zeros(len(first), dtype=UNITS)
        np.add.at(size, of_row, self.size)
        return _Blocks(first, of_row, size, _majority(of_row, self.stratum, self.size))

    def _order(self, seed: int) -> Places:
        """Return the order in which blocks go round the folds."""
        blocks = self._blocks
        large_first = -np.frexp(blocks.size.astype(np.float64))[1]
        return np.lexsort((_mixed(blocks.keys, seed), large_first, blocks.stratum))

    def _fold(self, is_test: Mask) -> Fold:
        return Fold(np.where(is_test, 0, self.units), np.where(is_test, self.units, 0))

    def _kept(self, fold: Fold) -> Fold | None:
        """Put back classes of which nothing would be left; None when nothing is held out."""
        left = np.bincount(self.stratum, fold.learn > 0, minlength=int(self.stratum.max()) + 1)
        is_left = left[self.stratum] > 0
        kept = Fold(np.where(is_left, fold.learn, fold.test), np.where(is_left, fold.test, 0))
        is_whole = len(np.unique(self.stratum[kept.learn > 0])) == len(np.unique(self.stratum))
        return kept if kept.test.any() and is_whole else None

    # -- copies that are blocks of their own ----------------------------------------------------

    def _split_copies(self, n_folds: int, seed: int) -> Iterator[Fold]:
        order, begin, end = self._copies_in_order(seed)
        n_folds = min(n_folds, int(end[-1]))
        for number in range(n_folds if n_folds > 1 else 0):
            # How many of the places begin … end − 1 are equal to number, modulo n_folds.
            count = (end - 1 - number) // n_folds - (begin - 1 - number) // n_folds
            fold = self._fold_of_copies(order, count)
            if fold.test.any() and fold.learn.any():
                yield fold

    def _hold_out_copies(self, fraction: float, start: float, seed: int) -> Fold | None:
        order, begin, end = self._copies_in_order(seed)
        steps = np.floor(end * fraction + start) - np.floor(begin * fraction + start)
        count = np.minimum(steps.astype(UNITS), end - begin)
        if not count.any():
            count[len(order) // 2] = 1
        return self._kept(self._fold_of_copies(order, count))

    def _copies_in_order(self, seed: int) -> tuple[Places, Units, Units]:
        """Return the rows in the order of folds, and the places of their copies."""
        order = np.lexsort((self.units, _mixed(self.rank, seed), self.stratum))
        end = np.cumsum(self.copies[order])
        return order, end - self.copies[order], end

    def _fold_of_copies(self, order: Places, count: Units) -> Fold:
        """Hold out some copies of each row."""
        test = np.zeros(self.n_rows, dtype=UNITS)
        units, copies = self.units[order], self.copies[order]
        test[order] = np.where(count == copies, units, units // copies * count)
        return Fold(self.units - test, test)

    # -- time ---------------------------------------------------------------------------------

    def _split_in_time(self, n_folds: int) -> list[Fold]:
        stretch = self._stretches(n_folds)
        folds = [
            Fold(np.where(stretch < at, self.units, 0), np.where(stretch == at, self.units, 0))
            for at in range(1, n_folds)
        ]
        return [fold for fold in folds if fold.test.any() and fold.learn.any()]

    def _hold_out_last(self, fraction: float) -> Fold | None:
        held = self._stretches(1000) >= round(1000 * (1 - fraction))
        return self._kept(self._fold(held)) if held.any() and not held.all() else None

    def _stretches(self, n_stretches: int) -> Places:
        """Cut time into stretches of about equal numbers of rows."""
        assert self.times is not None
        _, moment = np.unique(self.times, return_inverse=True)
        in_moment = np.bincount(moment, self.size)
        before = np.concatenate([[0.0], np.cumsum(in_moment)[:-1]])
        stretch: Places = (before * n_stretches / in_moment.sum()).astype(np.intp)[moment]
        return stretch


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Blocks by key: the block of each row, and the size and class of each block."""

    keys: Words
    of_row: Places
    size: Units
    stratum: npt.NDArray[np.int64]


# The golden section spreads the starting points of any number of turns evenly.
_GOLDEN = 0.6180339887498949


def fold_rows(data: TrainingData, keys: Words | None = None) -> FoldRows:
    """Return the rows of checked training data, ready to be split.

    Parameters
    ----------
    data
        The rows.
    keys
        The hash of each row by its content, where it is known already.
    """
    weights, n_rows = data.weights, data.table.n_rows
    known = row_keys_of(data) if keys is None else keys
    units = np.ones(n_rows, dtype=UNITS) if weights.units is None else weights.units
    size = weights.sizes(n_rows)
    is_class = isinstance(data.target, ClassTarget)
    stratum = data.target.class_of_row.astype(np.int64) if is_class else np.zeros(n_rows, np.int64)
    rows = FoldRows(
        keys=known,
        rank=known,
        copies=np.ones(n_rows, dtype=UNITS),
        units=units,
        unit=weights.unit,
        size=size,
        stratum=stratum,
        times=data.table.times,
    )
    if data.table.groups is not None:
        keys = _group_keys(data.table.groups, known)
        return replace(rows, keys=keys, is_grouped=keys is not known)
    blocks = blocks_of(data.table, size)
    if blocks.is_saturated:
        return replace(rows, copies=size, is_saturated=True)
    if blocks.of_row is None or not is_class:
        return rows
    return replace(rows, keys=_least_key(known, blocks.of_row))


def seed_of_repeat(seed: int, repeat: int = 0) -> int:
    """Return the seed by which one repeat shuffles rows, for every way of assessing."""
    return (scramble_one(seed % 2**64) + repeat) % 2**64


def _group_keys(groups: npt.NDArray[Any], keys: Words) -> Words:
    """Return a hash of each row's group; the rows themselves when there is one group only."""
    names, of_row = np.unique(groups.astype(str), return_inverse=True)
    if len(names) == 1:
        return keys
    digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in names.tolist())
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)[of_row.reshape(-1)]


def _least_key(keys: Words, block_of_row: Places) -> Words:
    """Return, for each row, the least key of its block."""
    least = np.full(int(block_of_row.max()) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(least, block_of_row, keys)
    return least[block_of_row]


def _majority(of_row: Places, stratum: npt.NDArray[np.int64], size: Units) -> npt.NDArray[np.int64]:
    """Return the commonest class of each block, the first of several."""
    n_blocks, n_classes = int(of_row.max()) + 1, int(stratum.max()) + 1
    if n_classes == 1:
        return np.zeros(n_blocks, dtype=np.int64)
    pair, place = np.unique(of_row * n_classes + stratum, return_inverse=True)
    count = np.bincount(place, size)
    order = np.lexsort((pair % n_classes, -count, pair // n_classes))
    block = (pair // n_classes)[order]
    is_first = np.append(True, block[1:] != block[:-1])
    common: npt.NDArray[np.int64] = (pair % n_classes)[order][is_first]
    return common


def _mixed(keys: Words, seed: int) -> Words:
    return scramble(keys ^ np.uint64(scramble_one(seed % 2**64)))
