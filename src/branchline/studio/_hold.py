"""One studio for a workspace: a file in it is locked for as long as the studio runs.

1. The system holds the lock and gives it back when the process ends, however it ends. So the lock
   of a process that is gone is free, and nothing has to be cleaned up.
2. The file holds the studio's address without its secret, so that a second start can name the
   first.
3. Windows locks bytes, and others may not read those: the byte is one far behind the address.
4. Where files cannot be locked, as in some network folders, there is no lock.
"""

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from branchline.errors import DataError, Repair

__all__ = ["hold"]

_NAME = ".lock"
_LONGEST = 200
_LOCKED_BYTE = 2**30
_TAKEN = (errno.EACCES, errno.EDEADLK, errno.EAGAIN)


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[Callable[[str], None]]:
    """Keep other studios out of a workspace; give a function that notes the studio's address.

    Parameters
    ----------
    folder
        The workspace.
    """
    file = _opened(folder)
    try:
        if not _is_locked_now(file):
            raise _in_use(folder, file)
        _note(file, "")  # what is there is the address of a studio that has ended
        yield lambda address: _note(file, address)
    finally:
        os.close(file)  # this gives the lock back


def _opened(folder: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(folder / _NAME, flags, 0o600)
    except OSError as error:
        raise DataError(
            f"The file {_NAME} of the workspace {str(folder)!r} cannot be written: "
            f"{error.strerror or error}.",
            code="F963",
            repair=Repair(flag="--workspace FOLDER"),
        ) from error


def _is_locked_now(file: int) -> bool:
    """Lock a file; say whether that worked. A file that cannot be locked at all counts as ours."""
    try:
        import fcntl
    except ImportError:
        return _is_byte_locked_now(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not in this folder
        return True
    return True


def _is_byte_locked_now(file: int) -> bool:
    """Lock a byte of a file, as Windows does it; the end of the process gives it back."""
    try:
        msvcrt: Any = import_module("msvcrt")
    except ImportError:  # neither kind of lock
        return True
    os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return error.errno not in _TAKEN
    finally:
        os.lseek(file, 0, os.SEEK_SET)
    return True


def _note(file: int, address: str) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    os.ftruncate(file, 0)
    os.write(file, address.encode())


def _in_use(folder: Path, file: int) -> DataError:
    address = os.read(file, _LONGEST).decode("ascii", "replace")
    shown = f"The studio at {address}" if address else "Another studio"
    return DataError(
        f"{shown} uses the workspace {str(folder)!r}.",
        code="F964",
        values=[address] if address else [],
        repair=Repair(flag="--workspace FOLDER"),
    )
