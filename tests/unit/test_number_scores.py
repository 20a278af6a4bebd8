"""Scores of predicted numbers against scikit-learn's and SciPy's, and in any order of rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as peer

from branchline._number_scores import (
    correlation,
    mean_absolute_error,
    r2,
    root_mean_squared_error,
)

SCORES = (correlation, mean_absolute_error, r2, root_mean_squared_error)


def drawn(seed, n_rows):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_rows) * 10.0 ** rng.integers(-3, 4) + rng.integers(0, 3)
    return truth, truth + rng.normal(size=n_rows), rng.permutation(n_rows)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 50, 900]))
def test_they_are_the_peers_scores_in_any_order(seed, n_rows):
    truth, predicted, order = drawn(seed, n_rows)
    expected = (
        stats.pearsonr(truth, predicted).statistic,
        peer.mean_absolute_error(truth, predicted),
        peer.r2_score(truth, predicted),
        peer.root_mean_squared_error(truth, predicted),
    )
    for score, wanted in zip(SCORES, expected, strict=True):
        found = score(truth, predicted)
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert score(truth[order], predicted[order]) == found


def test_constant_numbers():
    same, other = np.full(4, 2.0), np.arange(4.0)
    assert (r2(same, same), r2(same, other)) == (1.0, 0.0)
    assert math.isnan(correlation(same, other))
    assert math.isnan(correlation(other, same))
    assert math.isnan(r2(other[:1], other[:1]))


def test_large_numbers_have_room():
    truth = np.array([1e200, 2e200, 4e200])
    assert r2(truth, truth[::-1]) == pytest.approx(peer.r2_score([1, 2, 4], [4, 2, 1]))
    assert correlation(truth, -truth) == pytest.approx(-1.0)
