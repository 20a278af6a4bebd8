"""Growing and pruning as sequences; flip-flop round by round."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import load_dataset
from branchline.errors import DataError
from branchline.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    PruningSequence,
    flip_flop_trace,
)


def credit():
    return load_dataset("german-credit").split_target("class")


def halves():
    X, y = credit()
    even = np.arange(0, 1000, 2)
    return X.rows(even), np.asarray(y)[even], X.rows(even + 1), np.asarray(y)[even + 1]


def test_entropy_falls_while_that_of_held_out_rows_turns_up():
    curve = DecisionTreeClassifier(criterion="entropy").fit(*credit()).growing_curve()
    assert (np.diff(curve.growing) <= 1e-12).all()
    assert curve.growing[0] == pytest.approx(0.8813, abs=1e-4)
    assert 0 < curve.best < len(curve.held_out) - 1
    assert curve.held_out[-1] > curve.held_out[curve.best] + 0.05
    assert curve.n_leaves[0] == 1
    assert len(curve.to_frame()) == len(curve.growing)
    assert "least held-out loss" in str(curve)
    assert curve.draw().title == "Growing a tree, split by split"
    assert curve.to_dict()["best"] == curve.best


@pytest.mark.parametrize("measure", ["entropy", "error"])
def test_the_last_tree_of_the_curve_is_the_whole_tree(measure):
    X, y, other, truth = halves()
    model = DecisionTreeClassifier(prune=None).fit(X, y)
    curve = model.growing_curve(other, truth, measure=measure)
    assert curve.n_leaves[-1] == model.tree_.n_leaves
    if measure == "error":
        assert curve.held_out[-1] == pytest.approx((model.predict(other) != truth).mean())
        assert curve.growing[-1] == pytest.approx((model.predict(X) != y).mean())


def test_numbers_and_a_weighted_curve():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = DecisionTreeRegressor(prune=None).fit(X, y)
    curve = model.growing_curve(X, y)
    assert curve.growing == pytest.approx(curve.held_out)  # the same rows
    weighted = DecisionTreeRegressor().fit(X, y, sample_weight=np.full(len(y), 2))
    assert weighted.growing_curve().n_leaves[0] == 1


def test_description_length_along_the_growth():
    X, y = credit()
    model = DecisionTreeClassifier(prune="mdl", mdl_weight=200.0).fit(X, y)
    curve = model.growing_curve(X, y)
    assert curve.description_length == pytest.approx(curve.n_leaves + 200 * curve.growing)
    assert 0 < curve.shortest < len(curve.growing)


@pytest.mark.parametrize("method", ["cost_complexity", "reduced_error", "pessimistic", "mdl"])
def test_each_tree_of_a_sequence_has_the_errors_of_that_tree(method):
    X, y, other, truth = halves()
    model = DecisionTreeClassifier(prune=None).fit(X, y)
    sequence = model.pruning_sequence(other, truth, method=method)
    assert sequence.n_leaves[0] == model.tree_.n_leaves
    assert sequence.n_leaves[-1] == 1
    assert (np.diff(sequence.n_leaves) < 0).all()
    assert (np.diff(sequence.growing) >= -1e-12).all()
    assert sequence.validation[0] == pytest.approx((model.predict(other) != truth).mean())
    assert sequence.validation[-1] == pytest.approx((truth != "good").mean())
    assert sequence.to_frame()["best"].sum() == 1
    assert sequence.draw()
    if method == "cost_complexity":
        middle = len(sequence.price) // 2
        pruned = DecisionTreeClassifier(ccp_alpha=float(sequence.price[middle])).fit(X, y)
        assert pruned.tree_.n_leaves == sequence.n_leaves[middle]
        assert sequence.validation[middle] == pytest.approx((pruned.predict(other) != truth).mean())
    if method in {"pessimistic", "mdl"}:
        own = DecisionTreeClassifier(prune=method, correct_for_chance=True).fit(X, y)
        assert sequence.own_choice == own.tree_.n_leaves


def test_the_worked_example_takes_the_second_tree():
    growing = np.array([0, 6, 13, 27, 33]) / 100
    validation = np.array([10, 8, 15, 25, 35]) / 100
    sequence = PruningSequence(
        "reduced_error", np.array([9, 7, 5, 3, 1]), growing, validation, np.arange(5.0)
    )
    assert sequence.best == 1  # T₂
    assert "T2          7     6.0 %       8.0 %  ← least validation error" in str(sequence)


def test_a_sequence_of_numbers():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    sequence = DecisionTreeRegressor().fit(X, y).pruning_sequence(method="mdl")
    assert sequence.measure == "squared error"
    assert sequence.n_leaves[-1] == 1


def test_too_few_rows():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError) as caught:
        model.growing_curve()
    assert caught.value.code == "D563"


def best_subset(x, y):
    """Return the least entropy of the classes that any subset of categories leaves."""
    names = sorted(set(x))
    x, y = np.asarray(x), np.asarray(y)
    best = np.inf
    for size in range(1, len(names)):
        for subset in combinations(names, size):
            inside = np.isin(x, subset)
            best = min(best, sum(_bits(y[side]) * side.mean() for side in (inside, ~inside)))
    return best


def _bits(values):
    _, count = np.unique(values, return_counts=True)
    p = count / count.sum()
    return float(-(p * np.log2(p)).sum())


@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.sampled_from([1, 2, 3])), min_size=6, max_size=30
    )
)
def test_flip_flop_never_gets_worse_and_never_beats_all_subsets(pairs):
    x, y = zip(*pairs, strict=True)
    if len(set(x)) < 2 or len(set(y)) < 2:
        return
    trace = flip_flop_trace(x, y)
    left = [each.impurity for each in trace.rounds]
    assert (np.diff(left) < 0).all()
    assert left[-1] >= best_subset(x, y) - 1e-9
    inside = np.isin(x, trace.rounds[-1].categories)
    found = sum(_bits(np.array(y)[side]) * side.mean() for side in (inside, ~inside))
    assert found == pytest.approx(left[-1])


def test_flip_flop_on_the_textbook_table():
    table = load_dataset("flipflop")
    trace = flip_flop_trace(table.column("X").to_list(), table.column("Y").to_list())
    assert trace.rounds[-1].gain > 0
    assert len(trace.to_frame()) == len(trace.rounds)
    assert "⇄" in str(trace)
    with pytest.raises(DataError) as caught:
        flip_flop_trace(["a", "a"], [1, 2])
    assert caught.value.code == "D562"
