"""Engines: what is refused, and what is local."""

import socket
import sys

import pytest

from branchline.errors import ClusterError, MissingExtra, ParameterError
from branchline.scale import _engine as engine_module
from branchline.scale import connected, is_local


@pytest.mark.parametrize("engine", ["local:0", "local", "http://here:80", "tcp://here", 4, ""])
def test_an_engine_that_is_not_known_is_refused(engine: object) -> None:
    with pytest.raises(ParameterError) as caught, connected(engine):
        pass
    assert caught.value.code == "P950"
    assert not is_local(engine)


def test_processes_of_this_machine_are_local() -> None:
    assert is_local("local:4")
    assert not is_local("tcp://127.0.0.1:8786")


def test_without_dask_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra) as caught, connected("local:2"):
        pass
    assert caught.value.code == "X010"
    assert "branchline[dask]" in str(caught.value)


def test_an_address_without_a_scheduler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_SECONDS_TO_CONNECT", 0.5)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(ClusterError) as caught, connected(address):
            pass
    assert caught.value.code == "X011"
