"""Texts among amounts and dates of frames: told once, and harmless where a fold lacks them."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from branchline import Table
from branchline.errors import BranchlineWarning, KindError
from branchline.tree import DecisionTreeClassifier

RNG = np.random.default_rng(3)
Y = np.arange(80) % 2


def _amounts(*others: str) -> list[str]:
    cells = [f"${value:,}" for value in RNG.integers(500, 9000, 80)]
    cells[: len(others)] = others
    return cells


def _fitted(**columns: Any) -> DecisionTreeClassifier:
    return DecisionTreeClassifier().fit(pd.DataFrame(columns), Y)


def test_marks_of_several_columns_are_one_warning() -> None:
    frame = pd.DataFrame({"a": _amounts("-", "n/a"), "b": _amounts("-"), "c": _amounts()})
    with pytest.warns(BranchlineWarning) as caught:
        table = Table(frame)
    [warning] = [one.message for one in caught]
    assert warning.code == "W020"  # type: ignore[union-attr]
    assert "2 columns of numbers hold texts that count as missing: " in str(warning)
    assert "'a' ('-' (1 cell) and 'n/a' (1 cell)); 'b' ('-' (1 cell))." in str(warning)
    assert table.column("a").is_missing.sum() == 2


def test_a_text_that_a_training_fold_lacks_does_not_fail_the_fold() -> None:
    frame = pd.DataFrame({"amount": _amounts("on request"), "x": RNG.normal(size=80)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = cross_val_score(DecisionTreeClassifier(), frame, Y, cv=4, error_score="raise")
    assert np.isfinite(scores).all()
    told = [str(one.message) for one in caught if "[W030]" in str(one.message)]
    assert any(
        "'on request' (1 cell) cannot be read as such and counts as missing" in t for t in told
    )


def test_a_new_text_counts_as_missing_in_a_batch_and_alone() -> None:
    model = _fitted(amount=_amounts())
    new = pd.DataFrame({"amount": ["$700", "on request"]})
    with pytest.warns(BranchlineWarning, match="on request"):
        both = model.predict_proba(new)
    with pytest.warns(BranchlineWarning, match="on request"):
        alone = model.predict_proba(new[1:])
    missing = model.predict_proba(pd.DataFrame({"amount": pd.Series([None], dtype=object)}))
    np.testing.assert_array_equal(both[1:], alone)
    np.testing.assert_array_equal(alone, missing)


@pytest.mark.parametrize(
    "cells",
    [
        ["€700", "$800"],  # another unit is no missing value
        ["12/01/2024", "$800"],
        [f"word {at}" for at in range(12)],  # nothing at all can be read
    ],
)
def test_other_values_are_still_refused(cells: list[str]) -> None:
    model = _fitted(amount=_amounts())
    with pytest.raises(KindError) as caught:
        model.predict(pd.DataFrame({"amount": cells}))
    assert caught.value.code == "K001"


def test_a_text_among_plain_numbers_is_still_refused() -> None:
    model = _fitted(amount=RNG.normal(size=80))
    with pytest.raises(KindError):
        model.predict(pd.DataFrame({"amount": ["1.5", "much"]}))
