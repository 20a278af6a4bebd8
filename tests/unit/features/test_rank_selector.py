"""The best columns of a ranking, and how many of them."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.features import RankSelector


def test_noise_keeps_few_columns():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(100, 50))
    y = draws.choice(["p", "q"], 100)
    assert RankSelector().fit(X, y).n_selected_ <= 3


def test_rows_that_cannot_be_split_keep_all_columns():
    model = RankSelector().fit([[1.0, 2.0], [1.0, 2.0]], ["a", "b"])
    assert model.n_selected_ == 2
    assert model.path_ is None


def test_more_columns_than_there_are_is_refused():
    X, y = load_dataset("iris").split_target("species")
    with pytest.raises(ParameterError) as seen:
        RankSelector(n_columns=9).fit(X, y)
    assert seen.value.code == "P571"
