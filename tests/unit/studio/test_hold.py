"""One studio for a workspace: a second one is refused, a lock of a dead process is free."""

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
