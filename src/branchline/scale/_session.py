"""A part of a fit on a worker: one long session that keeps its rows.

1. Connect to the process of the fit, and get the codes of some rows, and the rounds that are done.
2. Replay these rounds: then the scores of the rows are what they would be had they been here from
   the beginning.
3. Make rounds when told to. Sums over all rows come from the process of the fit.
A thread says every second that the process lives.
"""

import contextlib
import os
import socket
import threading
from typing import Any

import numpy as np

from branchline._part_rounds import PartOfRounds, RoundWork
from branchline.scale._engine import distributed
from branchline.scale._messages import Kind, Line, Message, pack, unpack

__all__ = ["FAIL_AT", "serve", "serve_task"]

# For tests: "place:signal:file", what ends a process at a place, once: the file marks that it did.
FAIL_AT = "BRANCHLINE_FAIL_AT"
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
                _Session(line, n_threads).run()
            finally:
                ended.set()


def _beat(line: Line, ended: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while not ended.wait(_BEAT):
            line.send(Kind.beat)


class _Session:
    """What one part does with the messages that it gets."""

    def __init__(self, line: Line, n_threads: int) -> None:
        self._line, self._n_threads = line, n_threads
        self._number = 0
        self._validation: Any = None

    def run(self) -> None:
        """Do what is told until the end."""
        _may_fail("load")
        about, arrays = unpack(self._next(Kind.work).payload)
        _may_fail("code")
        rounds = _rounds_from(about["rounds"], arrays)
        work = RoundWork.from_arrays(about["settings"], arrays)
        self._validation = arrays.get("validation")
        part = PartOfRounds(work, self._exchange, self._n_threads, about["block_rows"])
        part.replay(rounds)
        while (told := self._line.receive()).kind != Kind.end:
            if told.kind == Kind.scores:
                self._line.send(Kind.scores, told.number, part.raw)
            elif told.kind == Kind.run:
                self._make(part, told)
        _may_fail("shutdown")

    def _next(self, kind: Kind) -> Message:
        told = self._line.receive()
        if told.kind != kind:
            raise ConnectionError("a message that was not expected")
        return told

    def _make(self, part: PartOfRounds, told: Message) -> None:
        about, arrays = unpack(told.payload)
        self._validation = arrays.get("validation", self._validation)
        self._number = 0
        try:
            grown = part.run(told.number, self._validation if about["measures"] else None)
        except OverflowError:
            self._line.send(Kind.failed, told.number, b"overflow")
            return
        _may_fail("leaf update")
        self._line.send(Kind.made, told.number, *pack({}, _arrays_of(grown)))

    def _exchange(self, is_largest: bool, values: Any) -> None:
        """Replace numbers by those of all parts."""
        _may_fail(f"exchange {self._number}")
        kind = Kind.largest if is_largest else Kind.add
        self._line.send(kind, self._number, values)
        answer = self._next(Kind.answer)
        if answer.number != self._number or len(answer.payload) != values.nbytes:
            raise ConnectionError("an answer to another question")
        values[:] = np.frombuffer(answer.payload, np.uint64)
        self._number += 1


def _arrays_of(grown: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in grown.items() if isinstance(one, np.ndarray)}


def _rounds_from(counts: list[int], arrays: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rounds that are done, which came side by side."""
    if not counts:
        return []
    return [{name[6:]: one for name, one in arrays.items() if name.startswith("round ")}]


def _may_fail(place: str) -> None:
    told = os.environ.get(FAIL_AT)
    if told is None:
        return
    where, number, mark = told.split(":", 2)
    if where != place:
        return
    with contextlib.suppress(FileExistsError):
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        os.kill(os.getpid(), int(number))
