"""Messages: arrays with a header; what is damaged, forged or too long is refused."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from branchline.scale._messages import Kind, Line, MessageError, pack, unpack


@pytest.fixture
def lines() -> Iterator[tuple[Line, Line, socket.socket]]:
    first, second = socket.socketpair()
    with first, second:
        yield _line(first, 7), _line(second, 0), first


def _line(link: socket.socket, session: int) -> Line:
    line = Line.__new__(Line)  # a pair of sockets is no TCP connection
    line._link, line.session, line._lock = link, session, threading.Lock()
    return line


def test_a_message_arrives_as_it_was_sent(lines: Any) -> None:
    here, there, _ = lines
    here.send(Kind.add, 3, np.arange(4, dtype=np.uint64), b"more")
    told = there.receive()
    assert (told.kind, told.session, told.number) == (Kind.add, 7, 3)
    assert bytes(told.payload) == np.arange(4, dtype=np.uint64).tobytes() + b"more"


@pytest.mark.parametrize("place", [0, 4, 33])
def test_a_damaged_message_is_refused(place: int, lines: Any) -> None:
    here, there, link = lines
    sent: list[bytes] = []
    here._link = type("Keeps", (), {"sendall": lambda self, content: sent.append(content)})()
    here.send(Kind.add, 0, b"payload")
    damaged = bytearray(sent[0])
    damaged[place] ^= 0x40
    link.sendall(damaged)
    with pytest.raises(MessageError):
        there.receive()


def test_a_connection_that_ends_is_told(lines: Any) -> None:
    here, there, _ = lines
    here.close()
    with pytest.raises(ConnectionError):
        there.receive()


@pytest.mark.parametrize("secrets", [(b"one", b"one"), (b"one", b"two")])
def test_both_sides_must_know_the_secret(secrets: tuple[bytes, bytes], lines: Any) -> None:
    here, there, _ = lines
    failed: list[bool] = []

    def call() -> None:
        try:
            here.greet(secrets[0], is_caller=True)
        except ConnectionError:
            failed.append(True)

    caller = threading.Thread(target=call)
    caller.start()
    if secrets[0] == secrets[1]:
        assert there.greet(secrets[1], is_caller=False) == 7
    else:
        with pytest.raises(MessageError):
            there.greet(secrets[1], is_caller=False)
    caller.join()
    assert bool(failed) == (secrets[0] != secrets[1])


def test_named_arrays_are_packed_and_unpacked() -> None:
    arrays: dict[str, Any] = {
        "codes": np.arange(5, dtype=np.uint8),
        "numbers": np.array([0.5, np.nan]),
        "none": np.zeros(0, np.int64),
    }
    payload = bytearray(b"".join(bytes(part) for part in pack({"a": [1, None]}, arrays)))
    about, again = unpack(payload)
    assert about == {"a": [1, None]}
    for name, values in arrays.items():
        assert again[name].dtype == values.dtype
        assert np.array_equal(again[name], values, equal_nan=values.dtype.kind == "f")


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"nothing",
        b'{"about": 1, "arrays": [["x", "O", 1]]}',
        b'{"about": 1, "arrays": [["x", "<f8", 99]]}',
        b'{"about": 1, "arrays": [["x", "<f8", -1]]}',
        b'{"about": 1, "arrays": []} more',
    ],
)
def test_what_is_not_packed_arrays_is_refused(text: bytes) -> None:
    with pytest.raises(MessageError):
        unpack(bytearray(len(text).to_bytes(8, "little") + text))
    with pytest.raises(MessageError):
        unpack(bytearray(b"abc"))
