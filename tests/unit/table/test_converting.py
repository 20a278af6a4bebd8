"""Cells written for people become numbers, dates, durations and booleans; ambiguity is asked."""

import io
import time
import warnings
from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table, load, read_table
from branchline._error_codes import ERROR_CODES
from branchline.errors import BranchlineError, BranchlineWarning
from branchline.table import Schema, as_table
from branchline.table.converting._conversion import detect
from branchline.table.converting._reading import read_as, read_texts
from branchline.table.converting._written import Written, is_written, parse_kind
from branchline.tree import DecisionTreeClassifier


def column(*cells, delimiter=",", **options):
    text = f"n{delimiter}c\n" + "".join(f'{at}{delimiter}"{c}"\n' for at, c in enumerate(cells))
    return read_table(io.StringIO(text), header=True, **options)["c"]


def refused(*cells, **options) -> BranchlineError:
    with pytest.raises(BranchlineError) as caught:
        column(*cells, **options)
    return caught.value


@pytest.mark.parametrize(
    ("cells", "written", "values"),
    [
        (["$1,126", "$5"], "number:. $", [1126, 5]),
        (["€ 3.50", "€ 12.00"], "number:. €", [3.5, 12.0]),
        (["1.234,50", "3,5"], "number:,", [1234.5, 3.5]),
        (["1,234", "567"], "number:.", [1234, 567]),
        (["1 234", "12 500"], "number:.", [1234, 12500]),
        (["CHF 1'200.50", "CHF 3"], "number:. CHF", [1200.5, 3.0]),
        (["1,23,456", "12,34,567"], "number:.", [123456, 1234567]),
        (["(1,200.50)", "$3", "-$4", "$-5", "−6"], "number:. $", [-1200.5, 3.0, -4.0, -5.0, -6.0]),
        (["9%", "10.5 %"], "number:. %", [9.0, 10.5]),
        (["12,5%", "3,25%"], "number:, %", [12.5, 3.25]),
        (["1.234%", "2.345%"], "number:. %", [1.234, 2.345]),
        (["12/01/2024", "13/04/2024"], "date:%d/%m/%Y", [date(2024, 1, 12), date(2024, 4, 13)]),
        (["12/01/2024", "03/14/2024"], "date:%m/%d/%Y", [date(2024, 12, 1), date(2024, 3, 14)]),
        (["2/2/2024", "3/3/2024"], "date:%d/%m/%Y", [date(2024, 2, 2), date(2024, 3, 3)]),
        (["12.01.2024", "03.04.2024"], "date:%d.%m.%Y", [date(2024, 1, 12), date(2024, 4, 3)]),
        (["13/02/24", "12/01/99"], "date:%d/%m/%y", [date(2024, 2, 13), date(1999, 1, 12)]),
        (["2024/01/05", "2024/02/20"], "date:%Y/%m/%d", [date(2024, 1, 5), date(2024, 2, 20)]),
        (["12 Jan 2024", "3 Feb 2024"], "date:%d %b %Y", [date(2024, 1, 12), date(2024, 2, 3)]),
        (["Jan 12, 2024", "Feb 3, 2024"], "date:%b %d, %Y", [date(2024, 1, 12), date(2024, 2, 3)]),
        (["Jan-24", "Feb-24"], "date:%b-%y", [date(2024, 1, 1), date(2024, 2, 1)]),
        (
            ["12/13/2024 3:15 PM", "1/2/2024 11:00 AM"],
            "date:%m/%d/%Y %I:%M %p",
            [datetime(2024, 12, 13, 15, 15), datetime(2024, 1, 2, 11)],
        ),
        (
            ["13.12.2024 15:15:10.5", "01.02.2024 11:00:00.25"],
            "date:%d.%m.%Y %H:%M:%S.%f",
            [datetime(2024, 12, 13, 15, 15, 10, 500_000), datetime(2024, 2, 1, 11, 0, 0, 250_000)],
        ),
        (["1:30:00", "0:45:00"], "duration", [0.0625, 0.03125]),
        (["36:00:00", "12:00:00"], "duration", [1.5, 0.5]),
        (["12:00", "18:00"], "time", [0.5, 0.75]),
        (["6:00 am", "6:00 PM"], "time", [0.25, 0.75]),
        (["12h", "1 d 12 h", "90 min", "-6 hours"], "duration", [0.5, 1.5, 0.0625, -0.25]),
        (["PT12H", "P1DT6H"], "duration", [0.5, 1.25]),
        (["Yes", "no", "YES", "N"], "boolean", [True, False, True, False]),
        (["oui", "Non", "OUI"], "boolean", [True, False, True]),
        (["да", "нет", "Да"], "boolean", [True, False, True]),
    ],
)
def test_unambiguous_cells_are_converted(cells, written, values):
    found = column(*cells)
    assert found.type.written == written
    assert found.to_list() == values
    assert Table({"c": cells}, kinds={"c": written})["c"].to_list() == values
    assert column(*cells, kinds={"c": written}).to_list() == values
    assert column(*cells, kinds={"c": "category"}).to_list() == cells


@pytest.mark.parametrize(
    "cells",
    [
        ["9%", "3"],
        ["$5", "€5"],
        ["yes", "no"],
        ["5m", "10m"],
        ["1:10", "1:20"],
        ["10-19", "20-29"],
        ["12-34-56", "10-20-30"],
        ["123 456", "789 123"],
        ["1,234.5", "1.234,5"],
        ["2024/01/05", "2024/02/30"],
        ["12/01/2024", "soon"],
        ["3d", "2d"],
        ["v1.2", "v1.3"],
        ["on", "off", "x"],
        ["5 min 2 h", "3 h"],
        ["0x1", "2"],
    ],
)
def test_other_texts_stay_texts(cells):
    found = column(*cells)
    assert found.type.written is None
    assert found.to_list() == cells


@pytest.mark.parametrize(
    ("cells", "code", "ways"),
    [
        (["12/01/2024", "03/04/2024"], "K102", ["date:%d/%m/%Y", "date:%m/%d/%Y"]),
        (["12-01-2024", "03-04-2024"], "K102", ["date:%d-%m-%Y", "date:%m-%d-%Y"]),
        (["1/2/2024 10:00", "3/4/2024 11:00"], "K102",
         ["date:%d/%m/%Y %H:%M", "date:%m/%d/%Y %H:%M"]),
        (["€1.459", "€1.389"], "K101", ["number:.", "number:,"]),
    ],
)  # fmt: skip
def test_ambiguity_is_asked_with_the_two_repairs(cells, code, ways, tmp_path):
    error = refused(*cells)
    assert error.code == code
    for way in ways:
        assert f"c={way}" in error.repair.flag
        assert column(*cells, kinds={"c": way}).kind == "numeric"
    path = tmp_path / "t.csv"
    path.write_text("n,c\n" + "".join(f"{at},{cell}\n" for at, cell in enumerate(cells)))
    scope = {"path": path}
    exec(error.repair.python, scope)
    assert scope["table"]["c"].type.written == ways[0]


def test_the_file_decides_where_a_column_does_not():
    text = "a;b;c\n1.234;1,5;€ 1.500\n2.345;2,25;€ 2.250\n"
    table = read_table(io.StringIO(text))
    assert table["a"].to_list() == [1234, 2345]
    assert table["c"].to_list() == [1500, 2250]
    assert read_table(io.StringIO(text), decimal=",")["a"].to_list() == [1234, 2345]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("date:%Q", "K103"), ("date:%d/%m", "K103"), ("date:%H:%M", "K103"), ("date:%Y %Y", "K103"),
        ("date:%Y-%d", "K103"), ("date:%Y %H", "K103"), ("date:%", "K103"), ("number:;", "D040"),
        ("nominal", "D040"), ("time:%H", "D040"), ("category:x", "D040"), (3, "D040"),
        ("date:%d/%m/%Y", "K002"), ("number", "K002"), ("number:.", "K002"), ("duration", "K002"),
        ("boolean", "K002"), ("time", "K002"), ("date", "K002"),
    ],
)  # fmt: skip
def test_kinds_that_do_not_exist_or_do_not_fit_are_refused(kind, code):
    error = refused("a", "b", kinds={"c": kind})
    assert error.code == code
    assert error.column == "c"


@pytest.mark.parametrize(
    ("kind", "cells", "values"),
    [
        ("date:%Y%m%d", ["20240131", "20240229"], [date(2024, 1, 31), date(2024, 2, 29)]),
        ("date:%Y-%m", ["2024-01", "2024-02"], [date(2024, 1, 1), date(2024, 2, 1)]),
        ("date:%Y", ["2024", "2025"], [date(2024, 1, 1), date(2025, 1, 1)]),
        ("date", ["2024-01-02", "2024-02-03"], [date(2024, 1, 2), date(2024, 2, 3)]),
        ("boolean", ["yes", "no"], [True, False]),
        ("number", ["$1,126", "$5"], [1126, 5]),
        ("number:,", ["1.234", "2"], [1234, 2]),
        ("duration", ["1:30", "0:45"], [0.0625, 0.03125]),
    ],
)
def test_kinds_that_are_asked_for(kind, cells, values):
    assert column(*cells, kinds={"c": kind}).to_list() == values
    assert column(*cells, "", kinds={"c": kind}).to_list() == [*values, None]


def test_whole_numbers_in_memory_become_dates():
    table = Table({"d": [20240131, 20240229, None]}, kinds={"d": "date:%Y%m%d"})
    assert table["d"].to_list() == [date(2024, 1, 31), date(2024, 2, 29), None]


def test_many_columns_of_texts_take_no_long_time():
    """A column of texts costs one look, not one for each format of dates (25 s for 1,200)."""
    cells = ",".join(f"a{place}-01/b" for place in range(1000))
    text = ",".join(f"c{place}" for place in range(1000)) + f"\n{cells}\n{cells}\n"
    start = time.process_time()
    assert read_table(io.StringIO(text), delimiter=",", header=True).n_columns == 1000
    assert time.process_time() - start < 5


# -- what a model remembers -------------------------------------------------------------------

SPELLINGS = ["Yes", "yes", "no", "NO"]
TRAIN = "price,day,ok,y\n" + "".join(
    f'"${1000 + 100 * at:,}",{at % 28 + 1:02}/{at % 12 + 1:02}/2024,{SPELLINGS[at % 4]},'
    f"{'ab'[at > 20]}\n"
    for at in range(40)
)


def test_a_saved_model_reads_raw_cells_as_it_did(tmp_path):
    X, y = read_table(io.StringIO(TRAIN)).split_target("y")
    DecisionTreeClassifier().fit(X, y).save(tmp_path / "m")
    model = load(tmp_path / "m")
    assert [field.type.written for field in model.schema_] == [
        "number:. $", "date:%d/%m/%Y", "boolean",
    ]  # fmt: skip
    raw = {"price": ["$1,100", "$4,500"], "day": ["01/02/2024", "02/02/2024"], "ok": ["y", "n"]}
    assert model.predict(raw).tolist() == ["a", "b"]
    applied = model.schema_.apply(as_table(raw, texts="raw"))
    assert applied["price"].to_list() == [1100, 4500]
    assert applied["day"].to_list() == [date(2024, 2, 1), date(2024, 2, 2)]
    assert applied["ok"].to_list() == [True, False]
    plain = {"price": [1100.0, 4500.0], "day": [date(2024, 2, 1)] * 2, "ok": [True, False]}
    assert model.predict(plain).tolist() == ["a", "b"]


def test_other_texts_at_prediction_are_told():
    X, y = read_table(io.StringIO(TRAIN)).split_target("y")
    model = DecisionTreeClassifier().fit(X, y)
    raw = {"price": ["€5"], "day": ["01/02/2024"], "ok": ["y"]}
    with pytest.raises(BranchlineError) as caught:
        model.predict(raw)
    assert (caught.value.code, caught.value.column) == ("K001", "price")


def test_schemas_without_the_word_still_load():
    schema = read_table(io.StringIO(TRAIN)).schema
    data = schema.to_json()
    assert Schema.from_json(data) == schema
    for entry in data["columns"]:
        entry.pop("written", None)
    assert all(field.type.written is None for field in Schema.from_json(data))


@pytest.mark.parametrize(
    "written", ["number", "date", "date:%Q", "number:x", "category", "", 3, None, "time", "x" * 300]
)
def test_forged_ways_of_writing_are_refused(written):
    data = Table({"a": [1.5, 2.5]}).schema.to_json()
    data["columns"][0]["written"] = written
    with pytest.raises(BranchlineError) as caught:
        Schema.from_json(data)
    assert caught.value.code == "M004"
    assert not is_written(written, "number")


# -- round trips ------------------------------------------------------------------------------

MONEY = st.integers(-(10**12), 10**12)


def grouped(cents: int, thousands: str, mark: str) -> str:
    text = f"{abs(cents) / 100:,.2f}".translate(str.maketrans({",": thousands, ".": mark}))
    return f"-{text}" if cents < 0 else text


@given(st.lists(MONEY, min_size=1), st.sampled_from([",.", ".,", " .", "',"]))
def test_money_goes_round(cents, marks):
    texts = pl.Series([f"€{grouped(value, *marks)}" for value in cents])
    read = read_texts(texts, Written("number", f"{marks[1]} €"))
    assert read.to_list() == pytest.approx([value / 100 for value in cents], abs=1e-3)
    assert detect(texts.unique()) is not None


@given(
    st.lists(st.dates(date(1000, 1, 1), date(2999, 12, 31)), min_size=1),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%Y%m%d"]),
)
def test_dates_go_round(days, form):
    texts = pl.Series([day.strftime(form) for day in days])
    assert read_as("d", texts, Written("date", form)).to_list() == days


@given(st.lists(st.integers(0, 10**7), min_size=1))
def test_durations_go_round(seconds):
    clock = [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds if s < 3600 * 9999]
    words = [f"{s // 86400} d {s // 3600 % 24} h {s // 60 % 60} min {s % 60} s" for s in seconds]
    for texts, kept in ((clock, [s for s in seconds if s < 3600 * 9999]), (words, seconds)):
        read = read_texts(pl.Series(texts, dtype=pl.String), Written("duration"))
        assert read.to_list() == [s * 10**6 for s in kept]


@given(st.lists(st.text(max_size=12), min_size=1))
def test_no_text_is_lost(texts):
    distinct = pl.Series(texts).unique()
    found = detect(distinct)
    for way in found if isinstance(found, tuple) else (found,):
        if way is not None:
            assert read_texts(distinct, way).null_count() == 0
            assert parse_kind("c", str(way)) == way


@given(st.lists(st.from_regex(r"[-$€%(),.:/ 0-9]{1,9}", fullmatch=True), min_size=1))
def test_odd_marks_raise_nothing_but_coded_errors(texts):
    frame = pl.DataFrame({"c": texts, "n": range(len(texts))}).write_csv()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            seen = read_table(io.StringIO(frame), delimiter=",", header=True).n_rows
        except BranchlineError as error:
            seen = error.code
    assert seen in {len(texts), *ERROR_CODES}
