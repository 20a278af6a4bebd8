"""Weights at the door: any scale, hidden ones, more than there are."""

import numpy as np
import pytest

from branchline.baseline import MeanRegressor
from branchline.errors import BranchlineError
from branchline.tree import Stump

X, Y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 5.0]


def test_only_the_proportions_of_fractions_count() -> None:
    weights = np.array([0.5, 0.25, 0.75, 0.5])
    expected = MeanRegressor().fit(X, Y, sample_weight=weights).mean_
    for exponent in (-1000, 1023):
        scaled = np.ldexp(weights, exponent)
        assert MeanRegressor().fit(X, Y, sample_weight=scaled).mean_ == expected


def test_a_hidden_weight_is_refused() -> None:
    hidden = np.ma.array([1.0, 2.0, 1.0, 1.0], mask=[False, True, False, False])
    with pytest.raises(BranchlineError) as caught:
        MeanRegressor().fit(X, Y, sample_weight=hidden)
    assert (caught.value.code, caught.value.rows) == ("D082", (1,))


def test_a_weight_that_is_no_float_is_refused() -> None:
    with pytest.raises(BranchlineError) as caught:
        MeanRegressor().fit(X, Y, sample_weight=[1, 10**400, 1, 1])
    assert caught.value.code == "K010"


@pytest.mark.parametrize("weights", [None, [0.5, 0.25, 0.75, 0.5]])
def test_leaves_larger_than_any_table_give_no_test(weights: list[float] | None) -> None:
    model = Stump(min_samples_leaf=10**400, n_jobs=10**30)
    assert model.fit(X, [0, 0, 1, 1], weights).tree_.n_nodes == 1
