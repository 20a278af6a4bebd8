import json

import numpy as np
import pytest

from branchline import load, load_dataset
from branchline.cli._app import run_arguments


@pytest.fixture
def two_groups(tmp_path):
    """A table with names, two groups and an empty column."""
    rng = np.random.default_rng(0)
    lines = ["name,x,y,empty,class"]
    for row in range(60):
        far = 8.0 * (row % 2)
        x, y = rng.normal(far, 1), rng.normal(far, 1)
        lines.append(f"animal {row},{x:.3f},{y:.3f},,{'ab'[row % 2]}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_groups_of_a_file(two_groups, tmp_path, capsys):
    written, saved = str(tmp_path / "o.csv"), str(tmp_path / "m.branchline")
    drawn = tmp_path / "g.svg"
    given = ["groups", str(two_groups), "--known", "class", "-o", written, "--save", saved]
    assert run_arguments([*given, "--draw", str(drawn)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 groups")
    assert "Stable: every cluster comes back" in out
    assert "most typical: animal" in out
    assert "Agreement with class, which was left out: adjusted Rand index 1.00" in out
    assert "Set aside, because they only name rows: name" in out
    assert "no cell has a value: empty" in out
    header, first = (tmp_path / "o.csv").read_text().splitlines()[:2]
    assert header == "name,x,y,empty,class,cluster"
    assert first.startswith("animal 0,")
    assert len(load(saved).cluster_centers_) == 2
    assert "cluster 0" in drawn.read_text()


def test_one_group_is_an_answer(tmp_path, capsys):
    rng = np.random.default_rng(1)
    path = tmp_path / "t.csv"
    np.savetxt(path, rng.normal(size=(60, 2)), delimiter=",", header="x,y", comments="")
    assert run_arguments(["groups", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["groups"]
    assert found["n_clusters"] == 1
    assert found["clusters"] is None
    assert run_arguments(["groups", str(path), "--n-clusters", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("One group")
    assert "parts of one group" in " ".join(out.split())


def test_tiny_and_empty_tables(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,1\n3,5\n")
    assert run_arguments(["groups", str(path), "--n-clusters", "2"]) == 0
    assert "3 rows are too few to tell whether clusters come back" in capsys.readouterr().out
    path.write_text("x,y\n,\n,\n")
    assert run_arguments(["groups", str(path)]) == 3
    assert "D710" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["--metric", "gower"], "P721"),
        (["--n-clusters", "many"], "P001"),
        (["--n-clusters", "101"], "P663"),
        (["--method", "k"], "P300"),
        (["-o", "t.txt"], "P107"),
        (["--page", "t.pdf"], "P723"),
        (["--known", "sepal_length", "--n-clusters", "2"], None),
    ],
)
def test_what_is_wrong_is_told(given, code, tmp_path, capsys):
    path = tmp_path / "iris.csv"
    load_dataset("iris").write_csv(path)
    assert run_arguments(["groups", str(path), *given]) == (0 if code is None else 2)
    assert code is None or code in capsys.readouterr().err


def test_columns_chosen_with_the_class_are_warned_of(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2000)), np.arange(40) % 2
    t = np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
    chosen = X[:, np.argsort(-t)[:60]]
    path = tmp_path / "t.csv"
    header = ",".join([*(f"x{at}" for at in range(60)), "class"])
    np.savetxt(path, np.column_stack([chosen, y]), delimiter=",", header=header, comments="")
    given = ["groups", str(path), "--known", "class", "--n-clusters", "2"]
    assert run_arguments(given) == 0
    assert "W065" in capsys.readouterr().err


def test_constants_are_left_out_and_one_row_is_not_divided(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,same\n" + "".join(f"{row % 7},5\n" for row in range(21)))
    assert run_arguments(["groups", str(path), "--n-clusters", "2"]) == 0
    out = capsys.readouterr().out
    assert "Compared by 1 column: x." in out
    assert "Left out, because nothing varies: same." in out
    path.write_text("x,y\n1,2\n1,2\n")
    assert run_arguments(["groups", str(path)]) == 0
    assert "--n-clusters" not in capsys.readouterr().out
