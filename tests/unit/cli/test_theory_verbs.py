"""``structural-risk`` and ``selection-curve`` on the command line."""

import json
from pathlib import Path

import pytest

from branchline import load_dataset
from branchline.cli._app import run_arguments


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("theory") / "iris.csv"
    load_dataset("iris").write_csv(path)
    return str(path)


def test_structural_risk(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["structural-risk", iris, "-t", "species", "--sizes", "1,2,3", "--folds", "3"]
    assert run_arguments([*given, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["structural_risk"]
    assert [step["size"] for step in document["steps"]] == [1, 2, 3]
    assert {choice["rule"] for choice in document["choices"]} == {"vc", "aic", "bic", "mdl", "cv"}


def test_selection_curve_of_a_table(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["selection-curve", iris, "-t", "species", "--sizes", "1"]) == 0
    assert "external 10-fold" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["structural-risk", "{}", "-t", "species", "--along", "depth"], "P300"),
        (["structural-risk", "{}", "-t", "species", "--sizes", "many"], "P362"),
        (["selection-curve", "{}"], "P362"),
        (["selection-curve", "{}", "-t", "kind"], "D003"),
    ],
)
def test_what_is_refused(
    iris: str, given: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments([one.format(iris) for one in given]) in {2, 3}
    told = capsys.readouterr().err
    assert f"[{code}]" in told
    assert Path(iris).exists()
