"""Loading forged files: sound containers with manifests and arrays that no fit produced."""

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
from branchline.errors import ModelFileError, ParameterError
from branchline.tree import Stump
from common.tables import mixed_frame, target
from fuzz.mutate_arrays import forge, take_apart
from saved_models import forged, refusal, saved

# -- manifest -----------------------------------------------------------------------------------


def with_manifest(content, edit):
    """Return the file with another text as manifest; the rest is sound."""
    entries = _container.read_entries(content)
    text = edit(entries[0].read().decode())
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return io.BytesIO(_container.pack_entries(data, [entry.read() for entry in entries[1:]]))


def test_a_newer_format_is_refused_with_the_way_out(sound):
    changed = with_manifest(sound, lambda text: text.replace('"format":1', '"format":3,"new":0'))
    error = refusal(changed)
    assert error.code == "M007"
    assert "upgrade" in error.repair.python


@pytest.mark.parametrize("version", ["0", "-1", "true", "1.0", '"1"', "null", "[1]"])
def test_what_is_no_format_version_is_refused(sound, version):
    changed = with_manifest(sound, lambda text: text.replace('"format":1', f'"format":{version}'))
    assert refusal(changed).code == "M002"


def swap(old, new):
    return lambda text: text.replace(old, new)


TEXT_EDITS = {
    "not JSON": lambda text: text[:-1],
    "two values": lambda text: text + text,
    "a list": lambda text: f"[{text}]",
    "a number": lambda text: "1",
    "UTF-16": lambda text: text.encode("utf-16"),
    "byte-order mark": lambda text: "\ufeff" + text,
    "not UTF-8": lambda text: text.encode() + b"\xff",
    "NaN": swap('"min_samples_leaf":1', '"min_samples_leaf":NaN'),
    "infinity": swap('"min_samples_leaf":1', '"min_samples_leaf":-Infinity'),
    "overflow": swap('"min_samples_leaf":1', '"min_samples_leaf":1e999'),
    "65 bits": swap('"min_samples_leaf":1', f'"min_samples_leaf":{2**64}'),
    "5000 digits": swap('_leaf":1', '_leaf":' + "9" * 5000),
    "doubled key": swap('"split":', '"split":"binary","split":'),
    "deep": swap('"n_jobs":null', '"n_jobs":' + "[" * 10**5 + "]" * 10**5),
    "half of a pair": swap('"Mons"', '"Mons\\ud83d"'),
    "raw half of a pair": swap('"Mons"', '"Mons\ud83d"'),
    "extra part": swap('{"format"', '{"more":1,"format"'),
    "no part": swap('"branchline":"0.2.0",', ""),
    "null class": swap('"DecisionTreeClassifier"', "null"),
    "other class": swap('"DecisionTreeClassifier"', '"Pipeline"'),
    "path as class": swap('"DecisionTreeClassifier"', '"os.system"'),
    "class of other parameters": swap("TreeClassifier", "TreeRegressor"),
    "parameter value": swap('"gini"', '"ginny"'),
    "parameter type": swap('"min_samples_leaf":1', '"min_samples_leaf":true'),
    "parameter list": swap('"n_jobs":null', '"n_jobs":[1]'),
    "no threads": swap('"n_jobs":null', '"n_jobs":0'),
    "too many threads": swap('"n_jobs":null', '"n_jobs":1000000'),
    "threads as text": swap('"n_jobs":null', '"n_jobs":"all"'),
    "long text": swap('"gini"', '"' + "g" * 10**6 + '"'),
    "no parameter": swap('"n_jobs":null,', ""),
    "unused array": swap(',"leaf_content":{"$array":6}', ""),
    "array used twice": swap('{"$array":6}', '{"$array":5}'),
    "array that is not there": swap('{"$array":6}', '{"$array":7}'),
    "arrays in another order": swap('{"$array":5}', '{"$array":6}'),
    "mapping as parameter": swap('"n_jobs":null', '"n_jobs":{"pairs":[]}'),
    "tuple as parameter": swap('"max_depth":1', '"max_depth":{"tuple":[1]}'),
    "mapping of lists": swap('"costs":null', '"costs":{"pairs":[[{"tuple":[[1]]},1]]}'),
    "mapping with a key twice": swap('"costs":null', '"costs":{"pairs":[[1,1],[true,2]]}'),
    "mapping of another kind": swap('"costs":null', '"costs":{"pairs":[[1,2,3]]}'),
    "costs as text": swap('"costs":null', '"costs":"high"'),
    "class weight as list": swap('"class_weight":null', '"class_weight":[1,2]'),
    "no depth": swap('"max_depth":1', '"max_depth":0'),
    "pruned in another way": swap('"prune":null', '"prune":"hard"'),
    "array by truth value": swap('{"$array":1}', '{"$array":true}'),
    "list as dtype": swap('"dtype":"uint8"', '"dtype":["uint8"]'),
    "object dtype": swap('"dtype":"uint8"', '"dtype":"object"'),
    "more in a declaration": swap('{"dtype"', '{"a":1,"dtype"'),
    "number as checksum": swap('"sha256":"', '"sha256":1,"x":"'),
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


@pytest.mark.parametrize("value", [{}, {"a": 1}, {"tuple": 1}, [[[[[[[[[1]]]]]]]]], "x" * 1001])
def test_parameters_are_plain_values_lists_or_mappings(value):
    parameters = Stump().get_params() | {"n_jobs": value}
    with pytest.raises(ModelFileError, match="'n_jobs' is not a plain value"):
        unfitted("DecisionTreeClassifier", parameters)


@pytest.mark.parametrize("value", [[1], {"pairs": []}, {"tuple": [1]}, "all", 0, 2**15 + 1, True])
def test_parameters_are_of_the_kind_that_the_estimator_takes(value):
    parameters = Stump().get_params() | {"n_jobs": value}
    with pytest.raises(ModelFileError, match="a parameter is not allowed"):
        unfitted("DecisionTreeClassifier", parameters)


def test_what_only_a_fit_can_check_is_loaded_and_checked_by_the_next_fit():
    """Whether costs fit the classes is seen when there are classes; nothing uses them before."""
    model = load(forged(saved("costs"), parameters={"costs": {"pairs": [["nobody", 1]]}}))
    assert model.costs == {"nobody": 1}
    frame = mixed_frame(80)
    before = load(forged(saved("costs")))
    np.testing.assert_array_equal(model.predict(frame), before.predict(frame))
    with pytest.raises(ParameterError, match="'costs'"):
        model.fit(frame, target(frame, "classification"))


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


def test_values_that_are_nested_too_deep_are_refused():
    deep = 1
    for _ in range(60):
        deep = [deep]
    with pytest.raises(ModelFileError, match="too deep"):
        load(forged(saved("stump"), {"more": deep}))
