"""Ctrl-C stops long work in compiled code within a second, and leaves the process usable."""

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a child")

PROLOGUE = """
import signal, sys, time
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


def still_works():
    assert _core.fit_codes([np.zeros(2)], NUMERIC[:1], None, 0, 2)[0][0].tolist() == [1, 1]


print("ready", flush=True)
"""

EPILOGUE = """
except (KeyboardInterrupt, Custom) as error:
    print(type(error).__name__, time.monotonic(), flush=True)
    still_works()
else:
    print("ended", time.monotonic(), flush=True)
"""

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


def interrupted(work, *, before="pass", number=signal.SIGINT):
    """Return what a child's work ended with, and how long that took after the signal."""
    script = f"{PROLOGUE}\ntry:\n    {before}\n    {work}{EPILOGUE}"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            sent = time.monotonic()
            child.send_signal(number)
            ending, moment = child.stdout.readline().split()
            assert child.wait(timeout=30) == 0
        finally:
            child.kill()
    return ending, float(moment) - sent


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_ctrl_c_raises_keyboard_interrupt_within_a_second(work):
    ending, seconds = interrupted(work)
    assert ending == "KeyboardInterrupt"
    assert seconds < 1


def test_a_handler_that_raises_something_else_is_heard_too():
    ending, seconds = interrupted(
        WORK["draws"], before="signal.signal(signal.SIGUSR1, raise_custom)", number=signal.SIGUSR1
    )
    assert ending == "Custom"
    assert seconds < 1


def test_a_handler_that_does_not_raise_stops_nothing():
    ending, _ = interrupted(
        "_core.fit_codes(COLUMNS[:40], NUMERIC[:40], None, 255, 2)",
        before="signal.signal(signal.SIGINT, lambda number, frame: None)",
    )
    assert ending == "ended"
