"""Rows that are predicted while the model learns."""

import numpy as np
import pandas as pd
import pytest

from branchline import load_dataset
from branchline.errors import DataError, ParameterError
from branchline.semi import LabelPropagation, transduce
from branchline.tree import CART


def test_given_rows_of_a_matrix_and_of_a_mixed_frame() -> None:
    X, y = load_dataset("iris").split_target("species")
    y = np.asarray(y)
    found = transduce("label_propagation", X.rows(range(0, 150, 10)), y[::10], X.rows(range(60)))
    assert len(found) == 60
    assert (found.predictions == y[:60]).mean() > 0.9
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
    frame = X.to_pandas().assign(color=np.where(y == "setosa", "blue", "red"))
    frame["color"] = frame["color"].astype("category")
    mixed = transduce(LabelPropagation(), frame[::10], y[::10], frame[1:40])
    assert (mixed.predictions == y[1:40]).all()
    with_missing = pd.Series(y[::10]).astype(object)
    with_missing[3] = None
    again = transduce(LabelPropagation(), frame[::10], with_missing, frame[1:40])
    assert len(again) == 39


def test_supervised_learners_and_absent_columns_are_refused() -> None:
    X, y = load_dataset("iris").split_target("species")
    with pytest.raises(ParameterError, match="does not learn") as caught:
        transduce(CART(), X, y, X)
    assert caught.value.code == "P824"
    with pytest.raises(DataError):
        transduce(LabelPropagation(), X, y, X.drop("petal_width"))
