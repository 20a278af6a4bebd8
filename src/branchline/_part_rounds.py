"""Rounds of gradient boosting on parts of a table, each in a process of its own.

1. ``RoundWork`` is all that rounds need, as plain arrays and numbers: it can be cut into parts of
   the rows and sent to other machines.
2. ``PartOfRounds`` boosts on one part. Sums of integers over the parts come from an ``Exchange``
   (``native/include/branchline/part_sums.hpp``), so every part grows the trees of the whole table.
3. One of the parts looks for the tests of nodes: it gets the sums of histograms, and tells the
   others what it found. It may have no rows: ``RoundWork.head``.
4. ``round_engine`` names who makes the rounds of fits in a block. Default: the process of the fit.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from branchline import _core
from branchline._arrays import AnyArray, Floats

__all__ = [
    "OPTIONS",
    "Exchange",
    "PartOfRounds",
    "RoundMaker",
    "RoundWork",
    "add_gathered",
    "current_round_engine",
    "joined_trees",
    "round_engine",
]

# What BoostingOptions are told, besides the seed of a round and the number of threads.
OPTIONS = (
    "max_leaves",
    "max_depth",
    "min_leaf_units",
    "min_leaf_hessian",
    "l2",
    "leaf_penalty",
    "category_l2",
    "category_smoothing",
    "category_chance",
    "min_category_units",
    "columns_per_tree",
    "columns_per_node",
    "unit",
    "histogram_bytes",
)
_BLOCK_ROWS = 16384
# The arrays of trees, and those that hold them side by side.
_TREES = ("n_nodes", "kind", "feature", "left_code", "missing_left", "pool")
_DTYPES = {"feature": np.uint32, "left_code": np.uint32}


class Exchange(Protocol):
    """What the parts tell each other while they grow trees.

    Parameters
    ----------
    looks
        Whether this part looks for the tests of nodes.
    """

    looks: bool

    def add(self, values: Any) -> None:
        """Write the sums over all parts to an array of unsigned 64-bit integers."""

    def take_largest(self, values: Any) -> None:
        """Write the largest values of all parts."""

    def gather(self, values: Any) -> None:
        """Write the sums where tests are looked for; elsewhere give them only."""

    def tell(self, words: Any) -> Any:
        """Tell the others what was found; where tests are not looked for, return it."""


@dataclass(frozen=True, eq=False)
class RoundWork:
    """What rounds of boosting need.

    Parameters
    ----------
    settings
        Numbers and names: options, loss, learning rate, seed, draws.
    columns
        The codes of each column.
    of_columns
        Arrays that describe columns: ``n_codes``, ``is_category``, and constraints, if any.
    of_rows
        Arrays with an entry for each row of the table: ``keys``.
    of_models
        Arrays with an entry for each row of each model, model after model: the target, units,
        copies, and the scores of each output.
    n_rows
        The rows of the table.
    """

    settings: dict[str, Any]
    columns: list[AnyArray]
    of_columns: dict[str, AnyArray]
    of_rows: dict[str, AnyArray]
    of_models: dict[str, AnyArray]
    n_rows: int

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row."""
        return int(self.settings["n_outputs"])

    def part(self, begin: int, end: int) -> "RoundWork":
        """Return the work on some rows."""
        return RoundWork(
            self.settings,
            [np.ascontiguousarray(codes[begin:end]) for codes in self.columns],
            self.of_columns,
            {name: np.ascontiguousarray(one[begin:end]) for name, one in self.of_rows.items()},
            {name: self.rows_of_models(one, begin, end) for name, one in self.of_models.items()},
            end - begin,
        )

    def head(self) -> "RoundWork":
        """Return the work of a part that only looks for tests: on one row that counts nothing."""
        first = self.part(0, 1)
        nothing = np.zeros(len(first.of_models["target"]), np.int64)
        names = ("copies", "each") if "copies" in first.of_models else ("units",)
        of_models = first.of_models | dict.fromkeys(names, nothing)
        return RoundWork(self.settings, first.columns, self.of_columns, first.of_rows, of_models, 1)

    @property
    def n_bins(self) -> int:
        """The number of bins of a histogram."""
        return int(self.of_columns["n_codes"].sum()) + len(self.columns)

    def rows_of_models(self, values: AnyArray, begin: int, end: int) -> AnyArray:
        """Return the entries of some rows of each model."""
        return values.reshape(-1, self.n_rows)[:, begin:end].ravel()

    def arrays(self) -> dict[str, AnyArray]:
        """Return all arrays by names, for a message."""
        named = {f"column {number}": codes for number, codes in enumerate(self.columns)}
        for group in ("of_columns", "of_rows", "of_models"):
            named |= {f"{group} {name}": one for name, one in getattr(self, group).items()}
        return named

    @classmethod
    def from_arrays(cls, settings: dict[str, Any], named: dict[str, AnyArray]) -> "RoundWork":
        """Return the work that ``arrays`` came from."""
        groups: dict[str, dict[str, AnyArray]] = {"of_columns": {}, "of_rows": {}, "of_models": {}}
        columns = [one for name, one in named.items() if name.startswith("column ")]
        for name, one in named.items():
            group, _, own = name.partition(" ")
            if group in groups:
                groups[group][own] = one
        return cls(settings, columns, **groups, n_rows=len(groups["of_rows"]["keys"]))

    def digest(self) -> str:
        """Return a hash of all of it."""
        told = hashlib.blake2b(repr(sorted(self.settings.items())).encode(), digest_size=16)
        for name, values in self.arrays().items():
            told.update(f"{name} {values.dtype} {len(values)}".encode())
            told.update(np.ascontiguousarray(values).data)
        return told.hexdigest()


class RoundMaker(Protocol):
    """What makes rounds in place of the process of the fit."""

    def run(self, number: int, validation: AnyArray | None) -> dict[str, Any]:
        """Return a round, as the compiled core does."""

    def scores(self) -> Floats:
        """Return the scores of all rows: of each output, model after model."""


_ENGINE: ContextVar[Callable[[RoundWork], RoundMaker] | None] = ContextVar("engine", default=None)


@contextlib.contextmanager
def round_engine(engine: Callable[[RoundWork], RoundMaker]) -> Iterator[None]:
    """Let rounds of fits in this block be made by what the engine returns for their work."""
    before = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(before)


def current_round_engine() -> Callable[[RoundWork], RoundMaker] | None:
    """Return what makes the rounds of fits here; None: their own process."""
    return _ENGINE.get()


def add_gathered(values: AnyArray, to: AnyArray) -> None:
    """Add what a part has gathered to the sums; it may be a histogram of words."""
    if 2 * len(values) == len(to):
        _core.add_words(values, to)
    else:
        np.add(to, values, out=to)


def joined_trees(rounds: list[dict[str, Any]]) -> tuple[dict[str, AnyArray], Floats]:
    """Return the trees of several rounds side by side, and the values of their leaves."""
    trees = {
        name: np.concatenate([one[name] for one in rounds]).astype(
            _DTYPES.get(name, rounds[0][name].dtype)
        )
        for name in _TREES
    }
    return trees, np.concatenate([one["value"] for one in rounds])


@dataclass(eq=False)
class PartOfRounds:
    """The rounds of boosting on some rows of a table.

    Parameters
    ----------
    work
        The part of the work.
    exchange
        What the parts tell each other; None: this is all of the work.
    n_threads, block_rows
        Nothing but time depends on them.
    """

    work: RoundWork
    exchange: Exchange | None = None
    n_threads: int = 1
    block_rows: int = _BLOCK_ROWS
    raw: Floats = field(init=False)

    def __post_init__(self) -> None:
        work, about = self.work, self.work.of_columns
        n_columns = len(work.columns)
        columns = _core.GrowColumns(
            work.columns,
            about["n_codes"],
            about["is_category"].astype(np.bool_),
            np.ones(n_columns),
            np.zeros(n_columns, np.uint32),
        )
        told = self.exchange
        parts = None if told is None else _core.PartSums(told, told.looks)
        self._booster = _core.TreeBooster(
            columns, work.of_rows["keys"], self.block_rows, self.n_threads, parts
        )
        self.raw = work.of_models["raw"].astype(np.float64)
        self._bag = self._bag_of_rows()
        self._constraints = _core.BoostingConstraints(about.get("monotone"), about.get("groups"))

    def replay(self, rounds: list[dict[str, Any]]) -> None:
        """Add what earlier rounds give the rows."""
        if rounds:
            trees, value = joined_trees(rounds)
            kept = _core.KeptTrees(*(trees[name] for name in _TREES))
            self._booster.replay(kept, value, self.raw, self.n_threads)

    def run(self, number: int, validation: AnyArray | None = None) -> dict[str, Any]:
        """Boost a round, and return it as the compiled core does."""
        told = self.work.settings
        run = _core.BoostingRun()
        run.learning_rate, run.seed = told["learning_rate"], told["seed"]
        run.first_round, run.n_rounds = number, 1
        plan = _core.BoostingPlan(self._constraints, self._options(), run)
        kind = _core.LossKind(told["loss"])
        rule = _core.LossRule(kind, np.array(told["parameters"], np.float64), told["n_outputs"])
        return _core.boost_rounds(self._booster, rule, self._rows(validation), plan, self.raw)

    def _options(self) -> _core.BoostingOptions:
        told = self.work.settings
        options = _core.BoostingOptions()
        options.growth = _core.TreeGrowth(told["growth"])
        options.n_threads = self.n_threads
        for name in OPTIONS:
            setattr(options, name, told[name])
        return options

    def _rows(self, validation: AnyArray | None) -> _core.BoostingRows:
        told, of_models = self.work.settings, self.work.of_models
        target, units = of_models["target"], of_models.get("units")
        numbers, classes = (None, target) if told["has_classes"] else (target, None)
        units = of_models.get("each", units)
        return _core.BoostingRows(numbers, classes, units, self._bag, validation, None)

    def _bag_of_rows(self) -> _core.Bag | None:
        told, of_models = self.work.settings, self.work.of_models
        if "copies" not in of_models:
            return None
        n_models = len(of_models["copies"]) // self.work.n_rows
        keys = self.work.of_rows["keys"]
        return _core.Bag(
            keys if n_models == 1 else np.tile(keys, n_models),
            of_models["copies"],
            of_models["first_copy"],
            _core.BagKind.subsample,
            told["subsample"],
            told["seed"],
        )
