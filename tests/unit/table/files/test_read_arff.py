"""ARFF: declarations, quotes, dates, sparse rows, weights and every way to be broken."""

import io
from pathlib import Path

import pytest

from branchline.errors import BranchlineWarning, DataError
from branchline.table import Table, read_table
from shared_data import SHARED, needs_shared

WEATHER = """% a comment
@RELATION weather

@attribute outlook {sunny, overcast, rainy}
@attribute temperature numeric
@Attribute humidity REAL
@attribute days integer
@attribute note string
@data
sunny,85,85.5,3,first
% between
rainy, ?, 70.25 ,?,?

overcast,64,65,7,second
"""


def read(text: str, **options: object) -> Table:
    return read_table(io.StringIO(text), format="arff", **options)  # type: ignore[arg-type]


def attributes(*declared: str) -> str:
    return "@relation r\n" + "".join(f"@attribute {each}\n" for each in declared) + "@data\n"


def refused(text: str) -> DataError:
    with pytest.raises(DataError) as caught:
        read(text)
    return caught.value


# -- declarations -------------------------------------------------------------------------------


def test_all_plain_types_are_read_as_declared() -> None:
    table = read(WEATHER)
    assert table["outlook"].categories == ("sunny", "overcast", "rainy")
    assert [column.type.source for column in table.columns] == [
        "category",
        "float",
        "float",
        "integer",
        "string",
    ]
    assert table.to_dicts()[1] == {
        "outlook": "rainy",
        "temperature": None,
        "humidity": 70.25,
        "days": None,
        "note": None,
    }
    assert table["note"].to_list() == ["first", None, "second"]


def test_arff_is_found_by_content(tmp_path: Path) -> None:
    path = tmp_path / "weather.txt"
    path.write_text(WEATHER, encoding="utf-8")
    assert read_table(path)["outlook"].categories == ("sunny", "overcast", "rainy")


def test_quoted_names_and_values_with_escapes() -> None:
    table = read(
        attributes(r"""'my \'own\' name' {'a, b', "c'd", 'e\\f', plain, '?'}""", '"x y" string')
        + "'a, b','it\\'s'\n\"c'd\",\"say \\\"hi\\\"\"\n'e\\\\f','a\\nb'\nplain,'?'\n'?',?\n"
    )
    assert table.names == ("my 'own' name", "x y")
    assert table.columns[0].to_list() == ["a, b", "c'd", "e\\f", "plain", "?"]
    assert table.columns[1].to_list() == ["it's", 'say "hi"', "a\nb", "?", None]


def test_ranges_after_a_numeric_type_are_ignored() -> None:
    assert read(attributes("a integer [1,10]", "b real [0,1]") + "3,0.5\n")["a"].to_list() == [3]


def test_integers_that_are_not_whole_become_floats() -> None:
    assert read(attributes("a integer") + "3\n4.5\n")["a"].to_list() == [3.0, 4.5]


def test_values_may_touch_the_name_and_be_parted_by_blanks() -> None:
    assert read(attributes("class{a b}", "x real") + "a,1\nb,2\n")["class"].to_list() == ["a", "b"]


def test_rows_may_be_parted_by_tabs_or_blanks() -> None:
    assert read(attributes("a real", "b real") + "1\t2\n3\t4\n")["b"].to_list() == [2.0, 4.0]
    assert read(attributes("a real", "b real") + "1 2\n3   4\n")["b"].to_list() == [2.0, 4.0]
    assert read(attributes("a real", "b {'x y'}") + "1 'x y'\n")["b"].to_list() == ["x y"]


@pytest.mark.timeout(20)
def test_long_runs_of_anything_take_no_long_time() -> None:
    blanks = " " * 100_000
    assert read(attributes("a string", "b string") + f"x{blanks}y,'z'{blanks}\n").n_rows == 1
    assert refused(attributes("a real", "b real") + f"{{0 1{blanks}x, 1 2{blanks}\n").code == "F016"
    assert refused(attributes("a real", "b real") + f"1,2{blanks}'{{3}}\n").code == "F015"


def test_comments_end_rows_but_percent_signs_in_cells_stay() -> None:
    table = read(attributes("a string", "b {50%,'60 %'}") + "x,50% % note\ny,'60 %'\n")
    assert table["b"].to_list() == ["50%", "60 %"]


def test_default_tokens_for_missing_count_where_they_are_no_value() -> None:
    table = read(attributes("a real", "b {x,NA}", "c {x}", "d string") + "NA,NA,NA,NA\n1,x,x,\n")
    assert table.to_dicts()[0] == {"a": None, "b": "NA", "c": None, "d": "NA"}


def test_no_rows_and_no_values_are_allowed() -> None:
    assert read(attributes("a real", "b {x,y}")).shape == (0, 2)
    assert read(attributes("a real", "b {}") + "1,?\n")["b"].categories == ()


def test_double_attribute_names_are_numbered() -> None:
    with pytest.warns(BranchlineWarning, match="'a'"):
        assert read(attributes("a real", "a real") + "1,2\n").names == ("a", "a_2")


def test_kinds_and_drop_are_applied() -> None:
    table = read(
        attributes("zip integer", "b {1,2}", "c real") + "007,1,1\n010,2,2\n",
        kinds={"zip": "category", "b": "numeric"},
        drop="c",
    )
    assert table.names == ("zip", "b")
    assert table["zip"].categories == ("007", "010")
    assert table["b"].to_list() == [1, 2]


# -- dates --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "cell", "expected", "source"),
    [
        ("date", "2020-03-01T10:20:30", "2020-03-01T10:20:30.000000", "datetime"),
        ("date yyyy-MM-dd", "1969-12-31", "1969-12-31", "date"),
        ("date 'dd/MM/yy'", "05/07/99", "1999-07-05", "date"),
        ('date "d MMM yyyy"', "'5 Jul 1999'", "1999-07-05", "date"),
        ('DATE "EEE, dd MMMM yy hh a"', "'Mon, 05 July 99 02 PM'", "1999-07-05T14:00", "datetime"),
        ('date "yyyy-MM-dd HH:mm:ss.SSS"', "'2020-01-02 03:04:05.678'", "2020-01-02T03:04:05.678",
         "datetime"),
        ('date "yyyy-MM-dd\'T\'HH:mmZ"', "2020-01-02T03:04+0200", "2020-01-02T01:04", "datetime"),
        ("date \"yyyy 'o''clock' HH\"", "\"2020 o'clock 07\"", "2020-01-01T07", "datetime"),
    ],
)  # fmt: skip
def test_dates_by_java_patterns(declared: str, cell: str, expected: str, source: str) -> None:
    column = read(attributes(f"d {declared}", "x real") + f"{cell},1\n?,2\n")["d"]
    assert column.type.source == source
    first, second = column.to_list()
    written = first.isoformat(timespec="microseconds") if source == "datetime" else str(first)
    assert written.startswith(expected)
    assert second is None


# -- sparse rows and weights --------------------------------------------------------------------


def test_sparse_rows_of_numbers_stay_sparse() -> None:
    table = read(attributes("a real", "b real", "c integer") + "{0 1.5, 2 3}\n{ }\n{1 ?}\n")
    assert table.sparse is not None
    assert table["a"].to_list() == [1.5, 0.0, 0.0]
    assert table["b"].to_list() == [0.0, 0.0, None]
    assert table["c"].to_list() == [3.0, 0.0, 0.0]


def test_sparse_rows_with_values_are_made_dense() -> None:
    table = read(
        attributes("a real", "b {no,'y s'}", "c string", "d integer")
        + "{0 2, 1 'y s', 3 ?}\n{2 'te, xt'}\n1,no,z,5\n{3 7}\n"
    )
    assert table["a"].to_list() == [2.0, 0.0, 1.0, 0.0]
    assert table["b"].to_list() == ["y s", "no", "no", "no"]
    assert table["c"].to_list() == [None, "te, xt", "z", None]
    assert table["d"].to_list() == [None, 0, 5, 7]


def test_weights_become_a_column() -> None:
    table = read(attributes("a real", "b {x,y}") + "1,x,{2.5}\n2,y\n3,x, { 4 }\n")
    assert table["weight"].to_list() == [2.5, 1.0, 4.0]
    assert table.drop("weight").names == ("a", "b")


def test_weights_of_sparse_rows_and_a_taken_name() -> None:
    table = read(attributes("weight real", "b real") + "{0 1}, {2}\n{1 1} {3}\n")
    assert table.names == ("weight", "b", "weight_2")
    assert table["weight_2"].to_list() == [2.0, 3.0]


def test_weights_can_be_dropped() -> None:
    text = attributes("a real", "b real") + "1,2,{2}\n"
    assert read(text, drop="weight").names == ("a", "b")


# -- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "line", "seen"),
    [
        ("@relation r\n@attribute a real\n", "F013", None, "no @data"),
        ("@relation r\n@data\n1\n", "F013", 2, "no @attribute"),
        ("@relation r\nnonsense\n@data\n", "F013", 2, "nonsense"),
        ("@relation r\n@attribute\n@data\n", "F013", 2, "not a line of an ARFF header"),
        (attributes("a {x,y"), "F013", 2, "{x,y"),
        (attributes("a {'x,y}"), "F013", 2, "x,y"),
        (attributes("a complex"), "F014", 2, "complex"),
        (attributes("a relational"), "F014", 2, "relational"),
        (attributes("a date 'yyyy-QQ'"), "F014", 2, "QQ"),
        (attributes('a date "yyyy \'open"'), "F014", 2, "open"),
        (attributes("a real", "b {x}") + "1,x\n2,z\n", "F015", 6, "'z'"),
        (attributes("a real", "b {x}") + "1,x\n\nlow,x\n", "F015", 7, "'low'"),
        (attributes("a real", "b {x}") + "1,'x'\n% c\nlow,'x'\n", "F015", 7, "'low'"),
        (attributes("a date yyyy") + "2020\n20x\n", "F015", 5, "'20x'"),
        (attributes("a real", "b real") + "1,2\n1\n", "F010", 6, "1 cell where 2"),
        (attributes("a real", "b string") + "1,'x'\n1,'x',3\n", "F010", 6, "3 cells where 2"),
        (attributes("a real", "b string") + "1,'x\n", "F011", 5, "never closed"),
        (attributes("a real", "b real") + "{0 1, 5 2}\n", "F016", 5, "place 5"),
        (attributes("a real", "b real") + "{1 1, 0 2}\n", "F016", 5, "0 2"),
        (attributes("a real", "b real") + "{0 1\n", "F016", 5, "{0 1"),
        (attributes("a real", "b real") + "{99999999999 1}\n", "F016", 5, "99999999999"),
        (attributes("a real", "b real") + "{x 1}\n", "F016", 5, "x 1"),
        (attributes("a real", "b real") + "1,2,{many}\n", "F016", 5, "many"),
        (attributes("a real", "b real") + "{0 low}\n", "F015", 5, "'low'"),
    ],
)
def test_broken_files_name_file_line_and_what_was_seen(
    text: str, code: str, line: int | None, seen: str
) -> None:
    error = refused(text)
    assert error.code == code
    assert seen in error.message
    assert error.message.startswith("<stream>" if line is None else f"<stream>, line {line}:")


@pytest.mark.parametrize(
    ("pattern", "text", "milliseconds"),
    [
        ("SSS", "5", 5), ("SSS", "005", 5), ("SSS", "05", 5), ("SSS", "50", 50),
        ("SSS", "500", 500),
        ("S", "5", 5), ("S", "123", 123), ("SS", "12", 12), ("SSSSSS", "5", 500), ("SSS", "0", 0),
        ("SSS", "1234", 123.4),
    ],
)  # fmt: skip
def test_milliseconds_are_a_number_as_in_java(pattern: str, text: str, milliseconds: float) -> None:
    declared = attributes(f'a date "yyyy-MM-dd HH:mm:ss.{pattern}"')
    table = read_table(io.StringIO(f"{declared}'1970-01-01 00:00:00.{text}'\n"), format="arff")
    assert table["a"].values.tolist() == [round(1000 * milliseconds)]


def test_the_repair_of_an_undeclared_value_works(tmp_path: Path) -> None:
    path = tmp_path / "a.arff"
    path.write_text(attributes("a {x}") + "x\nz\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_table(path)
    scope: dict[str, object] = {}
    exec(str(caught.value.repair.python), scope)
    assert scope["table"]["a"].to_list() == ["x", None]  # type: ignore[index]


# -- real files ---------------------------------------------------------------------------------


@needs_shared
def test_every_real_arff_file_is_read() -> None:
    files = sorted(SHARED.glob("*/*.arff"))
    shapes = {path.name: read_table(path).shape for path in files}
    assert len(shapes) == len(files)
    assert shapes["iris.arff"] == (150, 5)
    assert shapes["mushroom.arff"] == (8124, 23)
    assert shapes["credit-g.arff"] == (1000, 21)


@needs_shared
@pytest.mark.parametrize(
    ("file", "n_missing"),
    [
        ("heart_disease/heart.h.arff", 782),
        ("votes84/vote.arff", 392),
        ("soybean/soybean.arff", 2337),
    ],
)
def test_missing_cells_of_real_files(file: str, n_missing: int) -> None:
    columns = read_table(SHARED / file).columns
    assert sum(int(column.is_missing.sum()) for column in columns) == n_missing


def test_absent_numbers_of_sparse_rows_are_zero_also_as_categories() -> None:
    text = "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n{0 5}\n{1 2}\n{0 ?}\n"
    table = read(text, kinds={"a": "category"})
    assert table["a"].to_list() == ["5", "0", None]
    assert table["b"].to_list() == [0.0, 2.0, 0.0]
