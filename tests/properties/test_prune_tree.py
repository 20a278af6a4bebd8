"""Pruning, by property: like its twin, nested, and true to the rows that were held out."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from twins import prune_tree as twin

N_CODES = 5
whole = st.integers(0, 12)


@st.composite
def shapes(draw, max_inner=6):
    """First child and number of children of each node."""
    first_child, n_children, n_inner = [-1], [0], 0
    for node in range(100):
        if node == len(n_children) or n_inner == max_inner:
            break
        if draw(st.booleans()):
            n_inner += 1
            first_child[node], n_children[node] = len(n_children), draw(st.sampled_from([2, 2, 3]))
            first_child += [-1] * n_children[node]
            n_children += [0] * n_children[node]
    return tuple(first_child), tuple(n_children)


@st.composite
def trees(draw, divisor):
    """A shape with costs that are multiples of 1 / divisor."""
    first_child, n_children = draw(shapes())

    def numbers():
        size = len(n_children)
        drawn = draw(st.lists(whole, min_size=size, max_size=size))
        return tuple(Fraction(number, divisor) for number in drawn)

    return twin.Tree(first_child, n_children, numbers(), numbers())


def arrays_of(tree):
    return (
        np.array(tree.first_child, np.int32),
        np.array(tree.n_children, np.int32),
        np.array(tree.cost, float),
        np.array(tree.extra, float),
    )


# Tenths are not exact in binary: what is equal must be found equal all the same.
@given(trees(1) | trees(10) | trees(3))
def test_weakest_links_equal_their_twin(tree):
    critical = _core.weakest_link(*arrays_of(tree))
    expected = twin.weakest_link(tree)
    for node, n_children in enumerate(tree.n_children):
        if n_children == 0:
            assert critical[node] == -math.inf
            continue
        assert critical[node] == pytest.approx(float(expected[node]), rel=1e-11, abs=0)
        for other in expected:
            assert (critical[node] == critical[other]) == (expected[node] == expected[other])


@given(trees(1) | trees(10) | trees(3))
def test_greedy_pruning_equals_its_twin(tree):
    nodes, costs = _core.greedy_pruning(*arrays_of(tree))
    expected_nodes, expected_costs = twin.greedy_pruning(tree)
    assert nodes.tolist() == expected_nodes
    np.testing.assert_allclose(costs, np.array(expected_costs, float), rtol=1e-14, atol=1e-14)
    for one, two, expected_one, expected_two in zip(
        costs[:-1], costs[1:], expected_costs[:-1], expected_costs[1:], strict=True
    ):
        assert (one == two) == (expected_one == expected_two)


@given(trees(1))
def test_no_extra_cost_is_an_extra_cost_of_zero(tree):
    first_child, n_children, cost, extra = arrays_of(tree)
    for kernel in (_core.weakest_link, _core.greedy_pruning):
        without = kernel(first_child, n_children, cost)
        with_zeros = kernel(first_child, n_children, cost, 0 * extra)
        np.testing.assert_array_equal(np.hstack(without), np.hstack(with_zeros))


@st.composite
def coded_trees(draw, n_columns=3):
    """The arrays of a tree in codes, of all kinds of tests."""
    first_child, n_children = draw(shapes())
    fields = {name: [] for name in ("kind", "feature", "missing_branch", "left_code")}
    pool, pool_offset = [], []
    for count in n_children:
        kind = draw(st.integers(1, 2)) if count else 0
        fields["kind"].append(kind)
        fields["feature"].append(draw(st.integers(0, n_columns - 1)) if count else -1)
        fields["missing_branch"].append(draw(st.integers(-2, count - 1)) if count else -1)
        fields["left_code"].append(draw(st.integers(0, N_CODES)))
        pool_offset.append(len(pool))
        if kind == 2:
            pool += [draw(st.integers(-1, count - 1)) for _ in range(N_CODES)]
    return {
        "kind": np.array(fields["kind"], np.uint8),
        "feature": np.array(fields["feature"], np.int32),
        "first_child": np.array(first_child, np.int32),
        "n_children": np.array(n_children, np.int32),
        "missing_branch": np.array(fields["missing_branch"], np.int32),
        "left_code": np.array(fields["left_code"], np.uint32),
        "pool_offset": np.array(pool_offset, np.int64),
        "pool": np.array(pool, np.int32),
        "weight": np.array([draw(whole) for _ in n_children], float),
    }


class HeldOut:
    """A tree, rows for it, and what each row loses at each node."""

    def __init__(self, draw):
        self.tree = draw(coded_trees())
        self.n_nodes = len(self.tree["kind"])
        random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        n_rows = draw(st.integers(1, 12))
        kinds = [np.uint8, np.uint16, np.uint32]
        self.codes = [random.integers(0, N_CODES + 1, n_rows).astype(kind) for kind in kinds]
        self.rows = random.integers(0, n_rows, draw(st.integers(0, 20))).astype(np.uint32)
        self.weight = random.integers(0, 5, len(self.rows)) / 4
        if draw(st.booleans()):
            cost, decision = random.random((3, 3)), random.integers(0, 3, self.n_nodes)
            target = random.integers(0, 3, n_rows).astype(np.uint32)
            self.loss = _core.ClassLoss(target, decision, cost.ravel(), 3)
            self.loss_at = cost[target][:, decision]
        else:
            target, mean = random.normal(size=(n_rows, 2)), random.normal(size=(self.n_nodes, 2))
            self.loss = _core.NumberLoss(target.ravel(), mean.ravel(), 2)
            self.loss_at = ((target[:, None] - mean[None]) ** 2).sum(axis=2)

    def native(self):
        held_out = _core.HeldOutRows(self.codes, self.rows, self.weight)
        return _core.CodedTree(**self.tree), held_out, self.loss

    def paths(self):
        """Yield the row, its weight, the nodes it passes, and whether it stays in the last."""
        for row, weight in zip(self.rows, self.weight, strict=True):
            yield row, weight, *twin.path(self.tree, [column[row] for column in self.codes])


held_out_rows = st.composite(HeldOut)()


@given(held_out_rows)
def test_losses_of_nodes_equal_their_twin(held_out):
    passing, stayed = [[] for _ in range(held_out.n_nodes)], [[] for _ in range(held_out.n_nodes)]
    for row, weight, nodes, stays in held_out.paths():
        for node in nodes:
            passing[node].append(weight * held_out.loss_at[row, node])
        if stays:
            stayed[nodes[-1]].append(weight * held_out.loss_at[row, nodes[-1]])
    for seen, terms in zip(_core.node_losses(*held_out.native()), (passing, stayed), strict=True):
        expected = [math.fsum(of_node) for of_node in terms]
        np.testing.assert_allclose(seen, expected, rtol=1e-15, atol=0)


@given(held_out_rows, st.data())
def test_losses_along_the_path_equal_their_twin(held_out, data):
    values = st.sampled_from([-math.inf, 0.0, 0.25, 0.5, 1.0, 2.0, math.inf])
    n_nodes = held_out.n_nodes
    critical = np.array(data.draw(st.lists(values, min_size=n_nodes, max_size=n_nodes)))
    betas = np.sort(np.array(data.draw(st.lists(values, max_size=9)), float))
    seen = _core.losses_along_path(*held_out.native(), critical, betas)
    for power in (1, 2):
        expected = [
            math.fsum(
                weight * held_out.loss_at[row, twin.decides(nodes, critical, beta)] ** power
                for row, weight, nodes, _ in held_out.paths()
            )
            for beta in betas
        ]
        np.testing.assert_allclose(seen[power - 1], expected, rtol=2e-15, atol=0)
    changes = held_out.loss_at - held_out.loss_at[:, :1]
    expected = [
        math.fsum(
            weight * changes[row, twin.decides(nodes, critical, beta)] ** 2
            for row, weight, nodes, _ in held_out.paths()
        )
        for beta in betas
    ]
    np.testing.assert_allclose(seen[2], expected, rtol=2e-15, atol=0)


@given(held_out_rows)
def test_pruning_and_held_out_losses_tell_the_same_story(held_out):
    native = held_out.native()
    shape = held_out.tree["first_child"], held_out.tree["n_children"]
    passing, stayed = _core.node_losses(*native)
    critical = _core.weakest_link(*shape, passing, stayed)
    _, costs = _core.greedy_pruning(*shape, passing, stayed)
    ends = np.array([-math.inf, math.inf])
    sums, _, _ = _core.losses_along_path(*native, critical, ends)
    np.testing.assert_allclose(sums, costs[[0, -1]], rtol=1e-13, atol=1e-13)


@given(coded_trees(), st.data())
def test_a_spoilt_tree_is_refused_or_walked_without_harm(tree, data):
    name = data.draw(st.sampled_from(sorted(tree)))
    if len(tree[name]):
        at = data.draw(st.integers(0, len(tree[name]) - 1))
        limits = np.iinfo(tree[name].dtype) if name != "weight" else None
        spoilt = st.floats() if limits is None else st.integers(limits.min, limits.max)
        tree[name][at] = data.draw(spoilt | st.integers(0, 9))
    codes = [np.arange(N_CODES + 1, dtype=np.uint8) for _ in range(3)]
    rows, ones = np.arange(N_CODES + 1, dtype=np.uint32), np.ones(N_CODES + 1)
    loss = _core.NumberLoss(ones, np.zeros(len(tree["kind"])), 1)
    try:
        passing, stayed = _core.node_losses(
            _core.CodedTree(**tree), _core.HeldOutRows(codes, rows, ones), loss
        )
    except (ValueError, IndexError):
        return
    # What is walked is a tree: every row, of loss 1, passes the root and ends in one node.
    is_leaf = tree["kind"] == twin.LEAF
    assert passing[0] == len(rows)
    assert passing[is_leaf].sum() + stayed.sum() == len(rows)
    assert not stayed[is_leaf].any()
