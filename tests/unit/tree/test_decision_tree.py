"""Each parameter of growing does what its description says; peers grow the same trees."""

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.tree import DecisionTreeClassifier as PeerClassifier
from sklearn.tree import DecisionTreeRegressor as PeerRegressor

from branchline import Table, load_dataset
from branchline.errors import BranchlineError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.pruning import _trials
from branchline.tree.reading._importance import impurities

PLAIN = {"prune": None, "correct_for_chance": False}


def classes(n_rows=200, n_columns=3, seed=0, n_classes=3):
    """Return numbers whose classes overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(0, 0.5, n_rows)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def numbers(n_rows=200, seed=0):
    X, _ = classes(n_rows, seed=seed)
    return X, 3 * X[:, 0] + X[:, 1] ** 2 + np.random.default_rng(seed + 1).normal(0, 0.5, n_rows)


def classifier(**parameters):
    return DecisionTreeClassifier(**{**PLAIN, **parameters})


def regressor(**parameters):
    return DecisionTreeRegressor(**{**PLAIN, **parameters})


def decreases(model, criterion="gini"):
    """Return the decrease of impurity of each inner node, per row of the node."""
    tree = model.tree_
    amount = tree.weight * impurities(tree, criterion)
    below = np.bincount(tree.parent[1:], amount[1:], minlength=tree.n_nodes)
    return ((amount - below) / tree.weight)[~tree.is_leaf]


BOTH = pytest.mark.parametrize(
    ("make", "data", "criterion"),
    [(classifier, classes, "gini"), (regressor, numbers, "variance")],
    ids=["classes", "numbers"],
)


class TestLimits:
    @BOTH
    def test_a_full_tree_ends_in_pure_leaves(self, make, data, criterion):
        model = make().fit(*data())
        leaves = impurities(model.tree_, criterion)[model.tree_.is_leaf]
        assert leaves == pytest.approx(0, abs=1e-12)
        assert model.score(*data()) == pytest.approx(1.0)

    @BOTH
    def test_depth(self, make, data, criterion):
        for depth in (1, 2, 4):
            assert make(max_depth=depth).fit(*data()).get_depth() == depth

    @BOTH
    def test_leaves_are_split_in_order_of_what_they_gain(self, make, data, criterion):
        full = make().fit(*data())
        tree, worth = full.tree_, {}
        worth = dict(zip(np.flatnonzero(~tree.is_leaf), decreases(full, criterion), strict=True))
        worth = {node: gain * tree.weight[node] for node, gain in worth.items()}
        for most in (2, 5, 9):
            inner, open_nodes = [], [0]
            while len(open_nodes) < most:
                best = max((node for node in open_nodes if node in worth), key=worth.get)
                open_nodes.remove(best)
                open_nodes += [tree.first_child[best], tree.first_child[best] + 1]
                inner.append(best)
            limited = make(max_leaf_nodes=most).fit(*data())
            assert limited.get_n_leaves() == most
            expected = sorted(zip(tree.feature[inner], tree.threshold[inner], strict=True))
            cuts = ~limited.tree_.is_leaf
            found = zip(limited.tree_.feature[cuts], limited.tree_.threshold[cuts], strict=True)
            assert sorted(found) == expected

    @BOTH
    def test_rows_of_a_node_and_of_a_leaf(self, make, data, criterion):
        tree = make(min_samples_split=30).fit(*data()).tree_
        assert tree.weight[~tree.is_leaf].min() >= 30
        assert tree.weight[tree.is_leaf].min() < 15
        assert make(min_samples_leaf=15).fit(*data()).tree_.weight.min() >= 15

    @BOTH
    def test_rows_count_by_whole_weights_as_copies(self, make, data, criterion):
        X, y = data(80)
        weight = np.random.default_rng(3).integers(1, 4, len(y))
        limits = {"min_samples_leaf": 9, "min_samples_split": 40}
        weighed = make(**limits).fit(X, y, sample_weight=weight)
        copied = make(**limits).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        assert weighed.tree_.weight.min() >= 9
        assert weighed.to_text() == copied.to_text()

    @BOTH
    def test_other_weights_are_rescaled_to_a_mean_of_1(self, make, data, criterion):
        X, y = data(80)
        weight = np.random.default_rng(3).uniform(0.5, 2, len(y))
        model = make(min_samples_leaf=9).fit(X, y, sample_weight=weight)
        assert model.tree_.weight[0] == pytest.approx(80)
        assert model.tree_.weight.min() >= 9
        assert model.to_text() == make(min_samples_leaf=9).fit(X, y, 1000 * weight).to_text()

    @BOTH
    @pytest.mark.parametrize("missing", ["learned", "fractional"])
    @pytest.mark.parametrize("weigh", [False, True])
    def test_impurity_and_gain(self, make, data, criterion, missing, weigh):
        X, y = data()
        weight = np.random.default_rng(5).uniform(0.5, 2, len(y)) if weigh else None
        full = make(missing=missing).fit(X, y, weight)
        seen = np.unique(impurities(full.tree_, criterion)[~full.tree_.is_leaf])
        least = float(seen[len(seen) // 2 - 1 : len(seen) // 2 + 1].mean())
        mild = make(missing=missing, min_impurity=least).fit(X, y, weight)
        kept = impurities(mild.tree_, criterion)
        assert kept[~mild.tree_.is_leaf].min() > least
        assert 1 < mild.get_n_leaves() < full.get_n_leaves()
        split = 0.6 * float(decreases(full, criterion)[0])
        picky = make(missing=missing, min_gain=split).fit(X, y, weight)
        assert decreases(picky, criterion).min() > split
        assert 1 < picky.get_n_leaves() < full.get_n_leaves()
        for leaf in np.flatnonzero(picky.tree_.is_leaf):
            assert all(reason.gain <= split * (1 + 1e-9) for reason in picky.why(int(leaf)))

    def test_zero_gain_goes_on_while_a_column_varies(self):
        X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0])
        assert regressor().fit(X, y).get_n_leaves() == 1
        solved = regressor(zero_gain="split").fit(X, y)
        assert (solved.get_depth(), solved.predict(X).tolist()) == (2, y.tolist())


class TestCriteria:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
    def test_the_best_threshold_of_all(self, criterion):
        def impurity(some):
            p = np.bincount(some, minlength=3) / len(some)
            if criterion == "gini":
                return (p * (1 - p)).sum()
            if criterion == "entropy":
                return -(p[p > 0] * np.log2(p[p > 0])).sum()
            return 1 - p.max()

        X, y = classes(60)
        best = 0.0
        for column in X.T:
            for value in np.sort(column)[:-1]:
                left = column <= value
                after = left.mean() * impurity(y[left]) + (~left).mean() * impurity(y[~left])
                best = max(best, impurity(y) - after)
        model = classifier(criterion=criterion, max_depth=1).fit(X, y)
        assert decreases(model, criterion) == pytest.approx([best])
        assert model.why(0).reasons[0].gain == pytest.approx(best)

    def test_gain_ratio_looks_only_at_tests_of_at_least_average_gain(self):
        """One odd row has the best ratio of all and next to no gain."""
        broad = np.repeat(np.arange(8), 20)
        y = (np.arange(160) % 20 < 13) ^ (broad % 2 == 1)
        rare = ["odd" if row == 0 else "even" for row in range(160)]
        X = Table({"rare": rare, "broad": [f"v{value}" for value in broad]})
        model = classifier(criterion="gain_ratio", split="multiway", max_depth=1).fit(X, y)
        reasons = model.why(0)
        assert reasons["rare"].gain_ratio > 2 * reasons["broad"].gain_ratio
        assert reasons["rare"].gain < 0.3 * reasons["broad"].gain
        assert model.used_columns_ == ["broad"]
        assert reasons["broad"].score == pytest.approx(reasons["broad"].gain_ratio)

    def test_numbers_have_two_names_for_the_variance(self):
        X, y = numbers(60)
        same = [
            regressor(criterion=name).fit(X, y).to_text() for name in ("variance", "squared_error")
        ]
        assert same[0] == same[1]

    @pytest.mark.parametrize("split", ["binary", "multiway"])
    def test_significance(self, split):
        X, y = load_dataset("heart").split_target("disease")
        level = 1e-3
        model = classifier(significance=level, split=split).fit(X, y)
        assert 1 < model.get_n_leaves() < classifier(split=split).fit(X, y).get_n_leaves()
        for node in np.flatnonzero(~model.tree_.is_leaf).tolist():
            first = int(model.tree_.first_child[node])
            table = model.tree_.content[first : first + model.tree_.n_children[node]]
            p = chi2_contingency(table, correction=False).pvalue
            assert p <= level
            assert model.why(node).reasons[0].p_value == pytest.approx(p)
        mixed = model.tree_.is_leaf & (model.tree_.value.max(axis=1) < 1)
        for node in np.flatnonzero(mixed).tolist():
            assert all(reason.p_value > level or reason.gain <= 1e-12 for reason in model.why(node))


class TestSubsets:
    @staticmethod
    def letters(k, n_classes, seed, n_rows=150):
        rng = np.random.default_rng(seed)
        names = np.array([chr(97 + place) for place in range(k)])[rng.integers(0, k, n_rows)]
        probabilities = rng.dirichlet(np.full(n_classes, 0.7), k)
        y = [rng.choice(n_classes, p=probabilities[ord(name) - 97]) for name in names]
        return Table({"letter": names}), np.array(y)

    @staticmethod
    def best_of_all(X, y):
        names = np.array(X["letter"].to_list())
        present, best = sorted(set(names)), 0.0

        def gini(some):
            return 1 - ((np.bincount(some) / len(some)) ** 2).sum()

        for size in range(1, len(present)):
            for some in combinations(present[:-1], size):
                left = np.isin(names, some)
                after = left.mean() * gini(y[left]) + (~left).mean() * gini(y[~left])
                best = max(best, gini(y) - after)
        return best

    @pytest.mark.parametrize(("k", "n_classes"), [(7, 2), (4, 3), (7, 3), (8, 5)])
    @pytest.mark.parametrize("seed", range(2))
    def test_auto_and_exact_find_the_optimum_and_the_others_come_close(self, k, n_classes, seed):
        X, y = self.letters(k, n_classes, seed)
        best = self.best_of_all(X, y)
        for search in ("auto", "exact"):
            model = classifier(subset_search=search, max_depth=1).fit(X, y)
            assert model.why(0)["letter"].gain == pytest.approx(best)
        found = {
            search: classifier(subset_search=search, max_depth=1).fit(X, y).why(0)["letter"].gain
            for search in ("one_vs_rest", "flip_flop", "greedy")
        }
        assert all(0.85 * best <= gain <= best + 1e-12 for gain in found.values()), found
        assert found["flip_flop"] >= found["one_vs_rest"]

    def test_numbers_in_order_of_their_means(self):
        X, _ = self.letters(7, 2, 0)
        y = np.random.default_rng(1).normal(size=X.n_rows)
        gains = [
            regressor(subset_search=search, max_depth=1).fit(X, y).why(0)["letter"].gain
            for search in ("auto", "exact", "one_vs_rest", "flip_flop")
        ]
        assert gains == pytest.approx([gains[1]] * 4)

    def test_only_the_given_subsets_are_tested(self):
        X, y = self.letters(7, 2, 3)
        given = [("a", "e"), ("b", "c", "d"), ["f"]]
        names = np.array(X["letter"].to_list())

        def gain(some):
            left = np.isin(names, some)
            sides = [y[left], y[~left]]
            after = sum(len(side) / len(y) * 2 * side.mean() * (1 - side.mean()) for side in sides)
            return 2 * y.mean() * (1 - y.mean()) - after

        model = classifier(subsets={"letter": given}, max_depth=1).fit(X, y)
        assert model.why(0)["letter"].gain == pytest.approx(max(gain(some) for some in given))
        best = max(given, key=gain)
        at = model.apply({"letter": sorted(set(names))})
        assert {name for name, node in zip("abcdefg", at, strict=True) if node == 1} == set(best)

    def test_rare_categories_share_a_branch_or_have_their_own(self):
        sizes = {"a": 30, "b": 30, "c": 2, "d": 1, "e": 2}
        X = Table({"letter": [name for name, size in sizes.items() for _ in range(size)]})
        y = np.array([0] * 30 + [1] * 30 + [0, 1, 1, 0, 0])
        limits = {"split": "multiway", "min_samples_leaf": 5, "max_depth": 1}
        own = classifier(**limits).fit(X, y)
        assert own.tree_.weight[1:].tolist() == [30, 30, 2, 1, 2]
        shared = classifier(rare_categories="share", **limits).fit(X, y)
        assert shared.tree_.weight[1:].tolist() == [30, 30, 5]

    def test_multiway_tests_need_two_branches_of_enough_rows(self):
        X = Table({"letter": ["a"] * 30 + ["b"] * 4 + ["c"] * 4})
        y = np.array([0] * 30 + [1] * 8)
        for least, n_leaves in ((4, 3), (5, 1)):
            model = classifier(split="multiway", min_samples_leaf=least).fit(X, y)
            assert model.get_n_leaves() == n_leaves


class TestNumbersOnly:
    def test_only_the_given_thresholds_are_used(self):
        X, y = classes(300)
        frame = pd.DataFrame(X, columns=list("abc"))
        given = {"a": [1.0, -0.5, 0.25], "b": [0.0]}
        model = classifier(intervals=given).fit(frame, y)
        tree = model.tree_
        for place, name in enumerate("ab"):
            used = tree.threshold[(tree.feature == place) & ~tree.is_leaf]
            assert set(used) <= set(given[name])
            assert len(used)
        assert len(set(tree.threshold[tree.feature == 2])) > 3  # c is as free as ever
        codes = frame.assign(a=np.digitize(X[:, 0], [-0.5, 0.25, 1.0], right=True), b=X[:, 1] > 0)
        same = classifier().fit(codes.astype(float), y)
        assert (same.predict(codes.astype(float)) == model.predict(frame)).all()

    def test_cautious_thresholds(self):
        """log2(thresholds) / rows off the gain; a tenth of the rows a class on each side.

        All 120 values differ, and six rows must be on each side: ten thresholds are not admitted.
        """
        X, y = classes(120, n_classes=2)
        X = X[:, :1]
        free, cautious = (
            classifier(criterion="entropy", cautious_thresholds=flag).fit(X, y)
            for flag in (False, True)
        )
        tree = cautious.tree_
        parents = tree.weight[tree.parent[1:]]
        assert (tree.weight[1:] >= np.minimum(25, 0.1 * parents / 2)).all()
        gain = free.why(0, column="x0")
        root = cautious.why(0)["x0"]
        assert root.gain == pytest.approx(
            max(reason.gain for reason in gain) - np.log2(len(gain) - 2 * 5) / 120
        )
        assert cautious.get_n_leaves() < free.get_n_leaves()


class TestPeers:
    """scikit-learn sees float32 values, so these are given to both.

    Then the candidate thresholds are the same midpoints. Classes overlap and numbers are noisy, so
    that in leaves of a few rows at least no two tests gain the same (scikit-learn
    would choose among them by chance): predictions are equal. Means are summed in another order:
    nine digits.
    """

    @pytest.mark.parametrize("criterion", ["gini", "entropy"])
    @pytest.mark.parametrize("seed", range(3))
    def test_classes(self, criterion, seed):
        X, y = classes(3000, 5, seed)
        y = np.where(np.random.default_rng(seed).random(3000) < 0.2, 2 - y, y)
        limits = {"max_depth": 4, "min_samples_leaf": 20}
        X = X.astype(np.float32).astype(np.float64)
        ours = classifier(criterion=criterion, **limits).fit(X[:2000], y[:2000])
        peer = PeerClassifier(criterion=criterion, **limits).fit(X[:2000], y[:2000])
        assert ours.predict_proba(X) == pytest.approx(peer.predict_proba(X))
        assert (ours.predict(X) == peer.predict(X)).all()
        assert ours.feature_importances_ == pytest.approx(peer.feature_importances_)

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "variance"])
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("least", [1, 10])
    def test_where_tests_tie_the_training_error_is_the_same(self, criterion, seed, least):
        """Few rows: which of two equal tests is taken differs, what they leave open does not."""
        X, y = numbers(400, seed) if criterion == "variance" else classes(400, 5, seed)
        X, limits = X.astype(np.float32).astype(np.float64), {"max_depth": 4}
        limits["min_samples_leaf"] = least
        if criterion == "variance":
            ours, peer = regressor(**limits), PeerRegressor(**limits, random_state=0)
        else:
            ours = classifier(criterion=criterion, **limits)
            peer = PeerClassifier(criterion=criterion, **limits, random_state=0)
        mine, theirs = ours.fit(X, y).tree_, peer.fit(X, y).tree_
        left = (mine.weight * impurities(mine, criterion))[mine.is_leaf].sum()
        leaves = theirs.children_left < 0
        expected = (theirs.weighted_n_node_samples * theirs.impurity)[leaves].sum()
        assert left == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("weigh", [False, True])
    def test_many_rows_with_holes(self, n_classes, weigh):
        """scikit-learn learns the side of missing values too."""
        X, y = classes(20_000, 4, seed=1, n_classes=n_classes)
        rng = np.random.default_rng(1)
        X[rng.random(X.shape) < 0.1] = np.nan
        X = X.astype(np.float32).astype(np.float64)
        weight = rng.integers(1, 4, len(y)) if weigh else None
        ours = classifier(max_depth=4).fit(X, y, weight)
        peer = PeerClassifier(max_depth=4).fit(X, y, weight)
        assert ours.predict_proba(X) == pytest.approx(peer.predict_proba(X))

    @pytest.mark.parametrize("n_outputs", [1, 2])
    @pytest.mark.parametrize("seed", range(3))
    def test_numbers(self, n_outputs, seed):
        X, y = numbers(3000, seed)
        X = X.astype(np.float32).astype(np.float64)
        y = y if n_outputs == 1 else np.column_stack([y, X[:, 1] * X[:, 2]])
        ours = regressor(max_depth=4, min_samples_leaf=5).fit(X[:2000], y[:2000])
        peer = PeerRegressor(max_depth=4, min_samples_leaf=5).fit(X[:2000], y[:2000])
        assert ours.predict(X) == pytest.approx(peer.predict(X), rel=1e-9)
        assert ours.feature_importances_ == pytest.approx(peer.feature_importances_)


class TestSeveralOutputs:
    def test_each_leaf_holds_the_mean_of_each_output(self):
        X, y = numbers()
        both = np.column_stack([y, 100 - y**2, X[:, 2]])
        model = DecisionTreeRegressor(max_depth=3, prune=None).fit(X, both)
        assert model.n_outputs_ == 3
        at = model.apply(X)
        for node in set(at.tolist()):
            assert model.tree_.value[node] == pytest.approx(both[at == node].mean(axis=0))
            assert model.tree_.variance[node] == pytest.approx(both[at == node].var(axis=0))
        assert model.predict(X).shape == both.shape
        assert model.predict(X[:1]).shape == (1, 3)

    @pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error", "pessimistic", "mdl"])
    def test_every_method_prunes_them(self, prune):
        X, y = numbers()
        both = np.column_stack([y, np.random.default_rng(0).normal(size=len(y))])
        full = DecisionTreeRegressor(prune=None).fit(X, both)
        model = DecisionTreeRegressor(prune=prune).fit(X, both)
        assert 1 < model.get_n_leaves() < 0.7 * full.get_n_leaves()

    def test_one_column_is_one_output(self):
        X, y = numbers(50)
        with pytest.warns(match="column-vector"):
            model = DecisionTreeRegressor().fit(X, y[:, None])
        assert model.predict(X).shape == (50,)


@cache
def messy_table(n_rows=6000):
    """Return 50 columns of every kind with holes, two of 5 000 identifiers; and what is sought."""
    rng = np.random.default_rng(0)
    frame = {}
    for place in range(12):
        gone = rng.random(n_rows) < 0.1
        frame[f"number {place}"] = np.where(gone, np.nan, rng.normal(size=n_rows))
        word = rng.choice(["red", "green", "blue", "gold"], n_rows).astype(object)
        word[rng.random(n_rows) < 0.1] = None
        frame[f"word {place}"] = word
        frame[f"flag {place}"] = rng.random(n_rows) < 0.4
        day = pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 5000, n_rows), "D")
        frame[f"date {place}"] = pd.Series(day).mask(rng.random(n_rows) < 0.05)
    ids = np.array([f"id {number:05d}" for number in range(5000)])
    frame["customer"] = rng.choice(ids, n_rows)
    frame["order"] = rng.choice(ids, n_rows)
    frame = pd.DataFrame(frame)
    score = frame["number 0"].fillna(0) + (frame["word 1"] == "red") * 2
    return frame, score + rng.normal(0, 0.5, n_rows)


@pytest.mark.parametrize("missing", ["learned", "own", "node_mode", "sample_mode", "fractional"])
def test_a_messy_table_needs_no_preparation(missing):
    frame, score = messy_table()
    y = np.where(score > 0.8, "yes", "no")
    assert frame.shape[1] == 50
    model = DecisionTreeClassifier(missing=missing).fit(frame[:4000], y[:4000])
    assert {"number 0", "word 1"} <= set(model.used_columns_)
    assert model.score(frame[4000:], y[4000:]) > 0.85
    assert model.get_n_leaves() < 40
    assert not {"customer", "order"} & set(model.used_columns_)


def test_a_messy_table_with_a_number_to_predict():
    frame, score = messy_table()
    model = DecisionTreeRegressor().fit(frame[:4000], score[:4000])
    assert {"number 0", "word 1"} <= set(model.used_columns_)
    assert not {"customer", "order"} & set(model.used_columns_)
    assert model.score(frame[4000:], score[4000:]) > 0.8


def test_an_identifier_carries_no_test_with_or_without_the_correction():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = Table({"id": [f"id {row}" for row in range(300)], "word": np.where(y, "b", "a")})
    noisy = np.where(rng.random(300) < 0.2, 1 - y, y)
    for corrects in (False, True):
        settings = {"correct_for_chance": corrects, "prune": None, "max_depth": 1}
        model = DecisionTreeClassifier(**settings).fit(X, noisy)
        assert model.used_columns_ == ["word"]
        assert "id" not in {reason.column for reason in model.why(0) if reason.score > 0}


def test_groups_of_two_rows_win_without_the_correction():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = Table({"id": [f"id {row // 2}" for row in range(300)], "word": np.where(y, "b", "a")})
    noisy = np.where(rng.random(300) < 0.3, 1 - y, y)
    free = DecisionTreeClassifier(correct_for_chance=False, prune=None, max_depth=1).fit(X, noisy)
    assert free.used_columns_ == ["id"]
    model = DecisionTreeClassifier(prune=None, max_depth=1).fit(X, noisy)
    assert model.used_columns_ == ["word"]


class TestNamesBeyondCodes:
    """More categories than codes: the rarest share one."""

    @pytest.fixture
    def many(self):
        names = [f"id {row}" for row in range(70_000)]
        names[:2000] = ["first"] * 1000 + ["second"] * 1000
        y = np.arange(70_000) % 2
        y[:1000], y[1000:2000] = 0, 1
        return Table({"name": names}), y

    def test_a_tree_grows_and_predicts(self, many):
        X, y = many
        model = DecisionTreeClassifier(prune=None, max_depth=2).fit(X, y)
        found = model.predict({"name": ["first", "second", "id 69999", "new", None]})
        assert found[:2].tolist() == [0, 1]
        assert model.why(0).reasons[0].column == "name"

    def test_given_subsets(self, many):
        X, y = many
        subsets = {"name": [["first"], ["second", "id 69999"]]}
        model = DecisionTreeClassifier(prune=None, max_depth=1, subsets=subsets)
        try:
            model.fit(X, y)
        except BranchlineError:
            return  # too many names to give subsets of, in our own words
        assert model.predict({"name": ["first"]}).tolist() == [0]


class TestSameBits:
    @BOTH
    def test_threads_and_the_order_of_rows_do_not_matter(self, make, data, criterion):
        X, y = data(300)
        order = np.random.default_rng(1).permutation(300)
        for prune in (None, "cost_complexity", "reduced_error"):
            texts = {
                make(prune=prune, n_jobs=1).fit(X, y).to_text(),
                make(prune=prune, n_jobs=2).fit(X, y).to_text(),
                make(prune=prune).fit(X[order], y[order]).to_text(),
            }
            assert len(texts) == 1

    def test_the_seed_deals_the_rows(self):
        X, y = classes(300)
        by_seed = {
            seed: DecisionTreeClassifier(prune="reduced_error", random_state=seed)
            .fit(X, y)
            .to_text()
            for seed in range(5)
        }
        assert len(set(by_seed.values())) > 1
        again = DecisionTreeClassifier(prune="reduced_error", random_state=3).fit(X, y)
        assert again.to_text() == by_seed[3]


@pytest.mark.parametrize("n_classes", [64, 65, 300])  # contents of more than 64 classes are sparse
def test_nodes_of_many_classes_hold_their_rows(n_classes):
    X, _ = classes(n_rows=20_000)
    y = np.random.default_rng(1).integers(0, n_classes, len(X))
    y[:n_classes] = np.arange(n_classes)
    tree = classifier(prune=None, max_depth=6, random_state=0).fit(X, y).tree_
    expected = np.zeros((tree.n_nodes, n_classes), dtype=np.int64)
    leaf = tree.find_leaves(Table({f"x{c}": X[:, c] for c in range(X.shape[1])}), 1)
    np.add.at(expected, (leaf, y), 1)
    for node in range(tree.n_nodes - 1, 0, -1):
        expected[tree.parent[node]] += expected[node]
    assert tree.n_nodes > 30
    np.testing.assert_array_equal(tree.content, expected)


@pytest.mark.parametrize("n_rows", [60, 400])
def test_large_trees_of_folds_give_the_same_tree(n_rows, monkeypatch):
    X, y = classes(n_rows=n_rows)
    kept = DecisionTreeClassifier(random_state=0, n_jobs=1).fit(X, y)
    monkeypatch.setattr(_trials, "_KEPT_BYTES", 0)
    let_go = DecisionTreeClassifier(random_state=0, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(kept.tree_.content, let_go.tree_.content)
    np.testing.assert_array_equal(kept.pruning_path_.error, let_go.pruning_path_.error)
