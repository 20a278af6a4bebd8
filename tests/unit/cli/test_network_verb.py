import json

from branchline import load, load_dataset
from branchline.cli._app import run_arguments


def test_the_network_of_a_file(tmp_path, capsys):
    path = tmp_path / "titanic.csv"
    load_dataset("titanic").select(["name", "pclass", "sex", "survived", "sibsp"]).write_csv(path)
    drawn, saved = str(tmp_path / "n.svg"), str(tmp_path / "m.branchline")
    given = ["network", str(path), "--target", "survived", "--draw", drawn, "--networks", "5"]
    assert run_arguments([*given, "--save", saved]) == 0
    out = capsys.readouterr().out
    assert "To predict survived, it is enough to know pclass and sex" in out
    assert "5 bootstrap networks" in out
    assert "Set aside, because they only name rows: name" in out
    assert "survived" in (tmp_path / "n.svg").read_text()
    assert ("sex", "survived") in load(saved).edges_


def test_a_document_of_a_network(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{'ab'[i % 2]},{'cd'[i % 2]}\n" for i in range(60)))
    assert run_arguments(["network", str(path), "--json", "--networks", "3"]) == 0
    found = json.loads(capsys.readouterr().out)["network"]
    assert len(found["edges"]) == 1
    assert found["stability"][0]["share"] == 1.0


def test_what_is_wrong_with_a_network_is_told(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,1\n3,5\n")
    assert run_arguments(["network", str(path), "--structure", "magic"]) == 2
    assert run_arguments(["network", str(path), "--target", "z"]) == 3
    assert run_arguments(["network", str(path), "--draw", "n.pdf"]) == 2


def test_a_table_without_a_usable_column_is_refused(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,\n" * 8)
    assert run_arguments(["network", str(path)]) != 0
    assert "D930" in capsys.readouterr().err


def test_a_page_of_a_network(tmp_path, capsys):
    path, page = tmp_path / "t.csv", tmp_path / "p.html"
    path.write_text(
        "x,y,c\n" + "".join(f"{i % 7},{i % 7 + i % 2},{'ab'[i % 2]}\n" for i in range(60))
    )
    assert run_arguments(["network", str(path), "--page", str(page)]) == 0
    assert f"Page: {page}" in capsys.readouterr().out
    text = page.read_text()
    assert text.index("An arrow is a dependence, not a cause.") < text.index("<svg")
    assert run_arguments(["network", str(path), "--page", str(tmp_path / "p.pdf")]) == 2
    assert "P723" in capsys.readouterr().err
