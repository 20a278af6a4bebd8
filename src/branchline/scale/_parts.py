"""Rounds of boosting made by sessions on the workers of a cluster, each with a part of the rows.

1. Rows are cut into as many parts as there are workers. Each part has one session on a worker for
   the whole fit (``_session``), which keeps the codes of its rows and their scores.
2. In a round all sessions grow the same trees, and so does this process, without rows. Where it
   needs sums over all rows, sessions send those of their own rows, which are added here (integers:
   in any order the same). Sums of histograms stay here: the tests that are found in them, and other
   sums, go to all sessions.
3. What was answered in a round is kept until its end. A session that is lost, or silent for too
   long, is begun again on another worker: it gets its rows and the rounds that are done, replays
   them, and asks again what the lost one asked in this round. What a part has given is not added
   again, and the others only wait.
4. All sessions must have made the trees that were made here.
"""

import itertools
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._part_rounds import PartOfRounds, RoundWork, add_gathered, joined_trees
from branchline._validation import count_threads
from branchline.errors import ClusterError
from branchline.scale._listener import Listener
from branchline.scale._messages import Kind, Message, pack
from branchline.scale._placement import Placement
from branchline.scale._round_session import digest_of
from branchline.scale._sessions import Member, Sessions

__all__ = ["Parts"]

_MOST_RESTARTS = 8  # of a part in one round
_PAUSE, _LONGEST_PAUSE = 0.05, 2.0  # seconds
_FEW_BINS, _MOST_THREADS = 100_000, 8


@dataclass(eq=False)
class _Part(Member):
    """One part of the rows, and the session that has it."""

    begin: int = 0
    end: int = 0
    n_given: int = 0  # exchanges of the round to which it has given its numbers
    made: Any = None
    scores: Any = None
    n_restarts: int = 0
    knows_validation: bool = False


class Parts(Sessions[_Part]):
    """Makes the rounds of one work; looks for the tests of nodes.

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

    looks = True

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
        self._log: list[bytes] = []
        self._asked: tuple[Kind, Any] | None = None
        # A compiled object holds what it is told by: no circle, which nothing would ever free.
        told_by = weakref.proxy(self)
        self._head = PartOfRounds(work.head(), told_by, _threads_for(work.n_bins), block_rows)
        self._order: tuple[Kind, int] | None = None
        ends = [work.n_rows * number // n_parts for number in range(n_parts + 1)]
        self._cut = [pair for pair in itertools.pairwise(ends) if pair[0] < pair[1]]

    # -- what is asked for -----------------------------------------------------------------------

    def run(self, number: int, validation: AnyArray | None) -> dict[str, Any]:
        """Return a round; those that are done are not made again."""
        if number < len(self.rounds):
            known = self.rounds[number]
            if validation is None or len(known["validation_loss"]):
                return known
            del self.rounds[number:]  # made without validation rows
        if validation is not None:
            self._validation = validation
        self._log = []
        self._give(Kind.run, number)
        made = self._head.run(number, self._validation_of_head())
        self._wait(lambda part: part.made is not None)
        digest = digest_of(made)
        if any(part.made.payload != digest for part in self.members):
            raise _different()
        self.rounds.append(made)
        self._order, self._log = None, []
        for part in self.members:
            part.n_restarts = 0
        return made

    def _validation_of_head(self) -> AnyArray | None:
        if self._validation is None:
            return None
        return np.zeros(len(self._validation) // self.work.n_rows, np.int64)

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
        part.made, part.scores = None, None
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
        if part.n_restarts > 1:  # a cluster that comes back needs some seconds
            time.sleep(min(_LONGEST_PAUSE, _PAUSE * 2**part.n_restarts))
        self._begin(part)

    def _give(self, kind: Kind, number: int) -> None:
        """Give all sessions an order; those that have not begun get it when they have."""
        self._order = kind, number
        if not self.members:
            self.members = [_Part(begin=begin, end=end) for begin, end in self._cut]
            for part in self.members:
                self._begin(part)
        for part in self.members:
            part.n_given, part.made, part.scores = 0, None, None
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
        if told.kind in {Kind.add, Kind.largest, Kind.gather}:
            if told.number < len(self._log):
                self.send(part, Kind.answer, told.number, self._log[told.number])
            else:
                self._take(part, told)
        elif told.kind == Kind.made:
            if self._order == (Kind.run, told.number):  # else it came twice, in the round before
                part.made = told
        elif told.kind == Kind.scores:
            part.scores = told
        elif told.kind == Kind.failed:
            raise OverflowError

    # -- sums over all parts ---------------------------------------------------------------------

    def add(self, values: Any) -> None:
        """Write the sums over all parts, and answer with them."""
        self._gather(Kind.add, values)
        self._answer(values)

    def take_largest(self, values: Any) -> None:
        """Write the largest values of all parts, and answer with them."""
        self._gather(Kind.largest, values)
        self._answer(values)

    def gather(self, values: Any) -> None:
        """Write the sums over all parts; what is found in them is the answer."""
        self._gather(Kind.gather, values)

    def tell(self, words: Any) -> None:
        """Answer with what was found in the sums."""
        self._answer(words)

    def _gather(self, kind: Kind, values: Any) -> None:
        """Wait until all parts have given their numbers."""
        self._asked = kind, values
        self._wait(lambda part: part.n_given > len(self._log))
        self._asked = None
        self.traffic.n_exchanges += 1

    def _take(self, part: _Part, told: Message) -> None:
        """Take the numbers of a part; those of one that was begun again are here already."""
        if part.n_given > told.number:
            return
        values = np.frombuffer(told.payload, np.uint64)
        kind, to = self._asked or (None, values)
        lengths = {len(values), 2 * len(values)} if kind == Kind.gather else {len(values)}
        if kind != told.kind or told.number != len(self._log) or len(to) not in lengths:
            raise _different()
        if kind == Kind.largest:
            np.maximum(to, values, out=to)
        else:
            add_gathered(values, to)
        part.n_given = told.number + 1
        self.traffic.n_bytes += values.nbytes

    def _answer(self, values: Any) -> None:
        number, answer = len(self._log), bytes(values)
        self._log.append(answer)
        for part in self.members:
            if part.line is not None:
                self.send(part, Kind.answer, number, answer)


def _threads_for(n_bins: int) -> int:
    """Return how many threads look for tests: waking them takes longer where bins are few."""
    return 1 if n_bins < _FEW_BINS else min(_MOST_THREADS, count_threads(-1, n_bins))


def _different() -> ClusterError:
    return ClusterError(
        "The parts of the rows have grown different trees: machines of the cluster have different "
        "versions of Branchline.",
        code="X016",
    )
