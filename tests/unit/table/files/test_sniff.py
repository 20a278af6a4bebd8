"""What a text does not say of itself: delimiter and header, found or forced."""

import io

import pytest

from branchline.table import Table, read_table
from branchline.table.files._sniff import has_header
from shared_data import SHARED, needs_shared


def read(text: str, **options: object) -> Table:
    return read_table(io.StringIO(text), **options)  # type: ignore[arg-type]


def cells(table: Table) -> list[list[object]]:
    return [column.to_list() for column in table.columns]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(mark: str) -> None:
    text = "name,age,size\nann,31,1.5\nbob,40,1.7\n".replace(",", mark)
    table = read(text)
    assert table.names == ("name", "age", "size")
    assert cells(table) == [["ann", "bob"], [31, 40], [1.5, 1.7]]


def test_blanks_in_runs_and_at_line_ends_part_cells_once() -> None:
    table = read("  1   2.5  a \n 10  3.5  b\n 7\t4.5  c\n", header=False)
    assert cells(table) == [[1, 10, 7], [2.5, 3.5, 4.5], ["a", "b", "c"]]


def test_sentences_in_a_single_column_are_not_parted_by_blanks() -> None:
    table = read("full name\nAnn Lee\nBob Ray\n")
    assert table.names == ("full name",)
    assert cells(table) == [["Ann Lee", "Bob Ray"]]


def test_a_forced_delimiter_wins() -> None:
    assert read("a;b\n1;2\n", delimiter=",", header=True).names == ("a;b",)


def test_a_delimiter_inside_another_one_does_not_mislead() -> None:
    table = read("1,5;2,5\n3,5;4,25\n")
    assert cells(table) == [[1.5, 3.5], [2.5, 4.25]]


def test_numbers_in_the_first_row_mean_no_header() -> None:
    table = read("5.1,3.5,setosa\n4.9,3.0,setosa\n")
    assert table.names == ("column_1", "column_2", "column_3")
    assert table.n_rows == 2


def test_a_text_that_comes_back_below_means_no_header() -> None:
    assert read("red,big\nblue,small\nred,big\n").n_rows == 3


def test_texts_above_texts_are_names_when_they_never_come_back() -> None:
    assert read("color,size\nblue,small\nred,big\n").names == ("color", "size")


def test_years_as_names_are_found_with_the_help_of_other_columns() -> None:
    rows = "".join(f"{'AB'[i % 2]},{i},{i + 1},{'xyz'[i % 3]}\n" for i in range(40))
    assert read("group,2001,2002,team\n" + rows).names == ("group", "2001", "2002", "team")


@pytest.mark.parametrize("corner", ["country", ""])
def test_consecutive_years_beside_a_text_are_names(corner: str) -> None:
    rows = "".join(f"land {i},{i * 7},{i / 2}\n" for i in range(50))
    assert read(f"{corner},2019,2020\n{rows}").names[1:] == ("2019", "2020")


@pytest.mark.parametrize(
    "first",
    ["land,2019,2021", "land,2020,2019", "land,3019,3020", "land,19,20", "land,2019,2019"],
)
def test_other_numbers_beside_a_text_are_data(first: str) -> None:
    rows = "".join(f"land {i},{i * 7},{i / 2}\n" for i in range(50))
    assert read(f"{first}\n{rows}").n_rows == 51


def test_years_above_years_are_data() -> None:
    assert read("ann,2001,2002\nbob,1999,2004\ncid,1980,1999\n").n_rows == 3


def test_positions_above_decimals_are_names() -> None:
    assert read("0,1,2\n1.5,2.5,3.5\n4.5,1.5,2.5\n").names == ("0", "1", "2")


def test_a_missing_token_in_the_first_row_speaks_against_a_header() -> None:
    assert read("?,a\n1,b\n2,a\n").n_rows == 3


@pytest.mark.parametrize(("header", "n_rows"), [(True, 1), (False, 2)])
def test_a_forced_header_wins(header: bool, n_rows: int) -> None:
    assert read("1,2\n3,4\n", header=header).n_rows == n_rows


def test_a_forced_decimal_comma_is_no_delimiter() -> None:
    assert read("1,5\n2,5\n", decimal=",", header=False)["column_1"].to_list() == [1.5, 2.5]


@pytest.mark.timeout(20)
def test_long_cells_take_no_long_time() -> None:
    digits = "1" * 100_000
    assert read(f"a,b\n{digits}x,1\n{digits},2\n").shape == (2, 2)


@needs_shared
@pytest.mark.parametrize(
    ("file", "shape"),
    [("titanic/titanic.tab", (2201, 4)), ("promoters/promoters.tab", (106, 58))],
)
def test_tables_of_orange_are_read_without_their_header(file: str, shape: tuple[int, int]) -> None:
    assert read_table(SHARED / file).shape == shape


def test_names_above_amounts_are_a_header_although_a_class_is_called_like_its_column():
    rows = [["income", "x", "y"]] + [
        ["$1,648", "0.5", "y"],
        ["-", "1.5", "n"],
        ["$12", "2", "y"],
    ] * 9
    assert has_header(rows, ("",))
    assert not has_header(rows[1:], ("",))
