"""Fits whose rounds are made by parts of the rows in threads, for tests of clusters without one."""

import contextlib
import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from branchline._part_rounds import PartOfRounds, RoundWork, add_gathered
from branchline.scale import _round_session, _session, _tree_session
from branchline.scale._listener import Listener
from branchline.scale._messages import Line
from branchline.scale._round_session import digest_of
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
    """Makes rounds by parts that meet at a barrier where sums are wanted: no messages at all.

    The first one has no rows: it looks for tests.
    """

    def __init__(self, work: RoundWork, n_parts: int, block_rows: int) -> None:
        self.work = work
        ends = [work.n_rows * number // n_parts for number in range(n_parts + 1)]
        self._cut = list(itertools.pairwise(ends))
        works = [work.head(), *(work.part(*cut) for cut in self._cut)]
        meeting = Meeting(len(works), self.told)
        self._parts = [
            PartOfRounds(own, BarrierExchange(meeting, number), 1, block_rows)
            for number, own in enumerate(works)
        ]

    def run(self, number: int, validation: Any) -> dict[str, Any]:
        made: list[Any] = [None] * len(self._parts)

        def make(place: int) -> None:
            made[place] = self._parts[place].run(number, self._validation_of(place, validation))

        threads = [threading.Thread(target=make, args=(k,)) for k in range(len(self._parts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({digest_of(one) for one in made}) == 1
        return dict(made[0])

    def told(self, number: int, values: Any) -> None:
        """See what a part gathers."""

    def _validation_of(self, place: int, validation: Any) -> Any:
        if validation is None:
            return None
        if place == 0:
            return np.zeros(len(validation) // self.work.n_rows, np.int64)
        return self.work.rows_of_models(validation, *self._cut[place - 1])

    def scores(self) -> Any:
        n_models = len(self.work.of_models["raw"]) // self.work.n_rows
        whole = np.empty((n_models, self.work.n_rows))
        for part, (begin, end) in zip(self._parts[1:], self._cut, strict=True):
            whole[:, begin:end] = part.raw.reshape(n_models, -1)
        return whole


class Meeting:
    """Where all parts meet."""

    def __init__(self, n_parts: int, told: Callable[[int, Any], None]) -> None:
        self.barrier, self.told = threading.Barrier(n_parts), told
        self.values: list[Any] = [None] * n_parts


class BarrierExchange:
    """What one part tells the others there."""

    def __init__(self, meeting: Meeting, number: int) -> None:
        self._meeting, self._number, self.looks = meeting, number, number == 0

    def _joined(self, join: Any, values: Any) -> Any:
        meeting = self._meeting
        meeting.values[self._number] = values.copy()
        meeting.barrier.wait(SECONDS)
        joined = join(meeting.values)
        meeting.barrier.wait(SECONDS)
        return joined

    def add(self, values: Any) -> None:
        values[:] = self._joined(np.add.reduce, values)

    def take_largest(self, values: Any) -> None:
        values[:] = self._joined(np.maximum.reduce, values)

    def gather(self, values: Any) -> None:
        self._meeting.told(self._number, values)
        joined = self._joined(gathered, values)
        if self.looks:
            values[:] = joined

    def tell(self, words: Any) -> Any:
        return self._joined(lambda told: told[0], words)


def gathered(given: list[Any]) -> Any:
    """Return the sums of what all parts have gathered; the first one's are zeros."""
    total = given[0].copy()
    for one in given[1:]:
        add_gathered(one, total)
    return total
