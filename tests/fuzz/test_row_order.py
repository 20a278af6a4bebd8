"""A few tables of ``python -m fuzz.row_order``: each promise is tried on some of them."""

import pytest

from fuzz.row_order import CHOICES, PROMISES, attempt

SEED = 1
N_TABLES = 2


@pytest.mark.parametrize("table", range(N_TABLES))
@pytest.mark.parametrize("place", range(len(PROMISES)), ids=list(PROMISES))
def test_row_order_changes_nothing(place, table):
    assert attempt(SEED, table * len(PROMISES) + place) in {"usable", "refused"}


def test_no_promise_is_lost():
    assert len(CHOICES) == 31
    assert len(PROMISES) == len(CHOICES) + 3
