"""What the sections tell: the model, the errors, the sealed test set, the failures."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline._plain_numbers import number
from branchline.assess import compare
from branchline.assess._sealed_test import SealedTest
from branchline.report import report_document, report_html, report_markdown


def test_a_tree_is_drawn_and_told(iris):
    text = report_html(iris)
    model = iris.fit()
    assert str(model.draw(width=860)) in text
    assert "The tree as rules" in text


def test_importances_and_one_row(iris):
    found = report_document(iris)["model"]
    assert found["importances"]["columns"][0]["column"] in {"petal_width", "petal_length"}
    assert found["explanation"]["parts"]
    assert "One row explained: row 0" in report_html(iris)


def test_worst_rows_are_the_most_confident_errors(iris):
    found = report_document(iris)
    label = iris.recommendation.learner
    outcome, tested = iris.outcome(label), iris.tested_rows(label)
    wrong = outcome.truth != outcome.predicted
    assert len(found["errors"]["worst_rows"]) == min(8, int(wrong.sum()))
    first = found["errors"]["worst_rows"][0]
    assert first["row"] in tested[wrong]
    sizes = outcome.probabilities[wrong, outcome.predicted[wrong]]
    assert first["size"] == pytest.approx(sizes.max(), abs=0.2)
    assert first["truth"] == str(iris.problem.target[first["row"]])


def test_worst_rows_of_numbers_are_the_largest_errors(cars):
    found = report_document(cars)["errors"]["worst_rows"]
    outcome = cars.outcome(cars.recommendation.learner)
    largest = np.sort(np.abs(outcome.truth - outcome.predicted))[::-1][:8]
    assert [abs(one["size"]) for one in found] == pytest.approx(largest.tolist())


def test_costs_are_in_the_confusion(credit):
    found = report_document(credit)["errors"]["confusion"]
    counts = np.array(found["counts"])
    assert counts.sum() == 1000
    assert found["total_cost"] == 5 * counts[0, 1] + counts[1, 0]
    assert "cost 5" in report_html(credit)


def test_the_comparison_tells_ties_times_and_chances(iris):
    text = report_markdown(iris)
    assert "P(better)" in text
    for standing in iris.standings:
        assert standing.learner.replace("-", "-") in text
    against = next(one.against_best for one in iris.standings if one.learner == "baseline")
    assert against.p_lower > 0.99
    assert "\\> 99 %" in text


def test_textbook_marks_stand_beside_measures(iris):
    text = report_markdown(iris)
    section = text.split("## What textbooks say")[1]
    assert "| tree | + |" in section
    assert "| +++ |" in section


def test_a_learner_without_probabilities():
    from sklearn.svm import LinearSVC

    from branchline.tree import DecisionTreeClassifier

    problem = load_dataset("iris")
    comparison = compare(problem, "species", learners={"svm": LinearSVC()}, n_folds=2)
    text = report_html(comparison)
    assert comparison.recommendation.learner == "svm"
    assert "calibration and ranking cannot be shown" in text
    assert DecisionTreeClassifier.__name__ not in text


def test_failures_are_told_with_their_reason():
    from sklearn.linear_model import LogisticRegression

    table = Table({"word": ["a", "b"] * 20, "y": ["n", "p", "p", "n"] * 10})
    comparison = compare(
        table, "y", learners={"theirs": LogisticRegression(), "t": "tree"}, n_folds=2
    )
    section = report_markdown(comparison).split("## Learners that failed")[1]
    assert "**theirs**: " in section
    assert "could not convert string to float" in section


def test_an_interrupted_plan_says_so(iris):
    found = report_document(replace(iris, is_complete=False))
    assert any("The plan was not carried out" in text for text in found["decision"]["cautions"])


def test_every_look_at_the_sealed_rows_is_shown(iris, tmp_path):
    sealed = SealedTest.seal(tmp_path / "seal.json", 0.2)
    none_yet = report_markdown(replace(iris, seal=sealed))
    assert "No model has been tested on them yet." in none_yet
    model = iris.fit()
    table = load_dataset("iris")
    sealed.open(model, table, "species")
    sealed.open(model, table, "species", again=True)
    comparison = replace(iris, seal=SealedTest(tmp_path / "seal.json"))
    found = report_document(comparison)
    assert len(found["seal"]["looks"]) == 2
    assert any("looked at 2 times" in text for text in found["decision"]["cautions"])
    text = report_html(comparison)
    assert "Only the first is a fair test." in text
    assert sealed._record["key"] not in text


def test_many_classes_get_a_list_of_confusions():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 30, 600)
    table = Table({"x": place + rng.normal(0, 0.4, 600), "y": [f"class {i:02}" for i in place]})
    comparison = compare(table, "y", learners="tree", n_folds=2)
    text = report_markdown(comparison)
    assert "The most frequent confusions" in text
    assert "True and predicted classes" not in text


def test_linear_models_show_their_coefficients(cars):
    linear = pytest.importorskip("branchline.linear")
    problem = cars.problem
    model = linear.LinearRegression().fit(problem.table, problem.target)
    text = report_markdown(cars, model=model)
    row = next(row for row in model.summary().rows if row.term == "weight")
    shown = " | ".join(number(x) for x in (row.coefficient, row.low, row.high))
    assert f"| weight | {shown} |" in text


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_one_column_is_enough():
    x = np.linspace(-1, 1, 201)
    table = Table({"x": x, "y": np.where(x > 0, "a", "b")})
    found = report_document(compare(table, "y", learners="stump", n_folds=2))
    assert found["data"]["leaks"][0]["column"] == "x"
