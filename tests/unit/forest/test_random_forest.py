"""Random forests: draws of rows and columns, growing in parts, directions, costs, small tables."""

import pickle
import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.base import clone

import branchline
from branchline.errors import BranchlineWarning, NotEnoughMemoryError
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from interrupts import NEEDS_PROC, SOON, endings
from unit.forest.forests import same_forest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).round(2)
CLASSES = np.array(["no", "so", "yes"])[np.digitize(X[:, 0] + RNG.normal(size=200), [-0.5, 0.7])]
TWO = np.where(X[:, 0] + X[:, 1] + RNG.normal(size=200) > 0, "yes", "no")
NUMBERS = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * RNG.normal(size=200)
BOTH = {RandomForestClassifier: CLASSES, RandomForestRegressor: NUMBERS}
EACH = pytest.mark.parametrize("kind", BOTH)


def counts(model, tree):
    """Return how often a tree holds each row."""
    return model._training("counts").growth.counts_of_tree(tree)


def root_columns(model):
    """Return the column that the first node of each tree tests."""
    forest = model.forest_
    has_test = forest.n_nodes > 1
    return forest.feature[forest.first_inner[:-1][has_test]]


def all_counts(model):
    return np.array([counts(model, tree) for tree in range(model.n_estimators_)])


class TestDrawnRows:
    MODEL = RandomForestClassifier(n_estimators=60, random_state=3).fit(X, TWO)
    COUNTS = all_counts(MODEL)

    def test_counts_are_poisson(self):
        """12 000 draws: five standard errors are 0.046 for the mean, 0.08 for the variance."""
        assert abs(self.COUNTS.mean() - 1) < 0.046
        assert abs(self.COUNTS.var() - 1) < 0.08
        assert abs((self.COUNTS == 0).mean() - np.exp(-1)) < 0.022

    def test_each_row_and_each_tree_is_drawn_alike(self):
        for axis in (0, 1):
            share_out = (self.COUNTS == 0).mean(axis=axis)
            n_draws = self.COUNTS.shape[axis]
            assert np.abs(share_out - np.exp(-1)).max() < 5 * np.sqrt(0.2325 / n_draws)

    def test_trees_draw_differently(self):
        assert len(np.unique(self.COUNTS, axis=0)) == 60

    def test_seeds_draw_differently(self):
        other = RandomForestClassifier(n_estimators=1, random_state=4).fit(X, TWO)
        assert not np.array_equal(counts(other, 0), self.COUNTS[0])

    def test_a_tree_holds_what_was_drawn(self):
        for tree in range(5):
            content, _ = self.MODEL.forest_.node_sums(tree)
            expected = [self.COUNTS[tree][name == TWO].sum() for name in ("no", "yes")]
            assert content[0].tolist() == expected

    @pytest.mark.parametrize(("share", "expected"), [(0.3, 0.3), (60, 0.3), (1.0, 1.0), (999, 1.0)])
    def test_a_bootstrap_of_some_rows(self, share, expected):
        model = RandomForestClassifier(n_estimators=40, max_samples=share).fit(X, TWO)
        drawn = all_counts(model)
        assert abs(drawn.mean() - expected) < 5 * np.sqrt(expected / drawn.size)
        assert abs(drawn.var() - expected) < 0.1

    @pytest.mark.parametrize("bootstrap", [True, False])
    def test_a_number_of_rows_counts_copies(self, bootstrap):
        copies = np.random.default_rng(4).integers(0, 4, 200)
        model = RandomForestClassifier(n_estimators=9, max_samples=60, bootstrap=bootstrap)
        weighed = model.fit(X, TWO, copies).predict_proba(X)
        copied = model.fit(X.repeat(copies, axis=0), TWO.repeat(copies)).predict_proba(X)
        np.testing.assert_array_equal(weighed, copied)

    def test_a_share_without_replacement(self):
        model = RandomForestClassifier(n_estimators=40, bootstrap=False, max_samples=0.4)
        drawn = all_counts(model.fit(X, TWO))
        assert set(np.unique(drawn)) == {0, 1}
        assert abs(drawn.mean() - 0.4) < 5 * np.sqrt(0.24 / drawn.size)

    def test_all_rows(self):
        model = RandomForestClassifier(n_estimators=2, bootstrap=False).fit(X, TWO)
        assert counts(model, 1).tolist() == [1] * 200

    def test_copies_are_drawn_together(self):
        """A tree is never tested out of bag on a copy of a row that it holds."""
        once = RandomForestClassifier(n_estimators=40).fit(X, TWO)
        model = RandomForestClassifier(n_estimators=40).fit(X, TWO, np.full(200, 3.0))
        assert (all_counts(model) == all_counts(once)).all()
        twice = np.concatenate([X, X]), np.concatenate([TWO, TWO])
        copied = all_counts(RandomForestClassifier(n_estimators=40).fit(*twice))
        assert (copied[:, :200] == copied[:, 200:]).all()
        assert copied[:, :200].mean() == pytest.approx(1, abs=0.05)

    def test_copies_are_rows_where_few_rows_are_possible(self):
        few = np.repeat([[0.0], [1.0]], 100, axis=0)
        model = RandomForestClassifier(n_estimators=40).fit(few, TWO, np.full(200, 3.0))
        drawn = all_counts(model)
        assert abs(drawn.mean() - 3) < 5 * np.sqrt(3 / drawn.size)
        assert abs(drawn.var() - 3) < 0.3


class TestDrawnColumns:
    def test_root_columns_are_drawn_uniformly(self):
        """Exchangeable noise: the first tests of 2000 trees are spread over columns by chance."""
        random = np.random.default_rng(5)
        noise = random.integers(0, 2, (300, 8)).astype(float)
        model = RandomForestClassifier(
            n_estimators=2000, max_features=1, max_depth=1, oob_score=False
        )
        model.fit(noise, random.integers(0, 2, 300))
        roots = np.bincount(root_columns(model), minlength=8)
        assert roots.sum() >= 1990
        assert chisquare(roots).pvalue > 1e-4

    def test_all_columns_when_all_are_allowed(self):
        model = RandomForestClassifier(n_estimators=20, max_features=None, max_depth=1)
        easy = np.column_stack([X[:, 1:], np.where(TWO == "yes", 1.0, 0.0)])
        assert set(root_columns(model.fit(easy, TWO))) == {3}

    def test_one_column_a_node_tests_all_of_them(self):
        model = RandomForestClassifier(n_estimators=20, max_features=1).fit(X, TWO)
        share = np.bincount(model.forest_.feature, minlength=4) / len(model.forest_.feature)
        assert (np.abs(share - 0.25) < 0.12).all()

    def test_constant_columns_are_not_drawn(self):
        padded = np.column_stack([X[:, 0], np.ones((200, 30))])
        model = RandomForestClassifier(n_estimators=5, max_features=1).fit(padded, TWO)
        assert (model.forest_.n_nodes > 1).all()
        assert set(model.forest_.feature.tolist()) == {0}


@EACH
class TestParts:
    def test_a_warm_start_adds_trees(self, kind):
        y = BOTH[kind]
        model = kind(n_estimators=4, warm_start=True, oob_score=True).fit(X, y)
        for n_trees in (5, 11):
            model.set_params(n_estimators=n_trees).fit(X, y)
        whole = kind(n_estimators=11).fit(X, y)
        assert same_forest(model.forest_, whole.forest_)
        assert model.oob_score_ == pytest.approx(whole.oob_score_, rel=1e-12)
        np.testing.assert_allclose(model.feature_importances_, whole.feature_importances_)

    def test_a_warm_start_on_mixed_columns_adds_trees(self, kind):
        frame = pd.DataFrame(X).assign(town=np.where(X[:, 2] > 0, "Mons", "Ath"))
        frame.columns = frame.columns.astype(str)
        model = kind(n_estimators=2, warm_start=True).fit(frame, BOTH[kind])
        model.set_params(n_estimators=6).fit(frame, BOTH[kind])
        assert same_forest(model.forest_, kind(n_estimators=6).fit(frame, BOTH[kind]).forest_)

    def test_a_warm_start_without_a_seed_goes_on_with_its_own(self, kind):
        model = kind(n_estimators=3, warm_start=True, random_state=None).fit(X, BOTH[kind])
        first = model.forest_
        model.set_params(n_estimators=5).fit(X, BOTH[kind])
        table = branchline.Table(X)
        again = model.forest_.average(table, 1, n_trees=3)
        np.testing.assert_array_equal(again, first.average(table, 1))
        assert len(np.unique(model.forest_.average(table, 1, first_tree=3) == again)) > 1

    def test_a_time_budget_grows_the_first_trees(self, kind):
        whole = kind(n_estimators=40).fit(X, BOTH[kind])
        some = kind(n_estimators=10**6, time_budget=0.01).fit(X, BOTH[kind])
        assert 1 <= some.n_estimators_ < 10**6
        n_trees = min(40, some.n_estimators_)
        assert same_trees(some, whole, n_trees)

    def test_a_time_budget_is_for_the_whole_fit(self, kind):
        X_long = np.random.default_rng(0).normal(size=(20_000, 5))
        y = (X_long[:, 0] > 0).astype(int) if kind is RandomForestClassifier else X_long[:, 0]
        begin = time.process_time()
        model = kind(n_estimators=10**5, time_budget=1.0, n_jobs=1).fit(X_long, y)
        # Processor time: the machine may be busy. What is made of the trees counts, too.
        assert time.process_time() - begin < 2.5
        assert model.n_estimators_ >= 1

    def test_no_time_at_all_grows_one_tree(self, kind):
        model = kind(n_estimators=50, time_budget=1e-9, n_jobs=1).fit(X, BOTH[kind])
        assert model.n_estimators_ == 1
        assert same_trees(model, kind(n_estimators=1).fit(X, BOTH[kind]), 1)

    def test_as_many_trees_as_are_worth_it(self, kind):
        """Half a percent of the error is soon reached where noise is most of it."""
        y = TWO if kind is RandomForestClassifier else NUMBERS + 5 * X[::-1, 3]
        model = kind(n_estimators="auto", min_samples_leaf=40).fit(X, y)
        assert 50 <= model.n_estimators_ < 1000
        whole = clone(model).set_params(n_estimators=model.n_estimators_).fit(X, y)
        assert same_forest(model.forest_, whole.forest_)
        assert model.oob_score_ == pytest.approx(whole.oob_score_, rel=1e-12)

    def test_a_further_fit_forgets(self, kind):
        model = kind(n_estimators=3).fit(X[:50], BOTH[kind][:50])
        model.fit(X, BOTH[kind])
        assert same_forest(model.forest_, kind(n_estimators=3).fit(X, BOTH[kind]).forest_)


def same_trees(model, other, n_trees):
    """Whether the first trees say the same of each row."""
    table = branchline.Table(X)
    said = [m.forest_.average(table, 1, n_trees=n_trees) for m in (model, other)]
    return np.array_equal(*said)


@pytest.mark.parametrize(
    "other", [{"random_state": 2}, {"max_samples": 0.5}, {"bootstrap": False}], ids=str
)
def test_a_warm_start_with_other_draws_is_refused(other):
    """Trees would be judged by rows that they have seen."""
    model = RandomForestClassifier(n_estimators=4, warm_start=True, random_state=1).fit(X, TWO)
    model.set_params(n_estimators=5, **other)
    with pytest.raises(branchline.errors.ParameterError, match="must be the same") as refused:
        model.fit(X, TWO)
    assert refused.value.code == "P145"


def test_a_warm_start_with_other_weights_is_refused():
    model = RandomForestClassifier(n_estimators=4, warm_start=True)
    model.fit(X, TWO, RNG.uniform(0.5, 2, 200)).set_params(n_estimators=5)
    with pytest.raises(branchline.errors.ParameterError, match="must be the same"):
        model.fit(X, TWO, RNG.uniform(0.5, 2, 200))


class TestDirections:
    GRID = np.linspace(-3, 3, 60)

    def curves(self, model):
        """Return what is predicted over the grid of the first column, a row for each of many."""
        rows = np.repeat(X[:50], len(self.GRID), axis=0)
        rows[:, 0] = np.tile(self.GRID, 50)
        is_class = hasattr(model, "predict_proba")
        said = model.predict_proba(rows)[:, 1] if is_class else model.predict(rows)
        return said.reshape(50, -1)

    @pytest.mark.parametrize("direction", [1, -1])
    @pytest.mark.parametrize(
        ("kind", "limits"),
        [
            (RandomForestRegressor, {}),
            (RandomForestRegressor, {"max_leaf_nodes": 12}),
            (RandomForestClassifier, {}),
            (RandomForestClassifier, {"criterion": "entropy", "min_samples_leaf": 3}),
            (RandomForestClassifier, {"criterion": "gain_ratio"}),
            (RandomForestClassifier, {"costs": [[0, 3], [1, 0]]}),
        ],
    )
    def test_predictions_are_monotone(self, kind, limits, direction):
        y = NUMBERS if kind is RandomForestRegressor else TWO
        free = kind(n_estimators=20, max_features=None, **limits).fit(X, y)
        assert (np.diff(self.curves(free)) < 0).any()
        model = clone(free).set_params(monotonic_cst=[direction, 0, 0, 0]).fit(X, y)
        steps = direction * np.diff(self.curves(model))
        assert steps.min() >= -1e-12
        if direction == 1:  # the column does tell something in this direction
            assert steps.max() > 0.01
        assert set(model.forest_.feature.tolist()) >= {1, 2, 3}

    def test_directions_by_name(self):
        frame = pd.DataFrame(X, columns=list("abcd"))
        by_name = RandomForestRegressor(n_estimators=5, monotonic_cst={"a": 1, "c": 0})
        by_place = RandomForestRegressor(n_estimators=5, monotonic_cst=[1, 0, 0, 0])
        by_name.fit(frame, NUMBERS)
        assert same_forest(by_name.forest_, by_place.fit(frame, NUMBERS).forest_)

    def test_directions_beside_categories_and_holes(self):
        frame = pd.DataFrame({"x": X[:, 0], "town": np.where(X[:, 1] > 0, "Ath", "Mons")})
        frame.loc[::7, "x"] = None
        frame.loc[::11, "town"] = None
        model = RandomForestClassifier(n_estimators=30, monotonic_cst={"x": 1}).fit(frame, TWO)
        for town in ("Ath", "Mons", None):
            rows = pd.DataFrame({"x": self.GRID, "town": [town] * len(self.GRID)})
            assert np.diff(model.predict_proba(rows)[:, 1]).min() >= -1e-12


class TestClasses:
    def test_costs_move_decisions(self):
        plain = RandomForestClassifier(n_estimators=20).fit(X, TWO)
        dear = RandomForestClassifier(n_estimators=20, costs={("yes", "no"): 8.0}).fit(X, TWO)
        assert (dear.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
        probability = dear.predict_proba(X)[:, 1]
        expected = np.where(8 * probability > 1 - probability, "yes", "no")
        np.testing.assert_array_equal(dear.predict(X), expected)

    def test_class_weights_move_probabilities(self):
        plain = RandomForestClassifier(n_estimators=30, min_samples_leaf=9).fit(X, TWO)
        heavy = clone(plain).set_params(class_weight={"yes": 5.0, "no": 1.0}).fit(X, TWO)
        assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1

    def test_balanced_classes_weigh_alike(self):
        rare = np.where(np.arange(200) < 20, "rare", "often")
        model = RandomForestClassifier(
            n_estimators=200, class_weight="balanced", max_depth=1, bootstrap=False
        )
        mean = model.fit(X, rare).forest_.node_sums(0)[0][0]
        assert mean[0] / mean.sum() == pytest.approx(0.5, abs=1e-5)

    def test_classes_of_any_kind(self):
        for names in ([False, True], [3, 8], ["a", "b"]):
            y = np.array(names)[(TWO == "yes").astype(int)]
            model = RandomForestClassifier(n_estimators=3).fit(X, y)
            assert model.classes_.tolist() == names
            assert set(model.predict(X).tolist()) == set(names)


class TestNumbers:
    def test_several_outputs(self):
        y = np.column_stack([NUMBERS, -2 * NUMBERS, X[:, 3]])
        model = RandomForestRegressor(n_estimators=30).fit(X, y)
        assert model.predict(X).shape == (200, 3)
        assert model.oob_prediction_.shape == (200, 3)
        assert 0 < model.oob_score_ < 1
        np.testing.assert_allclose(model.predict(X)[:, 1], -2 * model.predict(X)[:, 0], atol=1e-6)

    def test_numbers_far_from_zero(self):
        near = RandomForestRegressor(n_estimators=60).fit(X, NUMBERS.round(3))
        far = RandomForestRegressor(n_estimators=60).fit(X, 1e9 + 1024 * NUMBERS.round(3))
        assert far.oob_score_ == pytest.approx(near.oob_score_, abs=0.1)
        assert np.abs(far.predict(X) - 1e9).max() < 1e4

    @pytest.mark.parametrize("factor", [1e-300, 1e-3, 1e150, 1e300])
    def test_the_scale_of_the_target_does_not_matter(self, factor):
        """Targets take part in the draws of rows: other scales, other trees, but no worse ones."""
        plain = RandomForestRegressor(n_estimators=60).fit(X, NUMBERS)
        scaled = clone(plain).fit(X, NUMBERS * factor)
        assert scaled.oob_score_ == pytest.approx(plain.oob_score_, abs=0.1)
        assert np.isfinite(scaled.predict(X)).all()


@EACH
class TestSmallTables:
    def test_two_rows(self, kind):
        y = np.array(["a", "b"]) if kind is RandomForestClassifier else np.array([1.0, 2.0])
        model = kind(n_estimators=60).fit(X[:2], y)
        if kind is RandomForestClassifier:
            assert model.predict(X[:2]).tolist() == ["a", "b"]
        else:
            low, high = model.predict(X[:2])
            assert 1 <= low < 1.4 < 1.6 < high <= 2
        assert model.n_estimators_ == 60

    def test_one_row(self, kind):
        y = BOTH[kind][:1]
        if kind is RandomForestClassifier:
            with pytest.warns(BranchlineWarning, match="only one class"):
                model = kind(n_estimators=5).fit(X[:1], y)
        else:
            model = kind(n_estimators=5).fit(X[:1], y)
        np.testing.assert_array_equal(model.predict(X[:3]), np.repeat(y, 3))
        assert model.oob_score_ is None
        assert model.feature_importances_.tolist() == [0.0] * 4

    def test_a_constant_target(self, kind):
        if kind is RandomForestClassifier:
            with pytest.warns(BranchlineWarning, match="only one class"):
                model = kind(n_estimators=9).fit(X, ["a"] * 200)
            assert model.oob_score_ == 1.0
            assert (model.predict_proba(X) == 1.0).all()
        else:
            model = kind(n_estimators=9).fit(X, np.full(200, 0.1))
            assert model.oob_score_ is None
            np.testing.assert_allclose(model.predict(X), 0.1, rtol=1e-15)
            np.testing.assert_allclose(model.predict_interval(X), 0.1, rtol=1e-15)
        assert (model.forest_.n_nodes == 1).all()

    def test_a_column_without_any_value(self, kind):
        holed = np.column_stack([X, np.full(200, np.nan)])
        model = kind(n_estimators=5).fit(holed, BOTH[kind])
        assert model.feature_importances_[4] == 0
        assert np.array_equal(
            model.predict(holed), kind(n_estimators=5).fit(X, BOTH[kind]).predict(X)
        )

    def test_equal_rows_of_different_targets(self, kind):
        same = np.zeros((200, 2))
        model = kind(n_estimators=50).fit(same, BOTH[kind])
        assert (model.forest_.n_nodes == 1).all()

    def test_infinite_numbers_are_ordered(self, kind):
        wide = X.copy()
        wide[:20, 0] = np.inf
        wide[20:40, 0] = -np.inf
        try:
            model = kind(n_estimators=5).fit(wide, BOTH[kind])
        except branchline.errors.DataError:
            return
        assert len(model.predict(wide)) == 200


class TestManyNames:
    def test_names_that_identify_rows(self):
        random = np.random.default_rng(7)
        frame = pd.DataFrame({"id": [f"k{i}" for i in range(5000)], "x": random.normal(size=5000)})
        y = np.where(frame["x"] + random.normal(size=5000) > 0, "yes", "no")
        model = RandomForestClassifier(n_estimators=5).fit(frame, y)
        fresh = pd.DataFrame({"id": ["new"] * 9, "x": np.linspace(-2, 2, 9)})
        assert model.predict_proba(fresh).shape == (9, 2)
        assert model.oob_score_ > 0.55

    def test_more_names_than_a_code_can_tell(self):
        frame = pd.DataFrame({"x": np.arange(66_000) % 3.0, "id": [f"k{i}" for i in range(66_000)]})
        y = np.where(frame["x"] == 2, "yes", "no")
        model = RandomForestClassifier(n_estimators=2, max_features=None, oob_score=False)
        model.fit(frame, y)
        assert model.forest_.n_codes[1] <= 65_534
        assert model.score(frame, y) == 1.0
        assert pickle.loads(pickle.dumps(model)).predict(frame[:50]).tolist() == y[:50].tolist()


class Remembering:
    """A callback that writes down the names of the tasks it is told of."""

    def __init__(self):
        self.names = []

    def on_fit_begin(self, estimator):
        pass

    def on_fit_end(self, estimator, context):
        pass

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **_):
        self.names.append(context.task_name)

    def on_fit_task_end(self, estimator, context, **_):
        pass


@EACH
@pytest.mark.parametrize("n_trees", [7, "auto"])
def test_progress_is_told_of_each_tree(kind, n_trees):
    seen = Remembering()
    model = kind(n_estimators=n_trees, min_samples_leaf=20)
    model.set_callbacks(seen)
    model.fit(X, BOTH[kind])
    assert seen.names.count("tree") == model.n_estimators_


PROLOGUE = """
import numpy as np
from branchline.forest import RandomForestClassifier
random = np.random.default_rng(0)
X, y = random.normal(size=(60_000, 20)), random.integers(0, 2, 60_000)
"""


@NEEDS_PROC
def test_ctrl_c_is_heard_at_once():
    found = endings(
        {"many trees": "RandomForestClassifier(n_estimators=5000, n_jobs=2).fit(X, y)"},
        prologue=PROLOGUE,
        afterwards="RandomForestClassifier(n_estimators=2, n_jobs=2).fit(X[:50], y[:50])",
        after=1.0,
    )
    assert found["many trees"].name == "KeyboardInterrupt"
    assert found["many trees"].seconds < SOON


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_no_rows_get_no_predictions(kind):
    X = np.arange(20.0).reshape(10, 2)
    model = kind(n_estimators=3).fit(X, np.arange(10) % 2)
    none = branchline.Table(X).rows(np.zeros(0, dtype=int))
    assert model.forest_.average(none, 1).shape[0] == 0


def test_groups_are_drawn_together():
    """Near-copies of a group are not tested by trees that hold one of them."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 10)
    rows = rng.normal(size=(30, 3))[group] + rng.normal(size=(300, 3)) / 1000
    y = rng.integers(0, 2, 30)[group]
    model = RandomForestClassifier(oob_score=True)
    assert model.fit(branchline.Table(rows), y).oob_score_ > 0.95
    assert model.fit(branchline.Table(rows).with_groups(group), y).oob_score_ < 0.75


class TestManyClasses:
    """A leaf holds a number for each class: thousands of both do not fit any memory."""

    def forest(self, **parameters):
        random = np.random.default_rng(0)
        y = random.integers(0, 200, 3000)
        X = random.normal(size=(200, 4))[y] + 0.5 * random.normal(size=(3000, 4))
        return RandomForestClassifier(n_estimators=20, n_jobs=1, **parameters), X, y

    def test_too_many_leaves_are_refused_after_the_first_tree(self, monkeypatch):
        model, X, y = self.forest()
        monkeypatch.setenv("BRANCHLINE_MEMORY", "32M")
        with pytest.raises(NotEnoughMemoryError, match="200 classes, so 20 trees") as caught:
            model.fit(X, y)
        assert caught.value.code == "D440"
        exec(caught.value.repair.python, {"model": model})
        assert model.max_leaf_nodes > 2
        assert model.fit(X, y).forest_.n_leaves.max() <= model.max_leaf_nodes

    def test_the_first_tree_grown_alone_changes_nothing(self, monkeypatch):
        model, X, y = self.forest()
        together = model.fit(X, y).predict_proba(X)
        monkeypatch.setattr("branchline.forest._many_trees.MANY_CLASSES", 1000)
        assert np.array_equal(model.fit(X, y).predict_proba(X), together)


def test_a_budget_needs_no_memory_for_trees_that_are_never_grown():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 3))
    model = RandomForestRegressor(n_estimators=3 * 10**6, time_budget=0.3, n_jobs=1)
    assert model.fit(X, X[:, 0]).forest_.n_trees < 3 * 10**6
