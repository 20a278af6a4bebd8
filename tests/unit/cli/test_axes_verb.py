import json

import numpy as np

from branchline import load, load_dataset
from branchline.cli._app import run_arguments


def test_axes_of_a_file(tmp_path, capsys):
    path = tmp_path / "iris.csv"
    load_dataset("iris").write_csv(path)
    drawn, scree, saved = (str(tmp_path / name) for name in ("a.svg", "s.svg", "m.branchline"))
    given = ["axes", str(path), "--color", "species", "--draw", drawn, "--scree", scree]
    assert run_arguments([*given, "--save", saved]) == 0
    out = capsys.readouterr().out
    assert "1 axis is beyond chance" in out
    assert "petal_length" in out
    assert "setosa" in (tmp_path / "a.svg").read_text()
    assert load(saved).terms_ == ["sepal_length", "sepal_width", "petal_length", "petal_width"]


def test_a_document_and_columns_that_only_name_rows(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("id,x,y\n" + "".join(f"r{i},{i % 7},{i % 5}\n" for i in range(60)))
    assert run_arguments(["axes", str(path), "--json", "--n-axes", "1"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["axes"]["terms"] == ["x", "y"]
    assert "Set aside" in out.err


def test_what_is_wrong_is_told(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,1\n3,5\n")
    assert run_arguments(["axes", str(path), "--n-axes", "many"]) == 2
    assert "P001" in capsys.readouterr().err
    assert run_arguments(["axes", str(path), "--color", "z"]) == 3


def test_axes_that_may_be_chance_are_called_so(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = np.random.default_rng(0).normal(size=(100, 3))
    np.savetxt(path, rows, delimiter=",", header="a,b,c", comments="")
    assert run_arguments(["axes", str(path)]) == 0
    assert "These axes may be chance." in capsys.readouterr().out
    rows[:, 1] += 3 * rows[:, 0]
    np.savetxt(path, rows, delimiter=",", header="a,b,c", comments="")
    assert run_arguments(["axes", str(path)]) == 0
    assert "Axis 2 may be chance." in capsys.readouterr().out
    assert run_arguments(["axes", str(path), "--n-axes", "3"]) == 0
    assert "Axes 2 to 3 may be chance." in capsys.readouterr().out
    assert run_arguments(["axes", str(path), "--n-axes", "1"]) == 0
    assert "may be chance" not in capsys.readouterr().out


def test_a_page_of_axes(tmp_path, capsys):
    path, page = tmp_path / "t.csv", tmp_path / "p.html"
    path.write_text(
        "x,y,c\n" + "".join(f"{i % 7},{i % 7 + i % 2},{'ab'[i % 2]}\n" for i in range(60))
    )
    assert run_arguments(["axes", str(path), "--page", str(page)]) == 0
    assert f"Page: {page}" in capsys.readouterr().out
    text = page.read_text()
    assert text.index("beyond chance") < text.index("<svg")
    assert run_arguments(["axes", str(path), "--page", str(tmp_path / "p.pdf")]) == 2
    assert "P723" in capsys.readouterr().err
