"""A list of rules being simplified: what it costs, and what removing a rule would cost."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from branchline import Table
from branchline.tree.reading._conditions import Condition
from branchline.tree.reading._decision_list import DecisionList, Draft
from branchline.tree.reading._rule_rows import ClassRows, NumberRows


def some_rows(seed, n_rows=40, n_classes=3):
    chance = np.random.default_rng(seed)
    table = Table({"x": chance.integers(0, 8, n_rows).astype(float)})
    truth = chance.integers(0, n_classes, n_rows)
    weight = chance.integers(1, 4, n_rows).astype(float)
    return ClassRows(table, truth, weight, 1 - np.eye(n_classes)), table, truth, weight


def some_drafts(seed, n_rules=6):
    chance = np.random.default_rng(seed)
    drafts = []
    for _ in range(n_rules):
        low = int(chance.integers(0, 7))
        parts = (
            Condition("x", above=low),
            Condition("x", at_most=low + int(chance.integers(1, 4))),
        )
        drafts.append(Draft(parts, int(chance.integers(0, 3)), 0))
    return drafts


def slow_loss(drafts, default, table, truth, weight):
    """The loss of a list, row by row."""
    total = 0.0
    for x, true, each in zip(table["x"].values, truth, weight, strict=True):
        outcome = default
        for draft in drafts:
            if all(part.above < x <= part.at_most for part in draft.parts):
                outcome = draft.outcome
                break
        total += each * (outcome != true)
    return total


@given(seed=st.integers(0, 10**6), allowed=st.sampled_from([0.0, 30.0, 60.0]))
def test_rules_go_the_cheapest_first_while_the_loss_allows(seed, allowed):
    rows, table, truth, weight = some_rows(seed)
    drafts = some_drafts(seed + 1)
    made = DecisionList(drafts, rows)
    assert made.loss == slow_loss(drafts, made.default, table, truth, weight)
    made.eliminate(allowed)
    left = list(drafts)
    while left:  # the same, slowly
        now = slow_loss(left, made.default, table, truth, weight)
        without = [left[:place] + left[place + 1 :] for place in range(len(left))]
        losses = [slow_loss(each, made.default, table, truth, weight) for each in without]
        if min(losses) > max(now, allowed):
            break
        left = without[int(np.argmin(losses))]
    assert made.drafts == left
    assert made.loss == slow_loss(left, made.default, table, truth, weight)


def test_the_default_suits_the_rows_that_are_left():
    table = Table({"x": [1.0, 2.0, 3.0, 4.0]})
    rows = ClassRows(table, np.array([0, 0, 1, 2]), np.array([1.0, 1, 1, 3]), 1 - np.eye(3))
    high = Draft((Condition("x", above=3.0),), 2, 0)
    assert DecisionList([high], rows).default == 0
    assert DecisionList([high], rows, 1).default == 1
    everything = Draft((Condition("x", above=0.0),), 2, 0)
    assert DecisionList([everything], rows).default == 2  # the dearest class of all rows


def test_the_limit_of_errors_is_that_of_a_binomial_proportion():
    rows = some_rows(0)[0]
    for weight, errors in itertools.product((1, 5, 30), (0, 1, 4)):
        limit = float(rows.limit(np.array([weight, errors], dtype=float), 0.25))
        if errors >= weight:
            assert limit == 1.0
        else:
            assert binom.cdf(errors, weight, limit) == pytest.approx(0.25)


def test_the_limit_of_variance_is_that_of_chi_square():
    values = np.array([[1.0], [2.0], [4.0], [9.0]])
    rows = NumberRows(Table({"x": [1.0, 2.0, 3.0, 4.0]}), values, np.ones(4))
    sums = rows.parts(None).sum(axis=0)
    spread = 4.0  # the numbers are in standard deviations
    assert float(rows.limit(sums, 0.25)) == pytest.approx(spread / chi2.ppf(0.25, 3))
    assert float(rows.limit(rows.parts(None)[0], 0.25)) == np.inf  # one row says nothing
    assert rows.outcome(sums, None) == pytest.approx([0.0], abs=1e-12)
    assert rows.outcome(0 * sums, np.array([7.0])) == [7.0]


def test_bounds_of_a_column_become_one_condition():
    parts = (Condition("x", above=1.0), Condition("y", at_most=2.0), Condition("x", at_most=3.0))
    draft = Draft(parts, 0, 0)
    assert list(map(str, draft.conditions())) == ["1 < x ≤ 3", "y ≤ 2"]
    assert list(map(str, draft.without(0).conditions())) == ["y ≤ 2", "x ≤ 3"]
