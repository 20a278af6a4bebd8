"""Starting: on this machine alone, with a table, without the extra, on a port that is taken."""

import contextlib
import socket
import sys

import pytest

from branchline.errors import BranchlineError, MissingExtra
from branchline.studio._serve import begin, need_extra, open_socket
from branchline.studio._workspace import Workspace
from command_line import run_here


def answers(host, port):
    with contextlib.suppress(OSError):
        socket.create_connection((host, port), 2).close()
        return True
    return False


def test_the_socket_is_open_on_this_machine_alone():
    listening = open_socket(0)
    try:
        host, port = listening.getsockname()
        assert host == "127.0.0.1"
        with socket.create_connection(("127.0.0.1", port), 2):
            pass
        others = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None)}
        for other in others:
            assert other.startswith("127.") or ":" in other or not answers(other, port)
    finally:
        listening.close()


def test_a_port_that_is_taken_is_said():
    listening = open_socket(0)
    try:
        with pytest.raises(BranchlineError) as caught:
            open_socket(listening.getsockname()[1])
        assert caught.value.code == "P966"
    finally:
        listening.close()


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match="uvicorn") as caught:
        need_extra()
    assert caught.value.code == "X020"
    assert 'pip install "branchline[studio]"' in str(caught.value)
    done = run_here("studio")
    assert done.returncode == 3
    assert "pip install" in done.stderr


def test_a_table_is_copied_and_read(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    workspace = Workspace(tmp_path / "studio")
    document = workspace.read("tables", begin(workspace, str(tmp_path / "a.csv")))
    assert (document["rows"], document["columns"]) == (2, 2)
    with pytest.raises(BranchlineError):
        begin(workspace, str(tmp_path / "absent.csv"))
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04")
    with pytest.raises(BranchlineError) as caught:
        begin(workspace, str(tmp_path / "model.pkl"))
    assert caught.value.code == "F961"
    assert len(workspace.names("tables")) == 1
