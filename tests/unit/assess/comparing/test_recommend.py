"""The recommendation: what it costs comes first, and words and tables agree."""

import re
from dataclasses import replace
from typing import Any

import pytest

from branchline import load_dataset
from branchline._plain_numbers import probability
from branchline.assess import Comparison, compare
from branchline.errors import ParameterError
from branchline.report import report_document, report_markdown


@pytest.fixture(scope="module")
def heart() -> Comparison:
    # With these folds the tree is tied with naive Bayes, but probably worse.
    return compare(
        load_dataset("heart"), "disease", learners="tree,naive_bayes", n_folds=3, random_state=8
    )


def points_lost(found: Comparison) -> str:
    lost = found.score("naive_bayes").estimate - found.score("tree").estimate
    return f"{100 * lost:.1f} points worse"


def preferring(found: Comparison, prefer: str) -> Any:
    return replace(found, plan=replace(found.plan, prefer=prefer)).recommendation


def test_what_is_probably_worse_by_more_than_matters_is_not_recommended(heart: Any) -> None:
    tree = next(one for one in heart.standings if one.learner == "tree")
    assert tree.group == 1  # statistically tied: too few rows to be sure
    assert tree.against_best.p_lower > 0.5
    assert heart.recommendation.learner == "naive_bayes"
    assert heart.recommendation.passed_over == ("tree",)
    cost = f"worse by more than 1 point is {probability(tree.against_best.p_lower)}"
    assert cost in heart.recommendation.sentence
    assert f"The simpler tree is probably {points_lost(heart)}" in heart.recommendation.sentence


def test_simplicity_takes_it_and_says_first_what_it_costs(heart: Any) -> None:
    advice = preferring(heart, "simplicity")
    assert advice.learner == "tree"
    first, second = re.split(r"(?<=\))\. ", advice.sentence)[:2]
    assert first.startswith("Take tree: accuracy 0.785 (")
    expected = f"It is probably {points_lost(heart)} than naive_bayes, which scores best"
    assert second.startswith(expected)
    assert probability(advice.against_best.p_lower) in second


@pytest.mark.parametrize("prefer", ["accuracy", "balance", "simplicity"])
def test_preferences_never_recommend_what_is_not_tied(heart: Any, prefer: str) -> None:
    advice = preferring(heart, prefer)
    assert advice.learner in advice.tied
    assert advice.prefer == prefer
    if prefer == "accuracy":
        assert advice.learner == heart.best


@pytest.mark.parametrize("prefer", ["balance", "simplicity"])
def test_sentences_of_report_and_terminal_agree_with_the_table(heart: Any, prefer: str) -> None:
    asked = replace(heart, plan=replace(heart.plan, prefer=prefer))
    tree = next(one for one in heart.standings if one.learner == "tree")
    risk = probability(tree.against_best.p_lower)
    doubt = report_document(asked)["decision"]["doubt"]
    assert f"worse by more than 1 point is {risk}" in doubt
    assert f"worse by more than 1 point is {risk}" in str(asked)
    if prefer == "simplicity":
        assert doubt.startswith(f"It is probably {points_lost(heart)} than naive Bayes")


def test_nobody_says_that_learners_cannot_be_told_apart(heart: Any) -> None:
    whole = str(heart) + report_markdown(heart)
    assert "cannot be told" not in whole
    assert "statistically tied" in whole


def test_an_unknown_preference_is_refused() -> None:
    with pytest.raises(ParameterError, match="'balance'") as caught:
        compare(load_dataset("iris"), "species", learners="stump", prefer="speed")
    assert caught.value.code == "P001"
