"""A scan of a file is the table that reading it whole gives: cells, schema, warnings and errors."""

import bz2
import gzip
import lzma
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.bad_files import CASES, Case

from branchline import load_dataset, read_table, scan_table
from branchline.errors import BranchlineError, BranchlineWarning, DataError, KindError
from branchline.table import Table, TableScan
from branchline.table.files import ReadOptions
from branchline.table.scanning._scan_table import scan_with
from branchline.table.scanning._table_scan import is_mapped

PARTS = (None, 300, 4000)  # bytes of a part


def outcome(read: Callable[[], Table]) -> tuple[Any, list[str]]:
    """Return the table, or the error's class, code and words; and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found: Any = read()
        except BranchlineError as error:
            found = type(error), error.code, str(error)
    return found, sorted(str(one.message) for one in told)


def assert_same_table(scan: Table, table: Table) -> None:
    assert scan.schema == table.schema
    assert scan.shape == table.shape
    for mine, other in zip(scan.columns, table.columns, strict=True):
        assert mine.values.dtype == other.values.dtype, mine.name
        assert np.array_equal(mine.is_missing, other.is_missing), mine.name
        known = ~other.is_missing
        assert np.array_equal(mine.values[known], other.values[known]), mine.name


def assert_scans_alike(path: Path, **options: Any) -> None:
    """Hold that the file is the same table, or the same refusal, when it is scanned."""
    table, told = outcome(lambda: read_table(path, **options))
    given = ReadOptions(**{**options, "drop": tuple(options.get("drop", ()))})
    for part_bytes in PARTS:
        scan, also_told = outcome(lambda size=part_bytes: scan_with(path, given, part_bytes=size))
        assert isinstance(scan, tuple) == isinstance(table, tuple), (scan, table)
        if isinstance(table, tuple):
            assert scan == table
            continue
        assert isinstance(scan, TableScan)
        assert_same_table(scan, table)
        assert also_told == told


def written(folder: Path, columns: dict[str, list[str]], mark: str = ",") -> Path:
    lines = [mark.join(columns), *(mark.join(row) for row in zip(*columns.values(), strict=True))]
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# -- columns that show their kind late ------------------------------------------------------------

N = 1500
WHOLE = [str(i % 700) for i in range(N)]
LATE = {
    "a number at the end": [*WHOLE[:-1], "2.5"],
    "a name at the end": [*WHOLE[:-1], "seven"],
    "a mark at the end": [*WHOLE[:-1], "-"],
    "marks here and there": ["-" if i % 97 == 5 else text for i, text in enumerate(WHOLE)],
    "two marks, and decimals": [*(f"{i}.5" for i in range(N - 2)), "-", "n/a."],
    "a mark beside few values": [*("1" for _ in range(N - 1)), "-"],
    "nan beside a mark": [*("1.5" if i % 2 else "NAN" for i in range(N - 1)), "-"],
    "missing until the end": [*("" for _ in range(N - 1)), "3"],
    "nothing": ["" for _ in range(N)],
    "a long number": [*WHOLE[:-1], "9007199254740993"],
    "long numbers": [str(2**60 + i) for i in range(N)],
    "very long numbers": [str(2**70 + i) for i in range(N)],
    "true and false, then a word": [*("true" if i % 2 else "False" for i in range(N - 1)), "maybe"],
    "true and false": ["TRUE" if i % 2 else "false" for i in range(N)],
    "yes and no": ["yes" if i % 2 else "No" for i in range(N - 1)] + ["y"],
    "days": [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(N)],
    "days, then a moment": [
        *(f"2024-01-{i % 28 + 1:02}" for i in range(N - 1)),
        "2024-01-01 10:00",
    ],
    "moments": [f"2024-01-{i % 28 + 1:02}T{i % 24:02}:30" for i in range(N)],
    "moments with a zone": [f"2024-01-{i % 28 + 1:02}T{i % 24:02}:30Z" for i in range(N)],
    "a zone at the end": [
        *(f"2024-01-{i % 28 + 1:02}T10:30" for i in range(N - 1)),
        "2024-01-01T10:30Z",
    ],
    "no such day": [*(f"2024-01-{i % 28 + 1:02}" for i in range(N - 1)), "2024-02-30"],
    "day first, seen late": [
        *(f"0{i % 9 + 1}/0{i % 9 + 1}/2024" for i in range(N - 1)),
        "31/12/2024",
    ],
    "either day or month first": [f"{i % 12 + 1:02}/0{i % 9 + 1}/2024" for i in range(N)],
    "money": [f"${i}.50" for i in range(N)],
    "money, then a name": [*(f"${i}.50" for i in range(N - 1)), "free"],
    "money, then a mark": [*(f"${i}.50" for i in range(N - 1)), "n/a."],
    "percent": [f"{i % 101}%" for i in range(N)],
    "times": [f"{i % 24:02}:{i % 60:02}" for i in range(N)],
    "durations": [f"{i % 90}:{i % 60:02}:{i % 60:02}" for i in range(N)],
    "nearly numbers": [*WHOLE[:-2], "12 kg", "about 3"],
    "codes with zeros": [f"{i:05}" for i in range(N)],
    "blanks round cells": [f" {text} " for text in WHOLE],
    "free text": [f"patient {i * 7919 % 1201} é" for i in range(N)],
    "infinite": [*WHOLE[:-1], "inf"],
    "scientific": [*WHOLE[:-1], "1e5"],
    "thousands": [f"{i % 9 + 1} {i % 900 + 100}" for i in range(N)],
}


@pytest.mark.parametrize("name", LATE)
def test_kind_shown_by_all_rows(name: str, tmp_path: Path) -> None:
    assert_scans_alike(written(tmp_path, {"x": LATE[name], "id": WHOLE}))


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize(
    "column",
    [
        [f"{i},5" for i in range(N)],
        [f"{i % 9 + 1},{i % 900 + 100}" for i in range(N)],
        [*(f"{i % 9 + 1},{i % 900 + 100}" for i in range(N - 1)), "1,5"],
        [*(f"{i % 9 + 1}.{i % 900 + 100}" for i in range(N - 1)), "1,5"],
        [f"{i % 9 + 1}.{i % 900 + 100},25" for i in range(N)],
    ],
)
def test_decimal_comma(column: list[str], mark: str, tmp_path: Path) -> None:
    assert_scans_alike(written(tmp_path, {"x": column, "y": WHOLE}, mark))
    other = [*("1.250" for _ in range(N - 1)), "2.5"]
    assert_scans_alike(written(tmp_path, {"x": column, "y": other}, mark))


ASKED = [
    {"kinds": {"x": "category"}},
    {"kinds": {"x": "number"}},
    {"kinds": {"x": "number:,"}},
    {"kinds": {"x": "date"}},
    {"kinds": {"x": "date:%d/%m/%Y"}},
    {"kinds": {"x": "boolean"}},
    {"kinds": {"x": "duration"}},
    {"kinds": {"nothing": "number"}},
    {"missing": ("", "-", "7")},
    {"missing": ()},
    {"drop": ("id",)},
    {"decimal": "."},
]


@pytest.mark.parametrize("options", ASKED, ids=str)
@pytest.mark.parametrize(
    "name",
    ["a name at the end", "a mark at the end", "days", "either day or month first", "money",
     "true and false", "long numbers", "times", "nearly numbers"],
)  # fmt: skip
def test_options(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    assert_scans_alike(written(tmp_path, {"x": LATE[name], "id": WHOLE}), **options)


# -- texts that are laid out in odd ways ----------------------------------------------------------

BODY = "".join(f"{i},n{i % 7},{i / 3}\n" for i in range(800))
TEXTS = {
    "quoted cells": "a,b,c\n" + "".join(f'{i},"x, {i % 5}",{i}\n' for i in range(500)),
    "line ends inside quotes": "a,b\n" + "".join(f'{i},"x\ny ""{i % 5}"""\n' for i in range(500)),
    "irregular quotes": "a,b\n" + "".join(f'{i},{i % 9}" pipe\n' for i in range(500)),
    "irregular at the end": "a,b\n" + "".join(f'{i},"q"\n' for i in range(500)) + '1,5" pipe\n',
    "open at the end": "a,b\n" + "".join(f'{i},"q"\n' for i in range(500)) + '1,"pipe\n',
    "windows": ("a,b,c\n" + BODY).replace("\n", "\r\n"),
    "old macintosh": ("a,b,c\n" + BODY).replace("\n", "\r"),
    "blank lines": "\n\na,b,c\n\n" + BODY.replace("\n5", "\n\n  \n5") + "\n\n",
    "titles": "Sales of 2024\nprinted today\n\na,b,c\n" + BODY,
    "no header": BODY,
    "no last line end": "a,b,c\n" + BODY + "1,n1,2",
    "one column": "a\n" + "".join(f"{i}\n" for i in range(500)),
    "a header only": "a,b,c\n",
    "one row": "a,b\n1,x\n",
    "parted by blanks": "a b  c\n" + BODY.replace(",", "   "),
    "parted by blanks, quoted": "a b\n" + "".join(f'"x {i % 5}"  {i}\n' for i in range(500)),
    "ragged late": "a,b,c\n" + BODY + "1,2\n",
    "double names": "a,a,\n" + BODY,
    "totals": "a,b,c\n" + BODY + f"{sum(range(800))},Total,{sum(i / 3 for i in range(800))}\n",
    "totals first": "b,a\n"
    + "".join(f"n{i % 7},{i}\n" for i in range(800))
    + f"Total,{sum(range(800))}\n",
    "no totals after all": "b,a\n" + "".join(f"n{i % 7},{i}\n" for i in range(800)) + "Total,5\n",
    "orange marks": "D#a,mS#b,c\n" + BODY,
}


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "orange marks"])
def test_layout(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(TEXTS[name].encode())
    assert_scans_alike(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
@pytest.mark.parametrize("options", [{}, {"encoding": "utf-8"}, {"encoding": "cp1252"}], ids=str)
def test_encodings(encoding: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    text = "name,x\n" + "".join(f"caf{'é' if i > 700 else 'e'},{i}\n" for i in range(800))
    path.write_bytes(text.encode(encoding))
    assert_scans_alike(path, **options)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "table.csv.packed"
    path.write_bytes(pack(("a,b,c\n" + BODY).encode()))
    assert_scans_alike(path)
    path.write_bytes(path.read_bytes()[:-20])
    assert outcome(lambda: scan_table(path))[0][1] == "F007"


def test_zstandard(tmp_path: Path) -> None:
    library = pytest.importorskip("zstandard")
    path = tmp_path / "table.csv.zst"
    path.write_bytes(library.compress(("a,b,c\n" + BODY).encode()))
    assert_scans_alike(path)


@pytest.mark.parametrize("name", ["titanic", "votes84", "tennis-2"])
def test_bundled(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    load_dataset(name).write_csv(path)
    assert_scans_alike(path)


ODD = st.sampled_from(
    ["1", "2.5", "-3", "1e3", "x", "", " 7 ", "-", "n/a", "1,5", "1.234", "2024-01-02",
     "31/12/2024", "01/02/2024", "$5", "$1,234.50", "yes", "No", "true", "12:30", "9%", "é", "nan",
     "NA", "00012", "9007199254740993", "inf", "3 kg", "."]
)  # fmt: skip


@given(
    few=st.lists(ODD, min_size=1, max_size=4),
    rare=st.lists(st.tuples(st.integers(0, 599), ODD), max_size=4),
    mark=st.sampled_from([";", "\t"]),
    seed=st.integers(0, 3),
)
@example(few=["1"], rare=[(599, "-"), (0, "nan")], mark=";", seed=0)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_column(
    few: list[str], rare: list[tuple[int, str]], mark: str, seed: int, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    cells = [draw.choice(few) for _ in range(600)]
    for place, text in rare:
        cells[place] = text
    numbers = [f"{i}{'.' if seed % 2 else ','}5" for i in range(600)]
    assert_scans_alike(written(tmp_path, {"x": cells, "number": numbers}, mark))


# -- Parquet --------------------------------------------------------------------------------------


def typed(n: int = 5000) -> pl.DataFrame:
    some = [None if i % 11 == 3 else i for i in range(n)]
    return pl.DataFrame(
        {
            "float": [i / 7 for i in range(n)],
            "small": pl.Series([i / 7 for i in range(n)], dtype=pl.Float32),
            "whole": some,
            "short": pl.Series(some, dtype=pl.Int16),
            "byte": pl.Series([i % 200 for i in range(n)], dtype=pl.UInt8),
            "large": [2**60 + i % 9 for i in range(n)],
            "large at the end": [*range(n - 1), 2**53 + 1],
            "exact": [2**60 for _ in range(n)],
            "none": pl.Series([None] * n, dtype=pl.Float64),
            "null": pl.Series([None] * n, dtype=pl.Null),
            "flag": [None if i % 13 == 1 else i % 2 == 0 for i in range(n)],
            "text": [None if i % 17 == 2 else f"n{i * 31 % 101}" for i in range(n)],
            "money": [f"${i}.50" for i in range(n)],
            "numbers as text": [str(i) for i in range(n)],
            "numbers and a mark": [*(f" {i % 50}" for i in range(n - 1)), "-"],
            "group": pl.Series([f"g{i % 5}" for i in range(n)], dtype=pl.Categorical),
            "size": pl.Series([("S", "M", "L")[i % 3] for i in range(n)], dtype=pl.Enum("SMLX")),
            "decimal": pl.Series(list(range(n)), dtype=pl.Decimal(10, 2)),
        }
    ).with_columns(
        day=pl.date(2024, 1, 1) + pl.duration(days=pl.col("byte")),
        moment=pl.datetime(2024, 1, 1) + pl.duration(minutes=pl.col("whole")),
        span=pl.duration(seconds=pl.col("whole")),
    )


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    typed().write_parquet(path, row_group_size=700)
    assert_scans_alike(path)
    assert_scans_alike(path, kinds={"whole": "category", "text": "category", "byte": "category"})
    assert_scans_alike(path, kinds={"text": "number"})
    assert_scans_alike(path, drop=("money", "size"), missing=("n7", "n31"))


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    typed(100).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert outcome(lambda: scan_table(path))[0][1] == "F008"


# -- several files --------------------------------------------------------------------------------


def test_files_are_one_table(tmp_path: Path) -> None:
    frame = typed(4000).drop("numbers and a mark")
    for number in range(4):
        frame[number * 1000 : (number + 1) * 1000].write_parquet(
            tmp_path / f"part-{number}.parquet"
        )
    whole = tmp_path / "whole" / "table.parquet"
    whole.parent.mkdir()
    frame.write_parquet(whole)
    table = read_table(whole)
    files = sorted(tmp_path.glob("*.parquet"))
    for given_as in (tmp_path, str(tmp_path / "*.parquet"), files):
        assert_same_table(scan_table(given_as), table)  # type: ignore[arg-type]


def test_texts_are_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(3):
        rows = "".join(f"{i},{i % 7 or '-'}\n" for i in range(number * 500, number * 500 + 500))
        (folder / f"{number}.csv").write_text("x,y\n" + rows)
    (folder / "1.csv").write_text(
        "y,x\n" + "".join(f"{i % 7 or '-'},{i}\n" for i in range(500, 1000))
    )
    whole = tmp_path / "whole.csv"
    whole.write_text("x,y\n" + "".join(f"{i},{i % 7 or '-'}\n" for i in range(1500)))
    with pytest.warns(BranchlineWarning, match="W020"):
        table = read_table(whole)
    with pytest.warns(BranchlineWarning, match="W020"):
        scan = scan_table(folder)
    assert_same_table(scan, table)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_disagree(ending: str, tmp_path: Path) -> None:
    first, second = pl.DataFrame({"x": [1], "y": [2]}), pl.DataFrame({"x": [1], "z": [2]})
    for name, frame in {"a": first, "b": second}.items():
        getattr(frame, f"write_{ending}")(tmp_path / f"{name}.{ending}")
    with pytest.raises(DataError, match=r"b.*'y'") as caught:
        scan_table(tmp_path)
    assert caught.value.code == "F121"


def test_types_disagree(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1], "y": pl.Series([None], dtype=pl.Null)}).write_parquet(
        tmp_path / "a.parquet"
    )
    pl.DataFrame({"x": [2], "y": ["b"]}).write_parquet(tmp_path / "b.parquet")
    assert scan_table(tmp_path).column("y").to_list() == [None, "b"]
    pl.DataFrame({"x": ["2"], "y": ["b"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match="'x'") as caught:
        scan_table(tmp_path)
    assert caught.value.code == "F121"


def test_unsuitable_files(tmp_path: Path) -> None:
    orange = tmp_path / "orange.csv"
    orange.write_text(TEXTS["orange marks"])
    arff = tmp_path / "table.arff"
    arff.write_text("@relation r\n@attribute x numeric\n@data\n1\n")
    for path in (orange, arff):
        with pytest.raises(DataError) as caught:
            scan_table(path)
        assert caught.value.code == "F120"
    for path in (tmp_path / "no.csv", tmp_path / "*.nothing", []):
        with pytest.raises(DataError) as caught:
            scan_table(path)  # type: ignore[arg-type]
        assert caught.value.code == "F001"


FILES = {case.what: case for case in CASES if not case.options}


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_bad_files(case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.name
    path.write_bytes(case.bytes)
    table, _ = outcome(lambda: read_table(path))
    scan, _ = outcome(lambda: scan_table(path))
    if isinstance(scan, tuple) and scan[1] == "F120":
        return  # of a format that is read whole
    assert isinstance(scan, tuple) == isinstance(table, tuple), (scan, table)
    if isinstance(table, tuple):
        assert scan[1] == table[1]
    else:
        assert_same_table(scan, table)


# -- the table ------------------------------------------------------------------------------------


@pytest.fixture
def scan(tmp_path: Path) -> TableScan:
    return scan_table(written(tmp_path, {"x": WHOLE, "y": LATE["free text"], "z": LATE["days"]}))


def test_columns_stay_on_disk(scan: TableScan) -> None:
    assert all(is_mapped(column.values) for column in scan.columns)
    assert not scan.column("x").values.flags.writeable
    for chosen in (scan.select(["y", "x"]), scan.drop("y"), scan.rows(slice(10, 40)), scan[5:9]):
        assert isinstance(chosen, TableScan)
        assert all(is_mapped(column.values) for column in chosen.columns)
    copied = scan.rows([3, 1])
    assert not isinstance(copied, TableScan)
    assert copied.column("x").to_list() == [3, 1]


def test_split_target(scan: TableScan) -> None:
    X, y = scan.split_target("x")
    assert isinstance(X, TableScan)
    assert y.tolist() == [int(text) for text in WHOLE]
    assert X.names == ("y", "z")


def test_marks_travel(scan: TableScan) -> None:
    grouped = scan.with_groups(np.arange(N) // 3)
    assert isinstance(grouped, TableScan)
    assert grouped.rows(slice(3, 6)).groups.tolist() == [1, 1, 1]  # type: ignore[union-attr]


def test_parts(scan: TableScan) -> None:
    parts = list(scan.parts(400))
    assert [part.n_rows for part in parts] == [400, 400, 400, 300]
    cells = [cell for part in parts for cell in part.column("x").to_list()]
    assert cells == [int(text) for text in WHOLE]


def test_all_cells_at_once_are_refused(scan: TableScan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRANCHLINE_MEMORY", "4K")
    assert scan.column("x").values[5] == 5
    for ask in (scan.to_numpy, lambda: np.asarray(scan), lambda: scan.rows(np.arange(1000))):
        with pytest.raises(DataError, match="gradient boosting") as caught:
            ask()
        assert caught.value.code == "D030"
    assert scan.rows(np.arange(10)).n_rows == 10


def test_look_and_words(scan: TableScan) -> None:
    assert "free text" not in str(scan.look())
    assert repr(scan).startswith("TableScan(1,500 rows")


def test_errors_name_rows(tmp_path: Path) -> None:
    path = written(tmp_path, {"x": LATE["a name at the end"]})
    with pytest.raises(KindError) as caught:
        scan_table(path, kinds={"x": "number"})
    assert caught.value.rows == (N - 1,)
