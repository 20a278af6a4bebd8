"""Trees of a forest as work that other processes can do: plain arrays, and who grows the trees.

1. ``TreeWork`` is all that growing needs: codes of all rows, targets, keys, options. A tree depends
   on these and on its number alone, so any process may grow any tree.
2. ``TreeGrower`` grows some trees of a work, and returns their arrays.
3. ``joined_forest`` puts trees that were grown in several batches together, in the order of their
   numbers.
4. ``tree_engine`` names who grows the trees of fits in a block. Default: the process of the fit.
"""

import contextlib
import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from branchline import _core
from branchline._arrays import AnyArray

__all__ = [
    "FOREST_OPTIONS",
    "TREE_OPTIONS",
    "Batch",
    "TreeGrower",
    "TreeMaker",
    "TreeWork",
    "current_tree_engine",
    "joined_forest",
    "tree_engine",
]

# What GrowOptions are told, besides the names of choices and the number of threads.
TREE_OPTIONS = (
    "gain_ratio",
    "multiway",
    "share_rare_branches",
    "cautious_thresholds",
    "correct_for_chance",
    "sets_singles_aside",
    "description_length",
    "split_on_zero_gain",
    "max_depth",
    "max_leaves",
    "min_split_units",
    "min_leaf_units",
    "min_impurity",
    "min_gain",
    "significance",
    "unit",
    "exact_subsets",
    "keeps_leaves",
)
FOREST_OPTIONS = ("max_columns", "random_thresholds", "score_threshold")
_CHOICES = {
    "criterion": _core.TreeCriterion,
    "missing": _core.MissingPolicy,
    "subset_search": _core.SubsetSearch,
}

OnProgress = Callable[[int], None]
Batch = dict[str, Any]


@dataclass(frozen=True, eq=False)
class TreeWork:
    """What growing the trees of a forest needs.

    Parameters
    ----------
    settings
        Numbers and names: options, the rule of bags, numbers of classes and outputs.
    columns
        The codes of each column.
    lowest, highest
        The values that the codes of each column cover.
    arrays
        ``n_codes``, ``is_category``, ``monotone``, ``class_factor`` of columns and classes;
        ``class_of_row``, ``sums``, ``units``, ``keys``, ``copies``, ``first_copy`` of rows. Those
        that a fit does not have are left out.
    """

    settings: dict[str, Any]
    columns: list[AnyArray]
    lowest: list[AnyArray]
    highest: list[AnyArray]
    arrays: dict[str, AnyArray]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.arrays["keys"])

    def n_bytes(self, n_threads: int) -> int:
        """Return about how many bytes a process needs that grows trees with some threads."""
        codes = sum(one.nbytes for one in self.columns)
        of_rows = sum(one.nbytes for one in self.arrays.values())
        return 2 * codes + of_rows + 48 * n_threads * self.n_rows

    def named(self) -> dict[str, AnyArray]:
        """Return all arrays by names, for a message."""
        groups = {"column": self.columns, "lowest": self.lowest, "highest": self.highest}
        listed = {
            f"{group} {number}": one
            for group, all_of_it in groups.items()
            for number, one in enumerate(all_of_it)
        }
        return {**listed, **{f"of {name}": one for name, one in self.arrays.items()}}

    @classmethod
    def from_named(cls, settings: dict[str, Any], named: dict[str, AnyArray]) -> "TreeWork":
        """Return the work that ``named`` came from."""
        groups: dict[str, list[AnyArray]] = {"column": [], "lowest": [], "highest": []}
        arrays = {}
        for name, one in named.items():
            group, _, own = name.partition(" ")
            if group in groups:
                groups[group].append(one)
            else:
                arrays[own] = one
        return cls(settings, groups["column"], groups["lowest"], groups["highest"], arrays)

    def digest(self) -> str:
        """Return a hash of all of it."""
        told = hashlib.blake2b(repr(sorted(self.settings.items())).encode(), digest_size=16)
        for name, values in self.named().items():
            told.update(f"{name} {values.dtype} {len(values)}".encode())
            told.update(np.ascontiguousarray(values).data)
        return told.hexdigest()


class TreeGrower:
    """Grows trees of one work.

    Parameters
    ----------
    work
        The work.
    n_threads
        Threads to use; trees do not depend on it.
    """

    def __init__(self, work: TreeWork, n_threads: int) -> None:
        told, of = work.settings, work.arrays
        native = _core.GrowColumns(
            work.columns,
            of["n_codes"],
            of["is_category"].astype(np.bool_),
            np.ones(len(work.columns)),
            np.zeros(len(work.columns), np.uint32),
        )
        self._columns = _core.ForestColumns(native, work.lowest, work.highest, of.get("monotone"))
        self._target = _core.GrowTarget(
            of.get("class_of_row"),
            of.get("sums"),
            of.get("units"),
            of.get("class_factor"),
            told["n_classes"],
            told["n_outputs"],
        )
        kind = _core.BagKind(told["bag_kind"])
        rows = of["keys"], of.get("copies"), of["first_copy"]
        self._bag = _core.Bag(*rows, kind, told["bag_rate"], told["bag_seed"])
        self._options = _options_of(told, n_threads)

    def grow(self, first_tree: int, n_trees: int, on_progress: OnProgress | None = None) -> Batch:
        """Return the arrays of some trees, as the compiled core gives them."""
        options = self._options
        options.first_tree, options.n_trees = first_tree, n_trees
        return _core.grow_forest(self._columns, self._target, self._bag, options, on_progress)


def _options_of(told: dict[str, Any], n_threads: int) -> _core.ForestOptions:
    tree = _core.GrowOptions()
    for name in TREE_OPTIONS:
        setattr(tree, name, told[name])
    for name, kind in _CHOICES.items():
        setattr(tree, name, kind(told[name]))
    tree.n_threads = n_threads
    options = _core.ForestOptions()
    options.tree = tree
    for name in FOREST_OPTIONS:
        setattr(options, name, told[name])
    options.time_budget = math.inf
    options.importance_by_tree = True
    return options


def joined_forest(batches: Sequence[Batch]) -> Batch:
    """Return the trees of batches that follow one another; importances are added tree by tree."""
    joined = {
        name: np.concatenate([batch[name] for batch in batches])
        for name in batches[0]
        if name != "importance"
    }
    of_trees = [batch["importance"].reshape(len(batch["n_nodes"]), -1) for batch in batches]
    total = np.zeros(of_trees[0].shape[1])
    for of_batch in of_trees:
        for of_tree in of_batch:
            total += of_tree
    return {**joined, "importance": total}


class TreeMaker(Protocol):
    """What grows trees in place of the process of the fit."""

    def grow(
        self, first_tree: int, n_trees: int, seconds: float | None, on_progress: OnProgress | None
    ) -> Batch:
        """Return trees, fewer when the time is over, as ``joined_forest`` does."""


_ENGINE: ContextVar[Callable[[TreeWork], TreeMaker] | None] = ContextVar("trees", default=None)


@contextlib.contextmanager
def tree_engine(engine: Callable[[TreeWork], TreeMaker]) -> Iterator[None]:
    """Let trees of forests in this block be grown by what the engine returns for their work."""
    before = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(before)


def current_tree_engine() -> Callable[[TreeWork], TreeMaker] | None:
    """Return what grows the trees of forests here; None: their own process."""
    return _ENGINE.get()
