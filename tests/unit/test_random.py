"""Random draws at their edges: known answers, no rows, many copies, wrong arguments."""

import numpy as np
import pytest

from branchline import _core
from branchline._codes import fit_codes
from branchline._random import key_rows
from branchline._row_keys import scramble, scramble_one
from branchline.table import Table

ONES = 2**64 - 1

# Random123's published vectors for philox4x64-10 (its file kat_vectors).
KNOWN = [
    (
        [0, 0, 0, 0],
        [0, 0],
        [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B],
    ),
    (
        [ONES, ONES, ONES, ONES],
        [ONES, ONES],
        [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0],
    ),
    (
        [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
        [0x452821E638D01377, 0xBE5466CF34E90C6C],
        [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6],
    ),
]


def words(values):
    return np.array(values, dtype=np.uint64)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN, ids=["zeros", "ones", "pi"])
def test_philox_gives_the_published_answers(counter, key, expected):
    np.testing.assert_array_equal(_core.philox(words(counter), words(key)), words(expected))


def coded(values):
    return fit_codes(Table.from_matrix(np.array(values, dtype=np.float64)))


def test_rows_with_the_same_codes_and_target_have_the_same_key():
    rows = key_rows(coded([[1, 2], [1, 2], [1, 3], [1, 2]]), np.array([0, 0, 0, 1]))
    assert rows.keys[0] == rows.keys[1]
    assert len(set(rows.keys.tolist())) == 3
    assert rows.first_copy.tolist() == [0, 1, 0, 0]


def test_a_numeric_target_counts_by_its_bits_and_minus_zero_is_zero():
    codes = coded([[1], [1], [1]])
    keys = key_rows(codes, np.array([0.0, -0.0, 1e-300])).keys
    assert keys[0] == keys[1] != keys[2]


def test_whole_numbers_of_any_width_give_the_same_keys():
    codes = coded([[1], [2]])
    expected = key_rows(codes, np.array([3, 4])).keys
    for dtype in (np.int8, np.uint32, np.int64):
        keys = key_rows(codes, np.array([3, 4], dtype=dtype)).keys
        np.testing.assert_array_equal(keys, expected)


def test_no_rows_have_no_keys_and_no_draws():
    none, no_copies = np.empty(0, np.uint64), np.empty(0, np.int64)
    assert len(_core.row_keys([], none, 2)) == 0
    assert len(_core.first_copies(none, no_copies)) == 0
    assert len(_core.bootstrap_counts(none, no_copies, no_copies, 1, 2, 2)) == 0


def test_a_bootstrap_sample_is_as_large_as_the_table_on_average():
    n_rows = 50_000
    rows = key_rows(coded(np.arange(n_rows)[:, None]), np.zeros(n_rows, np.int64))
    counts = rows.bootstrap_counts(3, 4)
    assert counts.dtype == np.uint32
    assert abs(counts.mean() - 1) < 0.02
    assert abs((counts == 0).mean() - np.exp(-1)) < 0.01
    assert abs(counts.var() - 1) < 0.03


def test_draws_of_different_tasks_are_unrelated():
    n_rows = 50_000
    rows = key_rows(coded(np.arange(n_rows)[:, None]), np.zeros(n_rows, np.int64))
    draws = [rows.bootstrap_counts(0, task).astype(float) for task in range(3)]
    related = np.corrcoef([*draws, rows.bootstrap_counts(1, 0).astype(float)])
    assert np.abs(related - np.eye(4)).max() < 0.02


def test_a_row_of_a_million_copies_draws_about_a_million():
    keys, copies = words([5]), np.array([10**6])
    drawn = _core.bootstrap_counts(keys, copies, np.zeros(1, np.int64), 1, 2, 1)
    assert abs(int(drawn[0]) - 10**6) < 5000


KEYS, COPIES = words([1, 2, 3]), np.ones(3, np.int64)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("philox", (words([1, 2, 3]), words([1, 2]))),
        ("philox", (words([1, 2, 3, 4]), words([1]))),
        ("philox", (np.zeros(4, np.int64), words([1, 2]))),
        ("row_keys", ([np.zeros(3, np.int64)], KEYS, 1)),
        ("row_keys", ([np.zeros(3, np.uint64)], KEYS, 1)),
        ("row_keys", ([np.zeros(3, bool)], KEYS, 1)),
        ("row_keys", ([np.zeros(2, np.uint8)], KEYS, 1)),
        ("row_keys", ([np.zeros(6, np.uint8)[::2]], KEYS, 1)),
        ("row_keys", ([np.zeros(7, np.uint8)[1:].view(np.uint16)], KEYS, 1)),
        ("row_keys", (["text"], KEYS, 1)),
        ("row_keys", ([np.zeros(3, np.uint8)], KEYS, 0)),
        ("row_keys", ([np.zeros(3, np.uint8)], KEYS.astype(np.int64), 1)),
        ("first_copies", (KEYS, COPIES[:2])),
        ("first_copies", (KEYS, COPIES.astype(np.int32))),
        ("bootstrap_counts", (KEYS, COPIES, COPIES[:2], 1, 1, 1)),
        ("bootstrap_counts", (KEYS, COPIES, COPIES, -1, 1, 1)),
        ("bootstrap_counts", (KEYS, COPIES, COPIES, 1, 2**64, 1)),
        ("bootstrap_counts", (KEYS, COPIES, COPIES, 1, 1, -1)),
    ],
)
def test_wrong_arguments_are_refused(function, arguments):
    with pytest.raises((TypeError, ValueError)):
        getattr(_core, function)(*arguments)


def test_one_word_is_scrambled_as_many_are():
    words = np.array([0, 1, 2**63, ONES, 0x9E3779B97F4A7C15, 123_456_789], np.uint64)
    assert [scramble_one(int(word)) for word in words] == scramble(words).tolist()
