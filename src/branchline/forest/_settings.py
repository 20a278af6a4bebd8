"""The parameters that all forests share, and what they stand for on a table.

``PARAMETERS`` states what each may be, once for all estimators; the functions resolve those that
refer to columns or rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline import _core
from branchline._trees._grow_options import GrowSettings
from branchline._validation import AnyOf, Constraint, Flag, Given, OneOf, Real, Whole
from branchline.table import Table

__all__ = [
    "MOST_TREES",
    "OF_CLASSES",
    "OF_NUMBERS",
    "PARAMETERS",
    "SCORE_THRESHOLD",
    "ForestSettings",
    "bag_of",
    "corrects_for_chance",
]

# As many trees as "auto" grows at most.
MOST_TREES = 1000


_NONE = OneOf((None,))

PARAMETERS: dict[str, Constraint] = {
    "n_estimators": AnyOf((Whole(1), OneOf(("auto",)))),
    "max_features": AnyOf(
        (OneOf(("auto", "sqrt", "third", "log2", None)), Whole(1), Real(0.0, 1.0, low_open=True))
    ),
    "bootstrap": Flag(),
    "max_samples": AnyOf((_NONE, Whole(1), Real(0.0, 1.0, low_open=True))),
    "max_bins": AnyOf((_NONE, Whole(2, 65534))),
    "max_depth": AnyOf((_NONE, Whole(1))),
    "max_leaf_nodes": AnyOf((_NONE, Whole(2))),
    "min_samples_split": Whole(2),
    "min_samples_leaf": Whole(1),
    "min_gain": Real(0.0),
    "monotonic_cst": Given((Mapping, list, tuple, np.ndarray), "a mapping from column names"),
    "correct_for_chance": AnyOf((Flag(), OneOf(("auto",)))),
    "oob_score": Flag(),
    "time_budget": AnyOf((_NONE, Real(0.0, low_open=True))),
    "warm_start": Flag(),
}

OF_CLASSES: dict[str, Constraint] = {
    "criterion": OneOf(("gini", "entropy", "misclassification", "gain_ratio", "mdl")),
    "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
    "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
}

OF_NUMBERS: dict[str, Constraint] = {
    "criterion": OneOf(("variance", "squared_error", "poisson")),
    "keep_targets": Flag(),
}

# Columns of more categories are names and other identifiers, as a rule.
_MANY_CATEGORIES = 64

SCORE_THRESHOLD = AnyOf((_NONE, Real(0.0, 1.0)))


@dataclass(frozen=True)
class ForestSettings(GrowSettings):
    """The parameters of a forest that growing needs; the estimators describe them."""

    correct_for_chance: Any = "auto"
    max_bins: int | None = None
    max_features: Any = None
    bootstrap: bool = True
    max_samples: Any = None
    monotonic_cst: Any = None
    random_thresholds: bool = False
    score_threshold: float | None = None


def corrects_for_chance(wanted: bool | str, table: Table) -> bool:
    """Return whether tests are compared by what they gain beyond chance."""
    if wanted != "auto":
        return bool(wanted)
    return any(
        len(field.type.categories or ()) > _MANY_CATEGORIES
        and table.column(field.name).n_used_categories > _MANY_CATEGORIES
        for field in table.schema
    )


def bag_of(bootstrap: bool, max_samples: Any, n_rows: int) -> tuple[_core.BagKind, float]:
    """Return the kind of the trees' bags and the rate at which rows are drawn."""
    if max_samples is None:
        rate = 1.0
    elif isinstance(max_samples, float | np.floating):
        rate = float(max_samples)
    else:
        rate = min(1.0, int(max_samples) / n_rows)
    if bootstrap:
        return _core.BagKind.bootstrap, rate
    kind = _core.BagKind.all if rate == 1.0 else _core.BagKind.subsample
    return kind, rate
