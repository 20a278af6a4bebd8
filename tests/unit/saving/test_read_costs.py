"""What loading costs: time and memory grow with the file, not faster, whoever made it."""

import io
import pickle
import time

import numpy as np
import pytest

from branchline import _core, load
from branchline._saving._container import read_entries
from branchline._saving._write import to_bytes
from branchline.errors import ModelFileError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from fuzz.mutate_arrays import take_apart
from saved_models import chain_of, forged, needed_bytes, peak_memory, saved, tree_values

CUT, MEAN = "stump of numbers", "regression stump"
UNLIMITED = {"max_depth": None}


def seconds(action):
    """Return what an action gives, or its error, and the processor time it took."""
    begin = time.process_time()
    try:
        result = action()
    except ModelFileError as error:
        result = error
    return result, time.process_time() - begin


# -- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [CUT, MEAN])
def test_a_chain_of_a_million_nodes_loads_in_seconds(name):
    """A file of less than a megabyte; many steps for each level would take minutes."""
    values = chain_of(500_000, saved(name))
    file = forged(saved(name), values, parameters=UNLIMITED)
    assert len(file.getvalue()) < 10**6
    model, taken = seconds(lambda: load(file))
    assert model.tree_.n_nodes == 1_000_001
    assert taken < 5
    again, taken = seconds(lambda: pickle.loads(pickle.dumps(model)))
    assert taken < 5
    assert again.tree_.content[0].tolist() == model.tree_.content[0].tolist()


@pytest.mark.parametrize("name", [CUT, MEAN])
def test_a_chain_that_is_too_deep_is_refused_in_seconds(name):
    file = forged(saved(name), chain_of(500_000, saved(name)))
    error, taken = seconds(lambda: load(file))
    assert "deeper than 1" in error.message
    assert taken < 2


def test_a_chain_of_many_nodes_can_be_read_in_seconds():
    values = chain_of(50_000, saved(CUT), missing_branch=-2)
    model = load(forged(saved(CUT), values, parameters=UNLIMITED))
    rows = np.full((3, 3), np.nan)
    _, taken = seconds(
        lambda: (
            model.predict_proba(rows),
            model.get_depth(),
            model.feature_importances_,
            model.entropy_,
            model.to_text(),
            model.to_frame(),
            model.draw(),
        )
    )
    assert taken < 10


def test_a_walker_of_many_columns_is_made_in_linear_time():
    """Each test asks for a column of its own: a search through all columns for each would show."""
    n = 200_000
    inner = np.arange(2 * n + 1) < n
    arrays = {
        "kind": inner.astype(np.uint8),
        "feature": np.where(inner, np.arange(2 * n + 1), -1).astype(np.int32),
        "threshold": np.zeros(2 * n + 1),
        "first_child": np.where(inner, 2 * np.arange(2 * n + 1) + 1, -1).astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "missing_branch": np.where(inner, 0, -1).astype(np.int32),
        "pool_offset": np.zeros(2 * n + 1, dtype=np.int64),
        "pool": np.zeros(0, dtype=np.int32),
        "weight": np.ones(2 * n + 1),
    }
    _, taken = seconds(lambda: _core.TreeWalker(**arrays))
    assert taken < 1


def test_many_tests_of_many_categories_need_a_pool_as_long():
    """Tests that shared one place in the pool would make the check take nodes × categories."""
    n = 20_000
    town = take_apart(saved("one rule"))[0]["schema"]["columns"][2]
    town["categories"] = sorted(f"n{number}" for number in range(n))
    kind = np.where(np.arange(2 * n + 1) < n, 1, 0).astype(np.uint8)
    values = tree_values(kind, saved(CUT))
    values |= {
        "kind": 2 * kind,
        "threshold": np.zeros(0),
        "n_branches": np.full(n, 2, dtype=np.int32),
        "pool": np.zeros(n, dtype=np.int32),
    }
    file = forged(saved(CUT), values, parameters=UNLIMITED, columns=[town])
    error, taken = seconds(lambda: load(file))
    assert "overlap or leave gaps" in error.message
    assert taken < 2


# CPython's hash of a tuple (xxHash): constants and rotation, to find pairs that share one hash.
_1, _2, _5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
WORD = 2**64


def pairs_of_one_hash(n):
    found, first = [], 0
    while len(found) < n:
        first += 1
        lane = (_5 + first * _2) % WORD
        lane = ((lane << 31) | (lane >> 33)) * _1 % WORD
        second = (12345 - lane) * pow(_2, -1, WORD) % WORD
        second = second if second < WORD // 2 else second - WORD
        if abs(second) < 2**61 - 1 and second not in (-1, -2):
            found.append((first, second))
    return found


def test_keys_of_one_hash_do_not_take_minutes():
    """A dictionary of them takes steps for each pair of keys: refused, or not made at all."""
    pairs = pairs_of_one_hash(20_000)
    assert len({hash(pair) for pair in pairs}) == 1
    costs = {"pairs": [[{"tuple": list(pair)}, 1.0] for pair in pairs]}
    file = forged(saved("costs"), parameters={"costs": costs})
    _, taken = seconds(lambda: load(file))
    assert taken < 3


# -- memory -------------------------------------------------------------------------------------


def balanced(depth):
    return np.where(np.arange(2 ** (depth + 1) - 1) < 2**depth - 1, 1, 0).astype(np.uint8)


def many_classes(depth, n_classes):
    values = tree_values(balanced(depth), saved(CUT))
    values["classes"] = np.arange(n_classes)
    values["leaf_content"] = np.ones(2**depth * n_classes, dtype=np.int64)
    return values


LARGE = {
    "nodes": lambda: forged(
        saved(CUT), tree_values(balanced(16), saved(CUT)), parameters=UNLIMITED
    ),
    "means": lambda: forged(
        saved(MEAN), tree_values(balanced(16), saved(MEAN)), parameters=UNLIMITED
    ),
    "classes": lambda: forged(saved(CUT), many_classes(11, 200), parameters=UNLIMITED),
    "one class": lambda: forged(saved(CUT), many_classes(16, 1), parameters=UNLIMITED),
}


@pytest.mark.parametrize("kind", LARGE)
def test_a_tree_takes_no_more_memory_than_promised(kind):
    """Four times max_bytes, whatever the file says; here it is just large enough."""
    content = LARGE[kind]().getvalue()
    allowed = needed_bytes(content)
    model, peak = peak_memory(lambda: load(io.BytesIO(content), max_bytes=allowed))
    in_walker = 40 * model.tree_.n_nodes  # the native copy, which tracemalloc does not see
    assert peak + in_walker < 4 * allowed


# -- size ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_large_tree_needs_at_most_24_bytes_a_node(model, tmp_path):
    """Two classes or one output; numbers that are all different do not pack well."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=12_000)
    fitted = model(prune=None).fit(X, y if model is DecisionTreeRegressor else y > 0)
    path = tmp_path / "m.branchline"
    fitted.save(path)
    assert fitted.tree_.n_nodes >= 5000
    assert path.stat().st_size / fitted.tree_.n_nodes <= 24
    packed = sum(entry.size for entry in read_entries(path.read_bytes())[1:])
    assert packed / fitted.tree_.n_nodes <= 24
    assert to_bytes(load(path)) == path.read_bytes()
