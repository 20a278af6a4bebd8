"""Trees and forests for outputs of any kind that have a kernel."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline
from branchline import Table, load_dataset
from branchline.errors import BranchlineError
from branchline.kernels import RBF, FunctionKernel, Intersection, Kernel, Spectrum
from branchline.outputs import (
    MultiOutputTree,
    OutputKernelForest,
    OutputKernelRidge,
    OutputKernelTree,
    cross_validate_kernel_outputs,
)
from branchline.tree import DecisionTreeRegressor
from twins import output_kernel as twin

DEEP = DecisionTreeRegressor(prune=None, min_samples_leaf=5)


@pytest.fixture(scope="module")
def numbers():
    """Return rows and two numbers for each."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(150, 3))
    noise = 0.1 * draws.normal(size=(150, 2))
    return X, np.column_stack([2 * X[:, 0] + (X[:, 1] > 0), np.sin(X[:, 2])]) + noise


@pytest.fixture(scope="module")
def texts():
    """Return a dirty table, and texts whose letters depend on it."""
    X, _ = (
        load_dataset("titanic").select(["sex", "age", "fare", "survived"]).split_target("survived")
    )
    X = X.rows(np.arange(0, 1300, 5))
    draws = np.random.default_rng(1)
    letters = np.where(np.array(X.column("sex").to_list()) == "female", "ab", "cd")
    return X, ["".join(draws.choice(list(both), 5)) for both in letters]


MODELS = {
    "tree": OutputKernelTree(Spectrum(k=2)),
    "bagged": OutputKernelForest(Spectrum(k=2), n_estimators=4, min_samples_leaf=9),
    "extra": OutputKernelForest(Spectrum(k=2), n_estimators=4, min_samples_leaf=9, trees="extra"),
    "ridge": OutputKernelRidge(Spectrum(k=2), alpha=1.0),
}


def test_a_linear_kernel_gives_the_tree_of_several_numbers(numbers):
    X, y = numbers
    model = OutputKernelTree(estimator=DEEP).fit(X, y)
    mean = model.predict_weights(X) @ model.candidates_.to_numpy()
    np.testing.assert_allclose(mean, DEEP.fit(X, y).predict(X), atol=1e-9)
    given = OutputKernelTree("precomputed", estimator=DEEP).fit(X, y @ y.T)
    mean = given.predict_weights(X) @ y[given.candidates_.columns[0].values]
    np.testing.assert_allclose(mean, DEEP.predict(X), atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_texts_are_predicted(texts, name, tmp_path):
    X, y = texts
    model = MODELS[name].fit(X, y)
    weights, predicted = model.predict_weights(X), model.predict(X)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.shape == (X.n_rows, len(set(y)))
    assert set(predicted) <= set(y)
    assert predicted.shape == (X.n_rows,)
    assert model.to_text()
    assert model.complexity().count >= 1
    assert list(model.to_frame(X).columns) == ["text"]
    model.save(tmp_path / "m.model")
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict_weights(X), weights)
    np.testing.assert_array_equal(loaded.predict(X), predicted)
    assert loaded.score(X, y) == model.score(X, y)
    outside = cross_validate_kernel_outputs(model, X, y, n_folds=3)
    assert 0.2 < outside.explained.estimate < model.score(X, y)


@pytest.mark.parametrize("name", MODELS)
def test_row_order_and_weights(texts, name):
    X, y = texts
    y = np.array(y)
    n_rows = X.n_rows
    whole = MODELS[name].fit(X, y).predict_weights(X)
    order = np.random.default_rng(0).permutation(n_rows)
    shuffled = MODELS[name].fit(X.rows(order), y[order])
    np.testing.assert_array_equal(shuffled.predict_weights(X), whole)
    doubled = np.concatenate([order, np.arange(n_rows)])
    weighted = MODELS[name].fit(X, y, sample_weight=np.full(n_rows, 2)).predict_weights(X)
    copied = MODELS[name].fit(X.rows(doubled), y[doubled]).predict_weights(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-9)
    kept = np.arange(n_rows) % 3 > 0
    without = MODELS[name].fit(X.rows(kept), y[kept])
    zero = MODELS[name].fit(X, y, sample_weight=kept.astype(float))
    np.testing.assert_allclose(zero.predict_weights(X), without.predict_weights(X), atol=1e-9)


def test_rankings_and_histograms(numbers):
    X, _ = numbers
    rankings = np.argsort(np.argsort(-np.column_stack([X[:, 0], X[:, 1], np.zeros(150)]), axis=1))
    model = OutputKernelTree(RBF(gamma=1.0)).fit(X, rankings)
    assert (model.predict(X) == rankings).all(axis=1).mean() > 0.9
    shares = np.exp(np.column_stack([X[:, :2], np.zeros(150)]))
    shares /= shares.sum(axis=1, keepdims=True)
    forest = OutputKernelForest(Intersection(), n_estimators=10).fit(X, shares)
    np.testing.assert_allclose(forest.predict(X).sum(axis=1), 1)
    assert forest.score(X, shares) > 0.8


def test_outputs_of_several_kinds():
    X, y = load_dataset("titanic").split_target(["survived", "pclass"])
    model = OutputKernelTree().fit(X, y)
    assert model.candidates_.n_rows == 6
    found, tree = model.predict(X), MultiOutputTree().fit(X, y)
    assert np.mean(found == tree.predict(X)) > 0.8
    mixed = pd.DataFrame({"a": [1, 2, 1, 2], "b": ["x", "y", "x", "y"]})
    model = OutputKernelTree(estimator=DecisionTreeRegressor(prune=None))
    found = model.fit([[1.0], [9.0], [2.0], [8.0]], mixed).predict([[0.0], [10.0]])
    assert found.tolist() == [[1, "x"], [2, "y"]]


@pytest.mark.parametrize("options", [{"split": "multiway"}, {"missing": "fractional"}])
def test_rows_that_stay_or_are_shared(texts, options):
    X, _ = texts
    tree = DecisionTreeRegressor(prune=None, max_depth=3, **options)
    model = OutputKernelTree(estimator=tree).fit(X, np.arange(X.n_rows))
    new = {"sex": ["unknown", None], "age": [None, 3.0], "fare": [None, None]}
    weights = model.predict_weights(new)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    same = tree.fit(X, np.arange(X.n_rows)).predict(new)
    np.testing.assert_allclose(weights @ np.arange(X.n_rows), same, rtol=1e-6)


def test_main_components_of_many_outputs(numbers):
    X, _ = numbers
    X, y = np.tile(X, (15, 1)), np.arange(2250.0)
    with pytest.raises(BranchlineError) as caught:
        OutputKernelTree(RBF()).fit(X, y)
    assert caught.value.code == "P880"
    names = {"model": OutputKernelTree(RBF())}
    exec(caught.value.repair.python, names)
    assert names["model"].n_components == 200
    few, exact = (OutputKernelTree(n_components=n, estimator=DEEP) for n in (5, None))
    X, y = numbers
    np.testing.assert_array_equal(few.fit(X, y).predict(X), exact.fit(X, y).predict(X))


def test_scores(texts):
    X, y = texts
    model = MODELS["tree"].fit(X, y)
    scores, weights = model.evaluate(X, y), model.predict_weights(X)
    gram = Spectrum(k=2).gram(list(model.candidates_.column("text").to_numpy()))
    places = {text: at for at, text in enumerate(model.candidates_.column("text").to_list())}
    far = [
        twin.squared_distance(gram, weights[row], places[y[row]]) for row in range(0, X.n_rows, 60)
    ]
    some = model.evaluate(X.rows(np.arange(0, X.n_rows, 60)), y[::60])
    assert some.distance.estimate == pytest.approx(np.mean(far))
    assert scores.exact_match.estimate == np.mean(model.predict(X) == np.array(y))
    assert scores.distance.low < scores.distance.estimate < scores.distance.high
    assert scores.to_frame()["metric"][0] == "mean squared distance"
    assert "exact match" in str(scores)
    assert "exact match" in scores._repr_html_()


def test_cross_validation_of_a_given_gram_matrix(numbers):
    X, y = numbers
    known = cross_validate_kernel_outputs(OutputKernelTree(estimator=DEEP), X, y, n_folds=3)
    given = OutputKernelTree("precomputed", estimator=DEEP)
    assert given.fit(X, y @ y.T).predict(X).dtype.kind == "i"
    scores = cross_validate_kernel_outputs(given, X, y @ y.T, n_folds=3)
    assert scores.explained.estimate == pytest.approx(known.explained.estimate, abs=0.05)


# -- against a slow reference ---------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_the_split_is_the_best_of_all(seed, n_rows):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_rows, 2))
    y = ["".join(draws.choice(list("ab"), 4)) for _ in range(n_rows)]
    weight = draws.integers(1, 4, n_rows).astype(float)
    stump = DecisionTreeRegressor(prune=None, max_depth=1, correct_for_chance=False)
    model = OutputKernelTree(Spectrum(k=2), estimator=stump).fit(X, y, sample_weight=weight)
    gram, leaf = Spectrum(k=2).gram(y), model.members_[0].apply(X)
    found = sum(
        twin.kernel_variance(gram[np.ix_(leaf == one, leaf == one)], weight[leaf == one])
        for one in set(leaf.tolist())
    )
    assert found == pytest.approx(twin.best_split(X, gram, weight), abs=1e-6)
    weights = model.predict_weights(X)
    of_candidates = Spectrum(k=2).gram(list(model.candidates_.column("text").to_numpy()))
    known = model.candidates_.column("text").to_list()
    for row, text in enumerate(model.predict(X)):
        same = [
            weight[(leaf == leaf[row]) & (np.array(y) == one)].sum()
            / weight[leaf == leaf[row]].sum()
            for one in known
        ]
        np.testing.assert_allclose(weights[row], same, atol=1e-12)
        far = twin.squared_distance(of_candidates, weights[row], known.index(text))
        assert far == pytest.approx(twin.nearest(of_candidates, weights[row]), abs=1e-6)


# -- what is refused ------------------------------------------------------------------------------


def refused(code, call, **names):
    """Check that a call is refused with a code, and that its repair runs."""
    with pytest.raises(BranchlineError) as caught:
        call()
    assert caught.value.code == code
    exec(caught.value.repair.python, names)
    return names


def test_errors_with_repairs(numbers):
    X, y = numbers
    model = OutputKernelTree("precomputed")
    refused("D628", lambda: model.fit(X, y), model=model, X=X, y=y)
    model = OutputKernelTree()
    refused("D628", lambda: model.fit(X, y[:-1]), model=model, X=X, y=y[:-1])
    gram = y @ y.T - np.eye(len(y))
    model = OutputKernelTree("precomputed")
    refused("D629", lambda: model.fit(X, gram), model=model, X=X, y=gram)
    model = OutputKernelTree(FunctionKernel(lambda a, b: -(a @ b.T)))
    refused("D629", lambda: model.fit(X, y), model=model, X=X, y=y)
    gram = y @ y.T
    model = OutputKernelTree("precomputed").fit(X, gram)
    refused("P881", lambda: model.evaluate(X, gram), model=model, X=X, y=gram)
    model = OutputKernelTree(estimator=DecisionTreeRegressor(criterion="absolute_error"))
    found = refused("P883", lambda: model.fit(X, y), model=model)
    found["model"].fit(X, y)
    wrong = DecisionTreeRegressor()
    found = refused("P882", lambda: cross_validate_kernel_outputs(wrong, X, y), model=wrong)
    assert isinstance(found["model"], OutputKernelTree)
    y = np.where(np.arange(len(y))[:, None] == 3, np.nan, y)
    model = OutputKernelTree()
    refused("D648", lambda: model.fit(X, y), model=model, X=X, y=y)


@pytest.mark.parametrize("kernel", ["nobody", 3, Kernel])
def test_what_is_not_a_kernel(numbers, kernel):
    with pytest.raises(BranchlineError, match="output_kernel"):
        OutputKernelTree(kernel).fit(*numbers)


@pytest.mark.parametrize("name", MODELS)
def test_damaged_models_are_refused(texts, name):
    X, y = texts
    model = MODELS[name].fit(X, y)
    packed = dict(model._pack())
    wrong = {
        "members": [],
        "n_train": 0,
        "mean": np.ones(3),
        "space": {},
        "leaves": [],
        "alpha": -1.0,
    }
    for key in set(wrong) & set(packed):
        with pytest.raises(BranchlineError):
            model._unpack({**packed, key: wrong[key]}, model.schema_)
    space = {**packed["space"], "cells": [np.array([10**6], dtype=np.int32)]}
    with pytest.raises(BranchlineError):
        model._unpack({**packed, "space": space}, model.schema_)


def test_a_tiny_table_and_a_wide_one():
    same = OutputKernelTree().fit([[1.0], [1.0], [1.0]], ["x", "x", "y"])
    assert same.to_text() == "all rows: x"
    few = OutputKernelTree(Spectrum(k=1)).fit(Table({"a": [1.0, 2.0]}), ["x", "y"])
    assert set(few.predict({"a": [1.0, 2.0]})) <= {"x", "y"}
    one = OutputKernelForest(n_estimators=2).fit([[1.0]], [5.0])
    assert one.predict([[3.0]]).tolist() == [5.0]
    wide = np.random.default_rng(0).normal(size=(40, 2000))
    model = OutputKernelRidge(alpha=1.0, kernel="linear").fit(wide, wide[:, 0])
    assert model.predict(wide).shape == (40,)
