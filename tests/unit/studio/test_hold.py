"""One studio for a workspace: a second one is refused, a lock of a dead process is free."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from branchline.errors import DataError
from branchline.studio._hold import hold
from branchline.studio._workspace import Workspace
from command_line import run_here

ADDRESS = "http://127.0.0.1:8123/"
HELD = f"""
import sys, time
from pathlib import Path
from branchline.studio._hold import hold
with hold(Path(sys.argv[1])) as note:
    note({ADDRESS!r})
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path):
    return Workspace(tmp_path / "studio").folder


@pytest.fixture
def other(folder):
    """Another process that holds the workspace."""
    with subprocess.Popen(
        [sys.executable, "-c", HELD, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_studio_is_told_the_address_of_the_first(other, folder):
    with pytest.raises(DataError) as caught, hold(folder):
        pass
    assert caught.value.code == "F964"
    assert ADDRESS in str(caught.value)
    assert "--workspace" in caught.value.repair.flag
    done = run_here("studio", "--workspace", str(folder), "--no-browser")
    assert done.returncode == 3
    assert f"The studio at {ADDRESS} uses" in done.stderr
    assert "F964" in done.stderr
    assert (folder / ".lock").read_text() == ADDRESS  # the first one keeps its note


def test_a_lock_of_a_process_that_was_killed_is_free(other, folder):
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert (folder / ".lock").read_text() == ADDRESS
    with hold(folder) as note:
        assert (folder / ".lock").read_text() == ""
        note("http://127.0.0.1:9/")
        assert (folder / ".lock").read_text() == "http://127.0.0.1:9/"


def test_a_workspace_is_free_again_after_an_error(folder):
    with pytest.raises(LookupError), hold(folder):
        raise LookupError
    with hold(folder), hold(Workspace(folder.parent / "another").folder):
        pass


def test_the_note_has_no_secret_and_is_no_link(folder, tmp_path):
    with hold(folder) as note:
        note(ADDRESS)
    assert (folder / ".lock").stat().st_mode & 0o077 == 0
    (folder / ".lock").unlink()
    (tmp_path / "precious").write_text("kept")
    (folder / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(DataError) as caught, hold(folder):
        pass
    assert caught.value.code == "F963"
    assert (tmp_path / "precious").read_text() == "kept"


class OtherLocks:
    """What Windows has in place of ``fcntl``: bytes that one process at a time may lock."""

    LK_NBLCK = 2

    def __init__(self):
        self.held = {}

    def locking(self, file, mode, n_bytes):
        assert mode == self.LK_NBLCK
        assert n_bytes == 1
        key = os.fstat(file).st_ino, os.lseek(file, 0, os.SEEK_CUR)
        holder = self.held.get(key)
        if holder is not None and _is_open(holder):
            raise PermissionError(errno.EACCES, "Permission denied")
        self.held[key] = file


def _is_open(file):
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


def test_where_bytes_are_locked_a_second_studio_is_refused_too(folder, monkeypatch):
    locks = OtherLocks()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    with hold(folder) as note:
        note(ADDRESS)
        with pytest.raises(DataError) as caught, hold(folder):
            pass
        assert ADDRESS in str(caught.value)  # the byte that is locked is not one of the address
        assert (folder / ".lock").read_text() == ADDRESS
        ((_, place),) = locks.held
        assert place > 1000 * len(ADDRESS)
    locks.held.clear()
    with hold(folder):
        pass
    monkeypatch.setattr(locks, "locking", _unsupported)
    with hold(folder), hold(folder):
        pass  # a folder of a network that locks nothing


def _unsupported(file, mode, n_bytes):
    raise OSError(errno.EINVAL, "not here")
