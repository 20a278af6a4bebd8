"""KernelLogisticRegression: linear kernels against logistic regression, and a gap that is true."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

import branchline
from branchline.errors import BranchlineWarning, ParameterError
from branchline.kernels import RBF, Constant, Sigmoid
from branchline.linear import LogisticRegression
from branchline.svm import _kernel_product
from branchline.svm._kernel_logistic import KernelLogisticRegression

PLAIN = {"gamma": 0.5, "standardize": False}


def rows(n_rows=60, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    scores = X @ rng.normal(size=(3, n_classes)) + rng.normal(size=(n_rows, n_classes))
    return X, scores.argmax(axis=1)


def objective(gram, y, cost, coefficients, bias):
    """Σ ½ aᵀ K a + Σ C log loss, from the definition."""
    scores = coefficients @ gram + bias[:, None]
    if len(scores) == 1:
        loss = np.logaddexp(0, np.where(y == 1, -scores[0], scores[0]))
    else:
        loss = -log_softmax(scores, axis=0)[y, np.arange(len(y))]
    return np.einsum("ci,ij,cj->", coefficients, gram, coefficients) / 2 + cost @ loss


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.05, 2.0, 100.0])
def test_linear_kernel_is_logistic_regression(n_classes, C):
    X, y = rows(80, n_classes)
    weight = np.random.default_rng(1).integers(1, 4, 80)
    ours = KernelLogisticRegression(C, kernel="linear", standardize=False).fit(X, y, weight)
    peer = Peer(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y, weight)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-7)
    shown = ours.decision_function(X)
    np.testing.assert_allclose(shown, peer.decision_function(X), atol=1e-5)
    assert ours.converged_
    assert ours.gradient_norm_ <= 1e-8


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_agrees_with_our_logistic_regression(n_classes):
    X, y = rows(80, n_classes, seed=2)
    ours = KernelLogisticRegression(3.0, kernel="linear").fit(X, y)
    linear = LogisticRegression(C=3.0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), linear.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_the_objective_is_the_definition_and_no_model_is_below_its_bound(n_classes, C):
    X, y = rows(40, n_classes)
    model = KernelLogisticRegression(C, **PLAIN).fit(X, y)
    gram = RBF(gamma=0.5).gram(X[model.support_])
    names, cost = y[model.support_], np.full(40, C)
    found = objective(gram, names, cost, model.dual_coef_, model.intercept_)
    assert model.objective_ == pytest.approx(found)
    assert 0 <= model.gap_ <= 1e-6 * model.objective_

    def value(flat):
        table = flat.reshape(len(model.intercept_), 41)
        return objective(gram, names, cost, table[:, :40], table[:, 40])

    start = np.column_stack([model.dual_coef_, model.intercept_]).ravel()
    for seed in range(5):
        step = np.random.default_rng(seed).normal(size=len(start)) * np.abs(start).mean() * 1e-2
        assert value(start + step) >= model.objective_ - model.gap_


def test_an_independent_solver_finds_the_same():
    X, y = rows(25)
    model = KernelLogisticRegression(1.0, **PLAIN).fit(X, y)
    gram = RBF(gamma=0.5).gram(X)
    truth = np.where(y == 1, 1.0, -1.0)

    def value(flat):
        scores = gram @ flat[:-1] + flat[-1]
        return flat[:-1] @ gram @ flat[:-1] / 2 + np.logaddexp(0, -truth * scores).sum()

    best = optimize.minimize(value, np.zeros(26), method="BFGS", options={"gtol": 1e-7})
    assert model.objective_ <= best.fun + 1e-9
    assert model.objective_ - model.gap_ <= best.fun
    assert model.objective_ == pytest.approx(best.fun, rel=1e-6)


def test_coefficients_are_what_is_missed():
    X, y = rows(50, 3)
    model = KernelLogisticRegression(2.0).fit(X, y)
    missed = 2.0 * (np.eye(3)[y] - model.predict_proba(X))
    np.testing.assert_allclose(model.dual_coef_.T, missed[model.support_], atol=1e-6)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0.0, atol=1e-9)


def test_a_solver_that_stops_early_says_so_and_its_gap_is_true():
    X, y = rows(80, 3)
    best = KernelLogisticRegression(1e4).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="stopped before"):
        early = KernelLogisticRegression(1e4, max_iter=2).fit(X, y)
    assert not early.converged_
    assert early.n_iter_ == 2
    assert early.objective_ - early.gap_ <= best.objective_ <= early.objective_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_copies_and_order_does_not_matter(n_classes):
    X, y = rows(50, n_classes)
    weight = np.random.default_rng(5).integers(0, 4, len(y))
    model = KernelLogisticRegression().fit(X, y, weight)
    copied = np.repeat(np.arange(len(y)), weight)
    repeated = KernelLogisticRegression().fit(X[copied], y[copied])
    order = np.random.default_rng(6).permutation(len(y))
    shuffled = KernelLogisticRegression().fit(X[order], y[order], weight[order])
    for other in (repeated, shuffled):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.objective_ == model.objective_


def test_class_weights_are_weights():
    X, y = rows(60)
    named = KernelLogisticRegression(class_weight={0: 3.0}).fit(X, y)
    weighted = KernelLogisticRegression(**PLAIN).fit(X, y, np.where(y == 0, 3, 1))
    plain = KernelLogisticRegression(class_weight={0: 3.0}, **PLAIN).fit(X, y)
    np.testing.assert_allclose(plain.predict_proba(X), weighted.predict_proba(X), atol=1e-9)
    assert named.predict_proba(X)[:, 0].mean() > 0.5
    y = (np.arange(60) < 6).astype(int)
    even = KernelLogisticRegression(1e-3, class_weight="balanced").fit(X, y)
    assert even.predict_proba(X).mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.05)


def test_curved_boundaries_of_mixed_tables_with_holes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "town": rng.choice(["Ath", "Mons"], 150)})
    y = np.where((np.abs(frame["x"]) < 0.7) == (frame["town"] == "Ath"), "in", "out")
    frame.loc[::21, "x"] = np.nan
    frame.loc[::23, "town"] = None
    model = KernelLogisticRegression(30.0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    np.testing.assert_array_equal(
        model.predict(frame), model.classes_[model.predict_proba(frame).argmax(axis=1)]
    )
    assert model.explain(frame.iloc[[0]]).prediction == model.predict(frame)[0]


def test_one_class_is_certain():
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = KernelLogisticRegression().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert model.gap_ == 0.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_constant_kernel_gives_the_frequencies(n_classes):
    X, y = rows(60, n_classes)
    shares = np.bincount(y) / 60
    model = KernelLogisticRegression(kernel=Constant(1.0)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:4]), np.tile(shares, (4, 1)), atol=1e-8)


def test_a_given_matrix_is_the_kernel():
    X, y = rows(50, 3)
    gram = RBF(gamma=0.5).gram(X)
    given = KernelLogisticRegression(kernel="precomputed").fit(gram, y)
    expected = KernelLogisticRegression(**PLAIN).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(given.predict_proba(gram), expected, atol=1e-8)


def test_a_kernel_that_is_none_is_refused():
    X, y = rows()
    with pytest.raises(ParameterError, match="eigenvalue") as caught:
        KernelLogisticRegression(kernel=Sigmoid(gamma=2.0, coef0=-1.0)).fit(X, y)
    assert caught.value.code == "P176"


def test_values_beyond_all_digits_are_refused():
    X, y = rows()
    model = KernelLogisticRegression(kernel="poly", degree=3, standardize=False, gamma=1.0)
    with pytest.raises(ParameterError, match="beyond the digits") as caught:
        model.fit(1e6 * X, y)
    assert caught.value.code == "P178"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_thin_and_whole_kernels_agree(n_classes, monkeypatch):
    X, y = rows(150, n_classes)
    parameters = {"kernel": "poly", "degree": 2, "coef0": 1.0}
    whole = KernelLogisticRegression(5.0, **parameters).fit(X, y)
    monkeypatch.setattr(_kernel_product, "_FEWEST_ROWS", 1)
    thin = KernelLogisticRegression(5.0, **parameters).fit(X, y)
    np.testing.assert_allclose(thin.predict_proba(X), whole.predict_proba(X), atol=1e-7)
    assert thin.objective_ == pytest.approx(whole.objective_, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_file_holds_the_model(n_classes, tmp_path):
    X, y = rows(60, n_classes)
    model = KernelLogisticRegression().fit(X, np.array(["a", "b", "c"])[y])
    model.save(tmp_path / "model")
    loaded = branchline.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.certificate_ == model.certificate_
