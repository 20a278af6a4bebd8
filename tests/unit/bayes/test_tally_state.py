"""Saved models of naive Bayes: what is packed comes back, what no fit could give is refused."""

import copy
import pickle

import numpy as np
import pytest

from branchline.bayes import NaiveBayes
from branchline.bayes._tally_state import _from_text, _to_text
from branchline.errors import ModelFileError
from common.tables import mixed_frame, target


def fitted(**parameters):
    frame = mixed_frame(60)
    return NaiveBayes(**parameters).fit(frame, target(frame, "classification")), frame


@pytest.mark.parametrize("numeric", ["kernel", "gaussian", "binned", "auto"])
def test_what_is_packed_comes_back(numeric):
    model, frame = fitted(numeric=numeric)
    again = NaiveBayes(numeric=numeric)
    again.__dict__.update(again._unpack(copy.deepcopy(model._pack()), model.schema_))
    again.__dict__.update(schema_=model.schema_, n_features_in_=model.n_features_in_)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    y = target(frame, "classification")
    again.partial_fit(frame, y)
    model.partial_fit(frame, y)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize("number", [0, 1, -1, 6, -(3 << 1074), (2**4000 + 1) << 7, 5 << 2148])
def test_whole_numbers_as_text(number):
    assert _from_text(_to_text(number)) == number


@pytest.mark.parametrize(
    "text", ["", "p", "1", "0p1", "-0p0", "2p0", "01p0", "1p01", "1p99999", "1P3", "١p0", 3, None]
)
def test_other_text_is_refused(text):
    with pytest.raises(ModelFileError):
        _from_text(text)


def changed(state, path, value):
    state = copy.deepcopy(state)
    *way, last = path
    place = state
    for step in way:
        place = place[step]
    if callable(value):
        place[last] = value(place[last])
    else:
        place[last] = value
    return state


def first_raised(array):
    array = array.copy()
    array.flat[0] += 1
    return array


HEIGHT, TOWN = ("columns", 0), ("columns", 2)
FORGED = [
    (("n_rows",), 0),
    (("n_rows",), 61),
    (("n_rows",), True),
    (("n_rows",), 2.5),
    (("bits",), 1),
    (("bits",), "0"),
    (("is_whole",), 1),
    (("class_units",), lambda a: -a),
    (("class_units",), lambda a: a[:-1]),
    (("class_units",), lambda a: a.astype(float)),
    (("class_units",), lambda a: a * 0),
    (("class_units",), lambda a: a + 2**61),
    (("classes_are_given",), 1),
    (("columns",), lambda c: c[:-1]),
    (("columns",), {}),
    (HEIGHT, []),
    (TOWN, None),
    ((*TOWN, "units"), lambda a: a[:-1]),
    ((*TOWN, "units"), lambda a: a * 10),
    ((*TOWN, "units"), lambda a: a - 20),
    ((*TOWN, "units"), lambda a: a.astype(np.int32)),
    ((*TOWN, "units"), lambda a: a * 0 + 2**61),
    ((*TOWN, "more"), 1),
    ((*HEIGHT, "units"), first_raised),
    ((*HEIGHT, "units"), lambda a: a + 100),
    ((*HEIGHT, "firsts"), lambda t: t[:-1]),
    ((*HEIGHT, "firsts", 0), "zz"),
    ((*HEIGHT, "firsts", 0), "1p3000"),
    ((*HEIGHT, "seconds", 0), "0p0"),
    ((*HEIGHT, "seconds", 0), "1p9999"),
    ((*HEIGHT, "seconds", 0), "-1p2200"),
    ((*HEIGHT, "dropped"), 53),
    ((*HEIGHT, "dropped"), -1),
    ((*HEIGHT, "dropped"), True),
    ((*HEIGHT, "keys"), lambda a: a[::-1].copy()),
    ((*HEIGHT, "keys"), lambda a: a[:-1]),
    ((*HEIGHT, "keys"), lambda a: np.append(a[:-1], 2**63 - 1)),
    ((*HEIGHT, "keys"), lambda a: np.append(-(2**63), a[1:])),
    ((*HEIGHT, "cell_units"), first_raised),
    ((*HEIGHT, "cell_units"), lambda a: a * 0),
    ((*HEIGHT, "cell_units"), lambda a: a[:, :1]),
    ((*HEIGHT, "more"), 1),
]


@pytest.mark.parametrize(("path", "value"), FORGED)
def test_what_no_fit_could_give_is_refused(path, value):
    model, _ = fitted()
    state = changed(model._pack(), path, value)
    with pytest.raises(ModelFileError) as caught:
        model._unpack(state, model.schema_)
    assert caught.value.code == "M005"


def test_a_missing_part_is_refused():
    model, _ = fitted()
    for name in model._pack():
        state = {key: value for key, value in model._pack().items() if key != name}
        with pytest.raises(ModelFileError):
            model._unpack(state, model.schema_)


def test_priors_of_other_classes_are_refused():
    model, _ = fitted()
    model.set_params(priors={"one": 1.0})
    with pytest.raises(ModelFileError):
        model._unpack(model._pack(), model.schema_)


def test_values_are_needed_unless_gaussian_curves_are_fitted():
    model, _ = fitted(numeric="gaussian")
    with pytest.raises(ModelFileError):
        NaiveBayes(numeric="kernel")._unpack(model._pack(), model.schema_)


@pytest.mark.parametrize("n_rows", [60, 9_000])  # with single values, and with wide cells
def test_sums_must_be_those_of_the_values(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 1))
    model = NaiveBayes().fit(X, (X[:, 0] > 0).astype(int))
    packed = model._pack()
    assert (packed["columns"][0]["dropped"] > 0) == (n_rows > 4_096)
    model._unpack(packed, model.schema_)
    for name, times in (("firsts", 3), ("seconds", 3)):
        forged = _to_text(_from_text(packed["columns"][0][name][1]) * times)
        state = changed(packed, (*HEIGHT, name, 1), forged)
        if name == "firsts":  # squares large enough for the sum
            second = _to_text(_from_text(packed["columns"][0]["seconds"][1]) * times**2)
            state = changed(state, (*HEIGHT, "seconds", 1), second)
        with pytest.raises(ModelFileError, match="those of the values"):
            model._unpack(state, model.schema_)


def test_a_tampered_pickle_is_refused():
    model, _ = fitted()
    object.__setattr__(model._tally, "n_rows", -1)
    with pytest.raises(ModelFileError):
        pickle.loads(pickle.dumps(model))
