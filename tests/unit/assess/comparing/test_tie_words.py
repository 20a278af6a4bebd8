"""What matters, what is tied, and the words for both: sentence and table agree."""

import math
from typing import Any

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import METRICS, Comparison, compare
from branchline.assess.comparing._standing import margin
from branchline.assess.comparing._tie_words import group_title, groups_sentence
from branchline.report import report_document, report_markdown


@pytest.mark.parametrize(
    ("baseline", "best", "expected"),
    [
        (100.0, 80.0, 1.0),  # 1 % of the baseline's error
        (100.0, 20.0, 1.0),
        (100.0, 5.0, 0.25),  # 5 % of the best learner's own
        (100.0, 1e-9, 0.1),  # of two nearly perfect models neither is better
        (100.0, math.nan, 1.0),
        (math.nan, 5.0, 0.0),
    ],
)
def test_what_matters_follows_from_the_baseline_and_from_the_best(
    baseline: float, best: float, expected: float
) -> None:
    assert margin(METRICS["rmse"], baseline, best) == pytest.approx(expected)


def test_what_matters_of_a_share_is_fixed() -> None:
    assert margin(METRICS["accuracy"], 0.5, 0.99) == 0.01


@pytest.mark.filterwarnings("ignore:Check column 'day' first")
def test_twice_the_error_is_no_tie_however_bad_the_baseline_is() -> None:
    rng = np.random.default_rng(0)
    day = np.arange(400) / 4
    table = Table({"day": day, "y": 10 * day + rng.normal(size=400)})
    found = compare(table, "y", learners="linear_regression,tree", n_folds=4)
    errors = {one.learner: one.score.estimate for one in found.standings}
    assert errors["tree"] > 2 * errors["linear_regression"]
    assert errors["tree"] - errors["linear_regression"] < 0.02 * errors["baseline"]
    assert [one.group for one in found.standings] == [1, 2, 3]
    assert found.recommendation.learner == "linear_regression"


def small_but_sure() -> Comparison:
    """One learner is worse than the other beyond doubt, by less than a point."""
    rng = np.random.default_rng(1)
    n_rows = 4000
    noise, x = rng.random(n_rows) < 0.1, rng.normal(size=n_rows)
    rare = rng.random(n_rows) < 0.012
    label = (x > 0) ^ noise ^ rare
    table = Table({"x": x, "rare": rare.astype(float), "y": np.where(label, "yes", "no")})
    return compare(table, "y", learners="stump,tree", n_folds=3)


def test_learners_that_differ_by_little_are_not_called_tied() -> None:
    found = small_but_sure()
    tree, stump = found.standings[:2]
    assert (tree.learner, stump.learner) == ("tree", "stump")
    assert stump.group == 1
    assert stump.against_best is not None
    assert stump.against_best.p_value < 0.01
    assert not stump.is_tied
    assert "statistically tied" not in str(found) + report_markdown(found)
    assert "are not shown to differ by more than 1 point; smaller differences do not matter" in str(
        found
    )
    assert group_title(found, stump) == "The best, and no difference that matters"


def test_all_learners_of_a_group_that_are_tied_are_called_so() -> None:
    found = compare(load_dataset("iris"), "species", learners="tree,naive_bayes", n_folds=4)
    assert [one.group for one in found.standings] == [1, 1, 2]
    assert groups_sentence(found) == "Learners between dotted lines are statistically tied."
    assert group_title(found, found.standings[1]) == "Tied with the best"


def test_no_dotted_line_is_spoken_of_where_there_is_none() -> None:
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=60), "y": np.where(rng.random(60) < 0.5, "a", "b")}
    found = compare(table, "y", learners="stump", n_folds=3)
    assert "····" not in str(found)
    assert "dotted" not in str(found)
    assert "All learners are statistically tied." in str(found)


def test_each_learner_in_a_group_of_its_own() -> None:
    table = load_dataset("iris")
    found = compare(table, "species", learners="naive_bayes", n_folds=3)
    assert groups_sentence(found) == "No two learners are statistically tied."


def test_a_tree_that_is_no_better_than_the_baseline_is_not_offered_for_reading() -> None:
    # The target is whether two columns agree: neighbors see it, a small tree does not.
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 300))
    table = Table({"a": a, "b": b, "y": np.where(a * b > 0, "same", "other")})
    found = compare(table, "y", learners="nearest_neighbors,stump", n_folds=4)
    assert found.recommendation.learner == "nearest_neighbors"
    assert found.recommendation.reading == ""
    assert "comes closest" not in str(found) + str(report_document(found))


def test_the_best_that_is_not_certain_enough_is_said_with_both_probabilities() -> None:
    found: Any = None
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(60, 4))
        y = np.where(x[:, 0] + 2.2 * rng.normal(size=60) > 0, "a", "b")
        columns = {f"x{at}": x[:, at] for at in range(4)}
        found = compare(
            Table({**columns, "y": y}), "y", learners="stump,lda,naive_bayes", n_folds=5
        )
        baseline = next(one for one in found.standings if one.learner == "baseline")
        if found.standings[0].group != baseline.group and not found.recommendation.beats_baseline:
            break
    else:
        pytest.skip("no such table among forty")
    told = str(found.recommendation)
    assert "not certain enough that it is better than the baseline" in told
    assert "The probability is 9" in told
    assert "it must be 99.5 %, because the best of many" in told


def test_what_is_not_simpler_is_named_before_the_margin() -> None:
    found = compare(*_close(), learners="ridge,lasso", n_folds=5)
    text = str(found.recommendation)
    assert "(rmse), which" not in text
    assert "points, which" not in text


def _close() -> tuple[Table, str]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 3))
    y = x @ [1.0, 1.0, 0.0] + rng.normal(size=300)
    return Table({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y}), "y"


def test_intervals_of_a_table_are_written_alike() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    table = Table({"x": x, "y": 2000 * x + 700 * rng.normal(size=200)})
    lines = str(compare(table, "y", learners="ridge", n_folds=3)).split("\n")
    intervals = [line[line.index("[") : line.index("]") + 1] for line in lines if "[" in line]
    assert len(intervals) == 2
    assert all(" to " in one for one in intervals)


def test_a_learner_that_only_ranks_better_than_the_baseline_says_so() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=400)
    y = np.where(x + rng.normal(size=400) * 1.8 > 0.75, "yes", "no")
    found = compare(Table({"x": x, "y": y}), "y", learners="lda", n_folds=5)
    advice = found.recommendation
    baseline = next(one for one in found.standings if one.learner == found.plan.baseline)
    assert advice.learner == "lda"
    assert baseline.is_tied
    assert baseline.group == 1
    assert "ranks rows better than chance beyond doubt (auc 0.760" in advice.sentence
