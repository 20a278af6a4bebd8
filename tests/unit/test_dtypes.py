"""The dtypes that cross the border are the ones that ``_dtypes`` states: no more, no others."""

import ast
from pathlib import Path

import numpy as np
import pytest

import branchline
from branchline import _core, _dtypes
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
from core_calls import (
    BYTE,
    CODE,
    COLUMNS,
    FLAG,
    FLOAT,
    GRADIENT,
    GROWN,
    HELD_OUT,
    LOST,
    PRUNED,
    ROW,
    VALID,
    WALKER,
    callable_of,
)

DIRECTION = np.dtype(np.int8)
PRUNING = {
    "first_child": NODE_INDEX,
    "n_children": NODE_INDEX,
    "cost_as_leaf": FLOAT,
    "extra_cost": FLOAT,
}
NODES = {
    "kind": NODE_KIND,
    "feature": NODE_INDEX,
    "first_child": NODE_INDEX,
    "n_children": NODE_INDEX,
    "missing_branch": NODE_INDEX,
    "pool_offset": POOL_OFFSET,
    "pool": NODE_INDEX,
    "weight": FLOAT,
}

# Branches of categories may be bytes, too.
ALSO_TAKEN = {
    ("CodedTree", "pool"): (np.dtype(np.int8),),
    ("TreeWalker", "pool"): (np.dtype(np.int8),),
}

LEVEL = np.dtype(np.uint16)
NETWORK = {"levels": LEVEL, "n_levels": CLASS_INDEX}

# Every array argument of the compiled core, by function. None: float32 or float64, as it comes.
ARGUMENTS = {
    "fit_codes": {"n_categories": CATEGORY, "units": UNITS},
    "apply_codes": {"n_categories": CATEGORY},
    "philox": {"counter": RANDOM_WORD, "key": RANDOM_WORD},
    "row_keys": {"target": RANDOM_WORD},
    "fit_sparse_codes": {"values": FLOAT, "rows": NODE_INDEX, "starts": UNITS},
    "content_keys": {"targets": RANDOM_WORD, "copies": UNITS},
    "column_keys": {"target": RANDOM_WORD, "copies": UNITS},
    "class_moments": {"matrix": None, "class_of_row": CLASS_INDEX, "units": UNITS},
    "GaussianCurves.__init__": dict.fromkeys(
        ("mean", "deviation", "steepness", "constant", "group_constant"), FLOAT
    ),
    "add_gaussian_scores": {"matrix": None, "scores": FLOAT},
    "KernelCurves.__init__": {
        **dict.fromkeys(("place", "n_points", "exponent"), UNITS),
        **dict.fromkeys(("low", "origin", "step", "log_density"), FLOAT),
    },
    "RowScales.__init__": dict.fromkeys(("power", "center", "spread", "fill"), FLOAT),
    "RowScales.scale": {"matrix": FLOAT},
    "ColumnTerms.__init__": dict.fromkeys(("place", "number", "indicator"), UNITS),
    "ColumnTerms.write": {"matrix": None, "out": FLOAT},
    "ColumnTerms.scores": {"matrix": None, "weights": FLOAT, "bias": FLOAT},
    "column_facts": {"matrix": None},
    "CutTerms.__init__": {"power": FLOAT, "is_whole": BYTE},
    "exact_products": {"left_rows": FLOAT, "right_rows": FLOAT},
    "exact_squares": {"rows": FLOAT, "factor": FLOAT},
    "add_kernel_scores": {"matrix": None, "scores": FLOAT},
    "matrix_keys": {"matrix": None, "targets": RANDOM_WORD, "copies": UNITS},
    "first_copies": {"keys": RANDOM_WORD, "copies": UNITS},
    "bootstrap_counts": {"keys": RANDOM_WORD, "copies": UNITS, "first": UNITS},
    "GrowTarget.__init__": {
        "class_of_row": CLASS_INDEX,
        "sums_of_row": UNITS,
        "units": UNITS,
        "class_factor": FLOAT,
        "values_of_row": UNITS,
    },
    "GrowColumns.__init__": {
        "n_codes": UNITS,
        "is_category": FLAG,
        "cost": FLOAT,
        "fill_code": CODE,
    },
    "GrowColumns.give_subsets": {"subsets": BYTE},
    "grow_tree": {"rows": ROW},
    "list_tests": {"rows": ROW},
    "CodedTree.__init__": {**NODES, "left_code": CODE},
    "HeldOutRows.__init__": {"rows": ROW, "weight": FLOAT},
    "ClassLoss.__init__": {"class_of_row": CLASS_INDEX, "decision": UNITS, "cost": FLOAT},
    "NumberLoss.__init__": {"target": FLOAT, "value": FLOAT},
    "losses_along_path": {"critical_beta": FLOAT, "betas": FLOAT},
    "sum_children": {
        "first_child": NODE_INDEX,
        "n_children": NODE_INDEX,
        "content": UNITS,
        "spread": FLOAT,
    },
    "weakest_link": PRUNING,
    "greedy_pruning": PRUNING,
    "TreeWalker.__init__": {**NODES, "threshold": THRESHOLD},
    "TreeWalker.find_leaves": {"n_categories": CATEGORY},
    "TreeWalker.find_leaves_in_matrix": {"matrix": None},
    "TreeWalker.find_leaves_of_few": {"matrix": None},
    "TreeWalker.average": {"n_categories": CATEGORY, "value": FLOAT},
    "ForestColumns.__init__": {"monotone": DIRECTION},
    "BagTargets.__init__": {"class_of_row": CLASS_INDEX, "sums_of_row": UNITS, "units": UNITS},
    "Bag.__init__": {"keys": RANDOM_WORD, "copies": UNITS, "first_copy": UNITS},
    "forest_thresholds": {
        "feature": CODE,
        "left_code": CODE,
        "right_code": CODE,
        "fraction": BYTE,
    },
    "TreesView.__init__": {
        "n_nodes": UNITS,
        "kind": BYTE,
        "feature": NODE_INDEX,
        "threshold": THRESHOLD,
        "missing_left": BYTE,
        "pool": BYTE,
        "n_codes": UNITS,
        "leaf_value": FLOAT,
    },
    "ForestWalker.average": {"n_categories": CATEGORY},
    "ForestWalker.average_of_few": {"matrix": None},
    "ForestWalker.sum": {"n_categories": CATEGORY},
    "ForestWalker.sum_of_few": {"matrix": None},
    "TreeBooster.__init__": {"keys": RANDOM_WORD},
    "TreeBooster.replay": {"values": FLOAT, "scores": FLOAT},
    "KeptTrees.__init__": {
        "n_nodes": UNITS,
        "kind": BYTE,
        "feature": CLASS_INDEX,
        "left_code": CODE,
        "missing_left": BYTE,
        "pool": BYTE,
    },
    "TreeBooster.grow": {
        "gradients": GRADIENT,
        "hessians": GRADIENT,
        "units": UNITS,
        "leaf_of_row": CLASS_INDEX,
    },
    "BoostingConstraints.__init__": {"monotone": DIRECTION, "groups": BYTE},
    "BoostingRows.__init__": {
        "target": FLOAT,
        "class_of_row": CLASS_INDEX,
        "units": UNITS,
        "validation": UNITS,
    },
    "boost_rounds": {"scores": FLOAT},
    "LinearColumns.__init__": {"z": GRADIENT, "place": CATEGORY},
    "LinearTerms.__init__": {
        "first": UNITS,
        "column": CLASS_INDEX,
        **dict.fromkeys(("slope", "center", "low", "high"), GRADIENT),
    },
    "add_linear_trees": {
        "value": FLOAT,
        "leaf_of_row": NODE_INDEX,
        "z": GRADIENT,
        "scores": FLOAT,
    },
    "ScaledTerms.__init__": {"middle": FLOAT, "half": FLOAT},
    "attribute_terms": {"of_row": FLOAT, "n_categories": CATEGORY},
    "fit_kmeans": {"values": FLOAT, "weights": FLOAT},
    "nearest_centers": {"values": FLOAT, "centers": FLOAT},
    "center_distances": {"values": FLOAT, "centers": FLOAT},
    "distance_sums": {"values": FLOAT, "weights": FLOAT, "starts": UNITS},
    "row_distances": {"a": FLOAT, "b": FLOAT},
    "condensed_distances": {"a": FLOAT},
    "nearest_points": {"rows": FLOAT, "points": FLOAT},
    "join_clusters": {"distances": FLOAT, "sizes": FLOAT},
    "divide_clusters": {"distances": FLOAT, "sizes": FLOAT},
    "find_medoids": {"distances": FLOAT, "weights": FLOAT, "start": ROW},
    "look_at_distances": {"distances": FLOAT},
    "train_map": {"values": FLOAT, "weights": FLOAT, "apart": FLOAT, "codes": FLOAT},
    "add_words": {"words": RANDOM_WORD, "sums": RANDOM_WORD},
    "add_leaf_values": {
        "leaf_of_row": CLASS_INDEX,
        "n_leaves": UNITS,
        "values": FLOAT,
        "scores": FLOAT,
    },
    "LossRule.__init__": {"parameters": FLOAT},
    "LossTarget.__init__": {"numbers": FLOAT, "class_of_row": CLASS_INDEX},
    "loss_gradients": {"scores": FLOAT, "gradients": GRADIENT, "hessians": GRADIENT},
    "mean_loss": {"units": UNITS, "scores": FLOAT},
    "predictions_of_scores": {"scores": FLOAT},
    "leaf_quantiles": {"values": FLOAT, "leaf_of_row": CLASS_INDEX, "units": UNITS},
    "leaf_huber_values": {"values": FLOAT, "leaf_of_row": CLASS_INDEX, "units": UNITS},
    "AttributedTrees.__init__": {"leaf_cover": FLOAT},
    "attributions": {"n_categories": CATEGORY},
    "ForestWalker.find_leaves": {"n_categories": CATEGORY},
    "ForestWalker.out_of_bag": {"n_categories": CATEGORY},
}


def matrix_arguments(name, dtype):
    """Return the array arguments of what works on matrices of one dtype."""
    two = {"a": dtype, "b": dtype}
    return {
        f"kernel_matrix_{name}": two,
        f"kernel_sums_{name}": {**two, "coefficients": FLOAT},
        f"squared_distances_{name}": two,
        f"rbf_of_distances_{name}": {"distances": dtype},
        f"solve_svm_points_{name}": {"matrix": dtype},
        f"solve_svm_gram_{name}": {"gram": dtype},
        f"svm_paths_{name}": {"grams": dtype, "strengths": FLOAT},
        f"svm_leave_one_out_{name}": {"gram": dtype, "variables": ROW},
    }


ARGUMENTS |= matrix_arguments("single", GRADIENT) | matrix_arguments("double", FLOAT)
ARGUMENTS |= {
    "SvmProblem.__init__": {
        "row": ROW,
        "linear": FLOAT,
        "lower": FLOAT,
        "upper": FLOAT,
        "ridge": FLOAT,
        "group": BYTE,
        "start": FLOAT,
    },
    "SvmPairRows.__init__": {
        **dict.fromkeys(("ends", "rank"), CLASS_INDEX),
        **dict.fromkeys(("costs", "weights", "copies"), FLOAT),
    },
    "SvmPairModel.__init__": {"ends": CLASS_INDEX, "coefficients": FLOAT, "bias": FLOAT},
    "solve_svm_pairs_of_points": {"matrix": FLOAT},
    "solve_svm_pairs_of_gram": {"gram": FLOAT},
    "svm_pair_scores": {"kernel": FLOAT},
    "svm_class_scores_of_kernel": {"kernel": FLOAT},
    "svm_class_scores": {"scores": FLOAT},
    "SvmBounds.__init__": {"lower": FLOAT, "upper": FLOAT, "ridge": FLOAT},
    "SvmPath.__init__": {"rows": ROW, "labels": FLOAT, "costs": FLOAT, "held_out": ROW},
    "string_gram": {
        "symbols": CLASS_INDEX,
        "offsets": UNITS,
        "other_symbols": CLASS_INDEX,
        "other_offsets": UNITS,
    },
    "string_diagonal": {"symbols": CLASS_INDEX, "offsets": UNITS},
    "LinearMatrix.__init__": {"values": FLOAT, "starts": UNITS, "columns": NODE_INDEX},
    "fit_sigmoid": {"scores": FLOAT, "is_positive": np.dtype(np.uint8), "weights": FLOAT},
    "fit_linear_svm": {"lower": FLOAT, "upper": FLOAT, "penalty": FLOAT},
    "frequent_item_sets": {"starts": UNITS, "items": ROW, "units": UNITS},
    "TokenSequences.__init__": {"starts": UNITS, "features": CLASS_INDEX},
    "LabelRules.__init__": {"allowed": BYTE, "labels": CLASS_INDEX, "weights": FLOAT},
    "decode_sequences": {"features": FLOAT, "transitions": FLOAT},
    "nearest_rows": {"rows": FLOAT, "points": FLOAT},
    "distances_of_pairs": {"queries": FLOAT, "points": FLOAT, "query": UNITS, "point": UNITS},
    "neighbors_of_one": {"query": FLOAT, "points": FLOAT},
    "neighbor_votes": {"class_of_point": CLASS_INDEX},
    "neighbor_means": {"value_of_point": FLOAT},
    "NearPoints.__init__": {"points": GRADIENT},
    "NearPoints.candidates": {"queries": GRADIENT, "errors": FLOAT},
    "term_bit_sums": {"numbers": FLOAT, "words": RANDOM_WORD},
    "term_word_sums": {"numbers": FLOAT, "words": RANDOM_WORD},
    "term_row_sums": {"numbers": FLOAT, "words": RANDOM_WORD},
    "Adwin.update": {"values": FLOAT},
    "PageHinkley.update": {"values": FLOAT},
    "Ddm.update": {"values": FLOAT},
    "StreamModel.__init__": {"is_category": BYTE, "column_keys": RANDOM_WORD},
    "StreamModel.learn": {"n_categories": CATEGORY, "class_of_row": CLASS_INDEX},
    "StreamModel.predict": {"n_categories": CATEGORY},
    "StreamModel.restore": {"reals": FLOAT, "wholes": UNITS},
    "exact_network": NETWORK,
    "climb_network": NETWORK,
    "family_score": {"levels": LEVEL, "n_levels": CLASS_INDEX, "parents": CLASS_INDEX},
    "pair_gains": {"levels": LEVEL, "n_levels": CLASS_INDEX},
    "fold_columns": {"matrix": None, "fold_of_row": NODE_INDEX, "responses": FLOAT},
    "linear_set_errors": {"first": UNITS, "terms": UNITS},
    "relief_scores": {"values": np.dtype(np.uint16), "units": UNITS},
    "LinearTable.__init__": {
        "codes": np.dtype(np.uint16),
        "n_codes": CLASS_INDEX,
        "is_category": np.dtype(np.uint8),
        "own_term": NODE_INDEX,
        "matrix": FLOAT,
        "target": FLOAT,
        "weight": FLOAT,
    },
    "find_linear_test": {"rows": ROW, "terms": NODE_INDEX},
    "NodeNumbers.__init__": {"places": UNITS, "middle": FLOAT, "range": FLOAT},
    "OptimalTests.__init__": {
        "bits": RANDOM_WORD,
        "first_test": CLASS_INDEX,
        "is_exclusive": np.dtype(np.uint8),
    },
    "OptimalTarget.__init__": {
        "class_of_row": CLASS_INDEX,
        "units": FLOAT,
        "numbers": FLOAT,
        "costs": FLOAT,
    },
}


def stub_arguments():
    """Return the array arguments that the stub shows, as {function: {argument: dtypes}}."""
    stub = Path(branchline.__file__).with_name("_core.pyi")
    found = {}
    for outer in ast.parse(stub.read_text(encoding="utf-8")).body:
        inside = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for function in inside:
            if not isinstance(function, ast.FunctionDef):
                continue
            arrays = {
                argument.arg: array_dtypes(ast.unparse(argument.annotation))
                for argument in (*function.args.args, *function.args.kwonlyargs)
                if argument.annotation and _is_array(ast.unparse(argument.annotation))
            }
            if arrays:
                found[prefix + function.name] = arrays
    return found


def _is_array(annotation):
    return "NDArray" in annotation and not annotation.startswith("tuple")  # pairs of arrays


def array_dtypes(annotation):
    names = [part.split("]")[0] for part in annotation.split("NDArray[numpy.")[1:]]
    return {np.dtype(getattr(np, name)) for name in names} or {None}


def test_the_stub_shows_the_stated_dtypes_and_no_other_arrays():
    shown = stub_arguments()
    for function, arguments in ARGUMENTS.items():
        owner = function.removesuffix(".__init__")
        taken = {
            name: {dtype, *ALSO_TAKEN.get((owner, name), ())} for name, dtype in arguments.items()
        }
        assert shown[function] == taken, function
    assert set(shown) == set(ARGUMENTS)


def test_every_stated_dtype_crosses_somewhere():
    crossing = {dtype for arguments in ARGUMENTS.values() for dtype in arguments.values()}
    assert {getattr(_dtypes, name) for name in _dtypes.__all__} <= crossing


OTHERS = [
    np.dtype(kind) for kind in ("?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "O")
]


def test_every_function_that_takes_arrays_is_called():
    called = {name.split(" of ")[0] for name in VALID} - {"train_sequences"}  # takes objects
    taking = {name.removesuffix(".__init__") for name in ARGUMENTS}
    of_matrices = {
        "TreeWalker.find_leaves_in_matrix",
        "matrix_keys",
        "fold_columns",
        "class_moments",
        "add_gaussian_scores",
        "add_kernel_scores",
        "RowScales.scale",
        "ColumnTerms.write",
        "ColumnTerms.scores",
        "column_facts",
        "TreeWalker.find_leaves_of_few",
        "ForestWalker.average_of_few",
        "ForestWalker.sum_of_few",
    }
    assert called == taking - of_matrices


@pytest.mark.parametrize("function", VALID)
def test_the_core_takes_the_stated_dtypes_and_converts_no_others(function):
    call, valid = callable_of(function), VALID[function]
    call(**valid)
    arrays = {name: value for name, value in valid.items() if isinstance(value, np.ndarray)}
    name = function.split(" of ")[0]
    stated = ARGUMENTS.get(name) or ARGUMENTS.get(f"{name}.__init__", {})
    assert {name: value.dtype for name, value in arrays.items()}.items() <= stated.items()
    for name, value in arrays.items():
        taken = {value.dtype, *ALSO_TAKEN.get((function, name), ())}
        for dtype in {*OTHERS, value.dtype.newbyteorder()} - taken:
            with np.errstate(invalid="ignore"):  # bounds may be infinite
                other = value.astype(dtype)
            with pytest.raises(TypeError):
                call(**{**valid, name: other})


@pytest.mark.parametrize(("function", "name"), ALSO_TAKEN)
def test_some_arguments_may_have_another_dtype(function, name):
    call, valid = callable_of(function), VALID[function]
    for dtype in ALSO_TAKEN[function, name]:
        call(**{**valid, name: valid[name].astype(dtype)})


def test_every_argument_is_tried():
    for function, arguments in ARGUMENTS.items():
        name = function.removesuffix(".__init__")
        tried = {
            argument
            for call, values in VALID.items()
            if call.split(" of ")[0] == name
            for argument, value in values.items()
            if isinstance(value, np.ndarray)
        }
        assert tried == set(arguments) or "matrix" in arguments, function


@pytest.mark.parametrize("function", VALID)
def test_arrays_have_their_dimensions_and_no_steps(function):
    call, valid = callable_of(function), VALID[function]
    arrays = {name: value for name, value in valid.items() if isinstance(value, np.ndarray)}
    for name, value in arrays.items():
        others = [value[None], value[:, None], np.array(0, value.dtype)]
        for odd in others if value.ndim == 1 else [*others, value[0]]:
            with pytest.raises(TypeError):
                call(**{**valid, name: odd})
        if len(value) > 1:
            with pytest.raises(TypeError):
                call(**{**valid, name: np.repeat(value, 2)[::2]})


def test_what_comes_out_has_the_stated_dtypes():
    codes, lowest, highest = _core.fit_codes(**VALID["fit_codes"])[0]
    assert codes.dtype == np.uint8
    assert lowest.dtype == highest.dtype == THRESHOLD
    assert _core.philox(**VALID["philox"]).dtype == RANDOM_WORD
    assert _core.row_keys(**VALID["row_keys"]).dtype == RANDOM_WORD
    assert _core.content_keys(**VALID["content_keys"]).dtype == RANDOM_WORD
    assert _core.first_copies(**VALID["first_copies"]).dtype == UNITS
    assert _core.bootstrap_counts(**VALID["bootstrap_counts"]).dtype == np.uint32
    walker = _core.TreeWalker(**WALKER)
    assert walker.find_leaves(**VALID["TreeWalker.find_leaves"]).dtype == NODE_INDEX
    assert walker.find_leaves_in_matrix(np.zeros((2, 1)), 1).dtype == NODE_INDEX
    assert walker.find_leaves_of_few(np.zeros((2, 1))).dtype == NODE_INDEX
    assert walker.find_leaves_of_few(np.full((2, 1), np.inf)) is None
    assert walker.average(**VALID["TreeWalker.average"]).dtype == FLOAT


def test_a_grown_tree_has_the_dtypes_that_walkers_and_prunings_take():
    tree = _core.grow_tree(**GROWN)
    expected = {name: dtype for name, dtype in NODES.items() if name != "weight"}
    expected |= {"left_code": CODE, "right_code": CODE, "content": UNITS, "spread": FLOAT}
    expected |= {"leaf_of_row": NODE_INDEX, "twice_median": UNITS, "loss": FLOAT}
    assert {name: array.dtype for name, array in tree.items()} == expected
    assert all(array.ndim == 1 for array in tree.values())
    test = _core.list_tests(**GROWN)[0]
    assert test["branch_of_code"].dtype == NODE_INDEX


def test_losses_and_prunings_are_numbers():
    for lost in (_core.node_losses(**LOST), _core.losses_along_path(**VALID["losses_along_path"])):
        assert {array.dtype for array in lost} == {FLOAT}
    assert _core.weakest_link(**PRUNED).dtype == FLOAT
    nodes, costs = _core.greedy_pruning(**PRUNED)
    assert nodes.dtype == NODE_INDEX
    assert costs.dtype == FLOAT


@pytest.mark.parametrize("dtype", OTHERS, ids=str)
def test_numbers_are_float32_or_float64_and_nothing_else(dtype):
    walker = _core.TreeWalker(**WALKER)
    column, matrix = np.zeros(2, dtype), np.zeros((2, 1), dtype)
    calls = [
        lambda: _core.fit_codes(**{**VALID["fit_codes"], "columns": [column]}),
        lambda: walker.find_leaves(**{**VALID["TreeWalker.find_leaves"], "columns": [column]}),
        lambda: walker.average(**{**VALID["TreeWalker.average"], "columns": [column]}),
        lambda: walker.find_leaves_in_matrix(matrix, 1),
        lambda: walker.find_leaves_of_few(matrix),
    ]
    for call in calls:
        if dtype.kind == "f":
            call()
            continue
        with pytest.raises((TypeError, ValueError)):
            call()


@pytest.mark.parametrize("dtype", [*OTHERS, np.dtype("u2")], ids=str)
def test_codes_are_unsigned_and_at_most_32_bits_wide(dtype):
    codes = [np.array([1, 2]).astype(dtype)]
    for make, whole in ((_core.GrowColumns, COLUMNS), (_core.HeldOutRows, HELD_OUT)):
        if dtype.kind == "u" and dtype.itemsize <= 4:
            make(**{**whole, "codes": codes})
            continue
        with pytest.raises((TypeError, ValueError)):
            make(**{**whole, "codes": codes})
