"""Why a node is as it is: the tests considered there, and the rule that made a leaf."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from branchline import Table, load, load_dataset
from branchline.errors import NotFittedError, ParameterError
from branchline.tree import ID3, DecisionTreeClassifier, DecisionTreeRegressor, Stump
from branchline.tree.reading._importance import impurities


def heart():
    return load_dataset("heart").split_target("disease")


def cars():
    return load_dataset("auto-mpg").split_target("mpg")


SETTINGS = [
    {},
    {"missing": "own"},
    {"missing": "fractional"},
    {"missing": "node_mode"},
    {"missing": "sample_mode"},
    {"split": "multiway"},
    {"criterion": "gain_ratio"},
    {"criterion": "gain_ratio", "split": "multiway", "missing": "fractional"},
    {"max_leaf_nodes": 9},
    {"costs": [[0, 1], [5, 0]]},
    {"class_weight": "balanced"},
    {"significance": 0.05},
    {"stop_by": "entropy"},
    {"prune": "cost_complexity"},
    {"prune": "reduced_error"},
    {"zero_gain": "split"},
    {"test_costs": {"vessels": 3.0}},
]


class TestTable:
    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    def test_the_chosen_test_is_the_one_that_the_tree_asks(self, settings):
        X, y = heart()
        model = DecisionTreeClassifier(**{"prune": None, **settings}).fit(X, y)
        for node in np.flatnonzero(~model.tree_.is_leaf).tolist():
            first = model.why(node).reasons[0]
            assert first.chosen
            assert [reason.chosen for reason in model.why(node)].count(True) == 1
            assert X.names.index(first.column) == model.tree_.feature[node]
            assert first.n_branches == model.tree_.n_children[node]
            assert f"split by {first.column}" in model.why(node).verdict

    @pytest.mark.parametrize(
        "settings", [{}, {"missing": "fractional"}, {"prune": "reduced_error"}], ids=str
    )
    def test_numbers_too(self, settings):
        X, y = cars()
        model = DecisionTreeRegressor(**{"prune": None, "max_depth": 5, **settings}).fit(X, y)
        for node in np.flatnonzero(~model.tree_.is_leaf).tolist():
            assert X.names.index(model.why(node).reasons[0].column) == model.tree_.feature[node]

    @pytest.mark.parametrize("kind", ["classes", "numbers"])
    def test_rows_that_are_shared_count_by_their_parts(self, kind):
        """Below a test of a column with many holes, nodes hold parts of rows."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 3))
        y = 3 * X[:, 0] + X[:, 1] + rng.normal(0, 0.3, 200)
        X[rng.random(X.shape) < 0.25] = np.nan
        settings = {"missing": "fractional", "prune": None, "max_depth": 4}
        tree_class = DecisionTreeRegressor if kind == "numbers" else DecisionTreeClassifier
        model = tree_class(**settings).fit(X, y if kind == "numbers" else (y > 0).astype(int))
        tree = model.tree_
        assert (tree.weight % 1 > 0.01).any()
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            first = model.why(node).reasons[0]
            assert first.column == f"x{tree.feature[node]}"
            threshold = first.test.split(" ≤ ")[1]
            assert float(threshold.replace("−", "-")) == pytest.approx(tree.threshold[node])

    @pytest.mark.parametrize("weigh", [False, True])
    @pytest.mark.parametrize("data", [heart, cars])
    def test_the_gain_is_what_the_branches_lack_in_impurity(self, data, weigh):
        X, y = data()
        weight = np.random.default_rng(0).uniform(0.5, 2, X.n_rows) if weigh else None
        tree_class = DecisionTreeClassifier if data is heart else DecisionTreeRegressor
        model = tree_class(prune=None, max_depth=4).fit(X, y, weight)
        tree = model.tree_
        amount = tree.weight * impurities(tree, "gini")
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            family = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
            expected = (amount[node] - amount[family].sum()) / tree.weight[node]
            assert model.why(node).reasons[0].gain == pytest.approx(expected, rel=1e-6)

    def test_gains_and_impurity_are_of_one_kind_with_costs(self):
        """Classes count by what their errors cost: 15 rows of a five times, 5 of b once."""
        table = Table({"x": ["u"] * 15 + ["v"] * 5})
        y = ["a"] * 15 + ["b"] * 5
        model = DecisionTreeClassifier(costs=[[0, 5], [1, 0]], prune=None).fit(table, y)
        p = 75 / 80
        assert model.why(0)["x"].gain == pytest.approx(2 * p * (1 - p))  # both branches are pure
        assert model.why(0).impurity == pytest.approx(2 * p * (1 - p))

    def test_nothing_is_marked_as_chosen_in_a_leaf(self):
        X, y = load_dataset("tennis").split_target("play")
        model = ID3().fit(X, y)
        for leaf in np.flatnonzero(model.tree_.is_leaf).tolist():
            assert "a leaf" in model.why(leaf).verdict
            assert "chosen" not in str(model.why(leaf))

    def test_reading_it(self):
        X, y = heart()
        reasons = DecisionTreeClassifier(prune=None).fit(X, y).why()
        assert len(reasons) == len(list(reasons)) == 13
        scores = [reason.score for reason in reasons]
        assert scores == sorted(scores, reverse=True)
        assert reasons[reasons.reasons[3].column] is reasons.reasons[3]
        with pytest.raises(KeyError):
            reasons["shoe size"]
        frame = reasons.to_pandas()
        assert frame["column"].tolist() == [reason.column for reason in reasons]
        assert len(str(reasons).splitlines()) == 15


class TestOneColumn:
    def test_every_threshold(self):
        X, y = load_dataset("iris").split_target("species")
        model = DecisionTreeClassifier(prune=None).fit(X, y)
        for node in np.flatnonzero(~model.tree_.is_leaf)[:3].tolist():
            for name in X.names:
                listed = model.why(node, column=name)
                rows = X[name].numbers()[model_rows(model, X, node)]
                assert len(listed) == len(np.unique(rows)) - 1
                assert [r.chosen for r in listed].count(True) == min(1, len(listed))
                if len(listed):
                    best = max(reason.gain for reason in listed)
                    assert model.why(node)[name].gain == pytest.approx(best)

    def test_every_subset_of_few_categories_and_cuts_of_many(self):
        rng = np.random.default_rng(0)
        for k, n_tests in ((3, 3), (6, 31), (9, 8)):
            word = [f"w{number}" for number in np.arange(200) % k]
            y = rng.integers(0, 2, 200)
            model = DecisionTreeClassifier(prune=None, max_depth=1, correct_for_chance=False)
            model.fit(Table({"word": word}), y)
            listed = model.why(0, column="word")
            assert len(listed) == n_tests
            best = max(reason.gain for reason in listed)
            assert model.why(0)["word"].gain == pytest.approx(best)

    def test_several_outputs(self):
        X, y = cars()
        both = np.column_stack([y, np.asarray(y) ** 2 / 50])
        model = DecisionTreeRegressor(prune=None, max_depth=2).fit(X, both)
        best = max(reason.gain for reason in model.why(0, column="weight"))
        assert model.why(0)["weight"].gain == pytest.approx(best, rel=1e-6)

    def test_rows_without_a_value_are_left_out(self):
        x, y = np.array([1.0, 2, 3, 4, np.nan, np.nan]), [0, 0, 1, 1, 0, 1]
        model = DecisionTreeClassifier(prune=None).fit(x[:, None], y)
        listed = {reason.test: reason.gain for reason in model.why(0, column="x0")}
        assert listed["x0 ≤ 2.5"] == pytest.approx(0.5)
        assert len(listed) == 3

    def test_the_marked_test_leaves_enough_weight_on_both_sides(self):
        X = np.arange(10.0)[:, None]
        y = np.array(list("+++---+++-"))
        weight = np.where(np.isin(X[:, 0], (6, 7, 8)), 1 / 6, 1 / 14)
        model = Stump().fit(X, y, sample_weight=weight)
        listed = model.why(0, column="x0")
        assert model.tree_.threshold[0] == 5.5
        assert [reason.test for reason in listed if reason.chosen] == ["x0 ≤ 5.5"]
        assert max(listed, key=lambda reason: reason.gain).test == "x0 ≤ 8.5"  # a leaf too light

    def test_dates_are_written_as_dates(self):
        days = ["2020-01-01", "2020-01-03", "2020-01-05", "2020-01-09"]
        table = Table({"day": np.array(days, dtype="datetime64[D]")})
        model = DecisionTreeClassifier(prune=None).fit(table, [0, 0, 1, 1])
        assert [r.test for r in model.why(0, column="day")][1] == "day ≤ 2020-01-04"

    def test_a_column_that_does_not_exist(self):
        model = DecisionTreeClassifier().fit(*heart())
        with pytest.raises(ParameterError, match="There is no column 'shoe'") as caught:
            model.why(0, column="shoe")
        assert caught.value.code == "P016"
        assert caught.value.repair.python is None

    def test_a_misspelled_column_is_answered_with_the_nearest(self):
        model = DecisionTreeClassifier().fit(*heart())
        with pytest.raises(ParameterError, match=r"Did you mean 'sex'\?") as caught:
            model.why(0, column="sxe")
        assert caught.value.repair.python == "model.why(0, column='sex')"
        exec(caught.value.repair.python, {"model": model})  # a line of our own making


def model_rows(model, X, node):
    tree, at = model.tree_, model.apply(X)
    while (tree.depth[at] > tree.depth[node]).any():
        at = np.where(tree.depth[at] > tree.depth[node], tree.parent[at], at)
    return at == node


class TestLeaves:
    """Each rule that makes a leaf says so."""

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"max_depth": 2}, "max_depth=2 is reached"),
            ({"min_samples_split": 90}, "rows are fewer than min_samples_split"),
            ({"min_samples_leaf": 60}, "min_samples_leaf ask for"),
            ({"min_impurity": 0.35}, "not above min_impurity=0.35"),
            ({"min_gain": 0.06}, "no test gains more than min_gain=0.06"),
            ({"significance": 1e-6}, "no test is significant at 1e-06"),
            ({"max_leaf_nodes": 3}, "max_leaf_nodes"),
            ({"stop_by": "entropy"}, "early stopping"),
            ({"prune": "cost_complexity"}, "pruned (prune='cost_complexity')"),
            ({"prune": "pessimistic", "confidence": 0.05}, "pruned (prune='pessimistic')"),
            ({"prune": "mdl"}, "pruned (prune='mdl')"),
            ({"prune": "reduced_error", "accept": "not_worse"}, "prune='reduced_error'"),
        ],
        ids=str,
    )
    def test_rules(self, settings, words):
        X, y = heart()
        model = DecisionTreeClassifier(**{"prune": None, **settings}).fit(X, y)
        verdicts = [
            model.why(leaf).verdict for leaf in np.flatnonzero(model.tree_.is_leaf).tolist()
        ]
        assert any(words in verdict for verdict in verdicts), verdicts
        assert all(verdict.startswith("a leaf, because ") for verdict in verdicts)

    def test_pure_and_out_of_questions(self):
        table = Table({"x": [1.0, 1.0, 2.0, 3.0]})
        model = DecisionTreeClassifier(prune=None).fit(table, ["a", "b", "b", "b"])
        found = [model.why(leaf).verdict for leaf in np.flatnonzero(model.tree_.is_leaf).tolist()]
        assert found == [
            "a leaf, because no column offers a test",
            "a leaf, because all 2 rows are of one class",
        ]

    def test_pruned_to_the_root(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
        model = DecisionTreeClassifier().fit(X, y)
        assert model.get_n_leaves() == 1
        assert "its tests were pruned (prune='cost_complexity')" in model.why(0).verdict


class TestMemory:
    def test_a_copy_has_no_rows_to_explain(self, tmp_path):
        model = DecisionTreeClassifier().fit(*heart())
        model.save(tmp_path / "tree.branchline")
        for other in (load(tmp_path / "tree.branchline"), pickle.loads(pickle.dumps(model))):
            with pytest.raises(NotFittedError) as caught:
                other.why(0)
            assert caught.value.code == "N002"
            assert other.to_text() == model.to_text()
        assert not hasattr(clone(model), "tree_")
        assert model.why(0).reasons

    def test_a_second_fit_forgets_the_first(self):
        model = DecisionTreeClassifier().fit(*heart())
        X, y = load_dataset("iris").split_target("species")
        model.fit(X, y)
        assert {reason.column for reason in model.why(0)} <= set(X.names)


def test_a_test_of_two_centers_says_where_they_are():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(200, 2)), columns=["height", "weight"])
    y = np.where(X["height"] + X["weight"] > 0, "ill", "well")
    model = DecisionTreeClassifier(tests="learned", max_depth=1).fit(X, y)
    said = "nearer center 1: the center of ill ("
    assert said in str(model.why(0))
    assert said in model.to_text()
