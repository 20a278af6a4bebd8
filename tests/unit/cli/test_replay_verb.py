"""A report holds its recipe: the same table gives the same figures, another one is told."""

import json
import shutil
from pathlib import Path

import pytest

import branchline as bl
from branchline.cli._app import run_arguments
from branchline.report import read_report, replay_of, write_report


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table and the reports of one comparison in three formats."""
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        bl.load_dataset("heart").write_csv("heart.csv")
        given = ["heart.csv", "-t", "disease", "--learners", "naive_bayes,tree", "--folds", "3"]
        given += ["--metric", "auc,accuracy", "--positive", "present", "--seed", "7"]
        given += ["--kind", "vessels=category", "--jobs", "1"]
        for report in ("r.html", "r.json", "r.md"):
            assert run_arguments(["compare", *given, "--report", report]) == 0
    return folder


@pytest.fixture
def folder(compared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of it that is the current folder."""
    copied = tmp_path / "copied"
    shutil.copytree(compared, copied)
    monkeypatch.chdir(copied)
    return copied


@pytest.mark.parametrize("report", ["r.html", "r.json"])
def test_the_same_table_gives_the_same_figures(folder: Path, report: str, capsys) -> None:
    files = sorted(folder.iterdir())
    capsys.readouterr()
    assert run_arguments(["replay", report, "heart.csv"]) == 0
    assert "No difference" in capsys.readouterr().out
    assert sorted(folder.iterdir()) == files  # nothing is left behind


def test_rows_in_another_order_are_the_same_table(folder: Path, capsys) -> None:
    table = bl.load_dataset("heart")
    table.rows(list(range(table.n_rows))[::-1]).write_csv("turned.csv")
    assert run_arguments(["replay", "r.json", "turned.csv"]) == 0


def test_one_changed_cell_is_told(folder: Path, capsys) -> None:
    lines = (folder / "heart.csv").read_text(encoding="utf-8").split("\n")
    first = lines[1].split(",")
    lines[1] = ",".join([str(int(first[0]) + 1), *first[1:]])
    (folder / "changed.csv").write_text("\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    assert run_arguments(["replay", "r.json", "changed.csv", "--json"]) == 5
    printed = capsys.readouterr()
    found = json.loads(printed.out)["replay"]
    assert not found["is_same"]
    assert not found["is_same_table"]
    assert found["fingerprint"]["then"] != found["fingerprint"]["now"]
    assert "not that of the report" in printed.err


def test_a_comparison_in_python_is_replayed_too(folder: Path, capsys) -> None:
    found = bl.compare(bl.load_dataset("heart"), "disease", learners="naive_bayes", n_folds=3)
    write_report(found, "python.html")
    capsys.readouterr()
    assert run_arguments(["replay", "python.html", "heart.csv"]) == 0


def test_the_recipe_names_learners_seed_and_rows(folder: Path) -> None:
    recipe = read_report("r.html")["repeat"]["recipe"]
    assert recipe["seed"] == 7
    assert recipe["rows"] == 303
    labels = {one["label"]: one for one in recipe["learners"]}
    assert labels["tree"]["class"] == "DecisionTreeClassifier"
    assert "max_depth" in labels["tree"]["parameters"]


def test_figures_that_differ_have_a_difference(folder: Path) -> None:
    then = read_report("r.json")
    now = json.loads(json.dumps(then["comparison"]))
    now["standings"][0]["scores"]["auc"]["estimate"] -= 0.25
    now["recommendation"]["learner"] = "tree"
    replayed = replay_of(then, now)
    different = [one for one in replayed.figures if not one.is_same]
    assert different[0].difference == pytest.approx(-0.25)
    assert replayed.is_same_table
    assert not replayed.is_same
    tiny = json.loads(json.dumps(then["comparison"]))
    tiny["standings"][0]["scores"]["auc"]["estimate"] += 1e-12
    assert replay_of(then, tiny).is_same  # to the last printed digit
    assert len(replayed.to_frame()) == len(replayed.figures)


def test_what_is_not_a_report_is_refused(folder: Path, capsys) -> None:
    for report in ("r.md", "heart.csv", "absent.html"):
        assert run_arguments(["replay", report, "heart.csv"]) == 3
        assert "D531" in capsys.readouterr().err


def test_learners_of_your_own_have_no_recipe(folder: Path, capsys) -> None:
    from branchline.bayes import NaiveBayes

    own = {"mine": NaiveBayes()}
    write_report(
        bl.compare(bl.load_dataset("iris"), "species", learners=own, n_folds=3), "own.json"
    )
    assert run_arguments(["replay", "own.json", "heart.csv"]) == 3
    assert "D532" in capsys.readouterr().err


def test_a_report_that_was_tampered_with_is_refused(folder: Path, capsys) -> None:
    data = json.loads(Path("r.json").read_text(encoding="utf-8"))
    data["repeat"]["recipe"]["options"]["n_folds"] = {"a": 1}
    Path("bad.json").write_text(json.dumps(data), encoding="utf-8")
    assert run_arguments(["replay", "bad.json", "heart.csv"]) == 3
    assert "D532" in capsys.readouterr().err
