"""Learned weights: against brute force, and the formulas by hand."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from branchline._validation import ClassTarget, NumberTarget
from branchline.ensemble._fitting import OutOfFold
from branchline.ensemble._training_rows import TrainingRows
from branchline.ensemble._weights import (
    accuracy_weights,
    check_numbers,
    score_members,
    stacked_weights,
)
from branchline.errors import ParameterError
from branchline.table import Table


def held_out(outputs: Any, target: Any, units: Any = None) -> tuple[TrainingRows, OutOfFold]:
    outputs = np.asarray(outputs, dtype=float)
    n_rows = len(outputs)
    counts = np.ones(n_rows, dtype=np.int64) if units is None else np.array(units, dtype=np.int64)
    places = np.arange(n_rows)
    keys = places.astype(np.uint64)
    table = Table.from_matrix(np.zeros((n_rows, 1)))
    rows = TrainingRows(table, target, keys, counts, 1.0, False, places)
    return rows, OutOfFold(places, counts, outputs)


def classes_of(class_of_row: Any, n_classes: int) -> ClassTarget:
    return ClassTarget(np.arange(n_classes), np.array(class_of_row, dtype=np.uint32))


def least_on_a_grid(outputs: np.ndarray, truth: np.ndarray, steps: int = 20) -> float:
    """The least squared error of all weighted means whose weights are multiples of 1/steps."""
    best = np.inf
    for parts in product(range(steps + 1), repeat=outputs.shape[1] - 1):
        if sum(parts) <= steps:
            weights = np.array([*parts, steps - sum(parts)]) / steps
            best = min(best, float(np.mean((outputs @ weights - truth) ** 2)))
    return best


@given(
    arrays(float, (6, 3), elements=st.floats(-10, 10)),
    arrays(float, 6, elements=st.floats(-10, 10)),
)
def test_no_other_mean_has_a_smaller_squared_error(outputs: Any, truth: Any) -> None:
    weights = stacked_weights(*held_out(outputs, NumberTarget(truth)))
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(), 1)
    found = np.mean((outputs @ weights - truth) ** 2)
    assert found <= least_on_a_grid(outputs, truth) + 1e-9


def test_two_members_by_hand() -> None:
    # Errors e₁ = (1, 1), e₂ = (−1, −2): w₁ = e₂·(e₂ − e₁) / ‖e₁ − e₂‖² = (2 + 6) / (4 + 9) = 8/13.
    rows, held = held_out([[1.0, -1.0], [1.0, -2.0]], NumberTarget(np.zeros(2)))
    np.testing.assert_allclose(stacked_weights(rows, held), [8 / 13, 5 / 13])


def test_units_are_copies() -> None:
    outputs, truth = np.array([[1.0, -1.0], [1.0, -2.0]]), np.zeros(2)
    weighted = held_out(outputs, NumberTarget(truth), units=[1, 2])
    repeated = held_out(outputs[[0, 1, 1]], NumberTarget(truth[[0, 1, 1]]))
    for learned in (stacked_weights, accuracy_weights, score_members):
        np.testing.assert_allclose(learned(*weighted), learned(*repeated))


def test_members_without_error_share_the_weight() -> None:
    rows, held = held_out([[1.0, 1.0, 3.0], [2.0, 2.0, 3.0]], NumberTarget(np.array([1.0, 2.0])))
    assert accuracy_weights(rows, held).tolist() == [0.5, 0.5, 0.0]


def test_all_perfect_or_all_useless_members_count_alike() -> None:
    perfect = held_out([[1.0, 1.0]], NumberTarget(np.array([1.0])))
    assert stacked_weights(*perfect).tolist() == [0.5, 0.5]
    wrong = np.tile([0.0, 1.0], (4, 2, 1))
    assert accuracy_weights(*held_out(wrong, classes_of([0] * 4, 2))).tolist() == [0.5, 0.5]


def test_log_odds_of_accuracy_by_hand() -> None:
    # Three classes, 7 rows: right 6 and 3 times, so p = 0.7 and 0.4, w ∝ ln(2·7/3), ln(2·4/6).
    right, wrong = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    outputs = [[right if row < 6 else wrong, right if row < 3 else wrong] for row in range(7)]
    rows, held = held_out(outputs, classes_of([0] * 7, 3))
    raw = np.log([14 / 3, 4 / 3])
    np.testing.assert_allclose(accuracy_weights(rows, held), raw / raw.sum())
    np.testing.assert_allclose(score_members(rows, held), [6 / 7, 3 / 7])


def test_inverse_squared_errors_by_hand() -> None:
    rows, held = held_out([[1.0, 2.0]], NumberTarget(np.zeros(1)))
    np.testing.assert_allclose(accuracy_weights(rows, held), [0.8, 0.2])
    np.testing.assert_allclose(score_members(rows, held), [1.0, 2.0])


def test_numbers_near_the_largest_float() -> None:
    rows, held = held_out([[1.5e300, 0.0]], NumberTarget(np.array([1.5e300])))
    assert stacked_weights(rows, held).tolist() == [1.0, 0.0]
    np.testing.assert_allclose(score_members(rows, held), [0.0, 1.5e300])


@pytest.mark.parametrize("values", [[1.0], [1, -1], [0, 0], [1, np.nan], ["a", "b"], [[1, 2]]])
def test_bad_numbers_are_refused(values: Any) -> None:
    with pytest.raises(ParameterError, match="'weights' parameter") as caught:
        check_numbers("VotingRegressor", "weights", values, 2)
    assert caught.value.code == "P083"


def test_given_numbers_are_divided_by_their_sum() -> None:
    assert check_numbers("", "weights", (3, 1), 2).tolist() == [0.75, 0.25]
    assert check_numbers("", "weights", [1e308, 1e308], 2).tolist() == [0.5, 0.5]
