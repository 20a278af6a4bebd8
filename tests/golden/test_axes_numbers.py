"""Printed numbers of axes and groups: shares of variance, formulas, distances of four series.

S(N, K) = 1/K! Σ_k (−1)^(K−k) C(K, k) k^N counts the ways to put N rows into K groups.
"""

from itertools import combinations, product
from math import comb, factorial

import numpy as np
import pytest

from branchline.cluster import distances
from branchline.projection import PCA

SERIES = [[2, 4, 5, 6], [0.5, 1, 1.25, 1.5], [1.5, 1, 0.75, 0.5], [2.5, 3.5, 4.5, 1]]
DISTANCES = {
    "euclidean": ([6.75, 7.59, 5.07, 1.5, 4.59, 4.64], [9, 10, 7, 2, 6, 6]),
    "manhattan": ([12.75, 13.25, 6.5, 2.5, 8.25, 7.75], [10, 10, 5, 2, 6, 6]),
    "correlation": ([0, 2, 1.18, 2, 1.18, 0.82], [0, 10, 6, 10, 6, 4]),
}
# Variances of ten standardized columns: 4.5 is 45 % of the variance, 3.3 is 33 %.
VARIANCES = np.array([4.5, 3.3, 0.9, 0.5, 0.3, 0.2, 0.1, 0.1, 0.06, 0.04])


def rows_with(variances):
    """Return rows whose covariance has these eigenvalues, around a mean of 7."""
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.normal(size=(len(variances), len(variances))))[0]
    places = np.vstack([np.eye(len(variances)), -np.eye(len(variances))])
    return 7 + places * np.sqrt(variances * len(variances)) @ turned


def test_shares_of_variance():
    rows = rows_with(VARIANCES)
    model = PCA(10, standardize=False).fit(rows)
    assert model.explained_variance_ == pytest.approx(VARIANCES)
    assert model.explained_variance_ratio_[:2] == pytest.approx([0.45, 0.33])
    assert model.counts_.above_average == 2
    assert model.counts_.at_share(0.78) == 2


def test_the_mean_is_the_answer_without_axes_and_all_axes_are_the_rows():
    rows = rows_with(VARIANCES)
    model = PCA(2, standardize=False).fit(rows)
    assert model.inverse_transform(np.zeros((1, 2)))[0] == pytest.approx(rows.mean(axis=0))
    directions = model.components_.T  # decode: U Uᵀ x
    moved = rows - rows.mean(axis=0)
    rebuilt = model.inverse_transform(model.transform(rows)) - rows.mean(axis=0)
    np.testing.assert_allclose(rebuilt, moved @ directions @ directions.T, atol=1e-12)
    # What is lost is the variance of the other axes.
    assert model.reconstruction_error(rows).mean() == pytest.approx(VARIANCES[2:].sum() / 10)


def test_loadings_as_a_formula():
    model = PCA(1, standardize=False).fit(np.eye(3))
    model.components_ = np.array([[0.2, 3.4, -4.5]])
    assert model.formula(0) == "−4.5·x2 + 3.4·x1 + 0.2·x0"


@pytest.mark.parametrize("metric", DISTANCES)
def test_distances_of_four_series(metric):
    found = distances(SERIES, metric=metric)
    pairs = np.array([found[one, other] for one, other in combinations(range(4), 2)])
    printed, scaled = DISTANCES[metric]
    assert pairs == pytest.approx(printed, abs=0.0051)
    assert np.round(10 * pairs / pairs.max()).tolist() == scaled


def n_groupings(n_rows, n_groups):
    terms = ((-1) ** (n_groups - k) * comb(n_groups, k) * k**n_rows for k in range(n_groups + 1))
    return sum(terms) // factorial(n_groups)


def test_ways_to_group_rows():
    assert n_groupings(10, 4) == 34_105
    assert n_groupings(19, 4) == 11_259_666_950
    labels = (labels for labels in product(range(3), repeat=6) if len(set(labels)) == 3)
    different = {_named(one) for one in labels}
    assert n_groupings(6, 3) == len(different) == 90


def _named(labels):
    """Return labels numbered in the order in which they come."""
    order = list(dict.fromkeys(labels))
    return tuple(order.index(label) for label in labels)
