"""A tree in a tampered pickle is refused as that of a forged file is, or it does not matter.

Unpickling can run code, so nobody is safe from a pickle; but damage must not become a crash in
native code or a model that predicts nonsense.
"""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from branchline._saving._write import to_bytes
from branchline._trees._tree_arrays import Scale
from branchline.errors import ModelFileError
from branchline.tree import TreeArrays
from fuzz.model_use import use, use_tree
from saved_models import MODELS

CUT, AMONG, MEAN = "stump of numbers", "one rule", "regression stump"


def through_a_pickle(thing):
    """Return a pickled thing, or None when its pickle is refused."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except ModelFileError:
        return None


# What makes up a tree: a changed value makes another tree, which is sound or refused.
IMPOSSIBLE = {
    "unknown kind": (CUT, "kind", 0, 77),
    "test without children": (CUT, "kind", 1, 1),
    "leaf with children": (CUT, "kind", 0, 0),
    "column out of range": (CUT, "feature", 0, 10**6),
    "column −1": (CUT, "feature", 0, -1),
    "column beyond 24 bits": (CUT, "feature", 0, 2**24),
    "column of another kind": (AMONG, "feature", 0, 0),
    "missing branch": (CUT, "missing_branch", 0, 7),
    "missing branch −3": (CUT, "missing_branch", 0, -3),
    "NaN threshold": (CUT, "threshold", 0, np.nan),
    "threshold of minus infinity": (CUT, "threshold", 0, -np.inf),
    "branch out of range": (AMONG, "pool", 0, 9),
    "branch −2": (AMONG, "pool", 0, -2),
    "branches too many": (AMONG, "n_children", 0, 7),
    "branches too few": (AMONG, "n_children", 0, 1),
    "negative units": (CUT, "content", (1, 0), -1),
    "no units": (CUT, "content", (1, slice(None)), 0),
    "units that overflow": (CUT, "content", (1, 0), 2**62),
    "sum that overflows": (MEAN, "content", (1, 1), -(2**63)),
    "NaN spread": (MEAN, "spread", (1, 0), np.nan),
    "negative spread": (MEAN, "spread", (2, 0), -1.0),
}
# What follows from the rest: it is worked out anew, whatever a pickle says.
FOLLOWING = {
    "own child": (CUT, "first_child", 0, 0),
    "child out of range": (CUT, "first_child", 0, 10**6),
    "child before": (CUT, "first_child", 0, -1),
    "children of a leaf": (CUT, "first_child", 1, 1),
    "place in the pool": (AMONG, "pool_offset", 0, 10**9),
    "place before the pool": (AMONG, "pool_offset", 0, -(2**62)),
    "inner units": (CUT, "content", (0, 0), 10**9),
    "inner sum": (MEAN, "content", (0, 1), 10**9),
    "inner spread": (MEAN, "spread", (0, 0), np.nan),
    "threshold of a leaf": (CUT, "threshold", 1, np.nan),
    "column of a leaf": (CUT, "feature", 1, 10**6),
    "missing branch of a leaf": (CUT, "missing_branch", 1, 10**6),
}


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_a_pickle_with_tampered_arrays_is_refused(change):
    which, name, place, value = IMPOSSIBLE[change]
    model = MODELS[which]()
    getattr(model.tree_, name)[place] = value
    assert through_a_pickle(model) is None


@pytest.mark.parametrize("change", FOLLOWING)
def test_what_follows_from_the_rest_is_refused_or_worked_out_anew(change):
    which, name, place, value = FOLLOWING[change]
    model = MODELS[which]()
    sound = to_bytes(model)
    getattr(model.tree_, name)[place] = value
    again = through_a_pickle(model)
    if again is not None:
        assert to_bytes(again) == sound
        use(again)


@pytest.mark.parametrize("change", {**IMPOSSIBLE, **FOLLOWING})
def test_a_tampered_tree_of_its_own_is_refused_or_sound(change):
    """Of a tree without its columns, the test of a column cannot be compared with them."""
    which, name, place, value = {**IMPOSSIBLE, **FOLLOWING}[change]
    tree = MODELS[which]().tree_
    getattr(tree, name)[place] = value
    again = through_a_pickle(tree)
    assert again is None or change in FOLLOWING or name == "feature"
    if again is not None:
        use_tree(again)


def shared_children(n):
    """Return arrays in which each node's second child is its first child's sibling too."""
    inner = np.arange(n + 2) < n
    return {
        "kind": inner.astype(np.uint8),
        "feature": np.where(inner, 0, -1).astype(np.int32),
        "threshold": np.zeros(n + 2),
        "first_child": np.where(inner, np.arange(n + 2) + 1, -1).astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "missing_branch": np.where(inner, -2, -1).astype(np.int32),
        "pool_offset": np.zeros(n + 2, dtype=np.int64),
        "pool": np.zeros(0, dtype=np.int32),
        "content": np.ones((n + 2, 2), dtype=np.int64),
        "spread": np.zeros((n + 2, 0)),
        "scale": Scale(),
    }


def test_children_of_two_parents_do_not_make_a_tree_without_end():
    """Paths double at each level: 60 nodes would be walked for years."""
    tree = MODELS[CUT]().tree_
    tree.__dict__.update(shared_children(60))
    assert through_a_pickle(tree) is None


@pytest.mark.parametrize(
    "state", [None, 3, [1], "abc", {}, {"kind": np.zeros(1, dtype=np.uint8)}, {"more": 1}], ids=repr
)
def test_a_state_that_is_not_a_trees_is_refused(state):
    with pytest.raises(ModelFileError):
        TreeArrays.__new__(TreeArrays).__setstate__(state)


@pytest.mark.parametrize("name", ["value", "weight", "variance", "parent", "depth", "is_leaf"])
def test_what_was_worked_out_before_is_not_taken_from_a_pickle(name):
    tree = MODELS[CUT]().tree_
    right = np.array(getattr(tree, name))
    tree.__dict__[name] = np.full_like(right, 9)
    again = through_a_pickle(tree)
    assert again is None or np.array_equal(getattr(again, name), right)


def fields_of(tree):
    return {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}


@pytest.mark.parametrize("which", [CUT, AMONG, MEAN, "several outputs", "fractional"])
def test_arrays_that_native_code_could_not_walk_are_refused_or_put_in_order(which):
    model = MODELS[which]()
    sound = to_bytes(model)
    for name, array in fields_of(model.tree_).items():
        if name in {"scale", "notes", "derived", "losses"}:  # not arrays; plain trees lack them
            continue
        wide = np.repeat(array, 2, axis=0)[::2]
        for odd in (wide, array.astype(array.dtype.newbyteorder()), array.astype("U9"), None):
            damaged = copy.deepcopy(model)
            damaged.tree_.__dict__[name] = odd
            again = through_a_pickle_of_parts(damaged)
            assert again is None or to_bytes(again) == sound, name


@pytest.mark.parametrize("which", [CUT, AMONG, MEAN])
def test_masked_arrays_hide_nothing(which):
    """Comparisons with what is masked are neither true nor false, so checks would not see it."""
    model = MODELS[which]()
    sound = to_bytes(model)
    for name, array in fields_of(model.tree_).items():
        if name in {"scale", "notes", "derived", "losses"}:  # not arrays; plain trees lack them
            continue
        for changed in (array, np.full_like(array, 99)):
            damaged = copy.deepcopy(model)
            damaged.tree_.__dict__[name] = np.ma.masked_array(changed, mask=True)
            again = through_a_pickle_of_parts(damaged)
            if again is not None:
                use(again)
                kept = {field: type(values) for field, values in fields_of(again.tree_).items()}
                assert set(kept.values()) == {np.ndarray, Scale, type(None)}
                assert changed is not array or to_bytes(again) == sound


def through_a_pickle_of_parts(model):
    """Pickle a model whose tree may not even be packed: its owner's error, not a pickle's."""
    try:
        packed = pickle.dumps(model)
    except (AttributeError, IndexError, TypeError, ValueError):
        return None
    try:
        return pickle.loads(packed)
    except ModelFileError:
        return None


UNITS = [Scale(unit) for unit in (0.0, -1.0, float("nan"), float("inf"), 5e-324)]
CENTRES = [(0.0, 0.0), (float("nan"),), (float("inf"),), ()]


@pytest.mark.parametrize(
    ("which", "scale"),
    [
        *((CUT, scale) for scale in UNITS),
        *((MEAN, dataclasses.replace(scale, center=(0.0,), bits=3)) for scale in UNITS),
        *((MEAN, Scale(1.0, center, 3)) for center in CENTRES),
        (MEAN, Scale(1.0, (0.0,), 10**6)),
        (MEAN, Scale(1.0, None, 0)),
    ],
)
def test_a_pickle_with_a_tampered_scale_is_refused(which, scale):
    model = MODELS[which]()
    model.tree_.__dict__["scale"] = scale
    assert through_a_pickle(model) is None
    if scale != Scale(1.0, None, 0):  # which makes it the tree of a classifier, and a sound one
        assert through_a_pickle(model.tree_) is None
