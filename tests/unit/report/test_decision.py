"""The first sentence: what to do, how sure that is, and what to check."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import Interval, compare
from branchline.report import report_document
from branchline.report._scores import brief_score, score_sentence
from branchline.report._words import named, number_words, probability_words, title_of, with_article


def _decision(comparison):
    return report_document(comparison)["decision"]


def test_a_model_that_is_worth_it(iris):
    found = _decision(iris)
    assert found["sentence"].startswith("Use the ")
    score = iris.score(found["learner"])
    assert f"{100 * score.estimate:.0f}" in found["sentence"]
    baseline = iris.score("baseline").estimate
    # Three classes of 50 rows: which one is the most frequent differs between training sets.
    answer = "always answering with the most frequent class"
    assert found["sentence"].endswith(f"{answer} would be right about {100 * baseline:.0f}.")
    assert f"The probability that it is better than {answer}" in found["doubt"]


def test_noise_is_called_noise(noise):
    found = _decision(noise)
    assert found["is_baseline"]
    assert found["sentence"].startswith("Do not use a model to predict “y” yet: none of the 2")
    assert "always answering “no”" in found["sentence"]
    assert found["doubt"].startswith("Closest is the decision ")
    assert any("only 60 rows" in text for text in found["cautions"])


def test_numbers_are_said_in_their_units(cars):
    found = _decision(cars)
    assert (
        "half of its predictions and has a root mean squared error (RMSE) of" in found["sentence"]
    )
    assert "always predicting the mean has an RMSE of 7." in found["sentence"]


def test_costs_are_said_as_costs(credit):
    sentence = _decision(credit)["sentence"]
    assert "per row on average (95 % interval: " in sentence
    assert "always answering “bad”, which costs 0.700 per row" in sentence  # the rarer class


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_a_leak_is_told_first():
    rng = np.random.default_rng(0)
    y = rng.permutation(["won", "lost"] * 40)
    table = Table({"prize": np.where(y == "won", 10.0, 0.0), "x": rng.normal(size=80), "y": y})
    found = _decision(compare(table, "y", learners="stump", n_folds=2))
    assert any(text.startswith("Check “prize” first") for text in found["cautions"])


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_learners_that_failed_are_named():
    from sklearn.linear_model import LogisticRegression

    table = Table({"word": ["a", "b", "c", "d"] * 10, "y": ["n", "p"] * 20})
    comparison = compare(table, "y", learners={"theirs": LogisticRegression()}, n_folds=2)
    found = report_document(comparison)
    assert found["decision"]["sentence"].startswith("No model could be compared")
    assert "theirs failed and could not be compared." in found["decision"]["cautions"]


def test_ties_are_named():
    twins = {"one": "tree", "two": "tree", "three": "tree"}
    comparison = compare(load_dataset("iris"), "species", learners=twins, n_folds=3)
    doubt = _decision(comparison)["doubt"]
    told = "One scores best, and is statistically tied with three and two, none of which is simpler"
    assert told in doubt


def test_the_best_is_named_when_a_simpler_one_is_taken():
    comparison = compare(load_dataset("auto-mpg"), "mpg", learners="linear_regression,ridge")
    assert comparison.recommendation.learner == "linear_regression"
    assert comparison.best == "ridge"
    score = f"{comparison.score('ridge').estimate:.3f}"
    doubt = _decision(comparison)["doubt"]
    cost = f"(rmse) worse than ridge regression, which scores best ({score}); the probability that"
    assert doubt.startswith("It is probably ")  # what the simpler one costs comes first
    assert cost in doubt
    assert "Linear regression is the simpler of two statistically tied learners." in doubt


def test_a_metric_that_the_baseline_does_not_have(cars):
    asked = replace(cars, plan=replace(cars.plan, metrics=("spearman",)))
    found = _decision(asked)
    assert found["sentence"].startswith("Use the decision ")
    assert "The baseline has no spearman to compare with." in found["doubt"]


def test_two_rows_a_class():
    table = Table({"a": [1.0, 2, 3, 4], "b": ["x", "y", None, "x"], "y": ["n", "n", "p", "p"]})
    found = report_document(compare(table, "y", learners="tree", n_folds=2))
    assert found["decision"]["sentence"].startswith("Do not use a model")


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("accuracy", "is right about 74 of 100 new rows (95 % interval: 70 to 78)"),
        ("error", "is wrong about 74 of 100 new rows (95 % interval: 70 to 78)"),
        ("auc", "ranks a row that is “bad” above one that is not in 74 of 100 pairs"),
        ("recall", "finds 74 of 100 rows that are “bad”"),
        ("log_loss", "scores 0.744 in log_loss (95 % interval: 0.703 to 0.785), the mean"),
        ("cost", "costs 0.744 per row on average"),
    ],
)
def test_what_scores_mean(metric, said, credit):
    asked = replace(credit, plan=replace(credit.plan, metrics=(metric,)))
    assert score_sentence(asked, Interval(0.744, 0.703, 0.785)).startswith(said)


def test_extreme_shares_keep_a_digit(iris):
    words = score_sentence(iris, Interval(0.969, 0.954, 0.983))
    assert words == "is right about 96.9 of 100 new rows (95 % interval: 95.4 to 98.3)"
    assert brief_score(iris, Interval(0.5, 0.4, 0.6)) == ("50 %", "40 % to 60 %")


def test_words():
    assert named("a\nb") == "“a\\nb”"
    assert named("שלום") == "“\u2068שלום\u2069”"
    assert named("x" * 100) == f"“{'x' * 59}…”"
    assert [probability_words(p) for p in (0.001, 0.5, 0.999, np.nan)] == [
        "< 1 %", "50 %", "> 99 %", "–",
    ]  # fmt: skip
    assert [number_words(x) for x in (0.0, 1234567.0, 1e300, 0.123456, np.inf)] == [
        "0", "1,234,567", "1\xa0×\xa010³⁰⁰", "0.1235", "∞",
    ]  # fmt: skip


def test_titles_inside_a_sentence(iris):
    assert title_of(iris, "tree") == "decision tree"
    assert with_article("decision tree") == "the decision tree"
    assert with_article("naive Bayes") == "naive Bayes"


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_a_score_too_good_to_be_true_is_not_simply_advised():
    rng = np.random.default_rng(0)
    parts = rng.integers(0, 90, size=(80, 2)).astype(float)
    table = Table({"a": parts[:, 0], "b": parts[:, 1], "sum": parts.sum(axis=1)})
    found = _decision(compare(table, "sum", learners="ridge", n_folds=5))
    assert found["sentence"].startswith("This score looks too good to be true: check")
    assert "If nothing is wrong, use ridge regression to predict “sum”" in found["sentence"]
