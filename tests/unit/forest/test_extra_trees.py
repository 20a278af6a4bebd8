"""Extra-trees: random thresholds, random subsets, the first test that scores well enough."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare, kstest

import branchline
from branchline._trees._tree_arrays import CATEGORIES, THRESHOLD_TEST
from branchline.forest import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier
from unit.forest.forests import same_forest

RNG = np.random.default_rng(1)
X = RNG.normal(size=(150, 3))
CLASSES = np.where(X[:, 0] + 0.5 * RNG.normal(size=150) > 0, "yes", "no")
NUMBERS = X[:, 0] + X[:, 1] ** 2 + 0.2 * RNG.normal(size=150)
BOTH = {ExtraTreesClassifier: CLASSES, ExtraTreesRegressor: NUMBERS}
EACH = pytest.mark.parametrize("kind", BOTH)


def roots(model):
    """Return the threshold of the first node of each tree."""
    forest = model.forest_
    return forest.thresholds()[forest.first_inner[:-1][forest.n_nodes > 1]]


class TestThresholds:
    @EACH
    def test_are_uniform_between_the_least_and_the_greatest_value(self, kind):
        """One column of evenly spaced values: gaps are so small that draws are seen as they are."""
        x = np.linspace(0, 1, 301)[:, None]
        y = np.where(x[:, 0] > 0.4, "b", "a") if kind is ExtraTreesClassifier else x[:, 0]
        model = kind(n_estimators=1500, max_depth=1, max_bins=None, oob_score=False).fit(x, y)
        drawn = roots(model)
        assert len(drawn) == 1500
        assert kstest(drawn, "uniform").pvalue > 1e-4

    def test_stand_anywhere_in_a_gap(self):
        """Two values: every draw falls between them, and is kept to a 256th."""
        x = np.repeat([0.0, 10.0], 20)[:, None]
        model = ExtraTreesClassifier(n_estimators=1500, oob_score=False).fit(
            x, np.repeat([0, 1], 20)
        )
        drawn = roots(model)
        assert len(drawn) == 1500
        assert kstest(drawn / 10, "uniform").pvalue > 1e-4
        np.testing.assert_array_equal(model.predict(x), np.repeat([0, 1], 20))

    def test_are_not_those_of_random_forests(self):
        extra = ExtraTreesClassifier(n_estimators=5).fit(X, CLASSES)
        forest = RandomForestClassifier(n_estimators=5, bootstrap=False).fit(X, CLASSES)
        is_threshold = extra.forest_.kind[extra.forest_.kind != 0] == THRESHOLD_TEST
        assert len(np.unique(extra.forest_.fraction[is_threshold])) > 20
        assert set(forest.forest_.fraction.tolist()) == {128}

    @EACH
    def test_training_rows_come_to_pure_leaves(self, kind):
        model = kind(n_estimators=10).fit(X, BOTH[kind])
        if kind is ExtraTreesClassifier:
            np.testing.assert_array_equal(model.predict(X), CLASSES)
            assert set(np.unique(model.predict_proba(X))) == {0.0, 1.0}
        else:
            np.testing.assert_allclose(model.predict(X), NUMBERS, rtol=1e-9, atol=1e-9)

    @EACH
    def test_rows_go_down_as_they_were_grown(self, kind):
        """Each leaf holds what the rows that walk to it hold; binned and with holes."""
        holed = X.copy()
        holed[::5, 0] = np.nan
        model = kind(n_estimators=5, max_bins=20, min_samples_leaf=3).fit(holed, BOTH[kind])
        leaves = model.apply(holed)
        for tree in range(5):
            content, _ = model.forest_.node_sums(tree)
            held = np.bincount(leaves[:, tree], minlength=len(content))
            weight = content.sum(axis=1) if kind is ExtraTreesClassifier else content[:, 0]
            is_leaf = model.forest_.kind[model.forest_.nodes_of(tree)] == 0
            np.testing.assert_array_equal(held[is_leaf], weight[is_leaf])
            assert held[is_leaf].min() >= 3


class TestSubsets:
    FRAME = pd.DataFrame({"letter": RNG.choice(list("abcdef"), 400)})
    CLASSES = np.where(RNG.random(400) < 0.2 + 0.1 * FRAME["letter"].isin(list("abc")), 1, 0)

    def test_every_split_of_letters_is_drawn_alike(self):
        """Six letters, each left or right by a coin; all on one side is not a test."""
        model = ExtraTreesClassifier(n_estimators=3000, max_depth=1, oob_score=False)
        forest = model.fit(self.FRAME, self.CLASSES).forest_
        assert set(forest.kind.tolist()) <= {0, CATEGORIES}
        right = np.unpackbits(forest.pool[:, None], axis=1, bitorder="little")[:, :6]
        assert len(right) > 2900
        n_right = np.bincount(right.sum(axis=1), minlength=7)
        assert n_right[0] == n_right[6] == 0
        shares = np.array([6 + 1, 15, 20, 15, 6 + 1]) / 64
        assert chisquare(n_right[1:6], shares * n_right.sum()).pvalue > 1e-5
        share_of_letter = right.mean(axis=0)
        assert np.abs(share_of_letter - 0.5).max() < 0.06

    def test_names_not_their_order_decide(self):
        letters = self.FRAME["letter"]
        other = pd.DataFrame({"letter": pd.Categorical(letters, categories=list("fadbec"))})
        models = [
            ExtraTreesClassifier(n_estimators=9).fit(f, self.CLASSES) for f in (self.FRAME, other)
        ]
        said = [model.predict_proba(self.FRAME) for model in models]
        np.testing.assert_array_equal(*said)


class TestScoreThreshold:
    def test_the_first_test_is_taken_when_every_score_will_do(self):
        """Any test scores 0 or more: no column is preferred, whatever it tells."""
        model = ExtraTreesClassifier(
            n_estimators=2000, max_features=None, score_threshold=0.0, max_depth=1, oob_score=False
        )
        noise = np.random.default_rng(3).normal(size=(200, 4))
        forest = model.fit(noise, np.arange(200) % 2).forest_
        columns = forest.feature[forest.first_inner[:-1][forest.n_nodes > 1]]
        n_first = np.bincount(columns, minlength=4)
        assert n_first.min() > 400  # of 500 expected, five standard deviations away
        assert n_first.max() < 600

    @EACH
    def test_no_score_reaches_one_unless_a_test_tells_all(self, kind):
        y = BOTH[kind]
        plain = kind(n_estimators=5, max_features=None).fit(X, y)
        strict = kind(n_estimators=5, max_features=None, score_threshold=1.0, max_depth=1).fit(X, y)
        shallow = kind(n_estimators=5, max_features=None, max_depth=1).fit(X, y)
        assert same_forest(strict.forest_, shallow.forest_)
        assert plain.get_depth() > 1

    def test_lower_thresholds_grow_larger_trees(self):
        sizes = []
        for threshold in (0.0, 0.2, None):
            model = ExtraTreesClassifier(n_estimators=60, max_features=None)
            model.set_params(score_threshold=threshold).fit(X, CLASSES)
            sizes.append(model.forest_.n_nodes.mean())
        assert sizes[0] > 1.2 * sizes[2]
        assert sizes[0] >= sizes[1] >= sizes[2]


class TestForests:
    @EACH
    def test_all_rows_unless_told(self, kind):
        model = kind(n_estimators=5).fit(X, BOTH[kind])
        assert model.oob_score_ is None
        drawn = kind(n_estimators=60, bootstrap=True).fit(X, BOTH[kind])
        assert 0.4 < drawn.oob_score_ < 1

    @EACH
    def test_as_good_on_fresh_rows_as_random_forests(self, kind):
        model = kind(n_estimators=60).fit(X[:100], BOTH[kind][:100])
        assert model.score(X[100:], BOTH[kind][100:]) > 0.6

    @EACH
    def test_importances_without_unseen_rows_are_those_of_impurity(self, kind):
        model = kind(n_estimators=20).fit(X, BOTH[kind])
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_.argmin() == 2
        np.testing.assert_allclose(
            model.feature_importances_, model.impurity_importances_, rtol=0.05, atol=0.01
        )

    @EACH
    @pytest.mark.parametrize("direction", [1, -1])
    def test_directions(self, kind, direction):
        model = kind(n_estimators=20, monotonic_cst=[direction, 0, 0]).fit(X, BOTH[kind])
        grid = np.repeat(X[:30], 40, axis=0)
        grid[:, 0] = np.tile(np.linspace(-3, 3, 40), 30)
        is_class = kind is ExtraTreesClassifier
        said = model.predict_proba(grid)[:, 1] if is_class else model.predict(grid)
        assert (direction * np.diff(said.reshape(30, 40))).min() >= -1e-12

    @EACH
    def test_saved_and_loaded(self, kind, tmp_path):
        model = kind(n_estimators=4).fit(X, BOTH[kind])
        model.save(tmp_path / "model.bl")
        again = branchline.load(tmp_path / "model.bl")
        assert same_forest(again.forest_, model.forest_)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))

    def test_many_names(self):
        frame = pd.DataFrame({"id": [f"k{i}" for i in range(3000)], "x": np.arange(3000) % 2})
        model = ExtraTreesClassifier(n_estimators=2).fit(frame, frame["x"])
        assert model.score(frame, frame["x"]) == 1.0

    def test_values_next_to_one_another(self):
        """No threshold fits between neighboring floats but the lower one."""
        x = np.array([1.0, np.nextafter(1.0, 2.0)] * 20)[:, None]
        y = np.array([0, 1] * 20)
        model = ExtraTreesClassifier(n_estimators=20).fit(x, y)
        np.testing.assert_array_equal(model.predict_proba(x)[:, 1], y)

    def test_the_widest_range_of_floats(self):
        """The range itself is beyond all floats; draws are uniform in it all the same."""
        x = np.array([-1.7e308, -1.0, 1.0, 1.7e308] * 20)[:, None]
        model = ExtraTreesClassifier(n_estimators=400, max_depth=1, oob_score=False)
        model.fit(x, [0, 0, 1, 1] * 20)
        assert abs((roots(model) < 0).mean() - 0.5) < 0.15
