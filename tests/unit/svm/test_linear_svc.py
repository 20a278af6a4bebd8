"""LinearSVC: the objective of peers with a free constant, a true gap, honest probabilities."""

from functools import cache

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn import svm
from sklearn.base import clone

import branchline
from branchline import load_dataset
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning, ModelFileError, ParameterError
from branchline.svm import _linear_leave_one_out as leaving
from branchline.svm._linear_margin import Ends, find_margins
from branchline.svm._linear_svc import LinearSVC
from branchline.svm._sigmoid import Sigmoid, fit_sigmoid, probabilities_of_margins

RAW = TableEncoder(scale="none")


def problem(seed=0, n_rows=120, n_columns=5, noise=1.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns)) * random.uniform(0.2, 3, n_columns) + 1
    score = X @ random.normal(size=n_columns) + noise * random.normal(size=n_rows)
    return X, score > np.median(score)


def objective(model, X, y, weight=1.0):
    """½‖w‖² + Σ C loss, from the coefficients alone."""
    sign = np.where(y == model.classes_[1], 1, -1)
    slack = np.maximum(0, 1 - sign * (X @ model.coef_[0] + model.intercept_[0]))
    loss = slack**2 if model.loss == "squared_hinge" else slack
    return 0.5 * (model.coef_**2).sum() + model.C * np.sum(weight * loss)


def least_squared_hinge(X, y, price):
    """The least objective with squares, by another optimizer."""
    sign = np.where(y, 1, -1)

    def value(point):
        slack = np.maximum(0, 1 - sign * (X @ point[:-1] + point[-1]))
        slope = -2 * price * slack * sign
        gradient = np.append(X.T @ slope + point[:-1], slope.sum())
        return 0.5 * point[:-1] @ point[:-1] + np.sum(price * slack**2), gradient

    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    start = np.zeros(X.shape[1] + 1)
    return optimize.minimize(value, start, jac=True, method="L-BFGS-B", options=options).fun


@cache
def least_of_problem(seed, price):
    return least_squared_hinge(*problem(seed), price)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("solver", ["auto", "descent"])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_the_squared_hinge_is_as_small_as_another_optimizer_finds_it(seed, solver, C):
    X, y = problem(seed)
    model = LinearSVC(C=C, encoder=RAW, solver=solver, tol=1e-7, max_iter=100_000).fit(X, y)
    best = least_of_problem(seed, C)
    assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-9)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.objective_ - model.gap_ <= best * (1 + 1e-9)
    assert model.converged_


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("solver", ["auto", "descent"])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_the_hinge_is_that_of_the_kernel_machine_whose_constant_is_free(seed, solver, C):
    X, y = problem(seed)
    model = LinearSVC(C=C, loss="hinge", encoder=RAW, solver=solver, tol=1e-7, max_iter=100_000)
    model.fit(X, y)
    theirs = svm.SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    # Their dual is exact to the tolerance; the constant that they give is not always.
    best = np.abs(theirs.dual_coef_).sum() - 0.5 * (theirs.coef_**2).sum()
    assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-9)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.objective_ - model.gap_ <= best * (1 + 1e-6)
    assert model.converged_


def test_liblinear_with_a_nearly_free_constant_agrees():
    X, y = problem(3)
    ours = LinearSVC(encoder=RAW).fit(X, y)
    theirs = svm.LinearSVC(dual=False, intercept_scaling=1e3, tol=1e-12, max_iter=100_000)
    np.testing.assert_allclose(ours.coef_, theirs.fit(X, y).coef_, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_sparse_rows_are_dense_rows(loss):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 12)) * (random.random((80, 12)) < 0.3)
    y = X.sum(axis=1) + 0.3 * random.normal(size=80) > 0
    dense = LinearSVC(loss=loss, encoder=RAW).fit(X, y)
    thin = LinearSVC(loss=loss, encoder=RAW).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), rtol=1e-5
    )


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_weights_are_copies_to_the_last_bit(loss):
    X, y = problem()
    copies = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = LinearSVC(loss=loss).fit(X, y, copies)
    repeated = LinearSVC(loss=loss).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_array_equal(weighted.weights_, repeated.weights_)
    np.testing.assert_array_equal(weighted.slopes_, repeated.slopes_)


def test_class_weights_multiply_the_price_of_their_rows():
    X, y = problem(2)
    weight = np.where(y, 3.0, 0.5)
    given = LinearSVC(class_weight={True: 3.0, False: 0.5}, encoder=RAW).fit(X, y)
    assert given.objective_ == pytest.approx(objective(given, X, y, weight))
    assert given.objective_ == pytest.approx(least_squared_hinge(X, y, weight), rel=1e-7)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("solver", ["auto", "descent"])
def test_threads_do_not_change_a_bit(loss, solver):
    random = np.random.default_rng(0)
    X = random.normal(size=(9000, 6))
    y = np.digitize(X[:, 0] + random.normal(size=9000), [-0.5, 0.5])
    for target in (y, y > 0):
        model = LinearSVC(loss=loss, solver=solver, encoder=RAW, tol=1e-2)
        one, four = (clone(model).set_params(n_jobs=n).fit(X, target) for n in (1, 4))
        np.testing.assert_array_equal(one.weights_, four.weights_)
        np.testing.assert_array_equal(one.bias_, four.bias_)
        np.testing.assert_array_equal(one.slopes_, four.slopes_)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_many_columns_are_descended_and_agree_with_few_steps_of_newton(loss):
    random = np.random.default_rng(0)
    X = sparse.random_array((150, 30_000), density=0.002, rng=random, format="csr")
    y = np.asarray(X[:, :1000].sum(axis=1) > X[:, 1000:2000].sum(axis=1)).ravel()
    model = LinearSVC(loss=loss, encoder=RAW).fit(X, y)
    assert model.solver_ == "descent"
    assert model.gap_ <= 1e-4 * model.objective_
    if loss == "squared_hinge":
        newton = LinearSVC(encoder=RAW, solver="newton").fit(X, y)
        assert newton.solver_ == "newton-cg"
        assert model.objective_ == pytest.approx(newton.objective_, rel=1e-4)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("solver", ["auto", "descent"])
def test_degenerate_tables_have_answers(loss, solver):
    model = LinearSVC(loss=loss, solver=solver, encoder=RAW, max_iter=20_000)
    two = clone(model).fit([[0.0], [2.0]], ["a", "b"])
    assert two.predict([[0.0], [2.0]]).tolist() == ["a", "b"]
    # w = 1 and b = −1 touch both rows: the widest margin. Its price is ½ w², or less with slack.
    assert two.objective_ <= 0.5 + 1e-4
    torn = clone(model).fit([[1.0], [1.0], [2.0], [2.0]], ["a", "b", "a", "b"])
    assert 0.5 * torn.coef_**2 <= torn.gap_ + 1e-9
    assert torn.objective_ == pytest.approx(4.0, rel=1e-4)
    flat = clone(model).fit(np.ones((6, 2)), ["a"] * 4 + ["b"] * 2)
    assert (flat.predict(np.ones((1, 2))) == "a").all()


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
def test_columns_of_any_size_are_solved_to_the_gap(loss, scale):
    X, y = problem(1)
    X = X * np.array([scale, 1, 1, 1 / scale, 1])
    model = LinearSVC(loss=loss, encoder=RAW).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-4 * model.objective_


def test_without_a_constant_and_with_one_class():
    X, y = problem()
    model = LinearSVC(fit_intercept=False, encoder=RAW).fit(X, y)
    assert model.intercept_ == 0
    with pytest.warns(BranchlineWarning, match="only one class"):
        only = LinearSVC().fit(X, np.ones(len(y)))
    assert only.solver_ == "none"
    assert only.predict_proba(X).tolist() == [[1.0]] * len(y)


def test_margins_are_two_over_the_norm():
    X, y = load_dataset("iris").split_target("species")
    model = LinearSVC().fit(X, y)
    np.testing.assert_allclose(model.margin_, 2 / np.linalg.norm(model.weights_, axis=1))
    assert "margin" in model.to_text()
    assert isinstance(LinearSVC().fit(X, y == "setosa").margin_, float)


def test_a_fit_that_stops_early_says_by_how_much():
    X, y = problem()
    with pytest.warns(BranchlineWarning, match="above the least possible"):
        model = LinearSVC(solver="descent", max_iter=2, tol=1e-10).fit(X, y)
    assert not model.converged_
    best = LinearSVC(tol=1e-10).fit(X, y).objective_
    assert model.objective_ - model.gap_ <= best <= model.objective_


def test_a_solver_that_does_not_fit_the_loss_is_refused():
    X, y = problem()
    for loss, solver in (("hinge", "newton"), ("squared_hinge", "interior_point")):
        with pytest.raises(ParameterError) as caught:
            LinearSVC(loss=loss, solver=solver).fit(X, y)
        assert caught.value.code == "P170"


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_probabilities_never_contradict_predictions(loss):
    for name, target in (("iris", "species"), ("votes84", "party"), ("german-credit", "class")):
        X, y = load_dataset(name).split_target(target)
        model = LinearSVC(loss=loss).fit(X, y)
        scores, shown = model.decision_function(X), model.predict_proba(X)
        by_score = np.argmax(scores, axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        np.testing.assert_array_equal(np.argmax(shown, axis=1), by_score)
        np.testing.assert_array_equal(model.predict(X), model.classes_[by_score])
        np.testing.assert_allclose(shown.sum(axis=1), 1.0)


def refitted_scores(X, y, loss):
    model = LinearSVC(loss=loss, tol=1e-8)

    def solve(rows):
        up = y[rows]
        ends = Ends(
            np.where(up, 1.0, -np.inf)[None],
            np.where(up, np.inf, -1.0)[None],
            np.ones((1, len(rows))),
        )
        return find_margins(model, X[rows], ends)

    everything = np.arange(len(y))
    whole = solve(everything)
    left = np.zeros(len(y))
    for row in everything:
        part = solve(np.delete(everything, row))
        left[row] = X[row] @ part.weights[0] + part.bias[0]
    return whole, X @ whole.weights[0] + whole.bias[0], left


def test_scores_of_rows_left_out_are_those_of_refits():
    X, y = problem(0, n_rows=60)
    for loss, share in (("squared_hinge", 0.1), ("hinge", 0.7)):
        whole, seen, truth = refitted_scores(X, y, loss)
        ones = np.ones(len(y))
        missed = None if loss != "hinge" else 1 - np.where(y, 1, -1) * seen
        left = leaving.leave_one_out(X, seen, whole.dual[0], ones, ones, missed)
        assert np.abs(left.scores - truth).mean() < share * np.abs(seen - truth).mean()


def test_leverages_by_gradients_are_those_of_the_factor():
    X, y = problem(0, n_rows=60)
    curvature = np.where(y, 2.0, 0.0)
    rows = np.arange(60)
    factored = leaving._factored(X, curvature, rows)
    np.testing.assert_allclose(leaving._by_gradients(X, curvature, rows), factored, rtol=1e-6)


def test_probabilities_on_new_rows_are_calibrated():
    X, y = problem(5, n_rows=4000, noise=4.0)
    model = LinearSVC().fit(X[:400], y[:400])
    shown = model.predict_proba(X[400:])[:, 1]
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (shown >= low) & (shown < low + 0.2)
        assert y[400:][inside].mean() == pytest.approx(shown[inside].mean(), abs=0.1)


def test_sigmoids_find_their_slopes_and_are_a_half_at_zero():
    random = np.random.default_rng(0)
    scores = random.normal(size=20_000) * 2
    chance = Sigmoid(0.5, 2.0).probability(scores)
    found = fit_sigmoid(scores, random.random(20_000) < chance)
    assert found.slope_below == pytest.approx(0.5, rel=0.1)
    assert found.slope_above == pytest.approx(2.0, rel=0.1)
    around = found.probability(np.array([-1e-300, 0.0, 1e-300]))
    assert around[0] <= around[1] == 0.5 < around[2]
    empty = fit_sigmoid(np.zeros(3), np.array([True, False, True]))
    assert (empty.slope_below, empty.slope_above) == (1.0, 1.0)


def test_classes_that_would_come_first_share_with_the_chosen_one():
    steep, flat = Sigmoid(9.0, 9.0), Sigmoid(0.1, 0.1)
    shown = probabilities_of_margins(np.array([[1.0, 2.0, -3.0]]), [steep, flat, steep])
    assert np.argmax(shown) == 1
    assert shown[0, 0] == pytest.approx(shown[0, 1])
    assert shown.sum() == pytest.approx(1.0)


def test_a_saved_model_is_the_same(tmp_path):
    X, y = load_dataset("iris").split_target("species")
    model = LinearSVC(loss="hinge").fit(X, y)
    model.save(tmp_path / "model")
    again = branchline.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert (again.objective_, again.gap_) == (model.objective_, model.gap_)


@pytest.mark.parametrize(
    "part", [{"gap": -1.0}, {"solver": "magic"}, {"n_iter": 1.5}, {"converged": 1}]
)
def test_forged_reports_are_refused(part):
    X, y = problem()
    model = LinearSVC().fit(X, y)
    state = dict(model._pack())
    state["report"] = {**state["report"], **part}
    with pytest.raises(ModelFileError):
        model._unpack(state, model.schema_)
