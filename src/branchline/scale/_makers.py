"""Who makes the rounds and trees of a fit on a cluster, keeps them, and tells of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from branchline._arrays import AnyArray, Floats
from branchline._part_rounds import RoundMaker, RoundWork
from branchline._plain_numbers import count, duration, number, rounded
from branchline._tree_work import Batch, TreeMaker, TreeWork
from branchline.errors import ClusterError, Repair
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._listener import Listener
from branchline.scale._parts import Parts
from branchline.scale._placement import Placement
from branchline.scale._sessions import Traffic
from branchline.scale._tree_sessions import TreeSessions

__all__ = ["Makers", "OnProgress", "Progress", "Teller", "with_kept"]


@dataclass(frozen=True)
class Progress:
    """How far a fit is.

    Parameters
    ----------
    n_done
        The number of rounds that are made, or of trees of a forest.
    n_rounds
        The number of rounds or trees there will be at most; None: not known.
    rows_per_second
        Rows of the table times rounds or trees, per second.
    seconds_left
        How long the rest will take; None: not known.
    traffic
        What was sent so far.
    unit
        What is counted: "round" or "tree".
    """

    n_done: int
    n_rounds: int | None
    rows_per_second: float
    seconds_left: float | None
    traffic: Traffic
    unit: str = "round"

    def __str__(self) -> str:
        """Return it as a line for people."""
        done = count(self.n_done, self.unit)
        if self.n_rounds is not None:
            done = f"{number(self.n_done)} of {count(self.n_rounds, self.unit)}"
        left = f", about {duration(self.seconds_left)} left" if self.seconds_left else ""
        return f"{done}, {rounded(self.rows_per_second)} rows per second{left}"


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Makers:
    """Begins the sessions of the works of a fit: mostly one, two with a search for their number.

    Parameters
    ----------
    placement, listener
        Where sessions run, and where they connect to.
    n_parts
        The number of parts of the rows, or of sessions that grow trees; None: one for each worker.
    block_rows, patience
        As in ``fit_on``.
    kept
        Where what is done is kept; None: nowhere.
    teller
        Tells of progress.
    """

    placement: Placement
    listener: Listener
    n_parts: int | None
    block_rows: int
    patience: float
    kept: Checkpoints | None
    teller: "Teller"

    def of_rounds(self, work: RoundWork) -> RoundMaker:
        """Return what makes the rounds of a work; the sessions of the last one end."""
        self.close()
        digest = "" if self.kept is None else work.digest()
        parts = Parts(
            work,
            self.placement,
            self.listener,
            n_parts=self.n_parts or len(self.placement.workers()),
            block_rows=self.block_rows,
            patience=self.patience,
            rounds=[] if self.kept is None else self.kept.read(digest),
        )
        self.teller.begin(parts)
        return _RoundMaker(parts, self.kept, digest, self.teller)

    def of_trees(self, work: TreeWork) -> TreeMaker:
        """Return what grows the trees of a work; the sessions of the last one end."""
        self.close()
        kept, digest = self.kept, "" if self.kept is None else work.digest()

        def keep(first: int, batch: Batch) -> None:
            if kept is not None:
                kept.add_batch(digest, first, batch)
            self.teller.tell(sessions.n_done)

        sessions = TreeSessions(
            work,
            self.placement,
            self.listener,
            n_sessions=self.n_parts,
            patience=self.patience,
            batches={} if kept is None else kept.read_batches(digest),
            on_batch=keep,
        )
        self.teller.begin(sessions)
        return sessions

    def close(self) -> None:
        """Let the sessions of the last work end."""
        if self.teller.of is not None:
            self.teller.of.close()
        self.teller.of = None


class _RoundMaker:
    """Makes the rounds of one work, keeps them, and tells of them."""

    def __init__(
        self, parts: Parts, kept: Checkpoints | None, digest: str, teller: "Teller"
    ) -> None:
        self._parts, self._kept, self._digest, self._teller = parts, kept, digest, teller

    def run(self, number: int, validation: AnyArray | None) -> dict[str, Any]:
        n_before = len(self._parts.rounds)
        made = self._parts.run(number, validation)
        if len(self._parts.rounds) > n_before and self._kept is not None:
            self._kept.write(self._digest, self._parts.rounds)
        self._teller.tell(number + 1)
        return made

    def scores(self) -> Floats:
        return self._parts.scores()


class Teller:
    """Tells how far a fit is.

    Parameters
    ----------
    on_progress
        What is told; None: nothing.
    n_rounds
        The number of rounds or trees there will be at most; None: not known.
    """

    def __init__(self, on_progress: OnProgress | None, n_rounds: int | None) -> None:
        self._on_progress, self._n_rounds = on_progress, n_rounds
        self.of: Parts | TreeSessions | None = None
        self._begun, self._n_begun = 0.0, 0

    def begin(self, of: Parts | TreeSessions) -> None:
        """Begin to count what a work makes."""
        self.of, self._begun = of, time.monotonic()
        self._n_begun = of.n_done

    def tell(self, n_done: int) -> None:
        """Tell of a round, or of a batch of trees."""
        if self._on_progress is None or self.of is None or n_done <= self._n_begun:
            return
        seconds = max(time.monotonic() - self._begun, 1e-9)
        n_made = n_done - self._n_begun
        left = None
        if self._n_rounds is not None:
            left = max(0, self._n_rounds - n_done) * seconds / n_made
        speed = n_made * self.of.work.n_rows / seconds
        unit = "tree" if isinstance(self.of, TreeSessions) else "round"
        self._on_progress(Progress(n_done, self._n_rounds, speed, left, self.of.traffic, unit))


def with_kept(problem: ClusterError, kept: Checkpoints | None) -> ClusterError:
    """Return an error that says what is kept, and how to continue."""
    if problem.code not in {"X012", "X013", "X015", "X018"}:
        return problem
    if kept is None:
        message = f"{problem.message} Nothing of this fit is kept: it had no checkpoint."
    else:
        message = f"{problem.message} {kept.n_kept} rounds or trees are kept in {kept.folder}."
    again = "fit_on(engine, model, X, y, checkpoint='rounds', resume=True)"
    return ClusterError(message, code=problem.code, repair=Repair(again))
