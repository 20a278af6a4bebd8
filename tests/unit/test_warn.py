"""Warnings name the user's line, however deep in the package they are given."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import branchline as bl
from branchline.tree import DecisionTreeClassifier

RNG = np.random.default_rng(0)


def _frame() -> pd.DataFrame:
    amount = [f"${value}" for value in RNG.integers(100, 900, 60)]
    amount[3] = "n/a"
    return pd.DataFrame({"amount": amount, "x": RNG.normal(size=60)})


@pytest.mark.parametrize("deep", [False, True])
def test_a_warning_names_the_line_that_called_us(deep: bool) -> None:
    X, y = _frame(), np.arange(60) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if deep:
            cross_val_score(DecisionTreeClassifier(), X, y, cv=2)
        else:
            bl.Table(X)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}


def test_a_warning_of_a_fit_names_the_line_of_the_fit() -> None:
    with pytest.warns(UserWarning, match="only one class") as caught:
        DecisionTreeClassifier().fit(RNG.normal(size=(12, 2)), ["a"] * 12)
    assert [warning.filename for warning in caught] == [__file__]
