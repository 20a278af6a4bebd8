"""Members inside model files: whole models, checked; what no fit could have made is refused."""

import copy
import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as TheirTree

from branchline import load
from branchline._saving._write import to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.encoding import TableEncoder
from branchline.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    BayesianAverageRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from branchline.errors import ModelFileError
from branchline.tree import OneRule
from ensemble_members import (
    Says,
    classes_table,
    numbers_table,
    small_regression_tree,
    small_tree,
)
from fuzz.mutate_arrays import take_apart

Change = Callable[[dict[str, Any]], Any]

VOTING = VotingClassifier(estimators=[small_tree(), OneRule()], weights="stacked", n_folds=2)
STACKING = StackingClassifier(estimators=[small_tree()], final_estimator=small_tree(), n_folds=2)
BAGGING = BaggingRegressor(estimator=small_regression_tree(), n_estimators=2)
AVERAGE = BayesianAverageRegressor(estimators=[small_regression_tree(), "baseline"], n_folds=2)


def fitted(model: Any) -> Any:
    X, y = classes_table() if model._task == "classification" else numbers_table()
    return clone(model).fit(X, y)


def refusal(model: Any, change: Change) -> ModelFileError:
    """Return the error for a model whose packed values were changed."""
    made = fitted(model)
    state = copy.deepcopy(dict(made._pack()))
    clone(model)._unpack(copy.deepcopy(state), made.schema_)  # sound before
    change(state)
    with pytest.raises(ModelFileError) as caught:
        clone(model)._unpack(state, made.schema_)
    return caught.value


def put(name: str, value: Any) -> Change:
    return lambda state: state.update({name: value})


def in_member(name: str, value: Any) -> Change:
    return lambda state: state["members"][0].update({name: value})


def member_of(model: Any, X: Any, y: Any) -> dict[str, Any]:
    from branchline._member_state import member_to_state

    return member_to_state(model.fit(X, y))


def other_columns(state: dict[str, Any]) -> None:
    X, y = classes_table()
    state["members"][0] = member_of(small_tree(), X.assign(town=1, born=y), y)


def other_classes(state: dict[str, Any]) -> None:
    X, y = classes_table()
    state["members"][0] = member_of(small_tree(), X, np.where(y == "ill", "dead", y))


def other_task(state: dict[str, Any]) -> None:
    state["members"][0] = member_of(MeanRegressor(), *numbers_table())


def no_predictor(state: dict[str, Any]) -> None:
    X, _ = classes_table()
    encoder = TableEncoder().fit(X)
    state["members"][0] = {
        "class": "TableEncoder",
        "parameters": {},
        "fitted": dict(encoder._pack()),
    }


def nested_too_deep(state: dict[str, Any]) -> None:
    for _ in range(50):
        state["members"] = [{**state["members"][0], "fitted": {"members": state["members"]}}]


@pytest.mark.parametrize(
    "change",
    [
        put("members", []),
        put("members", None),
        put("members", [None, None]),
        put("labels", ["a"]),
        put("labels", ["a", "a"]),
        put("labels", [1, 2]),
        put("labels", None),
        put("weights", np.array([0.9, 0.9])),
        put("weights", np.array([1.0])),
        put("weights", np.array([np.nan, 1.0])),
        put("weights", np.array([1.5, -0.5])),
        put("weights", [0.5, 0.5]),
        put("scores", np.array([0.5, 1.5])),
        put("scores", np.array([0.5])),
        put("classes", ["ill", "ok"]),
        put("classes", None),
        in_member("class", "Popen"),
        in_member("class", 3),
        in_member("parameters", {}),
        in_member("fitted", {}),
        in_member("fitted", None),
        in_member("more", 1),
        other_columns,
        other_classes,
        other_task,
        no_predictor,
        nested_too_deep,
    ],
)
def test_forged_votes_are_refused(change: Change) -> None:
    assert refusal(VOTING, change).code in {"M002", "M004", "M005"}


@pytest.mark.parametrize(
    "change",
    [
        put("final", None),
        put("weights", np.array([1.0])),
        put("final", 3),
        lambda state: state.update(final=state["members"][0]),
        lambda state: state["final"].update(fitted={}),
    ],
)
def test_forged_stacks_are_refused(change: Change) -> None:
    assert refusal(STACKING, change).code in {"M002", "M005"}


@pytest.mark.parametrize("score", [2.0, float("nan"), "good", 1])
def test_forged_out_of_bag_scores_are_refused(score: Any) -> None:
    assert refusal(BAGGING, put("oob_score", score)).code == "M005"


@pytest.mark.parametrize(
    "change",
    [
        put("evidence", np.array([0.0, np.inf])),
        put("evidence", None),
        put("spreads", np.array([-1.0, 1.0])),
        put("spreads", np.array([1.0])),
        put("scores", np.array([-1.0, 1.0])),
    ],
)
def test_forged_averages_are_refused(change: Change) -> None:
    assert refusal(AVERAGE, change).code == "M005"


@pytest.mark.parametrize(
    "model",
    [
        VOTING,
        STACKING,
        BAGGING,
        AVERAGE,
        StackingRegressor(
            estimators=[small_regression_tree()],
            final_estimator="tree",
            passthrough=True,
            n_folds=2,
        ),
        StackingClassifier(
            estimators=[small_tree(), "baseline"], final_estimator="non_negative", n_folds=2
        ),
        VotingClassifier(estimators=[BaggingClassifier(n_estimators=2), ("s", STACKING)]),
    ],
)
def test_saved_and_loaded(model: Any) -> None:
    made = fitted(model)
    X, _ = classes_table()
    content = to_bytes(made)
    loaded = load(io.BytesIO(content))
    np.testing.assert_array_equal(loaded.predict(X), made.predict(X))
    assert to_bytes(loaded) == content
    assert loaded.to_text() == made.to_text()
    assert loaded.labels_ == made.labels_


def test_per_row_answers_are_not_in_the_file() -> None:
    loaded = load(io.BytesIO(to_bytes(fitted(BAGGING))))
    assert not hasattr(loaded, "oob_prediction_")
    assert loaded.oob_score_ == fitted(BAGGING).oob_score_


def test_members_of_other_libraries_have_no_file_but_a_pickle(tmp_path: Path) -> None:
    X, y = classes_table()
    pipeline = make_pipeline(TableEncoder(), TheirTree(max_depth=3, random_state=0))
    inner = VotingClassifier(estimators=[("theirs", pipeline), small_tree()])
    for model in (inner, VotingClassifier(estimators=[inner, "baseline"])):
        made = model.fit(X, y)
        with pytest.raises(ModelFileError, match="Pipeline") as caught:
            made.save(tmp_path / "model.branchline")
        assert caught.value.code == "M006"
        assert "joblib" in (caught.value.repair.python or "")
        again = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(again.predict_proba(X), made.predict_proba(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights_", np.array([3.0, 4.0])),
        ("members_", 3),
        ("members_", [1, None]),
        ("labels_", None),
        ("scores_", "good"),
    ],
)
def test_a_pickle_is_checked_as_a_file_is(name: str, value: Any) -> None:
    X, y = numbers_table()
    made = VotingRegressor(estimators=[small_regression_tree(), "baseline"]).fit(X, y)
    setattr(made, name, value)
    with pytest.raises(ModelFileError):
        pickle.loads(pickle.dumps(made))


def test_a_file_holds_its_columns_once() -> None:
    X, y = classes_table()
    X["town"] = [f"town {row:03}" for row in range(len(X))]
    made = BaggingClassifier(estimator=small_tree(), n_estimators=3).fit(X, y)
    manifest, _ = take_apart(to_bytes(made))
    assert json.dumps(manifest).count("town 007") == 1


def test_a_parameter_of_another_library_cannot_be_saved(tmp_path: Path) -> None:
    X, _ = numbers_table()
    # All members are constants of ours, but the parameter still holds what they were made of.
    made = VotingRegressor(estimators=[Says(1.0)]).fit(X, [1.0] * len(X))
    with pytest.raises(ModelFileError) as caught:
        made.save(tmp_path / "model.branchline")
    assert caught.value.code == "M006"


def test_samples_of_one_class_are_saved_as_constants() -> None:
    X, _ = classes_table(12)
    y = np.array(["rare"] + ["usual"] * 11)
    made = BaggingClassifier(estimator=small_tree(), n_estimators=12).fit(X, y)
    assert any(isinstance(member, MajorityClassifier) for member in made.members_)
    loaded = load(io.BytesIO(to_bytes(made)))
    np.testing.assert_array_equal(loaded.predict_proba(X), made.predict_proba(X))
