"""The command line: what it prints where, and how it exits."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from branchline import load_dataset, read_table
from command_line import run_here


def run(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command: in this process, unless it reads what another process writes."""
    if stdin is None:
        return run_here(*arguments)
    return subprocess.run(
        [sys.executable, "-m", "branchline", *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        check=False,
    )


def document(found: subprocess.CompletedProcess[str]) -> Any:
    made = json.loads(found.stdout)
    assert made["schema"] == 1
    return made


@pytest.fixture
def credit(tmp_path: Path) -> str:
    path = tmp_path / "credit.csv"
    load_dataset("german-credit").write_csv(path)
    return str(path)


def test_help_lists_the_verbs_and_shows_examples() -> None:
    assert {"look", "datasets", "errors"} <= set(run("--help").stdout.split())
    assert "Example: branchline look credit.csv" in run("look", "--help").stdout


def test_look_describes_a_file(credit: str) -> None:
    found = run("look", credit)
    assert found.returncode == 0
    assert "1,000 rows × 21 columns" in found.stdout
    made = document(run("look", credit, "--json", "--kind", "age=category"))["look"]
    kinds = {column["name"]: column["kind"] for column in made["columns"]}
    assert kinds["age"] == "category"
    assert kinds["duration"] != "category"


def test_look_reads_standard_input() -> None:
    found = run("look", "-", stdin="a,b\n1,x\n2,y\n")
    assert "2 rows × 2 columns" in found.stdout


def test_data_problems_exit_with_3_and_a_code(tmp_path: Path) -> None:
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("a,b\n1,2\n3\n")
    found = run("look", str(ragged))
    assert (found.returncode, found.stdout) == (3, "")
    assert "branchline errors F" in found.stderr
    found = run("look", str(ragged), "--json")
    assert document(found)["error"]["code"].startswith("F")


def test_usage_problems_exit_with_2() -> None:
    assert run("look").returncode == 2
    assert run("no-such-verb").returncode == 2


def test_errors_explains_a_code_and_lists_them_all() -> None:
    assert "columns" in run("errors", "d011").stdout
    assert len(run("errors").stdout.splitlines()) > 50
    found = run("errors", "D999")
    assert found.returncode == 2
    assert "There is no error code" in found.stderr


def test_datasets_lists_describes_and_writes(tmp_path: Path) -> None:
    assert "german-credit" in run("datasets").stdout
    path = tmp_path / "iris.csv"
    found = run("datasets", "iris", "--save", str(path))
    assert found.returncode == 0
    assert "License: CC BY 4.0" in found.stdout
    assert read_table(path).shape == (150, 5)
    assert run("datasets", "irs").returncode == 3


def test_version_and_bad_kind() -> None:
    assert run("--version").stdout.startswith("branchline 0.")
    found = run("look", "-", "--kind", "age", stdin="a\n1\n")
    assert "--kind age=category" in found.stderr


def test_the_flags_that_reading_errors_offer_exist(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a;b|c\n1;2|x\n")
    found = document(run("look", str(path), "--json", "--delimiter", "|", "--format", "csv"))
    assert [column["name"] for column in found["look"]["columns"]] == ["a;b", "c"]
