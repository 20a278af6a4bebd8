"""Workbooks, JSON, databases, archives, statistics files: the same rows, whatever holds them."""

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from datetime import date, datetime
from pathlib import Path

import pytest

from branchline import read_table
from branchline.errors import BranchlineError, BranchlineWarning, DataError, MissingExtra
from branchline.table.files import _extras

CSV = b"age,town,paid\n31,Mons,1.5\n,Paris,2.5\n"
ROWS = [
    {"age": 31, "town": "Mons", "paid": 1.5},
    {"age": None, "town": "Paris", "paid": 2.5},
]


def refused(*args, **options) -> BranchlineError:
    with pytest.raises(BranchlineError) as caught:
        read_table(*args, **options)
    return caught.value


def repaired(error: BranchlineError):
    scope: dict = {}
    exec(str(error.repair.python), scope)
    return scope["table"]


def in_zip(*names: str, content: bytes = CSV) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return made.getvalue()


def in_zstd(content: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(content)


# -- compression ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", in_zstd),
        ("zip", lambda content: in_zip("t.csv", content=content)),
    ],
)
def test_compression_is_undone_and_damage_told(tmp_path: Path, ending: str, pack) -> None:
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(pack(CSV))
    assert read_table(path).to_dicts() == ROWS
    assert read_table(io.BytesIO(pack(CSV))).to_dicts() == ROWS
    assert read_table(io.BytesIO(pack(pack(CSV)))).to_dicts() == ROWS
    path.write_bytes(pack(CSV * 99)[:-9])
    assert refused(path).code == "F007"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, in_zip])
def test_bombs_are_refused(pack, monkeypatch) -> None:
    content = b"0" * (1 << 24)
    bomb = in_zip("t.csv", content=content) if pack is in_zip else pack(content)
    monkeypatch.setattr("branchline.table.files._unpack._SMALL", 1 << 20)
    monkeypatch.setattr("branchline.table.files._unpack._CHUNK", 1 << 18)
    monkeypatch.setattr("branchline.table.files._unpack._MOST_TIMES", 100)
    assert refused(io.BytesIO(bomb)).code == "F101"


def test_an_archive_of_several_files_asks_which(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(in_zip("data/a.csv", "b.csv", "__MACOSX/._b.csv", ".hidden"))
    error = refused(path)
    assert error.code == "F103"
    assert "'data/a.csv', 'b.csv'" in error.message
    assert repaired(error).to_dicts() == ROWS
    for table in (read_table(f"{path}#b.csv"), read_table(path, sheet="a.csv")):
        assert table.to_dicts() == ROWS
    assert refused(path, sheet="c.csv").code == "F103"
    path.write_bytes(in_zip())
    assert refused(path).code in {"F004", "F005", "F007"}


def test_the_only_table_of_an_archive_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(in_zip("README.txt", "LICENSE", "t.csv"))
    assert read_table(path).to_dicts() == ROWS
    path.write_bytes(in_zip("README.txt", "t.csv", "u.csv"))
    assert refused(path).repair.flag == "--sheet 't.csv'"


def test_a_name_with_a_number_sign_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t#1.csv"
    path.write_bytes(CSV)
    assert read_table(path).shape == (2, 3)
    assert refused(tmp_path / "none.csv#x").code == "F001"


# -- workbooks --------------------------------------------------------------------------------


def workbook(**sheets) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


PEOPLE = [
    ["age", "town", "born", "ok", "paid"],
    [31, "Mons", datetime(2020, 1, 2), True, "$1,200.50"],
    [None, "Paris", datetime(2021, 3, 4), False, "$3"],
    [40.0, "NA", None, True, 7],
]


def test_a_sheet_keeps_its_types() -> None:
    table = read_table(io.BytesIO(workbook(One=PEOPLE)))
    assert table["age"].to_list() == [31, None, 40]
    assert table["age"].type.source == "integer"
    assert table["town"].to_list() == ["Mons", "Paris", None]
    assert table["born"].to_list() == [date(2020, 1, 2), date(2021, 3, 4), None]
    assert table["ok"].to_list() == [True, False, True]
    assert table["paid"].to_list() == [1200.5, 3.0, 7.0]


def test_titles_totals_and_empty_lines_of_a_sheet_are_left_out() -> None:
    rows = [["Sales 2024"], [None], ["region", "sold", "paid"], ["N", 1, 2.5], ["S", 2, 3.5]]
    with (
        pytest.warns(BranchlineWarning, match="title line"),
        pytest.warns(BranchlineWarning, match="sums up"),
    ):
        table = read_table(io.BytesIO(workbook(One=[*rows, ["Total", 3, 6.0]])))
    assert table.shape == (2, 3)
    kept = read_table(io.BytesIO(workbook(One=[*rows[2:], ["Total", 3, 6.0]])), totals=True)
    assert kept.shape == (3, 3)
    assert read_table(io.BytesIO(workbook(One=rows)), skip=2).shape == (2, 3)


def test_several_sheets_ask_which(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook(One=PEOPLE, Two=[["a", "b"], [1, "x"]], Empty=[]))
    error = refused(path)
    assert (error.code, "'One', 'Two'" in error.message) == ("F103", True)
    assert repaired(error).shape == (3, 5)
    assert read_table(path, sheet="Two").shape == (1, 2)
    assert read_table(f"{path}#Two", kinds={"a": "category"})["a"].kind == "category"
    assert refused(path, sheet="Too").repair.flag == "--sheet 'Two'"


def test_damaged_and_empty_workbooks_are_told() -> None:
    content = workbook(One=PEOPLE)
    assert refused(io.BytesIO(content[: len(content) // 2])).code in {"F007", "F008"}
    assert refused(io.BytesIO(workbook(One=[]))).code == "F004"
    assert refused(io.BytesIO(b"\xd0\xcf\x11\xe0" + b"x" * 600)).code == "F008"


def test_a_far_corner_is_refused_before_memory_is_taken() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", 1
    made = io.BytesIO()
    book.save(made)
    assert refused(io.BytesIO(made.getvalue())).code == "D030"


def test_old_and_open_workbooks_are_read(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    sheet = book.add_sheet("One")
    for at, row in enumerate([["a", "b"], [1, "x"], [2, "y"]]):
        for place, cell in enumerate(row):
            sheet.write(at, place, cell)
    book.save(tmp_path / "t.xls")
    assert read_table(tmp_path / "t.xls").to_dicts() == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_an_absent_extra_is_told_with_the_command(monkeypatch) -> None:
    monkeypatch.setattr(_extras.importlib, "import_module", lambda name: __import__("no_" + name))
    with pytest.raises(MissingExtra) as caught:
        read_table(io.BytesIO(b"\xd0\xcf\x11\xe0rest"))
    assert caught.value.code == "X001"
    assert caught.value.repair.flag == "pip install 'branchline[excel]'"


# -- JSON -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {"rows": ROWS, "count": 2},
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        {name: {str(at): row[name] for at, row in enumerate(ROWS)} for name in ROWS[0]},
        {"columns": list(ROWS[0]), "index": [0, 1], "data": [list(row.values()) for row in ROWS]},
        [list(ROWS[0]), *(list(row.values()) for row in ROWS)],
    ],
)
def test_json_of_any_form_gives_the_same_rows(document) -> None:
    assert read_table(io.StringIO(json.dumps(document)), format="json").to_dicts() == ROWS


def test_json_lines_structures_and_texts() -> None:
    lines = '{"a": {"x": 1, "y": "9%"}, "b": null}\n\n{"a": {"x": 2, "y": "10%"}, "b": true}\n'
    table = read_table(io.StringIO(lines))
    assert table.names == ("a.x", "a.y", "b")
    assert table["a.y"].to_list() == [9, 10]
    assert table["b"].to_list() == [None, True]
    long = [{"id": 2**60 + 1}, {"id": 2**60 + 2}]
    assert read_table(io.StringIO(json.dumps(long)))["id"].kind == "category"


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', "[1, 2]", '[{"a": [1]}]', '{"a": [1], "b": [1, 2]}', '[{"a": 1}', "[]", "[{}]",
     '{"a": 1}\n{"a":', "[" * 5000, '[{"a": ' + "1" * 5000 + "}]", '{"a": 1}\n3'],
)  # fmt: skip
def test_json_that_is_no_table_is_refused(text: str) -> None:
    assert refused(io.StringIO(text), format="json").code == "F104"


# -- databases --------------------------------------------------------------------------------


def database(path: Path, *names: str) -> Path:
    with sqlite3.connect(path) as connection:
        for name in names:
            quoted = '"' + name.replace('"', '""') + '"'
            connection.execute(f"CREATE TABLE {quoted} (age INTEGER, town TEXT, paid REAL)")
            connection.executemany(
                f"INSERT INTO {quoted} VALUES (?, ?, ?)", [tuple(row.values()) for row in ROWS]
            )
    connection.close()
    return path


def test_a_database_of_one_table_is_that_table(tmp_path: Path) -> None:
    path = database(tmp_path / "t.db", 'odd "name')
    assert read_table(path).to_dicts() == ROWS
    assert read_table(path, drop=["paid"]).names == ("age", "town")


def test_several_tables_ask_which(tmp_path: Path) -> None:
    path = database(tmp_path / "t.sqlite", "one", "two")
    error = refused(path)
    assert error.code == "F103"
    assert repaired(error).to_dicts() == ROWS
    assert read_table(f"{path}#two").to_dicts() == ROWS
    assert refused(f"{path}#too").repair.flag == "--sheet 'two'"
    path.write_bytes(path.read_bytes()[:200])
    assert refused(path, sheet="one").code in {"F008", "F004"}


def test_a_view_that_never_ends_is_stopped(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("branchline.table.files._read_sql._MOST_CALLS", 3)
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) "
            "SELECT sum(n) AS total FROM c"
        )
    connection.close()
    assert refused(path).code == "F008"


def test_an_address_is_read_by_sqlalchemy(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    address = f"sqlite:///{database(tmp_path / 't.db', 'one', 'two')}"
    assert read_table(f"{address}#one").to_dicts() == ROWS
    assert read_table(f"{address}#SELECT age FROM two WHERE age > 3").to_dicts() == [{"age": 31}]
    assert refused(address).code == "F103"
    assert refused("postgresql://me:secret@nowhere.invalid/x#t").code == "F105"
    assert "secret" not in str(refused("nosuch://me:secret@nowhere.invalid/x#t"))
    assert refused("https://example.org/t.csv").code == "F001"


def test_an_address_is_read_by_an_adbc_driver(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    address = f"adbc+sqlite:///{database(tmp_path / 't.db', 'one', 'two')}"
    assert read_table(f"{address}#one").to_dicts() == ROWS
    assert read_table(address, sheet="two").to_dicts() == ROWS
    assert read_table(f"{address}#SELECT age FROM two WHERE age > 3").to_dicts() == [{"age": 31}]
    error = refused(address)
    assert (error.code, error.repair.flag) == ("F103", "--sheet 'one'")
    assert refused("adbc+sqlite:////no/such/place.db#t").code == "F105"
    missing = refused("adbc+nosuch://me:secret@nowhere.invalid/x#t")
    assert (missing.code, missing.repair.flag) == ("X001", "pip install adbc-driver-nosuch pyarrow")
    assert "secret" not in str(missing)


# -- statistics files -------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_statistics_files_keep_labels_and_dates(tmp_path: Path, ending: str) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    import pandas

    frame = pandas.DataFrame(
        {"age": [31.0, None], "town": ["Mons", ""], "sex": [1.0, 2.0],
         "born": pandas.to_datetime(["2020-01-02", "2021-03-04"])}
    )  # fmt: skip
    labels = {"variable_value_labels": {"sex": {1: "m", 2: "f"}}}
    write = {"sav": "write_sav", "dta": "write_dta", "xpt": "write_xport"}[ending]
    path = tmp_path / f"t.{ending}"
    getattr(pyreadstat, write)(frame, path, **({} if ending == "xpt" else labels))
    table = read_table(path)
    assert table["age"].to_list() == [31, None]
    assert table["town"].to_list() == ["Mons", None]
    assert table["sex"].to_list() == ([1, 2] if ending == "xpt" else ["m", "f"])
    assert table["born"].to_list() == [date(2020, 1, 2), date(2021, 3, 4)]
    path.write_bytes(path.read_bytes()[:100])
    assert refused(path).code in {"F004", "F008"}


# -- Orange -----------------------------------------------------------------------------------


def test_headers_of_orange_are_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_text(
        "age\tsize\trisk\tname\tseen\tjunk\tclass\n"
        "continuous\td\tlow\\ risk high\tstring\ttime\tc\td\n"
        "\t\t\tmeta\t\tignore\tclass\n"
        "31\t1\thigh\tAnn\t2020-01-02\t5\tyes\n"
        "?\t2\tlow risk\tBob\t2021-01-02\t6\tno\n"
    )
    with pytest.warns(BranchlineWarning, match="meta columns"):
        table = read_table(path)
    assert table.names == ("age", "size", "risk", "name", "seen", "class")
    assert table["size"].categories == ("1", "2")
    assert table["risk"].categories == ("low risk", "high")
    assert table["seen"].type.source == "date"
    assert table["age"].to_list() == [31, None]


def test_marks_before_names_are_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "t.tab"
    path.write_text("C#age\tD#size\ti#junk\tcD#class\n31\t1\t5\tyes\n32\t2\t6\tno\n")
    table = read_table(path)
    assert table.names == ("age", "size", "class")
    assert table["size"].kind == "category"


# -- titles and totals of texts ---------------------------------------------------------------

TABLE = "region,sold,paid\nN,1,2.5\nS,2,3.5\nE,4,1.0\n"


@pytest.mark.parametrize(
    "title",
    ["Sales report\n", "Sales\nmade in May\n\n", "Sales,,\n,,\n", '"Sales\n2024"\n'],
)
def test_titles_above_a_table_are_left_out_with_a_note(title: str) -> None:
    with pytest.warns(BranchlineWarning, match="title line"):
        table = read_table(io.StringIO(title + TABLE))
    assert table.shape == (3, 3)
    assert table.names == ("region", "sold", "paid")
    skip = title.count("\n")
    assert read_table(io.StringIO(title + TABLE), skip=skip).to_dicts() == table.to_dicts()


def test_what_may_be_a_title_is_refused_with_the_exact_repair() -> None:
    error = refused(io.StringIO("Sales, all regions\nmade in May\n" + TABLE))
    assert (error.code, error.repair.flag) == ("F010", "--skip 2")


def test_lines_are_counted_with_the_titles() -> None:
    text = "Sales report\n\n" + TABLE * 9 + "x,1\n"
    with pytest.warns(BranchlineWarning):
        error = refused(io.StringIO(text))
    assert (error.code, "line 39:" in error.message) == ("F010", True)


@pytest.mark.parametrize(
    "last", ["Total,7,7.0\n", "TOTAL:,7,\n", "Grand total,,7\n", "Total,7,2.3\n", "Total,,\n"]
)
def test_a_line_of_totals_is_left_out_with_a_note(last: str) -> None:
    with pytest.warns(BranchlineWarning, match="sums up"):
        assert read_table(io.StringIO(TABLE + last)).shape == (3, 3)
    assert read_table(io.StringIO(TABLE + last), totals=True).shape == (4, 3)


@pytest.mark.parametrize("last", ["Total,5,5\n", "Total,7,99\n", "Sum,2,2.3\n"])
def test_a_last_line_of_other_numbers_is_a_row_and_told(last: str) -> None:
    with pytest.warns(BranchlineWarning, match="kept as a row") as told:
        assert read_table(io.StringIO(TABLE + last)).shape == (4, 3)
    assert told[0].message.code == "W023"


@pytest.mark.parametrize(
    "cells", [("1.234,50", "2.000,00", "3.234,50"), ("$1,234.50", "$2,000", "$3,234.50")]
)
def test_totals_of_amounts_are_found_with_either_mark(cells: tuple[str, ...]) -> None:
    rows = "".join(
        f'{name};"{cell}"\n' for name, cell in zip(("a", "b", "Total"), cells, strict=True)
    )
    with pytest.warns(BranchlineWarning, match="sums up"):
        assert read_table(io.StringIO("name;paid\n" + rows)).n_rows == 2


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "firm,price\nTotal,3\nShell,4\nTotal,5\n",
        "firm,kind\na,x\nb,y\nTotal,z\n",
        "a\nb\nc\n",
        "a,b\n1,2\n",
    ],
)
def test_other_tables_keep_all_their_lines(text: str) -> None:
    assert read_table(io.StringIO(text), header=True).n_rows == text.count("\n") - 1


def test_a_wrong_skip_is_refused() -> None:
    assert refused(io.StringIO(TABLE), skip=-1).code == "F012"
    assert refused(io.StringIO(TABLE), skip=99).code == "F004"
    assert isinstance(refused(io.StringIO(TABLE), skip=99), DataError)


# -- the right part, and the right file ---------------------------------------------------------


def test_the_repair_names_the_sheet_with_the_data() -> None:
    book = workbook(Cover=[["Sales"], ["of May"]], Data=[["a", "b"], [1, 2], [3, 4]])
    error = refused(io.BytesIO(book))
    assert (error.code, error.repair.flag) == ("F103", "--sheet 'Data'")


def test_texts_in_an_archive_are_not_offered_as_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("Readme.txt", "notes.txt", "day.csv", "hour.csv"):
            archive.writestr(name, "a,b\n" + "1,2\n" * len(name))
    error = refused(path)
    assert error.values == ("day.csv", "hour.csv")
    assert error.repair.flag == "--sheet 'hour.csv'"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "what it is\n")
        archive.writestr("day.csv", "a,b\n1,2\n")
    assert read_table(path).to_dicts() == [{"a": 1, "b": 2}]


def test_a_model_where_a_table_belongs_and_the_other_way_round(tmp_path: Path) -> None:
    from branchline import load
    from branchline.errors import ModelFileError
    from branchline.tree import DecisionTreeClassifier

    path, table = tmp_path / "m.branchline", tmp_path / "t.csv"
    DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).save(path)
    error = refused(path)
    assert (error.code, "swapped" in error.message) == ("F110", True)
    table.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(ModelFileError, match=r"t\.csv is not a Branchline model file.*swapped"):
        load(table)
