"""Places where a session may be made to fail, so that what follows can be tested.

The environment variable ``BRANCHLINE_FAIL_AT`` holds "place|fault|file": at this place the fault
happens once; the file, which must not exist, then holds the number of the process. Without it,
nothing happens.

Places: "load" (before the work has come), "code" (when it is there), "exchange N" (before the N-th
sum over all rows of a round), "histogram N" (before the N-th histogram of a round; 0 is the root),
"leaf update" (before a round is told), "tree N" (before the batch of trees with number N is grown),
"grown" (before it is told), "shutdown".
"""

import contextlib
import importlib
import os
import signal
import time
from collections.abc import Callable
from typing import Any

from branchline.scale._messages import Line

__all__ = ["FAIL_AT", "FAULTS", "may_fail"]

FAIL_AT = "BRANCHLINE_FAIL_AT"
_LATE = 4.0


def may_fail(place: str, line: Line) -> None:
    """Let the fault of this place happen, if there is one."""
    told = os.environ.get(FAIL_AT)
    if told is None:
        return
    where, fault, mark = told.split("|", 2)
    if where != place:
        return
    with contextlib.suppress(FileExistsError):
        file = os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(file, str(os.getpid()).encode())
        os.close(file)
        FAULTS[fault](line)


def _kill(line: Line) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stop(line: Line) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _raise(line: Line) -> None:
    raise RuntimeError("a fault that was asked for")


def _use_up_memory(line: Line) -> None:
    """Leave the process little memory, and ask for more."""
    resource: Any = importlib.import_module("resource")
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**24, resource.RLIM_INFINITY))
    bytearray(2**27)


def _be_late(line: Line) -> None:
    """Say nothing for a while, then go on as if nothing had happened."""
    with line.held():
        time.sleep(_LATE)


class _Damaged:
    """A connection that damages the next thing that is sent."""

    def __init__(self, link: Any, damage: Callable[[Any, bytes], None]) -> None:
        self._link, self._damage, self._is_done = link, damage, False

    def sendall(self, sent: Any) -> None:
        """Send, the first time with damage."""
        if self._is_done:
            self._link.sendall(sent)
            return
        self._is_done = True
        self._damage(self._link, bytes(sent))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)


def _damaging(damage: Callable[[Any, bytes], None]) -> Callable[[Line], None]:
    def fault(line: Line) -> None:
        with line.held():  # not a sign of life, but the message that comes next
            line._link = _Damaged(line._link, damage)  # type: ignore[assignment]

    return fault


def _cut_off(link: Any, sent: bytes) -> None:
    link.sendall(sent[: len(sent) // 2])
    link.close()
    raise ConnectionError("cut off")


def _flip(link: Any, sent: bytes) -> None:
    link.sendall(sent[:-1] + bytes([sent[-1] ^ 1]))


def _repeat(link: Any, sent: bytes) -> None:
    link.sendall(sent + sent)


FAULTS: dict[str, Callable[[Line], None]] = {
    "kill": _kill,
    "stop": _stop,
    "exception": _raise,
    "memory": _use_up_memory,
    "late": _be_late,
    "truncated": _damaging(_cut_off),
    "corrupted": _damaging(_flip),
    "twice": _damaging(_repeat),
}
