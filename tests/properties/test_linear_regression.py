"""Stagewise steps and subset search, by property: equal to their twins on rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.linear._moments import moments_of
from branchline.linear._regressor import RegressionProblem
from branchline.linear._stagewise_path import standardized
from branchline.linear._subset_search import (
    correlations,
    search_backward,
    search_best,
    search_forward,
)
from twins.linear import best_subsets, residual_share, stagewise

seeds = st.integers(0, 2**32 - 1)


def draw_problem(seed, n_rows, n_terms, *, copy=False):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(n_rows, n_terms)) @ random.normal(size=(n_terms, n_terms))
    if copy and n_terms > 2:
        matrix[:, -1] = matrix[:, 0] + matrix[:, 1]
    target = matrix @ random.normal(size=n_terms) * random.choice([0, 1]) + random.normal(
        size=n_rows
    )
    weights = random.integers(1, 4, n_rows).astype(float)
    return RegressionProblem(matrix, weights, target[:, None], np.zeros(1, dtype=np.intp))


@given(seeds, st.sampled_from(["incremental", "boost"]), st.sampled_from([0.02, 0.1, 0.5]))
def test_stagewise_steps_equal_those_on_rows(seed, method, step):
    problem = draw_problem(seed, 30, 5)
    moved = np.zeros(5)
    for place, amount in standardized(problem).steps(step, method, 60):
        moved[place] += amount
    expected = stagewise(problem.matrix, problem.targets[:, 0], problem.weights, step, method, 60)
    # Correlations are updated here and computed anew there: ties may fall either way at the end.
    np.testing.assert_allclose(moved, expected, atol=1e-9 if method == "boost" else 2 * step)
    if method == "incremental":
        assert np.median(np.abs(moved - expected)) < 1e-9


@given(seeds, st.integers(1, 7), st.booleans())
def test_the_best_subset_of_each_size_is_found(seed, n_columns, copy):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 3, n_columns)
    places = np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1])
    problem = draw_problem(seed, 60, int(sizes.sum()), copy=copy)
    found = search_best(correlations(moments_of(problem).centered()), places, n_columns)
    target, weights = problem.targets[:, 0], problem.weights
    expected = best_subsets(problem.matrix, target, weights, places)
    np.testing.assert_allclose([one.residual for one in found], expected, rtol=1e-6, atol=1e-9)
    assert [len(one.columns) for one in found] == list(range(n_columns + 1))
    for one in found:
        terms = [term for column in sorted(one.columns) for term in places[column]]
        left = residual_share(problem.matrix[:, terms], target, weights)
        assert left == pytest.approx(one.residual, rel=1e-6, abs=1e-9)


@given(seeds, st.integers(2, 6))
def test_greedy_searches_take_the_best_single_step(seed, n_columns):
    problem = draw_problem(seed, 50, n_columns)
    target, weights, places = problem.targets[:, 0], problem.weights, np.arange(n_columns)[:, None]
    table = correlations(moments_of(problem).centered())

    def left(columns):
        return residual_share(problem.matrix[:, sorted(columns)], target, weights)

    forward = search_forward(table, list(places), n_columns)
    for before, after in pairwise(forward):
        rest = set(range(n_columns)) - before.columns
        best = min(left(before.columns | {one}) for one in rest)
        assert after.residual == pytest.approx(best, rel=1e-6, abs=1e-9)
    backward = search_backward(table, list(places), n_columns)
    for smaller, larger in pairwise(backward):
        best = min(left(larger.columns - {one}) for one in larger.columns)
        assert smaller.residual == pytest.approx(best, rel=1e-6, abs=1e-9)
