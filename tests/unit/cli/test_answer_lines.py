"""Ctrl-C ends a dialogue at once, also after a library has put its own handler first."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_CHILD = """
import signal, sys
from branchline.cli._answer_lines import answer_line
signal.siginterrupt(signal.SIGINT, False)  # as libraries leave it
print("ready", flush=True)
try:
    answer_line(sys.stdin)
except KeyboardInterrupt:
    print("heard", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "siginterrupt"), reason="signals of POSIX")
def test_ctrl_c_does_not_wait_for_a_line() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "ready\n"
        _wait_until_it_reads(child.pid)
        os.kill(child.pid, signal.SIGINT)
        assert child.stdout.readline() == "heard\n"  # stdin is open all the time
        child.stdin.close()


def _wait_until_it_reads(pid: int) -> None:
    """Wait until the child sleeps in a read, or long enough where that is not told."""
    place = Path(f"/proc/{pid}/wchan")
    for _ in range(50):
        if place.exists() and "pipe_read" in place.read_text(encoding="ascii"):
            return
        time.sleep(0.02)
