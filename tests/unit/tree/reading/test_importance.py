"""What columns contribute to a tree, and how much it leaves open."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.errors import BranchlineError
from branchline.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.reading._importance import impurities


def entropy(y):
    p = np.unique(np.asarray(y), return_counts=True)[1] / len(y)
    return float(-(p * np.log2(p)).sum())


class TestImportance:
    def test_tennis_by_hand(self):
        """14 · 0.2467 of outlook, 5 · 0.971 each of humidity and wind: all of 14 · 0.940."""
        X, y = load_dataset("tennis").split_target("play")
        model = ID3().fit(X, y)
        total = 14 * entropy(y)
        five = 5 * entropy([0, 0, 0, 1, 1])
        expected = [total - 2 * five, 0, five, five]
        assert model.feature_importances_ == pytest.approx(np.array(expected) / total)
        assert model.impurity_decreases_ == pytest.approx(expected)
        assert model.feature_importances_.sum() == pytest.approx(1)

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
    def test_the_sum_over_the_nodes_of_a_column(self, criterion):
        X, y = load_dataset("heart").split_target("disease")
        model = DecisionTreeClassifier(criterion=criterion, prune=None, max_depth=4).fit(X, y)
        tree, amount = model.tree_, np.zeros(len(X.names))
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            amount[tree.feature[node]] += tree.weight[node] * model.why(node).reasons[0].gain
        assert model.feature_importances_ == pytest.approx(amount / amount.sum())
        assert model.impurity_decreases_ == pytest.approx(amount)

    def test_numbers(self):
        X, y = load_dataset("auto-mpg").split_target("mpg")
        model = DecisionTreeRegressor(prune=None, max_depth=4).fit(X, y)
        tree, amount = model.tree_, np.zeros(len(X.names))
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            amount[tree.feature[node]] += tree.weight[node] * model.why(node).reasons[0].gain
        assert model.feature_importances_ == pytest.approx(amount / amount.sum())
        assert model.impurity_decreases_ == pytest.approx(amount)

    def test_rows_count_by_weight(self):
        X, y = load_dataset("heart").split_target("disease")
        weight = np.random.default_rng(0).integers(1, 4, X.n_rows)
        weighed = DecisionTreeClassifier(prune=None).fit(X, y, sample_weight=weight)
        rows = np.repeat(np.arange(X.n_rows), weight)
        copied = DecisionTreeClassifier(prune=None).fit(X.rows(rows), np.asarray(y)[rows])
        assert weighed.feature_importances_ == pytest.approx(copied.feature_importances_)

    @pytest.mark.parametrize("missing", ["own", "fractional", "learned"])
    def test_shares_are_shares(self, missing):
        X, y = load_dataset("votes84").split_target("party")
        found = DecisionTreeClassifier(missing=missing, prune=None).fit(X, y).feature_importances_
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(1)

    def test_a_tree_without_tests_has_none(self):
        model = DecisionTreeRegressor().fit(np.ones((10, 3)), np.arange(10.0))
        assert model.feature_importances_.tolist() == [0, 0, 0]
        assert model.used_columns_ == []


def test_used_columns_are_named_in_the_order_of_the_table():
    X, y = load_dataset("loan").split_target("class")
    assert ID3().fit(X, y).used_columns_ == ["job", "house"]
    unnamed = DecisionTreeClassifier(prune=None).fit([[1.0, 1], [1, 2], [1, 3]], [0, 0, 1])
    assert unnamed.used_columns_ == ["x1"]


class TestEntropy:
    def test_of_the_tree(self):
        X, y = load_dataset("heart").split_target("disease")
        model = C45(missing="learned").fit(X, y)
        at, y = model.apply(X), np.asarray(y)
        by_hand = sum((at == leaf).mean() * entropy(y[at == leaf]) for leaf in set(at.tolist()))
        assert model.entropy_ == pytest.approx(by_hand)

    def test_of_a_pure_and_of_an_unsplit_tree(self):
        X, y = load_dataset("tennis").split_target("play")
        assert ID3().fit(X, y).entropy_ == 0
        whole = DecisionTreeClassifier(prune=None, min_samples_leaf=10).fit(X, y)
        assert whole.entropy_ == pytest.approx(entropy(y))

    def test_of_numbers_it_is_the_variance_within_leaves(self):
        X, y = load_dataset("auto-mpg").split_target("mpg")
        model = DecisionTreeRegressor(max_leaf_nodes=5, prune=None).fit(X, y)
        assert model.entropy_ == pytest.approx(np.mean((model.predict(X) - np.asarray(y)) ** 2))

    def test_curve_of_given_rows(self):
        """Leaf by leaf from the rows' own classes, the tree cut at each depth."""
        X, y = load_dataset("heart").split_target("disease")
        y = np.asarray(y)
        model = DecisionTreeClassifier(max_depth=4, prune=None).fit(X.rows(np.arange(200)), y[:200])
        test, truth = X.rows(np.arange(200, X.n_rows)), y[200:]
        curve = model.entropy_curve(test, truth)
        assert len(curve) == 5
        assert curve[0] == pytest.approx(entropy(truth))
        for depth in (1, 2, 3, 4):
            shallow = DecisionTreeClassifier(max_depth=depth, prune=None)
            at = shallow.fit(X.rows(np.arange(200)), y[:200]).apply(test)
            by_hand = sum(
                (at == leaf).mean() * entropy(truth[at == leaf]) for leaf in set(at.tolist())
            )
            assert curve[depth] == pytest.approx(by_hand)

    def test_curve_of_training_rows_falls(self):
        X, y = load_dataset("heart").split_target("disease")
        model = DecisionTreeClassifier(prune=None).fit(X, y)
        curve = model.entropy_curve(X, y)
        assert (np.diff(curve) <= 1e-12).all()
        assert curve[-1] == pytest.approx(model.entropy_)

    def test_what_the_curve_refuses(self):
        X, y = load_dataset("heart").split_target("disease")
        model = DecisionTreeClassifier().fit(X, y)
        for wrong in (list(y)[:-1], ["perhaps"] * X.n_rows, None):
            with pytest.raises(BranchlineError):
                model.entropy_curve(X, wrong)

    def test_the_curve_is_for_classes_only(self):
        table = Table({"x": np.arange(20.0)})
        numeric = DecisionTreeRegressor().fit(table, np.arange(20.0))
        with pytest.raises((BranchlineError, AttributeError), match=r"entropy_curve|classes"):
            numeric.entropy_curve(table, np.arange(20.0))


def test_impurities_of_nodes():
    X = Table({"x": ["a"] * 4 + ["b"] * 4})
    y = [0, 0, 1, 2, 1, 1, 1, 1]
    tree = DecisionTreeClassifier(prune=None).fit(X, y).tree_
    by_name = {name: impurities(tree, name).tolist() for name in ("gini", "misclassification")}
    assert by_name["gini"] == pytest.approx([1 - (4 + 25 + 1) / 64, 1 - (4 + 1 + 1) / 16, 0])
    assert by_name["misclassification"] == pytest.approx([3 / 8, 1 / 2, 0])
    assert impurities(tree, "entropy")[1] == pytest.approx(1.5)
    assert impurities(tree, "gain_ratio")[1] == pytest.approx(1.5)
