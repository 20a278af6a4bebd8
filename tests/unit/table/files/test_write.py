"""Writing: what stands in the files, what comes back, and what happens when writing fails."""

import gzip
import os
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from branchline.errors import BranchlineWarning, DataError
from branchline.table import Column, ColumnType, Table, read_table
from branchline.table.files._write import write_arff, write_csv

TABLE = Table(
    [
        Column("n", ColumnType("numeric", "integer"), np.array([1, 0, 3]), np.arange(3) == 1),
        Column("x", ColumnType("numeric", "float"), np.array([0.1 + 0.2, np.nan, 1e300])),
        Column("k", ColumnType("category", "string", ("a, b", 'q"r', "z")), np.array([0, 1, -1])),
        Column("b", ColumnType("category", "boolean", (False, True)), np.array([1, -1, 0])),
        Column("d", ColumnType("numeric", "date", unit="D"), np.array([0, 1, -1])),
        Column(
            "t",
            ColumnType("numeric", "datetime", unit="us", timezone="UTC"),
            np.array([0, 1_500_000, -1]),
            np.array([False, False, True]),
        ),
    ]
)  # fmt: skip


def same_cells(first: Table, second: Table) -> bool:
    return first.names == second.names and first.to_dicts() == second.to_dicts()


# -- CSV ----------------------------------------------------------------------------------------


def test_the_csv_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    TABLE.write_csv(path)
    assert path.read_text(encoding="utf-8").splitlines() == [
        "n,x,k,b,d,t",
        '1,0.30000000000000004,"a, b",true,1970-01-01,1970-01-01T00:00:00.000Z',
        ',,"q""r",,1970-01-02,1970-01-01T00:00:01.500Z',
        "3,1e+300,,false,1969-12-31,",
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_csv_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    TABLE.write_csv(path)
    back = read_table(path)
    assert same_cells(back, TABLE.with_kinds({}))
    assert [column.type.source for column in back.columns] == [
        column.type.source for column in TABLE.columns
    ]


def test_gzipped_files_of_one_table_have_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"
    write_csv(TABLE, first)
    write_csv(TABLE, second)
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()).startswith(b"n,x,k")


@pytest.mark.parametrize("values", [[1, None, 3], ["a", None, "b"], [None, 2.5]])
def test_a_single_column_keeps_its_missing_rows(tmp_path: Path, values: list[object]) -> None:
    write_csv(Table({"a": values}), tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", header=True)["a"].to_list() == values


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.1, 2.5], dtype=np.float32),
        np.array([1, 200], dtype=np.uint8),
        np.array([2**63 + 2**40, 1], dtype=np.uint64),
        np.array([True, False]),
    ],
)
def test_narrow_and_unsigned_numbers_are_written_exactly(tmp_path: Path, values: object) -> None:
    column = Column("a", ColumnType("numeric", "float"), np.asarray(values))
    write_csv(Table([column, column.renamed("b")]), tmp_path / "t.csv")
    back = read_table(tmp_path / "t.csv")["a"]
    assert np.array_equal(back.numbers(), column.numbers())


@pytest.mark.parametrize("source", ["duration", "time"])
def test_durations_and_times_are_written_as_days(tmp_path: Path, source: str) -> None:
    kind = ColumnType("numeric", source, unit="s")  # type: ignore[arg-type]
    table = Table(
        [Column("a", kind, np.array([43_200, 0])), Column("b", kind, np.array([0, 86_400]))]
    )
    write_csv(table, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").to_numpy().tolist() == [[0.5, 0], [0, 1]]
    write_arff(table, tmp_path / "t.arff")
    assert read_table(tmp_path / "t.arff").to_numpy().tolist() == [[0.5, 0], [0, 1]]


def test_numbers_and_unseen_codes_as_category_names(tmp_path: Path) -> None:
    kind = ColumnType("category", "category", (1, 2.5))
    table = Table(
        [Column("a", kind, np.array([0, 1, -2])), Column("b", kind, np.array([1, 1, -1]))]
    )
    write_csv(table, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv")["a"].to_list() == [1.0, 2.5, None]
    write_arff(table, tmp_path / "t.arff")
    assert read_table(tmp_path / "t.arff")["a"].to_list() == ["1", "2.5", None]


def test_a_sparse_table_is_written_with_its_zeros(tmp_path: Path) -> None:
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:5\n-1 2:6\n", encoding="utf-8")
    table = read_table(path)
    write_csv(table, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").to_numpy().tolist() == [[1, 5, 0], [-1, 0, 6]]


@pytest.mark.parametrize("name", ["NA", "", " blank", "?"])
def test_names_that_csv_cannot_keep_are_announced(tmp_path: Path, name: str) -> None:
    with pytest.warns(BranchlineWarning, match="in column 'k'"):
        write_csv(Table({"k": [name, "x"], "n": [1, 2]}), tmp_path / "t.csv")


def test_column_names_that_csv_cannot_keep_are_announced(tmp_path: Path) -> None:
    with pytest.warns(BranchlineWarning, match="' a'"):
        write_csv(Table({" a": [1], "b": [2]}), tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["04000", "+1", "1.0", "1e3", "12345678901234567890"])
def test_names_that_come_back_as_other_numbers_are_announced(tmp_path: Path, name: str) -> None:
    table = Table({"k": [name, "2"], "n": [1, 2]})
    with pytest.warns(BranchlineWarning, match=r"kinds=\{'k': 'category'\}"):
        write_csv(table, tmp_path / "t.csv")
    back = read_table(tmp_path / "t.csv", kinds={"k": "category"})
    assert back["k"].to_list() == [name, "2"]


@pytest.mark.parametrize("names", [["04000", "2A"], ["1", "2"], ["2.5", "-3"], ["é", "\u0662"]])
def test_names_that_stay_are_not_announced(tmp_path: Path, names: list[str]) -> None:
    assert announced(Table({"k": names, "n": [1, 2]}), tmp_path) == []


def test_unused_names_are_not_announced(tmp_path: Path) -> None:
    whole = Table({"k": ["NA", "x"], "n": [1, 2]})
    assert len(announced(whole, tmp_path)) == 1
    assert announced(whole.rows([1]), tmp_path) == []


def announced(table: Table, folder: Path) -> list[str]:
    """Return the warnings that writing gives."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        write_csv(table, folder / "t.csv")
    return [str(warning.message) for warning in heard]


# -- ARFF ---------------------------------------------------------------------------------------


def test_the_arff_text(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    TABLE.write_arff(path, relation="my table")
    assert path.read_text(encoding="utf-8").splitlines() == [
        "@relation 'my table'",
        "",
        "@attribute n integer",
        "@attribute x real",
        "@attribute k {'a, b','q\"r',z}",
        "@attribute b {false,true}",
        '@attribute d date "yyyy-MM-dd"',
        "@attribute t date \"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\"",
        "",
        "@data",
        "1,0.30000000000000004,'a, b',true,1970-01-01,1970-01-01T00:00:00.000Z",
        "?,?,'q\"r',?,1970-01-02,1970-01-01T00:00:01.500Z",
        "3,1e+300,?,false,1969-12-31,?",
    ]


@pytest.mark.parametrize("name", ["t.arff", "t.arff.gz"])
def test_arff_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    write_arff(TABLE, tmp_path / name)
    back = read_table(tmp_path / name)
    assert same_cells(back.drop("b"), TABLE.drop("b"))
    assert back["b"].to_list() == ["true", None, "false"]
    assert [column.type.unit for column in back.columns] == [None, None, None, None, "D", "us"]


def test_names_with_any_character_come_back_from_arff(tmp_path: Path) -> None:
    names = [
        "it's",
        "a\\b",
        "50%",
        "x\ny\t\r",
        "?",
        "",
        " ",
        "{a}",
        "\x00\x1e",
        "é",
        "NA",
        "%",
        "\u2028",
    ]
    table = Table({"strange, 'name'\n": names, "n": range(len(names))})
    write_arff(table, tmp_path / "t.arff", relation="{r}")
    assert same_cells(read_table(tmp_path / "t.arff"), table)


def test_infinite_numbers_come_back_from_arff(tmp_path: Path) -> None:
    table = Table({"a": [float("inf"), float("-inf")], "b": [1.0, 2.0]})
    write_arff(table, tmp_path / "t.arff")
    assert same_cells(read_table(tmp_path / "t.arff"), table)


def test_moments_finer_than_arff_allows_are_announced(tmp_path: Path) -> None:
    kind = ColumnType("numeric", "datetime", unit="us")
    table = Table([Column("t", kind, np.array([1]))])
    with pytest.warns(BranchlineWarning, match="milliseconds"):
        write_arff(table, tmp_path / "t.arff")
    assert read_table(tmp_path / "t.arff")["t"].values.tolist() == [0]


@pytest.mark.parametrize("unit", ["D", "s", "ms", "ns"])
def test_moments_of_any_unit_are_written(tmp_path: Path, unit: str) -> None:
    moment = np.array(["2020-02-29", "1965-01-01"], dtype=f"datetime64[{unit}]")
    kind = ColumnType("numeric", "datetime", unit=unit)
    table = Table([Column(name, kind, moment.astype(np.int64)) for name in ("a", "b")])
    write_csv(table, tmp_path / "t.csv")
    write_arff(table, tmp_path / "t.arff")
    for name in ("t.csv", "t.arff"):
        back = read_table(tmp_path / name)["a"]
        assert back.type.source == "datetime"
        assert back.values.tolist() == moment.astype("datetime64[us]").astype(np.int64).tolist()


# -- the file -----------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [write_csv, write_arff])
def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path, write: object) -> None:
    for path in (tmp_path / "nowhere" / "t.csv", tmp_path, "", "a\0b"):
        with pytest.raises(DataError) as caught:
            write(TABLE, path)  # type: ignore[operator]
        assert caught.value.code == "F023"
    assert os.listdir(tmp_path) == []


def test_a_failed_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old", encoding="utf-8")
    bad = Table([Column("k", ColumnType("category", "string", ("\ud800",)), np.array([0]))])
    for write in (write_csv, write_arff):
        with pytest.raises(DataError):
            write(bad, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(Table({"a": [1, 2], "b": [3, 4]}), path)
    write_csv(Table({"a": [5], "b": [6]}), path)
    assert read_table(path)["a"].to_list() == [5]
    assert os.listdir(tmp_path) == ["t.csv"]


def test_polars_reads_what_was_written(tmp_path: Path) -> None:
    write_csv(TABLE, tmp_path / "t.csv")
    frame = pl.read_csv(tmp_path / "t.csv")
    assert frame["x"].to_list() == [0.1 + 0.2, None, 1e300]
    assert frame["k"].to_list() == ["a, b", 'q"r', None]
