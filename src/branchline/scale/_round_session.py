"""Rounds of boosting on a worker that keeps some rows.

1. Get the codes of some rows, and the rounds that are done.
2. Replay these rounds: then the scores of the rows are what they would be had they been here from
   the beginning.
3. Make rounds when told to. Sums over all rows come from the process of the fit.
"""

from typing import Any

import numpy as np

from branchline._part_rounds import PartOfRounds, RoundWork
from branchline.scale._fail_points import may_fail
from branchline.scale._messages import Kind, Line, Message, MessageError, pack, unpack

__all__ = ["RoundSession"]


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
        self._line, self._number = line, 0
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
        self._number = 0
        try:
            measured = self._validation if about["measures"] else None
            grown = self._part.run(told.number, measured)
        except OverflowError:
            self._line.send(Kind.failed, told.number, b"overflow")
            return
        may_fail("leaf update", self._line)
        self._line.send(Kind.made, told.number, *pack({}, _arrays_of(grown)))

    def _exchange(self, is_largest: bool, values: Any) -> None:
        """Replace numbers by those of all parts."""
        may_fail(f"exchange {self._number}", self._line)
        kind = Kind.largest if is_largest else Kind.add
        self._line.send(kind, self._number, values)
        answer = self._line.receive()
        is_other = answer.kind != Kind.answer or answer.number != self._number
        if is_other or len(answer.payload) != values.nbytes:
            raise MessageError("an answer to another question")
        values[:] = np.frombuffer(answer.payload, np.uint64)
        self._number += 1


def _arrays_of(grown: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in grown.items() if isinstance(one, np.ndarray)}


def _rounds_from(counts: list[int], arrays: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rounds that are done, which came side by side."""
    if not counts:
        return []
    return [{name[6:]: one for name, one in arrays.items() if name.startswith("round ")}]
