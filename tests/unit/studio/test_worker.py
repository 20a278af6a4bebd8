"""The process that computes: what limits it, and what is said when a limit ends it."""

import asyncio
import signal
import subprocess
import sys

import pytest

from branchline.studio import _lanes
from branchline.studio._lanes import Answered, Lanes

resource = pytest.importorskip("resource")

WORK = """
import resource, time
from branchline.studio import _worker
before = resource.getrlimit(resource.RLIMIT_CPU)
with _worker.limited_time(1):
    assert resource.getrlimit(resource.RLIMIT_CPU) != before
assert resource.getrlimit(resource.RLIMIT_CPU) == before
def add_upload(desk):
    while True:
        pass
_worker.CPU_SECONDS = 1
_worker._call_of = lambda name: add_upload
print("begun", flush=True)
_worker.answer_to(None, {"call": "add_upload", "arguments": {}})
"""


def test_reading_a_file_is_ended_by_the_system_after_its_time():
    done = subprocess.run(
        [sys.executable, "-c", WORK], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "begun\n"
    assert done.returncode == -signal.SIGXCPU


PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], start_new_session=True)
child.wait()
"""
CHILD = """
import time
from branchline.studio._worker import end_with_parent
end_with_parent()
print("watching", flush=True)
time.sleep(600)
"""


def test_a_worker_ends_with_the_studio():
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout.readline() == "watching\n"
        parent.kill()
        assert parent.stdout.read() == ""  # ends when the child, too, has closed it


@pytest.mark.parametrize(
    ("sign", "code", "words"),
    [(signal.SIGXCPU, "P964", "seconds of the processor"), (signal.SIGSEGV, "P969", "has ended")],
)
def test_what_ended_the_process_is_said(tmp_path, monkeypatch, sign, code, words):
    async def dying(module, *arguments, **more):
        script = f"import os; input(); os.kill(os.getpid(), {int(sign)})"
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE,
            start_new_session=True, **more,
        )  # fmt: skip

    monkeypatch.setattr(_lanes, "start_python", dying)

    async def asked():
        lanes = Lanes(tmp_path)
        with pytest.raises(Answered) as caught:
            await lanes.ask("desk", "add_upload")
        assert lanes.processes == []
        return caught.value.error

    told = asyncio.run(asked())
    assert told["code"] == code
    assert words in told["message"]
