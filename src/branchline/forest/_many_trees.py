"""The trees of a forest while it grows: some more at a time, with out-of-bag predictions.

1. ``grow_to`` grows what is lacking, tells callbacks of each tree, and heeds the time budget, that
   of the whole fit. A first part of the time shows how long a tree takes, and how much longer it
   takes to ask it about the rows it has not seen; the rest is planned with that.
2. Trees of an earlier fit are kept at a warm start, if they were drawn from the same rows alike.
"""

import time
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from branchline._tree_work import current_tree_engine
from branchline._trees._codes_in_use import compacted, joined
from branchline._trees._forest_arrays import ForestArrays
from branchline.errors import ParameterError, Repair
from branchline.forest._growth import ForestGrowth, OutOfBag
from branchline.forest._growth_work import work_of
from branchline.forest._leaf_memory import MANY_CLASSES, refuse_many_leaves
from branchline.forest._out_of_bag import added

__all__ = ["Grown", "Trees", "old_trees"]

Floats = npt.NDArray[np.float64]

# The part of a budget after which it is known how long trees take.
_FIRST_PART = 0.3
# For each second of growing: seconds of out-of-bag predictions before they are measured, and of
# packing and importances.
_OUT_OF_BAG, _READING = 0.5, 0.25


class Grown:
    """A grown forest with what was learned on the way."""

    def __init__(
        self, growth: ForestGrowth, forest: ForestArrays, oob: OutOfBag | None, gains: Floats
    ) -> None:
        self.growth = growth
        self.forest = forest
        self.predicted = oob
        self.gains = gains


class Trees:
    """The trees so far, and what they predict for rows they have not seen."""

    def __init__(
        self, model: Any, growth: ForestGrowth, n_threads: int, warm: Grown | None, begin: float
    ) -> None:
        self.model = model
        self.begin = begin
        self.growth = growth
        self.n_threads = n_threads
        engine = current_tree_engine()
        self._maker = None if engine is None else engine(work_of(growth))
        self.has_oob = model.oob_score and growth.leaves_rows_out
        self.forest: Any = None if warm is None else warm.forest
        self.predicted: OutOfBag | None = None
        self.gains: Floats = np.zeros(growth.data.table.n_columns) if warm is None else warm.gains
        # Seconds of growing so far, those of one tree, and for each what follows at once.
        self._grown, self._one_tree, self._after = 0.0, 0.0, _OUT_OF_BAG if self.has_oob else 0.0
        if warm is not None and self.has_oob:
            self.predicted = growth.out_of_bag(warm.forest, 0, n_threads)

    @property
    def n_trees(self) -> int:
        return 0 if self.forest is None else int(self.forest.n_trees)

    def grow_to(self, n_trees: int) -> None:
        """Grow until there are that many trees, or the time is over."""
        if self.forest is None and self.growth.n_classes >= MANY_CLASSES and n_trees > 1:
            self._grow(1, None)
            refuse_many_leaves(cast("ForestArrays", self.forest), n_trees, has_oob=self.has_oob)
        if self.model.time_budget is None:
            self._grow(n_trees, None)
            return
        first = self.n_trees
        self._grow(n_trees, _FIRST_PART * self._time_for_growing())
        while first < self.n_trees < n_trees and self._time_for_growing() > self._one_tree:
            first = self.n_trees
            self._grow(n_trees, self._time_for_growing())

    def _time_for_growing(self) -> float:
        """Return how much of the time that is left may go into growing."""
        left = float(self.model.time_budget) - (time.monotonic() - self.begin)
        return max(0.0, left - _READING * self._grown) / (1 + self._after + _READING)

    def _grow(self, n_trees: int, seconds: float | None) -> None:
        first, begin = self.n_trees, time.monotonic()
        if first >= n_trees:
            return
        with _Progress(self.model) as progress:
            more, gains = self.growth.grow(
                first,
                n_trees - first,
                time_budget=seconds,
                on_progress=progress.reach,
                maker=self._maker,
            )
            progress.reach(more.n_trees)
        grown = time.monotonic()
        if self.has_oob:
            self.predicted = added(
                self.predicted, self.growth.out_of_bag(more, first, self.n_threads)
            )
        self.forest = more if self.forest is None else compacted(joined(self.forest, more))
        self.gains = self.gains + gains
        self._grown += grown - begin
        self._one_tree = (grown - begin) * min(1.0, self.n_threads / more.n_trees)
        self._after = (time.monotonic() - grown) / max(grown - begin, 1e-9)


class _Progress:
    """Tells callbacks of each tree."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.n_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def reach(self, n_done: int) -> None:
        for _ in range(self.n_done, n_done):
            with self.model._step_of_fit("tree"):
                pass
        self.n_done = max(self.n_done, n_done)


def old_trees(warm: Grown | None, growth: ForestGrowth) -> Grown | None:
    """Return the trees of an earlier fit when they were grown on the same rows in the same way."""
    if warm is None:
        return None
    if _draws_alike(warm.growth, growth):
        return warm
    raise ParameterError(
        "A warm start adds trees to the existing ones, so rows, weights, random_state and what "
        "each tree draws must be the same as before.",
        code="P145",
        repair=Repair("model.set_params(warm_start=False)"),
    )


def _draws_alike(old: ForestGrowth, new: ForestGrowth) -> bool:
    """Return whether two fits see the same rows in the same codes, and draw them alike."""
    bags = [
        (growth.bag.kind, growth.bag.rate, growth.bag.seed, growth.scale) for growth in (old, new)
    ]
    pairs = [
        (old.rows.keys, new.rows.keys),
        (old.draws.row_units, new.draws.row_units),
        *zip(old.codes.highest, new.codes.highest, strict=False),
    ]
    return bags[0] == bags[1] and all(_are_equal(one, other) for one, other in pairs)


def _are_equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other))
