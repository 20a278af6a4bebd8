"""Gradient boosting: rounds step by step, losses, stopping, warm starts, constraints, reading."""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from scipy import special

import branchline
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._number_losses import HuberLoss, SquaredLoss
from branchline.errors import BranchlineWarning, DataError, NotFittedError, ParameterError
from interrupts import NEEDS_PROC, SOON, endings

GROWTHS = ("leaf_wise", "depth_wise", "symmetric")
EACH_GROWTH = pytest.mark.parametrize("growth", GROWTHS)
BOTH = pytest.mark.parametrize("kind", [GradientBoostingRegressor, GradientBoostingClassifier])


def plain(n_rows=300, seed=0):
    """Return numbers, and a number and classes that depend on them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.3 * random.normal(size=n_rows)
    return X, y, (y > 0).astype(int), np.digitize(y, [-1.0, 1.0])


def mixed(n_rows=300, seed=0):
    """Return numbers, categories and missing values."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.normal(size=n_rows),
            "b": random.integers(0, 5, n_rows).astype(float),
            "word": random.choice(["u", "v", "w", "x", "y", "z"], n_rows),
        }
    )
    y = X["a"] + 2 * X["word"].isin(["u", "x"]) + 0.2 * random.normal(size=n_rows)
    X.loc[random.random(n_rows) < 0.1, "a"] = np.nan
    X.loc[random.random(n_rows) < 0.1, "word"] = None
    return X, y.to_numpy()


# Nothing drawn, so that a round can be followed; other tests say what they draw.
STEADY = {
    "n_estimators": 10,
    "learning_rate": 0.1,
    "min_samples_leaf": 5,
    "subsample": 1.0,
    "max_features": None,
    "tree_features": None,
}


def regressor(**parameters):
    return GradientBoostingRegressor(**{**STEADY, **parameters})


def classifier(**parameters):
    return GradientBoostingClassifier(**{**STEADY, **parameters})


def model_of(kind, **parameters):
    return (regressor if kind is GradientBoostingRegressor else classifier)(**parameters)


def target_of(kind, y):
    return y if kind is GradientBoostingRegressor else (y > np.median(y)).astype(int)


def scores_of(model, X):
    """Return the raw scores after each round, an output a row."""
    return list(model._staged_scores(X))


# -- a round, step by step ------------------------------------------------------------------------


def leaf_values(model, X, number):
    """Return for the tree of that number each row's leaf, and what each leaf adds."""
    leaves = model.trees_.leaf_numbers(model.apply(X))[:, number]
    return leaves, model.trees_.leaf_value[:, 0]


SLOPES = {
    "squared_error": lambda y, f: (f - y, np.ones_like(f)),
    "poisson": lambda y, f: (np.exp(f) - y, np.exp(f)),
    "gamma": lambda y, f: (1 - y * np.exp(-f), y * np.exp(-f)),
    "log_loss": lambda y, f: (special.expit(f) - y, special.expit(f) * special.expit(-f)),
    "exponential": lambda y, f: (-(2 * y - 1) * np.exp(-(2 * y - 1) * f), np.exp(-(2 * y - 1) * f)),
}


@pytest.mark.parametrize("second_order", [True, False])
@pytest.mark.parametrize("loss", SLOPES)
def test_leaves_are_newton_steps(loss, second_order):
    X, y, two, _ = plain()
    is_class = loss in ("log_loss", "exponential")
    target = two if is_class else np.exp(y / 2) if loss in ("poisson", "gamma") else y
    make = classifier if is_class else regressor
    wanted = {"l2_regularization": 0.7, "learning_rate": 0.3, "second_order": second_order}
    model = make(loss=loss, **wanted).fit(X, target)
    raw = np.full(len(X), model.trees_.initial[0])
    for number, after in enumerate(scores_of(model, X)):
        g, h = SLOPES[loss](target, raw)
        leaves, value = leaf_values(model, X, number)
        sums = [np.bincount(leaves, part, len(value)) for part in (g, h)]
        here = np.unique(leaves)
        step = -0.3 * sums[0][here] / (sums[1][here] + 0.7)
        np.testing.assert_allclose(value[here], step, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(after[0], raw + value[leaves], rtol=1e-12)
        raw = after[0]


def test_softmax_leaves_are_newton_steps():
    X, _, _, three = plain()
    model = classifier(n_estimators=4, learning_rate=0.3, l2_regularization=1.0).fit(X, three)
    raw = np.repeat(model.trees_.initial[:, None], len(X), axis=1)
    for round_number, after in enumerate(scores_of(model, X)):
        share = special.softmax(raw, axis=0)
        for output in range(3):
            g, h = share[output] - (three == output), 1.5 * share[output] * (1 - share[output])
            leaves, value = leaf_values(model, X, 3 * round_number + output)
            sums = [np.bincount(leaves, part, len(value)) for part in (g, h)]
            here = np.unique(leaves)
            step = -0.3 * sums[0][here] / (sums[1][here] + 1)
            np.testing.assert_allclose(value[here], step, rtol=2e-5, atol=1e-7)
        raw = after.copy()


@pytest.mark.parametrize("quantile", [0.2, 0.5])
def test_leaves_are_quantiles(quantile):
    X, y, _, _ = plain()
    named = {"loss": "quantile", "quantile": quantile} if quantile != 0.5 else {}
    model = regressor(**(named or {"loss": "absolute_error"}), learning_rate=0.5).fit(X, y)
    raw = np.full(len(X), model.trees_.initial[0])
    for number, after in enumerate(scores_of(model, X)):
        leaves, value = leaf_values(model, X, number)
        for leaf in np.unique(leaves):
            left = (y - raw)[leaves == leaf]
            step, slack = value[leaf] / 0.5, 1e-6
            assert np.mean(left < step - slack) <= quantile <= np.mean(left <= step + slack)
        raw = after[0]


def test_the_first_score_is_the_best_constant():
    X, y, two, three = plain()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    first = {
        "squared_error": np.average(y, weights=weight),
        "poisson": np.log(np.average(np.exp(y), weights=weight)),
    }
    for loss, expected in first.items():
        target = np.exp(y) if loss == "poisson" else y
        model = regressor(loss=loss, n_estimators=1).fit(X, target, sample_weight=weight)
        np.testing.assert_allclose(model.trees_.initial, expected, rtol=1e-9)
    shares = np.bincount(three, weight) / weight.sum()
    model = classifier(n_estimators=1).fit(X, three, sample_weight=weight)
    np.testing.assert_allclose(model.trees_.initial, np.log(shares), rtol=1e-12)
    model = classifier(n_estimators=1).fit(X, two, sample_weight=weight)
    np.testing.assert_allclose(model.trees_.initial, special.logit(np.average(two, weights=weight)))


# -- losses ---------------------------------------------------------------------------------------

LOSSES = {
    "squared_error": lambda y, p: (y - p) ** 2,
    "absolute_error": lambda y, p: np.abs(y - p),
    "huber": lambda y, p: np.where(np.abs(y - p) < 1, (y - p) ** 2, 2 * np.abs(y - p) - 1),
    "quantile": lambda y, p: np.maximum(0.8 * (y - p), -0.2 * (y - p)),
    "poisson": lambda y, p: special.xlogy(y, y / p) - y + p,
    "gamma": lambda y, p: -np.log(y / p) + y / p,
    "tweedie": lambda y, p: p**0.5 * 2 + 2 * y / p**0.5,
}


@EACH_GROWTH
@pytest.mark.parametrize("loss", LOSSES)
def test_numbers_are_learned_round_by_round(loss, growth):
    X, y, _, _ = plain(500)
    target = np.exp(y / 3) if loss in ("poisson", "gamma", "tweedie") else y
    own = HuberLoss(delta=1.0) if loss == "huber" else loss
    model = regressor(loss=own, quantile=0.8, growth=growth, n_estimators=40, learning_rate=0.05)
    model.fit(X, target)
    lost = [LOSSES[loss](target, said).mean() for said in model.staged_predict(X)]
    assert (np.diff(lost) <= 1e-9).all()
    before = LOSSES[loss](target, np.full(500, np.mean(target))).mean()
    excess = lost[-1] - LOSSES[loss](target, target).mean()
    assert excess < 0.6 * (before - LOSSES[loss](target, target).mean())


@EACH_GROWTH
@pytest.mark.parametrize("loss", ["log_loss", "exponential", "softmax"])
def test_classes_are_learned_round_by_round(loss, growth):
    X, _, two, three = plain(500)
    y = three if loss == "softmax" else two
    name = "log_loss" if loss == "softmax" else loss
    model = classifier(loss=name, growth=growth, n_estimators=40, learning_rate=0.05).fit(X, y)
    lost = []
    for shares in model.staged_predict_proba(X):
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        own = shares[np.arange(len(y)), y]
        lost.append(
            np.sqrt((1 - own) / own).mean() if loss == "exponential" else -np.log(own).mean()
        )
    assert (np.diff(lost) < 0).all()
    assert model.score(X, y) > 0.9


def test_several_quantiles_at_once():
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, (6000, 2))
    y = X[:, 0] + random.normal(size=6000) * (1 + (X[:, 1] > 0))
    levels = [0.1, 0.5, 0.9]
    model = regressor(loss="quantile", quantile=levels, n_estimators=60, min_samples_leaf=40)
    said = model.fit(X[:4000], y[:4000]).predict(X[4000:])
    assert said.shape == (2000, 3)
    assert model.trees_.n_outputs == 3
    np.testing.assert_allclose((y[4000:, None] <= said).mean(axis=0), levels, atol=0.03)
    assert (np.diff(said, axis=1) < 0).any(axis=1).mean() < 0.01
    wide = (said[:, 2] - said[:, 0])[X[4000:, 1] > 0].mean()
    assert wide > 1.5 * (said[:, 2] - said[:, 0])[X[4000:, 1] < 0].mean()
    one = regressor(loss="quantile", quantile=0.9, n_estimators=5).fit(X, y)
    same = regressor(loss="quantile", quantile=[0.9], n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), np.ravel(same.predict(X)))


class Squared:
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)

    def initial(self, y, weight):
        return np.average(y, weights=weight)

    def value(self, y, raw):
        return (y - raw) ** 2 / 2


class Logistic:
    def gradient_hessian(self, y, raw):
        share = special.expit(raw)
        return share - y, share * (1 - share)

    def initial(self, y, weight):
        return special.logit(np.average(y, weights=weight))


class Softmax:
    def gradient_hessian(self, y, raw):
        share = special.softmax(raw, axis=1)
        n_classes = raw.shape[1]  # scores share a constant, so curvature is that of one less
        hessian = share * (1 - share) * n_classes / (n_classes - 1)
        return share - (y[:, None] == np.arange(n_classes)), hessian

    def initial(self, y, weight):
        return np.log(np.bincount(y, weight) / np.sum(weight))


def test_losses_of_users_do_what_ours_do():
    """Gradients may differ in the last of their 24 bits, and a tie with them; not much more."""
    X, y, two, three = plain(400)
    pairs = [
        (regressor(loss=Squared()), regressor(), y),
        (classifier(loss=Logistic()), classifier(), two),
        (classifier(loss=Softmax()), classifier(), three),
    ]
    for own, ours, target in pairs:
        say = "predict" if target is y else "decision_function"
        a, b = (getattr(model.fit(X, target), say)(X) for model in (own, ours))
        assert np.mean(np.abs(a - b) > 1e-3) < 0.05
        np.testing.assert_allclose(own.trees_.initial, ours.trees_.initial, rtol=1e-9)
    stopped = regressor(loss=Squared(), early_stopping=True, n_estimators=30).fit(X, y)
    assert stopped.validation_loss_ is not None


def test_one_of_our_losses_can_be_given():
    X, y, _, _ = plain()
    given, named = regressor(loss=SquaredLoss()).fit(X, y), regressor().fit(X, y)
    np.testing.assert_array_equal(given.predict(X), named.predict(X))


@EACH_GROWTH
def test_first_order_is_second_order_where_hessians_are_one(growth):
    X, y = mixed()
    for loss in ("squared_error", "absolute_error"):
        models = [
            regressor(loss=loss, growth=growth, second_order=second).fit(X, y)
            for second in (True, False)
        ]
        np.testing.assert_array_equal(*(model.predict(X) for model in models))


# -- how many rounds ------------------------------------------------------------------------------


@BOTH
def test_early_stopping_keeps_the_best_round(kind):
    X, y, _, _ = plain(400)
    random = np.random.default_rng(1)
    noisy = target_of(kind, y + 3 * random.normal(size=400))
    model = model_of(kind, n_estimators=300, early_stopping=True, patience=15)
    model.fit(X, noisy)
    lost = model.validation_loss_
    assert model.n_estimators_ == int(np.argmin(lost)) + 1
    assert len(lost) == min(300, model.n_estimators_ + 15)
    assert len(list(model.staged_predict(X))) == model.n_estimators_
    model.set_params(tol=0.5).fit(X, noisy)
    lost = model.validation_loss_
    assert model.n_estimators_ == int(np.argmax(lost <= 1.5 * lost.min())) + 1


@BOTH
def test_rows_that_judge_do_not_change_the_trees(kind):
    X, y, _, _ = plain(300)
    target = target_of(kind, y)
    alone = model_of(kind, n_estimators=30).fit(X[:200], target[:200])
    for judges in (
        target[200:],
        target[200:] if kind is GradientBoostingClassifier else y[:100] * 7,
    ):
        model = model_of(kind, n_estimators=30, patience=100)
        model.fit(X[:200], target[:200], eval_set=(X[200:], judges))
        assert len(model.validation_loss_) == 30
        raw = scores_of(alone, X)[model.n_estimators_ - 1]
        np.testing.assert_array_equal(model._scores(X), raw)


def test_a_column_that_only_judging_rows_lack_does_not_change_the_trees():
    X, y, _, _ = plain(300)
    X[:, 2] = 1.0
    judges = X[200:].copy()
    judges[:50, 2] = np.nan
    for features in (None, 1):
        alone = regressor(max_features=features).fit(X[:200], y[:200])
        model = regressor(max_features=features, patience=100)
        model.fit(X[:200], y[:200], eval_set=(judges, y[200:]))
        raw = scores_of(alone, X)[model.n_estimators_ - 1]
        np.testing.assert_array_equal(model._scores(X), raw)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
def test_the_loss_of_judging_rows_is_that_of_predictions(scale):
    X, y, two, _ = plain(300)
    model = regressor(n_estimators=20, patience=100)
    model.fit(X[:200], scale * y[:200], eval_set=(X[200:], scale * y[200:]))
    staged = model.staged_predict(X[200:])
    lost = [np.mean((scale * y[200:] - said) ** 2) / 2 for said in staged]
    np.testing.assert_allclose(model.validation_loss_[: len(lost)], lost, rtol=1e-6)
    model = classifier(n_estimators=20, patience=100)
    model.fit(X[:200], two[:200], eval_set=(X[200:], two[200:]))
    shares = [said[np.arange(100), two[200:]] for said in model.staged_predict_proba(X[200:])]
    lost = [-np.log(own).mean() for own in shares]
    np.testing.assert_allclose(model.validation_loss_[: len(lost)], lost, rtol=1e-6)


def test_auto_finds_a_number_of_rounds():
    X, y, two, _ = plain(600)
    model = GradientBoostingRegressor(n_estimators="auto", learning_rate=0.3)
    model.fit(X[:400], y[:400])
    assert 5 < model.n_estimators_ < 200
    assert model.n_estimators_ == int(np.argmin(model.validation_loss_)) + 1
    assert model.score(X[400:], y[400:]) > 0.85
    given = GradientBoostingRegressor(learning_rate=0.3, n_estimators=model.n_estimators_)
    np.testing.assert_array_equal(given.fit(X[:400], y[:400]).predict(X), model.predict(X))
    noise = np.random.default_rng(0).integers(0, 2, 400)
    chosen = GradientBoostingClassifier(n_estimators="auto")
    assert chosen.fit(X[:400], noise).n_estimators_ < 25
    assert chosen.fit(X[:400], two[:400]).score(X[400:], two[400:]) > 0.85


def test_few_rows_can_stop_early_too():
    X, y, two, _ = plain(6)
    for n_rows in (1, 2, 3, 6):
        for seed in range(6):
            wanted = {"early_stopping": True, "random_state": seed, "min_samples_leaf": 1}
            said = regressor(**wanted).fit(X[:n_rows], y[:n_rows]).predict(X)
            assert np.isfinite(said).all()
    two[:2] = [0, 1]
    model = classifier(early_stopping=True, min_samples_leaf=1).fit(X[:2], two[:2])
    assert np.isfinite(model.predict_proba(X)).all()


@BOTH
def test_a_time_budget_ends_it(kind):
    X, y, _, _ = plain(300)
    target = target_of(kind, y)
    begin = time.process_time()  # the machine may be busy
    model = model_of(kind, n_estimators=10**6, time_budget=0.15, n_jobs=1).fit(X, target)
    assert time.process_time() - begin < 5
    assert model.n_estimators_ >= 1
    exact = model_of(kind, n_estimators=model.n_estimators_).fit(X, target)
    np.testing.assert_array_equal(model.predict(X), exact.predict(X))
    assert kind(time_budget=1e-9).fit(X, target).n_estimators_ == 1


# -- warm starts ----------------------------------------------------------------------------------

WARM = {
    "plain": {},
    "classes": {},
    "subsample": {"subsample": 0.5},
    "columns": {"max_features": 1, "tree_features": 2},
    "huber": {"loss": "huber"},
    "quantiles": {"loss": "quantile", "quantile": [0.2, 0.7]},
    "stopping": {"early_stopping": True, "patience": 100},
    "symmetric": {"growth": "symmetric"},
}


@pytest.mark.parametrize("name", WARM)
def test_five_rounds_and_five_more_are_ten(name):
    X, y, _, three = plain()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    make, target = (classifier, three) if name == "classes" else (regressor, y)
    model = make(n_estimators=5, warm_start=True, **WARM[name]).fit(X, target)
    model.set_params(n_estimators=10).fit(X, target)
    whole = make(n_estimators=10, **WARM[name]).fit(X, target)
    assert model.n_estimators_ == whole.n_estimators_ == 10
    np.testing.assert_array_equal(model._scores(X), whole._scores(X))
    np.testing.assert_allclose(model.feature_importances_, whole.feature_importances_)


def test_warm_starts_that_add_nothing_or_do_not_fit():
    X, y, two, three = plain()
    for stopping in (False, True):
        model = regressor(n_estimators=5, warm_start=True, early_stopping=stopping).fit(X, y)
        before = model.predict(X)
        np.testing.assert_array_equal(model.fit(X, y).predict(X), before)
    with pytest.raises(ParameterError) as caught:
        model.set_params(n_estimators=3).fit(X, y)
    assert caught.value.code == "P143"
    model = regressor(n_estimators=5, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError) as caught:
        model.fit(X[:, :2], y)
    assert caught.value.code == "P145"
    model = classifier(n_estimators=5, warm_start=True).fit(X, two)
    with pytest.raises(ParameterError) as caught:
        model.set_params(n_estimators=9).fit(X, three)
    assert caught.value.code == "P145"


# -- constraints ----------------------------------------------------------------------------------


def columns_on_paths(trees):
    """Yield the columns tested on the way to each leaf."""
    for tree in range(trees.n_trees):
        kind = trees.kind[trees.nodes_of(tree)]
        feature = trees.feature[trees.first_inner[tree] : trees.first_inner[tree + 1]].tolist()
        used, inner = {0: frozenset()}, 0
        for node, each in enumerate(kind.tolist()):
            if each == 0:
                yield used[node]
                continue
            used[1 + 2 * inner] = used[2 + 2 * inner] = used[node] | {feature[inner]}
            inner += 1


def entangled(seed, n_rows=400):
    """Return columns whose effects depend on one another in threes."""
    X = np.random.default_rng(seed).normal(size=(n_rows, 5))
    y = X[:, 0] * (X[:, 1] + X[:, 2]) + (X[:, 0] > 0) * X[:, 3] * X[:, 4]
    return X, y + X[:, 1] * X[:, 2] * (X[:, 0] > 0.3)


@EACH_GROWTH
def test_columns_meet_only_in_groups(growth):
    for seed in range(6):
        X, y = entangled(seed)
        model = regressor(growth=growth, interaction_cst="pairwise", n_estimators=5).fit(X, y)
        assert max(map(len, columns_on_paths(model.trees_))) == 2
    model = regressor(growth=growth, interaction_cst="no_interactions").fit(X, y)
    assert max(map(len, columns_on_paths(model.trees_))) == 1
    groups = [[0, 1, 2], [2, 3]]  # column 4 stays alone
    model = regressor(growth=growth, interaction_cst=groups).fit(X, y)
    allowed = [{0, 1, 2}, {2, 3}, {4}]
    assert all(any(path <= group for group in allowed) for path in columns_on_paths(model.trees_))


def test_without_interactions_effects_add_up():
    """What a column adds does not depend on the other columns, so attributions do not either."""
    X, y = entangled(0)
    model = regressor(interaction_cst="no_interactions", n_estimators=30).fit(X, y)
    first = X[:50].copy()
    other = X[50:100].copy()
    other[:, 0] = first[:, 0]
    shares = [model.attributions(rows)[:, 0] for rows in (first, other)]
    np.testing.assert_allclose(*shares, atol=1e-12)


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
)
@EACH_GROWTH
def test_directions_hold(growth, loss):
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, (400, 3))
    y = np.exp(0.5 * X[:, 0] + np.sin(4 * X[:, 1]) + 0.5 * random.normal(size=400))
    directions = [1, -1, 0]
    model = regressor(loss=loss, growth=growth, monotonic_cst=directions, n_estimators=30)
    model.fit(X, y)
    grid = np.linspace(-2.5, 2.5, 60)
    for base in X[:8]:
        for column in (0, 1):
            rows = np.repeat(base[None, :], 60, axis=0)
            rows[:, column] = grid
            assert (directions[column] * np.diff(model.predict(rows)) >= -1e-12).all()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_directions_that_are_true_cost_little(loss):
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 2))
    y = 2 * X[:, 0] + 0.1 * random.normal(size=500)
    free, bound = (
        regressor(loss=loss, monotonic_cst=directions, n_estimators=100).fit(X, y).predict(X)
        for directions in (None, [1, 0])
    )
    assert np.abs(bound - y).mean() < 1.5 * np.abs(free - y).mean()


def test_directions_of_two_classes():
    X, _, two, three = plain()
    model = classifier(monotonic_cst=[1, 0, 0], n_estimators=30).fit(X, two)
    rows = np.repeat(X[:1], 50, axis=0)
    rows[:, 0] = np.linspace(-3, 3, 50)
    assert (np.diff(model.predict_proba(rows)[:, 1]) >= 0).all()
    with pytest.raises(ParameterError) as caught:
        classifier(monotonic_cst=[1, 0, 0]).fit(X, three)
    assert caught.value.code == "P141"


# -- draws ----------------------------------------------------------------------------------------


def test_rows_are_subsampled():
    X, y, _, _ = plain(1000)
    model = regressor(subsample=0.5, n_estimators=20).fit(X, y)
    of_tree = np.repeat(np.arange(20), model.trees_.n_leaves)
    held = np.bincount(of_tree, model.trees_.cover)
    assert np.ptp(held) > 0
    np.testing.assert_allclose(held, 500, atol=80)
    assert abs(held.mean() - 500) < 20
    again = regressor(subsample=0.5, n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    other = regressor(subsample=0.5, n_estimators=20, random_state=1).fit(X, y)
    assert (model.predict(X) != other.predict(X)).any()


def test_columns_are_drawn():
    X, y = entangled(0)
    model = regressor(tree_features=2, n_estimators=20).fit(X, y)
    trees = model.trees_
    tested = [
        set(trees.feature[trees.first_inner[t] : trees.first_inner[t + 1]].tolist())
        for t in range(20)
    ]
    assert max(map(len, tested)) <= 2
    assert set().union(*tested) == set(range(5))
    model = regressor(max_features=1, n_estimators=20, max_leaf_nodes=2).fit(X, y)
    assert len(set(model.trees_.feature.tolist())) == 5
    share, count = (regressor(max_features=value).fit(X, y).predict(X) for value in (0.4, 2))
    np.testing.assert_array_equal(share, count)


# -- odd tables -----------------------------------------------------------------------------------


@BOTH
@EACH_GROWTH
def test_one_row_two_rows_equal_rows(kind, growth):
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    y = np.array([0.0, 1.0]) if kind is GradientBoostingRegressor else np.array([0, 1])
    for n_estimators in (5, "auto"):
        wanted = {"growth": growth, "n_estimators": n_estimators, "min_samples_leaf": 1}
        model = model_of(kind, **wanted).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        if kind is GradientBoostingRegressor:
            assert model_of(kind, **wanted).fit(X[:1], y[1:]).predict(X).tolist() == [1.0, 1.0]
    same = model_of(kind, growth=growth).fit(np.ones((40, 2)), np.tile(y, 20))
    assert (same.trees_.n_nodes == 1).all()
    assert len(np.unique(same._scores(np.ones((3, 2))))) == 1


def test_a_constant_target_and_one_class():
    X, _, _, _ = plain()
    for value in (0.0, 7.3, -1e300, 1e-300):
        for n_estimators in (3, "auto"):
            model = regressor(n_estimators=n_estimators).fit(X, np.full(300, value))
            assert (model.predict(X) == value).all()
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = classifier().fit(X, ["yes"] * 300)
    assert set(model.predict(X)) == {"yes"}
    assert (model.predict_proba(X) == 1).all()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("scale", [2.0**996, 2.0**-996])
def test_targets_of_any_size(loss, scale):
    """Powers of two bring targets to size; rounding is keyed by targets, so bits may differ."""
    X, y, _, _ = plain()
    model = regressor(loss=loss, n_estimators=60).fit(X, y * scale)
    small = regressor(loss=loss, n_estimators=60).fit(X, y)
    said = model.predict(X) / scale
    assert np.isfinite(said).all()
    assert np.abs(said - y).mean() < 1.2 * np.abs(small.predict(X) - y).mean()
    np.testing.assert_allclose(model.attributions(X).sum(axis=1) / scale, said, atol=1e-6)


def test_the_largest_targets():
    X, y, _, _ = plain()
    said = regressor(n_estimators=60).fit(X, np.where(y > 0, 1.7e308, -1.7e308)).predict(X)
    assert np.isfinite(said).all()
    assert np.mean((said > 0) == (y > 0)) > 0.9


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_amounts_of_any_size(loss):
    X, y, _, _ = plain()
    for scale in (1e250, 1e-9):
        # Hessians are as small as the amounts: no penalty or limit in absolute numbers then.
        free = {"l2_regularization": 0.0, "min_hessian": 0.0} if scale < 1 else {}
        model = regressor(loss=loss, n_estimators=40, **free).fit(X, scale * np.exp(y))
        said = model.predict(X)
        assert np.corrcoef(np.log(said), y)[0, 1] > 0.9
    with pytest.raises(DataError) as caught:
        regressor(loss=loss).fit(X, -np.abs(y))
    assert caught.value.code == "D150"


def test_one_far_target_does_not_hide_the_others():
    """Gradients have 13 bits: one that is 50 times larger leaves the others enough of them."""
    X, y, _, _ = plain(2000)
    y[0] = 100.0
    model = regressor(n_estimators=60, min_samples_leaf=20).fit(X, y)
    assert np.corrcoef(model.predict(X[1:]), y[1:])[0, 1] > 0.97


def test_columns_without_any_value():
    X, y, _, _ = plain()
    empty = np.column_stack([X, np.full(300, np.nan)])
    model = regressor().fit(empty, y)
    np.testing.assert_array_equal(model.predict(empty), regressor().fit(X, y).predict(X))
    assert model.feature_importances_[3] == 0
    filled = empty.copy()
    filled[:, 3] = 5.0
    np.testing.assert_array_equal(model.predict(filled), model.predict(empty))
    nothing = regressor().fit(np.full((50, 2), np.nan), y[:50])
    np.testing.assert_allclose(nothing.predict(np.full((1, 2), np.nan)), y[:50].mean())


def test_categories_that_were_never_seen():
    X, y = mixed()
    model = regressor().fit(X, y)
    unseen, missing = X.copy(), X.copy()
    unseen.loc[::2, "word"], missing.loc[::2, "word"] = "never", None
    np.testing.assert_array_equal(model.predict(unseen), model.predict(missing))


def test_five_thousand_categories():
    random = np.random.default_rng(0)
    code = random.integers(0, 5000, 20_000)
    effect = random.choice([-1.0, 1.0], 5000)
    y = effect[code] + 0.3 * random.normal(size=20_000)
    X = pd.DataFrame({"word": np.char.add("w", code.astype(str)), "x": random.normal(size=20_000)})
    model = regressor(n_estimators=15, learning_rate=0.5, category_smoothing=1.0).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.feature_importances_[0] > 0.9


@EACH_GROWTH
def test_categories_are_subsets(growth):
    X, y = mixed(600)
    model = regressor(growth=growth, n_estimators=60).fit(X, y)
    assert model.score(X, y) > 0.85
    seen = X.dropna()
    said = model.predict(seen)
    both = [said[seen["word"] == word].mean() for word in ("u", "x", "v", "z")]
    assert min(both[:2]) > max(both[2:]) + 1


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["number", "two", "three", "quantiles", "mixed"])
def test_attributions_add_up(name):
    X, y, two, three = plain()
    if name == "mixed":
        X, y = mixed()
    quantiles = {"loss": "quantile", "quantile": [0.2, 0.5, 0.8]}
    model, target = {
        "number": (regressor(), y),
        "mixed": (regressor(growth="symmetric"), y),
        "two": (classifier(), two),
        "three": (classifier(), three),
        "quantiles": (regressor(**quantiles), y),
    }[name]
    model.fit(X, target)
    shares = model.attributions(X)
    assert shares.shape == (300, 4) if name in ("number", "two", "mixed") else (300, 3, 4)
    scores = model._scores(X)
    expected = scores[0] if len(scores) == 1 else scores.T
    np.testing.assert_allclose(shares.sum(axis=-1), expected, atol=1e-9)


def test_one_row_is_explained():
    X, y, two, three = plain()
    frame = pd.DataFrame(X, columns=list("abc"))
    model = regressor(n_estimators=30).fit(frame, y)
    told = model.explain(frame.iloc[:1])
    np.testing.assert_allclose(told.total, model.predict(frame.iloc[:1])[0])
    np.testing.assert_allclose(told.base + sum(part.amount for part in told.parts), told.total)
    for target in (two, three):
        model = classifier(n_estimators=30).fit(frame, target)
        for place in range(6):
            row = frame.iloc[place : place + 1]
            told = model.explain(row)
            assert told.prediction == model.predict(row)[0]
            score = model.decision_function(row)
            own = (
                score[0, told.prediction]
                if target is three
                else score[0] * (2 * told.prediction - 1)
            )
            np.testing.assert_allclose(told.total, own)


def test_importances_follow_the_signal():
    X, y, _, _ = plain(600)
    share = regressor(n_estimators=30).fit(X, y).feature_importances_
    np.testing.assert_allclose(share.sum(), 1)
    assert share[0] > share[1] > 3 * share[2]


# -- predictions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["number", "two", "three", "quantiles"])
def test_one_row_at_a_time(name):
    X, y, two, three = plain()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    model, target = {
        "number": (regressor(), y),
        "two": (classifier(), two),
        "three": (classifier(), three),
        "quantiles": (regressor(loss="quantile", quantile=[0.2, 0.8]), y),
    }[name]
    model.fit(X, target)
    for say in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, say):
            ask = getattr(model, say)
            batch = ask(X)
            few = np.concatenate([ask(X[row : row + 1]) for row in range(70)])
            np.testing.assert_array_equal(few, batch[:70])
            np.testing.assert_array_equal(ask(X[:70].astype(np.float64, order="F")), batch[:70])


@BOTH
def test_staged_predictions_end_in_predictions(kind):
    X, y, _, three = plain()
    target = y if kind is GradientBoostingRegressor else three
    model = model_of(kind).fit(X, target)
    stages = list(model.staged_predict(X))
    assert len(stages) == 10
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    assert any((stages[0] != stages[-1]).ravel())
    if kind is GradientBoostingClassifier:
        *_, last = model.staged_predict_proba(X)
        np.testing.assert_array_equal(last, model.predict_proba(X))
        *_, last = model.staged_decision_function(X)
        np.testing.assert_array_equal(last, model.decision_function(X))
    for number in (1, 4, 10):
        less = model_of(kind, n_estimators=number).fit(X, target)
        np.testing.assert_array_equal(less.predict(X), stages[number - 1])


def test_no_rows_get_no_predictions():
    X, y, _, _ = plain()
    model = regressor().fit(X, y)
    none = branchline.Table(X).rows(np.zeros(0, dtype=int))
    assert model.trees_.scores(none, 1).shape == (1, 0)
    assert model.trees_.attributions(none, 1).shape == (0, 1, 4)


# -- refusals -------------------------------------------------------------------------------------

REFUSED = {
    "loss": ["square", None, Squared],
    "n_estimators": [0, 1.5, "many"],
    "learning_rate": [0.0, -1.0, float("nan"), float("inf")],
    "growth": ["sideways"],
    "max_leaf_nodes": [1, 2.5],
    "max_depth": [0],
    "min_samples_leaf": [0],
    "min_hessian": [-1.0],
    "l2_regularization": [-1.0],
    "leaf_penalty": [-1.0],
    "subsample": [0.0, 1.5],
    "max_features": [0, 1.5, "most"],
    "tree_features": [0],
    "max_bins": [1, 256],
    "category_l2": [-1.0],
    "category_smoothing": [-1.0],
    "validation_fraction": [0.0, 0.9],
    "patience": [0],
    "tol": [-0.1],
    "time_budget": [0.0],
    "quantile": [0.0, 1.0, [0.5, 2.0], []],
    "interaction_cst": ["triples", [0, 1], [["nobody"]], [[7]]],
    "monotonic_cst": [[2, 0, 0], [1, 0]],
}


@pytest.mark.parametrize("name", REFUSED)
def test_parameters_are_refused(name):
    X, y, _, _ = plain(60)
    for value in REFUSED[name]:
        extra = {"loss": "quantile"} if name == "quantile" else {}
        with pytest.raises((ParameterError, DataError)):
            regressor(**extra, **{name: value}).fit(X, y)


def test_judging_rows_are_checked():
    X, y, _, three = plain()
    for wrong in ((X,), X, (X, y[:5])):
        with pytest.raises((ParameterError, DataError)):
            regressor().fit(X, y, eval_set=wrong)
    with pytest.raises(ParameterError) as caught:
        classifier().fit(X, three, eval_set=(X, three + 1))
    assert caught.value.code == "P155"
    with pytest.raises(DataError) as caught:
        regressor(loss="poisson").fit(X, np.abs(y), eval_set=(X, -np.abs(y)))
    assert caught.value.code == "D150"


def test_a_loss_that_cannot_judge():
    X, _, two, _ = plain()
    for wanted in ({"early_stopping": True}, {"n_estimators": "auto"}):
        with pytest.raises(ParameterError) as caught:
            classifier(loss=Logistic(), **wanted).fit(X, two)
        assert caught.value.code == "P150"


@BOTH
def test_nothing_is_said_before_fit(kind):
    for ask in ("predict", "attributions", "apply"):
        with pytest.raises(NotFittedError):
            getattr(kind(), ask)(np.zeros((2, 2)))


# -- progress and Ctrl-C --------------------------------------------------------------------------


class Remembering:
    """A callback that takes down the names of tasks."""

    def __init__(self):
        self.names = []

    def setup(self, estimator, context, **_):
        pass

    def teardown(self, estimator, context, **_):
        pass

    def on_fit_task_begin(self, estimator, context, **_):
        self.names.append(context.task_name)

    def on_fit_task_end(self, estimator, context, **_):
        pass


@BOTH
def test_progress_is_told_of_each_round(kind):
    X, y, _, _ = plain()
    seen = Remembering()
    model = model_of(kind, n_estimators=7)
    model.set_callbacks(seen)
    model.fit(X, target_of(kind, y))
    assert seen.names.count("round") == 7


PROLOGUE = """
import numpy as np
from branchline.boosting import GradientBoostingClassifier
random = np.random.default_rng(0)
X, y = random.normal(size=(60_000, 20)), random.integers(0, 2, 60_000)
"""


HEAVY = """
import numpy as np
from branchline.boosting import GradientBoostingRegressor
X = np.random.default_rng(0).normal(size=(60, 2))
for weight in (np.full(60, 2.0**40), np.r_[1e15, np.ones(59)]):
    model = GradientBoostingRegressor(n_estimators=3, subsample=0.5, min_samples_leaf=2)
    said = model.fit(X, X[:, 0], sample_weight=weight).predict(X)
    print(np.isfinite(said).all() and len(np.unique(said)) > 1)
"""


def test_many_copies_are_drawn_at_once():
    """In a child, because a loop over 2^40 copies hears no time-out."""
    child = [sys.executable, "-c", HEAVY]
    done = subprocess.run(child, timeout=120, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"]


@NEEDS_PROC
def test_ctrl_c_is_heard_at_once():
    found = endings(
        {"many rounds": "GradientBoostingClassifier(n_estimators=50_000, n_jobs=2).fit(X, y)"},
        prologue=PROLOGUE,
        afterwards="GradientBoostingClassifier(n_estimators=2, n_jobs=2).fit(X[:50], y[:50])",
        after=0.7,
    )
    assert found["many rounds"].name == "KeyboardInterrupt"
    assert found["many rounds"].seconds < SOON
