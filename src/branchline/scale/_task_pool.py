"""Independent jobs on the workers of a cluster, and what all of them share.

1. What jobs share is sent once to each worker, and to every worker that joins later.
2. A worker carries out one job at a time, whatever number of threads it has.
3. A job whose worker is lost begins again on another one; after three workers it is given up.
4. Lost and new workers are noticed while the results of jobs are waited for.
"""

import contextlib
import queue
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from branchline._plain_numbers import count
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ClusterError, Repair
from branchline.scale._engine import distributed

__all__ = ["Ended", "TaskPool"]

_SHARED = "branchline_shared"
_LOOK_EVERY = 1.0  # seconds
_WAIT_FOR_WORKERS = 30.0


@dataclass(frozen=True)
class Ended:
    """How a job ended.

    Parameters
    ----------
    job
        The job, as it was given.
    result
        What its function returned; None where it has none.
    is_stopped
        Whether its time was up.
    error
        What ended it without a result; None: nothing.
    """

    job: Any
    result: Any = None
    is_stopped: bool = False
    error: BaseException | None = None


class TaskPool:
    """Jobs on the workers of a client.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    make
        What a worker calls once with ``content``; its result is given to every job.
    content
        What all jobs share.
    function
        Called on a worker for each job: ``function(shared, job)``.
    """

    def __init__(
        self,
        client: Any,
        make: Callable[[Any], Any],
        content: Any,
        function: Callable[[Any, Any], Any],
    ) -> None:
        self._client, self._function = client, function
        self._name = f"branchline-{uuid.uuid4().hex}"
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._running: dict[Any, tuple[Any, float]] = {}
        self._n_begun = 0
        self._workers: set[str] = set()
        self._next_look = 0.0
        self._empty_since: float | None = None
        dask = distributed()
        plugin = _plugin_class(dask)(self._name, make, content)
        client.register_plugin(plugin, name=self._name)
        self._look()

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def n_idle(self) -> int:
        """The number of workers without a job."""
        return max(0, len(self._workers) - len(self._running))

    def begin(self, job: Any, until: float = float("inf")) -> None:
        """Begin a job, which is given up at ``until`` (``time.monotonic``)."""
        self._n_begun += 1
        future = self._client.submit(
            _run,
            self._name,
            self._function,
            job,
            key=f"{self._name}-{self._n_begun}",
            pure=False,
        )
        self._running[future] = (job, until)
        future.add_done_callback(self._done.put)

    def wait(self, until: float = float("inf")) -> Ended | None:
        """Return the next job that ends, or None at ``until`` or when workers come or go.

        Raises
        ------
        ClusterError
            X012: there is no worker any more; X013: the scheduler is gone.
        """
        while True:
            ends = [end for _, end in self._running.values()]
            now = time.monotonic()
            left = min([until, self._next_look, *ends]) - now
            try:
                future = self._done.get(timeout=max(0.0, left))
            except queue.Empty:
                if self._next_look <= time.monotonic() and self._look():
                    return None
                if (late := self._late()) is not None:
                    return late
                if time.monotonic() >= until:
                    return None
                continue
            if future in self._running:  # else it was given up a moment ago
                return self._ended(future)

    def _late(self) -> Ended | None:
        """Give up a job whose time is up."""
        now = time.monotonic()
        for future, (job, until) in self._running.items():
            if until <= now:
                del self._running[future]
                future.cancel(force=True)
                return Ended(job, is_stopped=True)
        return None

    def _ended(self, future: Any) -> Ended:
        job, _ = self._running.pop(future)
        if future.status == "finished":
            return Ended(job, future.result())
        if future.status != "error":
            raise self._gone()
        return Ended(job, error=future.exception())

    def _look(self) -> bool:
        """Notice workers that came or went; return whether some did."""
        self._next_look = time.monotonic() + _LOOK_EVERY
        try:
            now = set(self._client.nthreads())
        except Exception as problem:
            raise self._gone() from problem
        before, self._workers = self._workers, now
        if lost := before - now:
            _tell_lost(len(lost), len(now - before), len(now))
        if now:
            self._empty_since = None
            return now != before
        if self._empty_since is None:
            self._empty_since = time.monotonic()
        elif time.monotonic() - self._empty_since > _WAIT_FOR_WORKERS:
            raise ClusterError(
                "The cluster has no worker any more. What was finished is kept.",
                code="X012",
                repair=_AGAIN,
            )
        return bool(before)

    def _gone(self) -> ClusterError:
        return ClusterError(
            "The scheduler of the cluster does not answer any more. What was finished is kept.",
            code="X013",
            repair=_AGAIN,
        )

    def close(self) -> None:
        """Give up all jobs, and take what they shared from the workers."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._look()  # tells of workers that were lost at the very end
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._running), force=True)
            self._running.clear()
            self._client.unregister_worker_plugin(self._name)


_AGAIN = Repair("compare(..., run_file=FILE, resume=True)", "--resume")


def _tell_lost(n_lost: int, n_new: int, n_now: int) -> None:
    replaced = f"{count(n_new, 'worker')} joined" if n_new else "none has joined yet"
    warn(
        BranchlineWarning(
            f"{count(n_lost, 'worker')} of the cluster ended; {replaced}, and there are {n_now} "
            "now. Work that was lost is done again; the results are the same.",
            code="W108",
        )
    )


def _plugin_class(dask: Any) -> Any:
    """Return a class of Dask's plugins, which exists only where Dask does."""

    class Shared(dask.WorkerPlugin):
        """Keeps on each worker what jobs share."""

        def __init__(self, name: str, make: Callable[[Any], Any], content: Any) -> None:
            self.name, self._make, self._content = name, make, content

        def setup(self, worker: Any) -> None:
            kept = worker.__dict__.setdefault(_SHARED, {})
            kept[self.name] = (self._make(self._content), threading.Lock())

        def teardown(self, worker: Any) -> None:
            worker.__dict__.get(_SHARED, {}).pop(self.name, None)

        def __reduce__(self) -> Any:
            return _plugin, (self.name, self._make, self._content)

    return Shared


def _plugin(name: str, make: Callable[[Any], Any], content: Any) -> Any:
    return _plugin_class(distributed())(name, make, content)


def _run(name: str, function: Callable[[Any, Any], Any], job: Any) -> Any:
    """Carry out a job on a worker."""
    shared, lock = distributed().get_worker().__dict__[_SHARED][name]
    with lock:  # warnings and peaks of memory are those of one job
        return function(shared, job)
