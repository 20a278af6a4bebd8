"""Python objects through a pipe, and large ones through a file that several processes share.

1. A message is its length in eight bytes, then a pickle.
2. Work that is the same for all workers is pickled once (``packed``); its large arrays go into a
   file that every worker maps into memory, read-only, so that they exist once whatever the number
   of workers. Where no such file can be written, they are part of the message. For workers on
   other machines (``without_file``) they stand beside it.
"""

import contextlib
import importlib
import pickle
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

__all__ = ["Packed", "packed", "receive", "send", "unpacked", "without_file"]

_LENGTH = struct.Struct("<Q")
_WORTH_SHARING = 1 << 20
_ALIGNED = 64


@dataclass(frozen=True)
class Packed:
    """A pickled object: its bytes, and where its large arrays lie in a file, or these arrays."""

    content: bytes
    path: str | None = None
    places: tuple[tuple[int, int], ...] = ()
    buffers: tuple[bytes, ...] = ()


def send(pipe: IO[bytes], message: Any) -> None:
    """Write one message."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one message; EOFError when the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)


@contextlib.contextmanager
def packed(work: Any) -> Iterator[Packed]:
    """Pickle an object, classes of scripts and notebooks included; the shared file goes after."""
    cloudpickle = _cloudpickle()
    buffers: list[pickle.PickleBuffer] = []

    def keep(buffer: pickle.PickleBuffer) -> bool:
        is_large = buffer.raw().nbytes >= _WORTH_SHARING
        if is_large:
            buffers.append(buffer)
        return not is_large

    content = cloudpickle.dumps(work, protocol=5, buffer_callback=keep)
    if not buffers:
        yield Packed(content)
        return
    path = None
    try:
        try:
            with tempfile.NamedTemporaryFile(prefix="branchline-", delete=False) as file:
                path = file.name
                places = tuple(_append(file, buffer) for buffer in buffers)
            made = Packed(content, path, places)
        except OSError:  # no room for it: every worker gets a copy of its own
            made = Packed(cloudpickle.dumps(work, protocol=5))
        yield made
    finally:
        if path is not None:
            with contextlib.suppress(OSError):
                Path(path).unlink()


def _cloudpickle() -> Any:
    """Return the library that pickles classes of scripts, too; it comes with joblib."""
    try:
        return importlib.import_module("cloudpickle")
    except ImportError:  # older ones have it inside
        return importlib.import_module("joblib.externals.cloudpickle")


def _append(file: IO[bytes], buffer: pickle.PickleBuffer) -> tuple[int, int]:
    """Write an array's bytes; return where they begin and end."""
    file.write(b"\0" * (-file.tell() % _ALIGNED))
    begin = file.tell()
    file.write(buffer.raw())
    return begin, file.tell()


def unpacked(given: Packed) -> Any:
    """Return the object; its large arrays are read-only views of the shared file."""
    if given.path is None:
        return pickle.loads(given.content, buffers=given.buffers)
    whole = np.memmap(given.path, mode="r")
    buffers = [whole[begin:end] for begin, end in given.places]
    return pickle.loads(given.content, buffers=buffers)


def without_file(given: Packed) -> Packed:
    """Return the same, with its large arrays beside it: for machines that do not see the file."""
    if given.path is None:
        return given
    whole = np.memmap(given.path, mode="r")
    return Packed(given.content, buffers=tuple(bytes(whole[at:end]) for at, end in given.places))
