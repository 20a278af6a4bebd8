"""Sessions of a fit as processes of this machine, without Dask: what they cost and how they fail.

``ProcessPlacement`` starts a process for each session, forked from one that has loaded everything
once. Dask's own threads, which take two percent of a core in each process, are not measured.
"""

import contextlib
import itertools
import multiprocessing
import os
import signal
from collections.abc import Iterator
from typing import Any

from branchline._part_rounds import RoundWork, round_engine
from branchline._tree_work import TreeWork, tree_engine
from branchline.scale._fail_points import FAIL_AT
from branchline.scale._listener import Listener
from branchline.scale._parts import Parts
from branchline.scale._session import serve
from branchline.scale._tree_sessions import TreeSessions

__all__ = ["ProcessPlacement", "by_processes"]


class ProcessPlacement:
    """Runs sessions in processes of their own, as ``Placement`` does on workers.

    Parameters
    ----------
    n_workers
        The number of workers there are said to be.
    fail_at
        What a session does to itself, and where (``_fail_points``); None: nothing.
    """

    def __init__(self, n_workers: int = 1, fail_at: str | None = None) -> None:
        self.n_threads, self.n_workers, self.n_lost = 1, n_workers, 0
        self._fail_at, self._numbers = fail_at, itertools.count(1)
        self._running: dict[int, Any] = {}
        self._begun: list[Any] = []
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["branchline.scale._session"])

    def workers(self) -> list[str]:
        return [str(number) for number in range(self.n_workers)]

    def n_idle(self) -> int:
        return max(0, self.n_workers - len(self._running))

    def memory(self) -> int | None:
        return None

    def begin(self, listener: Listener) -> int:
        number = next(self._numbers)
        given = (listener.address, listener.secret, number, self._fail_at)
        process = self._processes.Process(target=_serve, args=given, daemon=True)
        process.start()
        self._running[number] = process
        self._begun.append(process)
        return number

    def failed(self) -> set[int]:
        return {number for number, one in self._running.items() if not one.is_alive()}

    def lose(self, number: int, *, is_silent: bool = False) -> None:
        self.n_lost += 1
        process = self._running.pop(number)
        if process.pid is not None and not is_silent:
            process.kill()

    def wake(self) -> None:
        """Let processes that were stopped go on."""
        for process in self._begun:
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(process.pid, signal.SIGCONT)

    def left(self, seconds: float = 10.0) -> int:
        """Return the number of sessions that have not ended after some seconds."""
        self.wake()
        for process in self._begun:
            process.join(seconds)
        return sum(process.is_alive() for process in self._begun)


def _serve(address: Any, secret: bytes, number: int, fail_at: str | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if fail_at is not None:
        os.environ[FAIL_AT] = fail_at
    with contextlib.suppress(OSError):  # the fit has ended
        serve(address, secret, number)


@contextlib.contextmanager
def by_processes(
    placement: Any, n_parts: int, *, block_rows: int = 16384, patience: float = 30.0
) -> Iterator[list[Any]]:
    """Let rounds and trees of fits in this block be made by sessions of a placement."""
    listener, made = Listener("127.0.0.1"), list[Any]()

    def rounds(work: RoundWork) -> Parts:
        given: dict[str, Any] = {"n_parts": n_parts, "block_rows": block_rows}
        made.append(Parts(work, placement, listener, patience=patience, rounds=[], **given))
        return made[-1]

    def trees(work: TreeWork) -> TreeSessions:
        given: dict[str, Any] = {"n_sessions": n_parts, "batches": {}}
        given["on_batch"] = lambda first, batch: None
        made.append(TreeSessions(work, placement, listener, patience=patience, **given))
        return made[-1]

    try:
        with round_engine(rounds), tree_engine(trees):
            yield made
    finally:
        for one in made:
            one.close()
        listener.close()
