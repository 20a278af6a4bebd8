"""p-values of counts: exact moments by all shuffles, and levels that are kept."""

from itertools import permutations

import numpy as np
import pytest

from branchline.features import rank_columns
from branchline.features._independence_test import (
    chi_square_of,
    independence_p_values,
    shuffled_moments,
)


def table_of(values, classes, shape):
    counts = np.zeros((1, *shape))
    np.add.at(counts[0], (values, classes), 1)
    return counts


@pytest.mark.parametrize("seed", range(12))
def test_moments_are_those_of_all_shuffles(seed):
    draws = np.random.default_rng(seed)
    n_rows, n_values, n_classes = draws.integers([4, 2, 2], [8, 5, 4])
    values = np.append(draws.integers(0, n_values, n_rows - 2), [0, 1])
    classes = np.append(draws.integers(0, n_classes, n_rows - 2), [0, 1])
    shape = (n_values, n_classes)
    found = [
        chi_square_of(table_of(values, np.array(order), shape))[0]
        for order in set(permutations(classes.tolist()))
    ]
    counts = table_of(values, classes, shape)
    mean, variance = shuffled_moments(counts.sum(axis=2), counts.sum(axis=1))
    assert mean[0] == pytest.approx(np.mean(found), abs=1e-12)
    assert variance[0] == pytest.approx(np.var(found), abs=1e-12)


def test_an_identifier_surprises_nobody():
    counts = table_of(np.arange(20), np.arange(20) % 2, (20, 2))
    assert independence_p_values(counts, chi_square_of(counts)).tolist() == [1.0]


@pytest.mark.parametrize("n_names", [12, 40, 100])
def test_levels_are_kept_where_rows_are_few(n_names):
    draws = np.random.default_rng(n_names)
    p_values = []
    for _ in range(400):
        names = draws.integers(0, n_names, 120)
        classes = draws.integers(0, 3, 120)
        counts = table_of(names, classes, (n_names, 3))
        p_values += independence_p_values(counts, chi_square_of(counts)).tolist()
    # Of 400 tests, 20 ± 4.4 are expected below 0.05.
    assert 4 <= sum(p < 0.05 for p in p_values) <= 36
    assert 0.42 < np.mean(p_values) < 0.58


def test_enough_rows_follow_chi_square():
    from scipy.stats import chi2_contingency

    counts = np.array([[[30.0, 20.0], [15.0, 35.0], [25.0, 25.0]]])
    expected = chi2_contingency(counts[0], correction=False).pvalue
    assert independence_p_values(counts, chi_square_of(counts))[0] == pytest.approx(expected)


def test_names_and_copies_of_the_target_in_a_ranking():
    draws = np.random.default_rng(0)
    y = draws.integers(0, 2, 60)
    X = {
        "name": [f"n{row}" for row in range(60)],
        "told": [f"t{one}" for one in y],
        "pair": [f"p{row // 2}" for row in range(60)],
    }
    for by in ("mutual_information", "chi_square"):
        found = rank_columns(X, y.astype(str), by=by)
        p_value = dict(zip(found.names, found.p_values, strict=True))
        assert p_value["name"] == 1.0
        assert p_value["told"] < 1e-9
        assert p_value["pair"] > 0.001
