"""``branchline compare``: what each option does, seen in the document it prints."""

import gzip
import io
import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from branchline import load_dataset
from branchline.cli._app import run_arguments

QUICK = ("--learners", "tree", "--folds", "3", "--jobs", "1", "--report", "none")
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a verb in an empty folder and return its document and what else it told."""
    monkeypatch.chdir(tmp_path)
    load_dataset("titanic").write_csv("titanic.csv")

    def run_verb(*arguments: str, expect: int = 0) -> dict[str, Any]:
        code = run_arguments([*arguments, "--json"])
        told = capsys.readouterr()
        assert code == expect, told.err
        document: dict[str, Any] = json.loads(told.out)
        assert document["schema"] == 1
        return {**document, "told": told.err}

    return run_verb


def titanic(*options: str) -> tuple[str, ...]:
    return ("compare", "titanic.csv", "-t", "survived", *QUICK, *options)


def test_a_document_holds_what_a_program_needs(run: Run) -> None:
    found = run(*titanic("--drop", "boat", "--id", "name"))["comparison"]
    assert {"plan", "rows", "standings", "recommendation", "requirements", "written"} <= set(found)
    assert found["rows"]["columns"] == 14 - 3
    assert {"estimate", "low", "high"} <= set(found["standings"][0]["score"])
    assert os.listdir() == ["titanic.csv"]


def test_a_dry_run_fits_and_writes_nothing(run: Run) -> None:
    found = run(*titanic("--dry-run", "--seal", "20%", "--tuning", "small"))
    assert found["plan"]["tuning"] == "small"
    assert found["fits"] > 6
    assert found["sealed"] == 0.2
    assert "would be set aside" in found["told"]
    assert os.listdir() == ["titanic.csv"]


def test_costs_decide(run: Run) -> None:
    found = run(*titanic("--costs", "yes>no=5,no>yes=1"))["comparison"]
    assert found["plan"]["metrics"][0] == "cost"
    assert found["plan"]["costs"] == [["yes", "no", 5.0], ["no", "yes", 1.0]]
    refused = run(*titanic("--costs", "yes>maybe=5"), expect=2)
    assert refused["error"]["code"] == "P130"
    assert refused["error"]["repair"]["flag"] == '--costs "no>yes=5"'


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("accuracy>=0.5", 0),
        ("auc.low > 0.5", 0),
        ("auc.high<=1", 0),
        ("log_loss.estimate<0.001", 5),
        ("accuracy.low>=1e0", 5),
        ("rmse<1", 2),
        ("accuracy=>1", 2),
        ("accuracy.middle>=1", 2),
    ],
)
def test_requirements(run: Run, text: str, expect: int) -> None:
    found = run(*titanic("--require", text, "--require", "accuracy>0"), expect=expect)
    if expect == 2:
        assert found["error"]["code"] in {"P130", "P011"}
    else:
        first, second = found["comparison"]["requirements"]
        assert first["holds"] is (expect == 0)
        assert second["holds"] is True


def test_groups_times_and_kinds(run: Run) -> None:
    found = run(*titanic("--group", "pclass"))["comparison"]
    assert found["plan"]["resampling"]["kind"] == "group_folds"
    found = run(*titanic("--time-column", "fare", "--missing", "x"), expect=3)
    assert found["error"]["code"] in {"D130", "K021"}
    found = run(*titanic("--time-column", "sibsp"))["comparison"]
    assert found["plan"]["resampling"]["kind"] == "time_folds"
    found = run(*titanic("--group", "survived"), expect=2)
    assert "both name 'survived'" in found["error"]["message"]
    found = run("compare", "titanic.csv", "-t", "pclass", *QUICK, "--kind", "sibsp=category")
    assert found["comparison"]["rows"]["classes"] == ["1st", "2nd", "3rd"]


def test_classes_that_are_numbers_are_named_by_their_text(run: Run) -> None:
    Path("bits.csv").write_text("x,y\n" + "1,0\n2,1\n3,1\n" * 8)
    options = ("--metric", "f1", "--positive", "1", "--costs", "1>0=2,0>1=1")
    found = run("compare", "bits.csv", "-t", "y", *QUICK, *options)["comparison"]
    assert found["standings"][0]["score"]["estimate"] == 1.0
    run("compare", "bits.csv", "-t", "y", *QUICK, "--positive", "7", expect=2)


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_sealed_rows_do_not_depend_on_what_is_dropped(run: Run) -> None:
    first = run(*titanic("--seal", "25%"))["comparison"]["rows"]
    record = Path("titanic.seal.json").read_text()
    other = ("--drop", "boat", "--kind", "sibsp=category", "--save", "m.branchline")
    again = run(*titanic(*other))["comparison"]["rows"]
    assert again["count"] == first["count"] < 1309
    fitted = run("fit", "titanic.csv", "-t", "survived", "--drop", "boat")
    assert fitted["model"]["rows"] == first["count"]
    assert "rows are sealed" in fitted["told"]
    assert Path("titanic.seal.json").read_text() == record
    look = run("open-test", "m.branchline", "titanic.csv", "-t", "survived")
    assert look["look"]["n_rows"] + first["count"] == 1309


def test_a_seal_that_fails_leaves_no_record(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda n: "07" * n)  # one that seals none of the four
    Path("few.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    run("compare", "few.csv", "-t", "y", *QUICK, "--seal", "1%", expect=3)
    run("compare", "few.csv", "-t", "z", *QUICK, "--seal", "50%", expect=3)
    assert sorted(os.listdir()) == ["few.csv", "titanic.csv"]


def test_a_named_run_file_stays_and_remembers_the_options(run: Run) -> None:
    options = ("--drop", "boat", "--seed", "5", "--metric", "auc", "--run", "kept.jsonl")
    first = run(*titanic(*options))["comparison"]
    written = run("report", "kept.jsonl", "-o", "again.json")["comparison"]
    assert written["standings"] == first["standings"]
    command = "branchline compare titanic.csv --target survived --learners tree --folds 3"
    command += " --metric auc --seed 5 --drop boat"
    assert command in Path("again.json").read_text()
    # Nothing is fitted anew, and an option that is said anew counts.
    again = run("compare", "titanic.csv", "--resume", "--run", "kept.jsonl", "--report", "none")
    assert again["comparison"]["standings"] == first["standings"]
    other = ("compare", "titanic.csv", "--resume", "--run", "kept.jsonl", "--seed", "6")
    assert run(*other, expect=3)["error"]["code"] == "D131"
    Path("titanic.csv").rename("moved.csv")
    assert run("report", "kept.jsonl", "-o", "again.md", expect=3)["error"]["code"] == "F001"
    run("report", "kept.jsonl", "-o", "again.md", "--data", "moved.csv")


def test_the_command_in_a_report_makes_the_same_comparison(run: Run) -> None:
    reading = ("--missing", "NA", "--missing", "", "--no-header", "--delimiter", ";")
    Path("bare.csv").write_text("1;x;yes\n2;y;no\n3;x;yes\n" * 6)
    options = ("--learners", "tree", "--folds", "2", "--tune", "small", *reading)
    options += ("--costs", "yes>no=5", "--jobs", "1", "--report", "r.json")
    first = run("compare", "bare.csv", "-t", "column_3", *options)["comparison"]
    found = re.search(r'"command": "(branchline compare .*)"', Path("r.json").read_text())
    assert found
    words = shlex.split(json.loads(f'"{found[1]}"'))
    again = run(*words[1:], "--jobs", "1", "--report", "none")["comparison"]
    assert again["plan"] == first["plan"]
    assert again["rows"] == first["rows"]


@pytest.mark.parametrize(
    "head",
    ["", "no json", "{}", '{"about": {"path": 1}}', '{"about": []}', "[]", "\x00\xff"],
)
def test_a_run_file_that_is_none_is_refused(run: Run, head: str) -> None:
    Path("odd.jsonl").write_bytes(head.encode("latin-1"))
    assert run("report", "odd.jsonl", expect=3)["error"]["code"] == "D136"
    resume = ("compare", "titanic.csv", "--resume", "--run", "odd.jsonl")
    assert run(*resume, expect=3)["error"]["code"] == "D136"


def test_a_changed_run_file_is_refused(run: Run) -> None:
    run(*titanic("--run", "kept.jsonl"))
    head, *lines = Path("kept.jsonl").read_text().split("\n")
    for name, value in [("n_folds", "3"), ("target", None), ("random_state", True), ("path", 7)]:
        about = json.loads(head)
        about["about"][name] = value
        Path("kept.jsonl").write_text("\n".join([json.dumps(about), *lines]))
        assert run("report", "kept.jsonl", expect=3)["error"]["code"] == "D136"


def test_rows_without_a_target_are_left_out_when_that_is_said(run: Run) -> None:
    cells = [f"{row / 4},{'ab '[row % 3].strip()}" for row in range(300)]
    Path("holes.csv").write_text("\n".join(["x,y", *cells, ""]))
    refused = run("compare", "holes.csv", "-t", "y", *QUICK, expect=3)["error"]
    assert (refused["code"], refused["n_rows"]) == ("D071", 100)
    assert refused["repair"]["flag"] == "--known-only"
    options = ("--known-only", "--seal", "30%", "--save", "m.branchline")
    n_rows = run("compare", "holes.csv", "-t", "y", *QUICK, *options)["comparison"]["rows"]["count"]
    assert run("fit", "holes.csv", "-t", "y", "--known-only")["model"]["rows"] == n_rows
    look = ("open-test", "m.branchline", "holes.csv", "-t", "y")
    assert run(*look, expect=3)["error"]["code"] == "D071"
    assert run(*look, "--known-only")["look"]["n_rows"] + n_rows == 200


@pytest.mark.filterwarnings("ignore:.*have no target")
def test_rows_without_a_target_are_learned_from_by_learners_for_few_labels(run: Run) -> None:
    cells = [f"{row / 4},{'ab'[row > 150] if row % 5 == 0 else ''}" for row in range(300)]
    Path("few.csv").write_text("\n".join(["x,y", *cells, ""]))
    learners = ("--learners", "label_spreading,tree", "--folds", "3", "--report", "none")
    found = run("compare", "few.csv", "-t", "y", *learners)["comparison"]
    assert found["rows"]["count"] == 60
    assert [one["learner"] for one in found["unlabeled"]] == ["label_spreading"]
    assert any(one["code"] == "W071" for one in found["warnings"])
    found = run("compare", "few.csv", "-t", "y", *learners, "--known-only")["comparison"]
    assert found["unlabeled"] == []


def test_gzip_and_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path("titanic.csv").read_bytes()
    plain = run(*titanic())["comparison"]["rows"]["fingerprint"]
    for given in (content, gzip.compress(content)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
        found = run("compare", "-", "-t", "survived", *QUICK)["comparison"]
        assert found["rows"]["fingerprint"] == plain


def test_semicolons_and_decimal_commas(run: Run) -> None:
    Path("euro.csv").write_text("a;b;y\n" + "1,5;x;2,5\n2,5;z;4,5\n3,25;x;6,5\n" * 5)
    found = run("compare", "euro.csv", "-t", "y", *QUICK, "--decimal", ",", "--delimiter", ";")
    assert found["comparison"]["plan"]["task"] == "regression"


def test_text_fits_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    load_dataset("titanic").write_csv("titanic.csv")
    assert run_arguments(list(titanic())) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("Take ") for line in lines)


def test_progress_tells_the_end_from_the_second_result_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    load_dataset("iris").write_csv("iris.csv")
    assert run_arguments(["compare", "iris.csv", "-t", "species", *QUICK]) == 0
    told = capsys.readouterr().err.splitlines()
    begun = "Comparing 2 learners on 150 rows × 4 inputs: 3-fold cross-validation, 6 fits, about"
    assert told[0].startswith(begun)  # before the first fit
    assert told[1] == "1/6 done"
    assert re.fullmatch(r"2/6 done, about \d+ s left", told[2])
    assert told[-1] == "6/6 done"
