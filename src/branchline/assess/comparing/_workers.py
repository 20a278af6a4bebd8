"""Worker processes that can be stopped at any moment, whatever they are doing.

1. A worker is a Python interpreter of its own. It gets jobs by its standard input and returns
   results by its standard output: no semaphore and no shared memory is left behind when the
   parent is ended, and Ctrl-C reaches the parent alone.
2. A thread of the parent talks to each worker; the results meet in one queue.
3. A worker whose job must end is killed, and another one takes its place: a spare one, which is
   started when a job takes longer than a second, because starting takes as long. So every learner
   can be stopped, one of another library or one that is deep in a matrix routine included.
4. A worker whose jobs have no end may be given the next one while it is busy with the first: short
   jobs do not wait for a parent that is busy, too.
"""

import contextlib
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from branchline.assess.comparing._frames import Packed, receive, send

__all__ = ["READY", "Done", "Job", "Workers", "started"]

Job = tuple[int, int, Any]  # a learner, a split, and the inputs chosen for it, if known

_BEGIN = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from branchline.assess.comparing._worker import main; main()"
)
# What a worker answers when it has the work that all jobs share.
READY = "ready"
_LONGEST_WAIT = 3600.0
_LONGEST_END = 5.0
_JOBS_AHEAD = 2
_WORTH_A_SPARE = 1.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Done:
    """How a job ended: with a result; stopped, because its time was up; or with its process."""

    job: Job
    result: Any = None
    is_stopped: bool = False


class _Worker:
    """One process, the thread that talks to it, and the jobs it has: one, and the next."""

    def __init__(self, environment: dict[str, str], done: "queue.SimpleQueue[Any]") -> None:
        self.jobs: deque[Job] = deque()
        self.until = float("inf")
        self.began = 0.0
        self.is_ready = False
        self._done = done
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=os.name == "posix",
        )
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def give(self, work: Packed) -> None:
        self._orders.put(work)

    def begin(self, job: Job, until: float) -> None:
        self.jobs.append(job)
        self.until, self.began = until, time.monotonic()
        self._orders.put(job)

    def kill(self) -> None:
        self._orders.put(None)
        if os.name == "posix":  # with the processes that a learner has started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._thread.join(_LONGEST_END)

    def _talk(self) -> None:
        """Send what is ordered, wait for each result; say so when the process ends by itself."""
        inward = cast("IO[bytes]", self._process.stdin)
        outward = cast("IO[bytes]", self._process.stdout)
        try:
            with contextlib.suppress(Exception):  # an answer that cannot be read ends the worker
                inward.write(pickle.dumps(sys.path))
                inward.flush()
                while (order := self._orders.get()) is not None:
                    send(inward, order)
                    told = receive(outward)
                    self._done.put((self, told if isinstance(order, Packed) else Done(order, told)))
            for pipe in (inward, outward):
                with contextlib.suppress(OSError):
                    pipe.close()
        finally:
            self._done.put((self, None))


class Workers:
    """A number of workers, and the jobs they have."""

    def __init__(self, n_workers: int, n_processes: int | None = None) -> None:
        share = max(1, (os.cpu_count() or 1) // (n_processes or n_workers))
        own = {name: str(share) for name in _THREADS if name not in os.environ}
        self._environment = {**os.environ, **own}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._work: Packed | None = None
        self._spare: _Worker | None = None
        self._workers = [self._start() for _ in range(n_workers)]

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def n_idle(self) -> int:
        """The number of workers that have started and are without a job."""
        return sum(worker.is_ready and not worker.jobs for worker in self._workers)

    @property
    def n_open(self) -> int:
        """The number of workers that have started and take another job without an end."""
        return sum(_takes_more(worker) for worker in self._workers)

    def give(self, work: Packed) -> None:
        """Give all workers what their jobs share."""
        self._work = work
        for worker in self._workers:
            worker.give(work)

    def begin(self, job: Job, until: float) -> None:
        """Let an idle worker begin a job, which is stopped at ``until`` (``time.monotonic``).

        Where all are busy, a job without an end is the next one of a worker with one job.
        """
        ready = (worker for worker in self._workers if _takes_more(worker))
        min(ready, key=lambda worker: len(worker.jobs)).begin(job, until)

    def grow(self, n_workers: int) -> None:
        """Start as many further workers as are lacking."""
        self._workers += [self._start() for _ in range(n_workers - len(self._workers))]

    def wait(self, until: float) -> Done | None:
        """Return the next job that ends, by itself or because its time is up.

        None: a worker has started, or it is ``until``.
        """
        while True:
            first = min(self._workers, key=lambda worker: worker.until)
            left = min(first.until, until, self._when_spare()) - time.monotonic()
            try:
                worker, answer = self._done.get(timeout=max(0.0, min(left, _LONGEST_WAIT)))
            except queue.Empty:
                if time.monotonic() >= first.until:
                    return self._stop(first)
                if time.monotonic() >= until:
                    return None
                if time.monotonic() >= self._when_spare():
                    self._spare = self._start()
                continue
            if worker in self._all:  # else it was killed a moment ago
                return self._heed(worker, answer)

    def _when_spare(self) -> float:
        """Return when a spare worker is worth its start: a job with an end has run for a while."""
        if self._spare is not None or not all(worker.is_ready for worker in self._workers):
            return float("inf")
        ending = [worker.began for worker in self._workers if worker.until < float("inf")]
        return min(ending, default=float("inf")) + _WORTH_A_SPARE

    def _stop(self, worker: _Worker) -> Done:
        job = worker.jobs.popleft()
        self._replace(worker)
        return Done(job, is_stopped=True)

    def _heed(self, worker: _Worker, answer: Any) -> Done | None:
        """Return the result in a worker's answer; None: it has started."""
        if isinstance(answer, Done):
            worker.jobs.popleft()
            worker.until = float("inf")
            return answer
        if answer == READY:
            worker.is_ready = True
            return None
        if worker is self._spare:
            self._spare = None
            return None
        if not worker.jobs and worker.is_ready:  # the system ended it while it was idle
            self._replace(worker)
            return None
        if not worker.jobs:
            raise OSError("A worker process ended before it had any work; see its message above.")
        gone = Done(worker.jobs.popleft())
        self._replace(worker)
        return gone

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._all:
            worker.kill()
        self._workers, self._spare = [], None

    @property
    def _all(self) -> list[_Worker]:
        return self._workers + ([] if self._spare is None else [self._spare])

    def _start(self) -> _Worker:
        worker = _Worker(self._environment, self._done)
        if self._work is not None:
            worker.give(self._work)
        return worker

    def _replace(self, old: _Worker) -> None:
        old.kill()
        new = self._spare or self._start()
        self._workers[self._workers.index(old)] = new
        self._spare = None
        for job in old.jobs:  # those it had not begun
            new.begin(job, math.inf)


def _takes_more(worker: _Worker) -> bool:
    is_open = math.isinf(worker.until) and len(worker.jobs) < _JOBS_AHEAD
    return worker.is_ready and (is_open or not worker.jobs)


@contextlib.contextmanager
def started(n_workers: int, n_processes: int | None = None) -> Iterator[Workers]:
    """Start workers, and end them whatever happens.

    The cores are shared by ``n_processes``. Default None: by the workers.
    """
    workers = Workers(n_workers, n_processes)
    try:
        yield workers
    finally:
        workers.close()
