"""Stability of selections: the index's known values, its interval, substitutes."""

import numpy as np

from branchline import load_dataset
from branchline.features import RankSelector, selection_stability, stability_index
from branchline.features._selection_stability import stability_of_choices


def test_always_the_same_is_one_and_chance_is_zero():
    same = np.tile([True, False, True, False], (20, 1))
    assert stability_index(same)[0] == 1.0
    draws = np.random.default_rng(0)
    by_chance = [stability_index(draws.random((30, 40)) < 0.25)[0] for _ in range(200)]
    assert abs(np.mean(by_chance)) < 0.01


def test_the_interval_covers():
    draws = np.random.default_rng(1)
    share = np.where(np.arange(30) < 5, 0.9, 0.1)
    size = share.sum() / 30
    truth = 1 - (share * (1 - share)).mean() / (size * (1 - size))
    hits = 0
    for _ in range(300):
        index, error = stability_index(draws.random((60, 30)) < share)
        hits += abs(index - truth) <= 1.96 * error
    assert 0.90 <= hits / 300 <= 0.99


def test_substitutes_are_named():
    one = np.arange(40) % 2 == 0
    found = stability_of_choices(
        np.column_stack([one, ~one, np.ones(40, dtype=bool)]), ("a", "b", "c")
    )
    assert found.substitutes == (("a", "b"),)
    assert "a and b stand in for each other." in str(found)


def test_a_selector_on_halves_of_the_rows():
    X, y = load_dataset("heart").split_target("disease")
    found = selection_stability(RankSelector(n_columns=3), X, y, n_resamples=12)
    assert round(found.shares.sum(), 9) == 3.0
    assert found.index_low <= found.index <= found.index_high
    order = np.random.default_rng(0).permutation(X.n_rows)
    again = selection_stability(RankSelector(n_columns=3), X.rows(order), y[order], n_resamples=12)
    assert found.to_dict() == again.to_dict()
    assert found.draw().to_svg().startswith("<svg")
