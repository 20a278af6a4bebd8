"""The twelve mistakes of a beginner: each works at once, or its message carries a repair that does.

A repair is tested by running the lines that the message prints.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from branchline.assess import cross_validate
from branchline.errors import (
    BranchlineError,
    BranchlineWarning,
    DataError,
    KindError,
    ParameterError,
)
from branchline.tree import DecisionTreeClassifier, Stump

N_ROWS = 60


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, N_ROWS).astype(float),
            "color": rng.choice(["blue", "red", "green"], N_ROWS),
        }
    )


@pytest.fixture
def answer(frame: pd.DataFrame) -> pd.Series:
    return pd.Series(np.where(frame["age"] > 50, "yes", "no"))


def repaired(error: BranchlineError, **names: Any) -> dict[str, Any]:
    """Run the repair as printed and return the names it leaves behind."""
    assert error.repair.python, f"no repair: {error}"
    printed = str(error)
    assert all(line in printed for line in error.repair.python.splitlines())
    exec(error.repair.python, names)
    return names


def test_1_a_string_column_is_simply_used(frame: pd.DataFrame, answer: pd.Series) -> None:
    assert Stump().fit(frame, answer).score(frame, answer) == 1.0


def test_1b_text_in_a_column_that_was_numeric(frame: pd.DataFrame, answer: pd.Series) -> None:
    model = Stump().fit(frame, answer)
    later = frame.assign(age=frame["age"].astype(object))
    later.loc[3, "age"] = "adult"
    with pytest.raises(KindError) as caught:
        model.predict(later)
    error = caught.value
    assert (error.column, error.rows, error.values) == ("age", (3,), ("adult",))
    mended = repaired(error, X=later, pandas=pd)["X"]
    assert len(model.predict(mended)) == N_ROWS


def test_1c_a_mark_for_missing_in_a_column_that_was_numeric(
    frame: pd.DataFrame, answer: pd.Series
) -> None:
    model = Stump().fit(frame, answer)
    later = frame.assign(age=frame["age"].astype(object))
    later.loc[3, "age"] = "unknown"
    with pytest.warns(BranchlineWarning, match="'unknown' .1 cell. counts as missing"):
        predicted = model.predict(later)
    missing = frame.assign(age=frame["age"].where(frame.index != 3))
    assert (predicted == model.predict(missing)).all()


def test_2_a_category_column_is_simply_used(frame: pd.DataFrame, answer: pd.Series) -> None:
    frame["color"] = frame["color"].astype("category")
    assert Stump().fit(frame, answer).score(frame, answer) == 1.0


def test_3_a_date_column_is_simply_used(frame: pd.DataFrame, answer: pd.Series) -> None:
    dated = frame.assign(born=pd.Timestamp("2020-01-01") - pd.to_timedelta(frame["age"], "D"))
    inputs = dated.drop(columns="age")
    assert Stump().fit(inputs, answer).score(inputs, answer) == 1.0


def test_4_missing_answers_are_said_to_be_in_the_target(
    frame: pd.DataFrame, answer: pd.Series
) -> None:
    answer[[2, 5]] = None
    model = Stump()
    with pytest.raises(DataError, match="target") as caught:
        model.fit(frame, answer)
    assert caught.value.rows == (2, 5)
    repaired(caught.value, X=frame, y=answer, model=model)
    assert len(model.predict(frame)) == N_ROWS


def test_5_a_text_target_given_to_a_regressor(frame: pd.DataFrame, answer: pd.Series) -> None:
    with pytest.raises(KindError, match="classifier") as caught:
        Stump(task="regression").fit(frame, answer)
    model = repaired(caught.value, X=frame, y=answer)["model"]
    assert model.score(frame, answer) == 1.0


def test_6_a_number_target_given_to_a_classifier(frame: pd.DataFrame) -> None:
    y = frame["age"] / 7
    with pytest.raises(DataError, match="continuous") as caught:
        Stump().fit(frame, y)
    model = repaired(caught.value, X=frame, y=y)["model"]
    assert model.score(frame, y) > 0.5


def test_7_f1_with_labels_yes_and_no_asks_which_is_positive(
    frame: pd.DataFrame, answer: pd.Series
) -> None:
    model = Stump()
    with pytest.raises(ParameterError, match="positive class") as caught:
        cross_validate(model, frame, answer, metric="f1", n_folds=3)
    repaired(caught.value, X=frame, y=answer, model=model, cross_validate=cross_validate)
    found = cross_validate(model, frame, answer, metric="f1", positive="yes", n_folds=3)
    assert 0.9 < found.score.estimate <= 1.0


def test_8_a_class_with_two_rows_and_five_folds(frame: pd.DataFrame, answer: pd.Series) -> None:
    answer[[0, 1]] = "rare"
    found = cross_validate(Stump(), frame, answer, n_folds=5)  # as compare does
    assert len(found.fold_scores) == 5
    assert len(found.predictions) == len(answer)


@pytest.mark.parametrize("make", [DecisionTreeClassifier, Stump])
def test_9_a_misspelled_parameter(make: Any) -> None:
    with pytest.raises(TypeError, match="Did you mean 'min_samples_leaf'") as caught:
        make(min_sample_leaf=3)
    model = repaired(caught.value, **{make.__name__: make})["model"]
    assert model.min_samples_leaf == 3
    # The repair of a preset is the preset: what it sets stays set.
    assert model.max_depth == (1 if make is Stump else None)


def test_9b_a_task_that_a_preset_does_not_have(frame: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match=r"'task'.* 'regression'") as caught:
        Stump(task="regresion")
    model = repaired(caught.value, Stump=Stump)["model"]
    assert model.fit(frame[["color"]], frame["age"]).predict(frame[["color"]]).dtype == float


def test_10_a_value_that_is_not_allowed(frame: pd.DataFrame, answer: pd.Series) -> None:
    model = Stump(criterion="ginni")
    with pytest.raises(ParameterError, match="Did you mean 'gini'") as caught:
        model.fit(frame, answer)
    assert "'entropy'" in str(caught.value)
    repaired(caught.value, model=model)
    assert model.fit(frame, answer).criterion == "gini"


def test_11_missing_inputs_are_simply_used(frame: pd.DataFrame, answer: pd.Series) -> None:
    frame.loc[[1, 4, 9], "age"] = np.nan
    frame.loc[[2, 4], "color"] = None
    assert Stump().fit(frame, answer).score(frame, answer) > 0.9


def test_11b_infinite_inputs_are_named(frame: pd.DataFrame, answer: pd.Series) -> None:
    frame.loc[4, "age"] = np.inf
    model = Stump()
    with pytest.raises(DataError, match="infinity") as caught:
        model.fit(frame, answer)
    assert (caught.value.column, caught.value.rows) == ("age", (4,))
    mended = repaired(caught.value, X=frame)["X"]
    assert len(model.fit(mended, answer).predict(mended)) == N_ROWS


def test_12_a_string_column_inside_cross_validation(frame: pd.DataFrame, answer: pd.Series) -> None:
    assert cross_validate(clone(Stump()), frame, answer, n_folds=5).score.estimate > 0.9


def test_the_first_line_says_it_and_the_last_says_where_to_read_more(
    frame: pd.DataFrame, answer: pd.Series
) -> None:
    with pytest.raises(DataError) as caught:
        Stump().fit(frame, answer[:-1])
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("Found input variables with inconsistent numbers of samples")
    assert lines[-1].endswith(f"branchline errors {caught.value.code}")


def test_a_column_name_given_as_target(frame: pd.DataFrame, answer: pd.Series) -> None:
    model = Stump()
    with pytest.raises(DataError, match="split off") as caught:
        model.fit(frame.assign(answer=answer), "answer")
    repaired(caught.value, X=frame.assign(answer=answer), model=model)
    assert model.score(frame, answer) == 1.0


@pytest.mark.parametrize("hole", [None, float("nan")])
def test_missing_answers_in_a_plain_list(frame: pd.DataFrame, hole: object) -> None:
    y = ["p", hole, *["q"] * (N_ROWS - 2)]
    model = Stump()
    with pytest.raises(DataError, match="target has 1 missing") as caught:
        model.fit(frame.to_dict("list"), y)
    repaired(caught.value, X=frame.to_dict("list"), y=y, model=model)
    assert model.classes_.tolist() == ["p", "q"]


def test_bad_weights_are_mended_by_their_repair(frame: pd.DataFrame, answer: pd.Series) -> None:
    weight = np.ones(N_ROWS)
    weight[[1, 2]] = np.inf, -1
    model = Stump()
    with pytest.raises(DataError, match="finite numbers of at least 0") as caught:
        model.fit(frame, answer, sample_weight=weight)
    repaired(caught.value, X=frame, y=answer, sample_weight=weight, model=model)
    assert len(model.predict(frame)) == N_ROWS
