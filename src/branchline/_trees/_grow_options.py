"""How a tree is grown: settings of estimators, and the options of the native grower."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from branchline import _core
from branchline._fixed_point import FixedPoint
from branchline._validation import RowWeights

__all__ = ["OTHER_MEASURES", "GrowSettings", "grow_options", "impurity_scale"]

CRITERIA = {
    "gini": _core.TreeCriterion.gini,
    "entropy": _core.TreeCriterion.entropy,
    "misclassification": _core.TreeCriterion.misclassification,
    "variance": _core.TreeCriterion.variance,
    "gain_ratio": _core.TreeCriterion.entropy,
    "mdl": _core.TreeCriterion.entropy,
    "absolute_error": _core.TreeCriterion.absolute_error,
    "poisson": _core.TreeCriterion.poisson,
}
# Criteria of numbers beside the variance.
OTHER_MEASURES = ("absolute_error", "poisson")
MISSING = {
    "learned": _core.MissingPolicy.learned,
    "own": _core.MissingPolicy.own_branch,
    "node_mode": _core.MissingPolicy.mode,
    "sample_mode": _core.MissingPolicy.mode,
    "fractional": _core.MissingPolicy.fractional,
    # Surrogate tests are found after growing. Until then a missing value is shared, so that tests
    # are chosen by the rows whose value is known.
    "surrogate": _core.MissingPolicy.fractional,
}
SUBSET_SEARCH = {
    "auto": _core.SubsetSearch.automatic,
    "one_vs_rest": _core.SubsetSearch.one_vs_rest,
    "flip_flop": _core.SubsetSearch.flip_flop,
    "greedy": _core.SubsetSearch.greedy,
    "exact": _core.SubsetSearch.exact,
}

_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class GrowSettings:
    """How one tree is grown: parameters of estimators, with a default for those that they lack."""

    criterion: str = "variance"
    split: str = "binary"
    missing: str = "learned"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity: float = 0.0
    min_gain: float = 0.0
    significance: float | None = None
    zero_gain: str = "stop"
    subset_search: str = "auto"
    rare_categories: str = "own"
    cautious_thresholds: bool = False
    correct_for_chance: bool = False

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the settings among an estimator's parameters."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in parameters.items() if name in names})


def grow_options(
    settings: GrowSettings, weights: RowWeights, numbers: FixedPoint | None, n_threads: int
) -> _core.GrowOptions:
    """Return the options of the native grower that settings stand for."""
    criterion = settings.criterion
    if numbers is not None and criterion not in OTHER_MEASURES:
        criterion = "variance"
    bits = 0 if numbers is None else numbers.bits
    scale = 1.0 if numbers is None else impurity_scale(criterion, weights.unit, bits)
    options = _core.GrowOptions()
    options.criterion = CRITERIA[criterion]
    options.missing = MISSING[settings.missing]
    options.subset_search = SUBSET_SEARCH[settings.subset_search]
    options.gain_ratio = criterion == "gain_ratio"
    options.description_length = criterion == "mdl"
    options.multiway = settings.split == "multiway"
    options.share_rare_branches = settings.rare_categories == "share"
    options.cautious_thresholds = bool(settings.cautious_thresholds)
    options.correct_for_chance = bool(settings.correct_for_chance)
    options.sets_singles_aside = True
    options.split_on_zero_gain = settings.zero_gain == "split"
    options.min_impurity = settings.min_impurity * scale
    options.min_gain = settings.min_gain * scale
    options.unit = weights.unit
    options.n_threads = n_threads
    _set_limits(options, settings, weights)
    return options


def _set_limits(options: _core.GrowOptions, settings: GrowSettings, weights: RowWeights) -> None:
    options.max_depth = min(settings.max_depth or _NO_LIMIT, _NO_LIMIT)
    options.min_split_units = weights.at_least(settings.min_samples_split)
    options.min_leaf_units = weights.at_least(settings.min_samples_leaf)
    if settings.max_leaf_nodes is not None:
        options.max_leaves = min(int(settings.max_leaf_nodes), 2**62)
    if settings.significance is not None:
        options.significance = settings.significance


def impurity_scale(criterion: str, unit: float, bits: int) -> float:
    """Return by what impurities of numbers are multiplied inside, where they are in fixed point.

    Squares have the square of the scale; distances to medians are counted by units, not weights.
    """
    if criterion == "absolute_error":
        return _power_of_two(bits)
    if criterion == "poisson":
        return unit * _power_of_two(bits)
    return unit**2 * _power_of_two(2 * bits)


def _power_of_two(exponent: int) -> float:
    """Return 2^exponent, the largest float where it would be beyond."""
    with np.errstate(over="ignore"):
        return float(min(np.ldexp(1.0, exponent), np.finfo(np.float64).max))
