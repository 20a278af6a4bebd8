"""The parameters of gradient boosting, and what they stand for on a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._names import nearest_name, no_such_column_words
from branchline._validation import AnyOf, Constraint, Flag, Given, OneOf, Real, Whole
from branchline.boosting._loss_interface import Loss
from branchline.boosting._user_loss import UserLoss
from branchline.errors import ParameterError, Repair
from branchline.table import Table

__all__ = [
    "ADDED",
    "GROWTHS",
    "MOST_ROUNDS",
    "OF_CLASSES",
    "OF_NUMBERS",
    "PARAMETERS",
    "BoostingSettings",
    "groups_of",
]

# As many rounds as "auto" goes at most.
MOST_ROUNDS = 2000

GROWTHS = {
    "leaf_wise": _core.TreeGrowth.leaf_wise,
    "depth_wise": _core.TreeGrowth.depth_wise,
    "symmetric": _core.TreeGrowth.symmetric,
}

# Parameters that files of version 0.1 do not have, with what was done then.
ADDED = {
    "category_penalty": 0.0,
    "min_samples_category": 1,
    "leaf_model": "constant",
    "slope_l2": 2.0,
}

# "auto": a leaf of a tree, and a row of a leaf, for 40 rows; limits; columns of a node; bins.
# Large tables: more leaves, one for 1,000 rows; 200 rounds of 31 leaves cannot say all they tell.
_ROWS_A_LEAF = 40
_FEWEST_LEAVES, _MANY_LEAVES = 6, 31
_ROWS_OF_MORE_LEAVES, _MOST_LEAVES = 1000, 63
_FEWEST_ROWS, _MOST_ROWS = 3, 20
_FEWEST_COLUMNS = 4
MOST_BINS, _FEWEST_BINS, _ROWS_A_BIN = 255, 8, 3

_NONE = OneOf((None,))
_AUTO = OneOf(("auto",))

_SHARE = Real(0.0, 1.0, low_open=True)


@dataclass(frozen=True)
class OwnLoss:
    """A loss of one's own."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` can be asked for gradients."""
        return isinstance(value, Loss | UserLoss) and not isinstance(value, type)

    def describe(self) -> str:
        """Say what it must have."""
        return "an object with gradient_hessian(y, raw)"


PARAMETERS: dict[str, Constraint] = {
    "n_estimators": AnyOf((Whole(1), OneOf(("auto",)))),
    "learning_rate": Real(0.0, low_open=True),
    "growth": OneOf(tuple(GROWTHS)),
    "max_leaf_nodes": AnyOf((_NONE, _AUTO, Whole(2))),
    "max_depth": AnyOf((_NONE, Whole(1))),
    "min_samples_leaf": AnyOf((_AUTO, Whole(1))),
    "min_hessian": Real(0.0),
    "l2_regularization": Real(0.0),
    "leaf_penalty": Real(0.0),
    "leaf_model": OneOf(("constant", "linear")),
    "slope_l2": Real(0.0),
    "second_order": Flag(),
    "subsample": _SHARE,
    "max_features": AnyOf((OneOf(("auto", "sqrt", "third", "log2", None)), Whole(1), _SHARE)),
    "tree_features": AnyOf((OneOf(("sqrt", "third", "log2", None)), Whole(1), _SHARE)),
    "max_bins": AnyOf((_AUTO, Whole(2, MOST_BINS))),
    "category_l2": Real(0.0),
    "category_smoothing": Real(0.0),
    "category_penalty": Real(0.0),
    "min_samples_category": Whole(1),
    "monotonic_cst": Given((Mapping, list, tuple, np.ndarray), "a mapping from column names"),
    "interaction_cst": AnyOf(
        (
            OneOf((None, "pairwise", "no_interactions")),
            Given((list, tuple), "groups of column names"),
        )
    ),
    "early_stopping": Flag(),
    "validation_fraction": Real(0.0, 0.5, low_open=True),
    "patience": Whole(1),
    "tol": Real(0.0),
    "time_budget": AnyOf((_NONE, Real(0.0, low_open=True))),
    "warm_start": Flag(),
}

OF_CLASSES: dict[str, Constraint] = {
    "loss": AnyOf((OneOf(("log_loss", "exponential")), OwnLoss())),
    "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
}

OF_NUMBERS: dict[str, Constraint] = {
    "loss": AnyOf(
        (
            OneOf(
                (
                    "squared_error",
                    "absolute_error",
                    "huber",
                    "quantile",
                    "poisson",
                    "gamma",
                    "tweedie",
                )
            ),
            OwnLoss(),
        )
    ),
    "quantile": AnyOf((Real(0.0, 1.0), Given((list, tuple, np.ndarray), "a list"))),
}


@dataclass(frozen=True)
class BoostingSettings:
    """The parameters of gradient boosting that a fit needs; the estimators describe them."""

    learning_rate: float
    growth: str
    max_leaf_nodes: Any
    max_depth: int | None
    min_samples_leaf: Any
    min_hessian: float
    l2_regularization: float
    leaf_penalty: float
    leaf_model: str
    slope_l2: float
    second_order: bool
    subsample: float
    max_features: Any
    tree_features: Any
    max_bins: Any
    category_l2: float
    category_smoothing: float
    category_penalty: float
    min_samples_category: int
    monotonic_cst: Any
    interaction_cst: Any

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the settings among an estimator's parameters."""
        return cls(**{field.name: parameters[field.name] for field in fields(cls)})

    def for_table(self, n_rows: float, n_columns: int) -> Self:
        """Return the settings with a number in place of each "auto".

        Parameters
        ----------
        n_rows, n_columns
            The size of the table: the weight of its rows, and its columns.
        """
        share = round(n_rows / _ROWS_A_LEAF)
        n_bins = max(_FEWEST_BINS, round(n_rows / _ROWS_A_BIN)) if n_columns > n_rows else MOST_BINS
        chosen: dict[str, Any] = {
            "max_bins": min(MOST_BINS, n_bins),
            "max_leaf_nodes": _leaves_of_tree(n_rows),
            "min_samples_leaf": min(_MOST_ROWS, max(_FEWEST_ROWS, share)),
            "max_features": max(min(_FEWEST_COLUMNS, n_columns), -(-n_columns // 2)),
        }
        auto = {name: number for name, number in chosen.items() if getattr(self, name) == "auto"}
        return replace(self, **auto)


def _leaves_of_tree(n_rows: float) -> int:
    few = min(_MANY_LEAVES, max(_FEWEST_LEAVES, round(n_rows / _ROWS_A_LEAF)))
    return max(few, min(_MOST_LEAVES, round(n_rows / _ROWS_OF_MORE_LEAVES)))


def groups_of(table: Table, interaction_cst: Any) -> npt.NDArray[np.uint8] | None:
    """Return which columns may meet on a path: a row of bytes a group; None: all may."""
    n_columns = table.n_columns
    if interaction_cst is None or (interaction_cst == "pairwise" and n_columns < 3):
        return None
    if isinstance(interaction_cst, str):
        return _pairs(n_columns) if interaction_cst == "pairwise" else np.eye(n_columns, dtype="u1")
    groups = [[_place(table, name) for name in _members(group)] for group in interaction_cst]
    named = {place for group in groups for place in group}
    # A column that no group names may not meet any other.
    groups += [[place] for place in range(n_columns) if place not in named]
    member = np.zeros((len(groups), n_columns), dtype=np.uint8)
    for number, group in enumerate(groups):
        member[number, group] = 1
    return member


def _pairs(n_columns: int) -> npt.NDArray[np.uint8]:
    first, second = np.triu_indices(n_columns, 1)
    member = np.zeros((len(first), n_columns), dtype=np.uint8)
    rows = np.arange(len(first))
    member[rows, first] = member[rows, second] = 1
    return member


def _members(group: Any) -> Sequence[Any]:
    if isinstance(group, str) or not isinstance(group, Sequence | set | frozenset):
        raise ParameterError(
            "'interaction_cst' must be a list of groups, each a list of columns. Got "
            f"{group!r} as a group.",
            code="P154",
            values=[group],
            repair=Repair('interaction_cst = [["a", "b"], ["c"]]'),
        )
    return list(group)


def _place(table: Table, name: Any) -> int:
    names = list(table.names)
    if name in names:
        return names.index(name)
    is_place = isinstance(name, int | np.integer) and not isinstance(name, bool)
    if is_place and 0 <= name < len(names):
        return int(name)
    near = nearest_name(name, names)
    raise ParameterError(
        "'interaction_cst' names a column that the table does not have. "
        f"{no_such_column_words(name, names, near)}",
        code="P154",
        values=[name],
        repair=Repair(None if near is None else f"interaction_cst = [[{near!r}]]"),
    )
