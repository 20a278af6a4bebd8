import math

import numpy as np
import pytest

from branchline.assess.uncertainty._conformal_quantile import conformal_quantile, fewest_rows


def quantile(scores, level, weight=None, n_effective=None):
    scores = np.asarray(scores, dtype=float)
    weight = np.ones(len(scores)) if weight is None else np.asarray(weight, dtype=float)
    return conformal_quantile(scores, weight, float(n_effective or len(scores)), level)


@pytest.mark.parametrize("n_rows", [9, 10, 19, 99, 100, 101])
def test_it_is_the_textbook_rank(n_rows):
    scores = np.random.default_rng(n_rows).permutation(n_rows) + 1.0
    rank = math.ceil(0.9 * (n_rows + 1) - 1e-9)
    assert quantile(scores, 0.9) == rank


def test_too_few_rows_give_an_infinite_bound():
    assert fewest_rows(0.9) == 9
    assert quantile(np.arange(8.0), 0.9) == math.inf
    assert quantile(np.arange(9.0), 0.9) == 8.0


def test_order_of_rows_does_not_matter():
    scores = np.random.default_rng(0).normal(size=50)
    assert quantile(scores, 0.8) == quantile(scores[::-1], 0.8)


def test_weights_count_as_copies_do_but_not_as_independent_rows():
    # Two groups of ten equal rows tell as much as two rows: nothing is known at 90 %.
    assert quantile([1.0] * 10 + [2.0] * 10, 0.9, n_effective=2) == math.inf
    # A heavy row moves the quantile towards its score.
    assert quantile([1.0, 2.0, 3.0], 0.5, weight=[1, 1, 8], n_effective=3) == 3.0


def test_the_bound_holds_new_rows_as_often_as_it_says():
    draws = np.random.default_rng(1)
    held = [
        (new := draws.exponential(size=40)) is not None
        and np.mean(new <= quantile(draws.exponential(size=59), 0.9))
        for _ in range(400)
    ]
    assert np.mean(held) == pytest.approx(0.9, abs=0.012)
