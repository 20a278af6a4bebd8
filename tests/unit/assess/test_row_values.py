"""What rows add to scores: against the metrics themselves, jackknives and sums worked by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from branchline._intervals import scaled_wilson
from branchline._row_scores import Origin, corrected_error
from branchline.assess import METRICS, Outcome, wilson_interval
from branchline.assess._paired_tests import difference_over_rows
from branchline.assess._row_values import row_values
from branchline.assess._scoring import score_interval

POOLED = [
    *("accuracy", "error", "balanced_accuracy", "precision", "recall", "specificity", "f1"),
    *("log_loss", "brier", "cost", "mae", "mse", "rmse", "r2"),
]
WITHOUT = ["average_precision", "pearson", "spearman"]


def classes_outcome(n_rows, rng, n_classes=2):
    truth = rng.integers(n_classes, size=n_rows)
    probabilities = rng.dirichlet(np.ones(n_classes), size=n_rows)
    probabilities[np.arange(n_rows), truth] += 0.4
    probabilities = np.round(
        probabilities / probabilities.sum(axis=1, keepdims=True), 2
    )  # some are tied
    return Outcome(
        truth, probabilities.argmax(axis=1), probabilities, tuple(range(n_classes)), n_classes - 1
    )


def outcome_for(metric, n_rows, seed):
    rng = np.random.default_rng(seed)
    if METRICS[metric].task == "classification":
        return classes_outcome(n_rows, rng)
    truth = rng.normal(3, 2, n_rows)
    return Outcome(truth, truth + rng.standard_t(8, n_rows))


def in_parts(outcome, n_parts):
    return [outcome.rows(np.arange(start, len(outcome), n_parts)) for start in range(n_parts)]


@pytest.mark.parametrize("metric", POOLED)
def test_the_score_is_that_of_all_rows_and_deviations_add_up_to_nothing(metric):
    outcome = outcome_for(metric, 90, 1)
    found = row_values(METRICS[metric], in_parts(outcome, 3))
    assert found.score == pytest.approx(METRICS[metric].score(outcome))
    assert found.deviations.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("metric", [*POOLED, "auc"])
def test_the_standard_error_is_that_of_the_jackknife(metric):
    n = 300
    outcome = outcome_for(metric, n, 2)
    everyone = np.arange(n)
    without = [METRICS[metric].score(outcome.rows(everyone != row)) for row in everyone]
    jackknife = math.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2))
    error, degrees = row_values(METRICS[metric], [outcome]).standard_error(everyone)
    assert error == pytest.approx(jackknife, rel=0.03)
    assert degrees == n - 1


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_auc_is_the_mean_over_test_sets(n_classes):
    parts = [
        classes_outcome(n_rows, np.random.default_rng(n_rows), n_classes) for n_rows in (40, 41, 42)
    ]
    found = row_values(METRICS["auc"], parts)
    assert found.score == pytest.approx(np.mean([METRICS["auc"].score(part) for part in parts]))
    assert found.deviations.sum() == pytest.approx(0, abs=1e-9)
    if n_classes == 2:
        direct = [roc_auc_score(part.truth, part.probabilities[:, 1]) for part in parts]
        assert found.score == pytest.approx(np.mean(direct))


def test_auc_has_the_error_of_delong_by_hand():
    # Positives 0.9, 0.6, 0.4 and negatives 0.5, 0.3: placements of positives 1, 1, 1/2 and of
    # negatives 2/3, 1; auc 5/6; variances 1/12 and 1/18; error √(1/12/3 + 1/18/2).
    chance = np.array([0.9, 0.6, 0.4, 0.5, 0.3])
    truth = np.array([1, 1, 1, 0, 0])
    outcome = Outcome(truth, truth, np.c_[1 - chance, chance], (0, 1))
    found = row_values(METRICS["auc"], [outcome])
    assert found.score == pytest.approx(5 / 6)
    deviations = np.array([1 / 6, 1 / 6, -1 / 3]) * math.sqrt(3 / 2) * 5 / 3
    np.testing.assert_allclose(found.deviations[:3], deviations)
    by_hand = math.sqrt(1 / 12 / 3 + 1 / 18 / 2)
    assert found.standard_error(np.arange(5))[0] == pytest.approx(by_hand * math.sqrt(5 / 4))


def test_test_sets_without_one_of_the_classes_have_no_auc_and_are_left_out():
    rng = np.random.default_rng(5)
    whole = classes_outcome(30, rng)
    one_class = whole.rows(whole.truth == 1)
    found = row_values(METRICS["auc"], [whole, one_class])
    assert found.score == pytest.approx(METRICS["auc"].score(whole))
    assert np.isnan(found.deviations[30:]).all()
    assert row_values(METRICS["auc"], [one_class]) is None
    assert (
        row_values(METRICS["precision"], [Outcome(*[np.zeros(4, int)] * 2, None, (0, 1), 1)])
        is None
    )


# -- errors and intervals ---------------------------------------------------------------------


def test_the_error_is_nadeau_and_bengios_with_the_spread_of_rows():
    hits = np.array([1] * 70 + [0] * 30)
    outcome = Outcome(np.ones(100, int), hits, None, (0, 1))
    values = row_values(METRICS["accuracy"], in_parts(outcome, 5))
    error, degrees = corrected_error(values, Origin.once(100, 80))
    assert error == pytest.approx(math.sqrt((1 / 100 + 1 / 80) * 0.21 * 100 / 99))
    # The published form: (1/k + n_test/n_train) times the variance of a test set's score.
    assert error == pytest.approx(math.sqrt((1 / 5 + 20 / 80) * 0.21 * 100 / 99 / 20))
    assert degrees == 99


def test_repeats_lessen_the_chance_of_testing_but_not_of_learning():
    rng = np.random.default_rng(6)
    truth, owners = np.zeros(200), np.tile(np.arange(100), 2)
    same = Outcome(truth, np.tile(rng.normal(size=100), 2))
    other = Outcome(truth, rng.normal(size=200))
    twice, once = Origin(owners, 80, 2.0), Origin.once(100, 80)
    metric = METRICS["mae"]
    alone = corrected_error(row_values(metric, [same.rows(np.arange(100))]), once)
    assert corrected_error(row_values(metric, [same]), twice) == pytest.approx(alone)
    spread = np.abs(other.predicted).std(ddof=1)
    means = np.abs(other.predicted).reshape(2, 100).mean(axis=0).std(ddof=1)
    by_hand = math.sqrt(means**2 / 100 + spread**2 / 80)
    assert corrected_error(row_values(metric, [other]), twice)[0] == pytest.approx(
        by_hand, rel=0.01
    )


def test_rows_of_a_group_count_as_one():
    rng = np.random.default_rng(7)
    each = Outcome(np.zeros(20), rng.normal(size=20))
    copies = Outcome(np.zeros(200), np.repeat(each.predicted, 10))
    metric = METRICS["mae"]
    groups = Origin(np.repeat(np.arange(20), 10), 16)
    found = score_interval(metric, [copies], groups)
    alone = score_interval(metric, [each], Origin.once(20, 16))
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    assert row_values(metric, [copies]).standard_error(np.zeros(200, int)) == (math.inf, 1)


def test_intervals_of_shares_stay_in_bounds_and_keep_a_width():
    perfect = Outcome(np.arange(40) % 2, np.arange(40) % 2, np.eye(2)[np.arange(40) % 2], (0, 1))
    for metric in ("accuracy", "auc", "balanced_accuracy"):
        found = score_interval(METRICS[metric], in_parts(perfect, 5), Origin.once(40, 30))
        assert found.estimate == found.high == 1
        assert 0.6 < found.low < 0.9
    constant = Outcome(perfect.truth, perfect.predicted, np.full((40, 2), 0.5), (0, 1))
    found = score_interval(METRICS["auc"], in_parts(constant, 5), Origin.once(40, 30))
    assert 0.3 < found.low < 0.4
    assert found.low + found.high == pytest.approx(1)


def test_scaled_wilson_is_wilson_when_the_error_is_that_of_a_share():
    z = float(stats.norm.ppf(0.975))
    found, expected = scaled_wilson(0.7, math.sqrt(0.21 / 50), 1e9, z), wilson_interval(35, 50)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert scaled_wilson(0.7, math.inf, 10, z).low == 0


@pytest.mark.parametrize("metric", WITHOUT)
def test_scores_that_rows_do_not_add_up_to_have_the_t_of_test_sets(metric):
    parts = in_parts(outcome_for(metric, 100, 8), 5)
    assert row_values(METRICS[metric], parts) is None
    scores = np.array([METRICS[metric].score(part) for part in parts])
    found = score_interval(METRICS[metric], parts, Origin.once(100, 80))
    half = stats.t.ppf(0.975, 4) * math.sqrt((1 / 5 + 1 / 4) * scores.var(ddof=1))
    assert found.estimate == pytest.approx(scores.mean())
    assert found.estimate - found.low == pytest.approx(half)
    alone = score_interval(METRICS[metric], parts[:1], Origin.once(20, 80))
    assert (alone.low, alone.high) == (METRICS[metric].lowest, METRICS[metric].highest)


def test_huge_errors_have_intervals():
    outcome = outcome_for("rmse", 60, 9)
    huge = Outcome(np.ldexp(outcome.truth, 900), np.ldexp(outcome.predicted, 900))
    for metric in ("rmse", "mae", "r2"):
        small = score_interval(METRICS[metric], in_parts(outcome, 5), Origin.once(60, 48))
        large = score_interval(METRICS[metric], in_parts(huge, 5), Origin.once(60, 48))
        power = 0 if metric == "r2" else 900
        assert large.low == pytest.approx(math.ldexp(small.low, power))
        assert large.high == pytest.approx(math.ldexp(small.high, power))


def test_a_difference_over_rows_is_a_paired_t_with_its_correction():
    rng = np.random.default_rng(10)
    truth = rng.normal(size=80)
    one, other = (Outcome(truth, truth + rng.normal(size=80) * size) for size in (1.0, 1.5))
    values = [row_values(METRICS["mae"], [outcome]) for outcome in (other, one)]
    found = difference_over_rows(*values, Origin.once(80, 72), negligible=0.05)
    d = np.abs(other.predicted - truth) - np.abs(one.predicted - truth)
    plain = stats.ttest_1samp(d, 0).statistic
    assert found.t == pytest.approx(plain / math.sqrt(1 + 80 / 72))
    assert found.p_above == pytest.approx(stats.t.cdf(found.t, 79))
    assert found.degrees == 79
    back = difference_over_rows(values[1], values[0], Origin.once(80, 72), negligible=0.05)
    assert (back.p_lower, back.p_above) == pytest.approx((found.p_higher, 1 - found.p_above))


def test_the_same_predictions_do_not_differ():
    outcome = outcome_for("mae", 30, 11)
    values = row_values(METRICS["mae"], [outcome])
    found = difference_over_rows(values, values, Origin.once(30, 27))
    assert (found.p_equal, found.p_value, found.mean.estimate) == (1, 1, 0)
    assert found.p_above == 0.5
