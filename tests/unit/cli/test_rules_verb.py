import json

import pytest

from branchline.cli._app import run_arguments


@pytest.fixture
def baskets(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("beer,crisps\n" * 30 + "beer\n" * 5 + "milk,bread,salt\n" * 60)
    return path


def test_baskets_are_told_from_tables(baskets, tmp_path, capsys):
    assert run_arguments(["rules", str(baskets), "--draw", str(tmp_path / "r.svg")]) == 0
    out = capsys.readouterr().out
    assert "95 baskets" in out
    assert "crisps → beer" in out
    assert (tmp_path / "r.svg").exists()
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "a,u\n" * 30 + "b,v\n" * 30)
    assert run_arguments(["rules", str(table), "-t", "y"]) == 0
    assert "x = a → y = u" in capsys.readouterr().out


def test_a_document_and_a_file(baskets, tmp_path, capsys):
    written = tmp_path / "rules.csv"
    assert run_arguments(["rules", str(baskets), "--json", "-o", str(written), "--every"]) == 0
    document = json.loads(capsys.readouterr().out)["rules"]
    assert document["n_baskets"] == 95
    assert len(written.read_text().splitlines()) == len(document["rules"]) + 1


def test_one_item_on_each_line(tmp_path, capsys):
    path = tmp_path / "sales.csv"
    lines = [f"{order},a\n" + f"{order},b\n" * (order % 2) for order in range(40)]
    path.write_text("order,product\n" + "".join(lines))
    given = ["rules", str(path), "--basket", "order"]
    assert run_arguments([*given, "--item", "product", "--every"]) == 0
    assert "40 baskets" in capsys.readouterr().out
    assert run_arguments(given) == 2
    assert "P653" in capsys.readouterr().err


def test_no_rule_is_a_sentence(tmp_path, capsys):
    path = tmp_path / "b.csv"
    path.write_text("a\nb,c\n")
    assert (
        run_arguments(["rules", str(path), "--min-support", "2", "-o", str(tmp_path / "o.csv")])
        == 0
    )
    assert "No rule in 2 baskets" in capsys.readouterr().out


def test_a_page_of_rules(tmp_path, capsys):
    path, page = tmp_path / "t.csv", tmp_path / "p.html"
    path.write_text(
        "x,y,c\n" + "".join(f"{i % 7},{i % 7 + i % 2},{'ab'[i % 2]}\n" for i in range(60))
    )
    assert run_arguments(["rules", str(path), "--page", str(page)]) == 0
    assert f"Page: {page}" in capsys.readouterr().out
    text = page.read_text()
    assert text.index("A rule is an association.") < text.index("<svg")
    assert run_arguments(["rules", str(path), "--page", str(tmp_path / "p.pdf")]) == 2
    assert "P723" in capsys.readouterr().err
