"""Where the parts of a fit connect to: a socket, a secret, and a queue of what comes in."""

import contextlib
import queue
import secrets
import socket
import threading
from typing import Any, NamedTuple

from branchline.scale._messages import Line, Message

__all__ = ["Event", "Listener"]

_GREETING = 20.0


class Event(NamedTuple):
    """What happened to a session: it began (a line), told something (a message), or ended."""

    session: int
    line: Line | None = None
    message: Message | None = None


class Listener:
    """Accepts the sessions of parts, and reads what they tell.

    Parameters
    ----------
    host
        The address of this machine to listen on.
    context
        How to encrypt connections; None: not at all.
    """

    def __init__(self, host: str, context: Any = None) -> None:
        self.secret = secrets.token_bytes(32)
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._context = context
        self._socket = socket.create_server((host, 0))
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                link, _ = self._socket.accept()
                threading.Thread(target=self._read, args=(link,), daemon=True).start()

    def _read(self, link: socket.socket) -> None:
        """Read a session to its end; one that does not know the secret is not heard."""
        session = None
        try:
            link.settimeout(_GREETING)
            if self._context is not None:  # the plain socket is part of the encrypted one then
                link = self._context.wrap_socket(link, server_side=True)
            line = Line(link, 0)
            session = line.greet(self.secret, is_caller=False)
            line.session = session
            link.settimeout(None)
            self.events.put(Event(session, line=line))
            while True:
                self.events.put(Event(session, message=line.receive()))
        except OSError:  # it has ended
            link.close()
        if session is not None:
            self.events.put(Event(session))

    def close(self) -> None:
        """Accept no session any more."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
