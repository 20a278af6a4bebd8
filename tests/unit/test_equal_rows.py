"""Which rows are copies: the same for any number of rows that are hashed at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table, _row_keys
from branchline._equal_rows import _all_differ, blocks_of
from branchline._row_keys import input_hashes, scramble


@given(values=st.lists(st.one_of(st.integers(-3, 3), st.floats(width=16))))
def test_all_differ_as_unique_says(values: list[float]) -> None:
    for array in (np.array(values), np.array(values, dtype=np.float32)):
        assert _all_differ(array) == (len(np.unique(array)) == len(array))


@pytest.mark.parametrize("cells", [1, 7, 64, 2**20])
def test_hashes_do_not_depend_on_how_many_rows_are_hashed_at_once(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, size=(50, 4)).astype(float)
    x[3, 1] = np.nan
    columns = {f"x{place}": x[:, place].tolist() for place in range(4)}
    mixed = Table({**columns, "t": [f"t{i % 3}" for i in range(50)]})
    for table in (Table(x), mixed):
        expected = np.zeros(50, dtype=np.uint64)
        for place, column in enumerate(table.columns):
            if column.kind == "numeric":
                numbers = column.numbers() + 0.0
                words = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
            else:
                words = column.values.astype(np.int64).view(np.uint64)
            salt = scramble(np.array([place], dtype=np.uint64))
            expected += scramble(words ^ salt)
        monkeypatch.setattr(_row_keys, "_CELLS", cells)
        assert (input_hashes(table) == expected).all()


@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), min_size=1, max_size=40),
    k=st.integers(1, 2),
)
def test_blocks_are_the_equal_rows(rows: list[tuple[int, str]], k: int) -> None:
    table = Table({"x": [row[0] + 0.5 for row in rows], "t": [row[1] for row in rows]})
    found = blocks_of(table, np.full(len(rows), k))
    if found.of_row is not None:
        same = [[one == other for other in rows] for one in rows]
        assert (found.of_row[:, None] == found.of_row).tolist() == same
    elif not found.is_saturated:
        assert len(set(rows)) == len(rows)
