"""Regression trees by absolute error and Poisson deviance: reading, pruning, saving, refusals."""

import json

import numpy as np
import pytest

import branchline as bl
from branchline.errors import DataError, ModelFileError, ParameterError
from branchline.tree import DecisionTreeRegressor
from branchline.tree.reading._tree_from_dict import tree_from_dict

MEASURES = ("absolute_error", "poisson")


@pytest.fixture(scope="module")
def cars():
    X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    return X, np.asarray(y, dtype=float)


def refused(error, code, call):
    with pytest.raises(error) as caught:
        call()
    assert caught.value.code == code
    return caught.value


class TestWhatNodesHold:
    def test_leaves_predict_medians_and_say_so(self, cars):
        X, y = cars
        model = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=3).fit(X, y)
        ends = model.apply(X)
        for leaf in np.unique(ends):
            assert model.tree_.value[leaf, 0] == np.median(y[ends == leaf])
        assert "median of" in model.to_text()
        assert "mean of" not in model.to_text()

    def test_an_outlier_moves_the_mean_and_not_the_median(self):
        X = np.arange(40.0)[:, None]
        y = np.where(X[:, 0] < 20, 1.0, 2.0)
        y[0] = 1e6
        limits = {"max_depth": 1, "prune": None, "min_samples_leaf": 5}
        means = DecisionTreeRegressor(**limits).fit(X, y)
        medians = DecisionTreeRegressor(criterion="absolute_error", **limits).fit(X, y)
        assert medians.predict([[5.0], [35.0]]).tolist() == [1.0, 2.0]
        assert means.predict([[1.0]])[0] > 1000

    def test_losses_are_those_of_the_definition(self, cars):
        X, y = cars
        for measure in MEASURES:
            tree = DecisionTreeRegressor(criterion=measure, prune=None).fit(X, y).tree_
            lost = tree.lost[0] * 2.0**tree.scale.exponent
            if measure == "absolute_error":
                expected = np.abs(y - np.median(y)).sum()
            else:
                expected = (y * np.log(y / y.mean())).sum()
            assert lost == pytest.approx(expected, rel=1e-12)

    def test_importances_are_decreases_of_the_measure(self, cars):
        X, y = cars
        model = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=3).fit(X, y)
        before = np.abs(y - np.median(y)).sum()
        after = np.abs(y - model.predict(X)).sum()
        assert model.impurity_decreases_.sum() == pytest.approx(before - after)
        assert model.feature_importances_.sum() == pytest.approx(1)

    def test_several_outputs_have_a_median_each(self):
        rng = np.random.default_rng(0)
        X, Y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
        Y[:, 1] += 5 * (X[:, 0] > 0)
        model = DecisionTreeRegressor(criterion="absolute_error", max_depth=1, prune=None).fit(X, Y)
        left = X[:, 0] <= model.tree_.threshold[0]
        assert model.predict(X[left][:1])[0] == pytest.approx(np.median(Y[left], axis=0), rel=1e-12)

    def test_counts_are_never_predicted_as_zero(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 2))
        y = rng.poisson(np.where(X[:, 0] > 1, 2.0, 0.02)).astype(float)
        model = DecisionTreeRegressor(criterion="poisson", prune=None).fit(X, y)
        assert model.predict(X).min() > 0
        assert DecisionTreeRegressor(prune=None).fit(X, y).predict(X).min() == 0

    def test_one_count_among_zeros_survives_folds_that_miss_it(self):
        y = np.zeros(30)
        y[3] = 4.0
        X = np.arange(30.0)[:, None]
        model = DecisionTreeRegressor(criterion="poisson").fit(X, y)
        assert np.isfinite(model.pruning_path_.error).all()
        assert model.predict(X).min() > 0


class TestSizes:
    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error", "pessimistic", "mdl"])
    def test_every_pruning_shortens_the_tree_and_keeps_some_of_it(self, cars, measure, prune):
        X, y = cars
        whole = DecisionTreeRegressor(criterion=measure, prune=None).fit(X, y).tree_.n_leaves
        kept = DecisionTreeRegressor(criterion=measure, prune=prune).fit(X, y).tree_.n_leaves
        assert 1 < kept < whole

    @pytest.mark.parametrize("measure", MEASURES)
    def test_noise_gives_a_single_leaf(self, measure):
        leaves = []
        for seed in range(10):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(200, 5)), rng.poisson(3.0, 200).astype(float)
            leaves.append(DecisionTreeRegressor(criterion=measure).fit(X, y).tree_.n_leaves)
        assert sum(n == 1 for n in leaves) >= 9

    @pytest.mark.parametrize("measure", MEASURES)
    def test_early_stopping_goes_by_the_measure(self, cars, measure):
        X, y = cars
        stopped = DecisionTreeRegressor(criterion=measure, stop_by=measure, prune=None).fit(X, y)
        assert 1 < stopped.tree_.n_leaves < 100
        other = DecisionTreeRegressor(criterion=measure, stop_by="squared_error")
        error = refused(ParameterError, "P610", lambda: other.fit(X, y))
        exec(error.repair.python, {"model": other})
        assert other.fit(X, y).stop_by == measure

    def test_sequences_and_prices_are_in_the_measure(self, cars):
        X, y = cars
        model = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=4).fit(X, y)
        curve = model.growing_curve()
        assert curve.measure == "absolute_error"
        assert curve.growing[0] == pytest.approx(6.4, abs=0.5)
        assert model.pruning_sequence().measure == "absolute error"
        assert model.edit().prune(1).price.measure == "absolute error"


class TestKept:
    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("missing", ["learned", "fractional", "surrogate"])
    def test_files_and_dictionaries_bring_the_same_tree_back(
        self, cars, tmp_path, measure, missing
    ):
        X, y = cars
        model = DecisionTreeRegressor(criterion=measure, missing=missing).fit(X, y)
        model.save(tmp_path / "tree.branchline")
        loaded = bl.load(tmp_path / "tree.branchline")
        assert np.array_equal(loaded.predict(X), model.predict(X))
        assert np.array_equal(loaded.impurity_decreases_, model.impurity_decreases_)
        read = tree_from_dict(json.loads(json.dumps(model.to_dict()))).tree
        assert np.array_equal(read.value, model.tree_.value)
        assert np.array_equal(read.lost, model.tree_.lost)

    def test_losses_that_no_fit_could_have_produced_are_refused(self, cars):
        X, y = cars
        model = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=3).fit(X, y)
        data = model.to_dict()
        data["nodes"][0]["loss"] = [0.0]  # less than the children lose
        refused(ModelFileError, "M005", lambda: tree_from_dict(data))
        data = model.to_dict()
        data["measure"] = "quantile"
        refused(ModelFileError, "M005", lambda: tree_from_dict(data))


class TestRefusals:
    def test_counts_below_zero_name_their_rows(self):
        X, y = np.arange(6.0)[:, None], np.array([1.0, -2, 3, 4, -1, 0])
        model = DecisionTreeRegressor(criterion="poisson")
        error = refused(DataError, "D610", lambda: model.fit(X, y))
        assert list(error.rows) == [1, 4]
        exec(error.repair.python, {"model": model})
        model.fit(X, y)

    def test_counts_that_are_all_zero(self):
        X = np.arange(6.0)[:, None]
        model = DecisionTreeRegressor(criterion="poisson")
        refused(DataError, "D611", lambda: model.fit(X, np.zeros(6)))

    @pytest.mark.parametrize(
        "other", [{"tests": "oblique"}, {"tests": "learned"}, {"lookahead": 2}]
    )
    def test_tests_made_in_nodes(self, cars, other):
        model = DecisionTreeRegressor(criterion="absolute_error", **other)
        refused(ParameterError, "P610", lambda: model.fit(*cars))

    def test_what_works_with_sums_alone(self, cars):
        X, y = cars
        model = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=3).fit(X, y)
        refused(ParameterError, "P611", lambda: model.why(0, column="weight"))
        refused(ParameterError, "P612", lambda: model.rules(simplify=True))
        counts = DecisionTreeRegressor(criterion="poisson", max_leaf_nodes=3).fit(X, y)
        listed = counts.why(0, column="weight")
        assert max(one.gain for one in listed) == pytest.approx(counts.why(0)["weight"].gain)
