"""Cells that mean missing, on the command line: told in its terms, remembered by models."""

from pathlib import Path

import numpy as np
import pytest

from branchline.cli._app import run_arguments

RNG = np.random.default_rng(2)


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    income = [f'"${amount:,}"' for amount in RNG.integers(500, 9000, 200)]
    income[3], income[8], income[9] = "-", "-", "unknown"
    rows = [f"{amount},{RNG.normal():.3f},{'yn'[place % 2]}" for place, amount in enumerate(income)]
    Path("t.csv").write_text("\n".join(["income,x,bought", *rows, ""]))
    Path("odd.csv").write_text("\n".join(["income,x,bought", *rows, "free,1,y", ""]))


def told(capsys: pytest.CaptureFixture[str], *arguments: str, exit_code: int = 0) -> str:
    assert run_arguments([*arguments]) == exit_code
    found = capsys.readouterr()
    return found.err + found.out


@pytest.mark.filterwarnings("default")
def test_marks_are_told_once_and_remembered(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(
        capsys, "fit", "t.csv", "-t", "bought", "--learner", "tree", "--save", "m.branchline"
    )
    assert text.count("[W020]") == 1
    assert "'-' (2 cells) and 'unknown' (1 cell) count as missing" in text
    assert "repair: --kind income=category keeps the texts" in text
    Path("new.csv").write_text('income,x\n-,1\n"$1,200",2\nunknown,3\n')
    text = told(capsys, "predict", "m.branchline", "new.csv")
    assert "[W020]" not in text
    Path("new.csv").write_text('income,x\n€5,1\n"$1,200",2\n-,3\n')
    text = told(capsys, "predict", "m.branchline", "new.csv", exit_code=3)
    assert "values: '€5'\n" in text
    assert "--missing '€5'" in text


@pytest.mark.filterwarnings("default")
def test_other_texts_are_told_with_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "tree", "odd.csv", "-t", "bought")
    assert "but not 'free' (1 cell). [W021]" in text
    assert "repair: --missing free if it means missing; else correct the cells" in text
    text = told(capsys, "tree", "odd.csv", "-t", "bought", "--missing", "free")
    assert "[W021]" not in text
    text = told(capsys, "tree", "odd.csv", "-t", "bought", "--kind", "income=number", exit_code=3)
    assert "values: 'free'\n" in text
    assert "repair: --missing free" in text
    assert "--missing free" in told(capsys, "look", "odd.csv")
