"""The growing of a forest's trees as work that other processes can do (``_tree_work``)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._tree_work import FOREST_OPTIONS, TREE_OPTIONS, TreeWork

if TYPE_CHECKING:
    from branchline.forest._growth import ForestGrowth

__all__ = ["work_of"]


def work_of(growth: "ForestGrowth") -> TreeWork:
    """Return what growing trees needs, as arrays."""
    coded, rows = growth.columns.coded, growth.rows
    given: dict[str, AnyArray | None] = {
        "monotone": growth.monotone,
        "class_factor": growth.class_factor,
        "class_of_row": growth.class_of_row,
        "sums": None if growth.sums is None else np.ravel(growth.sums),
        "units": growth.draws.units,
        "copies": growth.draws.copies,
    }
    arrays: dict[str, AnyArray] = {
        "n_codes": coded.n_codes,
        "is_category": coded.is_category.astype(np.uint8),
        "keys": rows.keys,
        "first_copy": rows.first_copy,
    }
    arrays |= {name: one for name, one in given.items() if one is not None}
    return TreeWork(
        _settings_of(growth),
        list(coded.columns),
        growth.columns.lowest,
        growth.columns.highest,
        arrays,
    )


def _settings_of(growth: "ForestGrowth") -> dict[str, Any]:
    options, tree, bag = growth.options, growth.options.tree, growth.bag
    return {
        **{name: getattr(tree, name) for name in TREE_OPTIONS},
        **{name: getattr(options, name) for name in FOREST_OPTIONS},
        "criterion": int(tree.criterion.value),
        "missing": int(tree.missing.value),
        "subset_search": int(tree.subset_search.value),
        "bag_kind": int(bag.kind.value),
        "bag_rate": float(bag.rate),
        "bag_seed": int(bag.seed),
        "n_classes": growth.n_classes,
        "n_outputs": 0 if growth.sums is None else int(growth.sums.shape[1]),
    }
