"""Outputs are tried before the first fit; what is fitted is never lost."""

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
from branchline.assess import compare
from branchline.assess.comparing import _results
from branchline.cli import _outputs
from branchline.cli._app import run_arguments
from branchline.errors import BranchlineWarning, DataError

IRIS = ("compare", "iris.csv", "-t", "species", "--learners", "stump", "--folds", "3")
QUICK = (*IRIS, "--jobs", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    load_dataset("iris").write_csv("iris.csv")
    return tmp_path


@pytest.fixture
def no_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("branchline.assess.carry_out", refuse)


@pytest.mark.parametrize("option", ["--report", "--save", "--run"])
@pytest.mark.usefixtures("no_fits")
def test_a_missing_folder_is_refused_before_the_first_fit(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments([*QUICK, option, "nowhere/x.html"]) == 3
    told = capsys.readouterr().err
    assert f"{option}: nowhere/x.html cannot be written (there is no folder 'nowhere')" in told
    assert "repair: mkdir -p nowhere" in told
    assert os.listdir() == ["iris.csv"]


@pytest.mark.usefixtures("no_fits")
def test_a_full_disk_is_refused_before_the_first_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(**options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_outputs.tempfile, "TemporaryFile", full)
    assert run_arguments([*QUICK, "--save", "m.branchline"]) == 3
    assert "No space left on device" in capsys.readouterr().err


def test_a_report_that_fails_costs_no_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*given: Any, **options: Any) -> None:
        raise DataError("iris-report.html: the file cannot be written (full).", code="F023")

    monkeypatch.setattr("branchline.report.write_report", fail)
    assert run_arguments([*QUICK, "--json"]) == 3
    told = capsys.readouterr()
    found = json.loads(told.out)["comparison"]
    assert found["standings"][0]["learner"] == "stump"
    assert found["written"] == {"run": "iris.compare.jsonl"}
    assert found["trouble"]["code"] == "F023"
    assert "branchline report iris.compare.jsonl --output FOLDER/report.html" in told.err


def test_the_run_file_stands_where_it_can(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _outputs.place_of_run_file("iris.csv", None, resume=False)
    assert usual == Path("iris.compare.jsonl")
    real = _outputs.why_not_written
    refused = lambda path: "read-only" if path.parent == Path() else real(path)  # noqa: E731
    monkeypatch.setattr(_outputs, "why_not_written", refused)
    (folder / "out").mkdir()
    beside = _outputs.place_of_run_file("iris.csv", "out/r.html", resume=False)
    assert beside == Path("out/iris.compare.jsonl")
    elsewhere = _outputs.place_of_run_file("iris.csv", None, resume=False)
    assert elsewhere.is_absolute()
    beside.write_text("{}\n")
    assert _outputs.place_of_run_file("iris.csv", "out/r.html", resume=True) == beside


def test_a_disk_that_fills_up_moves_the_run_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / "other"
    other.mkdir()
    monkeypatch.setattr(_results.tempfile, "gettempdir", lambda: str(other))
    real, n_added = _results.RunFile._append, []

    def append(self: Any, line: str) -> None:
        n_added.append(1)
        if len(n_added) == 3:
            raise OSError(28, "No space left on device")
        real(self, line)

    monkeypatch.setattr(_results.RunFile, "_append", append)
    with pytest.warns(BranchlineWarning, match="W009"):
        found = compare(
            load_dataset("iris"), "species", learners="stump", n_folds=3, run_file="run.jsonl"
        )
    assert found.is_complete
    [kept] = other.iterdir()
    assert len(kept.read_text().splitlines()) == 1 + 6
    assert not Path("run.jsonl").exists()


def test_resume_remembers_where_everything_goes(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--report", "mine.json", "--save", "m.branchline", "--prefer", "accuracy")
    assert run_arguments([*QUICK, *options, "--run", "kept.jsonl"]) == 0
    for name in ("mine.json", "m.branchline"):
        Path(name).unlink()
    assert run_arguments(["compare", "iris.csv", "--resume", "--run", "kept.jsonl"]) == 0
    assert Path("mine.json").exists()
    assert Path("m.branchline").exists()
    assert not Path("iris-report.html").exists()
    assert json.loads(Path("mine.json").read_text())["comparison"]["plan"]["prefer"] == "accuracy"


def test_a_run_may_go_on_with_more_time_and_another_preference() -> None:
    assert run_arguments([*QUICK, "--run", "kept.jsonl", "--report", "none"]) == 0
    more = ("--resume", "--run", "kept.jsonl", "--prefer", "simplicity", "--time-budget", "99s")
    assert run_arguments([*QUICK, *more]) == 0


def test_a_folder_that_cannot_be_written_is_no_matter_when_the_report_goes_elsewhere(
    folder: Path,
) -> None:
    place = Path("/proc/self")  # nobody can write there, not even the superuser
    if not place.is_dir():
        pytest.skip("there is no such folder here")
    command = [sys.executable, "-m", "branchline", "compare", str(folder / "iris.csv")]
    command += [*QUICK[2:], "--report", str(folder / "r.html")]
    found = subprocess.run(
        command, cwd="/proc", capture_output=True, text=True, check=False, timeout=120
    )
    assert found.returncode == 0, found.stderr
    assert (folder / "r.html").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_sigterm_keeps_results_and_leaves_no_noise(folder: Path) -> None:
    load_dataset("german-credit").write_csv("credit.csv")
    command = [sys.executable, "-m", "branchline", "compare", "credit.csv", "-t", "class"]
    command += ["--repeats", "20", "--jobs", "2"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 200
    while not _count_lines(folder / "credit.compare.jsonl") and time.monotonic() < end:
        time.sleep(0.1)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=200)
    assert run.returncode == 130
    assert "Go on: branchline compare credit.csv --resume" in out
    assert "semaphore" not in err
    assert "Traceback" not in err
    assert _count_lines(folder / "credit.compare.jsonl") >= 1


def _count_lines(path: Path) -> int:
    return path.read_text().count("\n") - 1 if path.exists() else 0
