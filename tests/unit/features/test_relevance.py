"""Relevance: the textbook's cases, and brute force over all subsets of small tables."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.errors import DataError
from branchline.features import relevance


def test_parity_needs_all_columns():
    cases = list(product([0, 1], repeat=3))
    table = {"a": [c[0] for c in cases], "b": [c[1] for c in cases], "c": [c[2] for c in cases]}
    found = relevance(table, [str(sum(case) % 2) for case in cases])
    assert {found[name] for name in "abc"} == {"strong"}
    assert found.boundaries == (("a", "b", "c"),)
    assert next(one.witness for one in found.columns if one.name == "a") == ("b", "c")


def test_copies_are_weakly_relevant():
    table = {"a": [0, 1, 0, 1], "copy": [5, 7, 5, 7], "noise": [0, 0, 1, 1]}
    found = relevance(table, ["n", "y", "n", "y"])
    assert (found["a"], found["copy"], found["noise"]) == ("weak", "weak", "irrelevant")
    assert found.boundaries == (("a",), ("copy",))
    assert "Markov boundary: {a} or {copy}" in str(found)


def depends(columns, y, of, on):
    """Whether P(y | of, on) differs from P(y | on) for some row, by fractions."""
    for row in range(len(y)):
        alike = [r for r in range(len(y)) if all(columns[c][r] == columns[c][row] for c in on)]
        same = [r for r in alike if all(columns[c][r] == columns[c][row] for c in of)]
        for label in set(y):
            one = Fraction(sum(y[r] == label for r in alike), len(alike))
            other = Fraction(sum(y[r] == label for r in same), len(same))
            if one != other:
                return True
    return False


@given(seed=st.integers(0, 100_000), n_columns=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_brute_force(seed, n_columns):
    draws = np.random.default_rng(seed)
    columns = {f"c{at}": draws.integers(0, 2, 10).tolist() for at in range(n_columns)}
    y = draws.choice(["p", "q"], 10).tolist()
    if len(set(y)) == 1:
        return
    found = relevance(columns, y)
    names = list(columns)
    for name in names:
        others = [other for other in names if other != name]
        subsets = [on for size in range(len(others) + 1) for on in combinations(others, size)]
        if depends(columns, y, [name], others):
            expected = "strong"
        elif any(depends(columns, y, [name], on) for on in subsets):
            expected = "weak"
        else:
            expected = "irrelevant"
        assert found[name] == expected
    enough = [
        kept
        for size in range(n_columns + 1)
        for kept in combinations(names, size)
        if not depends(columns, y, [name for name in names if name not in kept], kept)
    ]
    assert set(found.boundaries) == {kept for kept in enough if len(kept) == len(enough[0])}


def test_large_tables_are_refused():
    with pytest.raises(DataError, match="at most 12") as seen:
        relevance(np.zeros((4, 13)), ["a", "b", "a", "b"])
    assert seen.value.code == "D570"
