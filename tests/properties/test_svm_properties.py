"""What holds for every support vector machine, whatever the rows, weights and parameters."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from branchline.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from twins.svm import classification_optimum, kernel_values, regression_optimum

MAKERS = {
    "SVC": lambda **more: SVC(3, **more),
    "squared slack": lambda **more: SVC(0.5, loss="squared_hinge", **more),
    "no bias": lambda **more: SVC(2, fit_intercept=False, kernel="laplacian", **more),
    "NuSVC": lambda **more: NuSVC(0.2, **more),
    "SVR": lambda **more: SVR(3, **more),
    "NuSVR": lambda **more: NuSVR(3, nu=0.4, **more),
    "OneClassSVM": lambda **more: OneClassSVM(0.4, kernel="poly", degree=2, coef0=1.0, **more),
}


def target(model, score):
    return score if isinstance(model, SVR | NuSVR) else score > np.median(score)


def output(model, rows):
    if isinstance(model, SVR | NuSVR):
        return model.predict(rows)
    return model.decision_function(rows)


def rows_of(seed, n_rows=50):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3)).round(2)
    return X, X[:, 0] + X[:, 1] ** 2 + 0.5 * random.normal(size=n_rows), random


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_rows_does_not_change_a_bit(name, seed):
    X, score, random = rows_of(seed)
    order = random.permutation(len(X))
    one, other = MAKERS[name](), MAKERS[name]()
    y = target(one, score)
    one.fit(X, y)
    other.fit(X[order], y[order])
    assert (output(one, X) == output(other, X)).all()
    assert sorted(order[other.support_]) == sorted(one.support_)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_a_weight_is_a_number_of_copies(name, seed):
    X, score, random = rows_of(seed, 40)
    weights = random.integers(0, 4, len(X))
    weights[:2] = 1
    y = target(MAKERS[name](), score)
    y[:2] = y[:2] if y.dtype == float else [True, False]
    if y.dtype == bool:
        weights[y] = np.maximum(weights[y], 1)  # what ν allows depends on both classes
        weights[~y] = np.maximum(weights[~y], 1)
    weighted = MAKERS[name]().fit(X, y, sample_weight=weights)
    copies = MAKERS[name]().fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    assert (output(weighted, X) == output(copies, X)).all()
    assert weighted.objective_ == copies.objective_
    assert (weights[weighted.support_] > 0).all()


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_the_number_of_threads_does_not_change_a_bit(name, seed):
    X, score, _ = rows_of(seed, 200)
    models = [MAKERS[name](n_jobs=threads) for threads in (1, 2)]
    one, other = (output(model.fit(X, target(model, score)), X) for model in models)
    assert (one == other).all()


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_one_by_one_is_as_all_at_once(name, seed):
    X, score, _ = rows_of(seed)
    model = MAKERS[name]()
    model.fit(X, target(model, score))
    alone = np.concatenate([output(model, X[[row]]) for row in range(len(X))])
    assert alone == pytest.approx(output(model, X), rel=1e-9, abs=1e-9)


@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 20),
    n_values=st.integers(1, 4),
    C=st.floats(-3, 4).map(lambda power: 10.0**power),
    squared=st.booleans(),
    has_bias=st.booleans(),
    max_iter=st.sampled_from([-1, -1, 1, 3, 10]),
)
def test_the_gap_bounds_what_is_left_of_any_classification(
    seed, n_rows, n_values, C, squared, has_bias, max_iter
):
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, size=(n_rows, 2)).astype(float)  # many equal rows
    y = random.integers(0, 2, n_rows)
    y[:2] = [0, 1]
    loss = "squared_hinge" if squared else "hinge"
    model = SVC(
        C, loss=loss, gamma=0.7, standardize=False, fit_intercept=has_bias, max_iter=max_iter
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    K, labels = kernel_values("rbf", X, X, gamma=0.7), np.where(y, 1.0, -1.0)
    costs = np.full(n_rows, C)
    best = classification_optimum(K, labels, costs, squared=squared, has_bias=has_bias)
    assert model.objective_ - model.gap_ <= best + 1e-7 * (1 + best)
    assert best <= model.objective_ + 1e-7 * (1 + best)
    assert model.converged_ or max_iter > 0
    if model.converged_:
        assert model.kkt_violation_ <= model.tol
        assert model.gap_ <= 1.01 * model.tol * costs.sum() * (1 + 2 * squared * model.slack_.max())
    probabilities = model.predict_proba(X)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(1, 14),
    C=st.floats(-3, 4).map(lambda power: 10.0**power),
    epsilon=st.sampled_from([0.0, 0.1, 1.0]),
    squared=st.booleans(),
)
def test_the_gap_bounds_what_is_left_of_any_regression(seed, n_rows, C, epsilon, squared):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(n_rows, 2)).astype(float)
    y = random.integers(-3, 4, n_rows).astype(float)
    loss = "squared_epsilon_insensitive" if squared else "epsilon_insensitive"
    model = SVR(C, epsilon=epsilon, loss=loss, gamma=0.7, standardize=False).fit(X, y)
    K = kernel_values("rbf", X, X, gamma=0.7)
    best = regression_optimum(K, y, np.full(n_rows, C), epsilon, squared=squared)
    assert model.objective_ - model.gap_ <= best + 1e-7 * (1 + best)
    assert best <= model.objective_ + 1e-7 * (1 + best)
    assert model.converged_


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 5), power=st.integers(-2, 3))
def test_the_most_probable_class_is_always_the_one_predicted(seed, n_classes, power):
    X, _, random = rows_of(seed, 60)
    y = random.integers(0, n_classes, len(X))
    new = np.vstack([X, 5 * random.normal(size=(40, 3))])
    for strategy in ("one_vs_one", "one_vs_rest"):
        model = SVC(10.0**power, strategy=strategy).fit(X, y)
        probabilities = model.predict_proba(new)
        assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-9
        assert probabilities.min() >= 0
        assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(new)).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), power=st.integers(-2, 3))
def test_no_more_rows_are_wrong_when_left_out_than_support_vectors_weigh(seed, power):
    X, score, random = rows_of(seed, 25)
    weights = random.integers(1, 4, len(X)) if seed % 2 else None
    model = SVC(10.0**power).fit(X, score > np.median(score), weights)
    assert model.loo_error() <= model.loo_bound_ + 1e-12


@pytest.mark.parametrize("name", ["SVC", "SVR"])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-9, 1e-3, 1e5, 1e12]))
def test_units_of_columns_do_not_matter(name, seed, scale):
    X, score, random = rows_of(seed)
    shift = scale * random.integers(-3, 4, 3)
    one, other = MAKERS[name](tol=1e-6), MAKERS[name](tol=1e-6)
    y = target(one, score)
    one.fit(X, y)
    other.fit(scale * X + shift, y)
    assert output(other, scale * X + shift) == pytest.approx(output(one, X), rel=1e-4, abs=1e-4)
