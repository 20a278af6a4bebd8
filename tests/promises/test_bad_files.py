"""Bad files: a coded error, no traceback, nothing left behind; and files that only look bad."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bad_files import CASES, Case
from branchline.cli._app import run_arguments
from branchline.errors import ERROR_CODES

QUICK = ("--learners", "tree", "--folds", "2", "--jobs", "1")


def compare(path: str, *options: str) -> int:
    return run_arguments(["compare", path, "--target", "y", *QUICK, *options])


def test_there_are_sixty_kinds_and_more() -> None:
    assert len({case.what for case in CASES}) == len(CASES) >= 60


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_each_file_works_or_is_refused(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(case.name).write_bytes(case.bytes)
    report = () if case.code else ("--report", "none")
    exit_code = compare(case.name, *report, *case.options)
    told = capsys.readouterr()
    assert os.listdir() == [case.name]
    assert "Traceback" not in told.err
    if case.code:
        code = told.err.rpartition("branchline errors ")[2].strip()
        assert (exit_code, told.out) == (3, "")
        assert code.startswith(case.code)
        assert code in ERROR_CODES
    else:
        assert exit_code == 0
        assert "baseline" in told.out


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "F001"),
        (lambda path: path.mkdir(), "F002"),
        (lambda path: path.symlink_to(path), "F003"),
    ],
    ids=["a missing file", "a folder", "a link to itself"],
)
def test_what_is_no_file_is_refused(
    make: object,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("table.csv"))  # type: ignore[operator]
    before = os.listdir()
    assert compare("table.csv") == 3
    assert f"branchline errors {code}" in capsys.readouterr().err
    assert os.listdir() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read all")
def test_a_file_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("x,y\n1,a\n2,b\n")
    Path("table.csv").chmod(0)
    assert compare("table.csv") == 3
    assert "branchline errors F003" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("x,y\n" + "1,a\n2,b\n" * 6)
    assert compare("table.csv", "--run", "nowhere/run.jsonl") == 3
    told = capsys.readouterr()
    assert "nowhere/run.jsonl" in told.err
    assert "Traceback" not in told.err
    assert os.listdir() == ["table.csv"]


def test_a_process_says_the_same(tmp_path: Path) -> None:
    [case] = [case for case in CASES if case.what == "random bytes"]
    (tmp_path / case.name).write_bytes(case.bytes)
    found = subprocess.run(
        [sys.executable, "-m", "branchline", "compare", case.name, "-t", "y"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (found.returncode, found.stdout) == (3, "")
    assert case.code in found.stderr
    assert "Traceback" not in found.stderr
    assert os.listdir(tmp_path) == [case.name]
