"""Logistic and softmax regression: the numbers, the solvers, the intervals, the warnings."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.preprocessing import StandardScaler

from branchline import load_dataset
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning, ModelFileError, ParameterError
from branchline.linear._logistic import LogisticRegression


def two_columns(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2)) * [1.0, 20.0] + [0.0, 50.0]
    chance = 1 / (1 + np.exp(-(X[:, 0] - 0.05 * (X[:, 1] - 50))))
    return X, (rng.random(n_rows) < chance).astype(int)


def three_classes(n_rows: int = 300) -> tuple[Any, Any]:
    X, _ = two_columns(n_rows)
    noisy = X[:, 0] + np.random.default_rng(2).normal(size=n_rows)
    return X, np.digitize(noisy, [-0.7, 0.8])


# -- the numbers ---------------------------------------------------------------------------------


def test_a_two_by_two_table_has_the_odds_ratio_of_its_counts() -> None:
    # 30 of 40 ill among the exposed, 10 of 50 among the others: odds 3 and 1/4, ratio 12. The
    # variance of its logarithm is 1/30 + 1/10 + 1/10 + 1/40 (Woolf, 1955).
    table = pd.DataFrame({"exposed": ["yes", "yes", "no", "no"]})
    y = ["ill", "well", "ill", "well"]
    model = LogisticRegression(
        penalty=None, encoder=TableEncoder(min_frequency=1, drop="most_frequent")
    ).fit(table, y, sample_weight=[30, 10, 10, 40])
    (row,) = model.odds_ratios()
    assert row.term == "exposed=yes"
    np.testing.assert_allclose(row.ratio, 1 / 12, rtol=1e-9)
    half = 1.959963984540054 * np.sqrt(1 / 30 + 1 / 10 + 1 / 10 + 1 / 40)
    np.testing.assert_allclose([row.low, row.high], np.exp([-half, half]) / 12, rtol=1e-8)


# Both solve the same problem; scikit-learn stops at a gradient of 1e-10 here, ours below 1e-9.
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("data", [two_columns, three_classes])
def test_scikit_learn_has_the_same_coefficients_with_l2(data: Any, C: float) -> None:
    X, y = data()
    Z = StandardScaler().fit_transform(X)
    theirs = Theirs(C=C, tol=1e-10, max_iter=10_000).fit(Z, y)
    ours = LogisticRegression(C=C, encoder=TableEncoder(scale="none")).fit(Z, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    standardized = LogisticRegression(C=C).fit(X, y)
    np.testing.assert_allclose(standardized.predict_proba(X), theirs.predict_proba(Z), atol=1e-6)


@pytest.mark.parametrize(("penalty", "share"), [("l1", 1.0), ("elastic_net", 0.5)])
@pytest.mark.parametrize("data", [two_columns, three_classes])
def test_scikit_learn_has_the_same_coefficients_with_l1(
    data: Any, penalty: str, share: Any
) -> None:
    # saga's last steps are small: 1e-4 is what its own tolerance of 1e-8 leaves.
    X, y = data()
    Z = StandardScaler().fit_transform(X)
    theirs = Theirs(C=0.1, l1_ratio=share, solver="saga", tol=1e-8, max_iter=50_000).fit(Z, y)
    ours = LogisticRegression(penalty=penalty, C=0.1).fit(X, y)
    np.testing.assert_allclose(ours.weights_, theirs.coef_, atol=1e-4)
    assert ours.solver_ == "saga"
    assert ours.gradient_norm_ < 1e-6


def test_scikit_learn_has_the_same_coefficients_without_a_penalty_in_the_units_of_the_table() -> (
    None
):
    X, y = two_columns()
    theirs = Theirs(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    ours = LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4)
    assert np.isinf(ours.C_)


def test_uneven_weights_do_not_keep_l1_from_its_end() -> None:
    X, y = three_classes()
    weight = np.random.default_rng(1).integers(1, 60, len(y))
    model = LogisticRegression(penalty="l1", C=0.5).fit(X, y, sample_weight=weight)
    assert model.gradient_norm_ < 1e-6
    rows = np.repeat(np.arange(len(y)), weight)
    theirs = Theirs(C=0.5, l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=20_000)
    mean, spread = X[rows].mean(axis=0), X[rows].std(axis=0)
    theirs.fit((X[rows] - mean) / spread, y[rows])
    np.testing.assert_allclose(model.weights_, theirs.coef_, atol=1e-4)


def test_class_weights_multiply_the_loss() -> None:
    X, y = three_classes()
    Z = StandardScaler().fit_transform(X)
    raw = TableEncoder(scale="none")
    for given in ("balanced", {0: 2.0, 2: 0.5}):
        theirs = Theirs(C=1.0, class_weight=given, tol=1e-10, max_iter=10_000).fit(Z, y)
        ours = LogisticRegression(C=1.0, class_weight=given, encoder=raw).fit(Z, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_ten_copies_of_a_column_leave_unpenalised_predictions_unchanged() -> None:
    for X, y in (two_columns(), three_classes()):
        copies = np.hstack([X, *[X[:, :1]] * 10])
        once, often = (LogisticRegression(penalty=None).fit(rows, y) for rows in (X, copies))
        np.testing.assert_allclose(
            once.predict_proba(X), often.predict_proba(copies), rtol=1e-7, atol=1e-9
        )
        errors = often.standard_errors_
        assert errors is not None
        assert np.isnan(errors[:, [0, 2, 11]]).all()  # which copy matters cannot be known
        np.testing.assert_allclose(errors[:, 1], once.standard_errors_[:, 1], rtol=1e-6)


# -- intervals -----------------------------------------------------------------------------------


def test_intervals_hold_the_truth_in_95_of_100_samples() -> None:
    truth, n_inside = np.array([0.8, -0.5]), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 2))
        y = rng.random(300) < 1 / (1 + np.exp(-(X @ truth)))
        listed = LogisticRegression(penalty=None).fit(X, y).coefficients()
        n_inside += sum(row.low <= at <= row.high for row, at in zip(listed, truth, strict=True))
    assert 180 <= n_inside <= 198  # of 200; 190 are expected, with a deviation of 3


def test_softmax_errors_are_those_of_contrasts_with_the_mean_of_classes() -> None:
    # The same contrasts from the textbook form with the last class as reference.
    X, y = three_classes(600)
    model = LogisticRegression(penalty=None).fit(X, y)
    Z = np.column_stack([np.ones(len(X)), StandardScaler().fit_transform(X)])
    P = model.predict_proba(X)
    blocks = [[(Z.T * (P[:, a] * ((a == b) - P[:, b]))) @ Z for b in range(2)] for a in range(2)]
    covariance = np.linalg.inv(np.block(blocks)).reshape(2, 3, 2, 3)
    for term in range(2):
        of_term = np.zeros((3, 3))
        of_term[:2, :2] = covariance[:, term + 1, :, term + 1]
        center = np.eye(3) - 1 / 3
        expected = np.sqrt(np.diag(center @ of_term @ center))
        np.testing.assert_allclose(model.standard_errors_[:, term], expected, rtol=1e-5)


def test_penalized_intervals_are_narrower_and_called_approximate() -> None:
    X, y = two_columns()
    free = LogisticRegression(penalty=None).fit(X, y)
    held = LogisticRegression(C=0.01).fit(X, y)
    assert (held.standard_errors_ < free.standard_errors_).all()
    assert "approximate" in str(held.odds_ratios())
    assert "approximate" not in str(free.odds_ratios())
    assert "approximate" in held.to_text()


def test_l1_has_no_intervals() -> None:
    X, y = two_columns()
    model = LogisticRegression(penalty="l1", C=1.0).fit(X, y)
    assert model.standard_errors_ is None
    assert all(row.low is None for row in model.coefficients())
    assert "brackets" not in str(model.odds_ratios())


# -- choosing C -----------------------------------------------------------------------------------


def test_the_strength_of_least_loss_is_chosen_and_one_se_is_simpler() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression().fit(X, y)
    path = model.strength_path_
    assert path is not None
    assert path.strengths[np.argmin(path.losses)] == model.C_
    simpler = LogisticRegression(rule="one_se").fit(X, y)
    assert simpler.C_ <= model.C_
    limit = path.losses.min() + path.errors[np.argmin(path.losses)]
    assert path.losses[list(path.strengths).index(simpler.C_)] <= limit


def test_noise_is_penalized_away_and_a_clear_rule_is_not() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 10))
    noise = LogisticRegression().fit(X, rng.integers(0, 2, 150))
    rule = LogisticRegression().fit(X, X[:, 0] + X[:, 1] > 0)
    assert noise.C_ <= 0.01
    assert rule.C_ >= 100
    assert rule.score(X, X[:, 0] + X[:, 1] > 0) > 0.97


def test_a_class_of_one_row_does_not_stop_the_choice() -> None:
    X, y = three_classes(60)
    y[y == 2] = 1
    y[0] = 2
    model = LogisticRegression().fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_two_rows_are_enough() -> None:
    model = LogisticRegression().fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["no", "yes"]
    assert model.C_ == 1.0


# -- solvers and warnings --------------------------------------------------------------------------


def test_the_solver_is_named_with_its_reason() -> None:
    X, y = two_columns()
    few = LogisticRegression(C=1.0).fit(X, y)
    assert few.solver_ == "newton-cholesky"
    assert "3 unknowns" in few.solver_reason_
    cells = np.random.default_rng(0).normal(size=(600, 500))
    many = LogisticRegression(C=1.0).fit(cells, cells[:, 0] > 0)
    assert many.solver_ == "lbfgs"
    assert "501 unknowns" in many.solver_reason_
    assert many.gradient_norm_ < 1e-5
    wide = LogisticRegression(C=1.0).fit(cells[:60], cells[:60, 0] > 0)
    assert wide.solver_ == "newton-cholesky"
    assert "60 unknowns" in wide.solver_reason_
    assert "the rows span" in wide.solver_reason_
    assert wide.gradient_norm_ < 1e-5
    nothing = LogisticRegression().fit([[1.0]] * 4, [0, 1, 1, 1])
    assert nothing.solver_ == "none"
    np.testing.assert_allclose(nothing.predict_proba([[1.0]]), [[0.25, 0.75]])


def test_an_unfinished_fit_says_so_with_its_gradient() -> None:
    wide = np.random.default_rng(0).normal(size=(60, 500))
    with pytest.warns(BranchlineWarning, match=r"stopped after 2 steps with a gradient of \d"):
        LogisticRegression(C=1.0, max_iter=2).fit(wide, wide[:, 0] > 0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separated_classes_are_reported_and_given_finite_coefficients(n_classes: int) -> None:
    X = np.arange(30.0)[:, None]
    y = np.arange(30) * n_classes // 30
    with pytest.warns(BranchlineWarning, match="told apart without error"):
        model = LogisticRegression(penalty=None).fit(X, y)
    assert model.is_separated_
    assert model.C_ == 1e4
    assert model.standard_errors_ is None
    assert model.score(X, y) == 1.0
    assert np.abs(model.coef_).max() < 1e3


def test_a_category_of_one_class_is_found_too() -> None:
    # Quasi-separation: only the town of Ath gives the class away.
    town = np.repeat(["Ath", "Mons", "Huy"], 40)
    y = np.r_[np.ones(40), np.tile([0, 1], 40)].astype(int)
    with pytest.warns(BranchlineWarning, match="one class only"):
        model = LogisticRegression(penalty=None).fit({"town": town}, y)
    assert model.is_separated_


def test_large_log_odds_alone_are_no_separation() -> None:
    # One row out of 400 lies far on the wrong side: the coefficients are large, but exist.
    X = np.r_[np.linspace(-20, -1, 200), np.linspace(1, 20, 200), [1.5, -1.5]][:, None]
    y = np.r_[np.zeros(200), np.ones(200), [0, 1]].astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(penalty=None).fit(X, y)
    assert not model.is_separated_
    assert np.abs(model.decision_function(X)).max() > 10


def test_l2_never_warns_of_separation() -> None:
    X = np.arange(30.0)[:, None]
    model = LogisticRegression(C=1e4).fit(X, X[:, 0] > 14)
    assert not model.is_separated_


# -- reading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "target"), [("german-credit", "class"), ("votes84", "party"), ("iris", "species")]
)
def test_data_sets_need_no_preparation(name: str, target: str) -> None:
    X, y = load_dataset(name).split_target(target)
    model = LogisticRegression(C=0.1).fit(X, y)
    assert model.score(X, y) > {"german-credit": 0.77, "votes84": 0.95, "iris": 0.9}[name]
    explained = model.explain(X.rows([0]))
    probability = model.predict_proba(X.rows([0]))[0]
    two = np.sort(np.log(probability))[-2:]
    np.testing.assert_allclose(explained.total, two[1] - two[0], rtol=1e-8, atol=1e-10)
    assert str(y[0]) in explained.about or model.predict(X.rows([0]))[0] != y[0]


def test_a_basis_bends_the_boundary() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] * X[:, 1] > 0
    straight = LogisticRegression(C=1.0).fit(X, y).score(X, y)
    bent = LogisticRegression(C=1.0, basis="polynomial").fit(X, y)
    assert straight < 0.7
    assert bent.score(X, y) > 0.95
    assert bent.coefficients().rows[0].low is None


def test_to_text_says_how_the_model_was_found() -> None:
    X, y = two_columns()
    assert "C = 1" in LogisticRegression(C=1.0).fit(X, y).to_text()
    assert "chosen by cross-validation" in LogisticRegression().fit(X, y).to_text()
    assert "no penalty" in LogisticRegression(penalty=None).fit(X, y).to_text()


# -- parameters and files --------------------------------------------------------------------------


def test_a_strength_without_a_penalty_is_a_contradiction() -> None:
    with pytest.raises(ParameterError, match="penalty=None") as caught:
        LogisticRegression(penalty=None, C=1.0).fit([[0.0], [1.0]], [0, 1])
    assert caught.value.code == "P015"


@pytest.mark.parametrize("given", [{"x": 1.0}, {0: -1.0}, {0: np.nan}, {0: "much"}])
def test_bad_class_weights_are_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="'class_weight' parameter") as caught:
        LogisticRegression(class_weight=given).fit([[0.0], [1.0]], [0, 1])
    assert caught.value.code == "P018"


@cache
def fitted() -> LogisticRegression:
    return LogisticRegression().fit(*two_columns(80))


def forged(change: dict[str, Any]) -> None:
    state = {**fitted()._pack(), **change}
    clone(fitted())._unpack(state, fitted().schema_)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": np.zeros((2, 2))},
        {"bias": np.array([np.nan])},
        {"standard_errors": np.full((1, 2), -1.0)},
        {"standard_errors": np.full((1, 2), np.inf)},
        {"standard_errors": np.zeros((1, 3))},
        {"standard_errors": [0.0, 0.0]},
        {"path": {"strengths": np.ones(2), "losses": np.ones(3), "errors": np.ones(2)}},
        {"path": {"strengths": np.ones(1), "losses": -np.ones(1), "errors": np.ones(1)}},
        {"path": {"strengths": np.ones(1)}},
        {"report": {}},
    ],
)
def test_forged_values_are_refused(change: dict[str, Any]) -> None:
    forged({})
    with pytest.raises(ModelFileError):
        forged(change)


@pytest.mark.parametrize(
    "change",
    [
        {"C": -1.0},
        {"C": "1"},
        {"solver": "magic"},
        {"n_iter": -1},
        {"n_iter": True},
        {"gradient_norm": float("nan")},
        {"solver_reason": "x" * 1000},
        {"is_separated": 1},
    ],
)
def test_a_forged_report_is_refused(change: dict[str, Any]) -> None:
    report = {**fitted()._pack()["report"], **change}
    with pytest.raises(ModelFileError):
        forged({"report": report})


def test_what_is_unpacked_is_what_was_packed() -> None:
    X, y = three_classes(100)
    for model in (LogisticRegression(), LogisticRegression(penalty=None)):
        model.fit(X, y)
        again = model._unpack(model._pack(), model.schema_)
        assert again["C_"] == model.C_
        np.testing.assert_array_equal(again["standard_errors_"], model.standard_errors_)
