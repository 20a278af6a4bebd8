"""Tables as large ones are: columns of mapped files; small ones that are taken for large."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np

from branchline._encoding import _encoded_blocks
from branchline.table import Column, ColumnType, Table

FLOAT = ColumnType("numeric", "float")
TOWNS = ("Ghent", "Liège", "Mons", "Namur", "Arlon")


def mixed_table(n_rows: int, seed: int = 0, *, missing: bool = True) -> tuple[Table, np.ndarray]:
    """Return numbers of unlike size, a copy, categories, missing cells; and numbers to predict."""
    random = np.random.default_rng(seed)
    numbers = random.standard_normal((5, n_rows))
    target = numbers.T @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + random.standard_normal(n_rows)
    columns = []
    for place, values in enumerate(numbers):
        cells = values * 10.0 ** (place - 1) + 1000.0 * (place == 3)
        if missing and place in (1, 4):
            cells[random.random(n_rows) < 0.1] = np.nan
        cells = np.round(cells, 3) if place == 2 else cells
        columns.append(Column(f"x{place}", FLOAT, cells.astype(np.float32 if place == 4 else None)))
    columns.append(Column("copy", FLOAT, 3.0 * columns[0].values + 1.0))
    columns.append(Column("same", FLOAT, np.full(n_rows, 7.0)))
    towns = random.integers(-1 if missing else 0, len(TOWNS), n_rows).astype(np.int32)
    columns.append(Column("town", ColumnType("category", "string", TOWNS), towns))
    target += towns
    pairs = random.integers(0, 2, n_rows).astype(np.int32)
    columns.append(Column("pair", ColumnType("category", "string", ("no", "yes")), pairs))
    days = random.integers(0, 900, n_rows)
    columns.append(Column("day", ColumnType("numeric", "date", unit="D"), days))
    return Table.from_columns(columns), target


def classes_of(target: np.ndarray, n_classes: int, seed: int = 0) -> np.ndarray:
    """Return classes that overlap."""
    noisy = target + 3.0 * np.random.default_rng(seed).standard_normal(len(target))
    cuts = np.quantile(noisy, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(cuts, noisy)


def mapped(table: Table, folder: Path) -> Table:
    """Return the same table, every column a mapped file."""
    columns = []
    for place, column in enumerate(table.columns):
        path = folder / f"{place}.npy"
        np.save(path, np.ascontiguousarray(column.values))
        values = np.load(path, mmap_mode="r")
        columns.append(Column(column.name, column.type, values, column.missing))
    return Table.from_columns(columns)


@contextmanager
def taken_for_large(cells: int = 0):
    """Take tables of more cells than this for large ones."""
    kept = _encoded_blocks.LARGE_CELLS, _encoded_blocks.ROWS_PER_COLUMN
    _encoded_blocks.LARGE_CELLS, _encoded_blocks.ROWS_PER_COLUMN = cells, 0
    try:
        yield
    finally:
        _encoded_blocks.LARGE_CELLS, _encoded_blocks.ROWS_PER_COLUMN = kept


WEIGHTS = {
    "none": lambda n: None,
    "whole": lambda n: np.random.default_rng(1).integers(1, 4, n),
    "some zero": lambda n: np.append(np.random.default_rng(1).integers(0, 3, n - 1), 1),
    "fractions": lambda n: np.random.default_rng(1).random(n) + 0.01,
}
