"""Calling the native search: targets as whole numbers, prices in their units.

Classes: the cost of a leaf is counted in units of weight. Numbers: with z the deviation from the
mean in units of 2^exponent, weights w and two powers of two k and g, a row has the whole numbers w,
s = w · z · k and q = w · z² · g; a leaf costs Σq − (Σs)² / Σw · g / k². Weight w multiplies after
rounding where it is whole, so that w copies give the same sums.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._fixed_point import FixedPoint
from branchline._validation import RowWeights
from branchline.tree.growing._growth import Growth
from branchline.tree.optimal._proof import OptimalityProof
from branchline.tree.optimal._yes_no_tests import YesNoTests

__all__ = ["SearchLimits", "deviations", "search_tree"]

Floats = npt.NDArray[np.float64]

_SUM_BITS = 51
_SQUARE_BITS = 48


@dataclass(frozen=True)
class SearchLimits:
    """How large a tree may be, what a leaf costs (per row), and how long the search may take."""

    max_depth: int
    leaf_penalty: float
    min_samples_leaf: int
    time_budget: float
    shape: _core.TreeShape = _core.TreeShape.any


@dataclass(frozen=True)
class _Target:
    native: _core.OptimalTarget
    scale: float  # what a cost of 1 per row has in units of the search


def search_tree(
    growth: Growth, tests: YesNoTests, costs: Floats | None, limits: SearchLimits
) -> tuple[npt.NDArray[np.int32], OptimalityProof]:
    """Return the tests of the best tree as a heap (−1: a leaf), and what is proved of it."""
    target = _class_target(growth, costs) if growth.numbers is None else _number_target(growth)
    options = _core.OptimalOptions()
    options.max_depth = limits.max_depth
    options.leaf_penalty = min(limits.leaf_penalty * target.scale, 2.0**1000)
    options.min_leaf_units = growth.weights.at_least(limits.min_samples_leaf)
    options.time_limit = limits.time_budget
    options.shape = limits.shape
    found = _core.optimal_tree(tests.native(), target.native, options)
    value, bound = (max(0.0, found[name] / target.scale) for name in ("value", "bound"))
    proof = OptimalityProof(
        value, min(bound, value), found["is_proved"], len(tests.tests), tests.n_left_out
    )
    return found["tests"], proof


def _units(weights: RowWeights) -> Floats | None:
    return None if weights.units is None else weights.units.astype(np.float64)


def _class_target(growth: Growth, costs: Floats | None) -> _Target:
    classes = growth.data.class_target
    native = _core.OptimalTarget(
        np.ascontiguousarray(classes.class_of_row, dtype=np.uint32),
        _units(growth.weights),
        None,
        None if costs is None else np.ravel(costs),
        max(2, classes.n_classes) if costs is None else classes.n_classes,
        1.0,
    )
    return _Target(native, float(growth.weights.total_units(growth.n_rows)))


def deviations(numbers: FixedPoint, weights: RowWeights) -> Floats:
    """Return how far each row is from the mean, in units of 2^exponent; exact sums in between."""
    n_rows = len(numbers.sums)
    units = np.ones(n_rows, dtype=np.int64) if weights.units is None else weights.units
    total = math.fsum(numbers.sums[:, 0].tolist())
    scale = -(numbers.bits + numbers.exponent)
    mean = math.ldexp(total / (math.fsum(units.tolist()) * weights.unit), scale)
    own: Floats = np.ldexp(numbers.sums[:, 0] / (units * weights.unit), scale) - mean
    return own


def _number_target(growth: Growth) -> _Target:
    assert growth.numbers is not None
    weights, z = growth.weights, deviations(growth.numbers, growth.weights)
    total = float(weights.total_units(growth.n_rows))
    units = np.ones(len(z)) if weights.units is None else weights.units.astype(np.float64)
    k = 2.0 ** (_SUM_BITS - math.ceil(math.log2(2 * total)))
    spread = math.fsum((units * z * z).tolist())
    g = 2.0 ** (_SQUARE_BITS - math.frexp(spread)[1]) if spread > 0 else 1.0
    are_copies = weights.unit == 1.0
    sums = units * np.rint(z * k) if are_copies else np.rint(units * z * k)
    squares = units * np.rint(z * z * g) if are_copies else np.rint(units * z * z * g)
    numbers = np.concatenate([sums, squares])
    native = _core.OptimalTarget(None, _units(weights), numbers, None, 0, g / k / k)
    with np.errstate(over="ignore", under="ignore"):
        square = float(np.ldexp(1.0, 2 * min(growth.numbers.exponent, 500)))
    return _Target(native, total * g / square)
