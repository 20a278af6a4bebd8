"""Codes at their edges: few rows, many categories, extreme numbers, odd layouts, bad arguments."""

import os
import subprocess
import sys

import numpy as np
import pytest

from branchline import _core
from branchline._codes import MAX_CATEGORIES, apply_codes, best_cpu_level, fit_codes, native_columns
from branchline.table import Column, ColumnType, Table

NUMERIC = np.full(1, -1, dtype=np.int32)
MOST = np.finfo(np.float64).max
LEAST = np.nextafter(0, 1)


def code(values, *, units=None, max_bins=0, n_threads=1):
    return _core.fit_codes([values], NUMERIC, units, max_bins, n_threads)[0]


def coded_list(values, **options):
    return code(np.asarray(values, dtype=np.float64), **options)[0].tolist()


def category_table(codes, n_categories):
    names = tuple(f"name {place}" for place in range(n_categories))
    values = np.asarray(codes, dtype=np.int32)
    return Table.from_columns([Column("c", ColumnType("category", "string", names), values)])


# -- few values ---------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [0, 1, 2, 255, 256])
def test_no_row_one_row_and_two_rows_are_coded(max_bins):
    assert coded_list([], max_bins=max_bins) == []
    assert coded_list([7], max_bins=max_bins) == [1]
    assert coded_list([7, -7], max_bins=max_bins) == ([1, 1] if max_bins == 1 else [2, 1])


@pytest.mark.parametrize("max_bins", [0, 2, 255, 256])
@pytest.mark.parametrize("n_rows", [3, 5000])
def test_a_constant_column_has_one_code_and_a_missing_one_none(max_bins, n_rows):
    codes, lowest, highest = code(np.full(n_rows, 2.5), max_bins=max_bins)
    assert codes.dtype == np.uint8
    assert (codes == 1).all()
    assert lowest.tolist() == highest.tolist() == [2.5]
    codes, lowest, highest = code(np.full(n_rows, np.nan), max_bins=max_bins)
    assert not codes.any()
    assert len(lowest) == len(highest) == 0


def test_a_table_without_columns_has_no_codes():
    assert _core.fit_codes([], np.empty(0, np.int32), None, 0, 1) == []


def test_the_width_of_codes_follows_their_number():
    for n_values, dtype in [(255, np.uint8), (256, np.uint16), (65_536, np.uint32)]:
        codes, lowest, _ = code(np.arange(n_values, dtype=np.float64))
        assert codes.dtype == dtype
        assert codes[-1] == len(lowest) == n_values


# -- extreme numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [0, 8, 255])
def test_extreme_numbers_keep_their_order(max_bins):
    ascending = np.array([-MOST, -1e300, -1, -LEAST, 0, LEAST, 2 * LEAST, 1e-310, 1, 1e300, MOST])
    codes, lowest, highest = code(ascending, max_bins=max_bins)
    assert (np.diff(codes.astype(int)) >= 0).all()
    if max_bins != 8:
        assert codes.tolist() == list(range(1, 12))
    (again,) = _core.apply_codes([ascending], NUMERIC, [lowest], [highest], best_cpu_level(), 1)
    np.testing.assert_array_equal(again, codes)


def test_minus_zero_is_zero_in_both_widths():
    for dtype in (np.float32, np.float64):
        codes, lowest, _ = code(np.array([0.0, -0.0, 1.0], dtype=dtype))
        assert codes.tolist() == [1, 1, 2]
        assert not np.signbit(lowest[0])


def test_neighboring_floats_stay_apart():
    for dtype in (np.float32, np.float64):
        one = dtype(1)
        values = np.array([one, np.nextafter(one, dtype(2)), np.nextafter(one, dtype(0))])
        assert code(values, max_bins=255)[0].tolist() == [2, 3, 1]


@pytest.mark.parametrize("level", _core.cpu_levels())
def test_codes_learned_from_float64_apply_to_float32(level):
    lowest = np.array([-1e300, 0.1, 1e300])
    singles = np.array(
        [-np.finfo(np.float32).max, 0.1, np.finfo(np.float32).max, np.nan], np.float32
    )
    (seen,) = _core.apply_codes([singles], NUMERIC, [lowest], [lowest], level, 1)
    assert seen.tolist() == [2, 2, 2, 0]


# -- weights ------------------------------------------------------------------------------------


def test_a_heavy_value_gets_a_bin_of_its_own():
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [1, 1, 100, 1, 1])
    codes, lowest, highest = code(values, max_bins=3)
    assert lowest.tolist() == [1, 3, 4]
    assert highest.tolist() == [2, 3, 5]
    assert np.bincount(codes).tolist() == [0, 2, 100, 2]


def test_very_large_weights_are_shared_out_exactly():
    units = np.full(6, 2**50 - 1)
    assert coded_list(range(6), units=units, max_bins=3) == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows_are_coded_like_few(dtype):
    """Beyond 2^19 rows bins are searched afterwards; weights of one take the other way."""
    values = np.round(np.random.default_rng(0).normal(size=2**19 + 1), 3).astype(dtype)
    values[::7] = np.nan
    ways = code(values, max_bins=255), code(values, units=np.ones(len(values), int), max_bins=255)
    for one, other in zip(*ways, strict=True):
        np.testing.assert_array_equal(one, other)


# -- layouts ------------------------------------------------------------------------------------


def test_any_layout_gives_the_same_codes(tmp_path):
    values = np.random.default_rng(0).normal(size=3000)
    expected = code(values, max_bins=20)[0]
    matrix = np.repeat(values[:, None], 3, axis=1)
    locked = values.copy()
    locked.flags.writeable = False
    np.save(tmp_path / "values.npy", values)
    raw = np.zeros(values.nbytes + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = values
    layouts = {
        "strided": matrix[:, 1],
        "every other": np.repeat(values, 2)[::2],
        "reversed": values[::-1].copy()[::-1],
        "read-only": locked,
        "memory-mapped": np.load(tmp_path / "values.npy", mmap_mode="r"),
        "unaligned": unaligned,
    }
    for name, layout in layouts.items():
        np.testing.assert_array_equal(code(layout, max_bins=20)[0], expected, err_msg=name)


def test_a_broadcast_column_is_one_value():
    assert coded_list(np.broadcast_to(3.0, 4)) == [1, 1, 1, 1]


def test_codes_are_new_arrays_that_outlive_their_input():
    values = np.arange(5, dtype=np.float64)
    codes, lowest, _ = code(values)
    values[:] = 0
    del values
    assert codes.tolist() == [1, 2, 3, 4, 5]
    assert lowest.tolist() == [0, 1, 2, 3, 4]
    codes[0] = 9  # they belong to the caller


def test_many_columns_are_coded_like_few():
    rng = np.random.default_rng(0)
    columns = [np.round(rng.normal(size=200), place % 3) for place in range(300)]
    columns[7][::5] = np.nan
    columns[9] = np.full(200, np.nan)
    kinds = np.full(300, -1, dtype=np.int32)
    together = _core.fit_codes(columns, kinds, None, 0, 2)
    alone = [code(column) for column in columns]
    for ours, expected in zip(together, alone, strict=True):
        for seen, wanted in zip(ours, expected, strict=True):
            assert seen.dtype == wanted.dtype
            assert seen.flags["C_CONTIGUOUS"]
            np.testing.assert_array_equal(seen, wanted)
    kept = together[-1][0]
    del together  # the arrays share memory that lives as long as one of them
    np.testing.assert_array_equal(kept, alone[-1][0])
    lowest, highest = [low for _, low, _ in alone], [high for _, _, high in alone]
    applied = _core.apply_codes(columns, kinds, lowest, highest, best_cpu_level(), 1)
    for seen, expected in zip(applied, alone, strict=True):
        np.testing.assert_array_equal(seen, expected[0])


def test_a_matrix_is_passed_without_a_copy():
    matrix = np.asfortranarray(np.zeros((4, 3), np.float32))
    columns, n_categories = native_columns(Table.from_matrix(matrix))
    assert all(np.shares_memory(column, matrix) for column in columns)
    assert n_categories.tolist() == [-1, -1, -1]


# -- categories ---------------------------------------------------------------------------------


def test_ten_thousand_categories_keep_their_names():
    values = np.arange(10_000)[::-1]
    codes = fit_codes(category_table(values, 10_000))
    np.testing.assert_array_equal(codes.columns[0], values + 1)
    assert codes.columns[0].dtype == np.uint16
    assert codes.n_codes.tolist() == [10_000]
    assert codes.pooling == (None,)


def test_missing_and_unseen_categories_are_code_0():
    assert fit_codes(category_table([1, -1, 0, -2], 2)).columns[0].tolist() == [2, 0, 1, 0]
    assert fit_codes(category_table([-1, -1], 0)).columns[0].tolist() == [0, 0]


def test_more_categories_than_fit_share_a_code_for_the_rarest():
    n_categories = MAX_CATEGORIES + 10
    values = np.concatenate([np.arange(n_categories), np.arange(20, n_categories), [-1]])
    codes = fit_codes(category_table(values, n_categories))
    assert codes.n_codes.tolist() == [MAX_CATEGORIES]
    assert codes.columns[0].dtype == np.uint16
    kept = codes.columns[0][:n_categories]
    assert len(np.unique(kept)) == MAX_CATEGORIES
    assert len(np.unique(kept[9:20])) == 11 - 10  # the last eleven of the twenty rare ones
    assert codes.columns[0][-1] == 0
    again = apply_codes(codes, category_table(values[:50], n_categories))
    np.testing.assert_array_equal(again.columns[0], codes.columns[0][:50])


def test_pooling_weighs_rows():
    n_categories = MAX_CATEGORIES + 1
    values = np.arange(n_categories)
    units = np.ones(n_categories, dtype=np.int64)
    units[-5:] = 2
    codes = fit_codes(category_table(values, n_categories), units=units)
    pool = codes.pooling[0]
    assert pool[-6] == pool[-7] == MAX_CATEGORIES - 1
    assert len(np.unique(pool[-5:])) == 5


# -- wrong arguments ----------------------------------------------------------------------------

ONE = np.array([3.0, 1.0, 2.0])


@pytest.mark.parametrize(
    "column",
    [
        ONE.astype(np.int64),
        ONE.astype(np.float16),
        ONE.astype(np.longdouble),
        ONE.astype(">f8"),
        ONE.astype(object),
        ONE.astype(complex),
        ONE > 1,
        ONE[:, None],
        np.array(3.0),
        [3.0, 1.0],
        "text",
        None,
    ],
    ids=str,
)
def test_a_column_of_another_type_is_refused(column):
    with pytest.raises((TypeError, ValueError), match=r"column must be|numbers must be"):
        code(column)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_threads": 0}, ValueError),
        ({"n_threads": -2}, ValueError),
        ({"n_threads": 2**31}, TypeError),
        ({"n_threads": 1.5}, TypeError),
        ({"max_bins": -1}, TypeError),
        ({"units": np.ones(2, np.int64)}, ValueError),
        ({"units": np.ones(3, np.int32)}, TypeError),
        ({"units": np.ones(6, np.int64)[::2]}, TypeError),
        ({"units": np.zeros(25, np.uint8)[1:].view(np.int64)}, ValueError),
    ],
    ids=str,
)
def test_other_wrong_arguments_are_refused(options, error):
    with pytest.raises(error):
        code(ONE, **options)


def test_columns_that_do_not_belong_together_are_refused():
    two, three = np.full(2, -1, np.int32), np.full(1, 3, np.int32)
    with pytest.raises(ValueError, match="different lengths"):
        _core.fit_codes([ONE, ONE[:2]], two, None, 0, 1)
    with pytest.raises(ValueError, match="n_categories"):
        _core.fit_codes([ONE], two, None, 0, 1)
    with pytest.raises(ValueError, match="int32"):
        _core.fit_codes([ONE], three, None, 0, 1)
    with pytest.raises(IndexError, match="category"):
        _core.fit_codes([np.array([3], np.int32)], three, None, 0, 1)
    with pytest.raises(ValueError, match="32 bits"):
        code(np.broadcast_to(1.0, 2**32))


@pytest.mark.parametrize(
    ("lowest", "highest", "level", "error"),
    [
        ([ONE], [ONE[:2]], 0, ValueError),
        ([ONE], [], 0, ValueError),
        ([], [], 0, ValueError),
        ([ONE.astype(np.float32)], [ONE], 0, TypeError),
        ([None], [ONE], 0, TypeError),
        ([ONE], [ONE], 77, ValueError),
    ],
    ids=["codes", "columns", "none", "float32", "None", "processor"],
)
def test_codes_of_something_else_are_refused(lowest, highest, level, error):
    with pytest.raises(error):
        _core.apply_codes([ONE], NUMERIC, lowest, highest, level, 1)


# -- threads ------------------------------------------------------------------------------------


def test_absurdly_many_threads_are_as_good_as_a_few():
    matrix = np.random.default_rng(0).normal(size=(500, 200))
    few, many = (
        fit_codes(Table.from_matrix(matrix), n_threads=n_threads) for n_threads in (2, 2**31 - 1)
    )
    for one, other in zip(few.columns, many.columns, strict=True):
        np.testing.assert_array_equal(one, other)


NO_MORE_THREADS = """
import resource, threading
import numpy as np
from branchline import _core

codes, target = [np.arange(400_000, dtype=np.uint32)], np.zeros(400_000, np.uint64)
expected = _core.row_keys(codes, target, 1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**25,) * 2)  # room for a few stacks of 8 MiB
wait, threads = threading.Event(), []
try:
    for _ in range(50):
        threads.append(threading.Thread(target=wait.wait))
        threads[-1].start()
    raise SystemExit("the limit does not bind")
except RuntimeError:  # can't start new thread
    wait.set()
    assert len(threads) > 1
    for thread in threads[:-1]:
        thread.join()
assert (_core.row_keys(codes, target, 50) == expected).all()
print("done without")
"""


@pytest.mark.skipif(
    sys.platform != "linux" or "LD_PRELOAD" in os.environ, reason="limits the address space"
)
def test_a_thread_that_cannot_be_started_is_done_without():
    command = [sys.executable, "-c", NO_MORE_THREADS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.stdout.strip() == "done without", done.stderr


def test_columns_of_packed_records_are_taken() -> None:
    records = np.zeros(6, dtype=[("a", "i1"), ("b", "f8")])
    records["b"] = [3.0, 1.0, 2.0, np.nan, 1.0, 3.0]
    codes = fit_codes(Table.from_matrix(records["b"].reshape(-1, 1)))
    assert codes.columns[0].tolist() == [3, 1, 2, 0, 1, 3]
