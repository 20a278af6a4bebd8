"""The Markov blanket of the target, by tests."""

import numpy as np

from branchline.features import MarkovBlanketFilter


def test_a_markov_blanket_leaves_out_what_others_tell():
    draws = np.random.default_rng(3)
    cause = draws.integers(0, 2, 4000)
    y = np.where(draws.random(4000) < 0.9, cause, 1 - cause)
    behind = np.where(draws.random(4000) < 0.8, cause, 1 - cause)  # tells only what cause tells
    effect = np.where(draws.random(4000) < 0.85, y, 1 - y)
    X = np.column_stack([cause, behind, effect, draws.integers(0, 2, 4000)])
    assert MarkovBlanketFilter().fit(X, y.astype(str)).support_.tolist() == [1, 0, 1, 0]


def test_names_never_join_and_drop_nothing():
    draws = np.random.default_rng(4)
    n_rows = 600
    told = draws.integers(0, 3, n_rows)
    y = np.where(draws.random(n_rows) < 0.8, told, draws.integers(0, 3, n_rows)).astype(str)
    names = np.array([f"n{row // 2}" for row in range(n_rows)], dtype=object)
    codes = np.array([f"c{one}" for one in told], dtype=object)
    X = np.column_stack([names, codes])
    assert MarkovBlanketFilter().fit(X, y).support_.tolist() == [False, True]


def test_where_nothing_is_significant_the_smallest_p_value_is_kept():
    names = np.array([f"n{row}" for row in range(30)], dtype=object)
    numbers = np.arange(30.0) % 2 + np.arange(30.0) % 7  # tells a little
    X = np.column_stack([names, numbers.astype(object)])
    y = np.where(np.arange(30) % 2 == 0, "p", "q")
    assert MarkovBlanketFilter().fit(X, y).support_.tolist() == [False, True]
