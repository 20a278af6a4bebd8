"""Where work is done: a Dask client, the address of a scheduler, or processes of this machine.

1. A client is used as it is, and stays open.
2. ``tcp://HOST:PORT`` or ``tls://HOST:PORT`` connects to a scheduler. Certificates for ``tls`` are
   those of Dask's own configuration.
3. ``local:4`` starts four processes with one thread each. They listen on this machine only, and
   end with the work.
Dask is imported when it is first needed.
"""

import contextlib
import importlib
import re
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

from branchline.errors import ClusterError, MissingExtra, ParameterError, Repair

__all__ = ["connected", "distributed", "is_local"]

_COMMAND = "pip install 'branchline[dask]'"
_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_ADDRESS = re.compile(r"(tcp|tls)://\S+:\d+")
_SECONDS_TO_CONNECT = 10


def distributed() -> Any:
    """Return the library that runs tasks on several machines."""
    try:
        return importlib.import_module("distributed")
    except ImportError as problem:
        raise MissingExtra(
            "Working on a cluster needs the libraries dask and distributed, which are not "
            "installed.",
            code="X010",
            repair=Repair(_COMMAND, _COMMAND),
        ) from problem


def is_local(engine: Any) -> bool:
    """Whether an engine is processes of this machine that are started for the work."""
    return isinstance(engine, str) and _LOCAL.fullmatch(engine) is not None


@contextlib.contextmanager
def connected(engine: Any) -> Iterator[Any]:
    """Give a client for an engine; what was started for it ends with the block.

    Parameters
    ----------
    engine
        A ``distributed.Client``; ``"tcp://HOST:PORT"`` or ``"tls://HOST:PORT"``, a scheduler that
        runs; or ``"local:4"``, four processes on this machine.

    Raises
    ------
    MissingExtra
        X010: Dask is not installed.
    ParameterError
        P950: the engine is none of these.
    ClusterError
        X011: there is no scheduler at the address.
    """
    dask = distributed()
    if isinstance(engine, dask.Client):
        yield engine
        return
    local = _LOCAL.fullmatch(engine) if isinstance(engine, str) else None
    if local is not None:
        with _started(dask, int(local[1])) as client:
            yield client
        return
    if not isinstance(engine, str) or _ADDRESS.fullmatch(engine) is None:
        raise ParameterError(
            f"'engine' must be a distributed.Client, an address such as tcp://HOST:8786, or "
            f"local:4 for four processes on this machine. Got {engine!r} instead.",
            code="P950",
            values=[engine],
            repair=Repair("engine='local:4'", "--engine local:4"),
        )
    with _found(dask, engine) as client:
        yield client


@contextlib.contextmanager
def _started(dask: Any, n_workers: int) -> Iterator[Any]:
    """Start processes that listen on this machine only."""
    settings = {
        "distributed.worker.daemon": True,
        "distributed.admin.log-format": "%(message)s",
        # These look at all threads a hundred times per second, and at the event loop fifty times:
        # some per cent of the time of a worker, and of this process.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "500ms",
    }
    with (
        tempfile.TemporaryDirectory(prefix="branchline-", ignore_cleanup_errors=True) as folder,
        importlib.import_module("dask").config.set({**settings, "temporary-directory": folder}),
        dask.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def _found(dask: Any, address: str) -> Iterator[Any]:
    try:
        with warnings.catch_warnings():  # of versions that differ a little
            warnings.simplefilter("ignore", UserWarning)
            client = dask.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise ClusterError(
            f"There is no Dask scheduler at {address}.",
            code="X011",
            values=[address],
            repair=Repair("engine='local:4'", "--engine local:4, or start: dask scheduler"),
        ) from problem
    with client:
        yield client
