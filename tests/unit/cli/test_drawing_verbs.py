"""``--draw``, ``draw`` and ``effects`` on the command line."""

import json
from pathlib import Path

import pytest

from branchline import load_dataset
from branchline.cli._app import run_arguments


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawing")
    load_dataset("iris").write_csv(folder / "iris.csv")
    fit = ["fit", str(folder / "iris.csv"), "-t", "species", "--learner", "tree"]
    assert run_arguments([*fit, "--save", str(folder / "m.branchline")]) == 0
    return folder


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_boundaries_of_a_saved_model(folder: Path, ending: str) -> None:
    if ending == "png":
        pytest.importorskip("resvg_py")
    given = [str(folder / "m.branchline"), str(folder / "iris.csv"), "-t", "species"]
    output = folder / f"picture.{ending}"
    columns = ["--columns", "petal_length,petal_width"]
    assert run_arguments(["draw", *given, *columns, "-o", str(output)]) == 0
    assert output.stat().st_size > 1000


def test_effects_of_a_saved_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["effects", str(folder / "m.branchline"), str(folder / "iris.csv")]
    asked = ["--column", "petal_width", "--positive", "virginica"]
    drawing = folder / "effects.svg"
    assert run_arguments([*given, *asked, "--json", "--draw", str(drawing)]) == 0
    [curve] = json.loads(capsys.readouterr().out)["effects"]["curves"]
    assert curve["output"] == "virginica"
    assert curve["effect"][-1] > curve["effect"][0]
    assert drawing.exists()


def test_every_verb_with_a_curve_draws_it(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    table = ["iris.csv", "-t", "species"]
    verbs = {
        "compare": [*table, "--learners", "tree", "--folds", "3", "--report", "none"],
        "tree": table,
        "structural-risk": [*table, "--sizes", "1,2", "--folds", "3"],
        "selection-curve": [*table, "--sizes", "1,2"],
    }
    for verb, given in verbs.items():
        assert run_arguments([verb, *given, "--draw", f"{verb}.svg"]) == 0
        assert "<svg" in (folder / f"{verb}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["compare", "tree", "structural-risk"])
def test_an_unknown_ending_is_refused_before_any_work(folder: Path, verb: str, capsys) -> None:
    given = [verb, str(folder / "nothing.csv"), "-t", "species", "--draw", "picture.jpg"]
    assert run_arguments(given) == 2
    assert "P300" in capsys.readouterr().err


def test_a_column_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["draw", str(folder / "m.branchline"), str(folder / "iris.csv")]
    assert run_arguments([*given, "--columns", "petal_length,nothing"]) != 0
    assert "nothing" in capsys.readouterr().err
