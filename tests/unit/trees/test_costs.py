"""Class weights, costs of errors (growing, pruning, deciding) and costs of tests."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline._trees._costs import class_factors, decide, least_costs
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

NAMES = np.array(["cold", "mild", "warm"])
MATRIX = np.array([[0.0, 1, 4], [2, 0, 1], [10, 3, 0]])
MAPPING = {("cold", "warm"): 4, ("mild", "cold"): 2, ("warm", "cold"): 10, ("warm", "mild"): 3}


def data(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    score = X[:, 0] + 0.5 * X[:, 1] + rng.normal(0, 0.8, n_rows)
    return X, NAMES[np.digitize(score, [-0.3, 0.6])]


def tree(**parameters):
    settings = {"prune": None, "correct_for_chance": False}
    return DecisionTreeClassifier(**{**settings, **parameters})


def cuts(model):
    inner = ~model.tree_.is_leaf
    return model.tree_.feature[inner].tolist(), model.tree_.threshold[inner].tolist()


class TestClassWeights:
    def test_whole_weights_are_copies(self):
        X, y = data(100)
        times = np.array([{"cold": 3, "mild": 1, "warm": 2}[name] for name in y])
        weighed = tree(class_weight={"cold": 3, "warm": 2}, min_samples_leaf=5).fit(X, y)
        copied = tree(min_samples_leaf=5).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert weighed.to_text() == copied.to_text()
        assert weighed.predict_proba(X) == pytest.approx(copied.predict_proba(X))

    def test_they_multiply_row_weights(self):
        X, y = data(100)
        rows = np.random.default_rng(1).integers(1, 4, 100)
        times = np.where(y == "cold", 3, 1)
        both = tree(class_weight={"cold": 3}).fit(X, y, sample_weight=rows)
        assert both.to_text() == tree().fit(X, y, sample_weight=rows * times).to_text()

    def test_balanced_classes_weigh_the_same(self):
        X, y = data(100)
        model = tree(class_weight="balanced", max_depth=2).fit(X, y)
        assert model.tree_.value[0] == pytest.approx([1 / 3] * 3)
        assert model.tree_.weight[0] == pytest.approx(100)
        count = np.unique(y, return_counts=True)[1]
        by_hand = dict(zip(NAMES.tolist(), 100 / (3 * count), strict=True))
        assert tree(class_weight=by_hand, max_depth=2).fit(X, y).to_text() == model.to_text()

    def test_balanced_counts_rows_by_weight(self):
        X, y = data(100)
        rows = np.where(y == "warm", 5, 1)
        model = tree(class_weight="balanced", max_depth=1).fit(X, y, sample_weight=rows)
        assert model.tree_.value[0] == pytest.approx([1 / 3] * 3)

    @pytest.mark.parametrize(
        "class_weight",
        ["balanced", {"cold": 0.3, "warm": 1.7}, {"cold": 1e300, "mild": 3e300}, {"mild": 0.0}],
        ids=str,
    )
    def test_weight_k_is_k_rows(self, class_weight):
        X, y = data(100)
        times = np.random.default_rng(2).integers(0, 4, 100)
        model = tree(class_weight=class_weight, min_samples_leaf=4)
        weighed = model.fit(X, y, sample_weight=times).predict_proba(X)
        copied = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_proba(X)
        np.testing.assert_array_equal(weighed, copied)

    @pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
    def test_weight_k_is_k_rows_in_pruning(self, prune):
        X, y = data(120)
        times = np.random.default_rng(2).integers(0, 4, 120)
        model = DecisionTreeClassifier(class_weight="balanced", prune=prune)
        for table in (X, X.round(1)):
            weighed = model.fit(table, y, sample_weight=times).predict_proba(X)
            copied = model.fit(np.repeat(table, times, axis=0), np.repeat(y, times))
            np.testing.assert_array_equal(weighed, copied.predict_proba(X))

    def test_balanced_on_balanced_classes_changes_nothing(self):
        X, _ = data(90)
        y = np.repeat(NAMES, 30)
        model = tree(class_weight="balanced", min_samples_leaf=4).fit(X, y)
        assert model.to_text() == tree(min_samples_leaf=4).fit(X, y).to_text()

    def test_a_class_without_weight_is_never_predicted(self):
        X, y = data(100)
        model = tree(class_weight={"mild": 0}).fit(X, y)
        assert model.classes_.tolist() == NAMES.tolist()
        assert set(model.predict(X)) == {"cold", "warm"}
        assert model.predict_proba(X)[:, 1].max() == 0

    @pytest.mark.parametrize(
        "wrong",
        [{"hot": 1}, {"cold": -1}, {"cold": np.nan}, dict.fromkeys(NAMES, 0), {"cold": "much"}],
        ids=str,
    )
    def test_wrong_ones_are_refused(self, wrong):
        with pytest.raises(ParameterError) as caught:
            tree(class_weight=wrong).fit(*data(30))
        assert caught.value.code == "P018"


class TestCostsOfErrors:
    def test_a_mapping_names_what_does_not_cost_1(self):
        X, y = data()
        matrix, mapping = (tree(costs=costs).fit(X, y) for costs in (MATRIX, MAPPING))
        assert matrix.to_text() == mapping.to_text()
        assert (matrix.decision_ == mapping.decision_).all()
        assert tree(costs=MATRIX.tolist()).fit(X, y).to_text() == matrix.to_text()

    def test_equal_costs_change_nothing(self):
        X, y = data()
        for prune in (None, "cost_complexity", "reduced_error", "pessimistic"):
            plain = tree(prune=prune).fit(X, y)
            equal = tree(prune=prune, costs=1 - np.eye(3)).fit(X, y)
            assert equal.to_text() == plain.to_text()

    def test_growing_counts_classes_by_what_their_errors_cost(self):
        """The same tests as with classes weighed by the sums of the rows of the matrix."""
        X, y = data()
        factors = MATRIX.sum(axis=1)
        costly = tree(costs=MATRIX, max_depth=4).fit(X, y)
        weighed = tree(class_weight=dict(zip(NAMES, factors, strict=True)), max_depth=4).fit(X, y)
        assert cuts(costly) == cuts(weighed)
        assert cuts(costly) != cuts(tree(max_depth=4).fit(X, y))
        assert class_factors(MATRIX) == pytest.approx(factors / factors.mean())

    def test_probabilities_stay_as_they_are(self):
        X, y = data()
        model = tree(costs=MATRIX, max_depth=3).fit(X, y)
        at = model.apply(X)
        for leaf in set(at.tolist()):
            shares = [np.mean(y[at == leaf] == name) for name in NAMES]
            assert model.tree_.value[leaf] == pytest.approx(shares)

    @pytest.mark.parametrize("missing", ["learned", "fractional"])
    def test_deciding_takes_the_least_expected_cost(self, missing):
        X, y = data()
        X[::7, 0] = np.nan
        model = tree(costs=MATRIX, max_depth=3, missing=missing).fit(X, y)
        expected = model.predict_proba(X) @ MATRIX
        assert (model.predict(X) == NAMES[expected.argmin(axis=1)]).all()
        assert (model.predict(X) != NAMES[model.predict_proba(X).argmax(axis=1)]).any()
        assert (model.decision_ == (model.tree_.value @ MATRIX).argmin(axis=1)).all()

    def test_equal_costs_of_a_decision_go_to_the_first_class(self):
        frequencies = np.array([[0.5, 0.5], [0.2, 0.8], [0.25, 0.75]])
        assert decide(frequencies, None).tolist() == [0, 1, 1]
        costs = np.array([[0.0, 3], [1, 0]])  # 3·p₀ against 1·p₁: equal at p₀ = 1/4
        assert decide(frequencies, costs).tolist() == [0, 1, 0]
        assert least_costs(np.array([[1.0, 3]]), costs).tolist() == [3.0]
        assert least_costs(np.array([[1.0, 3]]), None).tolist() == [1.0]

    def test_pruning_adds_costs_instead_of_errors(self):
        """Root (cold 6, warm 6); left (6, 2), right (0, 4). A warm taken for cold costs 5."""
        X = Table({"side": ["left"] * 8 + ["right"] * 4})
        y = ["cold"] * 6 + ["warm"] * 6
        costs = {("warm", "cold"): 5}
        # Whoever says warm loses 1 for each cold; cold loses 5 for each warm.
        root, left = min(6, 5 * 6) / 12, min(6, 5 * 2) / 12
        price = root - left  # of the one leaf that the test adds
        assert price == 0
        kept = tree(prune="cost_complexity", ccp_alpha=0.0, costs=costs).fit(X, y)
        assert kept.get_n_leaves() == 1
        costs = {("warm", "cold"): 2}
        price = (min(6, 2 * 6) - min(6, 2 * 2)) / 12
        for alpha, n_leaves in ((price * 0.999, 2), (price * 1.001, 1)):
            model = tree(prune="cost_complexity", ccp_alpha=alpha, costs=costs).fit(X, y)
            assert model.get_n_leaves() == n_leaves

    @pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
    def test_a_pruned_tree_costs_less_with_its_costs_than_without(self, prune):
        X, y = data(1200)
        cost = {}
        for costs in (None, MATRIX):
            model = tree(prune=prune, costs=costs).fit(X[:800], y[:800])
            truth = np.searchsorted(NAMES, y[800:])
            guess = np.searchsorted(NAMES, model.predict(X[800:]))
            cost[costs is None] = MATRIX[truth, guess].mean()
        assert cost[False] < cost[True]

    @pytest.mark.parametrize(
        "wrong",
        [
            np.zeros((3, 3)),
            np.ones((3, 3)),
            -MATRIX,
            np.full((3, 3), np.inf),
            MATRIX[:2],
            MATRIX[:2, :2],
            [[0, 1, 1], [1, 0]],
            [["a", "b", "c"]] * 3,
            {("cold", "hot"): 1},
            {"cold": 3},
            {("cold", "warm"): "dear"},
            {("cold", "cold"): 1},
            {("cold", "warm"): -1},
        ],
        ids=lambda wrong: str(wrong)[:30],
    )
    def test_wrong_ones_are_refused(self, wrong):
        with pytest.raises(ParameterError) as caught:
            tree(costs=wrong).fit(*data(30))
        assert caught.value.code == "P017"
        assert "cold, mild, warm" in caught.value.message

    def test_an_unknown_class_is_named_once_and_plainly(self):
        with pytest.raises(ParameterError) as caught:
            tree(costs={("cold", "hot"): 1}).fit(*data(30))
        message = caught.value.message
        assert message.endswith(": ('cold', 'hot') is not a pair (truth, prediction) of classes.")
        assert message.count("The 'costs' parameter") == 1
        assert "must be numbers" not in message

    @pytest.mark.parametrize("huge", [{("cold", "warm"): 10**400}, [[0, 10**400]] * 3])
    def test_costs_beyond_the_largest_float_are_refused(self, huge):
        with pytest.raises(ParameterError, match="costs must be numbers"):
            tree(costs=huge).fit(*data(30))


class TestCostsOfTests:
    def test_gains_are_divided_by_them(self):
        X, y = load_dataset("heart").split_target("disease")
        free = tree(max_depth=1).fit(X, y)
        first, second = (reason.column for reason in list(free.why(0))[:2])
        ratio = free.why(0)[first].gain / free.why(0)[second].gain
        for cost, chosen in ((0.99 * ratio, first), (1.01 * ratio, second)):
            model = tree(max_depth=1, test_costs={first: cost}).fit(X, y)
            assert model.used_columns_ == [chosen]
            reason = model.why(0)[first]
            assert reason.score == pytest.approx(reason.gain / cost)
            assert reason.gain == pytest.approx(free.why(0)[first].gain)

    def test_numbers(self):
        X, _ = data()
        y = X[:, 0] + X[:, 1]
        frame = Table({"a": X[:, 0], "b": X[:, 0]})
        for dear, cheap in (("a", "b"), ("b", "a")):
            model = DecisionTreeRegressor(max_depth=2, prune=None, test_costs={dear: 1.5})
            assert model.fit(frame, y).used_columns_ == [cheap]

    def test_gain_ratios_are_divided_too(self):
        X, y = load_dataset("tennis").split_target("play")
        model = tree(criterion="gain_ratio", split="multiway", test_costs={"outlook": 2.0}).fit(
            X, y
        )
        reason = model.why(0)["outlook"]
        assert reason.score == pytest.approx(reason.gain_ratio / 2)
        assert model.tree_.feature[0] == X.names.index("humidity")

    def test_the_dearer_of_two_equal_columns_is_never_taken(self):
        """Noise in many categories: what it gains is less than chance alone would give."""
        rng = np.random.default_rng(0)
        word = [f"w{number}" for number in rng.integers(0, 40, 80)]
        table = Table({"dear": word, "cheap": word})
        for seed in range(5):
            y = np.random.default_rng(seed).integers(0, 2, 80)
            model = tree(max_depth=1, correct_for_chance=True, test_costs={"dear": 10.0})
            model.fit(table, y)
            assert model.used_columns_ in ([], ["cheap"])
