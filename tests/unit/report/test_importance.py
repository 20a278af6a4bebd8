"""Importances in a report depend on the table, not on the speed of the machine."""

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import compare
from branchline.report._importance import _MOST_OUT_OF_BAG, _Work, measure_importances
from branchline.report._importance_pictures import importances_picture


@pytest.mark.parametrize(
    ("n_columns", "n_unseen", "n_repeats", "share"),
    [(20, 400, 5, 1.0), (20, 1_000, 2, 1.0), (50, 5_000, 1, 0.2), (1_000, 24, 2, 1.0)],
)
def test_the_work_follows_from_the_size(n_columns, n_unseen, n_repeats, share):
    work = _Work(n_columns, n_unseen, 50_000)
    assert (work.n_repeats, work.share) == (n_repeats, share)


def test_a_few_rows_are_used_whatever_the_number_of_columns():
    assert _Work(1_000, 10_000, 50_000).share * 10_000 == 50
    assert _Work(1_000, 1_000_000, _MOST_OUT_OF_BAG).share < 1
    assert _Work(1_000, 100_000, 50_000).share * 100_000 == 50
    assert _Work(1_000, 5_000, 5_000).share * 5_000 == 20


@pytest.mark.parametrize("learner", ["naive_bayes", "random_forest"])
def test_a_slow_machine_measures_the_same(learner, monkeypatch):
    found = compare(load_dataset("votes84"), "party", learners=learner, n_folds=3)
    model = found.fit(learner)
    first = measure_importances(found, model, 0.01)
    seconds = iter(range(0, 10_000_000, 100))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(seconds)))
    assert measure_importances(found, model, 1_000.0).found == first.found
    assert first.found is not None


def test_a_limited_time_leaves_it_out_where_a_fit_is_slow():
    table = load_dataset("votes84")
    found = compare(table, "party", learners="naive_bayes", n_folds=3, time_budget=600)
    measured = measure_importances(found, found.fit("naive_bayes"), 20.0)
    assert measured.why_not == "fitting the model once more takes too long"


def test_a_column_of_one_value_in_the_latest_rows_is_not_called_idle():
    rng = np.random.default_rng(0)
    day, x = np.arange(80), rng.normal(size=80)
    year, noise = np.where(day < 50, 2011.0, 2012.0), rng.normal(size=80)
    y = x + 2 * (year == 2012) + 0.1 * noise
    table = Table({"day": day, "year": year, "x": x, "y": y})
    found = compare(table, "y", learners="ridge", time_column="day", n_folds=4)
    measured = measure_importances(found, found.fit("ridge"), 0.01)
    assert measured.constant == ("year",)
    findings: Any = SimpleNamespace(measured=measured, is_baseline=False)
    (picture,) = importances_picture(findings)
    assert "“year” has one value in these rows" in picture.words
    assert ("year", "not known (one value)", "–") in picture.numbers.rows
