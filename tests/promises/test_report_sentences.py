"""Sentences of a report that once contradicted each other, or had to be read twice."""

import re

import numpy as np
import pytest

from branchline import Table
from branchline.assess import compare
from branchline.report import report_html, report_markdown

pytestmark = pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    table = Table({"a": rng.normal(size=40), "sex": np.tile(["m", "f"], 20)})
    return compare(table, np.repeat(["no", "yes"], 20), learners="stump", n_folds=4, by="sex")


@pytest.fixture(scope="module")
def exact():
    rng = np.random.default_rng(1)
    table = Table({"a": rng.normal(size=60), "b": rng.normal(size=60), "c": rng.normal(size=60)})
    y = 3 * np.asarray(table.column("a").values) + np.asarray(table.column("b").values)
    return compare(table, y, learners="least_squares", n_folds=4)


def test_the_baseline_is_named_once_and_has_no_curves(noise):
    assert noise.recommendation.learner == "baseline"
    text = report_html(noise)
    assert "the the" not in text
    assert "ROC curve" not in text


def test_a_slope_of_one_is_not_called_extreme(exact):
    text = report_markdown(exact)
    assert re.search(r"slope of true on predicted \| +1\.000", text)
    assert "slope below 1" not in text
    assert "slope above 1" not in text


def test_parts_that_are_rounding_are_not_listed(exact):
    text = report_markdown(exact)
    assert "c = " not in text


def test_all_columns_of_a_wide_table_are_set_small(noise):
    text = report_html(noise)
    assert re.search(r'<table class="dense( cards)?">', text)
    assert ".dense th" in text


def test_two_groups_that_differ_are_compared_with_each_other():
    rng = np.random.default_rng(2)
    n_rows = 400
    sex = np.tile(["m", "f"], n_rows // 2)
    x = rng.normal(size=n_rows)
    noise = np.where(sex == "m", rng.random(n_rows) < 0.02, rng.random(n_rows) < 0.45)
    y = np.where((x > 0) ^ noise, "yes", "no")
    table = Table({"x": x, "sex": sex})
    found = compare(table, y, learners="stump", n_folds=4, by="sex")
    assert found.subgroups("sex", "stump").sentence == "stump is worse for f than for m."
