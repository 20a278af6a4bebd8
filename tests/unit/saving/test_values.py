"""Parameters in a file: mappings, tuples, lists and arrays; nothing else goes in or out."""

import json
import os
import subprocess
import sys
from collections import OrderedDict
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from branchline import load
from branchline._saving._classes import name_of, unfitted
from branchline._saving._values import from_json, to_json
from branchline._saving._write import to_bytes
from branchline.errors import ModelFileError
from branchline.tree import DecisionTreeClassifier
from common.tables import mixed_frame, target
from saved_models import costly_tree, forged, saved


class LogisticOfAnother(BaseEstimator):
    """An estimator that is not of this library."""


def nested(value, wrap=lambda inner: [inner]):
    """Return a value nine levels deep: one more than a parameter may be."""
    for _ in range(9):
        value = wrap(value)
    return value


def again(value):
    """Return what a parameter comes back as, by way of the text of a manifest."""
    return from_json(
        "p", json.loads(json.dumps(to_json(value, name_of), allow_nan=False)), unfitted
    )


def same(one, other):
    """Whether two values are equal and of one type, through and through."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            same(*pair) for pairs in zip(one.items(), other.items(), strict=True)
            for pair in zip(*pairs, strict=True)
        )  # fmt: skip
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other and str(one) == str(other)


# -- what comes back ----------------------------------------------------------------------------

PLAIN = [
    None, True, False, 0, -1, 2**63 - 1, 0.5, -0.0, 5e-324, 1.7976931348623157e308, "", "x" * 1000,
    "é\0\n😀", "pairs", "tuple", [], (), {}, [1, 2.0, "3", None, True], (1, (2, (3, ()))),
    [[0, 1], [1, 0]], {"a": 1}, {1: "a", 2.5: "b", "c": None, None: 0}, {True: 1, "True": 2},
    {("ill", "ok"): 5.0}, {(1, (2, 3)): {"x": [1, (2,)]}}, {"town": [("Mons", "Ath"), ["Namur"]]},
    {"pairs": 1}, {"tuple": [1]}, {"$array": 0}, [{"a": {"b": [1]}}], [[[[1]]]],
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:40])
def test_plain_values_come_back_as_they_were(value):
    assert same(again(value), value)


class Level(IntEnum):
    LOW = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int64(3), 3),
        (np.uint8(255), 255),
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (Level.LOW, 3),
        (np.arange(3), [0, 1, 2]),
        (np.arange(3, dtype=np.uint8), [0, 1, 2]),
        (np.array([True, False]), [True, False]),
        (np.array(["a", "bc"]), ["a", "bc"]),
        (1 - np.eye(2), [[0.0, 1.0], [1.0, 0.0]]),
        (np.asfortranarray([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.arange(6)[::2], [0, 2, 4]),
        (np.zeros(0), []),
        (np.zeros((0, 3)), []),
        (np.zeros((2, 0)), [[], []]),
        (np.array(1.5), 1.5),
        ({np.int64(1): np.float64(2.0)}, {1: 2.0}),
        ({np.str_("a"): np.array([1])}, {"a": [1]}),
        ({(np.int64(0), np.int64(1)): 2}, {(0, 1): 2}),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        ({"only"}, ["only"]),
        (frozenset(), []),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_other_makes_of_the_same_come_back_plain(value, plain):
    assert same(again(value), plain)


def test_the_order_of_a_mapping_is_kept():
    names = ["b", "a", "c", 3, 1]
    assert list(again(dict.fromkeys(names, 0))) == names


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:40])
def test_what_came_back_is_written_alike(value):
    assert to_json(again(value), name_of) == to_json(value, name_of)


# -- what does not go in ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        b"a",
        1 + 2j,
        object(),
        print,
        DecisionTreeClassifier,
        LogisticOfAnother(),
        range(3),
        iter([1]),
        np.array([None]),
        np.array([1 + 2j]),
        np.array([b"a"]),
        np.array(["2020"], dtype="datetime64[Y]"),
        np.datetime64("2020-01-01"),
        np.array([(1,)], dtype=[("a", int)]),
        np.random.default_rng(0),
        np.random.RandomState(0),
        {"a": b"x"},
        {b"a": 1},
        nested(1),
        np.zeros((1,) * 9),
        {1: {2: {3: {4: {5: {6: {7: {8: {9: 10}}}}}}}}},
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_no_file_can_hold_is_refused_by_its_kind(value):
    with pytest.raises(TypeError):
        to_json(value, name_of)


@pytest.mark.parametrize("value", [np.random.RandomState(0), b"3"], ids=["RandomState", "bytes"])
def test_a_parameter_that_cannot_be_saved_is_named(value):
    model = DecisionTreeClassifier(prune=None).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ModelFileError) as caught:
        to_bytes(model.set_params(random_state=value))
    assert caught.value.code == "M006"
    assert f"'random_state' is a {type(value).__name__}." in caught.value.message


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**64, "half \ud800", "x" * 1001])
def test_numbers_and_text_that_no_manifest_holds_are_refused_when_saving(value):
    frame = mixed_frame(40)
    model = DecisionTreeClassifier(prune=None).fit(frame, target(frame, "classification"))
    for given in (value, [value], {"a": value}, {value: 1}, {("a", value): 1}):
        with pytest.raises(ModelFileError) as caught:
            to_bytes(model.set_params(random_state=given))
        assert caught.value.code == "M006"


# -- what does not come out ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": 1},
        {"$array": 0},
        {"pairs": [], "tuple": []},
        {"pairs": [], "more": 1},
        {"pairs": None},
        {"pairs": 1},
        {"pairs": "ab"},
        {"pairs": {}},
        {"pairs": [1]},
        {"pairs": ["ab"]},
        {"pairs": [[]]},
        {"pairs": [[1]]},
        {"pairs": [[1, 2, 3]]},
        {"pairs": [{"tuple": [1, 2]}]},
        {"tuple": None},
        {"tuple": 1},
        {"tuple": "ab"},
        {"tuple": {}},
        {"tuple": {"tuple": []}},
        "x" * 1001,
        ["x" * 1001],
        {"pairs": [["x" * 1001, 1]]},
        {"pairs": [[1, "x" * 1001]]},
        nested([]),
        [{}],
        {"tuple": [{}]},
        {"pairs": [[1, {}]]},
        nested([], lambda inner: {"tuple": [inner]}),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_what_is_no_parameter_is_refused(value):
    with pytest.raises(ModelFileError, match="'p' is not a plain value") as caught:
        from_json("p", value, unfitted)
    assert caught.value.code == "M002"


@pytest.mark.parametrize(
    "pairs",
    [
        [[[1], 1]],
        [[[], 1]],
        [[{"pairs": []}, 1]],
        [[{"tuple": [[1]]}, 1]],
        [[{"tuple": [{"pairs": []}]}, 1]],
        [[{"tuple": [1, {"tuple": [[1]]}]}, 1]],
        [[1, 1], [1, 2]],
        [[1, 1], [True, 2]],
        [[0, 1], [-0.0, 2]],
        [["a", 1], ["b", 2], ["a", 3]],
        [[{"tuple": [1]}, 1], [{"tuple": [1.0]}, 2]],
        [[None, 1], [None, 1]],
    ],
    ids=repr,
)
def test_a_mapping_has_each_key_once_and_no_list_as_key(pairs):
    with pytest.raises(ModelFileError, match="has a key twice, or one that is a list") as caught:
        from_json("p", {"pairs": pairs}, unfitted)
    assert caught.value.code == "M002"


@pytest.mark.parametrize("name", ["costs", "class_weight", "test_costs", "subsets", "intervals"])
def test_every_parameter_of_a_file_is_read_so(name):
    for value in ({}, {"pairs": [[{"tuple": [[1]]}, 1]]}, {"pairs": [[1, 1], [1, 2]]}):
        with pytest.raises(ModelFileError) as caught:
            load(forged(saved("costs"), parameters={name: value}))
        assert caught.value.code == "M002"


# -- whole models -------------------------------------------------------------------------------


def test_a_model_keeps_the_parameters_it_was_given():
    frame = mixed_frame(80)
    y = target(frame, "classification")
    loaded = load(forged(saved("costs")))
    assert loaded.costs == {("ill", "ok"): 5.0, ("well", "ill"): 0.5}
    assert loaded.class_weight == {"ill": 2.0, "well": 0.5}
    assert loaded.subsets == {"town": [("Mons", "Ath"), ["Namur"]]}
    assert loaded.intervals == {"height": [160.0, 170.0]}
    assert loaded.test_costs == {"born": 2.0}
    before = costly_tree().fit(frame, y)
    np.testing.assert_array_equal(loaded.predict(frame), before.predict(frame))
    assert to_bytes(loaded.fit(frame, y)) == to_bytes(before)


PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from branchline._saving._write import to_bytes
from branchline.tree import DecisionTreeClassifier
from common.tables import mixed_frame, target
frame = mixed_frame(80)
subsets = {"town": [{"Mons", "Ath", "Namur"}, frozenset({"Mons", "Ath"})]}
model = DecisionTreeClassifier(prune=None, subsets=subsets)
print(*(list(names) for names in subsets["town"]))
print(hashlib.sha256(to_bytes(model.fit(frame, target(frame, "classification")))).hexdigest())
"""


def test_sets_give_the_same_file_in_every_process():
    """The order of a set of text differs from process to process."""
    orders, files = set(), set()
    for seed in ("1", "4"):
        command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parents[2])]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        order, file = done.stdout.splitlines()
        orders.add(order)
        files.add(file)
    assert len(orders) == 2  # both sets in another order
    assert len(files) == 1
