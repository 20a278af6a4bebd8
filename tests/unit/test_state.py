"""Packed values: what comes back is what went in, or an error that says what is wrong."""

import numpy as np
import pytest

from branchline import _state
from branchline.errors import ModelFileError


def refusal(check, *values, **options):
    with pytest.raises(ModelFileError) as caught:
        check(*values, **options)
    assert caught.value.code == "M005"
    return caught.value.message


@pytest.mark.parametrize("value", [0.5, -0.0, 5e-324, 1.7e308, np.float64(2.5)])
def test_a_number_is_a_finite_float(value):
    assert _state.number_from_state({"n": value}, "n") == value


@pytest.mark.parametrize("value", [None, 1, True, "1", [1.0], float("nan"), float("inf"), 10**400])
def test_what_is_no_finite_float_is_refused(value):
    assert "'n' is not a finite number" in refusal(_state.number_from_state, {"n": value}, "n")


def test_numbers_lie_within_their_bounds():
    state = {"n": np.array([0.0, 0.5, 1.0])}
    assert _state.numbers_from_state(state, "n", length=3, low=0, high=1) is state["n"]
    for bounds in ({"low": 0.1}, {"high": 0.9}):
        assert "out of range" in refusal(_state.numbers_from_state, state, "n", length=3, **bounds)
    for odd in (np.nan, np.inf, -np.inf):
        wrong = {"n": np.array([0.0, odd])}
        assert "out of range" in refusal(_state.numbers_from_state, wrong, "n", length=2)


def test_an_array_has_its_dtype_length_and_stands_in_one_piece():
    floats = np.dtype(np.float64)
    state = {"n": np.arange(6.0)}
    assert _state.array_from_state(state, "n", floats, length=6) is state["n"]
    assert "6 values instead of 5" in refusal(_state.array_from_state, state, "n", floats, length=5)
    strided = {"n": np.arange(6.0)[::2]}
    assert "one after the other" in refusal(_state.array_from_state, strided, "n", floats)
    for wrong in (None, [1.0], 1.0, np.arange(3), np.ones((2, 2)), np.arange(3.0).astype(">f8")):
        assert "is not a row of" in refusal(_state.array_from_state, {"n": wrong}, "n", floats)


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ([1.0], True),
        ([0.25, 0.75], True),
        ([0.0, 1.0], True),
        ([1 / 3] * 3, True),
        ([0.5, 0.4], False),
        ([1.5, -0.5], False),
        ([], False),
        ([np.nan, 1.0], False),
    ],
)
def test_frequencies_lie_between_0_and_1_and_have_a_sum_of_1(row, answer):
    assert _state.are_frequencies(np.array(row)) is answer
    assert _state.are_frequencies(np.array([row, row])) is answer


CLASSES = [
    np.array(["a", "b"]),
    np.array(["a", "b\0"], dtype=object),
    np.array([False, True]),
    np.array([False, True], dtype=object),
    np.array([1, 2, 3], dtype=np.uint8),
    np.array([1, 2**62], dtype=object),
    np.array([1.0, 2.0]),
    np.array([0.5, 1.5], dtype=object),
    np.array([np.int64(1), np.int64(2)], dtype=object),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.array([b"a", b"b"]),
    np.array([1, 2.5], dtype=object),
]


@pytest.mark.parametrize("classes", CLASSES, ids=repr)
def test_classes_come_back(classes):
    again = _state.classes_from_state({"classes": _state.classes_to_state(classes)})
    assert again.dtype == classes.dtype
    np.testing.assert_array_equal(again, classes)


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (None, "class names are missing"),
        ("ab", "class names are missing"),
        ([], "class names are missing"),
        (np.array([]), "class names are missing"),
        (np.array([[1, 2]]), "class names are missing"),
        (np.array(1), "class names are missing"),
        ({}, "class names are missing"),
        ({"objects": "ab"}, "class names are missing"),
        ({"objects": ["a"], "more": 1}, "class names are missing"),
        ({"objects": []}, "of one kind"),
        ({"objects": ["a", 1]}, "of one kind"),
        ({"objects": [None]}, "of one kind"),
        ([1, 2], "must be text"),
        (["a", None], "must be text"),
        (["a", "b\0"], "ends in NUL"),
        (["b", "a"], "different and in order"),
        (["a", "a"], "different and in order"),
        (np.array([2, 1]), "different and in order"),
        ({"objects": [True, False]}, "different and in order"),
        (np.array([0.5, 1.0]), "must be whole"),
        (np.array([1.0, np.nan]), "must be whole"),
        (np.array([1.0, np.inf]), "not a finite number"),
        ({"objects": [1.5, float("inf")]}, "not a finite number"),
        (np.array([1, "a", None], dtype=object), "put in order"),
    ],
)
def test_what_are_no_classes_is_refused(packed, words):
    assert words in refusal(_state.classes_from_state, {"classes": packed})
