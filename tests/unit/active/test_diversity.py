"""Batches of rows that are not alike."""

import numpy as np

from branchline.active._diversity import choose_batch


def test_copies_are_not_asked_twice():
    places = np.array([0.0, 0.0, 0.0, 5.0, 9.0])
    scores = np.array([1.0, 0.99, 0.98, 0.7, 0.6])
    rows = np.arange(5) + 100
    found = choose_batch(rows, scores, 3, lambda some: np.abs(
        places[some - 100][:, None] - places[some - 100]))  # fmt: skip
    assert found[0] == 100
    assert set(found.tolist()) == {100, 103, 104}


def test_without_distances_the_highest_scores_are_taken():
    rows, scores = np.arange(4), np.array([0.1, 0.9, 0.9, 0.2])
    assert choose_batch(rows, scores, 2, None).tolist() == [1, 2]


def test_rows_without_a_score_come_last():
    rows, scores = np.arange(4), np.array([-np.inf, 0.9, -np.inf, 0.2])
    found = choose_batch(rows, scores, 3, lambda some: np.ones((len(some), len(some))))
    assert found[:2].tolist() == [1, 3]
