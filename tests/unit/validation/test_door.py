"""The door keeps what it learned: which rows count, and their weights as they were given."""

import numpy as np

from branchline._validation import Owner, check_training_data, check_training_inputs

OWNER = Owner("Test", None)


def test_rows_of_weight_zero_are_left_out_and_remembered():
    data = check_training_data(
        [[1.0], [2.0], [3.0]], ["a", "b", "b"], [0.5, 0.0, 1.5], task="classification", owner=OWNER
    )
    assert data.table.to_numpy().ravel().tolist() == [1.0, 3.0]
    assert data.kept.tolist() == [True, False, True]
    assert data.kept_rows.tolist() == [0, 2]
    assert data.given.tolist() == [0.5, 1.5]


def test_without_zero_weights_all_rows_are_kept():
    plain = check_training_inputs([[1.0], [2.0]], None)
    assert (plain.kept, plain.kept_rows, plain.given) == (None, None, None)
    weighted = check_training_inputs([[1.0], [2.0]], np.array([2, 1]))
    assert weighted.kept is None
    assert weighted.given.tolist() == [2.0, 1.0]
