"""Rows held out: how many, from which class, and never all of a class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.neural._dealing import deal_folds, hold_out

CLASSES = st.lists(st.integers(0, 3), min_size=10, max_size=60).map(
    lambda classes: np.unique(classes, return_inverse=True)[1].astype(np.uint32)
)


@given(CLASSES, st.floats(0.01, 0.5), st.integers(0, 12))
def test_every_class_is_left_in_training(classes: np.ndarray, fraction: float, turn: int) -> None:
    held = hold_out(classes, fraction, turn)
    if held is not None:
        assert held.any()
        assert set(classes[~held]) == set(classes)


@given(CLASSES)
def test_folds_hold_out_every_row_once_unless_it_is_the_last_of_its_class(
    classes: np.ndarray,
) -> None:
    folds = deal_folds(classes, 5)
    times = np.sum(folds, axis=0)
    assert times.max() == 1
    kept = classes[times == 0]
    # A class of at least two rows has them in different folds, or at least one held out.
    assert all((classes == one).sum() == 1 for one in set(kept))
    for held in folds:
        assert set(classes[~held]) == set(classes)


def test_classes_are_held_out_evenly() -> None:
    classes = np.repeat([0, 1, 2], [100, 40, 20]).astype(np.uint32)
    held = hold_out(classes, 0.25, 0)
    assert held is not None
    assert np.bincount(classes[held]).tolist() == [25, 10, 5]


@pytest.mark.parametrize("fraction", [0.1, 0.15, 0.3, 0.5])
def test_the_share_is_what_was_asked_for(fraction: float) -> None:
    numbers = np.zeros(200, dtype=np.uint32)
    masks = [hold_out(numbers, fraction, turn) for turn in range(4)]
    assert all(mask is not None and mask.sum() == round(200 * fraction) for mask in masks)
    assert len({mask.tobytes() for mask in masks if mask is not None}) > 1


def test_few_rows_are_all_needed() -> None:
    few = np.zeros(9, dtype=np.uint32)
    assert hold_out(few, 0.3, 0) is None
    assert deal_folds(few, 5) == []
    all_alone = np.arange(12, dtype=np.uint32)
    assert hold_out(all_alone, 0.3, 0) is None
    assert deal_folds(all_alone, 5) == []
