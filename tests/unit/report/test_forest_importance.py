"""A recommended forest is measured by the trees that have not seen a row."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import load, load_dataset
from branchline.assess import compare
from branchline.forest import ExtraTreesRegressor, RandomForestClassifier
from branchline.report import report_document, report_html, report_markdown
from branchline.report._forest_importance import (
    has_out_of_bag,
    importances_out_of_bag,
    out_of_bag_rows,
)


def test_importances_are_those_out_of_bag(forest):
    model = forest.fit()
    told = report_document(forest, model=model)["model"]
    found = model.oob_importance()
    first = told["importances"]["columns"][0]
    assert told["importances_are_out_of_bag"] is True
    assert told["importances"]["metric"] == "rmse"  # the metric that decides
    said, truth = model.oob_prediction_, forest.problem.target
    before = np.sqrt(np.mean((said - truth) ** 2))
    assert told["importances"]["score"] == pytest.approx(before)
    assert first["column"] == found.to_rows()[0]["column"]
    after = np.sqrt(before**2 + found.mean.max() * np.var(truth))
    assert first["loss"]["estimate"] == pytest.approx(after - before)


def test_the_report_says_how_they_were_measured_once(forest):
    text = report_html(forest)
    assert text.count("each predicted by the trees that had not seen it") >= 1
    assert "that the model had not seen. Columns" not in text
    assert text.count("<h3>How much each column matters</h3>") <= 1
    assert "100 trees with" in text


def test_one_row_is_explained_by_a_forest_that_has_not_seen_it(forest):
    assert "The model that is explained had not seen this row." in report_markdown(forest)


def test_ranks_are_those_that_the_intervals_leave_open(forest):
    found = importances_out_of_bag(forest.fit(), 2, "rmse", forest.problem.target)
    for one in found.columns:
        assert one.rank_low <= one.rank <= one.rank_high
        above = [other for other in found.columns if other.loss.low > one.loss.high]
        assert one.rank_low == len(above) + 1
    assert [one.rank for one in found.columns] == list(range(1, 8))


def test_every_row_is_judged(forest):
    model = forest.fit()
    assert out_of_bag_rows(model).sum() == np.isfinite(model.oob_prediction_).sum() == 398


def test_accuracy_is_the_measure_of_classes():
    X, y = load_dataset("heart").split_target("disease")
    model = RandomForestClassifier(n_estimators=40).fit(X, y)
    found = importances_out_of_bag(model, 1, "accuracy", np.asarray(y))
    assert found.metric == "accuracy"
    assert found.score == model.oob_score_
    assert out_of_bag_rows(model).sum() == 303


def test_forests_whose_trees_have_seen_the_like_of_a_row_do_not_judge_themselves(forest, tmp_path):
    problem, model = forest.problem, forest.fit()
    some = np.arange(problem.n_rows)
    assert has_out_of_bag(problem, model, "rmse")
    assert not has_out_of_bag(replace(problem, groups=some), model, "rmse")
    assert not has_out_of_bag(replace(problem, times=some), model, "rmse")
    other = ExtraTreesRegressor().fit(problem.table, problem.target)
    assert not has_out_of_bag(problem, other, "rmse")
    assert not has_out_of_bag(problem, model, "mae")
    model.save(tmp_path / "forest.branchline")
    assert not has_out_of_bag(problem, load(tmp_path / "forest.branchline"), "rmse")


@pytest.mark.parametrize(
    "settings", [{"class_weight": "balanced"}, {"costs": {("bad", "good"): 5}}]
)
def test_weighted_or_priced_classes_are_measured_on_rows_left_out(settings):
    table = load_dataset("german-credit")
    X, y = table.split_target("class")
    found = compare(table, "class", learners="random_forest", n_folds=3)
    model = RandomForestClassifier(n_estimators=10, **settings).fit(X, y)
    assert not has_out_of_bag(found.problem, model, "accuracy")
    told = report_document(found, model=model)["model"]
    assert told["importances_are_out_of_bag"] is False


def test_groups_are_measured_on_rows_left_out():
    table = load_dataset("auto-mpg")
    found = compare(table, "mpg", learners="random_forest", group="model_year", n_folds=3)
    assert report_document(found)["model"]["importances_are_out_of_bag"] is False
