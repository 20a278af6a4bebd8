"""Fits of a comparison as tasks on the workers of a Dask cluster.

These look like the processes of ``_workers``: a plan is carried out alike wherever its fits run.

1. The table is sent once to each worker; processes on this machine map the file that holds it.
2. Results come back as fits end. A fit whose worker is lost begins again on another one.
3. A fit that still runs when its time is up is given up; on a cluster its thread ends by itself.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from branchline.assess.comparing._frames import Packed, unpacked, without_file
from branchline.assess.comparing._run import fit_and_predict
from branchline.assess.comparing._workers import Done, Job
from branchline.scale import TaskPool, connected, is_local

__all__ = ["ClusterWorkers", "workers_of"]


class ClusterWorkers:
    """The workers of a cluster, and the fits they have.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    sees_files
        Whether workers see files of this machine.
    """

    def __init__(self, client: Any, *, sees_files: bool) -> None:
        self._client, self._sees_files = client, sees_files
        self._pool: TaskPool | None = None

    def __len__(self) -> int:
        return 1 if self._pool is None else max(1, len(self._pool))

    @property
    def n_idle(self) -> int:
        """The number of workers without a fit."""
        return 0 if self._pool is None else self._pool.n_idle

    @property
    def n_open(self) -> int:
        """The number of workers that take another fit: those without one."""
        return self.n_idle

    def grow(self, n_workers: int) -> None:
        """Do nothing: a cluster has the workers that it has."""

    def give(self, work: Packed) -> None:
        """Give all workers what their fits share."""
        given = work if self._sees_files else without_file(work)
        self._pool = TaskPool(self._client, unpacked, given, _fit)

    def begin(self, job: Job, until: float) -> None:
        """Begin a fit, which is given up at ``until`` (``time.monotonic``)."""
        assert self._pool is not None
        self._pool.begin(job, until)

    def wait(self, until: float) -> Done | None:
        """Return the next fit that ends; None: workers came or went, or it is ``until``."""
        assert self._pool is not None
        ended = self._pool.wait(until)
        return None if ended is None else Done(ended.job, ended.result, ended.is_stopped)

    def close(self) -> None:
        """Give up all fits."""
        if self._pool is not None:
            self._pool.close()


def _fit(work: Any, job: Job) -> Any:
    """Fit one learner on one training set, on a worker."""
    plan, problem, splits = work
    learner, split, known = job
    return fit_and_predict(plan, problem, plan.learners[learner], split, splits[split], known)


@contextlib.contextmanager
def workers_of(engine: Any) -> Iterator[ClusterWorkers | None]:
    """Give the workers of an engine, and end what was begun whatever happens; None: no engine."""
    if engine is None:
        yield None
        return
    with connected(engine) as client:
        workers = ClusterWorkers(client, sees_files=is_local(engine))
        try:
            yield workers
        finally:
            workers.close()
