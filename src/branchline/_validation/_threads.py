"""How many threads to use: all cores, one inside a worker, one when there is little to do."""

import numbers
from typing import Any

import joblib

from branchline.errors import ParameterError, Repair

__all__ = ["count_threads"]

# Below this many cells a thread costs more to start than it saves.
_SMALL_WORK = 100_000
_MOST_THREADS = 4_096


def count_threads(n_jobs: Any, n_cells: int) -> int:
    """Return the number of threads for a task.

    Parameters
    ----------
    n_jobs
        None: every core this process may use (joblib counts container limits and affinity), but one
        inside a joblib worker, which shares the cores with its siblings. A positive number: that
        many. A negative one counts from the end: −1 is all cores, −2 all but one.
    n_cells
        Rows × columns of the work, which decides whether threads are worth it. The result of a fit
        never depends on the number of threads.
    """
    if type(n_jobs) is int and n_jobs > 0:
        return min(n_jobs, _MOST_THREADS)
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0
    ):
        raise ParameterError(
            f"The 'n_jobs' parameter must be None or a whole number other than 0. Got {n_jobs!r} "
            "instead.",
            code="P004",
            values=[n_jobs],
            repair=Repair("model.set_params(n_jobs=None)"),
        )
    if n_jobs is not None and int(n_jobs) > 0:
        return min(int(n_jobs), _MOST_THREADS)
    if n_cells < _SMALL_WORK:
        return 1
    cores = int(joblib.cpu_count())
    if n_jobs is None:
        return 1 if _inside_worker() else cores
    return max(1, cores + 1 + int(n_jobs))


def _inside_worker() -> bool:
    backend, _ = joblib.parallel.get_active_backend()
    return bool((backend.nesting_level or 0) > 0)
