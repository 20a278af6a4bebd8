"""What must not change boosted trees, by property: order, copies, threads, blocks, judging rows.

Models are compared by the bytes of their arrays: every test and every leaf of every tree is the
same. Where a rule puts columns in order, no two of them can gain the same.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    _gradient_boosting_problem,
)

seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=max(1, settings.default.max_examples // 2))
FEW = {
    "n_estimators": 4,
    "learning_rate": 0.1,
    "min_samples_leaf": 3,
    "max_leaf_nodes": 8,
    "subsample": 1.0,
    "max_features": None,
    "tree_features": None,
}


def numbers(**parameters):
    return lambda: GradientBoostingRegressor(**{**FEW, **parameters})


def classes(**parameters):
    return lambda: GradientBoostingClassifier(**{**FEW, **parameters})


MODELS = {
    "numbers": numbers(),
    "numbers, levels": numbers(growth="depth_wise"),
    "numbers, symmetric": numbers(growth="symmetric", leaf_penalty=0.01),
    "numbers, absolute": numbers(loss="absolute_error"),
    "numbers, huber": numbers(loss="huber", growth="symmetric"),
    "numbers, quantiles": numbers(loss="quantile", quantile=[0.2, 0.8]),
    "numbers, drawn": numbers(subsample=0.6, max_features=2),
    "numbers, monotone": numbers(monotonic_cst={"a": 1}),
    "numbers, groups": numbers(interaction_cst=[["a", "b"], ["b", "c"]]),
    "numbers, auto": numbers(n_estimators="auto", patience=2, learning_rate=0.7),
    "numbers, stopping": numbers(early_stopping=True, patience=3, subsample=0.7),
    "classes": classes(),
    "classes, first order": classes(second_order=False, max_depth=2),
    "classes, few bins": classes(max_bins=3, growth="symmetric"),
    "classes, drawn": classes(subsample=0.5, tree_features=2),
    "classes, balanced": classes(class_weight="balanced", tree_features=2),
    "two": classes(min_hessian=0.5),
    "two, exponential": classes(loss="exponential", growth="depth_wise"),
}
any_model = st.sampled_from(sorted(MODELS))
any_weighting = st.sampled_from([None, "whole", "any"])
WHAT = ("n_nodes", "kind", "feature", "left_code", "right_code", "missing_left", "pool")


class Rows:
    """A small table with ties, equal rows and missing values; its target and weights."""

    def __init__(self, seed, name, *, weighting=None):
        random = np.random.default_rng(seed)
        n_rows = int(random.integers(6, 130))
        self.random, self.name = random, name
        self.X = pd.DataFrame(
            {
                "a": random.integers(0, 4, n_rows).astype(float),
                "b": random.normal(size=n_rows).astype(np.float32).astype(float).round(1),
                "c": random.choice(["u", "v", "w", "x", "y"], n_rows),
            }
        )
        score = self.X["a"] + (self.X["c"] < "w") + random.normal(0, 0.7, n_rows)
        for column in ("b", "c"):
            self.X.loc[np.flatnonzero(random.random(n_rows) < 0.15)[1:], column] = None
        self.y = score.to_numpy().round(1)
        if "numbers" not in name:
            cuts = [1.5] if "two" in name else [1.0, 2.0]
            self.y = np.digitize(score, cuts)
            self.y[:3] = [0, 1, len(cuts)]
        self.weight = {
            None: None,
            "whole": random.integers(1, 4, n_rows).astype(float),
            "any": random.choice([0.3, 0.7, 1.1, 2.9], n_rows),
        }[weighting]

    def fit(self, order=None, X=None, **parameters):
        X = self.X if X is None else X
        order = np.arange(len(X)) if order is None else order
        weight = None if self.weight is None else self.weight[order]
        model = MODELS[self.name]().set_params(**parameters)
        return model.fit(X.iloc[order], self.y[order], sample_weight=weight)


def digest(model):
    """Return the bytes of all arrays that make up boosted trees."""
    trees = model.trees_
    parts = [getattr(trees, name).astype(np.int64).tobytes() for name in WHAT]
    floats = [*trees.lowest, *trees.highest, trees.leaf_value, trees.cover, trees.initial]
    lost = model.validation_loss_
    return parts, [part.tobytes() for part in floats], None if lost is None else lost.tobytes()


def said(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


# -- what does not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_threads_do_not_matter(name):
    random = np.random.default_rng(5)
    X = pd.DataFrame((random.random((3000, 4)) * [3, 9, 70, 900]).round(), columns=list("abef"))
    X["c"] = random.choice(list("uvwxy"), 3000)
    X = X.mask(random.random(X.shape) < 0.2)
    y = (X["a"].fillna(0) > 1) + random.integers(0, 1 if "two" in name else 2, 3000)
    y = y.to_numpy() + (random.random(3000) if "numbers" in name else 0)
    first = MODELS[name]().set_params(n_jobs=1).fit(X, y)
    for n_jobs in (2, 3):
        other = MODELS[name]().set_params(n_jobs=n_jobs).fit(X, y)
        assert digest(other) == digest(first)
        np.testing.assert_array_equal(other.feature_importances_, first.feature_importances_)
        np.testing.assert_array_equal(said(other, X), said(first, X))


@pytest.mark.parametrize("name", MODELS)
def test_the_size_of_blocks_does_not_matter(name, monkeypatch):
    for seed in range(3):
        rows = Rows(seed, name, weighting=[None, "whole", "any"][seed])
        first = digest(rows.fit())
        for size in (1, 7, 50):
            with monkeypatch.context() as changed:
                changed.setattr(_gradient_boosting_problem, "BLOCK_ROWS", size)
                assert digest(rows.fit()) == first


@some
@given(seeds, any_model, any_weighting)
def test_the_order_of_rows_does_not_matter(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    order = rows.random.permutation(len(rows.X))
    first, second = rows.fit(), rows.fit(order)
    assert digest(first) == digest(second)
    np.testing.assert_array_equal(first.feature_importances_, second.feature_importances_)


@some
@given(
    seeds, st.sampled_from([{"subsample": 0.5}, {"early_stopping": True}, {"n_estimators": "auto"}])
)
def test_equal_rows_of_different_weights_in_any_order(seed, wanted):
    """Which of them is drawn, or dealt to a fold, is said by their weights, not by their order."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (80, 2)).astype(float)
    y, weight = (X[:, 0] > random.integers(0, 3, 80)).astype(int), random.choice([0.3, 2.9], 80)
    y[:2], order = [0, 1], random.permutation(80)
    models = [
        GradientBoostingClassifier(**{**FEW, "patience": 2, **wanted}).fit(
            X[rows], y[rows], sample_weight=weight[rows]
        )
        for rows in (np.arange(80), order)
    ]
    assert digest(models[0]) == digest(models[1])


@some
@given(seeds, any_model)
def test_weight_k_is_k_copies(seed, name):
    rows = Rows(seed, name, weighting="whole")
    weighted = rows.fit()
    copies = np.repeat(np.arange(len(rows.X)), rows.weight.astype(int))
    rows.weight = None
    assert digest(weighted) == digest(rows.fit(copies))


@some
@given(seeds, any_model, any_weighting)
def test_rows_of_weight_zero_do_not_matter(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    rows.weight = np.ones(len(rows.X)) if rows.weight is None else rows.weight
    rows.weight[3:] *= rows.random.integers(0, 2, len(rows.weight) - 3)
    kept = np.flatnonzero(rows.weight)
    whole, few = rows.fit(), rows.fit(kept)
    fresh = rows.X.iloc[kept]  # the names of other rows are known, but were in no node
    np.testing.assert_array_equal(said(whole, fresh), said(few, fresh))


@some
@given(seeds, any_model)
def test_the_order_of_categories_does_not_matter(seed, name):
    rows = Rows(seed, name)
    other = rows.X.copy()
    other["c"] = pd.Categorical(rows.X["c"], categories=list("xvywu"))
    first, second = rows.fit(), rows.fit(X=other)
    np.testing.assert_array_equal(said(first, rows.X), said(second, rows.X))
    np.testing.assert_array_equal(said(first, other), said(second, other))


@some
@given(seeds, any_model)
def test_constant_columns_do_not_matter(seed, name):
    rows = Rows(seed, name)
    other = rows.X.assign(z=1.0)
    other.insert(0, "same", "same")
    np.testing.assert_array_equal(said(rows.fit(), rows.X), said(rows.fit(X=other), other))


@some
@given(seeds, any_model)
def test_increasing_changes_of_a_number_leave_the_partition(seed, name):
    rows = Rows(seed, name)
    other = rows.X.assign(b=np.exp(rows.X["b"]), a=3 * rows.X["a"] - 8)
    first, second = rows.fit(), rows.fit(X=other)
    for what in ("n_nodes", "kind", "feature", "missing_left", "value", "cover"):
        np.testing.assert_array_equal(*(getattr(m.trees_, what) for m in (first, second)))


# -- rounds ---------------------------------------------------------------------------------------


@some
@given(seeds, any_model, any_weighting)
def test_stages_end_in_predictions(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    model = rows.fit()
    stages = list(model.staged_predict(rows.X))
    assert len(stages) == model.n_estimators_
    np.testing.assert_array_equal(stages[-1], model.predict(rows.X))


@some
@given(seeds, any_model, any_weighting)
def test_warm_starts_go_on_where_they_were(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    wanted = {"patience": 100, "early_stopping": False}
    whole = rows.fit(n_estimators=7, **wanted)
    model = rows.fit(n_estimators=3, warm_start=True, **wanted).set_params(n_estimators=7)
    model.fit(rows.X, rows.y, sample_weight=rows.weight)
    assert model.n_estimators_ == 7
    np.testing.assert_array_equal(model._scores(rows.X), whole._scores(rows.X))


@some
@given(seeds, any_model)
def test_judging_rows_only_judge(seed, name):
    """The trees up to the best round are those that are grown without judging rows."""
    rows = Rows(seed, name)
    n_learning = max(5, 2 * len(rows.X) // 3)
    learning, judging = np.arange(n_learning), np.arange(n_learning, len(rows.X))
    if not len(judging):
        return
    wanted = {"n_estimators": 6, "patience": 3, "early_stopping": False}
    alone = rows.fit(learning, **wanted)
    model = MODELS[name]().set_params(**wanted)
    judges = (rows.X.iloc[judging], rows.y[judging])
    model.fit(rows.X.iloc[learning], rows.y[learning], eval_set=judges)
    kept = model.n_estimators_
    assert kept == int(np.argmin(model.validation_loss_)) + 1
    *_, last = zip(alone._staged_scores(rows.X), range(kept), strict=False)
    np.testing.assert_array_equal(model._scores(rows.X), last[0])


@some
@given(seeds, any_model, any_weighting)
def test_leaves_hold_their_rows(seed, name, weighting):
    """The cover of a leaf is the weight of the training rows that walk to it."""
    rows = Rows(seed, name, weighting=weighting)
    model = rows.fit(subsample=1.0, early_stopping=False, n_estimators=3)
    if name == "classes, balanced":
        return
    weight = np.ones(len(rows.X)) if weighting is None else rows.weight.copy()
    if weighting == "any":
        weight /= weight.mean()
    leaves = model.trees_.leaf_numbers(model.apply(rows.X))
    held = sum(
        np.bincount(leaves[:, tree], weight, len(model.trees_.cover))
        for tree in range(leaves.shape[1])
    )
    np.testing.assert_allclose(held, model.trees_.cover, rtol=1e-6)


# -- constraints ----------------------------------------------------------------------------------


@some
@given(
    seeds,
    st.sampled_from(["leaf_wise", "depth_wise", "symmetric"]),
    st.sampled_from(["squared_error", "absolute_error", "huber", "quantile"]),
    st.sampled_from([1, -1]),
)
def test_directions_hold_on_any_data(seed, growth, loss, direction):
    rows = Rows(seed, "numbers")
    model = GradientBoostingRegressor(
        **{**FEW, "n_estimators": 8, "min_samples_leaf": 1},
        growth=growth,
        loss=loss,
        monotonic_cst={"a": direction, "b": -direction},
    ).fit(rows.X, rows.y)
    grid = np.linspace(-4, 5, 40)
    for place in range(min(5, len(rows.X))):
        for column, sign in (("a", direction), ("b", -direction)):
            line = rows.X.iloc[[place] * 40].assign(**{column: grid})
            assert (sign * np.diff(model.predict(line)) >= -1e-12).all()


@some
@given(seeds, st.sampled_from(["leaf_wise", "depth_wise", "symmetric"]))
def test_columns_of_no_common_group_do_not_mix(seed, growth):
    """With groups {a, b} and {b, c} the prediction is f(a, b) + g(b, c): differences say so."""
    rows = Rows(seed, "numbers")
    model = GradientBoostingRegressor(
        **{**FEW, "n_estimators": 8, "min_samples_leaf": 1},
        growth=growth,
        interaction_cst=[["a", "b"], ["b", "c"]],
    ).fit(rows.X, rows.y)
    n_pairs = len(rows.X) // 2
    one, two = (rows.X.iloc[part * n_pairs : (part + 1) * n_pairs].copy() for part in (0, 1))
    two["b"] = one["b"].to_numpy()
    both = [one.assign(c=two["c"].to_numpy()), two.assign(c=one["c"].to_numpy())]
    straight = model.predict(one) + model.predict(two)
    crossed = model.predict(both[0]) + model.predict(both[1])
    np.testing.assert_allclose(straight, crossed, atol=1e-9)


@some
@given(seeds, any_model, any_weighting)
def test_attributions_add_up(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    model = rows.fit()
    shares = model.attributions(rows.X)
    scores = model._scores(rows.X)
    np.testing.assert_allclose(
        shares.sum(axis=-1), scores[0] if len(scores) == 1 else scores.T, atol=1e-9
    )
