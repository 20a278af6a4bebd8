"""What a worker process does: it fits what it is told to, until its standard input ends.

1. The first message is the work that all jobs share; each other is one job, a learner and a split.
2. Results go out by the standard output, which is kept for them: whatever a learner prints goes to
   the standard error.
3. A thread reads ahead, so that the process ends at once when its parent is gone.
"""

import os
import queue
import sys
import threading
from typing import IO, Any

from branchline.assess.comparing._frames import receive, send, unpacked
from branchline.assess.comparing._run import fit_and_predict
from branchline.assess.comparing._workers import READY

__all__ = ["main"]


def main() -> None:
    """Carry out jobs until there are no more."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[tuple[int, int, Any]] = queue.SimpleQueue()
    plan, problem, splits = unpacked(receive(sys.stdin.buffer))
    send(results, READY)
    threading.Thread(target=_read_jobs, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        learner, split, known = jobs.get()
        one = plan.learners[learner]
        result = fit_and_predict(plan, problem, one, split, splits[split], known)
        try:
            send(results, result)
        except OSError:  # the parent process is gone
            os._exit(1)


def _read_jobs(pipe: IO[bytes], jobs: "queue.SimpleQueue[Any]") -> None:
    try:
        while True:
            jobs.put(receive(pipe))
    except (EOFError, OSError, ValueError):
        os._exit(0)
