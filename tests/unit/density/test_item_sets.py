"""Frequent item sets against counting every subset, one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.density import as_baskets, frequent_item_sets, read_baskets
from branchline.errors import ParameterError
from shared_data import SHARED, needs_shared

BASKETS = st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=30)


def by_counting(baskets, least, weights=None):
    """The slow twin: every subset of every size."""
    weights = [1] * len(baskets) if weights is None else weights
    items = sorted({item for basket in baskets for item in basket})
    found = {}
    for size in range(1, len(items) + 1):
        for some in combinations(items, size):
            units = sum(
                weight
                for basket, weight in zip(baskets, weights, strict=True)
                if {*some} <= {*basket}
            )
            if units >= least:
                found[frozenset(some)] = units
    return found


def sets_of(found):
    return {frozenset(names): n for names, n in found}


@given(BASKETS, st.integers(1, 4))
def test_sets_are_those_of_counting(baskets, least):
    found = frequent_item_sets([list(basket) for basket in baskets], min_support=least)
    assert sets_of(found) == by_counting(baskets, least)


@given(BASKETS, st.data())
def test_a_weight_counts_as_copies_and_order_does_not_matter(baskets, data):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(baskets), max_size=len(baskets)))
    copies = [list(b) for b, n in zip(baskets, weights, strict=True) for _ in range(n)]
    lists = [list(basket) for basket in baskets]
    weighted = frequent_item_sets(lists, min_support=2, sample_weight=weights, n_jobs=2)
    repeated = frequent_item_sets(copies[::-1], min_support=2, n_jobs=1)
    assert weighted.sets == repeated.sets
    assert weighted.counts == repeated.counts


@given(BASKETS)
def test_closed_and_maximal_sets(baskets):
    lists = [list(basket) for basket in baskets]
    every = by_counting(baskets, 2)
    larger = {one: [n for other, n in every.items() if one < other] for one in every}
    closed = {one for one, n in every.items() if n not in larger[one]}
    maximal = {one for one in every if not larger[one]}
    assert sets_of(frequent_item_sets(lists, min_support=2, kind="closed")).keys() == closed
    assert sets_of(frequent_item_sets(lists, min_support=2, kind="maximal")).keys() == maximal


@needs_shared
def test_groceries_have_the_sets_that_other_libraries_find():
    baskets = read_baskets(SHARED / "groceries" / "groceries.csv")
    assert (len(baskets), len(baskets.items)) == (9835, 169)
    # mlxtend 0.25 and pyfim 6.28 find the same numbers in these 9,835 baskets.
    found = [len(frequent_item_sets(baskets, min_support=s)) for s in (0.01, 0.001, 3)]
    assert found == [333, 13_492, 166_682]


def test_a_share_is_rounded_up_to_whole_baskets():
    baskets = [["a"]] * 3 + [["b"]] * 7
    assert len(frequent_item_sets(baskets, min_support=0.3)) == 2
    assert len(frequent_item_sets(baskets, min_support=0.31)) == 1


def test_too_many_sets_are_refused_before_memory_is_full():
    rng = np.random.default_rng(0)
    baskets = [[str(item) for item in rng.permutation(60)[:50]] for _ in range(30)]
    with pytest.raises(ParameterError, match="min_support=6") as caught:
        frequent_item_sets(baskets, min_support=3, max_sets=10_000)
    assert caught.value.code == "P651"


@pytest.mark.parametrize("empty", [[], [[]], [[], []]])
def test_no_items_are_no_sets(empty):
    assert len(frequent_item_sets(empty, min_support=1)) == 0


def test_words_frame_and_limits():
    found = frequent_item_sets([["a", "b"], ["a", "b"], ["a"]], min_support=2, max_items=1)
    assert str(found).splitlines()[0] == "2 item sets in at least 2 of 3 baskets"
    assert found.to_frame()["support"].tolist() == [1.0, pytest.approx(2 / 3)]
    assert found.to_dict()["sets"][0] == {"items": ["a"], "count": 3}
    table = as_baskets({"x": [1, 1, 2], "y": ["u", "v", None]})
    assert "of 3 rows" in str(frequent_item_sets(table, min_support=1))
