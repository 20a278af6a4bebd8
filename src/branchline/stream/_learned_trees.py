"""What a stream learner has learned: trees in the compiled core, packed as numbers when saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._core import StreamModel
from branchline._state import array_from_state, malformed
from branchline.stream._arriving_columns import columns_in_order, native_columns
from branchline.table import Schema, Table

__all__ = ["LearnedTrees", "StreamRules"]

_KINDS = ("single", "bagging", "adaptive_forest", "boosting")
_PREDICTIONS = ("majority", "naive_bayes", "adaptive")
_REALS, _WHOLES = np.dtype(np.float64), np.dtype(np.int64)


@dataclass(frozen=True)
class StreamRules:
    """How trees learn and how they are combined, as the kernel takes it.

    Parameters
    ----------
    tree
        Grace period, delta, tie threshold, gini, Gaussians, prediction of leaves, bins, depth,
        bytes, columns of a leaf, delta of drifts.
    ensemble
        Kind, members, mean of the draws, deltas of warnings and of drifts.
    seed
        The seed of all draws.
    """

    tree: tuple[Any, ...]
    ensemble: tuple[Any, ...] = ("single", 1, 1.0, 0.01, 0.001)
    seed: int = 0

    def native(self, n_classes: int) -> tuple[Any, ...]:
        """Return the rules of a tree for the kernel."""
        prediction = _PREDICTIONS.index(self.tree[5])
        return (n_classes, *self.tree[:5], prediction, *self.tree[6:], self.seed)

    def native_ensemble(self, n_threads: int) -> tuple[Any, ...]:
        """Return the rules of the ensemble for the kernel."""
        return (_KINDS.index(self.ensemble[0]), *self.ensemble[1:], n_threads)


class LearnedTrees:
    """Trees that go on learning; a copy is made of their packed form.

    Parameters
    ----------
    rules
        How they learn.
    schema
        The columns.
    n_classes
        The number of classes.
    n_threads
        Threads for learning; they do not change the result.
    """

    def __init__(
        self, rules: StreamRules, schema: Schema, n_classes: int, n_threads: int = 1
    ) -> None:
        self.rules, self.n_classes = rules, n_classes
        names = columns_in_order(schema)
        self.is_category = np.array([schema[name].kind == "category" for name in names], np.uint8)
        self.keys = np.array([_key(name) for name in names], dtype=np.uint64)
        self.native = StreamModel(
            rules.native(n_classes),
            rules.native_ensemble(n_threads),
            self.is_category,
            self.keys,
        )

    def learn(self, table: Table, class_of_row: Any, *, predict: bool = False) -> Floats | None:
        """Learn from rows; with ``predict``, return what was predicted before each was learned."""
        columns, n_categories = native_columns(table)
        for place in np.flatnonzero((n_categories >= 0) & (self.is_category == 0)):
            self.native.make_category(int(place))
            self.is_category[place] = 1
        classes = np.ascontiguousarray(class_of_row, dtype=np.uint32)
        found = self.native.learn(columns, n_categories, classes, predict)
        return None if found is None else found.reshape(-1, self.n_classes)

    def predict(self, table: Table, n_threads: int) -> Floats:
        """Return the probabilities of the classes."""
        columns, n_categories = native_columns(table)
        found: Floats = self.native.predict(columns, n_categories, n_threads)
        return found.reshape(-1, self.n_classes)

    # -- saving -------------------------------------------------------------------------------

    def pack(self) -> Mapping[str, Any]:
        """Return everything learned as plain values."""
        reals, wholes = self.native.state()
        return {"reals": reals, "wholes": wholes, "seed": self.rules.seed}

    @staticmethod
    def unpack(state: Any, rules: StreamRules, schema: Schema, n_classes: int) -> "LearnedTrees":
        """Check packed values and return the trees that they are of."""
        if not isinstance(state, dict) or set(state) != {"reals", "wholes", "seed"}:
            raise malformed("what was learned lacks a part, or has one too many")
        reals = array_from_state(state, "reals", _REALS)
        wholes = array_from_state(state, "wholes", _WHOLES)
        if type(state["seed"]) is not int or not 0 <= state["seed"] < 2**63:
            raise malformed("the seed is not a whole number")
        rules = StreamRules(rules.tree, rules.ensemble, state["seed"])
        made = LearnedTrees(rules, schema, n_classes)
        try:
            made.native.restore(reals, wholes)
        except ValueError as error:
            raise malformed(str(error)) from error
        return made

    def __reduce__(self) -> Any:
        reals, wholes = self.native.state()
        return _restored, (self.rules, self.is_category, self.keys, self.n_classes, reals, wholes)


def _restored(
    rules: StreamRules,
    is_category: AnyArray,
    keys: AnyArray,
    n_classes: int,
    reals: Floats,
    wholes: AnyArray,
) -> LearnedTrees:
    made = LearnedTrees.__new__(LearnedTrees)
    made.rules, made.is_category, made.keys, made.n_classes = rules, is_category, keys, n_classes
    try:
        options = rules.native(n_classes), rules.native_ensemble(1)
        made.native = StreamModel(*options, is_category, keys)
        made.native.restore(reals, wholes)
    except (AttributeError, OverflowError, RuntimeError, TypeError, ValueError) as error:
        raise malformed(str(error)) from error
    return made


def _key(name: str) -> int:
    """Return a number for a name, on which draws of columns depend."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
