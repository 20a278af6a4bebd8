"""Rounds of boosting made by sessions on the workers of a cluster, each with a part of the rows.

1. Rows are cut into as many parts as there are workers. Each part has one session on a worker for
   the whole fit (``_session``), which keeps the codes of its rows and their scores.
2. In a round every session grows the same trees. Where it needs sums over all rows it sends those
   of its own rows; they are added here (integers: in any order the same), and all get the result.
3. What was exchanged in a round is kept until its end. A session that is lost, or silent for too
   long, is begun again on another worker: it gets its rows and the rounds that are done, replays
   them, and asks again what the lost one asked in this round. So nothing is counted twice, and
   the others only wait.
4. All sessions must have made the same trees; those of the first are kept.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._part_rounds import RoundWork, joined_trees
from branchline.errors import ClusterError
from branchline.scale._listener import Listener
from branchline.scale._messages import Kind, Message, pack, unpack
from branchline.scale._placement import Placement
from branchline.scale._sessions import Member, Sessions

__all__ = ["Parts"]

_MOST_RESTARTS = 8


@dataclass(eq=False)
class _Part(Member):
    """One part of the rows, and the session that has it."""

    begin: int = 0
    end: int = 0
    asked: Message | None = None
    made: Any = None
    scores: Any = None
    n_restarts: int = 0
    knows_validation: bool = False


class Parts(Sessions[_Part]):
    """Makes the rounds of one work.

    Parameters
    ----------
    work
        What is to be done.
    placement
        Where sessions run.
    listener
        Where they connect to.
    n_parts
        The number of parts.
    block_rows
        Rows that are counted together: nothing but time depends on it.
    patience
        Seconds of silence after which a session is taken for lost.
    rounds
        Rounds that are done already.
    """

    def __init__(
        self,
        work: RoundWork,
        placement: Placement,
        listener: Listener,
        *,
        n_parts: int,
        block_rows: int,
        patience: float,
        rounds: list[dict[str, Any]],
    ) -> None:
        super().__init__(placement, listener, patience)
        self.work, self.rounds, self._block_rows = work, rounds, block_rows
        self._validation: AnyArray | None = None
        self._log: list[tuple[Kind, memoryview]] = []
        self._order: tuple[Kind, int] | None = None
        ends = [work.n_rows * number // n_parts for number in range(n_parts + 1)]
        self._cut = [pair for pair in itertools.pairwise(ends) if pair[0] < pair[1]]

    # -- what is asked for -----------------------------------------------------------------------

    def run(self, number: int, validation: AnyArray | None) -> dict[str, Any]:
        """Return a round; those that are done are not made again."""
        if number < len(self.rounds):
            return self.rounds[number]
        if validation is not None:
            self._validation = validation
        self._log = []
        self._give(Kind.run, number)
        self._wait(lambda part: part.made is not None)
        texts = {bytes(part.made.payload) for part in self.members}
        if len(texts) > 1:
            raise _different()
        _, arrays = unpack(bytearray(texts.pop()))
        made = {**arrays, "n_rounds": 1}
        self.rounds.append(made)
        self._order, self._log = None, []
        return made

    def scores(self) -> Floats:
        """Return the scores of all rows: of each output, model after model."""
        self._give(Kind.scores, 0)
        self._wait(lambda part: part.scores is not None)
        n_models = len(self.work.of_models["raw"]) // self.work.n_rows
        whole = np.empty((n_models, self.work.n_rows))
        for part in self.members:
            own = np.frombuffer(part.scores.payload, np.float64)
            whole[:, part.begin : part.end] = own.reshape(n_models, -1)
        self._order = None
        return whole

    @property
    def n_done(self) -> int:
        """The number of rounds that are made."""
        return len(self.rounds)

    # -- sessions --------------------------------------------------------------------------------

    def _begin(self, part: _Part) -> None:
        """Begin a session for a part, in place of the one it had."""
        part.asked, part.made, part.scores = None, None, None
        part.knows_validation = False
        self.begin(part)

    def lose(self, part: _Part, *, is_silent: bool = False) -> None:
        """Replace a session that is lost."""
        part.n_restarts += 1
        self.traffic.n_restarts += 1
        if part.n_restarts > _MOST_RESTARTS:
            raise ClusterError(
                f"A part of the rows lost {_MOST_RESTARTS} workers one after the other, often "
                "because their memory was used up.",
                code="X015",
            )
        self.placement.lose(part.session, is_silent=is_silent)
        self._begin(part)

    def _give(self, kind: Kind, number: int) -> None:
        """Give all sessions an order; those that have not begun get it when they have."""
        self._order = kind, number
        if not self.members:
            self.members = [_Part(begin=begin, end=end) for begin, end in self._cut]
            for part in self.members:
                self._begin(part)
        for part in self.members:
            part.asked, part.made, part.scores = None, None, None
            if part.line is not None:
                self._tell_order(part)

    def _tell_order(self, part: _Part) -> None:
        assert self._order is not None
        kind, number = self._order
        if kind == Kind.scores:
            self.send(part, kind, number)
            return
        arrays = {}
        if self._validation is not None and not part.knows_validation:
            own = self.work.rows_of_models(self._validation, part.begin, part.end)
            arrays["validation"] = own
            part.knows_validation = True
        measures = self._validation is not None
        self.send(part, kind, number, *pack({"measures": measures}, arrays))

    # -- what is told ----------------------------------------------------------------------------

    def _wait(self, is_done: Callable[[_Part], bool]) -> None:
        while not all(is_done(part) for part in self.members):
            self.hear()

    def welcome(self, part: _Part) -> None:
        """Give a session its rows, the rounds that are done, and the order."""
        work = self.work.part(part.begin, part.end)
        arrays = work.arrays()
        if self.rounds:
            trees, value = joined_trees(self.rounds)
            arrays |= {f"round {name}": one for name, one in trees.items()}
            arrays["round value"] = value
        about = {
            "kind": "rounds",
            "settings": work.settings,
            "rounds": [len(self.rounds)] if self.rounds else [],
            "block_rows": self._block_rows,
        }
        self.send(part, Kind.work, 0, *pack(about, arrays))
        if self._order is not None:
            self._tell_order(part)

    def heed(self, part: _Part, told: Message) -> None:
        """Answer what a session asks; keep what it has made."""
        if told.kind in {Kind.add, Kind.largest}:
            part.asked = told
            self._answer(part)
        elif told.kind == Kind.made:
            part.made = told
        elif told.kind == Kind.scores:
            part.scores = told
        elif told.kind == Kind.failed:
            raise OverflowError

    def _answer(self, part: _Part) -> None:
        """Answer what was answered before in this round; or what now all parts have asked."""
        told = part.asked
        assert told is not None
        if told.number < len(self._log):
            self.send(part, Kind.answer, told.number, self._log[told.number][1])
            return
        asked = [one.asked for one in self.members]
        if not all(one is not None and one.number == len(self._log) for one in asked):
            return
        answer = _joined([one for one in asked if one is not None])
        self._log.append((told.kind, answer))
        self.traffic.n_exchanges += 1
        self.traffic.n_bytes += len(answer) * len(asked)
        for one in self.members:
            if one.line is not None:
                self.send(one, Kind.answer, told.number, answer)


def _joined(asked: list[Message]) -> memoryview:
    """Return the sums, or the largest values, of what all parts have."""
    total = np.frombuffer(asked[0].payload, np.uint64)
    join = np.maximum if asked[0].kind == Kind.largest else np.add
    for number, one in enumerate(asked[1:]):
        values = np.frombuffer(one.payload, np.uint64)
        if len(values) != len(total):
            raise _different()
        total = join(total, values, out=total if number else None)
    return total.data.cast("B")


def _different() -> ClusterError:
    return ClusterError(
        "The parts of the rows have grown different trees: machines of the cluster have different "
        "versions of Branchline.",
        code="X016",
    )
