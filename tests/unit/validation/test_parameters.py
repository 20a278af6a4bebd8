"""Constraints of parameters: every value is allowed or not, none breaks them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from branchline._validation import AnyOf, OneOf, Real, Whole


@pytest.mark.parametrize(
    ("value", "allowed"),
    [("a", True), (None, True), ("b", False), (np.array(["a", "b"]), False), (["a"], False)],
)
def test_one_of_a_few_names(value: Any, allowed: bool) -> None:
    assert OneOf(("a", None)).allows(value) is allowed


def test_a_single_choice_is_no_list_of_choices() -> None:
    assert OneOf(("a", None)).describe() == "one of 'a', None"
    assert OneOf((None,)).describe() == "None"
    both = AnyOf((OneOf((None,)), Whole(1)))
    assert both.describe() == "None, or a whole number of at least 1"


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        (0, True),
        (np.float32(0.5), True),
        (Fraction(1, 3), True),
        (-1, False),
        (np.nan, False),
        (np.inf, False),
        (10**400, False),
        (True, False),
        ("1", False),
    ],
)
def test_a_finite_number_of_at_least_zero(value: Any, allowed: bool) -> None:
    assert Real(0.0).allows(value) is allowed
    assert Real(0.0, low_open=True).allows(0) is False
