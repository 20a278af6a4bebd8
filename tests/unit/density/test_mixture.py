"""Mixtures: parity, missing cells, categories, floors, how many, saving."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

import branchline
from branchline import Table, load_dataset
from branchline.density import Mixture
from branchline.density._category_part import shares_of_counts
from branchline.density._gaussian_part import COVARIANCES, Gaussians, NumberRows, raised
from branchline.errors import BranchlineWarning, ModelFileError


def three_groups(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    labels = rng.integers(0, 3, n_rows)
    return centers[labels] + rng.normal(size=(n_rows, 2)), labels


KINDS = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}


@pytest.mark.parametrize("kind", COVARIANCES)
def test_likelihood_is_at_least_that_of_scikit_learn(kind):
    X, _ = three_groups()
    X = X / X.std(axis=0)  # a spherical component is one of standardized numbers
    ours = Mixture(3, covariance=kind).fit(X)
    theirs = GaussianMixture(3, covariance_type=KINDS[kind], n_init=5, tol=1e-8, random_state=0)
    theirs.fit(X)
    assert ours.log_likelihood_ >= theirs.score(X) * len(X) - 1e-2
    n_free = theirs._n_parameters()
    assert ours.n_parameters_ == n_free
    assert ours.bic(X) == pytest.approx(ours.bic_)
    assert ours.aic(X) == pytest.approx(ours.aic_)


@pytest.mark.parametrize("kind", COVARIANCES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_likelihood_never_falls(kind, missing):
    X, _ = three_groups(150, seed=3)
    rng = np.random.default_rng(0)
    X = np.hstack([X, X @ rng.normal(size=(2, 2)) + rng.normal(size=(150, 2))])
    X[rng.random(X.shape) < missing] = np.nan
    towns = rng.choice(["a", "b", "c"], 150)
    columns = {f"x{at}": column for at, column in enumerate(X.T)}
    model = Mixture(4, covariance=kind, tol=1e-9).fit(Table({**columns, "town": towns}))
    steps = np.diff(model.trace_)
    assert (steps > -1e-7 * abs(model.log_likelihood_)).all()
    assert np.isfinite(model.log_likelihood_)
    table = Table({**columns, "town": towns})
    assert model.score_samples(table).sum() == pytest.approx(model.log_likelihood_)


def test_density_of_known_cells_is_the_marginal_one():
    rng = np.random.default_rng(1)
    mean, root = rng.normal(size=3), rng.normal(size=(3, 3))
    covariance = root @ root.T + np.eye(3)
    rows = rng.normal(size=(40, 3))
    rows[rng.random(rows.shape) < 0.4] = np.nan
    model = Gaussians("full", mean[None], covariance[None])
    found = NumberRows.of(rows).log_densities(model)[:, 0]
    for row, value in zip(rows, found, strict=True):
        known = np.isfinite(row)
        expected = 0.0
        if known.any():
            part = multivariate_normal(mean[known], covariance[np.ix_(known, known)])
            expected = part.logpdf(row[known])
        assert value == pytest.approx(expected)


def test_one_normal_with_missing_cells_is_the_maximum_of_its_likelihood():
    rng = np.random.default_rng(2)
    X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 2000)
    X[1000:, 1] = np.nan  # half of the second column is missing where the first is large
    X = X[np.argsort(X[:, 0])]
    holed = X.copy()
    holed[X[:, 0] > 0, 1] = np.nan
    model = Mixture(1, covariance="full", tol=1e-10).fit(holed)
    # Missing given what is known: the mean of the known cells alone would be about −0.7.
    assert abs(model.means_[0, 1]) < 0.15
    assert np.nanmean(holed[:, 1]) < -0.5


@given(st.lists(st.floats(0, 50), min_size=2, max_size=6))
def test_shares_within_a_floor(counts):
    counts = np.array(counts) + 1e-3
    floor = np.full(len(counts), 0.05)
    shares = shares_of_counts(counts[None], floor, np.array([0, len(counts)]))[0]
    assert shares.sum() == pytest.approx(1)
    assert (shares >= floor - 1e-12).all()
    rng = np.random.default_rng(0)
    best = counts @ np.log(shares)
    for other in rng.dirichlet(np.ones(len(counts)), 50):
        lifted = floor + (1 - floor.sum()) * other
        assert counts @ np.log(lifted) <= best + 1e-9


def test_raised_covariance_has_the_greatest_likelihood():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 2))
    scatter, floor = root @ root.T, np.array([0.1, 0.2, 0.3])
    best = raised(scatter, floor)

    def value(covariance):
        inverse = np.linalg.inv(covariance)
        return -np.linalg.slogdet(covariance)[1] - np.trace(inverse @ scatter)

    assert np.linalg.eigvalsh(best - np.diag(floor)).min() > -1e-9
    for _ in range(200):
        step = rng.normal(size=(3, 3)) * 0.1
        other = raised(best + step + step.T, floor)
        assert value(other) <= value(best) + 1e-9


def test_auto_finds_three_groups_and_one():
    X, labels = three_groups()
    model = Mixture().fit(X)
    assert model.n_components_ == 3
    assert len(set(zip(labels.tolist(), model.labels_.tolist(), strict=True))) <= 6
    noise = np.random.default_rng(0).normal(size=(300, 3))
    assert Mixture().fit(noise).n_components_ == 1


def test_rounded_numbers_and_copies_have_a_finite_likelihood():
    values = np.repeat([0.0, 1.0, 2.0], 30)
    X = np.c_[values, values]
    for kind in COVARIANCES:
        model = Mixture(3, covariance=kind).fit(X)
        assert np.isfinite(model.log_likelihood_)
        assert np.isfinite(model.score_samples(X * 100)).all()


def test_mixed_table_golden():
    X, _ = load_dataset("german-credit").split_target("class")
    model = Mixture(4, covariance="full").fit(X)
    assert np.isfinite(model.log_likelihood_)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert model.weights_.tolist() == sorted(model.weights_, reverse=True)
    assert "Component 0" in model.describe()


def test_drawn_rows_come_from_the_same_mixture():
    X, _ = load_dataset("german-credit").split_target("class")
    model = Mixture(2, covariance="diagonal").fit(X)
    drawn = model.sample(4000, random_state=1)
    assert set(drawn.names) <= set(X.names)
    mean = np.mean(drawn["age"].numbers())
    assert mean == pytest.approx(np.mean(X["age"].numbers()), abs=0.8)
    assert np.isfinite(model.score_samples(drawn)).all()


def test_saved_and_damaged(tmp_path):
    X, _ = load_dataset("german-credit").split_target("class")
    model = Mixture(2, covariance="full").fit(X)
    model.save(tmp_path / "m.bline")
    again = branchline.load(tmp_path / "m.bline")
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    assert again.bic_ == model.bic_
    packed = dict(model._pack())
    for name, value in {
        "weights": packed["weights"] * 2,
        "kind": "round",
        "covariances": -packed["covariances"],
        "level_shares": packed["level_shares"] * 0.5,
        "means": packed["means"][:-1],
        "cells": None,
    }.items():
        with pytest.raises(ModelFileError):
            model._unpack({**packed, name: value}, model.schema_)


def test_warnings():
    with pytest.warns(BranchlineWarning, match="only 2 different rows") as caught:
        Mixture(5).fit(np.array([[0.0], [1.0], [1.0]]))
    assert caught[0].message.code == "W057"
    X, _ = three_groups()
    with pytest.warns(BranchlineWarning, match="still rises"):
        Mixture(3, max_iter=1, tol=0.0).fit(X)


def test_rows_of_weight_0_have_labels():
    rows = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [8.9]])
    model = Mixture(2).fit(rows, sample_weight=[1, 1, 1, 1, 0, 0])
    assert model.labels_.tolist() == model.predict(rows).tolist()
    assert len(set(model.labels_[[0, 1, 4]])) == len(set(model.labels_[[2, 3, 5]])) == 1
