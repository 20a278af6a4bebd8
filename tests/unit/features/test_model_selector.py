"""Columns that a fitted model uses most, at once or by elimination."""

import pytest

from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.features import ModelSelector, RecursiveElimination


def test_a_model_without_importances_is_refused():
    X, y = load_dataset("iris").split_target("species")
    with pytest.raises(ParameterError) as seen:
        ModelSelector(estimator="neighbors", n_columns=1).fit(X, y)
    assert seen.value.code == "P572"


def test_elimination_puts_every_column_in_order_and_keeps_the_first():
    X, y = load_dataset("iris").split_target("species")
    model = RecursiveElimination(estimator="tree", n_columns=2, step=0.5).fit(X, y)
    assert sorted(model.ranking_.tolist()) == [1, 2, 3, 4]
    assert (model.support_ == (model.ranking_ <= 2)).all()
