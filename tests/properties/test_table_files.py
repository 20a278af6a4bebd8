"""Files, by property: what is written comes back, and bad bytes are refused with a code."""

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.errors import BranchlineError, BranchlineWarning
from branchline.table import Column, ColumnType, Table, read_table
from branchline.table.files import _layout
from branchline.table.files._cells import Cells, _split_by_csv, split_cells
from branchline.table.files._sniff import has_header
from branchline.table.files._source import BLANKS, DEFAULT_MISSING

FORMATS = ["csv", "arff", "libsvm", "parquet", "arrow"]

any_name = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
printed = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\r\t"), max_size=8
)
word = printed.filter(lambda name: name == name.strip(BLANKS) and name not in DEFAULT_MISSING)
column_name = word.filter(lambda name: bool(name) and not name.startswith("\ufeff"))


def numeric(draw: Any, name: str, n_rows: int) -> Column:
    """Draw integers with holes, or floats with NaN."""
    holes = np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)), dtype=bool)
    if draw(st.booleans()):
        whole = st.integers(-(2**53), 2**53)  # beyond, texts are names
        values = np.array(draw(st.lists(whole, min_size=n_rows, max_size=n_rows)), dtype=np.int64)
        return Column(name, ColumnType("numeric", "integer"), values, holes)
    drawn = draw(st.lists(st.floats(allow_nan=False), min_size=n_rows, max_size=n_rows))
    values = np.array(drawn, dtype=np.float64)
    values[holes] = np.nan
    return Column(name, ColumnType("numeric", "float"), values)


def category(draw: Any, name: str, n_rows: int, names: st.SearchStrategy[str]) -> Column:
    listed = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    code = st.integers(-1, len(listed) - 1)
    codes = np.array(draw(st.lists(code, min_size=n_rows, max_size=n_rows)), dtype=np.int32)
    return Column(name, ColumnType("category", "category", tuple(listed)), codes)


def moments(draw: Any, name: str, n_rows: int) -> Column:
    """Draw moments of the years 1000 to 9999, in whole milliseconds, or dates."""
    if draw(st.booleans()):
        days = st.integers(-354_285, 2_932_896)
        values = np.array(draw(st.lists(days, min_size=n_rows, max_size=n_rows)), dtype=np.int64)
        return Column(name, ColumnType("numeric", "date", unit="D"), values)
    moment = st.integers(-30_610_224_000_000, 253_402_300_799_999)
    values = np.array(draw(st.lists(moment, min_size=n_rows, max_size=n_rows)), dtype=np.int64)
    zone = draw(st.sampled_from([None, "UTC"]))
    return Column(name, ColumnType("numeric", "datetime", unit="us", timezone=zone), values * 1000)


@st.composite
def tables(draw: Any, names: st.SearchStrategy[str]) -> Table:
    n_rows = draw(st.integers(0, 6))
    columns = []
    for name in draw(st.lists(column_name, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["numeric", "category", "moments"]))
        if kind == "category":
            columns.append(category(draw, name, n_rows, names))
        else:
            columns.append((numeric if kind == "numeric" else moments)(draw, name, n_rows))
    return Table(columns)


def through(table: Table, name: str, **options: Any) -> Table:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        (table.write_arff if ".arff" in name else table.write_csv)(path)
        return read_table(path, **options)


@pytest.mark.filterwarnings("ignore:.*are read back as numbers")  # kinds are given here
@settings(deadline=None, max_examples=150)
@given(tables(word))
def test_csv_gives_back_every_cell(table: Table) -> None:
    kinds = {column.name: column.kind for column in table.columns if column.kind == "category"}
    back = through(table, "t.csv", header=True, delimiter=",", kinds=kinds)
    assert back.names == table.names
    for old, new in zip(table.columns, back.columns, strict=True):
        assert new.to_list() == old.to_list() or old.type.is_time
        if old.type.is_time:
            assert new.is_missing.all() or np.array_equal(new.numbers(), old.numbers())


@settings(deadline=None, max_examples=150)
@given(tables(any_name))
def test_arff_gives_back_an_equal_table(table: Table) -> None:
    back = through(table, "t.arff")
    assert back.names == table.names
    for old, new in zip(table.columns, back.columns, strict=True):
        assert new.kind == old.kind
        assert new.categories == old.categories
        assert new.to_list() == old.to_list() or old.type.unit == "D"
        assert new.type.unit == old.type.unit


@given(
    st.lists(st.lists(word, min_size=3, max_size=3), min_size=1, max_size=6),
    st.sampled_from(",;\t|"),
)
def test_quoted_text_with_any_delimiter_gives_back_its_cells(
    rows: list[list[str]], mark: str
) -> None:
    lines = [mark.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    table = read_table(
        io.StringIO("\n".join(lines) + "\n"),
        format="csv",
        delimiter=mark,
        header=False,
        missing=(),
        kinds={f"column_{place}": "category" for place in (1, 2, 3)},
    )
    assert [list(row.values()) for row in table.to_dicts()] == rows


@given(st.lists(st.text(alphabet='ab"\n ,', max_size=12), max_size=6), st.booleans())
def test_text_of_quotes_and_delimiters_is_read_or_refused(lines: list[str], header: bool) -> None:
    read_or_refuse("\n".join(lines).encode(), format="csv", header=header, delimiter=",")


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from(["a", '"', '""', ",", "\n", "\r\n", '"b,c"', '"d\ne"']), min_size=1),
    st.integers(1, 8),
)
def test_the_fast_way_and_the_csv_module_split_alike(parts: list[str], piece: int) -> None:
    text = "".join(parts) + "\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_layout, "_PIECE", piece)
        fast = split_or_code(lambda: split_cells("file", text, ","))
    assert fast == split_or_code(lambda: _split_by_csv("file", text, ",", '"', None))


def split_or_code(split: Callable[[], Cells]) -> Any:
    try:
        cells = split()
    except BranchlineError as error:
        return error.code
    return cells.frame.rows(), cells.lines.tolist()


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=200), st.sampled_from([None, *FORMATS]))
def test_no_bytes_make_a_reader_fail_without_a_code(content: bytes, name: str | None) -> None:
    read_or_refuse(content, format=name)


@settings(deadline=None, max_examples=150)
@given(
    st.text(alphabet="a1 ,;:'\"{}%?@\\\n\t.-\x1e\u2028", max_size=60),
    st.sampled_from(["", "@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n", "1 1:2\n"]),
    st.sampled_from(["csv", "arff", "libsvm", None]),
)
def test_no_text_makes_a_reader_fail_without_a_code(text: str, head: str, name: str | None) -> None:
    read_or_refuse((head + text).encode(), format=name)


@given(
    st.text(alphabet="ab.,:|\\\n ?1", max_size=60), st.text(alphabet="ab1,.|\\\n ?", max_size=40)
)
def test_no_c45_pair_makes_the_reader_fail_without_a_code(names: str, data: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.data"
        path.write_text(data, encoding="utf-8")
        path.with_suffix(".names").write_text("a,b.\n" + names, encoding="utf-8")
        read_or_refuse(path)


@given(st.lists(st.lists(word, min_size=2, max_size=2), min_size=1, max_size=5))
def test_asking_for_a_header_always_gets_an_answer(rows: list[list[str]]) -> None:
    assert has_header(rows, DEFAULT_MISSING) in {True, False}


def read_or_refuse(content: bytes | Path, **options: Any) -> None:
    """Read to a proper table, or raise an error with a code; anything else fails the test."""
    source = content if isinstance(content, Path) else io.BytesIO(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            table = read_table(source, **options)
        except BranchlineError as error:
            words = str(error)
            table = None
    if table is None:
        assert "branchline errors" in words
        return
    assert table.n_columns > 0
    assert all(len(column) == table.n_rows for column in table.columns)


@pytest.mark.parametrize("name", FORMATS)
def test_the_formats_tested_here_exist(name: str) -> None:
    read_or_refuse(b"1 1:2\n", format=name)
