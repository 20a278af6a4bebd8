"""Exact shares of columns: equal to brute force, fair, and sound in deep trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from twins.brute_force_attributions import attributions as brute_force
from twins.brute_force_attributions import predictions
from unit.boosting.attributed_trees import (
    N_CODES,
    arrays,
    attributions,
    chain,
    columns_of,
    drawn_rows,
    drawn_trees,
    native_attributions,
    random_rows,
    random_trees,
    scale_of,
)


class TestAgainstBruteForce:
    @given(drawn_trees(), drawn_rows())
    def test_trees_of_one_output(self, trees, cells):
        expected = brute_force(trees, cells, 1)
        np.testing.assert_allclose(
            attributions(trees, cells), expected, rtol=0, atol=1e-13 * scale_of(trees)
        )

    @given(drawn_trees(), drawn_rows(), st.integers(1, 4))
    def test_trees_that_take_turns(self, trees, cells, n_outputs):
        n_outputs = min(n_outputs, len(trees["n_nodes"]))
        expected = brute_force(trees, cells, n_outputs)
        np.testing.assert_allclose(
            attributions(trees, cells, n_outputs), expected, rtol=0, atol=1e-13 * scale_of(trees)
        )

    @given(drawn_trees(most_inner=4, width=3), drawn_rows(2))
    def test_leaves_of_several_values(self, trees, cells):
        expected = brute_force(trees, cells, 3)
        np.testing.assert_allclose(
            attributions(trees, cells, 3), expected, rtol=0, atol=1e-13 * scale_of(trees)
        )

    @given(drawn_trees(most_inner=20), drawn_rows(8))
    def test_sums_are_predictions(self, trees, cells):
        sums = attributions(trees, cells).sum(axis=2)
        np.testing.assert_allclose(
            sums, predictions(trees, cells, 1), rtol=0, atol=1e-13 * scale_of(trees)
        )

    def test_two_columns_by_hand(self):
        # x0 ≤ 0: 0 (cover 2); else x1 ≤ 0: 0 (1), 8 (1). The row goes to 8.
        trees = arrays(
            [5], [1, 0, 1, 0, 0], [(0, 0.0, 0), (1, 0.0, 0)], [], [(0, 2), (0, 1), (8, 1)], (0, 0)
        )
        # f(∅) = 2, f({0}) = 4, f({1}) = 4, f({0, 1}) = 8.
        assert attributions(trees, [(1.0, 1.0)])[0, 0].tolist() == [3, 3, 2]


class TestFairness:
    @given(drawn_trees(), drawn_rows())
    def test_swapping_two_columns_swaps_their_shares(self, trees, cells):
        swap = {0: 1, 1: 0}
        feature = [swap.get(column, column) for column in trees["feature"].tolist()]
        swapped = {**trees, "feature": np.array(feature, np.int32)}
        swapped_cells = [(row[1], row[0], *row[2:]) for row in cells]
        order = [1, 0, 2, 3, 4, 5]
        first = attributions(trees, cells)
        second = attributions(swapped, swapped_cells)[:, :, order]
        assert np.array_equal(first, second)

    @given(drawn_trees(), drawn_rows())
    def test_a_column_that_is_never_tested_has_exactly_nothing(self, trees, cells):
        tested = set(trees["feature"].tolist())
        shares = attributions(trees, cells)
        for column in set(range(len(N_CODES))) - tested:
            assert not shares[:, :, column].any()

    @given(drawn_trees(), drawn_trees(), drawn_rows())
    def test_shares_of_a_sum_are_sums_of_shares(self, first, second, cells):
        joined = {
            name: value if name in ("n_codes", "width") else np.concatenate([value, second[name]])
            for name, value in first.items()
        }
        parts = attributions(first, cells) + attributions(second, cells)
        np.testing.assert_allclose(
            attributions(joined, cells), parts, rtol=0, atol=1e-13 * scale_of(joined)
        )

    def test_equal_columns_have_equal_shares(self):
        leaves = [(0, 1), (1, 1), (1, 1), (2, 1)]
        tests = [(0, 0.0, 0), (1, 0.0, 0), (1, 0.0, 0)]
        trees = arrays([7], [1, 1, 1, 0, 0, 0, 0], tests, [], leaves, (0, 0))
        shares = attributions(trees, [(1.0, 1.0), (-1.0, -1.0)])[:, 0]
        assert shares.tolist() == [[0.5, 0.5, 1], [-0.5, -0.5, 1]]


class TestCovers:
    def test_all_rows_on_one_side(self):
        trees = arrays([3], [1, 0, 0], [(0, 0.0, 0)], [], [(1, 0), (5, 2)], (0,))
        assert attributions(trees, [(-1.0,), (1.0,)])[:, 0].tolist() == [[-4, 5], [0, 5]]

    def test_a_node_of_no_cover_shares_by_half(self):
        tests = [(0, 0.0, 0), (1, 0.0, 0)]
        trees = arrays([5], [1, 1, 0, 0, 0], tests, [], [(6, 3), (0, 0), (4, 0)], (0, 0))
        # f(∅) = 6, f({0}) = 2, f({1}) = 6, f({0, 1}) = 4.
        assert attributions(trees, [(-1.0, 1.0)])[0, 0].tolist() == [-3, 1, 6]

    def test_scale_of_covers_does_not_matter(self):
        trees, cells = random_trees(5, 20, 6, 0), random_rows(9, 6, 1)
        scaled = {**trees, "leaf_cover": trees["leaf_cover"] * 2.0**-1000}
        assert np.array_equal(attributions(trees, cells), attributions(scaled, cells))


class TestDeepTrees:
    @pytest.mark.parametrize("share", [0.5, 0.01, 0.999])
    def test_a_chain_of_sixty_columns(self, share):
        # One leaf counts, behind d tests that the row agrees with, each with the same z: all
        # columns are alike, and each gets (1 − z^d) / d.
        depth = 60
        covers = [(1 - share) * share**level for level in range(depth)] + [share**depth]
        trees = chain(depth, range(depth), [0] * depth + [1], covers, depth)
        shares = attributions(trees, [(1.0,) * depth])[0, 0]
        np.testing.assert_allclose(shares[:-1], (1 - share**depth) / depth, rtol=1e-12)
        np.testing.assert_allclose(shares[-1], share**depth, rtol=1e-12)

    def test_a_row_that_agrees_with_some_of_sixty(self):
        # The leaf needs d columns; of those the row has a. With z = ½ each, columns it has get
        # ½ ∫ ((1 + t) / 2)^(a−1) ((1 − t) / 2)^(d−a) dt; others lose the same with powers a, d−a−1.
        depth, agreeing = 60, 7
        z = 0.5
        covers = [z ** (level + 1) for level in range(depth)] + [z**depth]
        trees = chain(depth, range(depth), [0] * depth + [1], covers, depth)
        row = (1.0,) * agreeing + (-1.0,) * (depth - agreeing)
        shares = attributions(trees, [row])[0, 0]
        t = (np.polynomial.legendre.leggauss(200)[0] + 1) / 2
        w = np.polynomial.legendre.leggauss(200)[1] / 2
        up, down = (1 + t) / 2, (1 - t) / 2
        has = z * np.sum(w * up ** (agreeing - 1) * down ** (depth - agreeing))
        lacks = -z * np.sum(w * up**agreeing * down ** (depth - agreeing - 1))
        np.testing.assert_allclose(shares[:agreeing], has, rtol=1e-11)
        np.testing.assert_allclose(shares[agreeing:-1], lacks, rtol=1e-11)

    def test_a_column_again_and_again(self):
        # One column decides all: its share is what the row gets beyond the expectation.
        depth = 60
        values = np.arange(depth + 1.0)
        trees = chain(depth, [0] * depth, values, np.ones(depth + 1), 1)
        trees["threshold"] = np.arange(depth, dtype=float)
        for value in (-1.0, 17.5, 100.0):
            row = [(value,)]
            share, expectation = attributions(trees, row)[0, 0]
            assert expectation == pytest.approx(depth / 2, rel=1e-14)
            assert share == pytest.approx(predictions(trees, row, 1)[0, 0] - depth / 2, rel=1e-12)

    def test_random_chains_add_up(self):
        rng = np.random.default_rng(3)
        depth, n_columns = 60, 40
        columns = rng.integers(0, n_columns, depth)
        covers = rng.exponential(size=depth + 1) * 10.0 ** rng.integers(-6, 6, depth + 1)
        trees = chain(depth, columns, rng.normal(size=depth + 1), covers, n_columns)
        trees["threshold"] = rng.normal(size=depth) - 2
        cells = random_rows(50, n_columns, 4)
        sums = attributions(trees, cells).sum(axis=2)
        np.testing.assert_allclose(sums, predictions(trees, cells, 1), rtol=0, atol=1e-12)


class TestRows:
    @pytest.mark.parametrize("width", [1, 2])
    def test_threads_and_company_change_no_bit(self, width):
        trees, cells = random_trees(60, 300, 12, 5, width), random_rows(203, 12, 6)
        whole = attributions(trees, cells, 2)
        for n_threads in (2, 3):
            assert np.array_equal(attributions(trees, cells, 2, n_threads), whole)
        for row in (0, 7, 8, 100, 202):
            assert np.array_equal(attributions(trees, cells[row : row + 1], 2)[0], whole[row])

    def test_sums_are_those_of_a_walker(self):
        trees, cells = random_trees(50, 62, 10, 7, width=3), random_rows(100, 10, 8)
        columns, n_categories = columns_of(cells, (0,) * 10)
        arguments = {name: value for name, value in trees.items() if name != "leaf_cover"}
        mean = (
            _core.ForestWalker(_core.TreesView(**arguments))
            .average(columns, n_categories, 1)
            .reshape(-1, 3)
        )
        sums = attributions(trees, cells, 3).sum(axis=2)
        np.testing.assert_allclose(sums, 50 * mean, rtol=1e-11, atol=1e-11)

    def test_float32_and_strided_columns(self):
        trees, cells = random_trees(9, 20, 4, 9), random_rows(30, 4, 10)
        X = np.array(cells, np.float32)
        wide = X.astype(np.float64)
        n_categories = np.full(4, -1, np.int32)
        first, second = (
            native_attributions(list(Z.T), n_categories, **trees, n_outputs=1, n_threads=1)
            for Z in (X, wide)
        )
        assert np.array_equal(first, second)

    def test_no_rows(self):
        assert attributions(random_trees(2, 3, 2, 0), []).shape == (0, 1, 3)

    def test_trees_of_one_leaf(self):
        trees = arrays([1, 1], [0, 0], [], [], [(2, 1), (3, 5)], (0, 2))
        assert attributions(trees, [(0.0, 1)]).tolist() == [[[0, 0, 5]]]
        assert attributions(trees, [(0.0, 1)], 2).tolist() == [[[0, 0, 2], [0, 0, 3]]]

    def test_missing_values_go_their_own_way(self):
        for missing_left in (0, 1):
            trees = arrays([3], [1, 0, 0], [(0, 0.0, missing_left)], [], [(1, 1), (3, 1)], (0,))
            share = attributions(trees, [(float("nan"),)])[0, 0, 0]
            assert share == (-1 if missing_left else 1)


GOOD = {
    **random_trees(4, 5, 3, 11),
    "columns": [np.zeros(2)] * 3,
    "n_categories": np.full(3, -1, np.int32),
    "n_outputs": 2,
    "n_threads": 1,
}
CATEGORY = np.zeros(2, np.int32)


class TestRefusals:
    @pytest.mark.parametrize(
        "change",
        [
            {"leaf_cover": np.ones(23)},
            {"leaf_cover": np.r_[-1.0, np.ones(23)]},
            {"leaf_cover": np.r_[np.nan, np.ones(23)]},
            {"leaf_cover": np.r_[np.inf, np.ones(23)]},
            {"leaf_cover": np.full(24, 1e308)},
            {"leaf_cover": np.r_[np.zeros(6), np.ones(18)]},
            {"n_outputs": 0},
            {"n_outputs": 5},
            {"n_outputs": 2**40},
            {"width": 2},
            {"width": 0},
            {"n_threads": 0},
            {"n_nodes": np.array([11, 11, 11, 10])},
            {"feature": GOOD["feature"] - 1},
            {"feature": GOOD["feature"] + 1},
            {"threshold": GOOD["threshold"] * np.nan},
            {"columns": [np.zeros(2)] * 2, "n_categories": np.full(2, -1, np.int32)},
            {"columns": [np.zeros(2)] * 4, "n_categories": np.full(4, -1, np.int32)},
            {"columns": [CATEGORY] * 3, "n_categories": np.ones(3, np.int32)},
        ],
    )
    def test_what_does_not_fit(self, change):
        native_attributions(**GOOD)
        with pytest.raises(ValueError, match=r"."):
            native_attributions(**{**GOOD, **change})

    def test_categories_out_of_range(self):
        trees = arrays([3], [2, 0, 0], [(0, 0.0, 0)], [2], [(1, 1), (3, 1)], (3,))
        rest = {"n_outputs": 1, "n_threads": 1, **trees}
        column = [np.array([2], np.int32)]
        native_attributions(column, np.array([3], np.int32), **rest)
        with pytest.raises(IndexError):
            native_attributions(column, np.array([2], np.int32), **rest)
        with pytest.raises(ValueError, match="lacks branches"):
            native_attributions(column, np.array([4], np.int32), **rest)
