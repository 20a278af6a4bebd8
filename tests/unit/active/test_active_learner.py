"""The dialogue: what is asked, what is told, what stays the same."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from branchline import load_dataset
from branchline.active import ActiveLearner
from branchline.errors import BranchlineWarning, DataError, ParameterError
from branchline.forest import RandomForestClassifier

X, Y = load_dataset("iris").split_target("species")


def labeled(n_labels, **given):
    learner = ActiveLearner(X, **{"estimator": "naive_bayes", **given})
    for rows in learner:
        learner.tell(rows, Y[rows])
        if learner.n_labeled >= n_labels:
            break
    return learner


def test_the_same_rows_are_asked_until_they_are_answered():
    learner = ActiveLearner(X, batch_size=4)
    first = learner.ask()
    assert first.tolist() == learner.ask().tolist()
    learner.tell(first[:3], Y[first[:3]])
    assert learner.ask().tolist() == [first[3]]
    learner.tell(int(first[3]), None)
    assert learner.n_labeled == 3
    assert learner.n_left == len(Y) - 4
    assert not set(learner.ask().tolist()) & set(first.tolist())


def test_every_row_is_asked_once():
    learner = ActiveLearner(X, estimator="naive_bayes", batch_size=7)
    asked = []
    for rows in learner:
        asked += rows.tolist()
        learner.tell(rows, Y[rows])
    assert sorted(asked) == list(range(len(Y)))
    with pytest.raises(DataError) as caught:
        learner.ask()
    assert caught.value.code == "D630"
    assert learner.advice().verdict() == "Stop: every row has a label."


def test_check_rows_are_a_sample_that_no_strategy_chooses():
    learner = labeled(60, check_share=0.25)
    checks = learner.check_rows
    np.testing.assert_array_equal(checks, learner._pool.order[: len(checks)])
    assert len(checks) == 15
    assert all(learner.is_check_row(row) for row in checks)
    assert learner._pool.training.tolist() == [
        row for row in learner.rows_labeled.tolist() if row not in checks
    ]


def test_without_check_rows_there_is_no_score():
    learner = labeled(20, check_share=0.0, random_state=3)
    with pytest.raises(DataError) as caught:
        learner.score()
    assert caught.value.code == "D631"


def test_known_labels_are_taken_and_not_asked():
    known = np.array(Y, dtype=object)
    known[10:] = None
    learner = ActiveLearner(X, known)
    assert learner.n_labeled == learner.n_given == 10
    assert not set(learner.ask().tolist()) & set(range(10))


def test_whole_numbers_beside_missing_ones_are_classes():
    y = np.where(np.arange(150) < 40, np.arange(150) % 2, np.nan)
    learner = ActiveLearner(X, y)
    assert learner.classes_.tolist() == [0, 1]
    assert learner.task == "classification"


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(len(Y))
    unique = np.unique(np.asarray(X), axis=0, return_index=True)[1]
    first, second = (
        ActiveLearner(X.rows(rows), estimator="naive_bayes", batch_size=5)
        for rows in (np.sort(unique), order[np.isin(order, unique)])
    )
    places = (np.sort(unique), order[np.isin(order, unique)])
    for _ in range(6):
        asked = [place[one.ask()] for one, place in zip((first, second), places, strict=True)]
        assert asked[0].tolist() == asked[1].tolist()
        for one in (first, second):
            rows = one.ask()
            one.tell(rows, Y[places[one is second][rows]])


def test_threads_do_not_matter():
    runs = []
    for n_jobs in (1, 2):
        forest = RandomForestClassifier(n_estimators=20, n_jobs=n_jobs)
        runs.append(labeled(40, estimator=forest).rows_labeled.tolist())
    assert runs[0] == runs[1]


@pytest.mark.parametrize("strategy", ["uncertainty", "margin", "entropy", "committee", "random"])
def test_strategies_learn(strategy):
    learner = labeled(40, strategy=strategy)
    assert np.mean(learner.model_.predict(X) == Y) > 0.9


def test_learners_of_other_libraries_and_tables_of_all_kinds():
    learner = labeled(30, estimator=LogisticRegression(max_iter=500), batch_size=10)
    assert np.mean(learner.model_.predict(X.to_pandas()) == Y) > 0.9
    mixed, y = load_dataset("titanic").split_target("survived")
    dialogue = ActiveLearner(mixed.drop(["name", "ticket"]), batch_size=20)
    for rows in dialogue:
        dialogue.tell(rows, y[rows])
        if dialogue.n_labeled >= 80:
            break
    assert dialogue.score().low < 0.9


def test_numbers_are_chosen_by_a_committee():
    cars, mpg = load_dataset("auto-mpg").split_target("mpg")
    learner = ActiveLearner(cars, task="regression", check_share=0.4)
    for rows in learner:
        learner.tell(rows, mpg[rows])
        if learner.n_labeled >= 60:
            break
    assert learner.strategy == "committee"
    assert learner.classes_ is None
    assert 1 < learner.score().estimate < 6
    assert learner.advice().metric == "rmse"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"strategy": "margin", "task": "regression"}, "P841"),
        ({"strategy": "margin", "estimator": LogisticRegression}, "P001"),
        ({"classes": ["a"]}, "P842"),
        ({"classes": ["a", "b"], "task": "regression"}, "P842"),
        ({"strategy": "best"}, "P001"),
        ({"batch_size": 0}, "P001"),
        ({"check_share": 2}, "P001"),
        ({"estimator": "no_such_learner"}, "P080"),
    ],
)
def test_wrong_parameters(given, code):
    with pytest.raises(ParameterError) as caught:
        ActiveLearner(X, **given)
    assert caught.value.code == code


def test_wrong_answers():
    learner = ActiveLearner(X, classes=np.unique(Y))
    for rows, answers, code in [
        (0, "tulip", "P842"),
        ([0, 1], [Y[0]], "P840"),
        ([0, 0], [Y[0], Y[0]], "P840"),
        (150, Y[0], "P840"),
        ("a", Y[0], "P840"),
        (-1, Y[0], "P840"),
    ]:
        with pytest.raises(ParameterError) as caught:
            learner.tell(rows, answers)
        assert caught.value.code == code
    numbers = ActiveLearner(X, task="regression")
    with pytest.raises(ParameterError) as caught:
        numbers.tell(0, "many")
    assert caught.value.code == "P842"
    with pytest.raises(DataError):
        ActiveLearner(X, Y[:10])


def test_repairs_work():
    learner = ActiveLearner(X, classes=["no", "yes"])
    with pytest.raises(ParameterError) as caught:
        learner.tell(0, "perhaps")
    row = 0
    exec(caught.value.repair.python, {"learner": learner, "row": row})
    assert learner.n_left == len(Y) - 1
    with pytest.raises(ParameterError) as caught:
        ActiveLearner(X, task="regression", strategy="margin")
    scope = {"ActiveLearner": ActiveLearner, "X": X, "y": None}
    exec(caught.value.repair.python, scope)
    assert scope["learner"].strategy == "committee"


def test_check_rows_that_were_skipped_are_told():
    learner = ActiveLearner(X, estimator="naive_bayes", check_share=0.5)
    for rows in learner:
        learner.tell(rows, [None, *Y[rows[1:]]])
        if learner.n_labeled > 30:
            break
    with pytest.warns(BranchlineWarning, match="4 check rows could not be labeled"):
        learner.score()


def test_an_answer_can_be_taken_back():
    learner = labeled(20)
    row = int(learner.rows_labeled[3])
    learner.forget(row)
    learner.ask_first(row)
    assert learner.ask()[0] == row
    assert learner.n_labeled < 30


def test_ten_rows_and_a_wide_table():
    tiny = ActiveLearner({"a": list(range(10))}, batch_size=3)
    for rows in tiny:
        tiny.tell(rows, ["no" if row < 5 else "yes" for row in rows])
    assert tiny.n_labeled == 10
    wide = np.random.default_rng(0).normal(size=(60, 3000))
    y = (wide[:, 0] > 0).astype(int)
    learner = ActiveLearner(wide, check_share=0.3)
    for rows in learner:
        learner.tell(rows, y[rows])
        if learner.n_labeled >= 40:
            break
    assert learner.score().low < 1
