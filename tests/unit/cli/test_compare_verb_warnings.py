"""What the terminal is told: identifiers, leaks, sealed rows, budgets; repairs are flags."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from branchline import Table, load, load_dataset
from branchline.cli._app import run_arguments

QUICK = ("--learners", "stump", "--folds", "3", "--jobs", "1", "--report", "none")
Told = Callable[..., tuple[str, str]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Told:
    monkeypatch.chdir(tmp_path)
    load_dataset("titanic").write_csv("titanic.csv")

    def run(*arguments: str, expect: int = 0) -> tuple[str, str]:
        code = run_arguments(list(arguments))
        seen = capsys.readouterr()
        assert code == expect, seen.err
        return seen.out, seen.err

    return run


def titanic(*options: str) -> tuple[str, ...]:
    return ("compare", "titanic.csv", "-t", "survived", *QUICK, *options)


def test_an_identifier_is_set_aside_said_and_kept_on_demand(told: Told) -> None:
    out, err = told(*titanic("--json", "--save", "m.branchline"))
    assert "Column 'name' is set aside: 1,307 different values in 1,309" in err
    assert "[W001]\n  repair: --keep name" in err
    found = json.loads(out)["comparison"]
    assert [one["name"] for one in found["set_aside"]] == ["name"]
    assert found["rows"]["columns"] == 12
    assert "name" not in load("m.branchline").schema_.position
    out, err = told(*titanic("--json", "--keep", "name"))
    found = json.loads(out)["comparison"]
    assert found["set_aside"] == []
    assert found["rows"]["columns"] == 13
    assert "W001" not in err
    assert "D003" in told(*titanic("--keep", "nome"), expect=3)[1]


def test_a_leak_is_told_before_the_first_fit_and_beside_the_advice(told: Told) -> None:
    out, err = told(*titanic())
    assert err.index("Check column 'boat' first") < err.index("1/6 done")
    assert "repair: --drop boat" in err
    assert "[W002]" in out.split("Take ")[1]
    assert "W002" not in told(*titanic("--drop", "boat"))[1]


def test_the_repeated_command_keeps_and_prefers_the_same(told: Told) -> None:
    told(*titanic("--keep", "name", "--prefer", "accuracy", "--report", "r.json"))
    again = json.loads(Path("r.json").read_text())["repeat"]
    assert "--prefer accuracy --keep name" in again["command"]
    assert "keep=['name']" in again["python"]
    assert "prefer='accuracy'" in again["python"]


def test_sealed_rows_are_said_to_be_left_out_and_not_counted(told: Told) -> None:
    out, err = told(*titanic("--seal", "25%"))
    assert "of the 1,309 rows are sealed for a final test and left out" in err
    out, err = told(*titanic())
    assert "[W007]" in err
    n_rows = int(out.partition(" rows, ")[0].splitlines()[-1].replace(",", ""))
    assert n_rows < 1100
    out, _ = told(*titanic("--dry-run"))
    assert f"{n_rows:,} rows × 12 columns" in out
    assert f"sealed: {1309 - n_rows} other rows are left out" in out


def test_a_dry_run_says_what_a_budget_is_enough_for(told: Told) -> None:
    all_of_them = ("--learners", "all", "--repeats", "50", "--time-budget", "1s", "--dry-run")
    out, _ = told(*titanic(*all_of_them))
    assert "time: at most 1 s, probably too little for one of 150 test sets" in out
    out, _ = told(*titanic("--time-budget", "1h", "--dry-run"))
    assert "time: at most 60 min, which should be enough" in out


def test_errors_show_repairs_of_the_command_line_only(told: Told) -> None:
    _, err = told("compare", "titanic.csv", "-t", "survived", "--metric", "rmse", expect=2)
    assert "repair:" not in err or "metric =" not in err
    _, err = told("compare", "titanic.csv", "-t", "surviving", expect=3)
    assert "repair: --target survived" in err
    assert "look(" not in err


def test_the_bootstrap_says_how_many_samples_it_draws(told: Told) -> None:
    out, err = told(*titanic("--resampling", "bootstrap", "--json"))
    found = json.loads(out)["comparison"]
    assert found["plan"]["resampling"]["n_repeats"] == 25
    assert found["folds"]["compared"] == 25
    assert "25" in err


def test_copies_constants_and_copied_targets(told: Told) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)).round(3)
    rows = np.vstack([X, X])
    y = np.where(rows[:, 0] + rng.normal(size=120) * 0 > 0, "yes", "no")
    columns = {"a": rows[:, 0], "b": rows[:, 1], "same": [1.0] * 120}
    Table({**columns, "why": [f"is {name}" for name in y], "y": y}).write_csv("t.csv")
    _, err = told("compare", "t.csv", "-t", "y", *QUICK)
    assert "Check column 'why' first: it alone determines “y” completely." in err
    for code in ("[W003]", "[W004]", "[W005]"):
        assert code in err
    assert "--drop same" in err
