"""The processes that compute: one for each lane, started when it is first needed.

1. A lane is a Python process (``_worker``) that answers one request at a time, a line of JSON each.
   The page's own process never computes, so it always answers. Lines before the answer may say
   what is being done.
2. Waiting requests are counted; beyond a limit new ones are refused (P963).
3. A request that takes too long ends its process with everything it has started; the next request
   starts a new one (P964). What it knew is read again from the workspace.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from branchline.studio._limits import CPU_SECONDS, REQUEST_SECONDS, WAITING

__all__ = ["Answered", "Lanes", "kill_group", "start_python"]

_LONGEST_LINE = 2**28


class Answered(Exception):  # noqa: N818 (it is an answer of the worker, not a fault of ours)
    """An error that a worker answered with, as data."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message", ""))
        self.error = error


class Lanes:
    """All lanes of a workspace.

    Parameters
    ----------
    folder
        The workspace.
    """

    def __init__(self, folder: Path) -> None:
        self._lanes = {name: _Lane(folder, name) for name in REQUEST_SECONDS}

    async def ask(self, lane: str, call: str, **arguments: Any) -> Any:
        """Return what a worker answers."""
        return await self._lanes[lane].ask(call, arguments)

    def warm(self, lane: str) -> None:
        """Start a lane in the background, so that its first request does not wait."""
        self._lanes[lane].warm()

    def doing(self, lane: str) -> str:
        """Return what a lane has said that it is doing; an empty text when nothing is."""
        return self._lanes[lane].doing

    async def stop(self, lane: str) -> None:
        """End what a lane is doing; its request is answered with an error."""
        await self._lanes[lane].stop()

    async def close(self) -> None:
        """End all processes."""
        for lane in self._lanes.values():
            await lane.stop()

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes that run."""
        return [lane.process.pid for lane in self._lanes.values() if lane.process is not None]


class _Lane:
    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._warming: asyncio.Task[Any] | None = None
        self.doing = ""
        self.process: asyncio.subprocess.Process | None = None

    def warm(self) -> None:
        if self.process is None and self._warming is None:
            self._warming = asyncio.get_running_loop().create_task(self._warm())

    async def _warm(self) -> None:
        with contextlib.suppress(Answered):
            await self.ask("warm", {"lane": self._name})

    async def ask(self, call: str, arguments: dict[str, Any]) -> Any:
        if self._waiting >= WAITING:
            raise Answered({"code": "P963", "message": "The studio is busy. Try again soon."})
        self._waiting += 1
        try:
            async with self._turn:
                return await self._answer(call, arguments)
        finally:
            self._waiting -= 1

    async def _answer(self, call: str, arguments: dict[str, Any]) -> Any:
        line = json.dumps({"call": call, "arguments": arguments}).encode() + b"\n"
        try:
            async with asyncio.timeout(REQUEST_SECONDS[self._name]):
                answer = await self._exchange(line)
        except TimeoutError:
            await self.stop()
            seconds = REQUEST_SECONDS[self._name]
            message = f"This took longer than {seconds:.0f} seconds and was stopped."
            raise Answered({"code": "P964", "message": message}) from None
        except asyncio.CancelledError:
            await self.stop()  # the answer would be taken for that of the next request
            raise
        finally:
            self.doing = ""
        if "error" in answer:
            raise Answered(answer["error"])
        return answer["result"]

    async def _exchange(self, line: bytes) -> dict[str, Any]:
        if self.process is None or self.process.returncode is not None:
            self.process = await start_python(
                "branchline.studio._worker", str(self._folder), stdin=asyncio.subprocess.PIPE
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(line)
            await self.process.stdin.drain()
            found = await self._answer_after_steps(self.process.stdout)
        except (ConnectionError, ValueError):
            found = None
        if found is None:
            ended = self.process
            await self.stop()
            return {"error": _why_ended(ended.returncode)}
        return found

    async def _answer_after_steps(self, output: asyncio.StreamReader) -> dict[str, Any] | None:
        """Return the answer, or None where the output ends; keep what is said before it."""
        while (line := await output.readline()).endswith(b"\n"):
            found: dict[str, Any] = json.loads(line)
            if "doing" not in found:
                return found
            self.doing = str(found["doing"])
        return None

    async def stop(self) -> None:
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            kill_group(process.pid)
            with contextlib.suppress(ProcessLookupError):
                await process.wait()


def _why_ended(status: int | None) -> dict[str, str]:
    """Return the error of a process that has ended in the middle of a request."""
    if status is not None and status == -getattr(signal, "SIGXCPU", 0):
        message = f"Reading the file took more than {CPU_SECONDS} seconds of the processor."
        return {"code": "P964", "message": message}
    message = "The process that computes has ended, perhaps for lack of memory."
    return {"code": "P969", "message": message}


async def start_python(module: str, *arguments: str, **more: Any) -> asyncio.subprocess.Process:
    """Start a module in a process and a process group of its own; its output is a pipe."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=_LONGEST_LINE,
        **more,
    )


def kill_group(pid: int) -> None:
    """End a process and all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:  # Windows: what it has started ends when it is seen to be gone
            os.kill(pid, signal.SIGTERM)
