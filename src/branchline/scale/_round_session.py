"""Rounds of boosting on a worker that keeps some rows.

1. Get the codes of some rows, and the rounds that are done.
2. Replay these rounds: then the scores of the rows are what they would be had they been here from
   the beginning.
3. Make rounds when told to. Sums over all rows, and the tests of nodes, come from the process of
   the fit; histograms of these rows go there.
"""

import hashlib
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._part_rounds import PartOfRounds, RoundWork
from branchline.scale._fail_points import may_fail
from branchline.scale._messages import Kind, Line, Message, MessageError, unpack

__all__ = ["LineExchange", "RoundSession", "digest_of"]


class RoundSession:
    """What one part does with the messages that it gets.

    Parameters
    ----------
    line
        The connection to the process of the fit.
    about, arrays
        The rows, the rounds that are done, and how rows are counted.
    n_threads
        Threads to use.
    """

    def __init__(
        self, line: Line, about: dict[str, Any], arrays: dict[str, Any], n_threads: int
    ) -> None:
        self._line, self._exchange = line, LineExchange(line)
        work = RoundWork.from_arrays(about["settings"], arrays)
        self._validation = arrays.get("validation")
        self._part = PartOfRounds(work, self._exchange, n_threads, about["block_rows"])
        self._part.replay(_rounds_from(about["rounds"], arrays))

    def do(self, told: Message) -> None:
        """Make a round, or tell the scores."""
        if told.kind == Kind.scores:
            self._line.send(Kind.scores, told.number, self._part.raw)
        elif told.kind == Kind.run:
            self._make(told)

    def _make(self, told: Message) -> None:
        about, arrays = unpack(told.payload)
        self._validation = arrays.get("validation", self._validation)
        self._exchange.begin()
        try:
            measured = self._validation if about["measures"] else None
            grown = self._part.run(told.number, measured)
        except OverflowError:
            self._line.send(Kind.failed, told.number, b"overflow")
            return
        may_fail("leaf update", self._line)
        self._line.send(Kind.made, told.number, digest_of(grown))


class LineExchange:
    """Sums over all parts, by messages to the process of the fit, which looks for tests.

    Parameters
    ----------
    line
        The connection to it.
    """

    looks = False

    def __init__(self, line: Line) -> None:
        self._line = line
        self.begin()

    def begin(self) -> None:
        """Begin a round."""
        self._number, self._n_gathered = 0, 0

    def add(self, values: Any) -> None:
        """Replace numbers by their sums over all parts."""
        self._ask(Kind.add, values)
        values[:] = self._answer(values.nbytes)

    def take_largest(self, values: Any) -> None:
        """Replace numbers by the largest ones of all parts."""
        self._ask(Kind.largest, values)
        values[:] = self._answer(values.nbytes)

    def gather(self, values: Any) -> None:
        """Send numbers to where their sums are looked at."""
        may_fail(f"histogram {self._n_gathered}", self._line)
        self._n_gathered += 1
        self._ask(Kind.gather, values)

    def tell(self, words: Any) -> AnyArray:
        """Return what was found in the sums."""
        return self._answer(None)

    def _ask(self, kind: Kind, values: Any) -> None:
        may_fail(f"exchange {self._number}", self._line)
        self._line.send(kind, self._number, values)

    def _answer(self, length: int | None) -> AnyArray:
        answer = self._line.receive()
        while answer.kind == Kind.answer and answer.number < self._number:
            answer = self._line.receive()  # to what was told twice
        is_other = answer.kind != Kind.answer or answer.number != self._number
        if is_other or length not in {None, len(answer.payload)}:
            raise MessageError("an answer to another question")
        self._number += 1
        return np.frombuffer(answer.payload, np.uint64)


def digest_of(grown: dict[str, Any]) -> bytes:
    """Return a hash of the trees of a round."""
    told = hashlib.blake2b(digest_size=16)
    for name, one in grown.items():
        if isinstance(one, np.ndarray):
            told.update(f"{name} {one.dtype} {len(one)}".encode())
            told.update(np.ascontiguousarray(one).data)
    return told.digest()


def _rounds_from(counts: list[int], arrays: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rounds that are done, which came side by side."""
    if not counts:
        return []
    return [{name[6:]: one for name, one in arrays.items() if name.startswith("round ")}]
