"""Comparisons of the studio: a process for each, one at a time, their events to all who listen.

1. A run is a document of the workspace: waiting, running, finished, stopped or failed. Its results
   are in a run file beside it, so a stopped run can be continued, also after a restart.
2. Events of its process are kept as the run's state, and sent to every open stream.
3. Stop sends SIGINT; a process that does not end within some seconds is ended with its group.
"""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

from branchline.studio._lanes import Answered, kill_group, start_python
from branchline.studio._limits import RUNS_WAITING, STREAMS
from branchline.studio._workspace import Workspace

__all__ = ["Runs"]

_PATIENCE = 20.0
_BEAT = 10.0


class Runs:
    """All comparisons of a workspace.

    Parameters
    ----------
    workspace
        The folder.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._turn = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._listeners: dict[str, set[asyncio.Queue[dict[str, Any]]]] = {}
        self._now: dict[str, dict[str, Any]] = {}
        for document in workspace.all("runs"):
            if document["state"] in {"running", "waiting"}:
                workspace.change("runs", document["id"], None, {"state": "stopped"})

    def start(self, table: str, options: dict[str, Any], name: str) -> dict[str, Any]:
        """Begin a comparison; return its document."""
        document = {"table": table, "name": name, "options": options, "state": "waiting",
                    "progress": None, "result": None, "plan": None, "error": None}  # fmt: skip
        self._refuse_too_many()
        made = self._workspace.add("runs", document)
        self._begin(made["id"])
        return made

    def resume(self, id: str) -> dict[str, Any]:
        """Go on with a run that was stopped."""
        document = self._workspace.read("runs", id)
        if document["state"] in {"running", "waiting"} or id in self._tasks:
            return document
        self._refuse_too_many()
        changes = {"state": "waiting", "error": None}
        document = self._workspace.change("runs", id, None, changes)
        self._begin(id)
        return document

    def view(self, id: str) -> dict[str, Any]:
        """Return a run as it stands."""
        return {**self._workspace.read("runs", id), **self._now.get(id, {})}

    async def stop(self, id: str) -> None:
        """Stop a run; what is done is kept."""
        self._workspace.read("runs", id)
        process, task = self._processes.get(id), self._tasks.get(id)
        if process is None and task is not None:
            task.cancel()
            self._settle(id, {"state": "stopped"})
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGINT)
        self._publish(id, {"event": "stopping"})
        asyncio.get_running_loop().call_later(_PATIENCE, self._end, process)

    @staticmethod
    def _end(process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            kill_group(process.pid)

    async def close(self) -> None:
        """End all processes; what they have done is kept."""
        for process in list(self._processes.values()):
            self._end(process)
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def remove(self, id: str) -> None:
        """Remove a run that does not run."""
        if id in self._tasks:
            raise Answered({"code": "P963", "message": "Stop the comparison first."})
        self._workspace.remove("runs", id)
        self._now.pop(id, None)

    # -- events ---------------------------------------------------------------------------------

    def check_room(self) -> None:
        """Refuse another stream where there are too many."""
        if sum(map(len, self._listeners.values())) >= STREAMS:
            raise Answered({"code": "P963", "message": "Too many pages follow comparisons."})

    async def events(self, id: str) -> AsyncIterator[str]:
        """Yield the state, then each event, as server-sent events, until the run has ended."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(maxsize=256)
        listeners = self._listeners.setdefault(id, set())
        listeners.add(queue)
        try:
            yield _event({"event": "state", "run": self.view(id)})
            while id in self._tasks:
                try:
                    told = await asyncio.wait_for(queue.get(), _BEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield _event(told)
                if told["event"] == "end":
                    return
            yield _event({"event": "end", "run": self.view(id)})
        finally:
            listeners.discard(queue)

    def _publish(self, id: str, told: dict[str, Any]) -> None:
        for queue in self._listeners.get(id, set()):
            if queue.full():  # a page that does not read gets the newest events
                queue.get_nowait()
            queue.put_nowait(told)

    # -- the process ----------------------------------------------------------------------------

    def _refuse_too_many(self) -> None:
        if len(self._tasks) > RUNS_WAITING:
            raise Answered({"code": "P963", "message": "Too many comparisons wait already."})

    def _begin(self, id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._carry_out(id))
        self._tasks[id] = task
        task.add_done_callback(lambda _: self._forget(id))

    def _forget(self, id: str) -> None:
        self._tasks.pop(id, None)
        self._publish(id, {"event": "end", "run": self.view(id)})
        self._now.pop(id, None)

    async def _carry_out(self, id: str) -> None:
        async with self._turn:
            self._settle(id, {"state": "running"})
            self._publish(id, {"event": "state", "run": self.view(id)})
            process = await start_python(
                "branchline.studio._compare_job", str(self._workspace.folder), id
            )
            self._processes[id] = process
            try:
                await self._listen(id, process)
            finally:
                self._end(process)
                self._processes.pop(id, None)
                if self.view(id)["state"] == "running":
                    self._settle(id, {"state": "stopped"})

    async def _listen(self, id: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            told = json.loads(line)
            self._take(id, told)
            self._publish(id, told)
        await process.wait()

    def _take(self, id: str, told: dict[str, Any]) -> None:
        """Keep what an event says."""
        kept = self._now.setdefault(id, {})
        event = told.pop("event")
        if event == "progress":
            kept["progress"] = told
        elif event == "plan":
            self._settle(id, {"plan": told})
        elif event == "partial":
            kept["partial"] = told
        elif event in {"finished", "stopped"}:
            changes = {"state": event, "result": told["result"], "progress": kept.get("progress")}
            self._settle(id, changes)
        elif event == "failed":
            self._settle(id, {"state": "failed", "error": told["error"]})
        told["event"] = event

    def _settle(self, id: str, changes: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):  # removed meanwhile
            self._workspace.change("runs", id, None, changes)


def _event(told: dict[str, Any]) -> str:
    return f"data: {json.dumps(told, ensure_ascii=False)}\n\n"
