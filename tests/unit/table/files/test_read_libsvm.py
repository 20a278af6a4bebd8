"""The libsvm format: labels, queries, comments, index bases, and every way to be broken."""

import io
from pathlib import Path

import pytest

from branchline.errors import DataError
from branchline.table import Table, read_table
from shared_data import SHARED, needs_shared


def read(text: str, **options: object) -> Table:
    return read_table(io.StringIO(text), format="libsvm", **options)  # type: ignore[arg-type]


def test_indices_from_one() -> None:
    table = read("+1 1:0.5 3:2\n-1 2:1e-3 # a comment\n\n# only a comment\n1.5\n")
    assert table.names == ("label", "x1", "x2", "x3")
    assert table.sparse is not None
    assert table.to_numpy().tolist() == [[1, 0.5, 0, 2], [-1, 0, 0.001, 0], [1.5, 0, 0, 0]]


def test_indices_from_zero() -> None:
    assert read("1 0:5 2:7\n").names == ("label", "x0", "x1", "x2")


def test_query_numbers_become_a_column() -> None:
    table = read("3 qid:1 1:5\n1 qid:2 2:6 # 1A\n")
    assert table.names == ("label", "qid", "x1", "x2")
    assert table["qid"].to_list() == [1.0, 2.0]


def test_rows_without_any_pair() -> None:
    assert read("1\n-1\n").shape == (2, 1)


def test_the_format_is_found_by_content(tmp_path: Path) -> None:
    path = tmp_path / "heart_scale"
    path.write_text("+1 1:0.7 3:1 \n-1 2:0.5\n", encoding="utf-8")
    assert read_table(path).names == ("label", "x1", "x2", "x3")


def test_a_long_first_line_is_still_recognized(tmp_path: Path) -> None:
    path = tmp_path / "wide"
    path.write_text("1 " + " ".join(f"{i}:0.25" for i in range(1, 20_001)) + "\n", encoding="utf-8")
    assert read_table(path).shape == (1, 20_001)


def test_kinds_and_drop_are_applied() -> None:
    table = read("1 1:2 2:3\n-1 1:4\n", kinds={"label": "category"}, drop="x1")
    assert table.names == ("label", "x2")
    assert table["label"].categories == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "code", "line", "seen"),
    [
        ("1 1:2\nyes 1:2\n", "F020", 2, "'yes'"),
        ("1,2 1:2\n", "F020", 1, "'1,2'"),
        ("1 1:2\n\n1 2\n", "F020", 3, "'2'"),
        ("1 1:x\n", "F020", 1, "'1:x'"),
        ("1 1:2:3\n", "F020", 1, "'1:2:3'"),
        ("1 1.5:2\n", "F020", 1, "'1.5:2'"),
        ("1 qid:a 1:2\n", "F020", 1, "'a'"),
        ("1 qid:1 1:2\n2 1:2\n", "F020", 2, "None is not a query number"),
        ("1 -3:2\n", "F021", 1, "-3"),
        ("1 1:1\n1 3:2 2:1\n", "F021", 2, "index 2 comes after 3"),
        ("1 3:2 3:1\n", "F021", 1, "index 3 comes after 3"),
        ("1 1000000000000:1\n", "F022", 1, "1000000000000"),
        ("1 99999999999999999999999:1\n", "F022", 1, "99999999999999999999999"),
        ("# nothing\n", "F004", None, "only comments"),
    ],
)
def test_broken_lines_are_named(text: str, code: str, line: int | None, seen: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert caught.value.code == code
    assert seen in caught.value.message
    assert line is None or f"line {line}:" in caught.value.message


@needs_shared
@pytest.mark.parametrize(
    ("file", "shape", "n_stored"),
    [("a9a_libsvm/a1a.gz", (1605, 120), 22249), ("mushroom/agaricus.txt.test", (1611, 127), 35442)],
)
def test_real_files(file: str, shape: tuple[int, int], n_stored: int) -> None:
    table = read_table(SHARED / file)
    assert table.shape == shape
    assert (table.sparse[:, 1:] != 0).sum() == n_stored
