"""On which workers sessions run, and which of them are to be left alone."""

import contextlib
import itertools
import time
from typing import Any

from branchline._plain_numbers import count
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ClusterError
from branchline.scale._listener import Listener
from branchline.scale._session import serve_task

__all__ = ["Placement"]

_WAIT_FOR_WORKERS = 30.0
_TRY_AGAIN = 2.0
_PAUSE = 0.2


class Placement:
    """Begins sessions on the workers of a client: each on one with as few others as possible.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    n_threads
        Threads of each session.
    """

    def __init__(self, client: Any, n_threads: int = 1) -> None:
        self.client, self.n_threads = client, n_threads
        self._numbers = itertools.count(1)
        self._running: dict[int, tuple[str, Any]] = {}
        # Workers that lost a session, and those that were silent, which may hang.
        self._avoided: set[str] = set()
        self._silent: set[str] = set()
        self.is_encrypted = bool(getattr(client.security, "require_encryption", False))

    def workers(self) -> list[str]:
        """Return the addresses of the workers that sessions may run on, waiting for the first.

        Where all have lost a session, one that was not silent is tried again after a while: what
        ended there may have been the session alone.
        """
        begin = time.monotonic()
        while True:
            known, waited = self._known(), time.monotonic() - begin
            if able := [one for one in known if one not in self._avoided]:
                return able
            again = [one for one in known if one not in self._silent]
            if again and waited > _TRY_AGAIN:
                return again
            if waited > _WAIT_FOR_WORKERS:
                raise ClusterError("The cluster has no worker any more.", code="X012")
            time.sleep(_PAUSE)

    def n_idle(self) -> int:
        """Return the number of workers that may have a session and have none."""
        busy = {address for address, _ in self._running.values()}
        return len([one for one in self._known() if one not in self._avoided | busy])

    def memory(self) -> int | None:
        """Return the bytes that the smallest worker may use; None: there is no limit."""
        told = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return min((limit for one in told if (limit := one.get("memory_limit"))), default=None)

    def begin(self, listener: Listener) -> int:
        """Begin a session; return its number."""
        busy = [address for address, _ in self._running.values()]
        address = min(self.workers(), key=lambda one: (busy.count(one), one))
        number = next(self._numbers)
        future = self.client.submit(
            serve_task,
            listener.address,
            listener.secret,
            number,
            self.n_threads,
            self.is_encrypted,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            key=f"branchline-session-{number}-{listener.address[1]}",
        )
        self._running[number] = address, future
        return number

    def failed(self) -> set[int]:
        """Return the sessions whose tasks have ended, or whose workers are gone."""
        known = self._known()
        return {
            number
            for number, (address, future) in self._running.items()
            if future.status in {"error", "lost", "cancelled", "finished"} or address not in known
        }

    def _known(self) -> list[str]:
        try:
            return sorted(self.client.nthreads())
        except Exception as problem:
            raise ClusterError(
                "The scheduler of the cluster does not answer any more.", code="X013"
            ) from problem

    def lose(self, number: int, *, is_silent: bool = False) -> None:
        """Give a session up, and leave its worker alone from now on."""
        address, future = self._running.pop(number)
        self._avoided.add(address)
        if is_silent:
            self._silent.add(address)
        with contextlib.suppress(Exception):
            future.cancel(force=True)
        left = [one for one in self._known() if one not in self._avoided]
        warn(
            BranchlineWarning(
                "A worker of the cluster was lost. Its work goes to another one; the model will be "
                f"the same. There are {count(len(left), 'other worker')}.",
                code="W109",
            )
        )

    def close(self) -> None:
        """Give all sessions up."""
        with contextlib.suppress(Exception):
            self.client.cancel([future for _, future in self._running.values()], force=True)
        self._running.clear()
