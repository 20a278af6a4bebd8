"""Several targets: independent models, chains, trees and forests of all of them, joint scores."""

import numpy as np
import pandas as pd
import pytest

import branchline
from branchline import Table, load_dataset
from branchline.errors import BranchlineError
from branchline.outputs import (
    ClassifierChain,
    MultiOutput,
    MultiOutputForest,
    MultiOutputTree,
    RegressorChain,
    cross_validate_outputs,
)
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def classes():
    """Return a dirty table and two targets that are classes."""
    names = ["survived", "pclass", "sex", "age", "fare", "embarked"]
    return load_dataset("titanic").select(names).split_target(["survived", "pclass"])


@pytest.fixture(scope="module")
def mixed():
    """Return a table, a class and a number."""
    X, y = load_dataset("auto-mpg").split_target("mpg")
    return X, pd.DataFrame({"thrifty": np.where(y > 22, "yes", "no"), "mpg": y})


MODELS = {
    "independent": MultiOutput("tree"),
    "chain": ClassifierChain("tree"),
    "tree": MultiOutputTree(),
    "forest": MultiOutputForest(5),
}


@pytest.mark.parametrize("name", MODELS)
def test_classes_are_predicted_by_name(classes, name, tmp_path):
    X, y = classes
    model = MODELS[name].fit(X, y)
    assert model.outputs_ == ("survived", "pclass")
    predicted = model.predict(X)
    assert predicted.shape == (X.n_rows, 2)
    assert set(predicted[:, 1]) <= {"1st", "2nd", "3rd"}
    for shares, classes_of_one in zip(model.predict_proba(X), model.classes_, strict=True):
        assert shares.shape == (X.n_rows, len(classes_of_one))
        np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert list(model.to_frame(X).columns) == ["survived", "pclass"]
    assert model.to_text()
    assert model.complexity().count > 1
    model.save(tmp_path / "m.model")
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict(X), predicted)
    assert loaded.score(X, y) == model.score(X, y)


@pytest.mark.parametrize("name", ["independent", "tree", "forest"])
def test_classes_and_numbers_together(mixed, name):
    X, y = mixed
    model = MODELS[name].fit(X, y)
    frame = model.to_frame(X)
    assert frame["mpg"].dtype.kind == "f"
    assert model.predict_proba(X)[1] is None
    scores = model.evaluate(X, y)
    assert scores.metrics == ("accuracy", "r2")
    assert min(one.estimate for one in scores.scores) > 0.8
    assert scores.exact_match.estimate == scores.scores[0].estimate  # one target is a class


def test_independent_models_are_those_of_each_target(classes):
    X, y = classes
    model = MultiOutput("tree").fit(X, y)
    alone = DecisionTreeClassifier().fit(X, y.column("pclass").to_numpy())
    np.testing.assert_array_equal(model.predict(X)[:, 1], alone.predict(X))


def test_a_chain_knows_the_targets_before(classes):
    X, y = classes
    chain = ClassifierChain("tree", order=["pclass", "survived"]).fit(X, y)
    first, second = (chain.members_[place] for place in chain.order_)
    assert chain.order_ == [1, 0]
    assert "pclass (target)" not in first.schema_.names
    assert "pclass (target)" in second.schema_.names


def test_a_chain_helps_where_a_target_depends_on_another():
    draws = np.random.default_rng(0)
    X = draws.integers(0, 2, (400, 2)).astype(float)
    first = X.sum(axis=1) == 1  # exclusive or
    y = pd.DataFrame({"first": first, "second": first})
    depth_one = DecisionTreeClassifier(max_depth=2, prune=None)
    chained = ClassifierChain(depth_one).fit(X, y)
    assert chained.members_[1].complexity().count == 2  # one question is enough
    assert chained.score(X, y) == 1


def test_chains_of_numbers(mixed, tmp_path):
    X, y = load_dataset("auto-mpg").split_target(["mpg", "weight"])
    model = RegressorChain("linear").fit(X, y)
    model.save(tmp_path / "m.model")
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert model.predict(X).dtype.kind == "f"
    assert model.evaluate(X, y).exact_match is None


def test_a_tree_of_one_class_is_a_tree_by_gini(classes):
    X, y = classes
    one = {"survived": y.column("survived").to_numpy()}
    plain = DecisionTreeRegressor(prune=None, max_depth=3, correct_for_chance=False)
    model = MultiOutputTree(plain).fit(X, one)
    gini = DecisionTreeClassifier(prune=None, max_depth=3, correct_for_chance=False)
    gini.fit(X, one["survived"])
    np.testing.assert_allclose(model.predict_proba(X)[0], gini.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_row_order_and_weights(classes, name):
    X, y = classes
    X, y = (part.rows(np.arange(0, 1250, 5)) for part in (X, y))
    some = np.arange(250)
    whole = MODELS[name].fit(X, y).predict_proba(X)
    order = np.random.default_rng(0).permutation(250)
    shuffled = MODELS[name].fit(X.rows(order), y.rows(order)).predict_proba(X)
    doubled = np.concatenate([some, some])
    weighted = MODELS[name].fit(X, y, sample_weight=np.full(250, 2)).predict_proba(X)
    copied = MODELS[name].fit(X.rows(doubled), y.rows(doubled)).predict_proba(X)
    for place in range(2):
        np.testing.assert_array_equal(shuffled[place], whole[place])
        np.testing.assert_array_equal(weighted[place], copied[place])


def test_rows_of_weight_zero_are_not_there(classes):
    X, y = classes
    weight = (np.arange(X.n_rows) % 3 > 0).astype(float)
    kept = np.flatnonzero(weight)
    with_zero = MultiOutputTree().fit(X, y, sample_weight=weight).predict(X)
    without = MultiOutputTree().fit(X.rows(kept), y.rows(kept)).predict(X)
    np.testing.assert_array_equal(with_zero, without)


def test_joint_scores(classes):
    X, y = classes
    model = MultiOutput("one_rule").fit(X, y)
    scores, predicted = model.evaluate(X, y), model.predict(X)
    right = predicted == np.column_stack([column.to_numpy() for column in y.columns])
    assert scores.exact_match.estimate == pytest.approx(right.all(axis=1).mean())
    assert scores.hamming_loss.estimate == pytest.approx(1 - right.mean())
    assert scores.exact_match.low < scores.exact_match.estimate < scores.exact_match.high
    assert scores.mean == pytest.approx(right.mean())
    assert list(scores.to_frame()["metric"]) == ["accuracy"] * 2 + ["exact match", "Hamming loss"]
    assert "Hamming loss" in str(scores)


def test_cross_validation_is_out_of_fold(classes):
    X, y = classes
    model = MultiOutputForest(5)
    inside = model.fit(X, y).score(X, y)
    outside = cross_validate_outputs(model, X, y, n_folds=3)
    assert outside.n_rows == X.n_rows
    assert outside.mean < inside
    order = np.random.default_rng(0).permutation(X.n_rows)
    shuffled = cross_validate_outputs(model, X.rows(order), y.rows(order), n_folds=3)
    assert str(shuffled) == str(outside)


def test_explanations_of_each_target(classes):
    X, y = classes
    found = ClassifierChain("tree").fit(X, y).explain(X.rows([0]))
    assert list(found) == ["survived", "pclass"]
    assert "survived (target)" in {part.column for part in found["pclass"].parts}


def test_tasks_can_be_said():
    X, y = {"a": np.arange(30.0)}, np.column_stack([np.arange(30) % 3, np.arange(30) % 3])
    assert MultiOutput("tree").fit(X, y).classes_ == [None, None]
    said = MultiOutput("tree", tasks={"output 2": "classification"}).fit(X, y)
    assert said.classes_[0] is None
    assert said.classes_[1].tolist() == [0, 1, 2]
    assert all(one is not None for one in ClassifierChain("tree").fit(X, y).classes_)


def test_a_list_of_rows_with_names_and_numbers():
    model = MultiOutput("tree").fit(
        {"a": [1, 2, 3, 4]}, [["x", 1.5], ["x", 2.5], ["y", 3], ["y", 4]]
    )
    assert model.classes_[0].tolist() == ["x", "y"]
    assert model.classes_[1] is None


# -- what is refused ------------------------------------------------------------------------------


def refused(model, X, y, code, call=None):
    """Check that a call is refused with a code; return the names after the repair."""
    with pytest.raises(BranchlineError) as caught:
        (call or (lambda: model.fit(X, y)))()
    assert caught.value.code == code
    names = {"model": model, "X": X, "y": y}
    if caught.value.repair is not None and caught.value.repair.python:
        exec(caught.value.repair.python, names)
    return names


def test_one_target():
    names = refused(MultiOutput("tree"), [[1.0], [2.0], [3.0]], ["a", "b", "a"], "D647")
    assert names["model"].outputs_ == ("output 1",)


@pytest.mark.parametrize("wrong", [None, "a", [], [["x"], ["y", "z"]], np.ones((2, 0))])
def test_what_are_no_targets(wrong):
    with pytest.raises(BranchlineError) as caught:
        MultiOutput("tree").fit([[1.0], [2.0]], wrong)
    assert caught.value.code == "D647"


def test_targets_that_are_missing():
    X = pd.DataFrame({"a": np.arange(20.0)})
    y = pd.DataFrame({"one": ["x", "y"] * 10, "two": [1.0, np.nan, 3.0, 4.0] * 5})
    names = refused(MultiOutput("tree"), X, y, "D648")
    assert names["model"].n_features_in_ == 1


def test_another_number_of_targets(classes):
    X, y = classes
    model = MultiOutput("tree").fit(X, y)
    refused(model, X, y, "D649", lambda: model.evaluate(X, y.select(["pclass"])))


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (MultiOutput("tree", tasks={"nobody": "regression"}), "P875"),
        (ClassifierChain("tree", order=["nobody", "pclass"]), "P875"),
        (ClassifierChain("tree", order=["pclass"]), "P876"),
    ],
)
def test_names_that_are_no_targets(classes, model, code):
    names = refused(model, *classes, code)
    names["model"].fit(*classes)


def test_a_column_with_the_name_of_a_target():
    X = {"a": [1.0, 2, 3, 4], "one (target)": [1.0, 2, 3, 4]}
    y = {"one": ["x", "y", "x", "y"], "two": ["x", "y", "x", "y"]}
    refused(ClassifierChain("tree"), X, y, "P877")


def test_models_of_one_target_are_not_assessed(classes):
    X, y = classes
    model = DecisionTreeClassifier()
    names = refused(model, X, y, "P878", lambda: cross_validate_outputs(model, X, y))
    assert isinstance(names["model"], MultiOutput)


def test_a_classifier_does_not_predict_numbers(mixed):
    with pytest.raises(BranchlineError, match="takes learners for regression"):
        MultiOutput(DecisionTreeClassifier()).fit(*mixed)


def test_damaged_models_are_refused(classes):
    X, y = classes
    for name in MODELS:
        model = MODELS[name].fit(X, y)
        packed = dict(model._pack())
        for key, value in (
            ("outputs", ["a"]),
            ("members", []),
            ("n_train", 0),
            ("classes_of_outputs", [None, 3]),
        ):
            with pytest.raises(BranchlineError):
                model._unpack({**packed, key: value}, model.schema_)


def test_targets_are_split_off_a_table():
    X, y = load_dataset("titanic").split_target(["survived", "sex"])
    assert isinstance(y, Table)
    assert y.names == ("survived", "sex")
    assert not {"survived", "sex"} & set(X.names)
