"""``fit``, ``predict``, ``explain``, ``tree``, help and completion."""

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from branchline import load, load_dataset
from branchline.cli._app import app, run_arguments

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    load_dataset("iris").write_csv("iris.csv")

    def run_verb(*arguments: str, expect: int = 0) -> dict[str, Any]:
        code = run_arguments([*arguments, "--json"])
        told = capsys.readouterr()
        assert code == expect, told.err
        document: dict[str, Any] = json.loads(told.out)
        return {**document, "told": told.err}

    return run_verb


@pytest.fixture
def model(run: Run) -> str:
    made = run("fit", "iris.csv", "-t", "species", "--set", "max_depth=2", "--save", "m.branchline")
    assert made["model"]["learner"] == "tree"
    assert made["model"]["rows"] == 150
    return "m.branchline"


def test_predictions_are_written_in_each_format(run: Run, model: str) -> None:
    said = load(model).predict(load_dataset("iris").split_target("species")[0]).tolist()
    readers = {
        "p.csv": pl.read_csv,
        "p.csv.gz": lambda path: pl.read_csv(gzip.decompress(Path(path).read_bytes())),
        "p.parquet": pl.read_parquet,
        "p.json": pl.read_json,
    }
    for name, read in readers.items():
        made = run("predict", model, "iris.csv", "-o", name, "--probabilities", "--copy", "species")
        assert made["predictions"] == {"rows": 150, "written": name}
        frame = read(name)
        assert frame["prediction"].to_list() == said
        assert frame.columns[0] == "species"
        assert frame.width == 1 + 1 + 3
    assert run("predict", model, "iris.csv", "-o", "p.xlsx", expect=2)["error"]["code"] == "P107"
    assert run("predict", model, "iris.csv", "-o", "no/p.csv", expect=3)["error"]["code"] == "F023"
    assert run("predict", model, "iris.csv", "--copy", "Species", expect=3)["error"]["repair"][
        "flag"
    ] == ("--copy species")
    assert not [name for name in os.listdir() if "tmp" in name or "part" in name]


def test_predictions_without_a_file_are_the_document(
    run: Run, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Path("iris.csv").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(content))))
    made = run("predict", model, "-")
    assert len(made["table"]) == 150
    assert made["told"].strip() == "150 predictions"


def test_names_that_look_like_numbers_stay_names_from_standard_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("zip.csv").write_text("zip,y\n" + "007,a\n008,b\n" * 10)
    run("fit", "zip.csv", "-t", "y", "--kind", "zip=category", "--save", "z.branchline")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"zip\n008\n007\n")))
    made = run("predict", "z.branchline", "-")
    assert [row["prediction"] for row in made["table"]] == ["b", "a"]


def test_explain_says_why(run: Run, model: str) -> None:
    made = run("explain", model, "iris.csv", "--row", "149")
    assert "prediction" in made["explanation"]
    assert run("explain", model, "iris.csv", "--row", "150", expect=2)["error"]["code"] == "P105"


def test_tree_prints_draws_and_saves(run: Run) -> None:
    options = ("--method", "cart", "--draw", "t.svg", "--save", "t.branchline", "--rules")
    made = run("tree", "iris.csv", "-t", "species", *options)
    assert made["tree"]["drawn"] == "t.svg"
    assert Path("t.svg").read_text().startswith("<svg")
    assert load("t.branchline").predict(load_dataset("iris").split_target("species")[0]).size == 150
    refused = run("tree", "iris.csv", "-t", "species", "--method", "logistic", expect=2)
    assert refused["error"]["code"] == "P106"


def test_a_fit_that_fails_exits_with_4(run: Run) -> None:
    Path("odd.csv").write_text("x,y\n" + "inf,a\n1,b\n" * 5)
    refused = run("fit", "odd.csv", "-t", "y", expect=3)["error"]  # before anything is fitted
    assert (refused["code"], refused["column"], refused["rows"][:2]) == ("D060", "x", [0, 2])
    assert refused["repair"]["flag"].startswith("--missing inf")
    Path("empty.csv").write_text("x,y\n" + "NA,a\nNA,b\n" * 5)
    assert run("fit", "empty.csv", "-t", "y", expect=4)["error"]["code"] == "D062"
    assert run("fit", "empty.csv", "-t", "y", "--set", "max_depth=-1", expect=2)["error"]


def test_every_verb_has_json_and_examples_on_lines_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    verbs = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert set(verbs) >= {"look", "compare", "fit", "predict", "explain", "tree", "report"}
    for verb in verbs:
        assert run_arguments([verb, "--help"]) == 0
        lines = capsys.readouterr().out.splitlines()
        examples = [line for line in lines if "Example:" in line]
        after = [lines[at + 1] for at, line in enumerate(lines) if "Example:" in line]
        assert set(after) == {""}, verb  # none is broken
        assert examples, verb
        assert all(line.startswith("  Example: ") for line in examples), verb
        assert all(line.count("Example:") == 1 for line in examples), verb
        assert any(line.strip().startswith("--json") for line in lines), verb


def test_ctrl_c_before_a_result_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("branchline.cli._verbs.learners", press)
    found = run("learners", expect=130)
    assert found["error"]["type"] == "Interrupted"
    assert found["told"] == "Interrupted before there was a result.\n"


def test_the_list_of_verbs_is_read_at_a_glance(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run_arguments(["--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Usage: branchline ")
    assert "  Example: branchline compare credit.csv --target class\n" in told
    assert "..." not in told.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("branchline com", "compare"),
        ("branchline errors D01", "D010"),
        ("branchline fit x --", "--target"),
    ],
)
def test_the_shell_completes(words: str, expected: str) -> None:
    asked = {
        "_BRANCHLINE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    found = subprocess.run(
        [sys.executable, "-m", "branchline"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert expected in found.stdout.split()
