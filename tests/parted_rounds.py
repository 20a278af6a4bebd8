"""Fits whose rounds are made by parts of the rows in threads, for tests of clusters without one."""

import contextlib
import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from branchline._part_rounds import PartOfRounds, RoundWork
from branchline.scale import _round_session, _session, _tree_session
from branchline.scale._listener import Listener
from branchline.scale._messages import Line
from branchline.scale._session import serve

SECONDS = 60


class ThreadPlacement:
    """Runs sessions in threads of this process, as ``Placement`` does on workers."""

    def __init__(self, n_threads: int = 1, n_workers: int = 2, memory: int | None = None) -> None:
        self.threads: dict[int, threading.Thread] = {}
        self.lost: list[int] = []
        self.n_threads, self.n_workers, self._memory = n_threads, n_workers, memory
        self._numbers = itertools.count(1)

    def workers(self) -> list[str]:
        return [str(number) for number in range(self.n_workers)]

    def n_idle(self) -> int:
        return max(0, self.n_workers - len(self.threads))

    def memory(self) -> int | None:
        return self._memory

    def begin(self, listener: Listener) -> int:
        number = next(self._numbers)
        self.threads[number] = threading.Thread(target=_serve, args=(listener, number), daemon=True)
        self.threads[number].start()
        return number

    def failed(self) -> set[int]:
        return {number for number, one in self.threads.items() if not one.is_alive()}

    def lose(self, number: int, *, is_silent: bool = False) -> None:
        self.lost.append(number)
        self.threads.pop(number)


def fail_by(monkeypatch: pytest.MonkeyPatch, fail: Callable[[str], None]) -> None:
    """Call a function, which may raise, at each place where a session may fail."""

    def may_fail(place: str, line: Line) -> None:
        fail(place)

    for module in (_session, _round_session, _tree_session):
        monkeypatch.setattr(module, "may_fail", may_fail)


def _serve(listener: Listener, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        serve(listener.address, listener.secret, number)


class BarrierMaker:
    """Makes rounds by parts that meet at a barrier where sums are wanted: no messages at all."""

    def __init__(self, work: RoundWork, n_parts: int, block_rows: int) -> None:
        self._work, self._n_parts = work, n_parts
        self._barrier = threading.Barrier(n_parts)
        self._values: list[Any] = [None] * n_parts
        ends = [work.n_rows * number // n_parts for number in range(n_parts + 1)]
        self._cut = list(itertools.pairwise(ends))
        self._parts = [
            PartOfRounds(work.part(*cut), self._exchange_of(number), 1, block_rows)
            for number, cut in enumerate(self._cut)
        ]

    def _exchange_of(self, number: int) -> Callable[[bool, Any], None]:
        def exchange(is_largest: bool, values: Any) -> None:
            self._values[number] = values.copy()
            self._barrier.wait(SECONDS)
            join = np.maximum if is_largest else np.add
            joined = join.reduce(self._values)
            self._barrier.wait(SECONDS)
            values[:] = joined

        return exchange

    def run(self, number: int, validation: Any) -> dict[str, Any]:
        made: list[Any] = [None] * self._n_parts

        def make(place: int) -> None:
            cut = self._cut[place]
            own = None if validation is None else self._work.rows_of_models(validation, *cut)
            made[place] = self._parts[place].run(number, own)

        threads = [threading.Thread(target=make, args=(k,)) for k in range(self._n_parts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return dict(made[0])

    def scores(self) -> Any:
        n_models = len(self._work.of_models["raw"]) // self._work.n_rows
        whole = np.empty((n_models, self._work.n_rows))
        for part, (begin, end) in zip(self._parts, self._cut, strict=True):
            whole[:, begin:end] = part.raw.reshape(n_models, -1)
        return whole
