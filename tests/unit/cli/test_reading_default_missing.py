"""``--no-default-missing`` keeps NA and the like as names; models remember them."""

import json
from pathlib import Path

import pytest

from branchline import read_table
from branchline.cli._app import run_arguments
from branchline.cli._python_reading import python_reading
from branchline.cli._reading import Reading


@pytest.fixture(autouse=True)
def countries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{('NA', 'DE', '?', 'FR', '')[at % 5]},{at},{'yn'[at % 5 == 0]}" for at in range(100)]
    Path("c.csv").write_text("\n".join(["country,x,y", *rows, ""]))


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], ["DE", "FR"]),
        (["--no-default-missing"], ["?", "DE", "FR", "NA"]),
        (["--no-default-missing", "--missing", "?"], ["DE", "FR", "NA"]),
        (["--missing", "DE"], ["FR"]),
    ],
)
def test_which_texts_are_names(
    flags: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["look", "c.csv", "--json", *flags]) == 0
    [country, *_] = json.loads(capsys.readouterr().out)["look"]["columns"]
    assert sorted(name for name, _ in country["frequent"]) == expected


def test_the_empty_cell_stays_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["look", "c.csv", "--json", "--no-default-missing"]) == 0
    assert json.loads(capsys.readouterr().out)["look"]["columns"][0]["n_missing"] == 20


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_model_knows_the_names_that_usually_mean_missing(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["tree", "c.csv", "-t", "y", "--drop", "x", "--no-default-missing", "--save", "m.bl"]
    assert run_arguments(asked) == 0
    rows = {"csv": "country\nNA\nDE\n", "json": '[{"country": "NA"}, {"country": "DE"}]'}
    Path(f"new.{ending}").write_text(rows[ending])
    capsys.readouterr()
    assert run_arguments(["predict", "m.bl", f"new.{ending}"]) == 0
    assert capsys.readouterr().out == "prediction\nn\ny\n"


@pytest.mark.parametrize("reading", [Reading(missing=("DE",)), Reading(default_missing=False)])
def test_the_python_of_a_report_reads_the_same_table(reading: Reading) -> None:
    lines = python_reading("c.csv", reading, "y")
    namespace = {"read_table": read_table}
    exec(lines, namespace)
    assert namespace["table"].to_dicts() == reading.read("c.csv").to_dicts()  # type: ignore[attr-defined]
