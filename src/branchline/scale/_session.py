"""A part of a fit on a worker: one long session.

1. Connect to the process of the fit, and get what is to be done: rounds on some rows
   (``_round_session``), or trees of a forest (``_tree_session``).
2. Do what is told until the end.
3. A thread says every second that the process lives.
"""

import contextlib
import socket
import threading
from typing import Any

from branchline.scale._engine import distributed
from branchline.scale._fail_points import may_fail
from branchline.scale._messages import Kind, Line, MessageError, unpack
from branchline.scale._round_session import RoundSession
from branchline.scale._tree_session import TreeSession

__all__ = ["serve", "serve_task"]

_BEAT = 1.0
_CONNECT = 30.0


def serve_task(
    address: tuple[str, int], secret: bytes, session: int, n_threads: int, is_encrypted: bool
) -> None:
    """Serve a part, as a task of Dask: the thread of the worker is free for others meanwhile."""
    dask = distributed()
    dask.secede()
    context = None
    if is_encrypted:
        security = dask.get_worker().security
        context = security.get_connection_args("worker")["ssl_context"]
    serve(address, secret, session, n_threads, context)


def serve(
    address: tuple[str, int], secret: bytes, session: int, n_threads: int = 1, context: Any = None
) -> None:
    """Serve a part until there is nothing more to do, or the other side is gone."""
    link = socket.create_connection(address, timeout=_CONNECT)
    if context is not None:  # the plain socket is part of the encrypted one then
        link = context.wrap_socket(link)
    with contextlib.closing(link):
        link.settimeout(None)
        line = Line(link, session)
        with contextlib.suppress(ConnectionError):
            line.greet(secret, is_caller=True)
            ended = threading.Event()
            threading.Thread(target=_beat, args=(line, ended), daemon=True).start()
            try:
                _do_work(line, n_threads, ended)
            finally:
                ended.set()


def _beat(line: Line, ended: threading.Event) -> None:
    """Say that the process lives; when the other side is gone, work has ended."""
    with contextlib.suppress(OSError):
        while not ended.wait(_BEAT):
            line.send(Kind.beat)
    ended.set()


def _do_work(line: Line, n_threads: int, ended: threading.Event) -> None:
    may_fail("load", line)
    told = line.receive()
    if told.kind != Kind.work:
        raise MessageError("a message that was not expected")
    about, arrays = unpack(told.payload)
    may_fail("code", line)
    session: RoundSession | TreeSession
    if about["kind"] == "trees":
        session = TreeSession(line, about, arrays, n_threads, ended)
    else:
        session = RoundSession(line, about, arrays, n_threads)
    while (told := line.receive()).kind != Kind.end:
        session.do(told)
    may_fail("shutdown", line)
