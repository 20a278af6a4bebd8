"""``branchline select``, and ``--select`` of compare, report, replay and predict."""

import json
from pathlib import Path

import numpy as np
import pytest

from branchline import load, load_dataset, read_table
from branchline.cli._app import run_arguments

FEW = ["--learners", "tree,naive_bayes", "--folds", "3", "--select", "mutual_information:4"]


@pytest.fixture(scope="module")
def heart(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("select") / "heart.csv"
    load_dataset("heart").write_csv(path)
    return str(path)


def test_select_ranks_chooses_and_writes(
    heart: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"--save": "s.branchline", "--write": "small.csv", "--draw": "d.svg"}
    given = [word for flag, name in places.items() for word in (flag, str(tmp_path / name))]
    command = ["select", heart, "-t", "disease", "--select", "f", "--n-columns", "3", *given]
    assert run_arguments([*command, "--folds", "3", "--resamples", "5", "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)["select"]
    assert len(found["kept"]) == 3
    assert found["ranking"]["by"] == "f"
    assert found["stability"]["n_resamples"] == 5
    assert found["selection"]["against_all"]["learner"] == "random_forest"
    assert "Stability" in told.err
    small = read_table(tmp_path / "small.csv")
    assert set(small.names) == {*found["kept"], "disease"}
    assert "scores of this table are too good" in told.err
    selector = load(tmp_path / "s.branchline")
    X, _ = load_dataset("heart").split_target("disease")
    assert set(selector.transform(X).names) == set(found["kept"])
    assert "<svg" in (tmp_path / "d.svg").read_text(encoding="utf-8")


def test_a_search_and_its_learner(heart: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "select",
        heart,
        "-t",
        "disease",
        "--select",
        "forward:2",
        "--estimator",
        "naive_bayes",
    ]
    assert run_arguments([*command, "--folds", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["select"]
    assert len(found["kept"]) == 2
    assert found["selection"]["against_all"]["learner"] == "naive_bayes"
    assert found["stability"]["n_resamples"] == 3  # of the training sets


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--select", "releif"], "P620"),
        (["--n-columns", "many"], "P621"),
        (["--select", "shadow", "--n-columns", "3"], "P621"),
        (["--n-columns", "99"], "P571"),
        (["--estimator", "oracle"], "P090"),
        (["--write", "small.xlsx"], "P300"),
        (["--draw-kind", "pie"], "P300"),
        (["--group", "nobody"], "D003"),
        (["--task", "guessing"], "P300"),
    ],
)
def test_wrong_options_are_refused(
    heart: str, more: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["select", heart, "-t", "disease", *more]) != 0
    assert f"[{code}]" in capsys.readouterr().err


def test_noise_of_many_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    names = [*(f"x{at}" for at in range(400)), "y"]
    rows = [[*(f"{cell:.4f}" for cell in rng.normal(size=400)), "ab"[at % 2]] for at in range(40)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]), encoding="utf-8")
    assert run_arguments(["select", str(path), "-t", "y", "--folds", "3", "--resamples", "4"]) == 0
    assert "it cannot be said which inputs are needed" in capsys.readouterr().out.replace("\n", " ")


@pytest.fixture(scope="module")
def compared(heart: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    places = {"--report": "r.html", "--save": "m.branchline", "--run": "run.jsonl"}
    given = [word for flag, name in places.items() for word in (flag, str(folder / name))]
    assert run_arguments(["compare", heart, "-t", "disease", *FEW, *given]) == 0
    return folder


def test_the_report_tells_and_repeats_the_choice(
    heart: str, compared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (compared / "r.html").read_text(encoding="utf-8")
    assert "Which inputs are needed" in page
    assert "How often each input was chosen" in page
    assert "--select mutual_information:4" in page
    assert (
        "select=&#x27;mutual_information:4&#x27;" in page or "select='mutual_information:4'" in page
    )
    assert run_arguments(["replay", str(compared / "r.html"), heart, "--jobs", "1"]) == 0
    assert "No difference" in capsys.readouterr().out


def test_a_run_file_remembers_the_choice(
    compared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "again.json"
    run = str(compared / "run.jsonl")
    assert run_arguments(["report", run, "-o", str(report), "--json"]) == 0
    document = json.loads(report.read_text(encoding="utf-8"))
    assert document["comparison"]["selection"]["selector"] == "mutual_information:4"
    assert document["repeat"]["recipe"]["options"]["select"] == "mutual_information:4"


def test_the_model_predicts_from_the_chosen_columns_alone(
    heart: str, compared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load(compared / "m.branchline")
    table = load_dataset("heart")
    few = tmp_path / "few.csv"
    table.select(model.needed_schema_.names).write_csv(few)
    told = []
    for path in (heart, str(few)):
        assert run_arguments(["predict", str(compared / "m.branchline"), path]) == 0
        found = capsys.readouterr()
        told.append(found.out)
        assert "ignored" not in found.err
    assert told[0] == told[1]
    less = tmp_path / "less.csv"
    table.select(model.needed_schema_.names[1:]).write_csv(less)
    assert run_arguments(["predict", str(compared / "m.branchline"), str(less)]) == 3
    assert "[D011]" in capsys.readouterr().err


def test_a_dry_run_says_how_inputs_are_chosen(
    heart: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["compare", heart, "-t", "disease", *FEW, "--dry-run"]) == 0
    assert "chosen by mutual_information:4 inside every training set" in capsys.readouterr().out


@pytest.mark.parametrize(("select", "code"), [("releif:3", "P620"), ("f:99", "P571")])
def test_compare_refuses_what_cannot_choose(
    heart: str, select: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["compare", heart, "-t", "disease", "--select", select]) != 0
    assert f"[{code}]" in capsys.readouterr().err


def test_look_warns_of_columns_chosen_with_the_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(100, 1000)), np.arange(100) % 2
    best = np.argsort(-np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)))[:25]
    names = [*(f"x{at}" for at in best), "y"]
    for chosen, warns in ((best, True), (np.arange(25), False)):
        rows = [[*(f"{cell:.6f}" for cell in X[at, chosen]), "ab"[y[at]]] for at in range(100)]
        path = tmp_path / "chosen.csv"
        path.write_text("\n".join(",".join(row) for row in [names, *rows]), encoding="utf-8")
        assert run_arguments(["look", str(path), "-t", "y"]) == 0
        assert ("[W050]" in capsys.readouterr().err) is warns
