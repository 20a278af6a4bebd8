"""The smallest call of each function of the compiled core that works."""

import numpy as np

from branchline import _core
from branchline._dtypes import (
    CATEGORY,
    CLASS_INDEX,
    NODE_INDEX,
    NODE_KIND,
    POOL_OFFSET,
    RANDOM_WORD,
    THRESHOLD,
    UNITS,
)

GRADIENT = np.dtype(np.float32)
# The same dtypes, by what the grower and the prunings call them.
FLOAT, FLAG, CODE, ROW, BYTE = THRESHOLD, np.dtype(np.bool_), CLASS_INDEX, CLASS_INDEX, NODE_KIND


def grown(criterion=_core.TreeCriterion.gini, n_threads=1):
    """Return how a tree is to be grown."""
    options = _core.GrowOptions()
    options.criterion, options.n_threads = criterion, n_threads
    return options


# A test x ≤ (code 1), a leaf on each side; two rows, one on each side.
SHAPE = {
    "first_child": np.array([1, -1, -1], NODE_INDEX),
    "n_children": np.array([2, 0, 0], NODE_INDEX),
}
TREE = {
    **SHAPE,
    "kind": np.array([1, 0, 0], NODE_KIND),
    "feature": np.array([0, -1, -1], NODE_INDEX),
    "missing_branch": np.array([0, -1, -1], NODE_INDEX),
    "pool_offset": np.zeros(3, POOL_OFFSET),
    "pool": np.zeros(0, NODE_INDEX),
    "weight": np.array([2, 1, 1], FLOAT),
}
CODED = {**TREE, "left_code": np.array([1, 0, 0], CODE)}
WALKER = {**TREE, "threshold": np.array([0.5, 0, 0], THRESHOLD)}
CODES = [np.array([1, 2], np.uint8)]
COLUMNS = {
    "codes": CODES,
    "n_codes": np.array([2], UNITS),
    "is_category": np.array([True]),
    "cost": np.ones(1, FLOAT),
    "fill_code": np.zeros(1, CODE),
}
TARGET = {
    "class_of_row": np.array([0, 1], CLASS_INDEX),
    "sums_of_row": None,
    "units": np.ones(2, UNITS),
    "class_factor": np.ones(2, FLOAT),
    "n_classes": 2,
    "n_outputs": 0,
}
NUMBERS = {**TARGET, "class_of_row": None, "sums_of_row": np.array([0, 1], UNITS)}
NUMBERS |= {"class_factor": None, "n_classes": 0, "n_outputs": 1}
NUMBERS |= {"values_of_row": np.array([0, 1], UNITS)}
NETWORK = {
    "levels": np.array([0, 1, 0, 1], np.uint16),
    "n_levels": np.array([2, 2], ROW),
    "weights": (np.ones(2, UNITS), 1.0),
    "rule": (False, 1.0),
    "limits": (np.array([0, 1, 1, 0], np.uint8), np.zeros(4, np.uint8), 1),
}
HELD_OUT = {"codes": CODES, "rows": np.arange(2, dtype=ROW), "weight": np.ones(2, FLOAT)}
CLASS_LOSS = {
    "class_of_row": np.array([0, 1], CLASS_INDEX),
    "decision": np.array([0, 0, 1], UNITS),
    "cost": np.array([0, 1, 1, 0], FLOAT),
    "n_classes": 2,
}
SQUARED_LOSS = {"target": np.zeros(2, FLOAT), "value": np.ones(3, FLOAT), "n_outputs": 1}
GROWN = {
    "columns": _core.GrowColumns(**COLUMNS),
    "rows": np.arange(2, dtype=ROW),
    "target": _core.GrowTarget(**TARGET),
    "options": grown(),
}
LOST = {
    "tree": _core.CodedTree(**CODED),
    "held_out": _core.HeldOutRows(**HELD_OUT),
    "loss": _core.ClassLoss(**CLASS_LOSS),
}
# The same tree as a forest of one, and what rows are drawn by.
FOREST = {
    "n_nodes": np.array([3], UNITS),
    "kind": np.array([1, 0, 0], NODE_KIND),
    "feature": np.zeros(1, NODE_INDEX),
    "threshold": np.array([0.5], THRESHOLD),
    "missing_left": np.ones(1, BYTE),
    "pool": np.zeros(0, BYTE),
    "n_codes": np.zeros(1, UNITS),
    "leaf_value": np.array([0.0, 1.0], FLOAT),
    "width": 1,
}
DRAWN = {
    "keys": np.arange(2, dtype=RANDOM_WORD),
    "copies": np.ones(2, UNITS),
    "first_copy": np.zeros(2, UNITS),
}
BAG = {**DRAWN, "kind": _core.BagKind.bootstrap, "rate": 1.0, "seed": 0}
PASSED = {
    "columns": [np.zeros(2)],
    "n_categories": np.array([-1], CATEGORY),
    "n_threads": 1,
}


# Losses and leaves of two rows, and a table of one column to boost on.
_NONE = np.zeros(0)
LOSS_NUMBERS = {"numbers": np.ones(2), "class_of_row": None}
LOSS_CLASSES = {"numbers": None, "class_of_row": np.array([0, 1], CLASS_INDEX)}
SCORED = {
    "loss": _core.LossRule(_core.LossKind.poisson, _NONE, 1),
    "target": _core.LossTarget(**LOSS_NUMBERS),
    "scores": np.zeros(2),
    "n_threads": 1,
}
SCORED_CLASSES = {
    **SCORED,
    "loss": _core.LossRule(_core.LossKind.logistic, _NONE, 1),
    "target": _core.LossTarget(**LOSS_CLASSES),
}
WRITTEN = {"gradients": np.zeros(2, GRADIENT), "hessians": np.zeros(2, GRADIENT)}
IN_LEAVES = {
    "values": np.zeros(2),
    "leaf_of_row": np.array([0, 1], CLASS_INDEX),
    "n_leaves": 2,
    "units": np.ones(2, UNITS),
    "n_threads": 1,
}
BOOSTED = {
    "columns": GROWN["columns"],
    "keys": np.arange(2, dtype=RANDOM_WORD),
    "block_rows": 16,
    "n_threads": 1,
}
BOOSTED_ROWS = {
    "target": np.ones(2),
    "class_of_row": None,
    "units": np.ones(2, UNITS),
    "bag": _core.Bag(**{**BAG, "kind": _core.BagKind.subsample, "rate": 0.5}),
    "validation": np.ones(2, UNITS),
    "linear": None,
}


def forest_options():
    """Return how a forest is to be grown."""
    options = _core.ForestOptions()
    options.tree = grown()
    return options


PRUNED = {**SHAPE, "cost_as_leaf": np.array([1, 0, 0], FLOAT), "extra_cost": np.zeros(3, FLOAT)}

# The smallest call of each function that works.
SCALES = _core.RowScales(*(np.ones(2, FLOAT) for _ in range(4)), 1e9)
CUT = _core.CutTerms(np.ones(2, FLOAT), np.zeros(2, BYTE), 1)
VALID = {
    "fit_codes": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "units": np.ones(2, UNITS),
        "max_bins": 0,
        "n_threads": 1,
    },
    "apply_codes": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "lowest": [np.zeros(1, THRESHOLD)],
        "highest": [np.zeros(1, THRESHOLD)],
        "cpu_level": 0,
        "n_threads": 1,
    },
    "philox": {"counter": np.zeros(4, RANDOM_WORD), "key": np.zeros(2, RANDOM_WORD)},
    "row_keys": {"columns": [], "target": np.zeros(2, RANDOM_WORD), "n_threads": 1},
    "fit_sparse_codes": {
        "values": np.ones(2),
        "rows": np.array([1, 0], NODE_INDEX),
        "starts": np.array([0, 1, 2], UNITS),
        "n_rows": 2,
        "n_threads": 1,
    },
    "column_keys": {
        "columns": CODES,
        "target": np.zeros(2, RANDOM_WORD),
        "copies": np.ones(2, UNITS),
        "n_threads": 1,
    },
    "GaussianCurves": {
        **{name: np.ones((2, 3), FLOAT) for name in ("mean", "deviation", "steepness", "constant")},
        "group_constant": np.ones((2, 1), FLOAT),
        "group_width": 64,
    },
    "RowScales": {
        **{name: np.ones(2, FLOAT) for name in ("power", "center", "spread", "fill")},
        "largest": 1e9,
    },
    "ColumnTerms": {
        **{name: np.arange(2, dtype=UNITS) for name in ("place", "number", "indicator")},
        "scales": SCALES,
    },
    "CutTerms": {"power": np.ones(2, FLOAT), "is_whole": np.zeros(2, BYTE), "n_slices": 1},
    "exact_products": {
        "left": CUT,
        "left_rows": np.ones((2, 3), FLOAT),
        "right": CUT,
        "right_rows": np.ones((2, 3), FLOAT),
    },
    "exact_squares": {
        "terms": CUT,
        "rows": np.ones((2, 3), FLOAT),
        "factor": np.ones(3, FLOAT),
    },
    "KernelCurves": {
        **{name: np.zeros(2, UNITS) for name in ("place", "exponent")},
        "n_points": np.full(2, 2, UNITS),
        **{name: np.ones(2, FLOAT) for name in ("low", "origin", "step")},
        "log_density": np.ones((4, 3), FLOAT),
    },
    "content_keys": {
        "columns": CODES,
        "ranks": [np.arange(3, dtype=RANDOM_WORD)],
        "targets": np.zeros((2, 1), RANDOM_WORD),
        "copies": np.ones(2, UNITS),
        "n_threads": 1,
    },
    "first_copies": {"keys": np.zeros(2, RANDOM_WORD), "copies": np.ones(2, UNITS)},
    "bootstrap_counts": {
        "keys": np.zeros(2, RANDOM_WORD),
        "copies": np.ones(2, UNITS),
        "first": np.zeros(2, UNITS),
        "seed": 0,
        "task": 0,
        "n_threads": 1,
    },
    "GrowTarget": TARGET,
    "GrowTarget of numbers": NUMBERS,
    "GrowColumns": COLUMNS,
    "GrowColumns.give_subsets": {"column": 0, "subsets": np.array([1, 0], BYTE)},
    "grow_tree": GROWN,
    "list_tests": GROWN,
    "CodedTree": CODED,
    "HeldOutRows": HELD_OUT,
    "ClassLoss": CLASS_LOSS,
    "NumberLoss": SQUARED_LOSS,
    "losses_along_path": {
        **LOST,
        "critical_beta": np.array([0.5, 0, 0], FLOAT),
        "betas": np.array([0.0, 1.0], FLOAT),
    },
    "sum_children": {
        **SHAPE,
        "content": np.ones(6, UNITS),
        "spread": np.zeros(0, FLOAT),
        "unit": 1.0,
        "bits": 0,
    },
    "weakest_link": PRUNED,
    "greedy_pruning": PRUNED,
    "TreeWalker": WALKER,
    "TreeWalker.find_leaves": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "n_threads": 1,
    },
    "TreeWalker.average": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "value": np.zeros(6, FLOAT),
        "n_threads": 1,
    },
    "ForestColumns": {
        "columns": GROWN["columns"],
        "lowest": [np.array([1.0, 2.0])],
        "highest": [np.array([1.0, 2.0])],
        "monotone": np.zeros(1, np.int8),
    },
    "Bag": BAG,
    "forest_thresholds": {
        "feature": np.zeros(1, CODE),
        "left_code": np.ones(1, CODE),
        "right_code": np.full(1, 2, CODE),
        "fraction": np.full(1, 128, BYTE),
        "lowest": [np.array([1.0, 2.0])],
        "highest": [np.array([1.0, 2.0])],
    },
    "TreesView": FOREST,
    "BagTargets": {
        "class_of_row": np.zeros(2, CLASS_INDEX),
        "sums_of_row": None,
        "units": np.ones(2, UNITS),
    },
    "BagTargets of numbers": {
        "class_of_row": None,
        "sums_of_row": np.zeros(2, UNITS),
        "units": np.ones(2, UNITS),
    },
    "ForestWalker.average": PASSED,
    "ForestWalker.sum": {**PASSED, "first_tree": 0, "n_trees": -1, "n_outputs": 1},
    "ForestWalker.find_leaves": PASSED,
    "ForestWalker.out_of_bag": {
        **PASSED,
        "bag": _core.Bag(**BAG),
        "first_tree": 0,
        "targets": _core.BagTargets(None, np.zeros(2, UNITS), np.ones(2, UNITS)),
    },
}
PLAN = {
    "constraints": _core.BoostingConstraints(None, None),
    "options": _core.BoostingOptions(),
    "run": _core.BoostingRun(),
}
KEPT = {
    "n_nodes": np.array([3], UNITS),
    "kind": np.array([1, 0, 0], NODE_KIND),
    "feature": np.zeros(1, CLASS_INDEX),
    "left_code": np.ones(1, CODE),
    "missing_left": np.ones(1, BYTE),
    "pool": np.zeros(0, BYTE),
}
ATTRIBUTED = {"trees": _core.TreesView(**FOREST), "leaf_cover": np.ones(2, FLOAT), "n_outputs": 1}
VALID |= {
    "TreeBooster": BOOSTED,
    "KeptTrees": KEPT,
    "TreeBooster.replay": {
        "trees": _core.KeptTrees(**KEPT),
        "values": np.array([0.0, 1.0], FLOAT),
        "scores": np.zeros(2),
        "n_threads": 1,
    },
    "TreeBooster.grow": {
        "gradients": np.array([1, -1], GRADIENT),
        "hessians": np.ones(2, GRADIENT),
        "units": np.ones(2, UNITS),
        "constraints": _core.BoostingConstraints(None, None),
        "options": _core.BoostingOptions(),
        "leaf_of_row": np.zeros(2, CLASS_INDEX),
    },
    "BoostingConstraints": {"monotone": np.zeros(1, np.int8), "groups": np.ones(1, BYTE)},
    "BoostingRows": BOOSTED_ROWS,
    "BoostingRows of classes": {
        **BOOSTED_ROWS,
        "target": None,
        "class_of_row": np.array([0, 1], CLASS_INDEX),
    },
    "boost_rounds": {
        "booster": _core.TreeBooster(**BOOSTED),
        "loss": SCORED["loss"],
        "rows": _core.BoostingRows(**BOOSTED_ROWS),
        "plan": _core.BoostingPlan(**PLAN),
        "scores": np.zeros(2),
    },
    "add_words": {"words": np.zeros(1, np.uint64), "sums": np.zeros(2, np.uint64)},
    "add_leaf_values": {
        "leaf_of_row": np.zeros(2, CLASS_INDEX),
        "n_leaves": np.ones(1, UNITS),
        "values": np.zeros(1),
        "scores": np.zeros(2),
        "n_threads": 1,
    },
    "LossRule": {"kind": _core.LossKind.huber, "parameters": np.ones(1), "n_outputs": 1},
    "LossTarget": LOSS_NUMBERS,
    "LossTarget of classes": LOSS_CLASSES,
    "loss_gradients": {**SCORED, **WRITTEN},
    "loss_gradients of classes": {**SCORED_CLASSES, **WRITTEN},
    "mean_loss": {**SCORED, "units": np.ones(2, UNITS)},
    "mean_loss of classes": {**SCORED_CLASSES, "units": np.ones(2, UNITS)},
    "predictions_of_scores": {
        "link": _core.ScoreLink.softmax,
        "scores": np.zeros(2),
        "n_outputs": 2,
        "n_threads": 1,
    },
    "leaf_quantiles": {**IN_LEAVES, "quantile": 0.5},
    "leaf_huber_values": {**IN_LEAVES, "delta": 1.0},
    "AttributedTrees": ATTRIBUTED,
    "attributions": {**PASSED, "trees": _core.AttributedTrees(**ATTRIBUTED)},
}
# Two rows at 0 and 1, of two classes.
RBF = _core.KernelForm(2, 1.0, 0.0, 1)
SVM = {
    "row": np.array([0, 1], ROW),
    "linear": np.array([1.0, -1.0]),
    "lower": np.array([0.0, -1.0]),
    "upper": np.array([1.0, 0.0]),
    "ridge": np.zeros(2),
    "group": np.array([0, 0], BYTE),
    "start": np.zeros(2),
}
SVM_PATH = {
    "rows": np.array([0, 1], ROW),
    "labels": np.array([1.0, -1.0]),
    "costs": np.ones(2),
    "held_out": np.array([0], ROW),
}
SVM_BOUNDS = {"lower": np.zeros(1), "upper": np.zeros(1), "ridge": np.zeros(1)}
SVM_OPTIONS = _core.SvmOptions(1e-3, True, -1, -1.0, 0, 1)
TEXTS = {"symbols": np.array([1, 2], CLASS_INDEX), "offsets": np.array([0, 2], UNITS)}
TEXT_FORM = _core.StringForm(0, 1, 1.0, 0)


def matrices(dtype):
    """Return the smallest calls of what works on matrices of one dtype."""
    name = "single" if dtype == GRADIENT else "double"
    two = {"a": np.zeros((2, 1), dtype), "b": np.zeros((2, 1), dtype)}
    gram = np.eye(2, dtype=dtype)
    problem, path = _core.SvmProblem(**SVM), _core.SvmPath(**SVM_PATH)
    return {
        f"kernel_matrix_{name}": {"form": RBF, **two, "n_threads": 1},
        f"kernel_sums_{name}": {
            "form": RBF, **two, "coefficients": np.zeros((2, 1)), "n_threads": 1,
        },
        f"squared_distances_{name}": {**two, "n_threads": 1},
        f"rbf_of_distances_{name}": {"distances": gram, "gamma": 1.0, "n_threads": 1},
        f"solve_svm_points_{name}": {
            "form": RBF, "matrix": two["a"], "problems": [problem], "options": SVM_OPTIONS,
        },
        f"solve_svm_gram_{name}": {"gram": gram, "problems": [problem], "options": SVM_OPTIONS},
        f"svm_paths_{name}": {
            "grams": gram[None], "problems": [path], "strengths": np.ones(1),
            "options": SVM_OPTIONS,
        },
        f"svm_leave_one_out_{name}": {
            "gram": gram,
            "problem": problem,
            "variables": np.array([0], ROW),
            "bounds": _core.SvmBounds(**SVM_BOUNDS),
            "options": SVM_OPTIONS,
        },
    }  # fmt: skip


VALID |= matrices(GRADIENT) | matrices(FLOAT)
# Two sequences of two tokens and one, with one feature each, of two labels.
# Two classes, one column of numbers: a tree that has learned nothing.
STREAM = {
    "rules": (2, 200.0, 1e-7, 0.2, False, False, 2, 64, 200, 2.0**26, 0.0, 0.0, 0),
    "ensemble": (0, 1, 1.0, 0.01, 0.001, 1),
    "is_category": np.zeros(1, BYTE),
    "column_keys": np.ones(1, RANDOM_WORD),
}
TOKENS = {
    "starts": np.array([0, 2, 3], UNITS),
    "features": np.array([0, 1, 1], CLASS_INDEX),
    "n_features": 2,
}
LABELS = {
    "n_labels": 2,
    "allowed": np.ones(9, np.uint8),
    "labels": np.array([0, 1, 1], CLASS_INDEX),
    "weights": np.ones(2),
}
# Two rows of two classes: one machine.
SVM_PAIRS = {
    "ends": np.array([1, 2], CLASS_INDEX),
    "rank": np.array([0, 1], CLASS_INDEX),
    **{name: np.ones(2) for name in ("costs", "weights", "copies")},
}
SVM_PAIR_MODEL = {
    "ends": np.array([1, 2], CLASS_INDEX),
    "coefficients": np.ones((1, 2)),
    "bias": np.zeros(1),
}
PAIR_MODEL = _core.SvmPairModel(**SVM_PAIR_MODEL)
# The nearest point of one query: first, point, distance, tie_first, tie_end.
NEAREST = _core.neighbors_of_one(np.zeros((1, 1)), np.zeros((2, 1)), 1, 1e-9, False)
VALID |= {
    "SvmPairRows": SVM_PAIRS,
    "SvmPairModel": SVM_PAIR_MODEL,
    "solve_svm_pairs_of_points": {
        "form": RBF,
        "matrix": np.zeros((2, 1)),
        "pairs": _core.SvmPairRows(**SVM_PAIRS),
        "options": SVM_OPTIONS,
    },
    "solve_svm_pairs_of_gram": {
        "gram": np.eye(2),
        "pairs": _core.SvmPairRows(**SVM_PAIRS),
        "options": SVM_OPTIONS,
    },
    "svm_pair_scores": {"model": PAIR_MODEL, "kernel": np.ones((1, 2)), "n_threads": 1},
    "svm_class_scores_of_kernel": {"model": PAIR_MODEL, "kernel": np.ones((1, 2)), "n_threads": 1},
    "svm_class_scores": {"scores": np.ones((1, 1)), "n_classes": 2},
    "distances_of_pairs": {
        "queries": np.zeros((1, 1)),
        "points": np.zeros((2, 1)),
        **{name: np.zeros(1, UNITS) for name in ("query", "point")},
        "is_manhattan": False,
    },
    "neighbors_of_one": {
        "query": np.zeros((1, 1)),
        "points": np.zeros((2, 1)),
        "k": 1,
        "tie": 1e-9,
        "is_manhattan": False,
    },
    "neighbor_votes": {
        "nearest": NEAREST,
        "k": 1,
        "by_distance": False,
        "class_of_point": np.zeros(2, CLASS_INDEX),
        "n_classes": 2,
    },
    "neighbor_means": {
        "nearest": NEAREST,
        "k": 1,
        "by_distance": False,
        "value_of_point": np.zeros(2),
    },
    "SvmProblem": SVM,
    "SvmBounds": SVM_BOUNDS,
    "SvmPath": SVM_PATH,
    "string_gram": {
        "form": TEXT_FORM,
        **TEXTS,
        "other_symbols": TEXTS["symbols"],
        "other_offsets": TEXTS["offsets"],
        "n_threads": 1,
    },
    "string_diagonal": {"form": TEXT_FORM, **TEXTS, "n_threads": 1},
    "LinearMatrix": {
        "n_rows": 2,
        "n_columns": 1,
        "values": np.zeros(2),
        "starts": np.array([0, 1, 2], UNITS),
        "columns": np.zeros(2, NODE_INDEX),
    },
    "fit_sigmoid": {
        "scores": np.array([-1.0, 2.0, -0.5]),
        "is_positive": np.array([0, 1, 1], dtype=np.uint8),
        "weights": np.ones(3),
    },
    "fit_linear_svm": {
        "matrix": _core.LinearMatrix(2, 1, np.array([0.0, 1.0]), None, None),
        "lower": np.array([-np.inf, 1.0]),
        "upper": np.array([-1.0, np.inf]),
        "penalty": np.ones(2),
        "options": _core.LinearOptions(True, True, 0, 1e-4, 100, 0),
        "n_threads": 1,
    },
}
LINEAR_TABLE = {
    "codes": np.array([1, 2], np.uint16),
    "n_codes": np.array([2], CODE),
    "is_category": np.zeros(1, np.uint8),
    "own_term": np.zeros(1, NODE_INDEX),
    "matrix": np.array([0.0, 1.0]),
    "target": np.array([0.0, 1.0]),
    "weight": np.ones(2),
}
ROWS_OF_SETS = (np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.ones(2))
VALID |= {
    "linear_set_errors": {
        "learn": ROWS_OF_SETS,
        "test": ROWS_OF_SETS,
        "first": np.array([0, 1], UNITS),
        "terms": np.zeros(1, UNITS),
        "strength": 1.0,
        "n_threads": 1,
    },
    "row_distances": {
        "form": _core.DistanceForm(0, 1, 0.0),
        "a": np.zeros((2, 1)),
        "b": np.zeros((1, 1)),
        "n_threads": 1,
    },
    "condensed_distances": {
        "form": _core.DistanceForm(0, 1, 0.0),
        "a": np.zeros((2, 1)),
        "n_threads": 1,
    },
    "nearest_points": {
        "form": _core.DistanceForm(0, 1, 0.0),
        "rows": np.zeros((2, 1)),
        "points": np.zeros((1, 1)),
        "n_threads": 1,
    },
    "nearest_rows": {
        "form": _core.DistanceForm(0, 1, 0.0),
        "rows": np.zeros((2, 1)),
        "points": np.zeros((1, 1)),
        "k": 1,
        "n_threads": 1,
    },
    "NearPoints": {"points": np.zeros((3, 2), np.float32)},
    "NearPoints.candidates": {
        "queries": np.zeros((2, 2), np.float32),
        "errors": np.zeros(2),
        "k": 1,
        "n_threads": 1,
    },
    "term_bit_sums": {"numbers": np.zeros((2, 3)), "words": np.zeros(2, np.uint64)},
    "term_word_sums": {"numbers": np.zeros((2, 3)), "words": np.zeros(2, np.uint64)},
    "term_row_sums": {"numbers": np.zeros((2, 3)), "words": np.zeros(3, np.uint64)},
    "Adwin.update": {"values": np.zeros(2)},
    "PageHinkley.update": {"values": np.zeros(2)},
    "Ddm.update": {"values": np.zeros(2)},
    "StreamModel": STREAM,
    "StreamModel.learn": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "class_of_row": np.array([0, 1], CLASS_INDEX),
        "wants_predictions": False,
    },
    "StreamModel.predict": {
        "columns": [np.zeros(2)],
        "n_categories": np.array([-1], CATEGORY),
        "n_threads": 1,
    },
    "StreamModel.restore": dict(
        zip(("reals", "wholes"), _core.StreamModel(**STREAM).state(), strict=True)
    ),
    "look_at_distances": {"distances": np.zeros((2, 2))},
    "train_map": {
        "values": np.zeros((2, 1)),
        "weights": np.ones(2),
        "apart": np.zeros((1, 1)),
        "codes": np.zeros((1, 1)),
        "training": (1, 0.5, 0.1, 1.0, 0.5, 0),
    },
    "join_clusters": {"linkage": 0, "distances": np.zeros((2, 2)), "sizes": np.ones(2)},
    "divide_clusters": {"distances": np.zeros((2, 2)), "sizes": np.ones(2)},
    "find_medoids": {
        "distances": np.zeros((2, 2)),
        "weights": np.ones(2),
        "k": 1,
        "start": np.zeros(1, ROW),
    },
    "relief_scores": {
        "values": np.zeros((2, 1), np.uint16),
        "kinds": (np.array([1, 0, 0, 0], UNITS), np.zeros(1, np.uint16)),
        "target": memoryview(np.array([0, 1], CLASS_INDEX)),
        "units": np.ones(2, UNITS),
        "looking": (np.array([0, 1], ROW), 1),
        "n_threads": 1,
    },
    "frequent_item_sets": {
        "starts": np.array([0, 2, 3], UNITS),
        "items": np.array([0, 1, 1], ROW),
        "units": np.ones(2, UNITS),
        "n_items": 2,
        "limits": (1, 2, 10),
        "n_threads": 1,
    },
    "TokenSequences": TOKENS,
    "LabelRules": LABELS,
    "train_sequences": {
        "sequences": _core.TokenSequences(**TOKENS),
        "rules": _core.LabelRules(**LABELS),
        "options": (0.1, 1e-3, 10, 0),
    },
    "decode_sequences": {
        "sequences": _core.TokenSequences(**TOKENS),
        "rules": _core.LabelRules(**LABELS),
        "features": np.zeros(4),
        "transitions": np.zeros(9),
        "n_threads": 1,
    },
    "exact_network": NETWORK,
    "climb_network": {**NETWORK, "search": (np.zeros(4, np.uint8), 1, 0)},
    "family_score": {
        **{name: NETWORK[name] for name in ("levels", "n_levels", "weights", "rule")},
        "child": 0,
        "parents": np.ones(1, ROW),
    },
    "pair_gains": {
        **{name: NETWORK[name] for name in ("levels", "n_levels", "weights")},
        "given": -1,
    },
    "LinearTable": LINEAR_TABLE,
    "find_linear_test": {
        "table": _core.LinearTable(**LINEAR_TABLE),
        "rows": np.array([0, 1], ROW),
        "terms": np.zeros(1, NODE_INDEX),
        "options": _core.LinearTestOptions(0.01, 1.0, 1.0, 1),
    },
    "NodeNumbers": {
        "values": [np.array([0.0, 1.0])],
        "places": np.zeros(1, UNITS),
        "middle": np.zeros(1),
        "range": np.ones(1),
    },
    "OptimalTests": {
        "bits": np.ones(1, RANDOM_WORD),
        "first_test": np.array([0, 1], CODE),
        "is_exclusive": np.zeros(1, np.uint8),
    },
    "OptimalTarget": {
        "class_of_row": np.array([0, 1], CLASS_INDEX),
        "units": np.ones(2),
        "numbers": None,
        "costs": np.array([0.0, 1.0, 1.0, 0.0]),
        "n_classes": 2,
        "square_scale": 1.0,
    },
    "OptimalTarget of numbers": {
        "class_of_row": None,
        "units": np.ones(2),
        "numbers": np.array([0.0, 0.0, 1.0, 1.0]),
        "costs": None,
        "n_classes": 0,
        "square_scale": 1.0,
    },
}
# Two leaves, the first of which has a term; three rows.
TERMS = {
    "first": np.array([0, 1, 1], UNITS),
    "column": np.zeros(1, CLASS_INDEX),
    **{name: np.zeros(1, GRADIENT) for name in ("slope", "center", "low", "high")},
}
SCALED = {"terms": _core.LinearTerms(**TERMS), "middle": np.zeros(1), "half": np.ones(1)}
VALID |= {
    "ScaledTerms": SCALED,
    "LinearColumns": {"z": np.zeros(2, GRADIENT), "place": np.zeros(1, CATEGORY)},
    "LinearTerms": TERMS,
    "add_linear_trees": {
        "terms": _core.LinearTerms(**TERMS),
        "value": np.zeros(2),
        "leaf_of_row": np.array([0, 1, 0], NODE_INDEX),
        "z": np.zeros(3, GRADIENT),
        "scores": np.zeros((1, 3)),
        "n_threads": 1,
    },
    "attribute_terms": {
        **PASSED,
        "trees": _core.AttributedTrees(**ATTRIBUTED),
        "terms": _core.ScaledTerms(**SCALED),
        "of_row": np.zeros(4),
    },
    "fit_kmeans": {
        "values": np.array([[0.0], [1.0]]),
        "weights": np.ones(2),
        "sizes": (1, 1, 10, 0.0),
        "start": True,
        "seed": 0,
        "n_threads": 1,
    },
    "nearest_centers": {"values": np.zeros((2, 1)), "centers": np.zeros((1, 1)), "n_threads": 1},
    "center_distances": {"values": np.zeros((2, 1)), "centers": np.zeros((1, 1)), "n_threads": 1},
    "distance_sums": {
        "values": np.zeros((2, 1)),
        "weights": np.ones(2),
        "starts": np.array([0, 1, 2], UNITS),
        "n_threads": 1,
    },
}
OBJECTS = {
    "TreeBooster": lambda: _core.TreeBooster(**BOOSTED),
    "GrowColumns": lambda: _core.GrowColumns(**COLUMNS),
    "TreeWalker": lambda: _core.TreeWalker(**WALKER),
    "ForestWalker": lambda: _core.ForestWalker(_core.TreesView(**FOREST)),
    "StreamModel": lambda: _core.StreamModel(**STREAM),
    "NearPoints": lambda: _core.NearPoints(np.zeros((3, 2), np.float32)),
    "Adwin": lambda: _core.Adwin(0.002),
    "PageHinkley": lambda: _core.PageHinkley(0.005, 50.0, 30),
    "Ddm": lambda: _core.Ddm(2.0, 3.0, 30),
}


def callable_of(name):
    """Return the function, class or bound method of that name."""
    owner, _, method = name.split(" of ")[0].partition(".")
    return getattr(OBJECTS[owner](), method) if method else getattr(_core, owner)
