"""Loading forged files: sound containers with manifests and values that no fit produced."""

import hashlib
import io
import json

import numpy as np
import pytest

from branchline import load
from branchline._saving import _container
from branchline._saving._classes import unfitted
from branchline._saving._manifest import read_manifest
from branchline._saving._write import to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import ModelFileError
from branchline.tree import OneRule, Stump
from common.tables import mixed_frame, target
from fuzz.mutate_arrays import forge, take_apart
from saved_models import refusal

# -- manifest -----------------------------------------------------------------------------------


def with_manifest(content, edit):
    """Return the file with another text as manifest; the rest is sound."""
    entries = _container.read_entries(content)
    text = edit(entries[0].read().decode())
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return io.BytesIO(_container.pack_entries(data, [entry.read() for entry in entries[1:]]))


def test_a_newer_format_is_refused_with_the_way_out(sound):
    changed = with_manifest(sound, lambda text: text.replace('"format":1', '"format":2,"new":0'))
    error = refusal(changed)
    assert error.code == "M007"
    assert "upgrade" in error.repair.python


@pytest.mark.parametrize("version", ["0", "-1", "true", "1.0", '"1"', "null", "[1]"])
def test_what_is_no_format_version_is_refused(sound, version):
    changed = with_manifest(sound, lambda text: text.replace('"format":1', f'"format":{version}'))
    assert refusal(changed).code == "M002"


TEXT_EDITS = {
    "not JSON": lambda text: text[:-1],
    "two values": lambda text: text + text,
    "a list": lambda text: f"[{text}]",
    "a number": lambda text: "1",
    "UTF-16": lambda text: text.encode("utf-16"),
    "byte-order mark": lambda text: "\ufeff" + text,
    "not UTF-8": lambda text: text.encode() + b"\xff",
    "NaN": lambda text: text.replace('"min_samples_leaf":1', '"min_samples_leaf":NaN'),
    "infinity": lambda text: text.replace('"min_samples_leaf":1', '"min_samples_leaf":-Infinity'),
    "overflow": lambda text: text.replace('"min_samples_leaf":1', '"min_samples_leaf":1e999'),
    "65 bits": lambda text: text.replace('"min_samples_leaf":1', f'"min_samples_leaf":{2**64}'),
    "5000 digits": lambda text: text.replace('_leaf":1', '_leaf":' + "9" * 5000),
    "doubled key": lambda text: text.replace('"split":', '"split":"binary","split":'),
    "deep": lambda text: text.replace('"n_jobs":null', '"n_jobs":' + "[" * 10**5 + "]" * 10**5),
    "half of a pair": lambda text: text.replace('"Mons"', '"Mons\\ud83d"'),
    "raw half of a pair": lambda text: text.replace('"Mons"', '"Mons\ud83d"'),
    "extra part": lambda text: text.replace('{"format"', '{"more":1,"format"'),
    "no part": lambda text: text.replace('"branchline":"0.1.0",', ""),
    "null class": lambda text: text.replace('"DecisionTreeClassifier"', "null"),
    "other class": lambda text: text.replace('"DecisionTreeClassifier"', '"Pipeline"'),
    "path as class": lambda text: text.replace('"DecisionTreeClassifier"', '"os.system"'),
    "class of other parameters": lambda text: text.replace("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "parameter value": lambda text: text.replace('"gini"', '"ginny"'),
    "parameter type": lambda text: text.replace('"min_samples_leaf":1', '"min_samples_leaf":true'),
    "parameter list": lambda text: text.replace('"n_jobs":null', '"n_jobs":[1]'),
    "no threads": lambda text: text.replace('"n_jobs":null', '"n_jobs":0'),
    "too many threads": lambda text: text.replace('"n_jobs":null', '"n_jobs":1000000'),
    "threads as text": lambda text: text.replace('"n_jobs":null', '"n_jobs":"all"'),
    "long text": lambda text: text.replace('"gini"', '"' + "g" * 10**6 + '"'),
    "no parameter": lambda text: text.replace('"n_jobs":null,', ""),
    "unused array": lambda text: text.replace(',"weight":{"$array":8}', ""),
    "array used twice": lambda text: text.replace('{"$array":8}', '{"$array":7}'),
    "array that is not there": lambda text: text.replace('{"$array":9}', '{"$array":10}'),
    "array by truth value": lambda text: text.replace('{"$array":1}', '{"$array":true}'),
    "list as dtype": lambda text: text.replace('"dtype":"uint8"', '"dtype":["uint8"]'),
    "object dtype": lambda text: text.replace('"dtype":"uint8"', '"dtype":"object"'),
    "more in a declaration": lambda text: text.replace('{"dtype"', '{"a":1,"dtype"'),
    "number as checksum": lambda text: text.replace('"sha256":"', '"sha256":1,"x":"'),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXT_EDITS)
def test_a_manifest_that_is_not_quite_one_is_refused(sound, kind):
    changed = with_manifest(sound, TEXT_EDITS[kind])
    assert changed.getvalue() != sound
    assert refusal(changed).code == "M002"


def test_every_array_is_referred_to(sound):
    manifest, arrays = take_apart(sound)
    error = refusal(io.BytesIO(forge(manifest, [*arrays, np.zeros(3)])))
    assert error.code == "M002"
    assert "nothing refers to" in error.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1e999", "beyond all bounds"),
        ("-1e999", "beyond all bounds"),
        ("NaN", "holds NaN"),
        ("Infinity", "holds Infinity"),
        ("18446744073709551616", "beyond 64 bits"),
        ("-9223372036854775809", "beyond 64 bits"),
        ("9" * 5000, "beyond 64 bits"),
        ('{"a":1,"a":1}', "a key twice"),
        ('"\\ud800"', "not JSON"),
        ("[" * 10**5, "not JSON"),
    ],
)
def test_the_manifest_is_strict_about_numbers_and_keys(text, words):
    with pytest.raises(ModelFileError, match=words):
        read_manifest(b'{"format":1,"more":[' + text.encode() + b"]}")


@pytest.mark.parametrize("text", ["18446744073709551615", "-9223372036854775808", "1e308", "-0.0"])
def test_numbers_of_64_bits_pass(text):
    with pytest.raises(ModelFileError, match="has one too many"):
        read_manifest(b'{"format":1,"more":[' + text.encode() + b"]}")


@pytest.mark.parametrize("value", [[1], {}, {"a": 1}, "x" * 1001])
def test_parameters_are_plain_values(value):
    parameters = Stump().get_params() | {"n_jobs": value}
    with pytest.raises(ModelFileError, match="'n_jobs' is no plain value"):
        unfitted("DecisionTreeClassifier", parameters)


def test_a_value_that_no_part_of_the_model_uses_is_refused(sound):
    changed = with_manifest(sound, lambda text: text.replace('"fitted":{', '"fitted":{"more":1,'))
    assert refusal(changed).code == "M005"


def test_a_schema_without_columns_is_refused():
    content = to_bytes(MeanRegressor().fit([[1.0]], [2.0]))
    manifest, arrays = take_apart(content)
    manifest["schema"]["columns"] = []
    assert refusal(io.BytesIO(forge(manifest, arrays))).code == "M004"


@pytest.mark.parametrize("value", [1, True, "1.5", None, [1.5], 10**300, {"$array": 0}])
def test_a_mean_is_a_finite_float(value):
    manifest, arrays = take_apart(to_bytes(MeanRegressor().fit([[1.0]], [2.0])))
    manifest["fitted"]["mean"] = value
    assert refusal(io.BytesIO(forge(manifest, arrays))).code in {"M002", "M005"}


# -- arrays -------------------------------------------------------------------------------------


def test_a_wrong_checksum_is_refused(sound):
    manifest, _ = take_apart(sound)
    said = manifest["arrays"][0]["sha256"]
    changed = with_manifest(sound, lambda text: text.replace(said, hashlib.sha256().hexdigest()))
    assert "checksum" in refusal(changed).message


@pytest.mark.parametrize(
    "shape",
    [[], [2], [4], [3, 1], [1, 3], [3, 1, 1], [-3], [True], [3.0], [0, 2**39], [2**62], 3, None],
)
def test_a_wrong_shape_is_refused(sound, shape):
    assert '"shape":[3]' in _container.read_entries(sound)[0].read().decode()
    changed = with_manifest(
        sound, lambda text: text.replace('"shape":[3]', f'"shape":{json.dumps(shape)}', 1)
    )
    assert refusal(changed).code in {"M002", "M005"}


def test_a_truth_value_is_0_or_1():
    X, y = [[0.0], [1.0]], [False, True]
    manifest, arrays = take_apart(to_bytes(MajorityClassifier().fit(X, y)))
    arrays[0] = np.array([0, 2], dtype=np.uint8).view(np.bool_)
    assert refusal(io.BytesIO(forge(manifest, arrays))).code == "M005"


@pytest.fixture(scope="module")
def trees():
    """A stump on a threshold, one on categories (multiway), and the names of their arrays."""
    frame = mixed_frame(80)
    cut = Stump().fit(frame[["height"]], target(frame, "classification"))
    among = OneRule(min_samples_leaf=2).fit(frame[["town"]], target(frame, "classification"))
    number = Stump(task="regression").fit(frame[["height"]], target(frame, "regression"))
    return {"cut": to_bytes(cut), "among": to_bytes(among), "number": to_bytes(number)}


def forged_tree(content, **values):
    """Return a file with other values: an array, or a dictionary of places and values."""
    manifest, arrays = take_apart(content)
    place_of = {
        name: value["$array"]
        for name, value in manifest["fitted"].items()
        if isinstance(value, dict) and "$array" in value
    }
    for name, value in values.items():
        if name not in place_of:
            manifest["fitted"][name] = value
        elif isinstance(value, dict):
            for where, what in value.items():
                arrays[place_of[name]][where] = what
        else:
            arrays[place_of[name]] = value.astype(arrays[place_of[name]].dtype)
    return io.BytesIO(forge(manifest, arrays))


IMPOSSIBLE = {
    "unknown kind": ("cut", {"kind": {1: 3}}),
    "no nodes": ("cut", {name: np.zeros(0) for name in ("kind", "feature", "threshold")}),
    "NaN threshold": ("cut", {"threshold": {0: np.nan}}),
    "threshold of minus infinity": ("cut", {"threshold": {0: -np.inf}}),
    "threshold at a leaf": ("cut", {"threshold": {1: 1.0}}),
    "NaN threshold at a leaf": ("cut", {"threshold": {1: np.nan}}),
    "feature out of range": ("cut", {"feature": {0: 1}}),
    "negative feature": ("cut", {"feature": {0: -1}}),
    "feature at a leaf": ("cut", {"feature": {1: 0}}),
    "own child": ("cut", {"first_child": {0: 0}}),
    "child before": ("cut", {"first_child": {0: -1}}),
    "child beyond the end": ("cut", {"first_child": {0: 2}}),
    "three branches of a threshold": ("cut", {"n_children": {0: 3}}),
    "one branch": ("cut", {"n_children": {0: 1}}),
    "no branch": ("cut", {"n_children": {0: 0}}),
    "huge number of branches": ("cut", {"n_children": {0: 2**31 - 1}}),
    "leaf with children": ("cut", {"n_children": {1: 2}}),
    "leaf with first child": ("cut", {"first_child": {2: 1}}),
    "missing branch out of range": ("cut", {"missing_branch": {0: 2}}),
    "missing branch below −1": ("cut", {"missing_branch": {0: -2}}),
    "missing branch at a leaf": ("cut", {"missing_branch": {1: 0}}),
    "pool without categories": ("cut", {"pool": np.zeros(1)}),
    "pool offset at a threshold": ("cut", {"pool_offset": {0: 1}}),
    "test of categories on a number": ("cut", {"kind": {0: 2}}),
    "test of a number on categories": ("among", {"kind": {0: 1}}),
    "branch out of range": ("among", {"pool": {0: 9}}),
    "branch below −1": ("among", {"pool": {0: -2}}),
    "pool too short": ("among", {"pool": np.zeros(3)}),
    "pool too long": ("among", {"pool": np.zeros(5)}),
    "pool offset": ("among", {"pool_offset": {0: 1}}),
    "negative pool offset": ("among", {"pool_offset": {0: -1}}),
    "huge pool offset": ("among", {"pool_offset": {0: 2**62}}),
    "negative weight": ("cut", {"weight": {0: -1.0}}),
    "NaN weight": ("cut", {"weight": {0: np.nan}}),
    "infinite weight": ("cut", {"weight": {0: np.inf}}),
    "frequencies of another sum": ("cut", {"value": {(0, 0): 0.99}}),
    "negative frequency": ("cut", {"value": {0: [1.5, -0.5, 0.0]}}),
    "NaN frequency": ("cut", {"value": {(0, 0): np.nan}}),
    "infinite mean": ("number", {"value": {0: np.inf}}),
    "NaN mean": ("number", {"value": {0: np.nan}}),
    "fewer values": ("cut", {"value": np.full((2, 3), 1 / 3)}),
    "other width": ("cut", {"value": np.full((3, 2), 0.5)}),
    "one dimension": ("cut", {"value": np.full(9, 1 / 3)}),
    "no classes": ("cut", {"classes": []}),
    "classes out of order": ("cut", {"classes": ["b", "a", "c"]}),
    "doubled class": ("cut", {"classes": ["a", "a", "c"]}),
    "one class more": ("cut", {"classes": ["a", "b", "c", "d"]}),
    "numbers in a list": ("cut", {"classes": [1, 2, 3]}),
    "mixed objects": ("cut", {"classes": {"objects": [1, "b", "c"]}}),
    "no objects": ("cut", {"classes": {"objects": []}}),
    "lists as objects": ("cut", {"classes": {"objects": [["a"], ["b"], ["c"]]}}),
    "strange objects": ("cut", {"classes": {"things": ["a", "b", "c"]}}),
    "class that ends in NUL": ("cut", {"classes": ["a", "b", "c\0"]}),
    "text as classes": ("cut", {"classes": "abc"}),
    "null as classes": ("cut", {"classes": None}),
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_values_that_no_fit_could_have_produced_are_refused(trees, kind):
    which, values = IMPOSSIBLE[kind]
    load(forged_tree(trees[which]))
    assert refusal(forged_tree(trees[which], **values)).code == "M005"


def test_a_stump_has_one_test(trees):
    """Sound arrays of a deeper tree: no stump could have grown it."""
    deeper = {
        "kind": np.array([1, 1, 0, 0, 0]),
        "feature": np.array([0, 0, -1, -1, -1]),
        "threshold": np.array([1.0, 0.5, 0, 0, 0]),
        "first_child": np.array([1, 3, -1, -1, -1]),
        "n_children": np.array([2, 2, 0, 0, 0]),
        "missing_branch": np.array([0, 0, -1, -1, -1]),
        "pool_offset": np.zeros(5),
        "pool": np.zeros(0),
        "weight": np.ones(5),
        "value": np.ones((5, 1)),
    }
    error = refusal(forged_tree(trees["number"], **deeper))
    assert error.code == "M005"
    assert "more than 1 tests" in error.message


@pytest.mark.parametrize(
    ("classes", "prior"),
    [
        ([0.0, 1.0], [0.5, 0.6]),
        ([0.0, 1.0], [1.5, -0.5]),
        ([0.0, 1.0], [np.nan, 1.0]),
        ([0.0, 1.0], [1.0]),
        ([0.0, np.nan], [0.5, 0.5]),
        ([0.0, np.inf], [0.5, 0.5]),
        ([np.nan], [1.0]),
        ([0.0, 0.5], [0.5, 0.5]),
        ([1.0, 0.0], [0.5, 0.5]),
        ([[0.0, 1.0]], [0.5, 0.5]),
        ([], []),
    ],
)
def test_class_frequencies_belong_to_classes_and_have_a_sum_of_1(classes, prior):
    manifest, _ = take_apart(to_bytes(MajorityClassifier().fit([[1.0], [2.0]], [0.0, 1.0])))
    forged = forge(manifest, [np.array(classes), np.array(prior, dtype=float)])
    assert refusal(io.BytesIO(forged)).code == "M005"
