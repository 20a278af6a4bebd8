"""Draws, by property: like their twin, and independent of row order, copies and threads."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from branchline._codes import fit_codes
from branchline._random import key_rows
from branchline.table import Table
from twins import random as twin

words = st.integers(0, 2**64 - 1)
few_words = st.integers(0, 3)
copies = st.integers(1, 9)


def array(values, dtype=np.uint64):
    return np.array(values, dtype=dtype)


@given(st.tuples(words, words, words, words), st.tuples(words, words))
def test_philox_equals_numpys(counter, key):
    seen = _core.philox(array(counter), array(key))
    np.testing.assert_array_equal(seen, twin.philox(counter, key))


@given(
    st.lists(st.tuples(words, st.integers(0, 255), st.integers(0, 65535), words), max_size=30),
)
def test_row_keys_equal_their_twin_for_every_width(rows):
    target, *codes = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = [
        array(codes[0], np.uint8),
        array(codes[1], np.uint16),
        (array(codes[2]) % 2**32).astype(np.uint32),
    ]
    seen = _core.row_keys(columns, array(target), 1)
    np.testing.assert_array_equal(seen, array(twin.row_keys(columns, target)))


@given(st.lists(st.tuples(few_words | words, copies), max_size=60))
def test_first_copies_equal_their_twin(rows):
    keys, counts = array([key for key, _ in rows]), array([n for _, n in rows], np.int64)
    np.testing.assert_array_equal(
        _core.first_copies(keys, counts), array(twin.first_copies(keys, counts), np.int64)
    )


@given(st.integers(0, 2**32), st.integers(1500, 4000), st.integers(1, 2000))
def test_first_copies_of_many_rows_equal_their_twin(seed, n_rows, n_keys):
    generator = np.random.default_rng(seed)
    pool = generator.integers(0, 2**64, n_keys, dtype=np.uint64)
    keys = generator.choice(pool, n_rows)
    counts = generator.integers(1, 5, n_rows)
    np.testing.assert_array_equal(_core.first_copies(keys, counts), twin.first_copies(keys, counts))


@given(st.lists(st.tuples(few_words | words, copies), max_size=12), words, words)
def test_bootstrap_counts_equal_their_twin(rows, seed, task):
    keys, counts = array([key for key, _ in rows]), array([n for _, n in rows], np.int64)
    first = _core.first_copies(keys, counts)
    seen = _core.bootstrap_counts(keys, counts, first, seed, task, 1)
    expected = twin.bootstrap_counts(keys, counts, first, seed, task)
    np.testing.assert_array_equal(seen, array(expected, np.uint32))


def keyed(seed, n_rows=300, *, n_values=3):
    """A table whose rows repeat, its codes and a target."""
    generator = np.random.default_rng(seed)
    matrix = generator.integers(0, n_values, (n_rows, 3)).astype(float)
    return matrix, generator.integers(0, 2, n_rows), generator.integers(1, 6, n_rows)


@given(st.integers(0, 2**32), words)
def test_the_order_of_rows_only_moves_draws_between_equal_rows(seed, task):
    matrix, target, counts = keyed(seed)
    order = np.random.default_rng(seed).permutation(len(matrix))

    def draws_by_key(rows):
        codes = fit_codes(Table.from_matrix(matrix[rows]))
        keyed_rows = key_rows(codes, target[rows], counts[rows])
        drawn = keyed_rows.bootstrap_counts(seed, task)
        keys, place = np.unique(keyed_rows.keys, return_inverse=True)
        return keys, np.bincount(place, drawn)

    for one, other in zip(draws_by_key(np.arange(len(matrix))), draws_by_key(order), strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.integers(0, 2**32), words)
def test_weight_k_draws_like_k_copies(seed, task):
    matrix, target, counts = keyed(seed)

    def total(repeat):
        rows = np.repeat(np.arange(len(matrix)), counts if repeat else 1)
        weights = None if repeat else counts
        keyed_rows = key_rows(fit_codes(Table.from_matrix(matrix[rows])), target[rows], weights)
        return np.bincount(rows, keyed_rows.bootstrap_counts(seed, task)), keyed_rows.keys

    (weighed, weighed_keys), (copied, _) = total(repeat=False), total(repeat=True)
    for key in np.unique(weighed_keys):
        same = weighed_keys == key
        assert weighed[same].sum() == copied[same].sum()


@given(st.integers(0, 2**32), words)
def test_threads_do_not_matter(seed, task):
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, 256, (2, 9000)).astype(np.uint8)
    target = generator.integers(0, 9, 9000).astype(np.uint64)
    counts = np.full(9000, 2)
    keys = _core.row_keys(list(codes), target, 1)
    first = _core.first_copies(keys, counts)
    drawn = _core.bootstrap_counts(keys, counts, first, seed, task, 1)
    for n_threads in (2, 3, 7):
        np.testing.assert_array_equal(_core.row_keys(list(codes), target, n_threads), keys)
        again = _core.bootstrap_counts(keys, counts, first, seed, task, n_threads)
        np.testing.assert_array_equal(again, drawn)
