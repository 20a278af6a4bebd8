"""``predict`` and ``explain`` on the command line: intervals, digits, unseen categories."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from branchline import load_dataset
from branchline.cli._app import run_arguments

Told = tuple[int, str, str]
Run = Callable[..., Told]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    load_dataset("auto-mpg").write_csv("cars.csv")
    load_dataset("auto-mpg").drop("mpg").write_csv("new-cars.csv")
    load_dataset("heart").write_csv("heart.csv")

    def run_verb(*arguments: str) -> Told:
        code = run_arguments(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return run_verb


@pytest.fixture
def cars(run: Run) -> str:
    asked = ["fit", "cars.csv", "-t", "mpg", "--learner", "ridge", "--save", "m.branchline"]
    assert run(*asked, "--intervals")[0] == 0
    return "m.branchline"


def test_intervals_stand_beside_predictions(run: Run, cars: str) -> None:
    code, out, err = run("predict", cars, "new-cars.csv", "--interval", "90%")
    assert code == 0
    frame = pl.read_csv(out.encode())
    assert frame.columns == ["prediction", "lower", "upper"]
    truth = load_dataset("auto-mpg").column("mpg").numbers()
    held = (frame["lower"].to_numpy() <= truth) & (truth <= frame["upper"].to_numpy())
    assert 0.88 < held.mean() < 0.95
    assert "90 % intervals: half of them are narrower than" in err
    assert "398 training rows (10-fold cross-validation)" in err


def test_a_file_of_predictions_has_the_summary_on_the_terminal(run: Run, cars: str) -> None:
    code, out, _ = run("predict", cars, "new-cars.csv", "--interval", "90", "-o", "p.csv")
    assert code == 0
    assert "398 predictions in p.csv\n90 % intervals" in out
    assert pl.read_csv("p.csv").columns == ["prediction", "lower", "upper"]


def test_compare_keeps_intervals_of_classes_for_free(run: Run) -> None:
    asked = ["compare", "heart.csv", "-t", "disease", "--learners", "naive_bayes", "--folds", "5"]
    assert run(*asked, "--save", "h.branchline", "--report", "none")[0] == 0
    code, out, _ = run("predict", "h.branchline", "heart.csv", "--interval", "90", "--json")
    assert code == 0
    document = json.loads(out)
    row = document["table"][0]
    assert row["prediction"] in row["plausible"].split(" | ")
    assert 0.5 <= row["probability"] <= 1
    assert document["interval"]["kind"] == "classes"
    assert sum(document["interval"]["sizes"].values()) == 303
    assert document["interval"]["calibration"]


def test_a_model_fitted_without_intervals_says_how_to_get_them(run: Run) -> None:
    run("fit", "cars.csv", "-t", "mpg", "--learner", "ridge", "--save", "old.branchline")
    code, _, err = run("predict", "old.branchline", "new-cars.csv", "--interval", "90")
    assert code == 3
    assert "[D410]" in err
    assert "branchline fit FILE --target COLUMN --intervals --save MODEL" in err


@pytest.mark.parametrize(("given", "meant"), [("0.9", "90"), ("100", "90"), ("x", "90")])
def test_an_interval_is_a_percentage(run: Run, cars: str, given: str, meant: str) -> None:
    code, _, err = run("predict", cars, "new-cars.csv", "--interval", given)
    assert code == 2
    assert f"repair: --interval {meant}" in err


def test_a_terminal_gets_a_table_for_people(
    run: Run, cars: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    _, out, _ = run("predict", cars, "new-cars.csv", "--interval", "90", "--copy", "horsepower")
    lines = out.splitlines()
    assert lines[0].split() == ["horsepower", "prediction", "lower", "upper"]
    assert len(lines) == 42
    assert lines[-1] == "… and 358 more rows; --output FILE writes all of them"
    assert max(len(line.split()[-1]) for line in lines[1:-1]) <= 5
    assert len({len(line) for line in lines[:-1]}) == 1


def test_a_pipe_gets_every_digit(run: Run, cars: str) -> None:
    from branchline import load

    _, out, _ = run("predict", cars, "new-cars.csv")
    X = load_dataset("auto-mpg").drop("mpg")
    predicted = load(cars).predict(X).tolist()
    assert pl.read_csv(out.encode())["prediction"].to_list() == predicted


def test_explain_names_a_category_not_seen_in_training(run: Run) -> None:
    load_dataset("titanic").select(["sex", "pclass", "survived"]).write_csv("t.csv")
    run("fit", "t.csv", "-t", "survived", "--learner", "naive_bayes", "--save", "t.branchline")
    Path("new.csv").write_text("sex,pclass\nrobot,1st\nmale,1st\n")
    _, out, _ = run("explain", "t.branchline", "new.csv")
    assert "sex = robot (not seen in training)" in out


def test_a_tree_can_be_saved_with_its_errors(run: Run) -> None:
    asked = ["tree", "cars.csv", "-t", "mpg", "--intervals", "--save", "tree.branchline", "--json"]
    code, out, _ = run(*asked)
    assert code == 0
    assert json.loads(out)["tree"]["intervals"] is True
    code, out, err = run("predict", "tree.branchline", "new-cars.csv", "--interval", "90")
    assert code == 0
    assert out.startswith("prediction,lower,upper")
    assert "No end is below 0, because the target is never negative in these rows." in err


def test_what_identifies_a_row_stands_beside_its_prediction(run: Run) -> None:
    pl.read_csv("heart.csv").with_row_index("patient", offset=1001).write_csv("named.csv")
    fitted = ["fit", "named.csv", "-t", "disease", "--id", "patient", "--save", "h.branchline"]
    assert run(*fitted)[0] == 0
    code, out, err = run("predict", "h.branchline", "named.csv", "--id", "patient", "--copy", "age")
    lines = out.splitlines()
    assert (code, lines[0], lines[1].split(",")[0]) == (0, "patient,age,prediction", "1001")
    assert "patient" not in err


def test_printing_needs_no_output(run: Run, cars: str) -> None:
    code, _, err = run("predict", cars, "new-cars.csv", "--output", "-")
    assert code == 2
    assert "leave --output out" in err


def test_names_that_are_not_alike_are_not_offered(run: Run, cars: str) -> None:
    Path("other.csv").write_text("temp,store\n1,a\n2,b\n")
    code, _, err = run("predict", cars, "other.csv")
    assert code == 3
    assert "Names must agree exactly" not in err


@pytest.mark.parametrize("source", ["new-cars.csv", "cars.parquet"])
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_a_scan_gives_the_same_files(
    source: str, ending: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from branchline.scale import _predict_file

    monkeypatch.setattr(_predict_file, "_CELLS", 300)
    load_dataset("auto-mpg").drop("mpg").to_polars().write_parquet("cars.parquet")
    fit = ["fit", "cars.csv", "-t", "mpg", "--learner", "random_forest", "--set", "n_estimators=3"]
    assert run(*fit, "--save", "whole.branchline", "--no-scan")[0] == 0
    assert run(*fit, "--save", "scan.branchline", "--scan")[0] == 0
    model = Path("whole.branchline")
    assert model.read_bytes() == Path("scan.branchline").read_bytes()
    ask = ["predict", str(model), source, "--copy", "cylinders"]
    whole, scan = (
        run(*ask, flag, "-o", f"{flag[2:]}.{ending}") for flag in ("--no-scan", "--scan")
    )
    assert whole[0] == scan[0] == 0
    assert whole[1].replace("no-scan", "scan") == scan[1]
    assert whole[2].replace("no-scan", "scan") == scan[2]
    files = [Path(f"{name}.{ending}") for name in ("no-scan", "scan")]
    if ending == "parquet":
        assert pl.read_parquet(files[0]).equals(pl.read_parquet(files[1]))
    else:
        assert files[0].read_bytes() == files[1].read_bytes()


def test_folders_and_large_files_are_scanned(
    run: Run, cars: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("parts")
    folder.mkdir()
    frame = load_dataset("auto-mpg").drop("mpg").to_polars()
    for number in range(2):
        frame[number * 200 : (number + 1) * 200].write_parquet(folder / f"{number}.parquet")
    frame.write_parquet("new.parquet")
    assert run("predict", cars, "new.parquet", "-o", "whole.csv")[0] == 0
    assert run("predict", cars, str(folder), "-o", "folder.csv")[0] == 0
    assert run("predict", cars, "parts/*.parquet", "-o", "pattern.csv")[0] == 0
    monkeypatch.setattr("branchline.cli._reading._is_large", lambda path: True)
    monkeypatch.setattr("branchline.table.files.read_with", None)
    assert run("predict", cars, "new.parquet", "-o", "large.csv")[0] == 0
    for name in ("folder.csv", "pattern.csv", "large.csv"):
        assert Path(name).read_bytes() == Path("whole.csv").read_bytes()
