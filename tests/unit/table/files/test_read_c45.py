"""C4.5 pairs: the names file, the rows, and what happens when they do not fit."""

import gzip
from pathlib import Path

import pytest

from branchline.errors import BranchlineWarning, DataError
from branchline.table import read_table
from shared_data import SHARED, needs_shared

NAMES = r"""| the golf data
play, don't play.   | classes

outlook: sunny, overcast,
         rain.
temp: continuous.
ratio:	continuous.
id number: ignore.
mood: discrete 3.
odd\: one: a\, b, 3.5, c\.d
windy: true, false.
"""
DATA = r"""sunny, 85, 0.5, 1, good, a\, b, false, don't play
| a comment line
rain, ?, 1.5, 2, ?, 3.5, true, play.

overcast, 64, ?, 3, bad, c\.d, ?, play. | the end
"""


def pair(folder: Path, names: str = NAMES, data: str = DATA) -> Path:
    (folder / "golf.names").write_text(names, encoding="utf-8")
    (folder / "golf.data").write_text(data, encoding="utf-8")
    return folder / "golf.data"


def refused(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_table(path)
    return caught.value


def test_a_pair_is_read_as_declared(tmp_path: Path) -> None:
    table = read_table(pair(tmp_path))
    assert table.names == ("outlook", "temp", "ratio", "mood", "odd: one", "windy", "class")
    assert table["outlook"].categories == ("sunny", "overcast", "rain")
    assert table["temp"].to_list() == [85, None, 64]
    assert table["ratio"].to_list() == [0.5, 1.5, None]
    assert table["mood"].to_list() == ["good", None, "bad"]
    assert table["odd: one"].to_list() == ["a, b", "3.5", "c.d"]
    assert table["windy"].to_list() == ["false", "true", None]
    assert table["class"].to_list() == ["don't play", "play", "play"]


def test_the_names_file_leads_to_the_rows(tmp_path: Path) -> None:
    assert read_table(pair(tmp_path).with_suffix(".names")).n_rows == 3


def test_test_rows_and_gzipped_rows_have_the_same_names_file(tmp_path: Path) -> None:
    pair(tmp_path)
    test, packed = tmp_path / "golf.test", tmp_path / "golf.data.gz"
    test.write_text("rain, 1, 1, 1, ?, ?, true, ?\n", encoding="utf-8")
    packed.write_bytes(gzip.compress(DATA.encode()))
    assert read_table(test)["class"].to_list() == [None]
    assert read_table(packed).n_rows == 3


def test_entries_need_no_dot_at_the_end_of_a_line(tmp_path: Path) -> None:
    table = read_table(pair(tmp_path, "yes,no\na: continuous\nb: x,y\n", "1,x,yes\n2,y,no\n"))
    assert table["b"].to_list() == ["x", "y"]


def test_the_first_entry_may_name_the_attribute_to_predict(tmp_path: Path) -> None:
    table = read_table(pair(tmp_path, "b.\na: continuous.\nb: x,y.\n", "1,x\n2,y.\n"))
    assert table.names == ("a", "b")
    assert table["b"].to_list() == ["x", "y"]


def test_an_attribute_called_class_pushes_the_class_aside(tmp_path: Path) -> None:
    path = pair(tmp_path, "yes,no.\nclass: continuous.\n", "1,yes\n")
    with pytest.warns(BranchlineWarning, match="'class'"):
        assert read_table(path).names == ("class", "class_2")


def test_data_without_names_are_delimited_text(tmp_path: Path) -> None:
    path = tmp_path / "iris.data"
    path.write_text("5.1,setosa\n4.9,setosa\n", encoding="utf-8")
    assert read_table(path)["column_1"].to_list() == [5.1, 4.9]


def test_a_description_in_prose_is_refused_with_a_way_out(tmp_path: Path) -> None:
    path = pair(tmp_path, "1. Title: Iris Plants\n\n2. Sources:\n   (a) Fisher\n", "5.1,setosa\n")
    error = refused(path)
    assert (error.code, "line 3" in error.message) == ("F018", True)
    scope: dict[str, object] = {}
    exec(str(error.repair.python), scope)
    assert scope["table"].shape == (1, 2)  # type: ignore[attr-defined]


def test_kinds_and_drop_are_applied(tmp_path: Path) -> None:
    table = read_table(pair(tmp_path), kinds={"temp": "category"}, drop=["mood", "ratio"])
    assert table["temp"].categories == ("64", "85")
    assert "mood" not in table.names


@pytest.mark.parametrize(
    ("names", "data", "code", "seen"),
    [
        ("a,b.\nx: continuous.\n", "1,a\nlow,b\n", "F015", "golf.data, line 2: 'low'"),
        ("a,b.\nx: continuous.\n", "1,a\n\n2,z\n", "F015", "golf.data, line 3: 'z'"),
        ("a,b.\nx: u,v.\n", "u,a\nw,b\n", "F015", "golf.data, line 2: 'w'"),
        ("a,b.\nx: discrete 2.\n", "p,a\nq,a\nr,a\n", "F015", "golf.data, line 3: 'r'"),
        ("a,b.\nx: continuous.\n", "1,a\n2\n", "F010", "golf.data, line 2: 1 cell where 2"),
        ("", "1,a\n", "F004", "empty"),
        ("| only a comment\n", "1,a\n", "F018", "golf.names, line 1"),
        ("a,b.\n", "1,a\n", "F018", "the attributes come after the classes"),
        (
            "a,b.\nx: continuous.\njust words.\n",
            "1,a\n",
            "F018",
            "golf.names, line 3: 'just words'",
        ),
        ("a,b.\nx:\n", "1,a\n", "F018", "golf.names, line 2: 'x'"),
        ("a: x, y.\nb: continuous.\n", "x,1\n", "F018", "the first entry lists the classes"),
        ("a,b.\nx: continuous.\n", "", "F004", "empty"),
    ],
)
def test_broken_pairs_are_named(
    tmp_path: Path, names: str, data: str, code: str, seen: str
) -> None:
    error = refused(pair(tmp_path, names, data))
    assert error.code == code
    assert seen in error.message


def test_half_a_pair_is_an_error(tmp_path: Path) -> None:
    path = pair(tmp_path)
    path.unlink()
    error = refused(path.with_suffix(".names"))
    assert (error.code, "'golf.data'" in error.message) == ("F017", True)
    alone = tmp_path / "other.data"
    alone.write_text("1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"'other\.names'"):
        read_table(alone, format="c45")
    with alone.open("rb") as file, pytest.raises(DataError, match="by path"):
        read_table(file, format="c45")


@needs_shared
def test_the_real_adult_pair(tmp_path: Path) -> None:
    (tmp_path / "adult.names").write_bytes((SHARED / "adult" / "adult.names").read_bytes())
    packed = (SHARED / "adult" / "adult-train.csv.gz").read_bytes()
    (tmp_path / "adult.data").write_bytes(packed)
    table = read_table(tmp_path / "adult.data")
    assert table.shape == (32561, 15)
    assert table.names[-1] == "class"
    assert table["class"].categories == (">50K", "<=50K")
    assert sum(int(column.is_missing.sum()) for column in table.columns) == 4262


@needs_shared
def test_a_real_description_is_refused(tmp_path: Path) -> None:
    folder = SHARED / "german_credit"
    path = pair(
        tmp_path, (folder / "german.names").read_text(), (folder / "german.csv").read_text()
    )
    assert refused(path).code == "F018"


def test_the_line_of_a_bad_entry_is_counted_over_many_entries(tmp_path: Path) -> None:
    entries = "\n".join(f"a{place}: continuous." for place in range(20))
    error = refused(pair(tmp_path, f"yes, no.\n\n{entries}\n| comment\n: bad.\n", "1,yes\n"))
    assert "line 24" in str(error)
