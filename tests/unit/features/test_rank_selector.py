"""The best columns of a ranking, and how many of them."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.features import (
    MinimumRedundancy,
    ModelSelector,
    RankSelector,
    SequentialSelector,
)


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


SELECTORS = [
    RankSelector(),
    RankSelector(by="relief"),
    MinimumRedundancy(),
    ModelSelector(),
    SequentialSelector(),
    SequentialSelector(direction="backward"),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("n_rows", [8, 60])
def test_columns_that_do_not_vary_are_never_chosen_by_number(selector, n_rows):
    draws = np.random.default_rng(n_rows)
    told = draws.normal(size=n_rows)
    X = {
        "a_constant": ["a"] * n_rows,
        "b_missing": [None] * n_rows,
        "number": told,
        "gaps": np.where(draws.random(n_rows) < 0.3, np.nan, draws.normal(size=n_rows)),
        "one": np.ones(n_rows),
    }
    y = np.where(told + 0.3 * draws.normal(size=n_rows) > 0, "yes", "no")
    chosen = set(selector.fit(X, y).get_feature_names_out())
    assert chosen <= {"number", "gaps"}


def test_columns_that_do_not_vary_are_the_last_of_the_order():
    X = {"one": np.ones(20), "number": np.arange(20.0), "other": np.arange(20.0) % 3}
    model = RankSelector(n_columns=3).fit(X, ["p", "q"] * 10)
    assert model.n_selected_ == 3
    assert model.ranking_[0] == 3
