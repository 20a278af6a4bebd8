"""Bayesian networks: scores, searches and inference equal the slow twins on any small table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.density.network._elimination import (
    draw_missing,
    log_likelihood,
    marginals,
    most_probable,
)
from branchline.density.network._network import MISSING, Network, fit_tables, flags_of
from branchline.density.network._search import LevelRows, SearchOptions, family_score, search
from twins import network as twin


@st.composite
def tables(draw, n_columns=5):
    n_levels = tuple(draw(st.lists(st.integers(2, 3), min_size=n_columns, max_size=n_columns)))
    seed = draw(st.integers(0, 10_000))
    draws = np.random.default_rng(seed)
    n_rows = draw(st.integers(1, 40))
    levels = np.stack([draws.integers(0, r, n_rows) for r in n_levels], axis=1)
    for child in range(1, n_columns):  # so that some columns depend on others
        copied = draws.random(n_rows) < draw(st.sampled_from([0.0, 0.8]))
        levels[copied, child] = np.minimum(levels[copied, child - 1], n_levels[child] - 1)
    units = draws.integers(1, 4, n_rows)
    return LevelRows(levels.astype(np.uint16), n_levels, units)


@st.composite
def networks(draw):
    n = draw(st.integers(1, 5))
    draws = np.random.default_rng(draw(st.integers(0, 10_000)))
    parents = tuple(tuple(p for p in range(child) if draws.random() < 0.5) for child in range(n))
    n_levels = draws.integers(2, 4, n)
    tables = tuple(
        draws.dirichlet(np.ones(n_levels[at]), size=tuple(n_levels[list(parents[at])]))
        for at in range(n)
    )
    levels = np.stack([draws.integers(0, r, 4) for r in n_levels], axis=1).astype(np.uint16)
    levels[draws.random(levels.shape) < 0.5] = MISSING
    return Network(parents, tables), levels


def options(n, structure, max_parents=4, *, is_bdeu=False, forbidden=()):
    allowed = ~np.eye(n, dtype=bool)
    for parent, child in forbidden:
        allowed[child, parent] = False
    nothing = np.zeros((n, n), dtype=bool)
    return SearchOptions(structure, is_bdeu, 1.0, allowed, nothing, max_parents)


@given(tables(), st.booleans(), st.integers(0, 4))
def test_family_scores_are_those_of_counts(rows, is_bdeu, n_parents):
    asked = options(5, "exact", is_bdeu=is_bdeu)
    parents = tuple(range(1, 1 + n_parents))
    seen = family_score(rows, asked, 0, parents)
    slow = twin.family_score(rows.levels, rows.units, rows.n_levels, 0, parents, is_bdeu=is_bdeu)
    assert seen == pytest.approx(slow, rel=1e-9, abs=1e-9)


@settings(max_examples=8, deadline=None)
@given(tables(), st.booleans(), st.sampled_from([(), ((0, 1), (2, 1))]))
def test_the_exact_search_equals_brute_force(rows, is_bdeu, forbidden):
    asked = options(5, "exact", is_bdeu=is_bdeu, forbidden=forbidden)
    parents = search(rows, asked)
    total = sum(family_score(rows, asked, child, held) for child, held in enumerate(parents))
    slow = twin.best_score(rows.levels, rows.units, rows.n_levels, 4, forbidden, is_bdeu=is_bdeu)
    assert total == pytest.approx(slow, rel=1e-9, abs=1e-6)
    assert not any(flags_of(parents)[child, parent] for parent, child in forbidden)


@given(tables())
def test_hill_climbing_is_never_above_the_exact_search(rows):
    best = options(5, "exact")
    score = {
        structure: sum(
            family_score(rows, best, child, held)
            for child, held in enumerate(search(rows, options(5, structure)))
        )
        for structure in ("exact", "hill_climbing", "chow_liu")
    }
    assert score["hill_climbing"] <= score["exact"] + 1e-6
    assert score["chow_liu"] <= score["exact"] + 1e-6


@given(networks())
def test_inference_equals_the_sum_over_all_completions(made):
    network, levels = made
    seen = log_likelihood(network, levels)
    best = most_probable(network, levels)
    for at, row in enumerate(levels):
        every = twin.completions(network, row, MISSING)
        assert np.exp(seen[at]) == pytest.approx(sum(every.values()))
        assert twin.joint(network, best[at]) == pytest.approx(max(every.values()))
    for column in range(len(network)):
        shares = marginals(network, levels, (column,))
        for at, row in enumerate(levels):
            slow = twin.marginal(network, row, MISSING, column)
            np.testing.assert_allclose(shares[at], slow, atol=1e-12)


@settings(max_examples=5, deadline=None)
@given(networks())
def test_draws_have_the_probabilities_of_completions(made):
    network, levels = made
    drawn = draw_missing(network, np.repeat(levels[:1], 4000, axis=0), np.random.default_rng(0))
    every = twin.completions(network, levels[0], MISSING)
    total = sum(every.values())
    for full, share in every.items():
        p = share / total
        found = float((drawn == full).all(axis=1).mean())
        assert abs(found - p) < 5 * np.sqrt(p * (1 - p) / 4000) + 1e-3


def test_tables_add_the_prior_and_skip_rows_with_missing_cells():
    levels = np.array([[0, 0], [0, 1], [1, MISSING]], dtype=np.uint16)
    units = np.array([3, 1, 5], dtype=np.int64)
    first, second = fit_tables(levels, units, 1.0, ((), (0,)), (2, 2), 1.0)
    np.testing.assert_allclose(first, [4.5 / 10, 5.5 / 10])
    share = np.array([3.5, 1.5]) / 5
    np.testing.assert_allclose(second, [(np.array([3, 1]) + share) / 5, share])
