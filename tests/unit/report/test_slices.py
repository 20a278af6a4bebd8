"""Groups of rows in which a model errs more than elsewhere."""

import numpy as np
import pytest

from branchline import Table
from branchline.assess import Outcome
from branchline.report._slices import worst_slices


def _wrong(is_wrong):
    truth = np.zeros(len(is_wrong), dtype=int)
    return Outcome(truth, np.where(is_wrong, 1, 0), None, ("a", "b"), 1)


def test_a_planted_group_stands_out():
    rng = np.random.default_rng(0)
    town = rng.choice(["Ghent", "Mons", "Namur"], 600)
    is_wrong = rng.random(600) < np.where(town == "Mons", 0.6, 0.1)
    found = worst_slices(Table({"town": town, "x": rng.normal(size=600)}), _wrong(is_wrong))
    assert (found[0].column, found[0].label, found[0].stands_out) == ("town", "Mons", True)
    assert found[0].error.estimate == is_wrong[town == "Mons"].mean()
    assert not any(one.stands_out for one in found[1:])


def test_noise_does_not_stand_out():
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=500) for i in range(20)}
    found = worst_slices(Table(columns), _wrong(rng.random(500) < 0.3))
    assert len(found) == 8
    assert not any(one.stands_out for one in found)


def test_bias_of_numbers_by_quarter():
    x = np.arange(400.0)
    residual = np.where(x >= 300, 5.0, 0.0) + np.tile([-1.0, 1.0], 200)
    found = worst_slices(Table({"x": x}), Outcome(x + residual, x))
    assert found[0].label == "300 to 399"  # 299 belongs to the group before
    assert found[0].stands_out
    assert found[0].error.estimate == pytest.approx(5.0)


def test_missing_and_dates_have_readable_labels():
    days = np.datetime64("2021-01-01") + np.arange(80).astype("timedelta64[D]")
    holes = np.where(np.arange(80) < 40, np.nan, 1.0)
    table = Table({"day": days, "hole": holes})
    found = worst_slices(table, _wrong(np.arange(80) < 30), most=20)
    labels = {(one.column, one.label) for one in found}
    assert ("hole", "missing") in labels
    assert ("day", "2021-01-01 to 2021-01-20") in labels


def test_small_groups_are_left_alone():
    table = Table({"x": ["a"] * 30 + ["b"] * 5})
    assert [one.label for one in worst_slices(table, _wrong(np.arange(35) < 10))] == ["a"]
    assert worst_slices(Table({"x": [1.0, 2.0]}), _wrong(np.array([True, False]))) == ()
