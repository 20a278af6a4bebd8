"""What a function returns for each of several jobs: here, or on the workers of an engine."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from branchline.errors import ClusterError
from branchline.scale._engine import connected
from branchline.scale._task_pool import TaskPool

__all__ = ["results_of"]


def results_of(
    engine: Any, function: Callable[[Any, Any], Any], shared: Any, jobs: Sequence[Any]
) -> Iterator[Any]:
    """Yield ``function(shared, job)`` for each job, in the order of the jobs.

    Parameters
    ----------
    engine
        Where to work (``connected``); None: here.
    function
        A function of a module; an exception that it raises is raised here.
    shared
        What all jobs need; it is sent once to each worker.
    jobs
        The jobs.
    """
    if engine is None:
        for job in jobs:
            yield function(shared, job)
        return
    with connected(engine) as client:
        pool = TaskPool(client, _as_it_is, (function, shared), _carry_out)
        with contextlib.closing(pool):
            yield from _in_order(pool, jobs)


def _in_order(pool: TaskPool, jobs: Sequence[Any]) -> Iterator[Any]:
    for number, job in enumerate(jobs):
        pool.begin((number, job))
    ready: dict[int, Any] = {}
    for number in range(len(jobs)):
        while number not in ready:
            ended = pool.wait()
            if ended is None:
                continue
            if ended.error is not None:
                raise _error_of(ended.error)
            ready[ended.job[0]] = ended.result
        yield ready.pop(number)


def _as_it_is(shared: Any) -> Any:
    return shared


def _carry_out(given: tuple[Callable[[Any, Any], Any], Any], job: tuple[int, Any]) -> Any:
    function, shared = given
    return function(shared, job[1])


def _error_of(error: BaseException) -> BaseException:
    """Return the error of a job; one whose workers were lost again and again has a code."""
    if type(error).__name__ != "KilledWorker":
        return error
    return ClusterError(
        "A job ended three workers one after the other, often because their memory was used up.",
        code="X014",
    )
