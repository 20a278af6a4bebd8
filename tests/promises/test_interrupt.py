"""Ctrl-C stops long work in compiled code at once, and leaves the process usable."""

import signal

import pytest

from interrupts import NEEDS_PROC, SOON, endings

pytestmark = NEEDS_PROC

PROLOGUE = """
import signal
import numpy as np
from branchline import _core

ONE, NONE = np.ones(1, np.uint64), np.zeros(1, np.int64)
COLUMNS = [np.random.default_rng(0).normal(size=1_000_000)] * 500
NUMERIC = np.full(500, -1, np.int32)
FOREVER = np.array([2**60])


class Custom(Exception):
    pass


def raise_custom(number, frame):
    raise Custom


def check_it_still_works():
    assert _core.fit_codes([np.zeros(2)], NUMERIC[:1], None, 0, 2)[0][0].tolist() == [1, 1]

"""
AFTERWARDS = "check_it_still_works()"

WORK = {
    "codes": "_core.fit_codes(COLUMNS, NUMERIC, None, 255, 1)",
    "codes in threads": "_core.fit_codes(COLUMNS, NUMERIC, None, 255, 3)",
    "exact codes": "_core.fit_codes(COLUMNS, NUMERIC, None, 0, 2)",
    "row keys": "_core.content_keys([np.arange(1_000_000, dtype=np.uint32)] * 5000, [None] * 5000, "
    "np.zeros((1_000_000, 1), np.uint64), None, 2)",
    "draws": "_core.bootstrap_counts(ONE, FOREVER, NONE, 1, 1, 1)",
    "draws in threads": "_core.bootstrap_counts("
    "np.ones(9000, np.uint64), np.full(9000, 2**60), np.zeros(9000, np.int64), 1, 1, 3)",
}


@pytest.fixture(scope="module")
def found():
    return endings(WORK, prologue=PROLOGUE, afterwards=AFTERWARDS)


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_raises_keyboard_interrupt_at_once(found, work):
    assert found[work].name == "KeyboardInterrupt"
    assert found[work].seconds < SOON


def test_a_handler_that_raises_something_else_is_heard_too():
    prologue = PROLOGUE + "signal.signal(signal.SIGUSR1, raise_custom)"
    found = endings(
        {"draws": WORK["draws"]}, prologue=prologue, afterwards=AFTERWARDS, number=signal.SIGUSR1
    )
    assert found["draws"].name == "Custom"
    assert found["draws"].seconds < SOON


def test_a_handler_that_does_not_raise_stops_nothing():
    prologue = PROLOGUE + "signal.signal(signal.SIGINT, lambda number, frame: None)"
    work = {"codes": "_core.fit_codes(COLUMNS[:40], NUMERIC[:40], None, 255, 2)"}
    found = endings(work, prologue=prologue, afterwards=AFTERWARDS)
    assert found["codes"].name == "ended"
