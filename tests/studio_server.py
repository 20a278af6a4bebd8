"""A studio in a process of its own, and a client that is allowed in."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

__all__ = ["Running", "running_studio"]


class Running:
    """A running studio.

    Parameters
    ----------
    process
        The process of the server.
    address
        The address with the secret, as the terminal shows it.
    """

    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self.process, self.address = process, address
        self.base, self.token = address.split("/#token=")

    def client(self) -> httpx.Client:
        """Return a client with the cookie and the header of the page."""
        client = httpx.Client(base_url=self.base, timeout=120, headers={"Origin": self.base})
        answer = client.post(
            "/api/enter", json={"token": self.token}, headers={"X-Studio-Token": "enter"}
        )
        client.headers["X-Studio-Token"] = answer.json()["header"]
        return client

    def descendants(self) -> list[int]:
        """Return the processes that the studio has started."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == self.process.pid:
                    found.append(int(folder.name))
        return found


@contextlib.contextmanager
def running_studio(workspace: Path, *arguments: str) -> Iterator[Running]:
    """Start a studio, and end it."""
    command = [sys.executable, "-m", "branchline", "studio", *arguments, "--no-browser"]
    process: Any = subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("Studio: "), line
        yield Running(process, line.split()[1])
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
