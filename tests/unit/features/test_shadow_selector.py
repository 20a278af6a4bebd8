"""Columns that are more important than shuffled copies."""

import numpy as np

from branchline.features import ShadowSelector


def test_shuffled_copies_leave_noise_out():
    draws = np.random.default_rng(1)
    X = draws.normal(size=(400, 10))
    y = np.where(X[:, 0] + X[:, 1] + 0.3 * draws.normal(size=400) > 0, "p", "q")
    model = ShadowSelector().fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1]
    assert (model.hit_rates_[:2] > 0.9).all()
