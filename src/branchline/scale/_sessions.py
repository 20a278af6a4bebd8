"""Sessions on the workers of a cluster: who has which, what they tell, and which are lost.

1. ``hear`` takes what happened next: a session began, told something, or ended; or nothing did.
2. Twice a second it looks for sessions that have been silent for too long, or whose tasks ended.
3. What comes from a session that was given up is not heard.
"""

import queue
import time
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from branchline.scale._listener import Event, Listener
from branchline.scale._messages import Kind, Line, Message
from branchline.scale._placement import Placement

__all__ = ["Member", "Sessions", "Traffic"]

_LOOK_EVERY = 0.5
_TO_BEGIN = 3.0  # a worker that is busy begins a session later


@dataclass
class Traffic:
    """What was sent.

    Parameters
    ----------
    n_exchanges
        How often sums over all rows were made; for a forest: how often trees were asked for.
    n_bytes
        The bytes that sessions sent for them.
    n_restarts
        The number of sessions that were begun again.
    """

    n_exchanges: int = 0
    n_bytes: int = 0
    n_restarts: int = 0


@dataclass(eq=False)
class Member:
    """A session: its number, its connection, and when it was last heard."""

    session: int = -1
    line: Line | None = None
    heard: float = field(default_factory=time.monotonic)


One = TypeVar("One", bound=Member)


class Sessions(Generic[One]):
    """Sessions of one work.

    Parameters
    ----------
    placement
        Where sessions run.
    listener
        Where they connect to.
    patience
        Seconds of silence after which a session is taken for lost.
    """

    def __init__(self, placement: Placement, listener: Listener, patience: float) -> None:
        self.traffic = Traffic()
        self.members: list[One] = []
        self.placement, self._listener, self._patience = placement, listener, patience
        self._next_look = 0.0

    def begin(self, member: One) -> None:
        """Begin a session for a member, in place of the one it had."""
        if member.line is not None:
            member.line.close()
        member.line, member.heard = None, time.monotonic()
        member.session = self.placement.begin(self._listener)

    def send(self, member: One, kind: Kind, number: int = 0, *payload: Any) -> None:
        """Send a message to a session; one that is gone is noticed by its reader."""
        assert member.line is not None
        try:
            member.line.send(kind, number, *payload)
        except OSError:
            member.line.close()

    def close(self) -> None:
        """Let all sessions end."""
        for member in self.members:
            if member.line is not None:
                self.send(member, Kind.end)
        self.members = []

    def hear(self) -> None:
        """Heed what happens next, or look whether sessions are lost."""
        if time.monotonic() >= self._next_look:
            self._look()
        try:
            event = self._listener.events.get(timeout=_LOOK_EVERY)
        except queue.Empty:
            return
        member = next((one for one in self.members if one.session == event.session), None)
        if member is None:  # of a session that was given up
            if event.line is not None:
                event.line.close()
            return
        self._pass_on(member, event)

    def _pass_on(self, member: One, event: Event) -> None:
        member.heard = time.monotonic()
        if event.line is not None:
            member.line = event.line
            self.welcome(member)
        elif event.message is None:
            self.lose(member)
        else:
            self.heed(member, event.message)

    def _look(self) -> None:
        """Notice sessions that are silent or whose tasks have ended."""
        now = time.monotonic()
        self._next_look = now + _LOOK_EVERY
        failed = self.placement.failed()
        for member in list(self.members):
            patience = self._patience * (1 if member.line is not None else _TO_BEGIN)
            is_silent = now - member.heard > patience
            if is_silent or member.session in failed:
                self.lose(member, is_silent=is_silent)
        self.look_around()

    # -- what the kinds of sessions do -----------------------------------------------------------

    def welcome(self, member: One) -> None:
        """Give a session that began what it needs."""
        raise NotImplementedError

    def heed(self, member: One, told: Message) -> None:
        """Heed what a session tells."""
        raise NotImplementedError

    def lose(self, member: One, *, is_silent: bool = False) -> None:
        """Make up for a session that is lost."""
        raise NotImplementedError

    def look_around(self) -> None:
        """Do what is to be done twice a second."""
