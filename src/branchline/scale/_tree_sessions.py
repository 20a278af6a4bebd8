"""Trees of a forest grown by sessions on the workers of a cluster.

1. Each worker has one session, which gets the codes of all rows once. A tree is a function of these
   and of its number, so any worker may grow any tree.
2. Numbers that are to be grown are given out in batches: as many trees as a worker has threads;
   more where trees are small; fewer towards the end, so that workers end together.
3. A session that is lost costs its running batch, which another one grows. A worker that joins gets
   a session, too.
4. Batches are kept as they come, and joined in the order of their numbers.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from branchline._plain_numbers import count, data_size
from branchline._tree_work import Batch, OnProgress, TreeWork, joined_forest
from branchline.errors import ClusterError, Repair
from branchline.scale._listener import Listener
from branchline.scale._messages import Kind, Message, pack, unpack
from branchline.scale._placement import Placement
from branchline.scale._sessions import Member, Sessions

__all__ = ["TreeSessions"]

_MOST_LOSSES = 4  # of one batch
_SHORT, _MOST_AT_ONCE = 1.0, 64


@dataclass(eq=False)
class _Grower(Member):
    """A session, and the batch that it grows."""

    first: int = -1  # −1: none
    n_trees: int = 0
    begun: float = 0.0


class TreeSessions(Sessions[_Grower]):
    """Grows the trees of one work.

    Parameters
    ----------
    work
        What is to be done.
    placement
        Where sessions run.
    listener
        Where they connect to.
    n_sessions
        The number of sessions; None: one for each worker.
    patience
        Seconds of silence after which a session is taken for lost.
    batches
        Trees that are grown already, by the number of the first tree of each batch.
    on_batch
        Called with the first tree and the arrays of each further batch.
    """

    def __init__(
        self,
        work: TreeWork,
        placement: Placement,
        listener: Listener,
        *,
        n_sessions: int | None,
        patience: float,
        batches: dict[int, Batch],
        on_batch: Callable[[int, Batch], None],
    ) -> None:
        super().__init__(placement, listener, patience)
        self.work, self.batches, self._n_sessions = work, batches, n_sessions
        self._on_batch = on_batch
        self._gaps: list[tuple[int, int]] = []  # first tree and end
        self._n_at_once = placement.n_threads
        self._losses: dict[int, int] = {}
        self._ends = float("inf")
        self.n_done = 0  # trees
        self._refuse_small_workers()

    def grow(
        self, first_tree: int, n_trees: int, seconds: float | None, on_progress: OnProgress | None
    ) -> Batch:
        """Return trees, fewer when the time is over."""
        end = first_tree + n_trees
        self._ends = float("inf") if seconds is None else time.monotonic() + seconds
        self._gaps = self._gaps_between(first_tree, end)
        self._begin_all()
        while self._is_lacking():
            n_before = self.n_done
            self.hear()
            if on_progress is not None and self.n_done > n_before:
                on_progress(min(n_trees, self._n_between(first_tree, end)))
        found = self._batches_from(first_tree, end)
        self.batches = {at: one for at, one in self.batches.items() if at >= end}
        return joined_forest(found)

    # -- what is to be grown ---------------------------------------------------------------------

    def _gaps_between(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return the numbers that no batch has; batches that overlap others are dropped."""
        gaps, used = [], {at: one for at, one in self.batches.items() if at >= end}
        at = first
        while at < end:
            stop = at + len(self.batches[at]["n_nodes"]) if at in self.batches else end + 1
            if stop <= end:
                used[at] = self.batches[at]
            else:
                stop = min((one for one in self.batches if at < one < end), default=end)
                gaps.append((at, stop))
            at = stop
        self.batches = used
        self.n_done = first + sum(len(one["n_nodes"]) for one in used.values())
        return gaps

    def _n_between(self, first: int, end: int) -> int:
        return sum(len(one["n_nodes"]) for at, one in self.batches.items() if first <= at < end)

    def _batches_from(self, first: int, end: int) -> list[Batch]:
        """Return the batches that follow one another without a gap."""
        found, at = [], first
        while at < end and at in self.batches:
            found.append(self.batches[at])
            at += len(found[-1]["n_nodes"])
        return found

    def _is_lacking(self) -> bool:
        is_growing = any(one.first >= 0 for one in self.members)
        return is_growing or (bool(self._gaps) and not self._is_over())

    def _is_over(self) -> bool:
        """Whether no further tree is begun; the first ones always are."""
        return time.monotonic() >= self._ends and self.n_done > 0

    def _next_batch(self) -> tuple[int, int] | None:
        """Return the first tree and the number of trees of a batch, and take it from the gaps."""
        if not self._gaps or self._is_over():
            return None
        first, end = self._gaps.pop(0)
        n_left = end - first + sum(stop - begin for begin, stop in self._gaps)
        fair = -(-n_left // (2 * max(len(self.members), 1)))
        n = min(end - first, max(self.placement.n_threads, min(self._n_at_once, fair)))
        if first + n < end:
            self._gaps.insert(0, (first + n, end))
        return first, n

    # -- sessions --------------------------------------------------------------------------------

    def _begin_all(self) -> None:
        if not self.members and self._gaps:
            for _ in range(self._n_sessions or len(self.placement.workers())):
                self._begin_one()
        for one in self.members:
            self._give(one)

    def _begin_one(self) -> None:
        grower = _Grower()
        self.members.append(grower)
        self.begin(grower)

    def _give(self, grower: _Grower) -> None:
        """Give a session that is there and has nothing to do the next batch."""
        if grower.line is None or grower.first >= 0:
            return
        batch = self._next_batch()
        if batch is None:
            return
        grower.first, grower.n_trees = batch
        grower.begun = time.monotonic()
        self.traffic.n_exchanges += 1
        self.send(grower, Kind.grow, grower.first, *pack({"n_trees": grower.n_trees}, {}))

    def welcome(self, member: _Grower) -> None:
        """Give a session that began all rows, and trees to grow."""
        about = {"kind": "trees", "settings": self.work.settings}
        self.send(member, Kind.work, 0, *pack(about, self.work.named()))
        self._give(member)

    def heed(self, member: _Grower, told: Message) -> None:
        """Keep trees that were grown, and give the next ones out."""
        if told.kind != Kind.made or told.number != member.first:
            return
        _, batch = unpack(told.payload)
        self.batches[member.first] = batch
        self.n_done += member.n_trees
        self.traffic.n_bytes += len(told.payload)
        self._on_batch(member.first, batch)
        if time.monotonic() - member.begun < _SHORT:
            most = _MOST_AT_ONCE * self.placement.n_threads
            self._n_at_once = min(most, max(self._n_at_once, 2 * member.n_trees))
        member.first = -1
        self._give(member)

    def lose(self, member: _Grower, *, is_silent: bool = False) -> None:
        """Give the batch of a session that is lost to others."""
        self.traffic.n_restarts += 1
        self.members.remove(member)
        if member.line is not None:
            member.line.close()
        self.placement.lose(member.session, is_silent=is_silent)
        if member.first >= 0:
            self._losses[member.first] = self._losses.get(member.first, 0) + 1
            if self._losses[member.first] >= _MOST_LOSSES:
                raise _deadly()
            self._gaps.insert(0, (member.first, member.first + member.n_trees))
        if not self.members:
            self._begin_one()  # waits for a worker
        for one in self.members:
            self._give(one)

    def look_around(self) -> None:
        """Begin sessions on workers that joined."""
        n_more = self.placement.n_idle() if self._gaps else 0
        if self._n_sessions is not None:
            n_more = min(n_more, self._n_sessions - len(self.members))
        for _ in range(n_more):
            self._begin_one()

    def _refuse_small_workers(self) -> None:
        room, n_threads = self.placement.memory(), self.placement.n_threads
        needed = self.work.n_bytes(n_threads)
        if room is None or needed <= room:
            return
        raise ClusterError(
            f"Each worker that grows trees of a forest needs the codes of all rows: about "
            f"{data_size(needed)} with {count(n_threads, 'thread')}. The smallest worker has "
            f"{data_size(room)}. Gradient boosting gives each worker a part of the rows only.",
            code="X017",
            values=[needed, room],
            repair=Repair("model = GradientBoostingClassifier()\nfit_on(engine, model, X, y)"),
        )


def _deadly() -> ClusterError:
    return ClusterError(
        f"Growing the same trees ended {_MOST_LOSSES} workers one after the other, often because "
        "their memory was used up.",
        code="X018",
    )
