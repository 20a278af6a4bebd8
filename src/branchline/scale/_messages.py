"""Messages between the process of a fit and its parts: arrays with a header, all of it checked.

A message is a header of 32 bytes and a payload::

    magic "BLP1" | kind (1 byte) | 3 bytes 0 | session (4) | number (8) | length (8) | CRC-32 (4)

1. ``session`` tells a part that was begun again from the one before it; ``number`` counts the
   exchanges of a round. What comes late or twice is known by them.
2. Numbers of an exchange are a payload of unsigned 64-bit integers.
3. Named arrays (``pack``) are a JSON text with their names, dtypes and lengths, and their bytes.
Nothing is unpickled. Both sides show each other that they know a secret before anything is read.
"""

import contextlib
import enum
import hmac
import json
import os
import secrets
import socket
import struct
import threading
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from branchline._arrays import AnyArray

__all__ = ["Kind", "Line", "Message", "MessageError", "pack", "unpack"]

_MAGIC = b"BLP1"
_HEAD = struct.Struct("<4sB3xIQQI")
_LENGTH = struct.Struct("<Q")
_LONGEST = 1 << 40
_DTYPES = {np.dtype(name).str for name in ("u1", "i1", "u2", "u4", "u8", "i8", "f4", "f8", "?")}
_NONCE = 16
_JOINED = 1 << 20  # up to here a copy costs less than to wake the reader twice
_LONGEST_SEND = 60  # seconds without any progress


class MessageError(ConnectionError):
    """A message that is damaged, or not one of ours."""


class Kind(enum.IntEnum):
    """What a message is."""

    add = 1  # numbers whose sums over all parts are wanted
    largest = 2  # numbers whose largest values are wanted
    answer = 3  # these sums or largest values
    work = 4  # the work of a part, and the rounds that are done
    run = 5  # make a round
    made = 6  # a round that was made
    scores = 7  # send the scores, and the scores
    beat = 8  # still alive
    failed = 9  # why a part cannot go on
    end = 10  # nothing more is to do
    grow = 11  # grow some trees of a forest
    gather = 12  # numbers whose sums are looked at elsewhere; the answer tells what was found


class Message(NamedTuple):
    """One message."""

    kind: Kind
    session: int
    number: int
    payload: bytearray


class Line:
    """One side of a connection, to which several threads may write.

    Parameters
    ----------
    link
        A connected socket.
    session
        What the messages from here are marked with.
    """

    def __init__(self, link: socket.socket, session: int) -> None:
        self._link, self.session = link, session
        self._lock = threading.Lock()
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if os.name == "posix":  # one that reads no more must not hold up its sender for ever
            limit = struct.pack("ll", _LONGEST_SEND, 0)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)

    def send(self, kind: Kind, number: int = 0, *parts: Any) -> None:
        """Send a message; its payload is the bytes of all parts."""
        views = [memoryview(part).cast("B") for part in parts if len(part)]
        length, check = 0, 0
        for view in views:
            length += len(view)
            check = zlib.crc32(view, check)
        head = _HEAD.pack(_MAGIC, int(kind), self.session, number, length, check)
        with self._lock:
            if length <= _JOINED:
                self._link.sendall(b"".join([head, *views]))
                return
            self._link.sendall(head)
            for view in views:
                self._link.sendall(view)

    def receive(self) -> Message:
        """Wait for a message; ``ConnectionError`` when the other side is gone."""
        head = self._read(_HEAD.size)
        magic, kind, session, number, length, check = _HEAD.unpack(head)
        if magic != _MAGIC or kind not in Kind._value2member_map_ or length > _LONGEST:
            raise MessageError("a message with a header that is not known")
        payload = self._read(length)
        if zlib.crc32(payload) != check:
            raise MessageError("a message that was damaged on its way")
        return Message(Kind(kind), session, number, payload)

    def _read(self, length: int) -> bytearray:
        whole = bytearray(length)
        view = memoryview(whole)
        done = 0
        while done < length:
            n_read = self._link.recv_into(view[done:])
            if n_read == 0:
                raise ConnectionError("the other side is gone")
            done += n_read
        return whole

    def greet(self, secret: bytes, *, is_caller: bool) -> int:
        """Show that both sides know the secret; return the session of the caller."""
        own = secrets.token_bytes(_NONCE) + struct.pack("<I", self.session)
        self._link.sendall(own)
        other = bytes(self._read(len(own)))
        first, second = (own, other) if is_caller else (other, own)
        mine, theirs = (b"caller", b"called") if is_caller else (b"called", b"caller")
        self._link.sendall(hmac.digest(secret, mine + first + second, "sha256"))
        if not hmac.compare_digest(
            bytes(self._read(32)), hmac.digest(secret, theirs + first + second, "sha256")
        ):
            raise MessageError("the other side does not know the secret")
        (session,) = struct.unpack("<I", first[_NONCE:])
        return int(session)

    def held(self) -> contextlib.AbstractContextManager[Any]:
        """Return a block in which no other thread sends."""
        return self._lock

    def close(self) -> None:
        """Close the connection; who waits on it is woken."""
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()


def pack(about: Any, arrays: dict[str, AnyArray]) -> Iterator[Any]:
    """Yield the parts of a payload of named arrays with something beside them, as JSON has it."""
    whole = {name: np.ascontiguousarray(one) for name, one in arrays.items()}
    heads = [[name, one.dtype.str, len(one)] for name, one in whole.items()]
    text = json.dumps({"about": about, "arrays": heads}).encode()
    yield _LENGTH.pack(len(text))
    yield text
    for one in whole.values():
        yield one.view(np.uint8) if len(one) else b""


def unpack(payload: bytearray) -> tuple[Any, dict[str, AnyArray]]:
    """Return what ``pack`` was given; ``MessageError`` where it was not made by it."""
    try:
        (length,) = _LENGTH.unpack_from(payload)
        begin = _LENGTH.size + length
        told = json.loads(bytes(payload[_LENGTH.size : begin]))
        arrays = {}
        for name, dtype, n in told["arrays"]:
            if dtype not in _DTYPES or not isinstance(n, int) or n < 0:
                raise MessageError("an array of a kind that is not known")
            values = np.frombuffer(payload, np.dtype(dtype), n, begin) if n else np.zeros(0, dtype)
            arrays[str(name)] = values.copy() if begin % values.itemsize else values
            begin += values.nbytes
    except (struct.error, ValueError, KeyError, TypeError) as problem:
        raise MessageError("a message that cannot be read") from problem
    if begin != len(payload):
        raise MessageError("a message that is too long")
    return told["about"], arrays
