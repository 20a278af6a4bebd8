"""Messy files on the command line: kinds, sheets, titles, what a model does not know."""

import json
import random
from pathlib import Path

import pytest

from branchline.cli._app import run_arguments

pytestmark = pytest.mark.filterwarnings("default")
TOWNS = ("Mons", "Paris", "Lille")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(0)
    rows = ["Sales report", "", "order,amount,rate,day,town,sold"]
    for at in range(120):
        amount = rng.randint(500, 5000)
        day = f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/2024"
        sold = "yes" if amount > 2500 else "no"
        order = 9_200_000_000_000_000_000 + 7 * at
        rows.append(f'{order},"${amount:,}",{rng.randint(1, 30)}%,{day},{TOWNS[at % 3]},{sold}')
    Path("sales.csv").write_text("\n".join(rows) + "\n")
    new = ["amount,rate,day,town,color"] + ['"$4,000",3%,01/02/2024,Rome,red'] * 4
    Path("new.csv").write_text("\n".join(new) + "\n")


def said(
    capsys: pytest.CaptureFixture[str], *arguments: str, exit_code: int = 0
) -> tuple[str, str]:
    assert run_arguments(arguments) == exit_code, capsys.readouterr().err
    told = capsys.readouterr()
    return told.out, told.err


def test_look_describes_the_target_and_what_was_converted(capsys) -> None:
    out, err = said(capsys, "look", "sales.csv", "--target", "sold")
    assert "120 rows × 6 columns" in out
    assert "target sold: classes yes" in out
    assert "order" in out.partition("Looks like an identifier")[0]
    assert "Converted from text: numbers with a decimal point and the sign $." in out
    assert "--kind amount=category keeps the texts." in " ".join(out.split())
    assert "1 title line above" in err or "2 title lines above" in err
    assert "--target" in said(capsys, "look", "sales.csv", "--target", "solt", exit_code=3)[1]


def test_look_lists_all_columns_when_asked(capsys) -> None:
    names = [f"c{place}" for place in range(80)]
    Path("wide.csv").write_text(",".join(names) + "\n" + ",".join("1" * 80) + "\n")
    short, long = said(capsys, "look", "wide.csv")[0], said(capsys, "look", "wide.csv", "--all")[0]
    assert "… and 20 more columns (--all" in short
    assert "c79" not in short.partition("Worth")[0]
    assert "c79" in long.partition("Worth")[0]


def test_a_model_reads_raw_files_as_it_did_and_tells_what_it_does_not_know(capsys) -> None:
    said(capsys, "fit", "sales.csv", "-t", "sold", "--id", "order", "--save", "m.branchline")
    out, err = said(capsys, "predict", "m.branchline", "new.csv", "--json")
    found = json.loads(out)
    assert [row["prediction"] for row in found["table"]] == ["yes"] * 4
    assert found["unknown"]["ignored"] == ["color"]
    assert found["unknown"]["unseen"][0] == {
        "name": "town", "n_rows": 4, "share": 1.0, "values": ["Rome"],
    }  # fmt: skip
    assert "town: 4 rows (100 %) hold 'Rome'" in err
    assert "not fitted on are ignored: color." in err
    assert "sold" not in said(capsys, "predict", "m.branchline", "sales.csv", "--drop", "order")[1]


def test_capitals_in_names_give_a_hint(capsys) -> None:
    said(capsys, "fit", "sales.csv", "-t", "sold", "--id", "order", "--save", "m.branchline")
    Path("new.csv").write_text(Path("new.csv").read_text().replace("amount", "AMOUNT"))
    err = said(capsys, "predict", "m.branchline", "new.csv", exit_code=3)[1]
    assert "write 'amount' for 'AMOUNT'" in err
    assert "D011" in err


def test_kinds_are_taken_by_every_verb_that_reads(capsys) -> None:
    rows = "".join(f"0{at % 9 + 1}/0{at % 7 + 1}/2024,{at},{'ab'[at % 2]}\n" for at in range(40))
    Path("days.csv").write_text("day,x,y\n" + rows)
    err = said(capsys, "tree", "days.csv", "-t", "y", exit_code=3)[1]
    assert "--kind day=date:%d/%m/%Y for" in err
    assert "--kind day=date:%m/%d/%Y for" in err
    kind = ("--kind", "day=date:%d/%m/%Y")
    assert "Can be read in two ways" in said(capsys, "look", "days.csv")[0]
    assert "date" in said(capsys, "look", "days.csv", *kind)[0]
    said(capsys, "tree", "days.csv", "-t", "y", *kind, "--save", "m.branchline")
    said(capsys, "predict", "m.branchline", "days.csv")
    said(capsys, "predict", "m.branchline", "days.csv", *kind)
    said(capsys, "explain", "m.branchline", "days.csv", *kind)


def test_sheets_skips_and_totals(capsys) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for name in ("May", "June"):
        sheet = book.create_sheet(name)
        for row in (["a", "b"], ["x", 1], ["y", 2], ["Total", 3]):
            sheet.append(row)
    book.save("t.xlsx")
    assert "--sheet 'May'" in said(capsys, "look", "t.xlsx", exit_code=3)[1]
    assert "2 rows" in said(capsys, "look", "t.xlsx", "--sheet", "May")[0]
    assert "3 rows" in said(capsys, "look", "t.xlsx#June", "--totals")[0]
    assert "119 rows" in said(capsys, "look", "sales.csv", "--skip", "4", "--no-header")[0]
