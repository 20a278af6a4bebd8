"""Work on local processes that is ended: results are kept, no process and no file is left."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from branchline import load_dataset
from branchline.scale import Progress
from cluster_cases import cases, rows

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


SCRIPT = """
import sys, time
from branchline.scale import fit_on
from cluster_cases import cases, rows

if __name__ == "__main__":
    X = rows()
    case = cases(X)["binary"]
    case.model.set_params(n_estimators=100000)
    fit_on("local:2", case.model, X, case.target, checkpoint=sys.argv[1], every=1)
"""


@contextlib.contextmanager
def fitting(folder: Path, kept: Path) -> Iterator[Any]:
    """Give a process whose fit on two workers has kept some rounds."""
    script, scratch = folder / "fit.py", folder / "scratch"
    script.write_text(SCRIPT)
    scratch.mkdir()
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    place = {"TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with subprocess.Popen(
        [sys.executable, str(script), str(kept)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, **place},
    ) as process:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and process.poll() is None:
            if len(list(kept.glob("*.npz"))) > 2:
                break
            time.sleep(0.1)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="sessions of processes are those of POSIX")
def test_an_interrupted_fit_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    with fitting(tmp_path, tmp_path / "kept") as process:
        assert not {one for one in listening(process.pid) if one not in {"127.0.0.1", "::1"}}
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(SECONDS) in {130, -signal.SIGINT}
        assert not living_after(process.pid, 5)
    left = [one for one in (tmp_path / "scratch").rglob("*") if not one.is_dir()]
    assert left == []


@pytest.mark.skipif(os.name != "posix", reason="sessions of processes are those of POSIX")
def test_a_fit_whose_process_was_killed_is_continued(client: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with fitting(tmp_path, kept) as process:
        process.kill()
        process.wait(SECONDS)
        assert not living_after(process.pid, 30)
    n_kept = len(list(kept.glob("*.npz")))
    X = rows()
    case = cases(X)["binary"]
    case.model.set_params(n_estimators=n_kept + 3)
    told: list[Progress] = []
    given: dict[str, Any] = {"checkpoint": kept, "every": 1, "resume": True}
    found = case.fit_on(client, X, n_parts=3, on_progress=told.append, **given)
    assert [one.n_done for one in told] == [n_kept + number for number in (1, 2, 3)]
    assert found == case.fit(X)


def listening(session: int) -> set[str]:
    """Return the addresses on which the processes of a session listen."""
    root = psutil.Process(session)
    found = [one.net_connections() for one in (root, *root.children(recursive=True))]
    return {one.laddr.ip for of in found for one in of if one.status == psutil.CONN_LISTEN}


def living_after(session: int, seconds: float) -> list[str]:
    """Return the processes of a session that have not ended by then."""
    end = time.monotonic() + seconds
    while (found := living(session)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def living(session: int) -> list[str]:
    """Return the processes of a session that have not ended."""
    listed = subprocess.run(
        ["ps", "-eo", "sid,stat,args"], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split(None, 2) for line in listed.splitlines()[1:])
    return [row[2] for row in rows if row[0] == str(session) and not row[1].startswith("Z")]
