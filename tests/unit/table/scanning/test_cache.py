"""The folder of a scan: kept, resumed, remade, and never believed when it is damaged."""

import gc
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.table.scanning.test_scan_table import assert_same_table, typed

from branchline import read_table, scan_table
from branchline.errors import BranchlineWarning, DataError
from branchline.table import Table
from branchline.table.files import ReadOptions
from branchline.table.scanning import _cache, _convert
from branchline.table.scanning._scan_table import scan_with

N = 2000
MISSING = ("", "-")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "rows.csv"
    rows = (f"{i},{'' if i % 9 == 2 else i / 7},n{i % 31},${i}.50,{i % 5 or '-'}" for i in range(N))
    file.write_text("whole,number,name,money,mark\n" + "\n".join(rows) + "\n")
    return file


def scanned(path: Path, cache: Path, part_bytes: int = 4000) -> Table:
    return scan_with(path, ReadOptions(missing=MISSING), cache=cache, part_bytes=part_bytes)


def whole(path: Path) -> Table:
    return read_table(path, missing=MISSING)


class Stop(BaseException):
    """An interruption, such as Ctrl-C."""


def converted(cache: Path) -> int:
    """Return when the columns of a cache were written."""
    return (cache / "column_00000.values").stat().st_mtime_ns


# -- kept and remade ------------------------------------------------------------------------------


def test_kept_cache_is_used_again(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert_same_table(scanned(path, cache), whole(path))
    before = converted(cache)
    assert_same_table(scanned(path, cache), whole(path))
    assert converted(cache) == before
    names = {entry.name for entry in cache.iterdir()}
    assert not any(name.startswith(("known_", "progress", "in_use")) for name in names)


def test_changed_source_or_options_are_read_again(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    scanned(path, cache)
    text = path.read_text()
    path.write_text(text + "7,1,new,$1.50,3\n")
    again = scanned(path, cache)
    assert again.n_rows == N + 1
    assert_same_table(again, whole(path))
    same_size = path.read_text().replace("n30", "n99")
    path.write_text(same_size)
    assert_same_table(scanned(path, cache), whole(path))
    other = scan_with(path, ReadOptions(drop=("mark", "money")), cache=cache)
    assert other.names == ("whole", "number", "name")


def test_warnings_are_told_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x\n" + "\n".join(map(str, range(40))) + "\n-\n")
    for _ in range(2):
        with pytest.warns(BranchlineWarning, match="'-' .1 cell.") as told:
            scan_table(path, cache=tmp_path / "cache")
        assert told[0].message.code == "W020"  # type: ignore[union-attr]


def test_temporary_cache_goes_with_the_last_table(path: Path) -> None:
    scan = scan_table(path, missing=MISSING)
    folder, part = scan.cache, scan.select(["name"])
    assert folder.exists()
    del scan
    gc.collect()
    assert folder.exists()
    del part
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("how", ["end", "interrupt", "error"])
def test_no_folder_is_left_behind(how: str, path: Path, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    script = textwrap.dedent(
        f"""
        import sys, time
        from branchline.table.scanning import _convert
        from branchline import scan_table
        if {how!r} == "interrupt":
            write = _convert._note
            def note(*given):
                write(*given)
                print("ready", flush=True)
                time.sleep(60)
            _convert._note = note
        kept = scan_table({str(path)!r}, missing="-")
        print("ready", flush=True)
        if {how!r} == "error":
            raise SystemExit(3)
        """
    )
    own = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        [sys.executable, "-c", script], env=own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline().strip() == b"ready"
        if how == "interrupt":
            assert list(place.iterdir())
            run.send_signal(signal.SIGINT)
        run.wait(30)
    assert not list(place.iterdir())


# -- interrupted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("after", [1, 3, 7])
def test_interrupted_conversion_goes_on(
    after: int, source: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_convert, "_SECONDS", 0.0)
    if source.endswith("parquet"):
        path = tmp_path / source
        typed(N).drop("numbers and a mark").write_parquet(path)
    cache = tmp_path / "cache"
    write, calls = _convert._note, []

    def note(*given: Any) -> None:
        write(*given)
        calls.append(given[3])
        if len(calls) == after:
            raise Stop

    def once_more() -> Table:
        if source.endswith("parquet"):
            return scan_with(path, ReadOptions(), cache=cache, part_bytes=150)
        return scanned(path, cache)

    monkeypatch.setattr(_convert, "_note", note)
    with pytest.raises(Stop):
        once_more()
    assert not (cache / "manifest.json").exists()
    assert not (cache / "in_use").exists()
    place = calls[-1]
    # What was being written behind the last note is written again.
    with (cache / "column_00000.values").open("ab") as file:
        file.write(b"half a part")
    calls.clear()
    monkeypatch.setattr(_convert, "_note", lambda *given: calls.append(given[3]))
    table = once_more()
    assert calls[0] == place
    options = {} if source.endswith("parquet") else {"missing": MISSING}
    assert_same_table(table, read_table(path, **options))


def test_damaged_progress_begins_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_convert, "_SECONDS", 0.0)
    write, kept = _convert._note, tmp_path / "kept"
    calls: list[int] = []

    def note(*given: Any) -> None:
        write(*given)
        calls.append(1)
        if len(calls) == 4:
            raise Stop

    monkeypatch.setattr(_convert, "_note", note)
    with pytest.raises(Stop):
        scanned(path, kept)
    monkeypatch.setattr(_convert, "_note", write)
    table, draw = whole(path), random.Random(0)
    for trial, file in enumerate([*kept.iterdir()] * 3):
        if file.stat().st_size == 0:
            continue
        cache = tmp_path / f"cache-{trial}"
        shutil.copytree(kept, cache)
        damage(cache / file.name, draw)
        assert_same_table(scanned(path, cache), table)


# -- damaged --------------------------------------------------------------------------------------


def damage(file: Path, draw: random.Random) -> None:
    """Change a byte, cut the file, or add to it."""
    content = bytearray(file.read_bytes())
    kind = draw.choice(["byte", "cut", "longer", "empty", "gone"])
    if kind == "byte":
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    elif kind == "cut":
        del content[draw.randrange(len(content)) :]
    elif kind == "longer":
        content += bytes(draw.randrange(1, 9))
    elif kind == "empty":
        content.clear()
    else:
        file.unlink()
        return
    file.write_bytes(content)


def test_damaged_cache_is_made_again(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    scanned(path, kept)
    table, draw = whole(path), random.Random(1)
    for trial in range(60):
        cache = tmp_path / f"cache-{trial}"
        shutil.copytree(kept, cache)
        damage(draw.choice(sorted(cache.iterdir())), draw)
        assert_same_table(scanned_quietly(path, cache), table)
        shutil.rmtree(cache)


def scanned_quietly(path: Path, cache: Path) -> Table:
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The cache")
        return scanned(path, cache)


def test_damage_is_told(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    scanned(path, cache)
    content = bytearray((cache / "column_00001.values").read_bytes())
    content[80] ^= 1
    (cache / "column_00001.values").write_bytes(content)
    with pytest.warns(BranchlineWarning) as told:
        table = scanned(path, cache)
    assert [one.message.code for one in told] == ["W111"]  # type: ignore[union-attr]
    assert_same_table(table, whole(path))


CHANGES: dict[str, Any] = {
    "n_rows": [-1, 1, 10**12, "7", None],
    "version": [0, 2],
    "format": ["other"],
    "schema": [None, {}, {"named": True, "columns": []}],
    "columns": [None, [], [{}] * 5, [{"dtype": "<f8", "values": {}, "missing": None}] * 5],
    "told": [None],
}


@pytest.mark.parametrize("part", CHANGES)
def test_manifest_that_says_something_else(part: str, path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for value in CHANGES[part]:
        scanned_quietly(path, cache)
        record = _cache.read_record(cache / "manifest.json")
        assert record is not None
        _cache.write_record(cache / "manifest.json", {**record, part: value})
        assert_same_table(scanned_quietly(path, cache), whole(path))


def test_types_that_no_column_has(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for dtype in ("O", "<f16", "U5", "nonsense", 7, None):
        scanned_quietly(path, cache)
        record = _cache.read_record(cache / "manifest.json")
        assert record is not None
        record["columns"][0]["dtype"] = dtype
        _cache.write_record(cache / "manifest.json", record)
        assert_same_table(scanned_quietly(path, cache), whole(path))


# -- folders --------------------------------------------------------------------------------------


def test_folder_of_other_files_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not touch")
    for place in (tmp_path / "mine", path):
        with pytest.raises(DataError) as caught:
            scanned(path, place)
        assert caught.value.code == "F122"
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "do not touch"


def test_two_programs_do_not_make_one_cache(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (cache / "in_use").write_text(str(other.pid))
        with pytest.raises(DataError) as caught:
            scanned(path, cache)
        assert caught.value.code == "F122"
        other.kill()
    scanned(path, cache)  # what a program that has ended held is free
    assert not (cache / "in_use").exists()


def test_full_disk_is_refused_before_columns_are_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 1000))
    with pytest.raises(DataError) as caught:
        scanned(path, tmp_path / "cache")
    assert caught.value.code == "F123"
    assert not list((tmp_path / "cache").glob("column_*"))


def test_format_is_as_documented(path: Path, tmp_path: Path) -> None:
    cache, table = tmp_path / "cache", whole(path)
    scanned(path, cache)
    record = json.loads((cache / "manifest.json").read_text())["record"]
    assert record["format"] == "branchline scan"
    assert record["version"] == 1
    assert record["n_rows"] == N
    for place, (entry, column) in enumerate(zip(record["columns"], table.columns, strict=True)):
        values = np.fromfile(cache / f"column_{place:05}.values", dtype=entry["dtype"])
        missing = np.zeros(N, dtype=bool)
        if entry["missing"] is not None:
            missing = np.fromfile(cache / f"column_{place:05}.missing", dtype=np.uint8) == 1
        known = ~column.is_missing
        assert np.array_equal(values[known], column.values[known])
        if column.values.dtype.kind == "i" and column.kind == "numeric":
            assert np.array_equal(missing, column.is_missing)


def test_progress_is_told(path: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    scan_table(path, missing=MISSING, on_progress=lambda *given: told.append(given))
    assert told[-1] == (N, N)
