"""Delimited text: delimiters, headers, quotes, missing cells, kinds and every way to be broken."""

import io
from pathlib import Path

import numpy as np
import pytest

from branchline.errors import BranchlineError, BranchlineWarning, DataError, KindError
from branchline.table import Table, read_table
from shared_data import SHARED, needs_shared


def read(text: str, **options: object) -> Table:
    return read_table(io.StringIO(text), **options)  # type: ignore[arg-type]


def repaired(error: BranchlineError, **scope: object) -> Table:
    """Return the table that the printed repair makes of the user's own variables."""
    exec(str(error.repair.python), scope)
    assert isinstance(scope["table"], Table)
    return scope["table"]


def cells(table: Table) -> list[list[object]]:
    return [column.to_list() for column in table.columns]


# -- cells --------------------------------------------------------------------------------------


def test_quoted_texts_may_hold_blanks_in_files_parted_by_blanks() -> None:
    table = read('1 "New York"  2.5\n2 "Rome" 3.5 \n', delimiter=" ", header=False)
    assert cells(table) == [[1, 2], ["New York", "Rome"], [2.5, 3.5]]


def test_quotes_hold_delimiters_line_ends_and_doubled_quotes() -> None:
    table = read('name,note\nann,"a, ""b""\nc"\nbob,plain\n')
    assert cells(table) == [["ann", "bob"], ['a, "b"\nc', "plain"]]


def test_irregular_quotes_are_read_as_python_reads_them() -> None:
    table = read('size,what\n1,5" pipe\n2, "x, y"\n3,a "b" c\n')
    assert cells(table) == [[1, 2, 3], ['5" pipe', "x, y", 'a "b" c']]


def test_blanks_round_cells_are_cut() -> None:
    table = read("a, b ,c\n 1 ,  x, 2.5\n2,y ,\xa03.5 \n")
    assert table.names == ("a", "b", "c")
    assert cells(table) == [[1, 2], ["x", "y"], [2.5, 3.5]]


@pytest.mark.parametrize("blank", [" ", "\t", "\f", "\v", "\xa0"])
@pytest.mark.parametrize("row", ["{}1,x", "1{},x", "1,{}x", "1,x{}", '1,"{}x"', '1,"x{}"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_outer_blank_is_seen(blank: str, row: str, end: str) -> None:
    text = end.join([row.format(blank), "2,yà", ""])
    assert cells(read(text, header=False, delimiter=",")) == [[1, 2], ["x", "yà"]]


def test_blank_lines_are_left_out() -> None:
    table = read("\n\na,b\n\n1,x\n   \n2,y\n\n")
    assert cells(table) == [[1, 2], ["x", "y"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end: str) -> None:
    assert cells(read("a,b\n1,x\n2,y".replace("\n", end))) == [[1, 2], ["x", "y"]]


def test_a_quoted_empty_line_is_a_row() -> None:
    assert cells(read('a\n1\n""\n3\n')) == [[1, None, 3]]
    assert cells(read('\na\nx"y\n""\nz\n')) == [['x"y', None, "z"]]


def test_cells_that_look_like_the_end_mark_are_kept() -> None:
    table = read('a\nx"y\n\x1e\nz\n', header=True)
    assert table["a"].to_list() == ['x"y', "\x1e", "z"]


# -- names --------------------------------------------------------------------------------------


def test_a_header_alone_gives_a_table_without_rows() -> None:
    table = read("a,b\n")
    assert table.shape == (0, 2)
    assert [column.kind for column in table.columns] == ["numeric", "numeric"]


def test_double_names_are_numbered_with_a_warning() -> None:
    with pytest.warns(BranchlineWarning, match=r"'x' \(now also 'x_3'\)"):
        table = read("x,x,x_2,x\n1,2,3,4\n5,6,7,8\n", header=True)
    assert table.names == ("x", "x_3", "x_2", "x_4")


def test_empty_names_are_made_up() -> None:
    table = read("a,,column_2,\n1,2,3,4\n", header=True)
    assert table.names == ("a", "column_2_2", "column_2", "column_4")


def test_names_that_polars_reads_as_patterns_are_plain_names() -> None:
    table = read("*,^a.*$,a b\n1,x,2.5\n3,y,?\n")
    assert table.names == ("*", "^a.*$", "a b")
    assert cells(table) == [[1, 3], ["x", "y"], [2.5, None]]


# -- kinds --------------------------------------------------------------------------------------


def test_every_kind_keeps_its_source() -> None:
    table = read(
        "i,f,b,d,t,w,e\n1,1.5,true,2020-01-02,2020-01-02T03:04:05Z,yes,\n?,2,False,?,?,no,\n"
    )
    sources = [column.type.source for column in table.columns]
    assert sources == ["integer", "float", "boolean", "date", "datetime", "string", "float"]
    assert table["i"].values.dtype == np.int64
    assert table["i"].is_missing.tolist() == [False, True]
    assert table["b"].categories == (False, True)
    assert table["t"].type.timezone == "UTC"
    assert table["e"].is_missing.all()


def test_a_decimal_comma_is_found_with_other_delimiters() -> None:
    table = read("name;size;n\nann;1,5;1\nbob;2,25;2\n")
    assert table["size"].to_list() == [1.5, 2.25]
    assert table["n"].type.source == "integer"


def test_each_column_has_its_own_decimal_mark() -> None:
    table = read("a;b\n1,5;1.5\n2,5;2.5\n")
    assert table["a"].to_list() == [1.5, 2.5]
    assert table["a"].type.written == "number:,"
    assert table["b"].to_list() == [1.5, 2.5]


def test_commas_that_may_part_thousands_are_announced() -> None:
    with pytest.warns(BranchlineWarning, match="decimal comma"):
        assert read("a;b\n1,500;x\n2,250;y\n")["a"].to_list() == [1.5, 2.25]
    assert read("a;b\n1,500;x\n2,250;y\n", decimal=".")["a"].to_list() == [1500, 2250]


def test_a_point_is_no_decimal_mark_where_the_comma_is_one() -> None:
    assert read("a;b\n1.500;1,5\n", decimal=",", header=True)["a"].to_list() == [1500]
    assert read("a;b\n1.5;1,5\n", decimal=",", header=True)["a"].kind == "category"


def test_kinds_asked_for_keep_the_texts_as_names() -> None:
    table = read("zip,n\n007,1\n010,2\n", kinds={"zip": "category", "n": "numeric"})
    assert table["zip"].categories == ("007", "010")
    assert table["n"].type.source == "integer"


def test_text_that_shall_be_numeric_is_an_error_that_names_rows_and_values() -> None:
    with pytest.raises(KindError) as caught:
        read("a,b\n1,x\nlow,y\n3,z\nlow,z\n", kinds={"a": "numeric"}, header=True)
    assert (caught.value.code, caught.value.rows, caught.value.n_rows) == ("K002", (1, 3), 2)
    assert caught.value.values == ("low",)
    assert "'low'" in str(caught.value.repair.python)
    text = io.StringIO("a,b\n1,x\nlow,y\n3,z\nlow,z\n")
    assert repaired(caught.value, path=text)["a"].to_list() == [1, None, 3, None]


@pytest.mark.parametrize(
    "names", [["x", "y", "1"], [str(n) for n in range(20)] + [f"w{n}" for n in range(11)]]
)
def test_names_that_are_mostly_text_are_left_a_category(names: list[str]) -> None:
    text = "a,b\n" + "".join(f"{name},1\n" for name in names)
    with pytest.raises(KindError) as caught:
        read(text, kinds={"a": "numeric"}, header=True)
    assert caught.value.code == "K002"
    assert "missing=" not in str(caught.value.repair.python)
    assert repaired(caught.value, path=io.StringIO(text))["a"].kind == "category"


def test_missing_tokens_can_be_chosen() -> None:
    assert read("a,b\n-999,NA\n1,x\n", missing="-999")["a"].to_list() == [None, 1]
    assert read("a,b\n-999,NA\n1,x\n", missing=())["b"].to_list() == ["NA", "x"]


def test_columns_can_be_left_out() -> None:
    assert read("a,b,c\n1,2,3\n", drop=["a", "c"], header=True).names == ("b",)


@pytest.mark.parametrize("option", [{"drop": ["agee"]}, {"kinds": {"agee": "category"}}])
def test_a_column_that_is_not_there_is_an_error_with_a_guess(option: dict[str, object]) -> None:
    with pytest.raises(DataError, match="Did you mean 'age'") as caught:
        read("age,b\n1,2\n", header=True, **option)
    assert caught.value.code == "D003"


def test_the_result_does_not_depend_on_row_order() -> None:
    rows = ["1,b,x\n", "2,a,y\n", "?,c,x\n"]
    forward, back = read("n,k,m\n" + "".join(rows)), read("n,k,m\n" + "".join(rows[::-1]))
    assert forward.schema == back.schema
    assert forward.to_dicts() == back.to_dicts()[::-1]


# -- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "seen"),
    [
        ("a,b,c\n1,2,3\n1,2\n", 3, "2 cells where 3"),
        ("a,b\n1,2\n\n1,2,3\n", 4, "3 cells where 2"),
        ('a,b\n"x\ny",2\n3\n', 4, "1 cell where 2"),
        ('a,b\n1,5" pipe\n2\n', 3, "1 cell where 2"),
        ("1\na,b,c\n" + "1,2,3\n" * 20, 2, "3 cells where 1"),
    ],
)
def test_ragged_records_are_named_by_line(text: str, line: int, seen: str) -> None:
    with pytest.raises(DataError, match=seen) as caught:
        read(text)
    assert caught.value.code == "F010"
    assert f"line {line}:" in caught.value.message
    assert "Look at this line" in caught.value.message
    assert caught.value.repair.python is None  # no delimiter would mend it


@pytest.mark.parametrize(("mark", "wrong"), [(";", ","), ("\t", ","), ("|", ";"), (",", "|")])
def test_a_delimiter_is_offered_when_it_gives_equal_cells(
    tmp_path: Path, mark: str, wrong: str
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"a{mark}b\n1{mark}x{wrong}y\n2{mark}z\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_table(path, delimiter=wrong)
    assert caught.value.code == "F010"
    assert repaired(caught.value).shape == (2, 2)


@pytest.mark.parametrize(
    ("text", "line"), [('a,b\n1,"x\n2,y\n', 2), ('a,b\n1,2\n"x,y\n' + "1,2\n" * 50_000, 3)]
)
def test_an_open_quote_is_named_by_line(text: str, line: int) -> None:
    with pytest.raises(DataError, match=r"never closed|is a quote open") as caught:
        read(text, delimiter=",")
    assert caught.value.code == "F011"
    assert f"line {line}:" in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n", "  \n\t\n", "\ufeff"])
def test_an_empty_file_is_an_error(text: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert caught.value.code == "F004"


@pytest.mark.parametrize(
    "option",
    [
        {"delimiter": ""},
        {"delimiter": "::"},
        {"delimiter": "§"},
        {"delimiter": '"'},
        {"decimal": "'"},
        {"decimal": ",", "delimiter": ","},
        {"header": 3},
        {"header": 0},
        {"header": 1},
        {"header": "no"},
    ],
)
def test_options_out_of_range_are_errors(option: dict[str, object]) -> None:
    with pytest.raises(DataError) as caught:
        read("a,b\n1,2\n", **option)
    assert caught.value.code == "F012"
    assert isinstance(repaired(caught.value, path=io.StringIO("a,b\n1,2\n")), Table)


# -- real files ---------------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize(
    ("file", "shape", "first", "n_missing"),
    [
        ("adult/adult-train.csv.gz", (32561, 15), "column_1", 4262),
        ("titanic/titanic_openML.csv", (1309, 14), "pclass", 3855),
        ("german_credit/german.csv", (1000, 21), "column_1", 0),
        ("svmguide/svmguide1", (3089, 5), "0", 0),
        ("svmguide/svmguide3.t", (41, 22), "0", 0),
        ("digits_8x8/digits.csv.gz", (1797, 65), "column_1", 0),
        ("soybean/Soybean.csv.gz", (683, 36), "Class", 2337),
        ("sms_spam/sms_spam.csv", (5574, 2), "type", 0),
        ("zoo/Zoo.csv.gz", (101, 17), "hair", 0),
        ("promoters/promoters.data", (106, 3), "column_1", 0),
    ],
)
def test_real_files(file: str, shape: tuple[int, int], first: str, n_missing: int) -> None:
    table = read_table(SHARED / file)
    assert table.shape == shape
    assert table.names[0] == first
    assert sum(int(column.is_missing.sum()) for column in table.columns) == n_missing


@needs_shared
def test_a_real_file_with_double_names() -> None:
    with pytest.warns(BranchlineWarning, match="'call'"):
        table = read_table(SHARED / "golub_leukemia" / "data_set_ALL_AML_train.csv.gz")
    assert table.shape == (7129, 78)
    assert table.names[2:5] == ("1", "call", "2")


@needs_shared
def test_a_real_ragged_file_is_refused() -> None:
    with pytest.raises(DataError, match="line 2: 3 cells where 4"):
        read_table(SHARED / "groceries" / "groceries.csv")
