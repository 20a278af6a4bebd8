"""Codes that a cache keeps: learned once, read back, and learned again where they are damaged."""

import random
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from branchline import scan_table
from branchline._codes import Codes, fit_codes
from branchline.table import TableScan
from tests.unit.table.scanning.test_cache import damage

N = 3000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    file = tmp_path / "rows.parquet"
    some = [None if i % 7 == 0 else int(v) for i, v in enumerate(rng.integers(-50, 9000, N))]
    pl.DataFrame(
        {
            "x": rng.normal(size=N).astype(np.float32),
            "whole": some,
            "town": [f"t{v}" for v in rng.integers(0, 5, N)],
            "y": rng.normal(size=N),
        }
    ).write_parquet(file)
    return file


def same(some: Codes, other: Codes) -> bool:
    lists = [(*one.columns, *one.lowest, *one.highest, one.n_codes) for one in (some, other)]
    return all(
        mine.dtype == theirs.dtype and np.array_equal(mine, theirs)
        for mine, theirs in zip(*lists, strict=True)
    )


def kept_in(cache: Path) -> list[str]:
    return sorted(file.name for file in cache.glob("codes_*"))


@pytest.mark.parametrize("max_bins", [16, 255, 1000])
def test_codes_are_learned_once(max_bins: int, path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = fit_codes(scan_table(path, cache=cache), max_bins=max_bins)
    names = kept_in(cache)
    assert len(names) == 2 * 3  # values and words of three columns of numbers
    times = [(cache / name).stat().st_mtime_ns for name in names]
    again = fit_codes(scan_table(path, cache=cache), max_bins=max_bins)
    assert same(first, again)
    assert same(first, fit_codes(scan_table(path), max_bins=max_bins))
    assert [(cache / name).stat().st_mtime_ns for name in kept_in(cache)] == times


def test_what_is_not_kept(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    scan = scan_table(path, cache=cache)
    fit_codes(scan)
    fit_codes(scan, units=np.full(N, 2), max_bins=255)
    part = scan.rows(slice(5, 2000))
    assert isinstance(part, TableScan)
    codes = fit_codes(part, max_bins=255)
    assert same(codes, fit_codes(scan_table(path).rows(slice(5, 2000)), max_bins=255))
    assert kept_in(cache) == []


def test_other_sources_are_coded_anew(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    fit_codes(scan_table(path, cache=cache), max_bins=255)
    frame = pl.read_parquet(path)
    frame.with_columns(x=-pl.col("x")).write_parquet(path)
    scan = scan_table(path, cache=cache)
    assert kept_in(cache) == []
    assert same(fit_codes(scan, max_bins=255), fit_codes(scan_table(path), max_bins=255))


def test_damaged_codes_are_learned_again(path: Path, tmp_path: Path) -> None:
    kept, draw = tmp_path / "kept", random.Random(0)
    right = fit_codes(scan_table(path, cache=kept), max_bins=255)
    for trial in range(60):
        cache = tmp_path / f"cache-{trial}"
        shutil.copytree(kept, cache)
        damage(draw.choice(sorted(cache.glob("codes_*"))), draw)
        assert same(fit_codes(scan_table(path, cache=cache), max_bins=255), right)
        shutil.rmtree(cache)
