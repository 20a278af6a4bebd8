"""What is said when the time was too short: the reason, what it means, and how much is enough."""

from dataclasses import replace
from typing import Any

import pytest

from branchline import load_dataset
from branchline.assess import Comparison, compare
from branchline.assess.comparing._more_time import enough_seconds
from branchline.assess.comparing._plan_words import Forecast, plan_sentence
from branchline.assess.comparing._words import unfinished_words


@pytest.fixture(scope="module")
def whole() -> Comparison:
    return compare(load_dataset("german-credit"), "class", learners="tree,naive_bayes", n_folds=10)


def ended(whole: Comparison, n_folds: int, seconds: float, budget: float) -> Comparison:
    """Return the comparison as if a budget had ended it after some folds of a second each."""
    kept = [
        replace(one, fit_seconds=0.5, predict_seconds=0.5)
        for one in whole.results
        if one.split < n_folds
    ]
    plan = replace(whole.plan, time_budget=budget)
    given: dict[str, Any] = {"seconds": seconds, "is_complete": False, "is_time_over": True}
    return replace(whole, plan=plan, results=tuple(kept), **given)


def test_after_few_folds_there_was_too_little_time_to_tell(whole: Comparison) -> None:
    found = ended(whole, 1, seconds=3.0, budget=5.0)
    assert not found.recommendation.beats_baseline
    told = str(found.recommendation)
    assert told.startswith("There was too little time to tell: 1 of 10 test sets was finished")
    assert "About 45 s should be enough for all of them." in told
    assert "tell anything about the target" not in str(found)
    assert found.warnings[-1].repair.python == "compare(X, y, time_budget=45)"


def test_the_reason_is_true_whether_all_time_went_by_or_not(whole: Comparison) -> None:
    over = unfinished_words(ended(whole, 2, seconds=5.0, budget=5.0))
    assert over.startswith("The time (5 s) was over before all fits were done")
    early = unfinished_words(ended(whole, 2, seconds=3.4, budget=10.0))
    assert early.startswith("Fits ended after 3.4 s of the 10 s allowed, as no more would have")
    stopped = replace(ended(whole, 2, seconds=3.4, budget=10.0), is_time_over=False)
    assert unfinished_words(stopped).startswith("The plan was not carried out to its end")


def test_what_is_enough_grows_with_what_is_left(whole: Comparison) -> None:
    seconds = [enough_seconds(ended(whole, n, seconds=3.0 * n, budget=10.0)) for n in (1, 5, 9)]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[-1] == 15.0


@pytest.mark.parametrize(
    ("speed", "available", "told"),
    [
        (1.0, 1e6, "which should be enough"),
        (None, 1e6, "which may be enough"),
        (1e-3, 1e-6, "probably too little for one of 10 test sets"),
        (1e-9, -1.0, "probably too little for one of 10 test sets"),
    ],
)
def test_that_it_should_be_enough_is_said_only_when_measured(
    whole: Comparison, speed: float | None, available: float, told: str
) -> None:
    plan = replace(whole.plan, time_budget=60.0)
    assert told in plan_sentence(plan, (1000, 20, 2), Forecast(speed, available))
