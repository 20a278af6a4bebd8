"""In a table of few possible rows, k rows are tested out of bag as a row of weight k is."""

import numpy as np
import pandas as pd
import pytest

from branchline.forest import RandomForestClassifier, RandomForestRegressor


def table_of_few_rows(n_rows: int = 90) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 3, n_rows), "b": rng.choice(list("xyz"), n_rows)})
    return frame, rng.integers(0, 3, n_rows), rng.integers(1, 4, n_rows)


@pytest.mark.parametrize("n_estimators", [30, "auto"])
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_weights_are_copies_out_of_bag(kind, n_estimators):
    frame, y, weight = table_of_few_rows()
    rows = np.repeat(np.arange(len(y)), weight)
    model = kind(n_estimators=n_estimators, oob_score=True)
    weighted = model.fit(frame, y, sample_weight=weight)
    seen = weighted.oob_score_, weighted.n_estimators_, weighted.feature_importances_.tolist()
    copies = model.fit(frame.iloc[rows], y[rows])
    expected = copies.oob_score_, copies.n_estimators_, copies.feature_importances_.tolist()
    assert seen == expected


def test_equal_rows_have_one_prediction_out_of_bag():
    frame, y, _ = table_of_few_rows()
    model = RandomForestClassifier(n_estimators=30, oob_score=True).fit(frame, y)
    by_content = pd.DataFrame(model.oob_decision_function_).groupby([frame["a"], frame["b"], y])
    assert (by_content.nunique() == 1).all(axis=None)
