"""Fits on a table larger than memory: the very bytes of the fit on the table in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from branchline import Table, read_table, scan_table
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import DataError
from branchline.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.svm import SVC
from branchline.table import TableScan
from branchline.table.scanning import _table_scan

N = 3000


@pytest.fixture(autouse=True)
def all_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep small codes on disk, too."""
    monkeypatch.setattr(_table_scan, "_FEW_BYTES", 1)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, N))
    signal = x[0] + x[1] * x[2] + rng.normal(size=N)
    town = rng.integers(0, 6, N)
    frame = pl.DataFrame(
        {
            "a": x[0].astype(np.float32),
            "b": [None if i % 13 == 4 else v for i, v in enumerate(x[1].tolist())],
            "c": [None if i % 17 == 1 else int(10 * v) for i, v in enumerate(x[2].tolist())],
            "town": [None if v == 5 else f"t{v}" for v in town],
            "flag": (x[3] > 0).tolist(),
            "street": [f"s{v}" for v in rng.integers(0, 400, N)],
            "number": signal,
            "two": np.where(signal > 0, "yes", "no"),
            "three": np.digitize(signal, [-0.7, 0.7]).astype(np.int8),
            "weight": rng.integers(0, 4, N),
        }
    ).with_columns(day=pl.date(2024, 1, 1) + pl.duration(days=pl.col("c").fill_null(3)))
    file = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame.write_parquet(file)
    return file


TARGETS = ("number", "two", "three", "weight")
CASES: dict[str, tuple[str, Callable[[], Any]]] = {
    "boosting, two classes": ("two", lambda: GradientBoostingClassifier(n_estimators=12)),
    "boosting, classes": ("three", lambda: GradientBoostingClassifier(n_estimators=8)),
    "boosting, numbers": ("number", lambda: GradientBoostingRegressor(n_estimators=12)),
    "boosting, medians": (
        "number",
        lambda: GradientBoostingRegressor(n_estimators=5, loss="absolute_error"),
    ),
    "boosting, number of rounds": ("two", lambda: GradientBoostingClassifier(n_estimators="auto")),
    "boosting, early stopping": (
        "two",
        lambda: GradientBoostingClassifier(n_estimators=40, early_stopping=True),
    ),
    "boosting, linear leaves": (
        "number",
        lambda: GradientBoostingRegressor(n_estimators=5, leaf_model="linear"),
    ),
    "boosting, class weights": (
        "three",
        lambda: GradientBoostingClassifier(n_estimators=5, class_weight="balanced"),
    ),
    "forest, two classes": ("two", lambda: RandomForestClassifier(n_estimators=6)),
    "forest, numbers": ("number", lambda: RandomForestRegressor(n_estimators=6)),
    "forest, exact": ("two", lambda: RandomForestClassifier(n_estimators=3, max_bins=None)),
    "extra-trees, classes": ("three", lambda: ExtraTreesClassifier(n_estimators=6)),
    "extra-trees, numbers": ("number", lambda: ExtraTreesRegressor(n_estimators=6)),
}


def saved(model: Any, folder: Path) -> bytes:
    model.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("weights", [None, "whole", "other"])
@pytest.mark.parametrize("name", CASES)
def test_same_bytes(name: str, weights: str | None, path: Path, tmp_path: Path) -> None:
    target, make = CASES[name]
    made = []
    for table in (read_table(path), scan_table(path)):
        y = table.split_target(target)[1]
        whole = table.column("weight").to_numpy()
        weight = {None: None, "whole": whole, "other": whole * 0.37 + 0.1}[weights]
        model = make().set_params(random_state=3, n_jobs=2)
        made.append(saved(model.fit(table.drop(TARGETS), y, weight), tmp_path))
    assert made[0] == made[1]


@pytest.mark.parametrize("name", ["boosting, two classes", "boosting, numbers"])
def test_validation_rows(name: str, path: Path, tmp_path: Path) -> None:
    target, make = CASES[name]
    made = []
    for table in (read_table(path), scan_table(path)):
        X, y = table.drop(TARGETS), table.split_target(target)[1]
        learn, check = slice(0, 2400), slice(2400, N)
        model = make().set_params(random_state=3, n_estimators=30)
        model.fit(X.rows(learn), y[learn], eval_set=(X.rows(check), y[check]))
        made.append(saved(model, tmp_path))
    assert made[0] == made[1]


def test_equal_rows_and_groups(path: Path, tmp_path: Path) -> None:
    doubled = tmp_path / "doubled.parquet"
    pl.concat([pl.read_parquet(path)] * 2).write_parquet(doubled)
    made = []
    for table in (read_table(doubled), scan_table(doubled)):
        X = table.drop(TARGETS).with_groups(np.arange(2 * N) % N // 5)
        y = table.split_target("two")[1]
        model = RandomForestClassifier(n_estimators=4, random_state=1).fit(X, y)
        made.append(saved(model, tmp_path))
    assert made[0] == made[1]


def test_many_columns_of_numbers(tmp_path: Path) -> None:
    x = np.random.default_rng(1).normal(size=(400, 80))
    file = tmp_path / "wide.parquet"
    pl.DataFrame(x, schema=[f"x{i}" for i in range(80)]).write_parquet(file)
    y = x[:, 0] + x[:, 1]
    made = [
        saved(GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y), tmp_path)
        for X in (read_table(file), scan_table(file))
    ]
    assert made[0] == made[1]


def test_predictions(path: Path) -> None:
    table, scan = read_table(path), scan_table(path)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0)
    model.fit(scan.drop(TARGETS), scan.column("two").to_numpy())
    assert (model.predict(table.drop(TARGETS)) == model.predict(scan.drop(TARGETS))).all()


def test_codes_leave_nothing_behind(path: Path, tmp_path: Path) -> None:
    """Weighted rows: their codes are not kept."""
    scan = scan_table(path, cache=tmp_path / "cache")
    before = sorted(entry.name for entry in (tmp_path / "cache").iterdir())
    X, y = scan.drop(TARGETS), scan.column("number").to_numpy()
    RandomForestRegressor(n_estimators=2).fit(X, y, np.full(N, 2))
    assert sorted(entry.name for entry in (tmp_path / "cache").iterdir()) == before


def test_kept_codes_give_the_same_bytes(path: Path, tmp_path: Path) -> None:
    made = []
    for _ in range(2):
        scan = scan_table(path, cache=tmp_path / "cache")
        X, y = scan.drop(TARGETS), scan.column("two").to_numpy()
        model = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, y)
        made.append(saved(model, tmp_path))
    assert list((tmp_path / "cache").glob("codes_*"))
    assert made[0] == made[1]


def test_little_memory_is_enough_for_trees(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = scan_table(path)
    X, y = scan.select(["a", "b"]), scan.column("two").to_numpy()
    monkeypatch.setenv("BRANCHLINE_MEMORY", "3K")
    GradientBoostingClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(DataError) as caught:
        GradientBoostingClassifier(n_estimators=2).fit(Table(X.select(["a", "b"]).to_dicts()), y)
    assert caught.value.code == "D030"


def test_other_learners_name_what_can_be_fitted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = scan_table(path)
    X, y = scan.select(["a", "b"]), scan.column("two").to_numpy()
    assert isinstance(X, TableScan)
    monkeypatch.setenv("BRANCHLINE_MEMORY", "20K")
    with pytest.raises(DataError, match="gradient boosting") as caught:
        SVC().fit(X, y)
    assert caught.value.code == "D030"
