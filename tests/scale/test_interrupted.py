"""Ctrl-C on a cluster of local processes: results are kept, and no process is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from branchline import load_dataset

SECONDS = 120


@pytest.mark.skipif(os.name != "posix", reason="sessions of processes are those of POSIX")
def test_an_interrupted_comparison_leaves_its_results_and_no_process(tmp_path: Path) -> None:
    table = load_dataset("heart")
    data, run = tmp_path / "heart.csv", tmp_path / "run.jsonl"
    table.to_pandas().to_csv(data, index=False)
    command = [sys.executable, "-m", "branchline", "compare", str(data), "--target", "disease"]
    command += ["--tune", "large", "--engine", "local:2", "--run", str(run), "--report", "none"]
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and process.poll() is None:
            if run.exists() and len(run.read_bytes().splitlines()) > 3:
                break
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
    assert len(run.read_bytes().splitlines()) > 3
    assert not living(process.pid)


def living(session: int) -> list[str]:
    """Return the processes of a session that have not ended."""
    listed = subprocess.run(
        ["ps", "-eo", "sid,stat,args"], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split(None, 2) for line in listed.splitlines()[1:])
    return [row[2] for row in rows if row[0] == str(session) and not row[1].startswith("Z")]
