"""Trees as text: what is printed is what the model does."""

import datetime

import numpy as np
import pandas as pd
import pytest

from branchline.tree import OneRule, StumpClassifier, StumpRegressor


def test_a_threshold_has_as_many_digits_as_it_needs() -> None:
    X = {"income": [1_000_001, 1_000_002, 1_000_003, 1_000_004]}
    assert StumpClassifier().fit(X, list("aabb")).to_text().startswith("income ≤ 1000002.5")


def test_large_counts_and_means_are_written_out() -> None:
    model = StumpRegressor().fit({"x": [0, 1]}, [12_345_678.0, 99.5], sample_weight=[1_500_000, 1])
    lines = model.to_text().splitlines()
    assert lines[1] == "  yes or missing: 12,345,678 (mean of 1,500,000)"
    assert lines[2] == "  no: 99.5 (mean of 1)"


def test_dates_are_cut_at_dates() -> None:
    days = [datetime.date(2020, 7, day) for day in (15, 16, 18, 19)]
    assert StumpClassifier().fit({"d": days}, list("aabb")).to_text().startswith("d ≤ 2020-07-17")
    noon = pd.to_datetime(["2020-07-15 10:00", "2020-07-15 14:00"])
    model = StumpClassifier().fit(pd.DataFrame({"t": noon}), list("ab"))
    assert model.to_text().startswith("t ≤ 2020-07-15T12:00:00")


def test_names_that_could_be_misread_are_quoted() -> None:
    towns = ["Albany, NY", "missing", "a or b", "line\nend", "plain"]
    model = StumpClassifier(split="multiway").fit({"town": towns * 2}, list("abcde") * 2)
    labels = [line.split(":")[0].strip() for line in model.to_text().splitlines()[1:]]
    assert labels == ["'Albany, NY'", "'a or b'", "'line\\nend'", "'missing'", "plain"]


def test_many_branches_are_cut_short() -> None:
    names = [f"n{number:03}" for number in range(200)]
    model = StumpClassifier(split="multiway").fit({"n": names * 2}, np.arange(400) % 2)
    assert len(model.to_text().splitlines()) < 60


def test_one_rule_refuses_misspelt_parameters_as_classes_do() -> None:
    with pytest.raises(TypeError, match="Did you mean 'min_samples_leaf'"):
        OneRule(min_sample_leaf=3)
