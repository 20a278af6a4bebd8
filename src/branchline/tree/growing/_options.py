"""An estimator's parameters as the options of the native grower."""

from typing import Any

import numpy as np

from branchline import _core
from branchline._fixed_point import FixedPoint
from branchline._validation import RowWeights

__all__ = ["grow_options"]

# The numbers of TreeCriterion, MissingPolicy and SubsetSearch in grow_tree.hpp.
CRITERIA = {
    "gini": 0,
    "entropy": 1,
    "misclassification": 2,
    "variance": 3,
    "gain_ratio": 1,
    "mdl": 1,
}
MISSING = {"learned": 0, "own": 1, "node_mode": 2, "sample_mode": 2, "fractional": 3}
SUBSET_SEARCH = {"auto": 0, "one_vs_rest": 1, "flip_flop": 2, "greedy": 3, "exact": 4}

_NO_LIMIT = 2**31 - 1


def grow_options(
    parameters: dict[str, Any], weights: RowWeights, numbers: FixedPoint | None, n_threads: int
) -> _core.GrowOptions:
    """Return the options of the native grower that an estimator's parameters stand for."""
    criterion = parameters.get("criterion", "variance")
    criterion = "variance" if numbers is not None else criterion
    # Impurities of numbers are in fixed point inside, squared.
    scale = 1.0 if numbers is None else weights.unit**2 * _power_of_two(2 * numbers.bits)
    options = _core.GrowOptions()
    options.criterion = CRITERIA[criterion]
    options.missing = MISSING[parameters["missing"]]
    options.subset_search = SUBSET_SEARCH[parameters["subset_search"]]
    options.gain_ratio = criterion == "gain_ratio"
    options.description_length = criterion == "mdl"
    options.multiway = parameters["split"] == "multiway"
    options.share_rare_branches = parameters["rare_categories"] == "share"
    options.cautious_thresholds = bool(parameters.get("cautious_thresholds", False))
    options.correct_for_chance = bool(parameters["correct_for_chance"])
    options.sets_singles_aside = True
    options.split_on_zero_gain = parameters["zero_gain"] == "split"
    options.max_depth = min(parameters["max_depth"] or _NO_LIMIT, _NO_LIMIT)
    options.min_split_units = weights.at_least(parameters["min_samples_split"])
    options.min_leaf_units = weights.at_least(parameters["min_samples_leaf"])
    options.min_impurity = parameters["min_impurity"] * scale
    options.min_gain = parameters["min_gain"] * scale
    options.unit = weights.unit
    options.n_threads = n_threads
    if parameters["max_leaf_nodes"] is not None:
        options.max_leaves = min(int(parameters["max_leaf_nodes"]), 2**62)
    if parameters.get("significance") is not None:
        options.significance = parameters["significance"]
    return options


def _power_of_two(exponent: int) -> float:
    """Return 2^exponent, the largest float where it would be beyond."""
    with np.errstate(over="ignore"):
        return float(min(np.ldexp(1.0, exponent), np.finfo(np.float64).max))
