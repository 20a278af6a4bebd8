"""Lift, gain and net benefit: by hand, against brute force, and their errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.assess import METRICS, Outcome, find_metric
from branchline.assess._find_metric import check_metric_name
from branchline.assess._metrics_at import in_first
from branchline.assess._row_values import row_values
from branchline.errors import ParameterError


def outcome_of(probabilities, truth):
    p, truth = np.asarray(probabilities, dtype=float), np.asarray(truth)
    return Outcome(truth, (p >= 0.5).astype(int), np.column_stack([1 - p, p]), ("n", "p"), 1)


TEN = outcome_of(
    [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
)


def test_lift_and_gain_by_hand():
    # Four of ten are positive; the first three hold two of them.
    assert METRICS["gain@30%"].score(TEN) == pytest.approx(2 / 4)
    assert METRICS["lift@30%"].score(TEN) == pytest.approx((2 / 3) / (4 / 10))
    assert METRICS["lift"].score(TEN) == pytest.approx(1 / 0.4)


def test_net_benefit_by_hand():
    # From 0.25 on eight are treated, four of them positive: 4/10 − 4/10 · (1/3).
    assert METRICS["net_benefit@25%"].score(TEN) == pytest.approx(0.4 - 0.4 / 3)
    assert METRICS["net_benefit"].score(TEN) == pytest.approx(0.3 - 0.3)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=2, max_size=12),
    st.integers(1, 11),
)
def test_lift_is_the_mean_over_all_orders_of_tied_rows(rows, taken):
    taken = min(taken, len(rows))
    p, truth = np.array([one[0] / 5 for one in rows]), np.array([one[1] for one in rows])
    if not truth.any() or taken == len(rows):
        return
    edge = np.sort(p)[::-1][taken - 1]
    above, tied = p > edge, p == edge
    found = truth[above].sum() + (taken - above.sum()) * truth[tied].mean()
    share = taken / len(rows)
    wanted = found / truth.sum()
    assert METRICS[f"gain@{share}"].score(outcome_of(p, truth)) == pytest.approx(wanted)
    assert in_first(p, share).sum() == pytest.approx(taken)


def test_a_constant_has_a_lift_of_one_without_error():
    truth = np.arange(40) % 4 == 0
    found = row_values(METRICS["lift@20%"], [outcome_of(np.full(40, 0.25), truth.astype(int))])
    assert found.score == pytest.approx(1.0)
    assert np.abs(found.deviations).max() < 1e-12


@pytest.mark.parametrize("metric", ["lift", "lift@30%", "gain@30%", "net_benefit@20%"])
def test_the_standard_error_is_the_spread_over_samples(metric):
    rng = np.random.default_rng(3)
    scores, errors = [], []
    for _ in range(150):
        truth = rng.random(300) < 0.3
        chance = 1 / (1 + np.exp(-(rng.normal(size=300) + truth)))
        outcome = outcome_of(chance, truth.astype(int))
        found = row_values(METRICS[metric], [outcome.rows(np.arange(i, 300, 3)) for i in range(3)])
        scores.append(found.score)
        errors.append(found.standard_error(np.arange(300))[0])
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.2)


def test_names_have_one_form():
    assert find_metric("lift@0.2", "classification").name == "lift@20%"
    assert find_metric("net-benefit@12.5%", "classification").name == "net_benefit@12.5%"
    assert METRICS["lift@20%"].at == pytest.approx(0.2)
    check_metric_name("gain@5%")
    with pytest.raises(KeyError):
        METRICS["auc@10%"]


@pytest.mark.parametrize("name", ["lift@0", "lift@150%", "lift@x", "net_benefit@100%"])
def test_a_share_that_is_none_is_refused(name):
    with pytest.raises(ParameterError) as caught:
        find_metric(name, "classification")
    assert caught.value.code == "P350"
    assert "@" in str(caught.value.repair.flag)


def test_lift_is_no_metric_of_numbers():
    with pytest.raises(ParameterError) as caught:
        find_metric("lift@10%", "regression")
    assert caught.value.code == "P011"


def test_without_positives_there_is_no_lift():
    assert math.isnan(METRICS["lift"].score(outcome_of([0.2, 0.4], [0, 0])))
    assert row_values(METRICS["lift"], [outcome_of([0.2, 0.4], [0, 0])]) is None
