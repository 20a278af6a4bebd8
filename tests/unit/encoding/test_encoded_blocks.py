"""Encoded blocks: the encoding and the numbers of the whole matrix, in any order and any blocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline._encoding._block import Options
from branchline._encoding._encoded_blocks import EncodedBlocks, fit_in_blocks, is_large, pieces_of
from branchline._encoding._encoding import fit_encoding
from branchline._exact_products import ROWS_AT_ONCE
from branchline.table import Column, Table
from large_tables import FLOAT, mapped, mixed_table, taken_for_large

OPTIONS = [
    Options(),
    Options(scale="range", drop_reference=True, date_parts=True, rare=5.0),
    Options(scale="none", indicators=False, max_categories=2),
]


def matrix_of(blocks: EncodedBlocks, **options):
    return np.hstack([terms.copy() for _, terms in blocks.blocks(**options)]).T


def weights_of(n_rows, kind):
    random = np.random.default_rng(7)
    return {
        "none": None,
        "whole": random.integers(1, 5, n_rows).astype(float),
        "fractions": np.ldexp(random.integers(1, 2**20, n_rows).astype(float), -18),
    }[kind]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", ["none", "whole", "fractions"])
@pytest.mark.parametrize("n_rows", [1, 2, 50, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_the_encoding_is_that_of_the_matrix(options, kind, n_rows):
    table, _ = mixed_table(n_rows)
    weights = weights_of(n_rows, kind)
    given_weights = np.ones(n_rows) if weights is None else weights
    whole, matrix = fit_encoding(table, given_weights, options)
    blocks = fit_in_blocks(table, weights, options)
    assert list(blocks.encoding.term_names) == list(whole.term_names)
    np.testing.assert_allclose(matrix_of(blocks), matrix, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(blocks.encoding.mean, whole.mean, rtol=1e-10, atol=1e-11)
    np.testing.assert_array_equal(matrix_of(blocks), blocks.encoding.encode(table))
    np.testing.assert_array_equal(
        blocks.largest, np.abs(blocks.encoding.encode(table)).max(axis=0, initial=0.0)
    )
    switches = matrix_of(blocks)[:, blocks.is_switch]
    assert np.isin(switches, (0.0, 1.0)).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 400), st.sampled_from(["none", "whole", "fractions"]))
def test_neither_order_nor_mapping_nor_blocks_change_a_bit(tmp_path_factory, seed, n_rows, kind):
    table, _ = mixed_table(n_rows, seed)
    weights = weights_of(n_rows, kind)
    order = np.random.default_rng(seed).permutation(n_rows)
    one = fit_in_blocks(table, weights, OPTIONS[0])
    files = mapped(table.rows(order), tmp_path_factory.mktemp("files"))
    other = fit_in_blocks(files, None if weights is None else weights[order], OPTIONS[0])
    other = replace(other, rows_at_once=17)
    assert repr(one.encoding.pack()) == repr(other.encoding.pack())
    np.testing.assert_array_equal(one.encoding.mean, other.encoding.mean)
    np.testing.assert_array_equal(one.row_keys()[order], other.row_keys())
    np.testing.assert_array_equal(matrix_of(one)[order], matrix_of(other))


def test_keys_are_those_of_content():
    table, _ = mixed_table(500)
    keys = fit_in_blocks(table, None, Options()).row_keys()
    assert len(np.unique(keys)) == 500
    turned = table.select(table.names[::-1]).with_names([f"c{at}" for at in range(10)])
    np.testing.assert_array_equal(fit_in_blocks(turned, None, Options()).row_keys(), keys)
    twice = fit_in_blocks(table.rows(np.tile(np.arange(500), 2)), None, Options()).row_keys()
    np.testing.assert_array_equal(twice[:500], twice[500:])


def test_cells_that_are_missing_are_marked_when_asked_for():
    table, _ = mixed_table(300)
    blocks = fit_in_blocks(table, None, Options(indicators=False))
    places = blocks.encoding.column_of_term(table.schema)
    missing = np.stack([table.columns[place].is_missing for place in places], axis=1)
    assert missing.any()
    np.testing.assert_array_equal(np.isnan(matrix_of(blocks, marks_missing=True)), missing)


def test_which_tables_are_large():
    table = Table.from_columns([Column("x", FLOAT, np.zeros(1000))])
    assert not is_large(table)
    with taken_for_large(999):
        assert is_large(table)
        assert [piece.n_rows for piece in pieces_of(table)] == [1000]
        assert not is_large(table.rows(slice(0, 999)))
    many = Table.from_columns([Column("x", FLOAT, np.zeros(2**16 + 5))])
    with taken_for_large():
        assert [piece.n_rows for piece in pieces_of(many)] == [2**16, 5]
    assert [piece.n_rows for piece in pieces_of(many)] == [2**16 + 5]
    assert [piece.n_rows for piece in pieces_of(many.rows([]))] == [0]


def test_a_table_that_says_nothing_has_no_terms():
    table = Table.from_columns([Column("x", FLOAT, np.full(20, np.nan))])
    blocks = fit_in_blocks(table, None, Options())
    assert blocks.shape == (20, 0)
    assert [terms.shape for _, terms in blocks.blocks()] == [(0, 20)]
    assert blocks.row_keys().tolist() == [0] * 20


@pytest.mark.parametrize(
    ("shape", "in_few_passes", "expected"),
    [
        ((2**20, 1), False, False),
        ((2**20, 2), True, True),
        ((2**20, 1), True, False),
        ((2**12, 2**9), True, False),
        ((2**20, 9), False, True),
    ],
)
def test_a_learner_of_few_passes_takes_smaller_tables_in_blocks(shape, in_few_passes, expected):
    table = Table(np.broadcast_to(np.float32(0), shape))
    assert is_large(table, in_few_passes=in_few_passes) is expected
