"""Signals to a child that works: what its work ends with, and how long it still worked.

A child is interrupted after it has worked for a while, and it says how much longer it worked. Both
are counted in the child's own processor time, so that other work on the machine changes nothing.
"""

import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from processor_time import processor_seconds

__all__ = ["NEEDS_PROC", "SOON", "Ending", "endings"]

NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="reads the processor time of a child from /proc"
)
# Processor seconds within which a signal must be heard: a twentieth or less where it was measured.
SOON = 2.0
_PATIENCE = 200.0  # seconds for what takes one or two: the machine may be busy

_TELL = """
def _tell(ending):
    import time
    print(ending, time.process_time(), flush=True)
"""
_WORK = """
try:
    print("ready", flush=True)
{work}
except BaseException as error:
    _tell(type(error).__name__)
else:
    _tell("ended")
{afterwards}
"""

# Without this, Python ends with SIGINT's code after a Ctrl-C that fell into text that it ran
# (dataclasses run some), also where it was caught.
_LEAVE = "raise SystemExit(0)"


class Ending(NamedTuple):
    """How a work ended: the name of the exception, or "ended"; and the seconds until then."""

    name: str
    seconds: float


def endings(
    works: Mapping[str, str],
    *,
    prologue: str = "",
    afterwards: str = "",
    number: int = signal.SIGINT,
    after: float = 0.3,
) -> dict[str, Ending]:
    """Do works one after the other in one child; send each a signal ``after`` seconds of work.

    ``afterwards`` is done after each work. The child must end by itself, without a complaint.
    """
    blocks = [
        _WORK.format(work=textwrap.indent(work, "    "), afterwards=afterwards)
        for work in works.values()
    ]
    command = [sys.executable, "-c", "\n".join([_TELL, prologue, *blocks, _LEAVE])]
    found = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_read, args=(child, lines))
        reader.start()
        try:
            for name in works:
                found[name] = _ending(child, lines, number, after)
            assert child.wait(timeout=_PATIENCE) == 0
        finally:
            child.kill()
            reader.join()
    return found


def _read(child: "subprocess.Popen[str]", lines: "queue.Queue[str]") -> None:
    assert child.stdout is not None
    for line in child.stdout:
        lines.put(line)
    lines.put("")  # the child has ended


def _ending(
    child: "subprocess.Popen[str]", lines: "queue.Queue[str]", number: int, after: float
) -> Ending:
    assert lines.get(timeout=_PATIENCE) == "ready\n"
    begin = processor_seconds(child.pid)
    while processor_seconds(child.pid) < begin + after and lines.empty():
        time.sleep(0.005)
    sent = processor_seconds(child.pid)
    if lines.empty():  # or the work has ended already
        child.send_signal(number)
    name, seconds = lines.get(timeout=_PATIENCE).split()
    return Ending(name, float(seconds) - sent)
