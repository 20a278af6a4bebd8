"""Arrays of a wrong length or with indices out of range: no kernel reads beyond its arrays."""

import ast
from pathlib import Path

import numpy as np
import pytest

import branchline
from branchline import _core
from core_calls import (
    ATTRIBUTED,
    CLASS_LOSS,
    CODED,
    FLOAT,
    GROWN,
    HELD_OUT,
    LOSS_CLASSES,
    LOSS_NUMBERS,
    LOST,
    NUMBERS,
    ROW,
    SCALED,
    SQUARED_LOSS,
    TARGET,
    VALID,
    WALKER,
    callable_of,
    grown,
)

CRITERION = _core.TreeCriterion
ABOUT = "each|class|column|cost|decision|row|node"  # a word about what does not fit


@pytest.mark.parametrize("function", VALID)
def test_arrays_that_are_too_short_or_too_long_are_refused(function):
    """No call may read beyond an array, whatever its length; there may be any number of rows."""
    call, valid = callable_of(function), VALID[function]
    free = {"pool", "betas", "rows", "target", "subsets", "value"}
    free |= {"extra_cost"} if function in ("weakest_link", "greedy_pruning") else set()
    free |= {"scores"} if function == "predictions_of_scores" else set()  # any number of rows
    free |= {"strengths"} if function.startswith("svm_paths") else set()  # any number of them
    free |= {"matrix", "terms"} if "inear" in function else set()  # any number of terms
    free |= {"parents"} if function == "family_score" else set()  # any number of them
    free |= {"values"} if function.endswith(".update") else set()  # as many as have come
    free |= {"class_of_point", "value_of_point"} if "neighbor_" in function else set()  # any points
    free |= {"start"} if function == "find_medoids" else set()  # none: BUILD is the start
    for name, value in valid.items():
        if not isinstance(value, np.ndarray) or value.ndim > 1:
            continue
        for odd in (value[:-1], value[:0], np.append(value, value[:1]).astype(value.dtype)):
            if len(odd) == len(value):
                continue
            try:
                call(**{**valid, name: odd})
            except (ValueError, IndexError):
                continue
            assert name in free or function in FREE_UNTIL_USED, (function, name, len(odd))


# Their arrays are compared with one another when a kernel gets them all.
FREE_UNTIL_USED = {
    "OptimalTests",
    "OptimalTarget of numbers",
    "BagTargets",
    "BagTargets of numbers",
    "BoostingConstraints",
    "TreesView",
    "GrowTarget",
    "GrowTarget of numbers",
    "HeldOutRows",
    "KeptTrees",
    "ClassLoss",
    "NumberLoss",
    "first_copies",
    "LabelRules",
    "LinearColumns",
    "LinearMatrix",
    "LinearTerms",
    "LossTarget",
    "LossTarget of classes",
    "AttributedTrees",
    "ScaledTerms",
    "SvmBounds",
    "SvmPairModel",
    "SvmPairRows",
    "SvmPath",
    "SvmProblem",
    "TokenSequences",
}


@pytest.mark.parametrize("name", ["class_of_row", "units", "sums_of_row", "values_of_row"])
@pytest.mark.parametrize("call", [_core.grow_tree, _core.list_tests])
def test_targets_of_another_length_are_refused_when_a_tree_is_grown(call, name):
    whole = NUMBERS if name in {"sums_of_row", "values_of_row"} else TARGET
    for odd in (whole[name][:-1], np.append(whole[name], whole[name])):
        target = _core.GrowTarget(**{**whole, name: odd.astype(whole[name].dtype)})
        options = grown(CRITERION.variance if whole is NUMBERS else CRITERION.gini)
        with pytest.raises(ValueError, match="each row"):
            call(**{**GROWN, "target": target, "options": options})


@pytest.mark.parametrize("rows", [[2], [2**32 - 1], []])
@pytest.mark.parametrize("call", [_core.grow_tree, _core.list_tests])
def test_rows_to_grow_on_exist(call, rows):
    with pytest.raises(ValueError, match="row"):
        call(**{**GROWN, "rows": np.array(rows, ROW)})


LOSSES = {
    "class_of_row": (_core.ClassLoss, CLASS_LOSS, ([0], [0, 2], [0, 2**32 - 1], [])),
    "decision": (_core.ClassLoss, CLASS_LOSS, ([0, 0], [0, 0, 2], [0, 0, -1], [0] * 4)),
    "cost": (_core.ClassLoss, CLASS_LOSS, ([0, 1, 1], [0] * 9, [])),
    "target": (_core.NumberLoss, SQUARED_LOSS, ([0], [])),
    "value": (_core.NumberLoss, SQUARED_LOSS, ([0, 0], [0] * 4, [])),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_that_do_not_fit_the_tree_or_the_rows_are_refused(name):
    make, whole, wrong = LOSSES[name]
    path = VALID["losses_along_path"]
    assert _core.node_losses(**{**LOST, "loss": make(**whole)})
    for values in wrong:
        loss = make(**{**whole, name: np.array(values).astype(whole[name].dtype)})
        with pytest.raises(ValueError, match=ABOUT):
            _core.node_losses(**{**LOST, "loss": loss})
        with pytest.raises(ValueError, match=ABOUT):
            _core.losses_along_path(**{**path, "loss": loss})


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": np.array([0, 2], ROW)},
        {"rows": np.array([2**32 - 1], ROW), "weight": np.ones(1)},
        {"weight": np.ones(1)},
        {"weight": np.ones(3)},
        {"codes": []},
    ],
)
def test_held_out_rows_that_do_not_fit_are_refused(changes):
    held_out = _core.HeldOutRows(**{**HELD_OUT, **changes})
    with pytest.raises(ValueError, match=ABOUT):
        _core.node_losses(**{**LOST, "held_out": held_out})
    with pytest.raises(ValueError, match=ABOUT):
        _core.losses_along_path(**{**VALID["losses_along_path"], "held_out": held_out})


BORROWED = {
    "numbers": (_core.LossTarget, LOSS_NUMBERS, "target", ("loss_gradients", "mean_loss")),
    "class_of_row": (
        _core.LossTarget,
        LOSS_CLASSES,
        "target",
        ("loss_gradients of classes", "mean_loss of classes"),
    ),
    "leaf_cover": (_core.AttributedTrees, ATTRIBUTED, "trees", ("attributions", "attribute_terms")),
    "middle": (_core.ScaledTerms, SCALED, "terms", ("attribute_terms",)),
    "half": (_core.ScaledTerms, SCALED, "terms", ("attribute_terms",)),
}


@pytest.mark.parametrize("name", BORROWED)
def test_arrays_in_a_struct_are_compared_with_the_others_when_it_is_used(name):
    make, whole, argument, functions = BORROWED[name]
    for odd in (whole[name][:-1], whole[name][:0], np.append(whole[name], whole[name][:1])):
        borrowed = make(**{**whole, name: odd.astype(whole[name].dtype)})
        for function in functions:
            with pytest.raises((ValueError, IndexError)):
                callable_of(function)(**{**VALID[function], argument: borrowed})


def test_no_call_takes_more_than_six_arguments():
    """More are fields of a struct, whose names are written where it is made."""
    stub = ast.parse(Path(branchline.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)]
    taken = {call.name: {arg.arg for arg in call.args.args} - {"self"} for call in calls}
    assert len(taken) > 100
    assert not [name for name, most in taken.items() if len(most) > 6 and name != "__init__"]


# -- trees --------------------------------------------------------------------------------------

WRONG = {
    "kind": ((0, 3), (0, 255), (0, 0), (1, 1), (2, 2)),
    "feature": ((0, -1), (0, -(2**31))),
    "first_child": ((0, 0), (0, -1), (0, 2), (0, 3), (0, 2**31 - 1), (0, -(2**31))),
    "n_children": ((0, 0), (0, 1), (0, 3), (0, -1), (0, 2**31 - 1)),
    "missing_branch": ((0, 2), (0, -3), (0, 2**31 - 1), (0, -(2**31))),
}
ALONE = {"kind": {(0, 0)}, "n_children": set()}  # what a walker may take: it starts at a leaf


@pytest.mark.parametrize("name", WRONG)
def test_trees_that_lead_out_of_their_arrays_are_refused(name):
    for place, value in WRONG[name]:
        for make, whole in ((_core.TreeWalker, WALKER), (_core.CodedTree, CODED)):
            if make is _core.TreeWalker and (place, value) in ALONE.get(name, ()):
                continue
            array = whole[name].copy()
            array[place] = value
            with pytest.raises(ValueError, match=r"\w") as caught:
                make(**{**whole, name: array})
            assert str(caught.value), (name, place, value)


AMONG = {"kind": np.array([2, 0, 0], np.uint8), "pool": np.array([0, 1], np.int32)}
CATEGORIES = {"columns": [np.array([0, 1], np.int32)], "n_categories": np.array([2], np.int32)}


@pytest.mark.parametrize(
    "changes",
    [
        {"pool": np.array([0], np.int32)},
        {"pool": np.array([0, 2], np.int32)},
        {"pool": np.array([0, 2**31 - 1], np.int32)},
        {"pool": np.array([-3, 0], np.int32)},
        {"pool_offset": np.array([1, 0, 0], np.int64)},
        {"pool_offset": np.array([2**62, 0, 0], np.int64)},
        {"pool_offset": np.array([-1, 0, 0], np.int64)},
        {"kind": np.array([1, 0, 0], np.uint8)},
        {"feature": np.array([1, -1, -1], np.int32)},
        {"feature": np.array([2**24, -1, -1], np.int32)},
    ],
)
def test_tests_that_do_not_fit_their_columns_are_refused_before_they_read_them(changes):
    walker = _core.TreeWalker(**{**WALKER, **AMONG})
    assert walker.find_leaves(**CATEGORIES, n_threads=1).tolist() == [1, 2]
    with pytest.raises((ValueError, IndexError)):
        walk(_core.TreeWalker(**{**WALKER, **AMONG, **changes}))


def walk(walker):
    """Send two rows down in every way."""
    walker.find_leaves(**CATEGORIES, n_threads=1)
    walker.average(**CATEGORIES, value=np.zeros(3), n_threads=1)


@pytest.mark.parametrize("category", [2, 3, 2**31 - 1])
def test_categories_beyond_their_number_are_refused(category):
    walker = _core.TreeWalker(**{**WALKER, **AMONG})
    columns = [np.array([0, category], np.int32)]
    with pytest.raises(IndexError):
        walker.find_leaves(columns, CATEGORIES["n_categories"], 1)
    with pytest.raises(IndexError):
        walker.average(columns, CATEGORIES["n_categories"], np.zeros(3), 1)


@pytest.mark.parametrize("shape", [(2, 0), (0, 1), (0, 0)])
def test_a_matrix_without_columns_or_rows_is_walked_or_refused(shape):
    walker = _core.TreeWalker(**WALKER)
    for walk_matrix in (walker.find_leaves_of_few, lambda m: walker.find_leaves_in_matrix(m, 1)):
        if shape[1] == 0:
            with pytest.raises(ValueError, match="column"):
                walk_matrix(np.zeros(shape))
        else:
            assert len(walk_matrix(np.zeros(shape))) == 0


def test_keys_of_a_matrix_need_words_and_copies_for_each_row():
    matrix, words, copies = np.zeros((2, 3)), np.zeros((2, 1), np.uint64), np.ones(2, np.int64)
    assert _core.matrix_keys(matrix, words, copies, 1).shape == (2,)
    for odd in (
        (matrix[:1], words, copies),
        (matrix, words[:1], copies),
        (matrix, words, copies[:1]),
    ):
        with pytest.raises(ValueError, match="each row"):
            _core.matrix_keys(*odd, 1)
    with pytest.raises(ValueError, match="float32 or float64"):
        _core.matrix_keys(matrix.astype(np.int32), words, copies, 1)


def test_near_points_need_points_enough_and_an_error_for_each_query():
    near = _core.NearPoints(np.zeros((3, 2), np.float32))
    queries = np.zeros((2, 2), np.float32)
    query, point = near.candidates(queries, np.zeros(2), 3, 1)
    assert query.tolist() == [0, 0, 0, 1, 1, 1]
    assert point.tolist() == [0, 1, 2, 0, 1, 2]
    for odd in (
        (queries, np.zeros(2), 0, 1),
        (queries, np.zeros(2), 4, 1),
        (queries, np.zeros(3), 1, 1),
        (queries[:, :1].copy(), np.zeros(2), 1, 1),
    ):
        with pytest.raises(ValueError, match=r"points|query|columns"):
            near.candidates(*odd)


def test_sums_of_terms_need_a_word_for_each_row_or_term():
    numbers = np.zeros((2, 3))
    for sums, n_words in (("bit", 3), ("word", 3), ("row", 2)):
        with pytest.raises(ValueError, match="a word for each"):
            getattr(_core, f"term_{sums}_sums")(numbers, np.zeros(n_words, np.uint64))


def test_empty_arrays_may_lie_anywhere():
    """Python 3.13 unpickles empty arrays to a place that no number of eight bytes may have."""
    empty = np.ndarray(0, FLOAT, buffer=bytes(16), offset=1)
    assert empty.ctypes.data % empty.itemsize
    found = _core.losses_along_path(**{**VALID["losses_along_path"], "betas": empty})
    assert np.size(found) == 0
