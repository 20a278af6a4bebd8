"""Targets at the door: what is missing, odd or named comes out right or is refused."""

from typing import Any

import numpy as np
import pytest

from branchline import Table
from branchline._validation import _target
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import BranchlineError

X = [[1.0], [2.0], [3.0], [4.0]]
DAYS = np.array(["2020-01-01", "2020-01-03", "2020-01-05", "2020-01-07"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    "y",
    [
        np.where([True, False, True, True], DAYS, np.datetime64("NaT", "D")),
        ["1", "nan", "3", "4"],
        np.array([1, "nan", 3, 4], dtype=object),
        np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[False, True, False, False]),
    ],
)
def test_missing_numbers_are_refused_however_they_are_written(y: Any) -> None:
    with pytest.raises(BranchlineError) as caught:
        MeanRegressor().fit(X, y)
    assert (caught.value.code, caught.value.rows) == ("D071", (1,))


def test_a_class_that_is_no_moment_is_refused() -> None:
    with pytest.raises(BranchlineError) as caught:
        MajorityClassifier().fit(
            X, np.where([True, False, True, True], DAYS, np.datetime64("NaT", "D"))
        )
    assert caught.value.code == "D071"


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_are_days_whatever_their_unit(unit: str) -> None:
    assert MeanRegressor().fit(X, DAYS.astype(f"datetime64[{unit}]")).mean_ == 18_265


@pytest.mark.parametrize(
    ("y", "code"),
    [
        (np.array([10**400, 1, 2, 3], dtype=object), "D072"),
        ([[1], [2, 3], [3], [4]], "D074"),
    ],
)
def test_unusable_numbers_have_a_code(y: Any, code: str) -> None:
    with pytest.raises(BranchlineError) as caught:
        MeanRegressor().fit(X, y)
    assert caught.value.code == code


def test_a_column_a_table_and_an_array_give_the_same_classes() -> None:
    table = Table({"a": [1, 2, 3, 4], "b": [True, False, True, True], "c": ["x", "y", "x", "x"]})
    for name in table.names:
        forms = [table[name], table.select(name), table.split_target(name)[1]]
        found = [MajorityClassifier().fit(X, y).classes_ for y in forms]
        assert [classes.dtype for classes in found] == [found[0].dtype] * 3
        assert [classes.tolist() for classes in found] == [found[0].tolist()] * 3
    assert found[0].tolist() == ["x", "y"]


@pytest.mark.parametrize("block", [1, 3, 1000])
@pytest.mark.parametrize(
    "names",
    [
        np.array(["b", "a", "c", "a", "longer", "b", "a"]),
        np.array([3, 1, 2, 1, 9, 3, -4], dtype=np.int8),
        np.array([2.0, 1.0, -0.0, 0.0, 7.0, 2.0, 1.0]),
        np.array([True, False, True]),
    ],
)
def test_classes_are_numbered_block_by_block(
    names: Any, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, numbers = np.unique(names, return_inverse=True)
    monkeypatch.setattr(_target, "_BLOCK", block)
    found = _target.classes_of(names)
    assert found.classes.dtype == expected.dtype
    assert found.classes.tolist() == expected.tolist()
    assert found.class_of_row.tolist() == numbers.tolist()
    assert found.class_of_row.dtype == np.uint32


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("n_classes", [1, 2, 200])
def test_whole_numbers_are_counted_as_they_are_sorted(kind: str, n_classes: int) -> None:
    drawn = np.random.default_rng(n_classes).integers(0, n_classes, 1000)
    shift = {"i": -100, "u": 2**63 if kind == "uint64" else 50, "b": 0}[np.dtype(kind).kind]
    names = (drawn.astype(np.uint64) + np.uint64(shift % 2**64)).astype(kind)[::2]
    counted = _target._counted(names)
    assert counted is not None
    classes, places = np.unique(names, return_inverse=True)
    assert counted[0].dtype == classes.dtype
    assert counted[1].dtype == np.uint32
    np.testing.assert_array_equal(counted[0], classes)
    np.testing.assert_array_equal(counted[1], places)


def test_whole_numbers_that_are_far_apart_are_sorted() -> None:
    assert _target._counted(np.array([-128, 127] * 10, dtype=np.int8)) is None
    assert _target._counted(np.array([0, 2**63, 1], dtype=np.uint64)) is None
    counted = _target._counted(np.array([-128, 127] * 200, dtype=np.int8))
    assert counted is not None
    np.testing.assert_array_equal(counted[0], [-128, 127])
    np.testing.assert_array_equal(counted[1], [0, 1] * 200)
