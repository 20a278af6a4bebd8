"""Every exit code, and Ctrl-C in the middle of a comparison.

A process gives the codes of usage, of data and of Ctrl-C; the others are what it would exit with.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from branchline import load_dataset
from branchline.cli import _compare_verb
from branchline.cli._app import run_arguments
from command_line import run_here

COMMAND = [sys.executable, "-m", "branchline"]
# The command, which waits after some results until it is interrupted, however fast the machine is.
N_BEFORE = 7
WAITING = f"""
import time
from branchline.assess.comparing import _spending
note = _spending._Work._note

def note_and_wait(self, *given):
    result = note(self, *given)
    if len(self.results) > {N_BEFORE}:
        time.sleep(1000)
    return result

_spending._Work._note = note_and_wait
from branchline.cli import main
main()
"""
QUICK = ("--learners", "tree,naive_bayes", "--folds", "3", "--jobs", "1", "--report", "none")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    load_dataset("heart").write_csv(tmp_path / "heart.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_process(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=folder, check=False
    )


def target_of(name: str) -> str:
    from branchline.table import dataset_info

    return str(dataset_info(name).target)


def standings(document: dict[str, Any]) -> list[Any]:
    """Return what must not depend on how often a run was stopped: everything but seconds."""
    kept = ("learner", "score", "scores", "size", "n_splits", "group", "against_best")
    return [{key: each[key] for key in kept} for each in document["comparison"]["standings"]]


def test_5_requirement_not_met_then_0_ok_then_6_test_opened_before(folder: Path) -> None:
    common = ("compare", "heart.csv", "-t", target_of("heart"), *QUICK, "--seal", "30%", "--json")
    found = run_here(*common, "--save", "m.branchline", "--require", "accuracy.low>=0.999")
    assert found.returncode == 5, found.stderr
    assert "required accuracy.low>=0.999: NO" in found.stderr
    assert sorted(os.listdir(folder)) == ["heart.csv", "heart.seal.json", "m.branchline"]
    made = json.loads(found.stdout)
    assert made["schema"] == 1
    n_rows = made["comparison"]["rows"]["count"]

    look = ("open-test", "m.branchline", "heart.csv", "-t", target_of("heart"), "--json")
    found = run_here(*look)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["look"]["n_rows"] + n_rows == load_dataset("heart").n_rows
    found = run_here(*look)
    assert found.returncode == 6
    assert json.loads(found.stdout)["error"]["code"] == "D134"


def test_1_a_fault_of_ours(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("odd")

    monkeypatch.setattr(_compare_verb, "plan_of", fail)
    found = run_here("compare", "heart.csv", "-t", target_of("heart"), "--json")
    assert found.returncode == 1
    assert json.loads(found.stdout)["error"]["message"] == "RuntimeError: odd"
    assert "please report it" in found.stderr
    assert os.listdir(folder) == ["heart.csv"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "heart.csv"),
        ("compare", "heart.csv", "-t", "class", "--folds", "1"),
        ("compare", "heart.csv", "-t", "class", "--no-such-option"),
        ("compare", "heart.csv", "-t", "class", "--time-budget", "soon"),
    ],
    ids=["no target", "one fold", "an unknown option", "a time that is none"],
)
def test_2_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    arguments = tuple(target_of("heart") if word == "class" else word for word in arguments)
    found = run_here(*arguments, "--json")
    assert found.returncode == 2
    assert json.loads(found.stdout)["error"]["message"]
    assert os.listdir(folder) == ["heart.csv"]


def test_a_process_says_the_same_of_usage(folder: Path) -> None:
    found = run_process(folder, "compare", "heart.csv", "--json")
    assert found.returncode == 2
    assert json.loads(found.stdout)["error"]["message"]


def test_3_data(folder: Path) -> None:
    found = run_process(folder, "compare", "heart.csv", "-t", target_of("heart").upper() + "x")
    assert (found.returncode, found.stdout) == (3, "")
    assert f"--target {target_of('heart')}" in found.stderr


@pytest.mark.filterwarnings("default::branchline.errors.BranchlineWarning")  # as a process does
def test_4_no_learner_could_be_scored(folder: Path) -> None:
    # What is always the same has no correlation with anything.
    (folder / "few.csv").write_text("x,y\n" + "".join(f"{n},{n % 7}.5\n" for n in range(40)))
    options = ("--learners", "baseline", "--folds", "4", "--metric", "pearson", "--jobs", "1")
    found = run_here("compare", "few.csv", "-t", "y", *options)
    assert found.returncode == 4, found.stderr
    assert "D132" in found.stderr
    assert sorted(os.listdir(folder)) == ["few.csv", "heart.csv"]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a group of processes")
def test_130_keeps_results_and_resume_ends_with_the_same_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    options = ["-t", target_of("heart"), "--learners", "tree,naive_bayes,nearest_neighbors"]
    options += ["--folds", "4", "--repeats", "3", "--drop", "sex", "--seed", "3"]
    quick = ["--jobs", "1", "--report", "none", "--json"]
    assert run_arguments(["compare", "heart.csv", *options, *quick]) == 0
    whole = json.loads(capsys.readouterr().out)
    (folder / "heart-report.html").write_text("an earlier report")

    kept = folder / "heart.compare.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, "compare", "heart.csv", *options, "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    _wait_for_lines(kept, 1 + N_BEFORE, process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "branchline compare heart.csv --resume" in out
    n_kept = len(kept.read_text().splitlines()) - 1
    assert n_kept == N_BEFORE
    assert (folder / "heart-report.html").read_text() == "an earlier report"
    assert sorted(os.listdir(folder)) == ["heart-report.html", "heart.compare.jsonl", "heart.csv"]

    assert run_arguments(["report", "heart.compare.jsonl", "-o", "part.json"]) == 0
    assert json.loads((folder / "part.json").read_text())
    capsys.readouterr()
    assert run_arguments(["compare", "heart.csv", "--resume", *quick]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed["comparison"]["plan"] == whole["comparison"]["plan"]
    assert standings(resumed) == standings(whole)
    assert not kept.exists()


def _wait_for_lines(path: Path, count: int, process: "subprocess.Popen[str]") -> None:
    for _ in range(10_000):  # minutes, for machines with other work
        if path.exists() and path.read_text().count("\n") >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("no results in time")
