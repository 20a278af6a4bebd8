"""Bagged trees, and what all forests offer for reading: trees, reasons, likeness, files."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchline
from branchline.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from common.tables import mixed_frame, target
from unit.forest.forests import same_forest

FRAME = mixed_frame(150)
CLASSES, NUMBERS = target(FRAME, "classification"), target(FRAME, "regression")
BOTH = {BaggedTreesClassifier: CLASSES, BaggedTreesRegressor: NUMBERS}
EACH = pytest.mark.parametrize("kind", BOTH)
FITTED = {kind: kind(n_estimators=12).fit(FRAME, y) for kind, y in BOTH.items()}
LIMITS = [
    {"max_depth": 2},
    {"min_samples_leaf": 9},
    {"min_samples_split": 40},
    {"max_leaf_nodes": 5},
    {"min_gain": 0.1},
]


def said(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@EACH
class TestTrees:
    def test_the_mean_of_all_trees(self, kind):
        model = FITTED[kind]
        trees = [said(model.tree(i), FRAME) for i in range(12)]
        np.testing.assert_allclose(said(model, FRAME), np.mean(trees, axis=0), atol=1e-12)

    def test_a_tree_is_one_of_the_tree_room(self, kind):
        tree = FITTED[kind].tree(3)
        expected = BaggedTreesClassifier, DecisionTreeClassifier
        assert type(tree) is (expected[1] if kind is expected[0] else DecisionTreeRegressor)
        assert tree.n_features_in_ == 6
        assert tree.tree_.n_leaves == FITTED[kind].forest_.n_leaves[3]
        assert len(tree.predict(FRAME)) == 150
        assert "town" in str(tree.to_text()) or "height" in str(tree.to_text())

    def test_a_tree_can_be_drawn_and_read(self, kind):
        tree = kind(n_estimators=1, max_depth=3).fit(FRAME, BOTH[kind]).tree(0)
        assert "<svg" in tree.draw().svg
        assert len(tree.rules()) == tree.tree_.n_leaves
        assert tree.explain(FRAME[:1]).parts

    def test_a_tree_can_be_saved(self, kind, tmp_path):
        tree = FITTED[kind].tree(0)
        tree.save(tmp_path / "tree.bl")
        again = branchline.load(tmp_path / "tree.bl")
        np.testing.assert_array_equal(said(again, FRAME), said(tree, FRAME))

    def test_leaves_of_apply_are_those_of_the_trees(self, kind):
        leaves = FITTED[kind].apply(FRAME)
        assert leaves.shape == (150, 12)
        for i in (0, 11):
            np.testing.assert_array_equal(leaves[:, i], FITTED[kind].tree(i).apply(FRAME))

    @pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: next(iter(limit)))
    def test_limits_hold_in_every_tree(self, kind, limit):
        model = kind(n_estimators=8, **limit).fit(FRAME, BOTH[kind])
        for i in range(8):
            tree = model.tree(i)
            content = tree.tree_.content
            weight = content.sum(axis=1) if kind is BaggedTreesClassifier else content[:, 0]
            is_leaf = tree.tree_.kind == 0
            if "max_depth" in limit:
                assert tree.get_depth() <= 2
            if "min_samples_leaf" in limit:
                assert weight[is_leaf].min() >= 9
            if "min_samples_split" in limit:
                assert weight[~is_leaf].min() >= 40
            if "max_leaf_nodes" in limit:
                assert tree.tree_.n_leaves <= 5
        assert model.forest_.n_leaves.sum() < FITTED[kind].forest_.n_leaves[:8].sum()

    def test_complexity_counts_leaves(self, kind):
        model = FITTED[kind]
        assert model.complexity().count == model.forest_.n_leaves.sum()
        assert model.complexity().unit == "leaves"
        assert model.get_depth() == max(model.tree(i).get_depth() for i in range(12))


@EACH
class TestReasons:
    def test_shares_add_up_to_the_prediction(self, kind):
        model = FITTED[kind]
        for row in range(0, 150, 30):
            one = FRAME[row : row + 1]
            explanation = model.explain(one)
            value = said(model, one)[0].max()
            parts = sum(part.amount for part in explanation.parts)
            assert explanation.total == pytest.approx(value, abs=1e-9)
            assert explanation.base + parts == pytest.approx(value, abs=1e-9)

    def test_the_base_is_the_mean_of_the_roots(self, kind):
        model = kind(n_estimators=1, bootstrap=False).fit(FRAME, BOTH[kind])
        explanation = model.explain(FRAME[:1])
        if kind is BaggedTreesClassifier:
            expected = (explanation.prediction == CLASSES).mean()
        else:
            expected = NUMBERS.mean()
        assert explanation.base == pytest.approx(expected)


@EACH
class TestLikeness:
    def test_proximity_is_the_share_of_common_leaves(self, kind):
        model = FITTED[kind]
        leaves = model.apply(FRAME)
        expected = (leaves[:, None] == leaves[None]).mean(axis=2)
        np.testing.assert_allclose(model.proximity(FRAME), expected, atol=1e-12)
        np.testing.assert_allclose(model.proximity(FRAME[:5], FRAME[5:9]), expected[:5, 5:9])

    def test_the_kernel_predicts_where_trees_saw_all_rows(self, kind):
        model = kind(n_estimators=3, bootstrap=False, min_samples_leaf=7, max_features=2)
        model.fit(FRAME, BOTH[kind])
        kernel = model.kernel(FRAME, FRAME)
        np.testing.assert_allclose(kernel.sum(axis=1), 1)
        is_class = kind is BaggedTreesClassifier
        y = (CLASSES[:, None] == np.unique(CLASSES)).astype(float) if is_class else NUMBERS
        np.testing.assert_allclose(kernel @ y, said(model, FRAME), atol=1e-9)

    def test_rows_with_themselves(self, kind):
        model = FITTED[kind]
        np.testing.assert_allclose(np.diag(model.proximity(FRAME[:20])), 1)
        np.testing.assert_allclose(model.kernel(FRAME[:20]), model.kernel(FRAME[:20], FRAME[:20]))


class TestFiles:
    MODELS = (
        BaggedTreesClassifier(n_estimators=4),
        BaggedTreesClassifier(n_estimators=4, costs={("ill", "well"): 5.0}),
        RandomForestClassifier(n_estimators=4, class_weight="balanced"),
        BaggedTreesRegressor(n_estimators=4),
        RandomForestRegressor(n_estimators=4, keep_targets=True),
        ExtraTreesRegressor(n_estimators=4, keep_targets=True),
        RandomForestRegressor(n_estimators=3, oob_score=False),
    )

    @pytest.mark.parametrize("weight", [None, "whole", "any"])
    @pytest.mark.parametrize("model", MODELS, ids=str)
    def test_everything_comes_back(self, model, weight, tmp_path):
        y = CLASSES if hasattr(model, "predict_proba") else NUMBERS
        random = np.random.default_rng(4)
        weight = {
            None: None,
            "whole": random.integers(1, 4, 150).astype(float),
            "any": random.uniform(0.1, 3, 150),
        }[weight]
        model = clone(model).fit(FRAME, y, weight)
        model.save(tmp_path / "model.bl")
        for again in (branchline.load(tmp_path / "model.bl"), pickle.loads(pickle.dumps(model))):
            assert same_forest(again.forest_, model.forest_)
            np.testing.assert_array_equal(said(again, FRAME), said(model, FRAME))
            np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))
            assert again.oob_score_ == model.oob_score_
            assert again.n_estimators_ == model.n_estimators_
            for name in ("feature_importances_", "raw_importances_", "impurity_importances_"):
                np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
            np.testing.assert_array_equal(again.proximity(FRAME[:9]), model.proximity(FRAME[:9]))
            if getattr(model, "keep_targets", False):
                quantiles = [m.predict_quantiles(FRAME) for m in (again, model)]
                np.testing.assert_array_equal(*quantiles)
            if getattr(model, "_residuals", None) is not None:
                intervals = [m.predict_interval(FRAME) for m in (again, model)]
                np.testing.assert_array_equal(*intervals)

    def test_a_saved_forest_of_several_outputs(self, tmp_path):
        y = np.column_stack([NUMBERS, NUMBERS**2])
        model = BaggedTreesRegressor(n_estimators=3).fit(FRAME, y)
        model.save(tmp_path / "model.bl")
        again = branchline.load(tmp_path / "model.bl")
        np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))
        assert again.n_outputs_ == 2


@EACH
class TestRows:
    def test_few_rows_are_predicted_as_many(self, kind):
        random = np.random.default_rng(2)
        X = random.normal(size=(300, 3))
        X[random.random(X.shape) < 0.1] = np.nan
        y = np.where(np.nan_to_num(X[:, 0]) > 0, "b", "a")
        y = y if kind is BaggedTreesClassifier else np.nan_to_num(X[:, 0])
        model = kind(n_estimators=9).fit(X, y)
        together = said(model, X)
        for n_rows in (1, 2, 20, 21, 64, 65):
            for begin in (0, 100):
                rows = slice(begin, begin + n_rows)
                np.testing.assert_array_equal(said(model, X[rows]), together[rows])
                np.testing.assert_array_equal(
                    said(model, np.asfortranarray(X)[rows]), together[rows]
                )
        np.testing.assert_array_equal(said(model, X[::7]), together[::7])

    def test_unseen_names_and_holes_are_predicted(self, kind):
        fresh = FRAME[:20].copy()
        fresh.loc[fresh.index[:5], "town"] = "Spa"
        fresh.loc[fresh.index[5:10], ["height", "born", "town", "grade"]] = None
        assert np.isfinite(said(FITTED[kind], fresh)).all()

    def test_columns_in_another_order(self, kind):
        np.testing.assert_array_equal(
            said(FITTED[kind], FRAME[FRAME.columns[::-1]]), said(FITTED[kind], FRAME)
        )


def test_bagging_beats_one_tree_on_noise():
    random = np.random.default_rng(8)
    X = pd.DataFrame(random.normal(size=(800, 5)), columns=list("abcde"))
    y = X["a"] * X["b"] + X["c"] + random.normal(size=800)
    tree = BaggedTreesRegressor(n_estimators=1, bootstrap=False).fit(X[:400], y[:400])
    bagged = BaggedTreesRegressor(n_estimators=50).fit(X[:400], y[:400])
    assert bagged.score(X[400:], y[400:]) > tree.score(X[400:], y[400:]) + 0.2
    assert abs(bagged.oob_score_ - bagged.score(X[400:], y[400:])) < 0.1
