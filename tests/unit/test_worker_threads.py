"""Threads that work in Python hear Ctrl-C, and no thread aborts a process that ends."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn import config_context, get_config

from branchline._validation import count_threads
from branchline._worker_threads import map_in_threads
from interrupts import NEEDS_PROC, endings

PROLOGUE = """
import os, sys, threading, time
import numpy as np
from branchline.boosting import AdaBoostRegressor
from branchline.ensemble import *
from branchline.forest import RandomForestRegressor
from branchline.tree import DecisionTreeRegressor
r = np.random.default_rng(0)
X = r.normal(size=(50_000, 20))
y = X[:, 0] + X[:, 1] * X[:, 2] + r.normal(size=50_000)
"""

DAEMONS = """
begin = time.process_time()
for work in ({works}):
    threading.Thread(target=work, daemon=True).start()
while time.process_time() < begin + {seconds}:
    time.sleep(0.01)
print("leaves", flush=True)
"""

MEMBERS = (
    "VotingRegressor(n_jobs=2).fit(X, y)",
    "StackingRegressor(n_jobs=2).fit(X, y)",
    "BayesianAverageRegressor(n_jobs=2).fit(X, y)",
    "BaggingRegressor(estimator=RandomForestRegressor(), n_jobs=2).fit(X, y)",
    # Members are fitted in a thread that waits for threads of its own.
    "VotingRegressor(estimators=[('a', VotingRegressor(n_jobs=2)), ('b', 'tree')], n_jobs=2)"
    ".fit(X, y)",
)
ALONE = (
    "DecisionTreeRegressor().fit(X, y)",
    "AdaBoostRegressor(n_estimators=200).fit(X, y)",
    "RandomForestRegressor(n_estimators=2000).fit(X, y)",
    "VotingRegressor(n_jobs=2).fit(X, y)",
)


@NEEDS_PROC
def test_members_hear_ctrl_c_and_the_process_ends_cleanly():
    # What is imported late is imported first: dataclasses run text, and Python ends with SIGINT's
    # code after a Ctrl-C that falls into text it runs, also when it was caught.
    small = [work.replace("(X, y)", "(X[:60], y[:60])") for work in MEMBERS]
    found = endings(
        {work: work for work in MEMBERS},
        prologue="\n".join([PROLOGUE, *small]),
        afterwards="assert [each.name for each in threading.enumerate()] == ['MainThread']",
        after=1.0,
    )
    for work, ending in found.items():
        assert ending.name == "KeyboardInterrupt", work
        assert ending.seconds < 5, work  # two threads end what they have begun


def test_fits_in_daemon_threads_do_not_abort_a_process_that_ends():
    script = DAEMONS.format(works=", ".join(f"lambda: {work}" for work in ALONE), seconds=1)
    command = [sys.executable, "-c", PROLOGUE + script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "leaves\n", "")


@NEEDS_PROC
def test_work_goes_on_in_a_child_that_was_forked_beside_work():
    """A child that waited for a thread of its parent would sleep; a busy machine lets it run."""
    script = """
threading.Thread(target=DecisionTreeRegressor().fit, args=(X, y), daemon=True).start()
time.sleep(0.3)
if (child := os.fork()) == 0:
    import atexit
    atexit.register(lambda: DecisionTreeRegressor(max_depth=1, n_jobs=1).fit(X[:50], y[:50]))
    sys.exit(0)
asleep, last = 0.0, time.monotonic()
while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
    state = open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[0]
    now = time.monotonic()
    asleep += min(now - last, 0.1) * (state == "S")
    last = now
    time.sleep(0.05)
print(asleep)
sys.exit(os.waitstatus_to_exitcode(ended[1]))
"""
    # Since Python 3.12 a fork beside threads is warned of: that is what is tested here.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROLOGUE + script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert float(ended.stdout) < 2  # it would sleep for ten seconds


def test_results_come_in_order_and_settings_reach_the_threads():
    def work(item):
        time.sleep(0.002 * (7 - item))
        return (
            item,
            get_config()["assume_finite"],
            np.geterr()["divide"],
            count_threads(None, 10**9),
        )

    with config_context(assume_finite=True), np.errstate(divide="raise"):
        found = map_in_threads(work, range(7), 3)
    assert found == [(item, True, "raise", 1) for item in range(7)]


def test_the_first_failure_by_order_is_raised_and_nothing_more_is_begun():
    begun, before = [], set(threading.enumerate())

    def work(item):
        begun.append(item)
        time.sleep(0.2 if item == 0 else 0.01)
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        map_in_threads(work, range(50), 2)
    assert len(begun) <= 3
    assert set(threading.enumerate()) <= before
