"""Threads that work in Python hear Ctrl-C, and no thread aborts a process that ends."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn import config_context, get_config

from branchline._validation import count_threads
from branchline._worker_threads import map_in_threads

WIN32 = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a child")

PROLOGUE = """
import os, signal, sys, threading, time
import numpy as np
from branchline.boosting import AdaBoostRegressor
from branchline.ensemble import *
from branchline.forest import RandomForestRegressor
from branchline.tree import DecisionTreeRegressor
r = np.random.default_rng(0)
X = r.normal(size=(50_000, 20))
y = X[:, 0] + X[:, 1] * X[:, 2] + r.normal(size=50_000)
"""

# What is imported late is imported first: dataclasses run text, and Python ends with SIGINT's code
# after a Ctrl-C that falls into text it runs, also when it was caught.
INTERRUPTED = """
{small}
try:
    print("ready", flush=True)
    {work}
except KeyboardInterrupt:
    moment = time.monotonic()
    print([thread.name for thread in threading.enumerate()], flush=True)
    print(moment, flush=True)
"""

DAEMON = """
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.5)
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


@WIN32
@pytest.mark.parametrize("work", MEMBERS)
def test_members_hear_ctrl_c_and_the_process_ends_cleanly(work):
    small = work.replace("(X, y)", "(X[:60], y[:60])")
    script = PROLOGUE + INTERRUPTED.format(work=work, small=small)
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(1)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "['MainThread']\n"
            assert float(child.stdout.readline()) - sent < 5
            assert child.wait(timeout=30) == 0
        finally:
            child.kill()


@pytest.mark.parametrize("work", ALONE)
def test_a_fit_in_a_daemon_thread_does_not_abort_a_process_that_ends(work):
    command = [sys.executable, "-c", PROLOGUE + DAEMON.format(work=work)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "leaves\n", "")


@WIN32
def test_work_goes_on_in_a_child_that_was_forked_beside_work():
    script = """
threading.Thread(target=DecisionTreeRegressor().fit, args=(X, y), daemon=True).start()
time.sleep(0.3)
if (child := os.fork()) == 0:
    import atexit
    atexit.register(lambda: DecisionTreeRegressor(max_depth=1, n_jobs=1).fit(X[:50], y[:50]))
    sys.exit(0)
begin = time.monotonic()
_, status = os.waitpid(child, 0)
print(time.monotonic() - begin)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    command = [sys.executable, "-c", PROLOGUE + script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert float(ended.stdout) < 9  # the child waits for no thread of its parent


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
    begun = []

    def work(item):
        begun.append(item)
        time.sleep(0.2 if item == 0 else 0.01)
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        map_in_threads(work, range(50), 2)
    assert len(begun) <= 3
    assert threading.active_count() == 1
