"""Rows judge trees that have not seen them: scores, intervals, quantiles, importances."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    r2_score,
)

from branchline.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from common.tables import mixed_frame, target

FRAME = mixed_frame(120)
CLASSES, NUMBERS = target(FRAME, "classification"), target(FRAME, "regression")
RNG = np.random.default_rng(6)
WHOLE, ANY = RNG.integers(1, 4, 120).astype(float), RNG.uniform(0.2, 3, 120)
WEIGHTS = pytest.mark.parametrize("weight", [None, WHOLE, ANY], ids=["none", "whole", "any"])
BAGS = pytest.mark.parametrize(
    "bag",
    [{}, {"max_samples": 0.5}, {"bootstrap": False, "max_samples": 0.6}],
    ids=["bootstrap", "half", "subsample"],
)


def naive(model, n_trees):
    """Return the mean over the trees that have not seen a row, by a loop."""
    growth = model._training("counts").growth
    total, n_votes = 0.0, np.zeros(120)
    for tree in range(n_trees):
        one = model.tree(tree)
        is_class = hasattr(one, "predict_proba")
        said = one.predict_proba(FRAME) if is_class else one.predict(FRAME)[:, None]
        is_out = growth.counts_of_tree(tree) == 0
        total = total + np.where(is_out[:, None], said, 0.0)
        n_votes += is_out
    with np.errstate(invalid="ignore"):
        return total / n_votes[:, None], n_votes


class TestClasses:
    @BAGS
    @WEIGHTS
    def test_trees_judge_the_rows_they_have_not_seen(self, weight, bag):
        model = RandomForestClassifier(n_estimators=15, **bag).fit(FRAME, CLASSES, weight)
        expected, n_votes = naive(model, 15)
        np.testing.assert_allclose(model.oob_decision_function_, expected, atol=1e-12)
        known = n_votes > 0
        assert known.sum() > 80
        decided = model.classes_[np.argmax(expected[known], axis=1)]
        share = None if weight is None else weight[known]
        score = accuracy_score(CLASSES[known], decided, sample_weight=share)
        assert model.oob_score_ == pytest.approx(score)

    def test_rows_that_all_trees_saw_are_unknown(self):
        model = RandomForestClassifier(n_estimators=2).fit(FRAME, CLASSES)
        _, n_votes = naive(model, 2)
        unknown = n_votes == 0
        assert 20 < unknown.sum() < 80
        np.testing.assert_array_equal(np.isnan(model.oob_decision_function_).all(axis=1), unknown)

    def test_any_metric(self):
        model = RandomForestClassifier(n_estimators=40).fit(FRAME, CLASSES)
        said = model.oob_decision_function_
        assert model.oob_metric(accuracy_score) == pytest.approx(model.oob_score_)
        expected = log_loss(CLASSES, np.clip(said, 1e-9, 1))
        found = model.oob_metric(
            lambda truth, p: log_loss(truth, np.clip(p, 1e-9, 1)), probabilities=True
        )
        assert found == pytest.approx(expected)

    def test_two_classes_are_judged_by_the_probability_of_the_second(self):
        y = np.where(CLASSES == "ill", "no", "yes")
        model = RandomForestClassifier(n_estimators=40).fit(FRAME, y)
        shape = model.oob_metric(lambda truth, p: (truth.tolist(), p.shape), probabilities=True)
        assert shape == (y.tolist(), (120,))

    @WEIGHTS
    def test_confusion(self, weight):
        model = RandomForestClassifier(n_estimators=40).fit(FRAME, CLASSES, weight)
        said = model.oob_decision_function_
        known = ~np.isnan(said[:, 0])  # a row of weight 3 is rarely out of a bag
        decided = model.classes_[np.argmax(said[known], axis=1)]
        share = None if weight is None else weight[known]
        expected = confusion_matrix(CLASSES[known], decided, sample_weight=share)
        is_whole = weight is None or (weight == np.rint(weight)).all()
        scale = 1.0 if is_whole else weight.mean()  # weights that are not whole have a mean of 1
        np.testing.assert_allclose(model.oob_confusion() * scale, expected)

    def test_costs_decide_out_of_bag_too(self):
        costs = {("well", "ill"): 9.0, ("well", "ok"): 9.0}
        plain = RandomForestClassifier(n_estimators=40).fit(FRAME, CLASSES).oob_confusion()
        dear = RandomForestClassifier(n_estimators=40, costs=costs).fit(FRAME, CLASSES)
        assert dear.oob_confusion()[:, 2].sum() > plain[:, 2].sum()

    def test_rows_without_weight_keep_their_places(self):
        weight = np.ones(120)
        weight[:30] = 0
        model = RandomForestClassifier(n_estimators=30).fit(FRAME, CLASSES, weight)
        assert model.oob_decision_function_.shape == (120, 3)
        few = RandomForestClassifier(n_estimators=30).fit(FRAME[30:], CLASSES[30:])
        np.testing.assert_array_equal(model.oob_decision_function_[30:], few.oob_decision_function_)


class TestNumbers:
    @BAGS
    @WEIGHTS
    def test_trees_judge_the_rows_they_have_not_seen(self, weight, bag):
        model = RandomForestRegressor(n_estimators=15, **bag).fit(FRAME, NUMBERS, weight)
        expected, n_votes = naive(model, 15)
        np.testing.assert_allclose(model.oob_prediction_, expected[:, 0], rtol=1e-9)
        known = n_votes > 0
        share = None if weight is None else weight[known]
        score = r2_score(NUMBERS[known], expected[known, 0], sample_weight=share)
        assert model.oob_score_ == pytest.approx(score)

    def test_any_metric(self):
        model = RandomForestRegressor(n_estimators=40).fit(FRAME, NUMBERS)
        expected = mean_absolute_error(NUMBERS, model.oob_prediction_)
        assert model.oob_metric(mean_absolute_error) == pytest.approx(expected)

    def test_metrics_of_several_outputs(self):
        y = np.column_stack([NUMBERS, -NUMBERS])
        model = RandomForestRegressor(n_estimators=40).fit(FRAME, y)
        assert model.oob_metric(r2_score) == pytest.approx(model.oob_score_)

    def test_judging_may_be_left_out(self):
        model = RandomForestRegressor(n_estimators=20, oob_score=False).fit(FRAME, NUMBERS)
        assert model.oob_score_ is None
        assert not hasattr(model, "oob_prediction_")
        judged = RandomForestRegressor(n_estimators=20).fit(FRAME, NUMBERS)
        assert model.oob_metric(r2_score) == pytest.approx(judged.oob_metric(r2_score))


def smooth(n_rows, seed):
    """Return a smooth problem with noise of one size."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n_rows, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * random.normal(size=n_rows)


class TestIntervals:
    X, Y = smooth(2000, 1)
    MODEL = RandomForestRegressor(n_estimators=60, keep_targets=True).fit(X, Y)
    FRESH, TRUTH = smooth(2000, 2)

    def inside(self, bounds):
        return ((bounds[:, 0] <= self.TRUTH) & (bounds[:, -1] >= self.TRUTH)).mean()

    def test_intervals_hold_as_many_truths_as_they_say(self):
        for coverage, low, high in ((0.9, 0.8, 0.97), (0.5, 0.42, 0.58)):
            assert low < self.inside(self.MODEL.predict_interval(self.FRESH, coverage)) < high

    def test_larger_shares_have_wider_intervals(self):
        widths = [
            np.diff(self.MODEL.predict_interval(self.FRESH[:1], share))[0, 0]
            for share in (0.2, 0.5, 0.9, 0.99, 1.0)
        ]
        assert (np.diff(widths) > 0).all()

    def test_quantiles_hold_as_many_truths_as_they_say(self):
        bounds = self.MODEL.predict_quantiles(self.FRESH)
        assert 0.8 < self.inside(bounds) < 0.98
        assert abs((bounds[:, 1] < self.TRUTH).mean() - 0.5) < 0.06

    def test_quantiles_are_in_order(self):
        bounds = self.MODEL.predict_quantiles(self.FRESH, (0.0, 0.05, 0.3, 0.5, 0.9, 1.0))
        assert (np.diff(bounds, axis=1) >= 0).all()
        assert np.isin(bounds, self.Y).all()

    def test_quantiles_follow_noise_that_varies(self):
        X, y = smooth(2000, 3)
        y = y + np.where(X[:, 2] > 0, 3.0, 0.1) * np.random.default_rng(4).normal(size=2000)
        model = RandomForestRegressor(n_estimators=60, keep_targets=True, min_samples_leaf=10)
        width = np.ptp(model.fit(X, y).predict_quantiles(self.FRESH, (0.1, 0.9)), axis=1)
        is_wide = self.FRESH[:, 2] > 0
        assert width[is_wide].mean() > 1.5 * width[~is_wide].mean()

    @WEIGHTS
    def test_the_mean_of_all_quantiles_is_the_prediction(self, weight):
        model = ExtraTreesRegressor(n_estimators=3, min_samples_leaf=9, keep_targets=True)
        model.fit(FRAME, NUMBERS, weight)
        middles = (np.arange(2000) + 0.5) / 2000
        mean = model.predict_quantiles(FRAME, middles).mean(axis=1)
        np.testing.assert_allclose(mean, model.predict(FRAME), atol=0.02)


def noisy(seed, n_rows=600):
    """Return two real columns, a noise number and a noise category of many names."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "real": random.normal(size=n_rows),
            "letter": random.choice(["a", "b"], n_rows),
            "noise": random.normal(size=n_rows),
            "names": [f"k{number}" for number in random.integers(0, 150, n_rows)],
        }
    )
    score = frame["real"] + 2 * (frame["letter"] == "a") + 0.5 * random.normal(size=n_rows)
    return frame, np.asarray(score)


class TestImportances:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("kind", [RandomForestClassifier, BaggedTreesClassifier])
    def test_noise_of_many_values_is_not_important_for_classes(self, kind, seed):
        frame, score = noisy(seed)
        model = kind(n_estimators=60).fit(frame, score > 1)
        assert (model.feature_importances_[2:] < 0.05).all()
        assert model.impurity_importances_[3] > max(0.1, 3 * model.feature_importances_[3])
        assert model.impurity_importances_[2] > model.feature_importances_[2]

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("kind", [RandomForestRegressor, BaggedTreesRegressor])
    def test_noise_of_many_values_is_not_important_for_numbers(self, kind, seed):
        frame, score = noisy(seed)
        model = kind(n_estimators=60).fit(frame, score)
        assert (model.feature_importances_[2:] < 0.05).all()
        assert model.impurity_importances_[3] > model.feature_importances_[3]
        assert model.impurity_importances_[2] > model.feature_importances_[2]

    def test_a_column_that_tells_nothing_has_an_expectation_of_zero(self):
        raw = []
        for seed in range(8):
            frame, score = noisy(seed, 300)
            raw.append(
                RandomForestClassifier(n_estimators=40).fit(frame, score > 1).raw_importances_
            )
        mean, error = np.mean(raw, axis=0), np.std(raw, axis=0, ddof=1) / np.sqrt(8)
        assert (np.abs(mean[2:]) < 4 * error[2:] + 0.002).all()
        assert (mean[:2] > 0.05).all()

    def test_shares_are_those_of_the_positive_ones(self):
        frame, score = noisy(9)
        model = RandomForestRegressor(n_estimators=30).fit(frame, score)
        raw = np.maximum(model.raw_importances_, 0)
        np.testing.assert_allclose(model.feature_importances_, raw / raw.sum())

    def test_shuffling_noise_adds_no_loss(self):
        """Intervals of 95 %: of 16 noise columns one or two may miss 0."""
        n_holding = 0
        for seed in range(8):
            frame, score = noisy(seed, 400)
            found = (
                RandomForestClassifier(n_estimators=40)
                .fit(frame, score > 1)
                .oob_importance(n_repeats=2)
            )
            assert (found.low[:2] > 0).all()
            n_holding += ((found.low <= 0) & (found.high >= 0))[2:].sum()
        assert n_holding >= 14

    def test_shuffling_says_what_it_did(self):
        frame, score = noisy(3)
        found = RandomForestRegressor(n_estimators=20).fit(frame, score).oob_importance()
        assert found.columns == ("real", "letter", "noise", "names")
        assert [row["column"] for row in found.to_rows()][:2] == ["letter", "real"]
        assert "share of variance" in str(found)
        again = RandomForestRegressor(n_estimators=20, n_jobs=2).fit(frame, score).oob_importance()
        np.testing.assert_array_equal(found.mean, again.mean)

    def test_columns_that_are_not_tested_have_none(self):
        frame, score = noisy(3)
        frame["same"] = 1.0
        model = RandomForestRegressor(n_estimators=5).fit(frame, score)
        assert model.feature_importances_[4] == model.raw_importances_[4] == 0
        assert model.oob_importance(n_repeats=1).mean[4] == 0


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_without_bootstrap_every_row_was_seen_by_every_tree(kind):
    """What the docstring promises is there: no score, and NaN for each row."""
    is_class = kind is ExtraTreesClassifier
    y = np.where(np.median(NUMBERS) < NUMBERS, "yes", "no") if is_class else NUMBERS
    weight = np.ones(len(y))
    weight[:3] = 0
    model = kind(n_estimators=5).fit(FRAME, y, sample_weight=weight)
    assert model.oob_score_ is None
    unseen = model.oob_decision_function_ if is_class else model.oob_prediction_
    assert unseen.shape == ((len(y), 2) if is_class else (len(y),))
    assert np.isnan(unseen).all()
