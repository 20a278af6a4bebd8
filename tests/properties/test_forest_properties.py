"""What must not change a forest, by property: order, copies, threads, containers, column widths.

Forests are compared by the bytes of their arrays: every test of every tree is the same.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=max(1, settings.default.max_examples // 2))
MODELS = {
    "forest": lambda: RandomForestClassifier(n_estimators=4),
    "entropy": lambda: RandomForestClassifier(n_estimators=3, criterion="entropy", max_depth=4),
    "ratio": lambda: RandomForestClassifier(n_estimators=3, criterion="gain_ratio"),
    "description": lambda: BaggedTreesClassifier(n_estimators=3, criterion="mdl"),
    "chance": lambda: RandomForestClassifier(n_estimators=6, correct_for_chance=True),
    "bins": lambda: RandomForestClassifier(n_estimators=3, max_bins=4),
    "exact": lambda: BaggedTreesClassifier(n_estimators=3, max_bins=None, max_leaf_nodes=6),
    "share": lambda: BaggedTreesClassifier(n_estimators=3, bootstrap=False, max_samples=0.6),
    "costs": lambda: RandomForestClassifier(n_estimators=3, costs={(0, 1): 4.0}),
    "balanced": lambda: RandomForestClassifier(n_estimators=3, class_weight="balanced"),
    "extra": lambda: ExtraTreesClassifier(n_estimators=4),
    "extra, first": lambda: ExtraTreesClassifier(n_estimators=4, score_threshold=0.1),
    "numbers": lambda: RandomForestRegressor(n_estimators=4),
    "bagged numbers": lambda: BaggedTreesRegressor(n_estimators=3, min_samples_leaf=3),
    "monotone numbers": lambda: RandomForestRegressor(n_estimators=4, monotonic_cst={"a": 1}),
    "extra numbers": lambda: ExtraTreesRegressor(n_estimators=4, bootstrap=True),
}
any_model = st.sampled_from(sorted(MODELS))
WHAT = ("n_nodes", "kind", "feature", "left_code", "right_code", "fraction", "missing_left", "pool")


class Rows:
    """A small table with ties, equal rows and missing values; its target and weights."""

    def __init__(self, seed, name, *, weighting=None):
        random = np.random.default_rng(seed)
        n_rows = int(random.integers(4, 130))
        self.random = random
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
        self.y = np.digitize(score, [1.0, 2.0])
        self.y[:3] = [0, 1, 2]
        if "numbers" in name:
            self.y = score.to_numpy().round(1)
        self.weight = {
            None: None,
            "whole": random.integers(1, 4, n_rows).astype(float),
            "any": random.choice([0.3, 0.7, 1.1, 2.9], n_rows),
        }[weighting]

    def fit(self, name, order=None, X=None, **parameters):
        X = self.X if X is None else X
        order = np.arange(len(X)) if order is None else order
        weight = None if self.weight is None else self.weight[order]
        model = MODELS[name]().set_params(**parameters)
        return model.fit(X.iloc[order], self.y[order], sample_weight=weight)


def digest(model):
    """Return the bytes of all arrays that make up a forest."""
    forest = model.forest_
    parts = [getattr(forest, name).astype(np.int64).tobytes() for name in WHAT]
    values = [part.tobytes() for part in (*forest.lowest, *forest.highest)]
    return parts, values, forest.content.astype(np.int64).tobytes(), forest.scale


def said(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_rows", [90, 3000])
def test_threads_do_not_matter(name, n_rows):
    random = np.random.default_rng(n_rows)
    X = pd.DataFrame((random.random((n_rows, 4)) * [3, 9, 70, 900]).round(), columns=list("abef"))
    X["c"] = random.choice(list("uvwxy"), n_rows)
    X = X.mask(random.random(X.shape) < 0.2)
    y = random.integers(0, 3, n_rows) + (0.0 if "numbers" in name else 0)
    wanted = {"n_estimators": 12, "n_jobs": 1}
    if MODELS[name]().max_samples is None and n_rows > 100:
        wanted["max_samples"] = 0.02 if "extra" not in name else None
    first = MODELS[name]().set_params(**wanted).fit(X, y)
    for n_jobs in (2, 3, None):
        other = MODELS[name]().set_params(**{**wanted, "n_jobs": n_jobs}).fit(X, y)
        assert digest(other) == digest(first)
        assert other.oob_score_ == first.oob_score_
        np.testing.assert_array_equal(other.feature_importances_, first.feature_importances_)
        np.testing.assert_array_equal(said(other, X), said(first, X))


@some
@given(seeds, any_model, st.sampled_from([None, "whole", "any"]))
def test_the_order_of_rows_does_not_matter(seed, name, weighting):
    rows = Rows(seed, name, weighting=weighting)
    order = rows.random.permutation(len(rows.X))
    first, second = rows.fit(name), rows.fit(name, order)
    assert digest(first) == digest(second)
    if weighting is None:
        shares = [model.feature_importances_ for model in (first, second)]
        np.testing.assert_allclose(*shares, atol=1e-12)


@some
@given(seeds, any_model)
def test_weight_k_is_k_copies(seed, name):
    rows = Rows(seed, name, weighting="whole")
    weighted = rows.fit(name)
    copies = np.repeat(np.arange(len(rows.X)), rows.weight.astype(int))
    rows.weight = None
    assert digest(weighted) == digest(rows.fit(name, copies))


@some
@given(seeds, any_model)
def test_rows_of_weight_zero_do_not_matter(seed, name):
    rows = Rows(seed, name, weighting="whole")
    rows.weight[3:] *= rows.random.integers(0, 2, len(rows.weight) - 3)
    kept = np.flatnonzero(rows.weight)
    whole, few = rows.fit(name), rows.fit(name, kept)
    assert whole.forest_.content.tobytes() == few.forest_.content.tobytes()
    fresh = rows.X.iloc[kept]  # the names of other rows are known, but were in no node
    np.testing.assert_array_equal(said(whole, fresh), said(few, fresh))


@some
@given(seeds, any_model)
def test_the_width_of_floats_does_not_matter(seed, name):
    """Halves and quarters are the same numbers in 32 and 64 bits."""
    rows = Rows(seed, name)
    rows.X["b"] = (4 * rows.X["b"]).round() / 4
    narrow = rows.X.astype({"a": np.float32, "b": np.float32})
    assert digest(rows.fit(name)) == digest(rows.fit(name, X=narrow))


@some
@given(seeds, any_model)
def test_the_order_of_categories_does_not_matter(seed, name):
    rows = Rows(seed, name)
    other = rows.X.copy()
    other["c"] = pd.Categorical(rows.X["c"], categories=list("xvywu"))
    first, second = rows.fit(name), rows.fit(name, X=other)
    np.testing.assert_array_equal(said(first, rows.X), said(second, rows.X))
    np.testing.assert_array_equal(said(first, other), said(second, other))
    assert first.forest_.content.tobytes() == second.forest_.content.tobytes()


@some
@given(
    seeds, st.sampled_from(["forest", "entropy", "chance", "exact", "numbers", "bagged numbers"])
)
def test_increasing_changes_of_a_number_leave_the_partition(seed, name):
    rows = Rows(seed, name)
    other = rows.X.assign(b=np.exp(rows.X["b"]), a=3 * rows.X["a"] - 8)
    first, second = rows.fit(name), rows.fit(name, X=other)
    for name in ("n_nodes", "kind", "feature", "left_code", "right_code", "content"):
        np.testing.assert_array_equal(*(getattr(m.forest_, name) for m in (first, second)))


@some
@given(seeds, any_model)
def test_constant_columns_do_not_matter(seed, name):
    rows = Rows(seed, name)
    other = rows.X.assign(z=1.0)
    other.insert(0, "same", "same")
    np.testing.assert_array_equal(
        said(rows.fit(name), rows.X), said(rows.fit(name, X=other), other)
    )


@some
@given(seeds, any_model, st.sampled_from([None, "whole", "any"]))
def test_leaves_hold_their_bags(seed, name, weighting):
    """What a leaf holds is what the rows that walk to it add up to, each as often as drawn."""
    rows = Rows(seed, name, weighting=weighting)
    model = rows.fit(name)
    if not hasattr(model, "classes_") or name == "balanced":
        return
    growth, forest = model._training("counts").growth, model.forest_
    units = growth.draws.units
    numbers = forest.leaf_numbers(model.apply(rows.X))
    for tree in range(model.n_estimators_):
        held = growth.counts_of_tree(tree).astype(np.int64) * (1 if units is None else units)
        expected = np.zeros(forest.content.shape, dtype=np.int64)
        np.add.at(expected, (numbers[:, tree], np.searchsorted(model.classes_, rows.y)), held)
        leaves = slice(forest.first_leaf[tree], forest.first_leaf[tree + 1])
        np.testing.assert_array_equal(forest.content[leaves], expected[leaves])
