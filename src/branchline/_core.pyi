"""Compiled kernels of Branchline. Private: no checks beyond shapes."""

from collections.abc import Callable
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


def column_facts(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> dict:
    """
    The ends, middle values, mean and deviation of each column, for any order of rows.
    """

def class_moments(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int) -> dict:
    """Exact sums, means and deviations of each column in each class."""

class GaussianCurves:
    """Gaussian curves of columns: arrays of classes × columns."""

    def __init__(self, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], deviation: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], group_constant: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], group_width: int) -> None: ...

def add_gaussian_scores(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], curves: GaussianCurves, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Add the log densities of rows under Gaussian curves to scores (classes × rows).
    """

class KernelCurves:
    """Kernel densities of columns, at points: an array of points × classes."""

    def __init__(self, place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_points: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exponent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_density: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

def add_kernel_scores(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], curves: KernelCurves, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Add the log densities of rows under kernel densities to scores (classes × rows).
    """

class BagKind(enum.Enum):
    """How the rows of a tree are drawn."""

    all = 0

    bootstrap = 1

    subsample = 2

class Bag:
    """Which copies of rows each tree draws."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first_copy: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: BagKind, rate: float, seed: int) -> None: ...

    @property
    def kind(self) -> BagKind: ...

    @property
    def rate(self) -> float: ...

    @property
    def seed(self) -> int: ...

    def counts(self, tree: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """How often a tree holds each row."""

class TreeCriterion(enum.Enum):
    """What tests of a tree are to lower."""

    gini = 0

    entropy = 1

    misclassification = 2

    variance = 3

    absolute_error = 4

    poisson = 5

class MissingPolicy(enum.Enum):
    """Where missing values go."""

    learned = 0

    own_branch = 1

    mode = 2

    fractional = 3

class SubsetSearch(enum.Enum):
    """How subsets of categories are searched."""

    automatic = 0

    one_vs_rest = 1

    flip_flop = 2

    greedy = 3

    exact = 4

class GrowOptions:
    def __init__(self) -> None: ...

    @property
    def criterion(self) -> TreeCriterion: ...

    @criterion.setter
    def criterion(self, arg: TreeCriterion, /) -> None: ...

    @property
    def missing(self) -> MissingPolicy: ...

    @missing.setter
    def missing(self, arg: MissingPolicy, /) -> None: ...

    @property
    def subset_search(self) -> SubsetSearch: ...

    @subset_search.setter
    def subset_search(self, arg: SubsetSearch, /) -> None: ...

    @property
    def gain_ratio(self) -> bool: ...

    @gain_ratio.setter
    def gain_ratio(self, arg: bool, /) -> None: ...

    @property
    def multiway(self) -> bool: ...

    @multiway.setter
    def multiway(self, arg: bool, /) -> None: ...

    @property
    def share_rare_branches(self) -> bool: ...

    @share_rare_branches.setter
    def share_rare_branches(self, arg: bool, /) -> None: ...

    @property
    def cautious_thresholds(self) -> bool: ...

    @cautious_thresholds.setter
    def cautious_thresholds(self, arg: bool, /) -> None: ...

    @property
    def correct_for_chance(self) -> bool: ...

    @correct_for_chance.setter
    def correct_for_chance(self, arg: bool, /) -> None: ...

    @property
    def sets_singles_aside(self) -> bool: ...

    @sets_singles_aside.setter
    def sets_singles_aside(self, arg: bool, /) -> None: ...

    @property
    def description_length(self) -> bool: ...

    @description_length.setter
    def description_length(self, arg: bool, /) -> None: ...

    @property
    def split_on_zero_gain(self) -> bool: ...

    @split_on_zero_gain.setter
    def split_on_zero_gain(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_split_units(self) -> int: ...

    @min_split_units.setter
    def min_split_units(self, arg: int, /) -> None: ...

    @property
    def min_leaf_units(self) -> int: ...

    @min_leaf_units.setter
    def min_leaf_units(self, arg: int, /) -> None: ...

    @property
    def min_impurity(self) -> float: ...

    @min_impurity.setter
    def min_impurity(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def significance(self) -> float: ...

    @significance.setter
    def significance(self, arg: float, /) -> None: ...

    @property
    def unit(self) -> float: ...

    @unit.setter
    def unit(self, arg: float, /) -> None: ...

    @property
    def exact_subsets(self) -> int: ...

    @exact_subsets.setter
    def exact_subsets(self, arg: int, /) -> None: ...

    @property
    def keeps_leaves(self) -> bool: ...

    @keeps_leaves.setter
    def keeps_leaves(self, arg: bool, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

class GrowTarget:
    """Class of each row, or fixed-point sums of each row, and units."""

    def __init__(self, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sums_of_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, class_factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, n_outputs: int, part_units: int = 0, values_of_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class GrowColumns:
    """Coded columns to grow a tree on."""

    def __init__(self, codes: list, n_codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fill_code: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def give_subsets(self, column: int, subsets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def make_multiway(self, column: int) -> None:
        """Test a category column with a branch for each category."""

    def order_rows(self) -> None:
        """Sort columns of few rows once, for many trees on these rows."""

def grow_tree(columns: GrowColumns, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: GrowTarget, options: GrowOptions) -> dict:
    """Grow a tree in codes; its arrays by name."""

def list_tests(columns: GrowColumns, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: GrowTarget, options: GrowOptions) -> list:
    """The best test of each column in the node that holds the rows."""

class TreesView:
    """Fitted trees as arrays."""

    def __init__(self, n_nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None: ...

class BagTargets:
    """Class or fixed-point sums of each row, and units."""

    def __init__(self, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sums_of_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class ForestWalker:
    """A fitted forest, ready for rows to go down."""

    def __init__(self, trees: TreesView, n_threads: int = 1) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def average(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int, first_tree: int = 0, n_trees: int = -1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The mean over trees of the leaf values; row after row."""

    def sum(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int, first_tree: int, n_trees: int, n_outputs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Sums over trees of the leaf values, tree t in output t % n_outputs; row after row.
        """

    def average_of_few(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None:
        """As average, of up to 64 rows at once; None when a number is infinite."""

    def sum_of_few(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], n_outputs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None:
        """As sum, of up to 64 rows at once; None when a number is infinite."""

    def find_leaves(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The place of each row's leaf in each tree; row after row."""

    def out_of_bag(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bag: Bag, first_tree: int, targets: BagTargets, n_threads: int) -> tuple:
        """What trees predict for rows they have not seen: sums, votes, leaves."""

class AttributedTrees:
    """Trees whose outputs are shared out among columns."""

    def __init__(self, trees: TreesView, leaf_cover: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int) -> None: ...

def attributions(trees: AttributedTrees, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    What each column adds to each output of each row, and the expectation last.
    """

class TreeGrowth(enum.Enum):
    """Which node of a boosted tree is split next."""

    leaf_wise = 0

    depth_wise = 1

    symmetric = 2

class BoostingOptions:
    def __init__(self) -> None: ...

    @property
    def growth(self) -> TreeGrowth: ...

    @growth.setter
    def growth(self, arg: TreeGrowth, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_leaf_units(self) -> int: ...

    @min_leaf_units.setter
    def min_leaf_units(self, arg: int, /) -> None: ...

    @property
    def min_leaf_hessian(self) -> float: ...

    @min_leaf_hessian.setter
    def min_leaf_hessian(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def leaf_penalty(self) -> float: ...

    @leaf_penalty.setter
    def leaf_penalty(self, arg: float, /) -> None: ...

    @property
    def category_l2(self) -> float: ...

    @category_l2.setter
    def category_l2(self, arg: float, /) -> None: ...

    @property
    def category_smoothing(self) -> float: ...

    @category_smoothing.setter
    def category_smoothing(self, arg: float, /) -> None: ...

    @property
    def category_chance(self) -> float: ...

    @category_chance.setter
    def category_chance(self, arg: float, /) -> None: ...

    @property
    def min_category_units(self) -> int: ...

    @min_category_units.setter
    def min_category_units(self, arg: int, /) -> None: ...

    @property
    def columns_per_tree(self) -> int: ...

    @columns_per_tree.setter
    def columns_per_tree(self, arg: int, /) -> None: ...

    @property
    def columns_per_node(self) -> int: ...

    @columns_per_node.setter
    def columns_per_node(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def unit(self) -> float: ...

    @unit.setter
    def unit(self, arg: float, /) -> None: ...

    @property
    def histogram_bytes(self) -> int: ...

    @histogram_bytes.setter
    def histogram_bytes(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

class BoostingConstraints:
    """Directions of columns, and groups that may meet on a path."""

    def __init__(self, monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, groups: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class KeptTrees:
    """Boosted trees, as they were kept."""

    def __init__(self, n_nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_code: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class PartSums:
    """Sums over rows that several processes hold, by an object."""

    def __init__(self, exchange: object, looks: bool) -> None: ...

def add_words(words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add a histogram that a part has sent as words to the sums of all parts.
    """

class TreeBooster:
    """A coded table to grow boosted trees on."""

    def __init__(self, columns: GrowColumns, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], block_rows: int, n_threads: int, parts: PartSums | None = None) -> None: ...

    def replay(self, trees: KeptTrees, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Add to the scores what trees that were grown before give the rows."""

    def grow(self, gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hessians: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, constraints: BoostingConstraints, options: BoostingOptions, leaf_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> dict:
        """Grow a tree for each row of gradients; write the leaf of each row."""

def add_leaf_values(leaf_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Add to each row's scores the values of its leaves, tree after tree."""

class LossKind(enum.Enum):
    """Losses of boosting."""

    squared = 0

    absolute = 1

    huber = 2

    quantile = 3

    poisson = 4

    gamma = 5

    tweedie = 6

    logistic = 7

    exponential = 8

    softmax = 9

class ScoreLink(enum.Enum):
    """What scores are turned into."""

    exponential = 0

    sigmoid = 1

    softmax = 2

class LossRule:
    """A loss of boosting with its parameters."""

    def __init__(self, kind: LossKind, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int) -> None: ...

class LossTarget:
    """Numbers, or a class of each row."""

    def __init__(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

def loss_gradients(loss: LossRule, target: LossTarget, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hessians: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, n_threads: int) -> None:
    """Write the gradient and hessian of every score."""

def mean_loss(loss: LossRule, target: LossTarget, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> float:
    """The weighted mean loss of the rows."""

def predictions_of_scores(link: ScoreLink, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Means or class probabilities, row after row."""

def leaf_quantiles(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, quantile: float, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The weighted quantile of the rows in each leaf."""

def leaf_huber_values(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, delta: float, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The median and the mean clipped deviation from it, for each leaf."""

class BoostingRun:
    """How many rounds to boost, and how."""

    def __init__(self) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def slope_l2(self) -> float: ...

    @slope_l2.setter
    def slope_l2(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def first_round(self) -> int: ...

    @first_round.setter
    def first_round(self, arg: int, /) -> None: ...

    @property
    def n_rounds(self) -> int: ...

    @n_rounds.setter
    def n_rounds(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def keeps_trees(self) -> bool: ...

    @keeps_trees.setter
    def keeps_trees(self, arg: bool, /) -> None: ...

class BoostingRows:
    """The rows to boost on."""

    def __init__(self, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, bag: Bag | None, validation: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, linear: LinearColumns | None) -> None: ...

class BoostingPlan:
    """Constraints, how trees grow, and rounds."""

    def __init__(self, constraints: BoostingConstraints, options: BoostingOptions, run: BoostingRun) -> None: ...

def boost_rounds(booster: TreeBooster, loss: LossRule, rows: BoostingRows, plan: BoostingPlan, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> dict:
    """Boost several rounds, and add them to the scores of each output."""

def fit_kmeans(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sizes: tuple, start: object, seed: int, n_threads: int) -> tuple:
    """
    The best of several starts of k-means; start: k-means++ (true), random assignment (false), or centers.
    """

def nearest_centers(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The nearest center of each row."""

def center_distances(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Squared distances of rows to centers, row after row."""

def distance_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums of distances from each row to the rows of each cluster."""

class DistanceForm:
    """How rows are compared."""

    def __init__(self, kind: int, n_numbers: int, unknown: float) -> None: ...

def row_distances(form: DistanceForm, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The distance of each row of a from each row of b, or of a."""

def condensed_distances(form: DistanceForm, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The distances of pairs of rows: 0 and 1, 0 and 2, and so on."""

def nearest_points(form: DistanceForm, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> tuple:
    """Of each row the nearest point, the second nearest, the distance."""

def nearest_rows(form: DistanceForm, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, k: int, n_threads: int) -> tuple:
    """
    Of each row the k nearest points, or other rows: their places and distances, k by k.
    """

def train_map(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], apart: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], training: tuple) -> None:
    """Train the codes of a self-organizing map row by row, in place."""

def look_at_distances(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Whether all are usable, the largest, the largest asymmetry, the largest of the diagonal.
    """

def join_clusters(linkage: int, distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    A tree of clusters, the nearest joined first; overwrites the distances.
    """

def divide_clusters(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """A tree of clusters, divided from the top."""

def find_medoids(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, start: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """Medoids, the loss and the number of swaps."""

def cpu_levels() -> list: ...

def fit_codes(columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, n_threads: int) -> list:
    """Learn codes; per column: codes, lowest and highest value of each code."""

def fit_sparse_codes(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_threads: int) -> list:
    """Learn exact codes of sparse columns; per column what fit_codes gives."""

def apply_codes(columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: list, highest: list, cpu_level: int, n_threads: int) -> list:
    """Encode new values with codes learned earlier."""

def column_keys(columns: list, target: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    A rank of each column by its content, for any order of rows and columns.
    """

def distances_of_pairs(queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], point: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_manhattan: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The distance of each pair of a query and a point."""

def neighbors_of_one(query: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, tie: float, is_manhattan: bool) -> tuple:
    """
    The nearest points of one query: first, point, distance, tie_first, tie_end.
    """

def neighbor_votes(nearest: tuple, k: int, by_distance: bool, class_of_point: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The votes of the nearest points for each class, row by row."""

def neighbor_means(nearest: tuple, k: int, by_distance: bool, value_of_point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The mean number of the nearest points, for each query."""

class CutTerms:
    """How terms are cut into slices."""

    def __init__(self, power: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_whole: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_slices: int) -> None: ...

def exact_products(left: CutTerms, left_rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], right: CutTerms, right_rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Sums over rows of the products of left and right slices, without rounding.
    """

def exact_squares(terms: CutTerms, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Sums over rows of the products of all pairs of slices, without rounding.
    """

MOST_FOLDED_ROWS: int = 1024

def fold_columns(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], fold_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_folds: int, responses: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], farthest: float, n_threads: int) -> tuple:
    """
    Shares, spreads and ranges of columns for all rows but each fold, and their moved values.
    """

class ForestOptions:
    def __init__(self) -> None: ...

    @property
    def tree(self) -> GrowOptions: ...

    @tree.setter
    def tree(self, arg: GrowOptions, /) -> None: ...

    @property
    def max_columns(self) -> int: ...

    @max_columns.setter
    def max_columns(self, arg: int, /) -> None: ...

    @property
    def random_thresholds(self) -> bool: ...

    @random_thresholds.setter
    def random_thresholds(self, arg: bool, /) -> None: ...

    @property
    def score_threshold(self) -> float: ...

    @score_threshold.setter
    def score_threshold(self, arg: float, /) -> None: ...

    @property
    def first_tree(self) -> int: ...

    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def time_budget(self) -> float: ...

    @time_budget.setter
    def time_budget(self, arg: float, /) -> None: ...

    @property
    def importance_by_tree(self) -> bool: ...

    @importance_by_tree.setter
    def importance_by_tree(self, arg: bool, /) -> None: ...

class ForestColumns:
    """Coded columns, what codes cover, and directions."""

    def __init__(self, columns: GrowColumns, lowest: list, highest: list, monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

def grow_forest(columns: ForestColumns, target: GrowTarget, bag: Bag, options: ForestOptions, on_progress: Callable | None = None) -> dict:
    """Grow trees of a forest; their arrays by name, trees one after another."""

def forest_thresholds(feature: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_code: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_code: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], fraction: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: list, highest: list) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The thresholds of inner nodes; +inf without a right code."""

class CodedTree:
    """A checked copy of a tree in codes."""

    def __init__(self, *, kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_code: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool_offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class HeldOutRows:
    """Codes; which rows, in which order; weights."""

    def __init__(self, codes: list, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class ClassLoss:
    """The cost of a node's decision for a row's class."""

    def __init__(self, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], decision: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> None: ...

class NumberMeasure(enum.Enum):
    squared = 0

    absolute = 1

    poisson = 2

class NumberLoss:
    """What a row's numbers lose in a node."""

    def __init__(self, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, measure: NumberMeasure = NumberMeasure.squared) -> None: ...

def node_losses(tree: CodedTree, held_out: HeldOutRows, loss: ClassLoss | NumberLoss) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Loss at each node of the rows that pass it, and of those that stay in an inner one.
    """

def losses_along_path(tree: CodedTree, held_out: HeldOutRows, loss: ClassLoss | NumberLoss, critical_beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], betas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    For each β, summed over the rows: the loss under T(β), its square, and the square of its change from the root's.
    """

def interrupt_thread(ident: int) -> None:
    """
    Raise KeyboardInterrupt in another thread, in Python code or in a kernel.
    """

def forget_interruption() -> bool:
    """
    Whether this thread was interrupted and has not heard it yet; it will not any more.
    """

def frequent_item_sets(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_items: int, limits: tuple, n_threads: int) -> object:
    """
    Frequent item sets: starts, items, units, places without each item; None when too many.
    """

class NearPoints:
    """Points whose nearest ones can be looked for."""

    def __init__(self, points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def candidates(self, queries: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_threads: int) -> tuple:
        """
        Query and point of each pair that can be among the k nearest, or tie with them.
        """

def exact_network(levels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: tuple, rule: tuple, limits: tuple) -> tuple:
    """The network of the highest score: flags of parents, and the score."""

def climb_network(levels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: tuple, rule: tuple, limits: tuple, search: tuple) -> tuple:
    """
    A network of a high score, by hill climbing: flags of parents, and the score.
    """

def family_score(levels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: tuple, rule: tuple, child: int, parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The score of a column, given its parents."""

def pair_gains(levels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: tuple, given: int) -> tuple:
    """
    What each column tells of each other, on rows where both are known, and their weight.
    """

class KernelForm:
    """A kernel of two rows of numbers."""

    def __init__(self, kind: int, gamma: float, coef0: float, degree: int) -> None: ...

def kernel_matrix_single(form: KernelForm, a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """The kernel of each row of a with each row of b."""

def kernel_sums_single(form: KernelForm, a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    The kernel of each row of a with all rows of b, times their coefficients.
    """

def squared_distances_single(a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """The squared Euclidean distance of each row of a from each row of b."""

def rbf_of_distances_single(distances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, n_threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """exp(−gamma · distance) of a matrix of squared distances."""

def kernel_matrix_double(form: KernelForm, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The kernel of each row of a with each row of b."""

def kernel_sums_double(form: KernelForm, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    The kernel of each row of a with all rows of b, times their coefficients.
    """

def squared_distances_double(a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The squared Euclidean distance of each row of a from each row of b."""

def rbf_of_distances_double(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """exp(−gamma · distance) of a matrix of squared distances."""

class LinearColumns:
    """Numbers that leaves may use."""

    def __init__(self, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class LinearTerms:
    """The terms of leaves that are sums."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def add_linear_trees(terms: LinearTerms, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """Add to each row's scores what its leaves give it, tree after tree."""

class ScaledTerms:
    """Terms, and the scale of each column."""

    def __init__(self, terms: LinearTerms, middle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], half: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def attribute_terms(trees: AttributedTrees, terms: ScaledTerms, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], of_row: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """Add the Shapley values of the terms of leaves to attributions."""

def linear_set_errors(learn: tuple, test: tuple, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strength: float, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Held-out errors of linear models on sets of terms; NaN: not solved."""

class LinearMatrix:
    """Rows of numbers, dense or compressed."""

    def __init__(self, n_rows: int, n_columns: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

class LinearOptions:
    """How a linear margin is found."""

    def __init__(self, squared: bool, fit_intercept: bool, solver: int, tolerance: float, max_iter: int, seed: int) -> None: ...

def fit_linear_svm(matrix: LinearMatrix, lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: LinearOptions, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Weights, constants, duals and a report of every output."""

class LinearTable:
    """Codes, terms and target of the rows of a linear tree."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], own_term: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], matrix: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class LinearTestOptions:
    """Limits of a test of linear models."""

    def __init__(self, ridge: float, min_weight: float, min_category: float, n_threads: int) -> None: ...

class LinearTest:
    """The test of a node whose branches have the best linear models."""

    @property
    def column(self) -> int:
        """The column; −1: there is no test."""

    @property
    def node_error(self) -> float:
        """The error of one model for the node."""

    @property
    def error(self) -> float:
        """The errors of the models of both branches."""

    @property
    def missing_left(self) -> bool:
        """Whether missing values go to the first branch."""

    @property
    def left_code(self) -> int:
        """The last code of the first branch."""

    @property
    def right_code(self) -> int:
        """The first code of the second branch; 0: none."""

    @property
    def left_categories(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]:
        """The codes of categories that take the first branch."""

    @property
    def right_categories(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]:
        """
        The codes of categories that take the second branch; others go with missing values.
        """

def find_linear_test(table: LinearTable, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], options: LinearTestOptions) -> LinearTest:
    """The test whose two branches have the linear models of least error."""

class NodeTestKind(enum.Enum):
    """Tests that are made node by node."""

    projection = 0

    centers = 1

    lookahead = 2

class NodeTestOptions:
    def __init__(self) -> None: ...

    @property
    def kind(self) -> NodeTestKind: ...

    @kind.setter
    def kind(self, arg: NodeTestKind, /) -> None: ...

    @property
    def n_columns(self) -> int: ...

    @n_columns.setter
    def n_columns(self, arg: int, /) -> None: ...

    @property
    def n_random(self) -> int: ...

    @n_random.setter
    def n_random(self, arg: int, /) -> None: ...

    @property
    def lookahead(self) -> int: ...

    @lookahead.setter
    def lookahead(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class NodeNumbers:
    """Numeric columns that tests are made of."""

    def __init__(self, values: list, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], middle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], range: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def grow_by_nodes(columns: GrowColumns, numbers: NodeNumbers, keys_and_rows: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], target: GrowTarget, options: GrowOptions, tests: NodeTestOptions) -> dict:
    """Grow a tree whose tests are made node by node; its arrays by name."""

class OptimalTests:
    """Yes-no tests of rows as bits, in families."""

    def __init__(self, bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_test: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_exclusive: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class OptimalTarget:
    """Classes, or sums and squares, of each row."""

    def __init__(self, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, square_scale: float) -> None: ...

class TreeShape(enum.Enum):
    """Which trees are searched: all, or lists of rules."""

    any = 0

    list = 1

    list_of_answers = 2

class OptimalOptions:
    def __init__(self) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def leaf_penalty(self) -> float: ...

    @leaf_penalty.setter
    def leaf_penalty(self, arg: float, /) -> None: ...

    @property
    def min_leaf_units(self) -> float: ...

    @min_leaf_units.setter
    def min_leaf_units(self, arg: float, /) -> None: ...

    @property
    def time_limit(self) -> float: ...

    @time_limit.setter
    def time_limit(self, arg: float, /) -> None: ...

    @property
    def shape(self) -> TreeShape: ...

    @shape.setter
    def shape(self, arg: TreeShape, /) -> None: ...

def optimal_tree(tests: OptimalTests, target: OptimalTarget, options: OptimalOptions) -> dict:
    """
    The tree of least cost among all trees of a depth; its tests as a heap.
    """

def weakest_link(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cost_as_leaf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra_cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The β from which on each node is a leaf of T(β) or gone; −inf for leaves.
    """

def greedy_pruning(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cost_as_leaf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra_cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The nodes that collapse one after another; the tree's cost before and after each.
    """

def sum_children(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], content: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, bits: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """What nodes hold, inner ones as sums of their children."""

def philox(counter: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], key: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """One block of the counter-based generator Philox 4×64-10."""

def row_keys(columns: list, target: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """A hash of each row's codes and target."""

def first_copies(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The number of each row's first copy among the rows with its key."""

def bootstrap_counts(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, task: int, n_threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """Poisson(1) draws summed over each row's copies."""

def relief_scores(values: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], kinds: object, target: object, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, looking: tuple, n_threads: int) -> tuple:
    """Relief scores of columns, and their mean squares over rows."""

def content_keys(columns: list, ranks: list, targets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """A hash of each row's content, for any order of rows and columns."""

def matrix_keys(matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """The content_keys of a matrix of numbers by its exact codes."""

class RowScales:
    """The scales of columns of numbers."""

    def __init__(self, power: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fill: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest: float) -> None: ...

    def scale(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Put rows on the scales, where they are."""

class ColumnTerms:
    """The terms that columns of numbers become."""

    def __init__(self, place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indicator: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: RowScales) -> None: ...

    def write(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], marks_missing: bool) -> None:
        """Write the terms of a matrix of numbers, a term in each row."""

    def scores(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The sums of weighted terms of each row of a matrix of numbers."""

class TokenSequences:
    """Tokens with their features."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_features: int) -> None: ...

class LabelRules:
    """Labels, which may follow which, weights."""

    def __init__(self, n_labels: int, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

def train_sequences(sequences: TokenSequences, rules: LabelRules, options: tuple) -> tuple:
    """
    Weights of features and of transitions, history, epochs, whether it is done; lambda 0: the averaged perceptron.
    """

def decode_sequences(sequences: TokenSequences, rules: LabelRules, features: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple:
    """
    The best label of each token, its margin, and the score of each sequence.
    """

class Adwin:
    """A window as long as the mean of its numbers is constant."""

    def __init__(self, delta: float) -> None: ...

    def update(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        Adds numbers; places of those at which the window was cut, and after each cut its length, the mean that was cut off and the one that was kept.
        """

    @property
    def mean(self) -> float: ...

    @property
    def width(self) -> float: ...

    @property
    def mean_before(self) -> float: ...

    @property
    def nbytes(self) -> int: ...

class PageHinkley:
    """Sums of deviations from the mean so far."""

    def __init__(self, tolerance: float, threshold: float, min_rows: int) -> None: ...

    def update(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Adds numbers; places of those at which the mean had changed."""

class Ddm:
    """The share of ones against its lowest value."""

    def __init__(self, warning: float, threshold: float, min_rows: int) -> None: ...

    def update(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """Adds zeros and ones; places of changes and of warnings."""

class StreamModel:
    """Hoeffding trees that learn row by row."""

    def __init__(self, rules: tuple, ensemble: tuple, is_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], column_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def learn(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], wants_predictions: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None:
        """
        Learns from rows in their order; probabilities of each row before it was learned from, row after row.
        """

    def predict(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Probabilities of classes, row after row."""

    def make_category(self, column: int) -> None:
        """A column without any value so far is one of categories."""

    def events(self) -> list:
        """
        What happened to branches: row, kind, member, column, rows, errors, path.
        """

    def nodes(self, member: int) -> list:
        """The nodes of a tree: parent, left, right."""

    @property
    def n_events(self) -> int: ...

    def sizes(self) -> tuple:
        """Rows, nodes, leaves, leaves that learn, trials, depth, bytes."""

    def state(self) -> tuple:
        """Everything learned, as numbers and whole numbers."""

    def restore(self, reals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], wholes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes what state() gave; values that no learner could have written are refused.
        """

class StringForm:
    """A string kernel with its parameters."""

    def __init__(self, kind: int, order: int, decay: float, shift: int) -> None: ...

def string_gram(form: StringForm, symbols: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_symbols: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The kernel of strings with others, or with each other, row after row."""

def string_diagonal(form: StringForm, symbols: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The kernel of each string with itself."""

class SvmOptions:
    """How a support vector machine is solved."""

    def __init__(self, tolerance: float, has_sum: bool, max_steps: int, time_budget: float, cache_bytes: int, n_threads: int) -> None: ...

    @property
    def polishes(self) -> bool: ...

    @polishes.setter
    def polishes(self, arg: bool, /) -> None: ...

    @property
    def wants_spans(self) -> bool: ...

    @wants_spans.setter
    def wants_spans(self, arg: bool, /) -> None: ...

    @property
    def whole_set(self) -> int: ...

    @whole_set.setter
    def whole_set(self, arg: int, /) -> None: ...

    @property
    def whole_rows(self) -> int: ...

    @whole_rows.setter
    def whole_rows(self, arg: int, /) -> None: ...

    @property
    def working_set(self) -> int: ...

    @working_set.setter
    def working_set(self, arg: int, /) -> None: ...

class SvmProblem:
    """Linear part, bounds and start of a problem."""

    def __init__(self, row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, group: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

def solve_svm_points_single(form: KernelForm, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], problems: list, options: SvmOptions) -> list:
    """
    Solve problems on points: a list of (beta, score, violation, steps, is_done, span).
    """

def solve_svm_gram_single(gram: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], problems: list, options: SvmOptions) -> list:
    """Solve problems on a given kernel matrix, as on points."""

def solve_svm_points_double(form: KernelForm, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], problems: list, options: SvmOptions) -> list:
    """
    Solve problems on points: a list of (beta, score, violation, steps, is_done, span).
    """

def solve_svm_gram_double(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], problems: list, options: SvmOptions) -> list:
    """Solve problems on a given kernel matrix, as on points."""

class SvmPairRows:
    """Rows of several classes, class by class."""

    def __init__(self, ends: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def most_ranked(self) -> int: ...

    @most_ranked.setter
    def most_ranked(self, arg: int, /) -> None: ...

    @property
    def is_squared(self) -> bool: ...

    @is_squared.setter
    def is_squared(self, arg: bool, /) -> None: ...

def solve_svm_pairs_of_points(form: KernelForm, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pairs: SvmPairRows, options: SvmOptions) -> dict:
    """
    Solve and finish a machine for each pair of classes, on points class by class.
    """

def solve_svm_pairs_of_gram(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pairs: SvmPairRows, options: SvmOptions) -> dict:
    """The same on a given kernel matrix."""

class SvmPairModel:
    """Machines of all pairs as they predict."""

    def __init__(self, ends: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def svm_pair_scores(model: SvmPairModel, kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The score of each row by the machine of each pair, from kernel values."""

def svm_class_scores_of_kernel(model: SvmPairModel, kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """A score of each class from kernel values, row by row."""

def svm_class_scores(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_classes: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """A score of each class from those of all pairs, row by row."""

class SvmBounds:
    """New bounds and ridges of some variables."""

    def __init__(self, lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class SvmPath:
    """Rows, labels and costs of a classification."""

    def __init__(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], held_out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], matrix: int = 0) -> None: ...

def svm_paths_single(grams: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], problems: list, strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: SvmOptions) -> list:
    """
    Scores of held-out rows for each C: a list of (decision, violation, steps).
    """

def svm_paths_double(grams: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], problems: list, strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: SvmOptions) -> list:
    """
    Scores of held-out rows for each C: a list of (decision, violation, steps).
    """

def svm_leave_one_out_single(gram: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], problem: SvmProblem, variables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: SvmBounds, options: SvmOptions) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The score of each variable's row when its bounds are replaced and all is solved again.
    """

def svm_leave_one_out_double(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], problem: SvmProblem, variables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: SvmBounds, options: SvmOptions) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The score of each variable's row when its bounds are replaced and all is solved again.
    """

def fit_sigmoid(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_positive: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Slopes of probabilities below and above a score of 0; NaN: nothing to learn from.
    """

def term_bit_sums(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    For each term, the sum of the bits of its numbers times the words of the rows.
    """

def term_word_sums(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    For each term, the sum of the scrambled bits of its numbers times the words of the rows.
    """

def term_row_sums(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    For each row, the sum of its numbers' bits scrambled with the words of the terms.
    """

class NodeKind(enum.Enum):
    """What a node of a tree is."""

    leaf = 0

    threshold = 1

    categories = 2

class TreeWalker:
    """A fitted tree, ready for rows to go down."""

    def __init__(self, kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool_offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def shares_rows(self) -> bool: ...

    def find_leaves(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The node that each row ends in."""

    def find_leaves_in_matrix(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The node that each row of a float matrix ends in."""

    def find_leaves_of_few(self, matrix: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))] | None:
        """As find_leaves_in_matrix, at once; None when a number is infinite."""

    def average(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """What each row gets, shared rows averaged; row after row."""
