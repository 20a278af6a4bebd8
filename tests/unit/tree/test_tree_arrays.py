"""The validator of trees: each rule refuses what only it can see."""

import numpy as np
import pytest

from branchline import Table
from branchline.errors import ModelFileError
from branchline.tree import TreeArrays

SCHEMA = Table({"x": [1.5, 2.5], "c": ["a", "b"], "d": ["p", "q"]}).schema
DTYPES = {
    "kind": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_branch": np.int32,
    "pool_offset": np.int64,
    "pool": np.int32,
    "weight": np.float64,
    "value": np.float64,
}

# x ≤ 0.5? yes: (c: a → leaf, b → (d: p → leaf, q → leaf)); no: leaf. The pool: c's, then d's.
SOUND = {
    "kind": [1, 2, 0, 0, 2, 0, 0],
    "feature": [0, 1, -1, -1, 2, -1, -1],
    "threshold": [0.5, 0, 0, 0, 0, 0, 0],
    "first_child": [1, 3, -1, -1, 5, -1, -1],
    "n_children": [2, 2, 0, 0, 2, 0, 0],
    "missing_branch": [0, -1, -1, -1, 1, -1, -1],
    "pool_offset": [0, 0, 0, 0, 2, 0, 0],
    "pool": [0, 1, 1, 0],
    "weight": [8, 4, 4, 2, 2, 1, 1],
    "value": [[0.5], [0.25], [1], [0], [0.5], [0], [1]],
}


def tree(n_classes=None, max_depth=3, schema=SCHEMA, **changes):
    state = {name: np.array(SOUND[name], dtype) for name, dtype in DTYPES.items()}
    for name, change in changes.items():
        if isinstance(change, dict):
            for place, value in change.items():
                state[name][place] = value
        else:
            state[name] = change
    return TreeArrays.from_state(state, schema, n_classes=n_classes, max_depth=max_depth)


def refusal(**options):
    with pytest.raises(ModelFileError) as caught:
        tree(**options)
    assert caught.value.code == "M005"
    return caught.value.message


def test_a_sound_tree_is_taken_as_it_is():
    made = tree()
    assert made.n_nodes == 7
    assert made.n_leaves == 4
    rows = Table({"x": [0.1, 0.1, 0.1, None, 9.0], "c": list("abbaa"), "d": list("ppqqq")})
    assert made.find_leaves(SCHEMA.apply(rows), 1).tolist() == [3, 6, 5, 3, 2]
    tree(threshold={0: np.inf})
    tree(weight={0: 0.0})
    tree(pool={0: -1})


def one(name, values):
    return np.array(values, DTYPES[name])


LEAF = {name: one(name, SOUND[name])[2:3] for name in DTYPES if name != "pool"}
NONE = {name: one(name, SOUND[name])[:0] for name in DTYPES}


def test_a_single_leaf_is_a_tree_without_tests():
    assert tree(max_depth=0, **LEAF, pool=NONE["pool"]).n_nodes == 1


def test_a_tree_has_a_node():
    assert "no nodes" in refusal(**NONE)


@pytest.mark.parametrize("name", [name for name in DTYPES if name not in ("pool", "value", "kind")])
def test_every_node_has_an_entry_everywhere(name):
    longer = np.append(one(name, SOUND[name]), one(name, SOUND[name])[-1:])
    assert f"{name!r} has 8 values for 7 nodes" in refusal(**{name: longer})


@pytest.mark.parametrize("name", DTYPES)
def test_arrays_have_their_dtype_and_dimensions(name):
    array = one(name, SOUND[name])
    for wrong in (
        array.astype(np.float32),
        array[None],
        None,
        array.tolist(),
        array[:, None, None],
    ):
        refusal(**{name: wrong})


def test_a_node_has_a_known_kind():
    assert "unknown kind" in refusal(kind={0: 3})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_and_weights_are_finite(value):
    assert "value is not a finite number" in refusal(value={3: value})
    assert "weight" in refusal(weight={3: value})


def test_weights_are_not_negative():
    assert "weight" in refusal(weight={3: -1e-9})


@pytest.mark.parametrize("row", [[0.5, 0.6], [1.5, -0.5], [0.0, 0.0], [1.0, 1.0]])
def test_class_frequencies_have_a_sum_of_1(row):
    frequencies = np.full((7, 2), 0.5)
    tree(n_classes=2, value=frequencies)
    frequencies[4] = row
    assert "frequencies" in refusal(n_classes=2, value=frequencies)


def test_a_classifier_with_one_class_has_frequencies_too():
    tree(n_classes=1, value=np.ones((7, 1)))
    assert "frequencies" in refusal(n_classes=1, value=np.full((7, 1), 2.0))


@pytest.mark.parametrize(("node", "value"), [(0, np.nan), (0, -np.inf), (1, 1.0), (2, np.nan)])
def test_thresholds_stand_at_threshold_tests_only(node, value):
    assert "threshold" in refusal(threshold={node: value})


@pytest.mark.parametrize("name", ["feature", "first_child", "n_children", "missing_branch"])
def test_a_leaf_has_neither_test_nor_children(name):
    assert "leaf" in refusal(**{name: {2: 1}})


@pytest.mark.parametrize("node", [0, 2])
def test_only_category_tests_refer_to_the_pool(node):
    assert "without categories" in refusal(pool_offset={node: 1})


def test_children_stand_after_their_parent():
    """Each node has one parent, but a family stands before it: the way to a cycle."""
    early = {
        "kind": [1, 0, 0, 1, 0],
        "feature": [0, -1, -1, 0, -1],
        "threshold": [0.5, 0, 0, 0.5, 0],
        "first_child": [3, -1, -1, 1, -1],
        "n_children": [2, 0, 0, 2, 0],
        "missing_branch": [0, -1, -1, 0, -1],
        "pool_offset": [0] * 5,
        "pool": [],
        "weight": [1] * 5,
        "value": [[0]] * 5,
    }
    changes = {name: np.array(values, DTYPES[name]) for name, values in early.items()}
    assert "children are out of range" in refusal(**changes)


def test_a_cycle_beside_the_root_is_refused():
    """The root is a leaf; node 1 is its own child."""
    beside = {
        "kind": [0, 1, 0],
        "feature": [-1, 0, -1],
        "threshold": [0, 0.5, 0],
        "first_child": [-1, 1, -1],
        "n_children": [0, 2, 0],
        "missing_branch": [-1, 0, -1],
        "pool_offset": [0] * 3,
        "pool": [],
        "weight": [1] * 3,
        "value": [[0]] * 3,
    }
    changes = {name: np.array(values, DTYPES[name]) for name, values in beside.items()}
    assert "children are out of range" in refusal(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"first_child": {4: 4}},
        {"first_child": {1: 5}},
        {"first_child": {1: 2}},
        {"first_child": {0: 2}},
        {"first_child": {4: 6}},
        {"first_child": {4: 2**31 - 1}},
        {"n_children": {4: 3}},
        {"n_children": {1: 2**31 - 1}},
        {"n_children": {4: 1}},
        {"n_children": {4: 0}},
        {"n_children": {4: -2}},
    ],
)
def test_families_neither_overlap_nor_leave_gaps(changes):
    refusal(**changes)


@pytest.mark.parametrize("branch", [-2, 2, 2**31 - 1, -(2**31)])
def test_missing_values_take_a_branch_that_exists(branch):
    assert "missing value" in refusal(missing_branch={4: branch})


def test_the_depth_is_limited():
    tree(max_depth=3)
    assert "more than 2 tests in a row" in refusal(max_depth=2)


@pytest.mark.parametrize("column", [-1, 3, 2**31 - 1])
def test_tested_columns_exist(column):
    assert "column does not exist" in refusal(feature={1: column})


def test_tests_fit_the_kind_of_their_column():
    assert "kind" in refusal(feature={0: 1})
    assert "kind" in refusal(feature={1: 0})


def test_a_threshold_has_two_branches():
    three = {
        "kind": [1, 0, 0, 0],
        "feature": [0, -1, -1, -1],
        "threshold": [0.5, 0, 0, 0],
        "first_child": [1, -1, -1, -1],
        "n_children": [3, 0, 0, 0],
        "missing_branch": [2, -1, -1, -1],
        "pool_offset": [0] * 4,
        "pool": [],
        "weight": [1] * 4,
        "value": [[0]] * 4,
    }
    changes = {name: np.array(values, DTYPES[name]) for name, values in three.items()}
    assert "two branches" in refusal(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"pool": one("pool", [0, 1, 1])},
        {"pool": one("pool", [0, 1, 1, 0, 0])},
        {"pool_offset": {1: 2}},
        {"pool_offset": {4: 0}},
        {"pool_offset": {4: -2}},
        {"pool_offset": {4: 2**62}},
        {"schema": Table({"x": [1.5], "c": ["a"], "d": ["p"]}).schema},
    ],
)
def test_each_category_has_one_place_in_the_pool(changes):
    assert "overlap or leave gaps" in refusal(**changes)


@pytest.mark.parametrize("branch", [-2, 2, 2**31 - 1, -(2**31)])
def test_categories_take_a_branch_that_exists(branch):
    assert "branch is out of range" in refusal(pool={2: branch})


def test_a_test_cannot_have_more_branches_than_codes():
    n = 70_000
    names = [f"n{number}" for number in range(n)]
    schema = Table({"c": names}).schema
    wide = {
        "kind": np.r_[2, np.zeros(n)],
        "feature": np.r_[0, np.full(n, -1)],
        "threshold": np.zeros(n + 1),
        "first_child": np.r_[1, np.full(n, -1)],
        "n_children": np.r_[n, np.zeros(n)],
        "missing_branch": np.full(n + 1, -1),
        "pool_offset": np.zeros(n + 1),
        "pool": np.arange(n),
        "weight": np.ones(n + 1),
        "value": np.ones((n + 1, 1)),
    }
    changes = {name: values.astype(DTYPES[name]) for name, values in wide.items()}
    assert "children are out of range" in refusal(schema=schema, **changes)


def test_many_tests_of_many_categories_are_checked_in_linear_time():
    """Tests that shared one place in the pool would make the check take nodes × categories."""
    n = 20_000
    schema = Table({"c": [f"n{number}" for number in range(n)]}).schema
    inner = np.arange(2 * n + 1) < n
    shared = {
        "kind": np.where(inner, 2, 0),
        "feature": np.where(inner, 0, -1),
        "threshold": np.zeros(2 * n + 1),
        "first_child": np.where(inner, 2 * np.arange(2 * n + 1) + 1, -1),
        "n_children": np.where(inner, 2, 0),
        "missing_branch": np.full(2 * n + 1, -1),
        "pool_offset": np.zeros(2 * n + 1),
        "pool": np.zeros(n),
        "weight": np.ones(2 * n + 1),
        "value": np.ones((2 * n + 1, 1)),
    }
    changes = {name: values.astype(DTYPES[name]) for name, values in shared.items()}
    assert "overlap or leave gaps" in refusal(schema=schema, max_depth=50, **changes)
