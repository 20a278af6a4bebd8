"""Tests of a node, by property: like their twin, best where theory says so, and order-free."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from branchline._codes import fit_codes
from branchline.table import Column, ColumnType, Table
from branchline.tree._one_test import CRITERIA, grow_one_test
from branchline.tree._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, TreeArrays
from twins import find_test as twin

N_CODES = 6
any_classes, either = st.integers(1, 4), st.booleans()


@st.composite
def nodes(draw, *, n_classes=any_classes, min_rows=1, max_columns=3, variance=either):
    """A few columns of codes (0 is missing) and a target: classes, or whole numbers."""
    n_rows = draw(st.integers(min_rows, 24))

    def rows(values):
        return tuple(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))

    columns = [rows(st.integers(0, N_CODES)) for _ in range(draw(st.integers(1, max_columns)))]
    is_category = [draw(st.booleans()) for _ in columns]
    units = rows(st.integers(1, 4)) if draw(st.booleans()) else (1,) * n_rows
    if draw(variance):
        numbers = rows(st.integers(-9, 9))
        sums = tuple(number * unit for number, unit in zip(numbers, units, strict=True))
        return columns, is_category, twin.Node(sums, units, "variance"), 0
    classes = draw(n_classes)
    criterion = draw(st.sampled_from(["gini", "entropy", "misclassification"]))
    return (
        columns,
        is_category,
        twin.Node(rows(st.integers(0, classes - 1)), units, criterion),
        classes,
    )


def find(columns, is_category, node, n_classes, *, multiway=False, min_units=1, n_threads=1):
    options = _core.SearchOptions()
    options.criterion = CRITERIA[node.criterion]
    options.multiway, options.min_branch_units = multiway, min_units
    options.n_threads = n_threads
    units = np.array(node.units, dtype=np.int64)
    if n_classes:
        target = _core.SearchTarget(np.array(node.target, np.uint32), None, units, n_classes)
    else:
        target = _core.SearchTarget(None, np.array(node.target, np.int64), units, 0)
    codes = [np.array(column, dtype=np.uint8) for column in columns]
    n_codes = np.full(len(codes), N_CODES)
    return _core.find_test(codes, n_codes, np.array(is_category), target, options)


def branches_of(found, columns):
    branch_of_code = found.branch_of_code
    branch_of_code[0] = found.missing_branch
    return tuple(branch_of_code[list(columns[found.column])].tolist())


def assert_same(found, other):
    for name in ("column", "is_threshold", "left_code", "right_code", "n_branches", "gain"):
        assert getattr(found, name) == getattr(other, name)
    assert found.missing_branch == other.missing_branch
    np.testing.assert_array_equal(found.branch_of_code, other.branch_of_code)


@given(nodes(), st.booleans(), st.integers(1, 5))
def test_the_best_test_equals_its_twin(drawn, multiway, min_units):
    columns, is_category, node, n_classes = drawn
    found = find(*drawn, multiway=multiway, min_units=min_units)
    expected = twin.find_test(
        columns,
        is_category,
        node,
        n_classes=n_classes,
        is_multiway=multiway,
        min_units=min_units,
    )
    if expected is None:
        assert found.column == -1
        return
    assert found.column == expected.column
    assert found.gain == pytest.approx(float(expected.gain), rel=1e-9, abs=1e-9)
    assert branches_of(found, columns) == expected.branches
    assert found.n_branches == len(set(expected.branches))


@given(nodes(max_columns=1, variance=st.just(True)) | nodes(max_columns=1, n_classes=st.just(2)))
def test_two_classes_and_numbers_get_the_best_of_all_subsets(drawn):
    """Breiman et al. (1984), theorem 4.5: the best subset cuts the categories ordered by mean."""
    (codes,), _, node, _ = drawn
    found = find([codes], [True], *drawn[2:])
    best = twin.best_candidate(twin.all_subsets(codes), node, 1)
    assert (found.column == -1) == (best is None)
    if best is not None:
        assert found.gain == pytest.approx(float(best[0]), rel=1e-9, abs=1e-9)
        assert float(node.gain(branches_of(found, [codes]))) == pytest.approx(float(best[0]))


@given(nodes(max_columns=1, n_classes=st.integers(3, 4), variance=st.just(False)))
def test_several_classes_get_the_best_of_all_orders_and_no_more_than_the_best_subset(drawn):
    (codes,), _, node, n_classes = drawn
    found = find([codes], [True], node, n_classes)
    if found.column == -1:
        return
    best = twin.best_candidate(twin.all_subsets(codes), node, 1)
    assert found.gain <= float(best[0]) + 1e-9
    for order in twin.orders(codes, node, n_classes):
        one_order = twin.best_candidate(twin.cuts(codes, order), node, 1)
        assert one_order is None or found.gain >= float(one_order[0]) - 1e-9


@given(nodes(min_rows=2), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(drawn, multiway, random):
    columns, is_category, node, n_classes = drawn
    order = list(range(len(node.units)))
    random.shuffle(order)
    shuffled = twin.Node(
        tuple(node.target[row] for row in order),
        tuple(node.units[row] for row in order),
        node.criterion,
    )
    moved = [tuple(column[row] for row in order) for column in columns]
    assert_same(
        find(*drawn, multiway=multiway),
        find(moved, is_category, shuffled, n_classes, multiway=multiway),
    )


@given(nodes(), st.booleans(), st.integers(1, 5))
def test_weight_k_is_k_copies(drawn, multiway, min_units):
    columns, is_category, node, n_classes = drawn

    def repeat(values):
        return tuple(np.repeat(values, node.units).tolist())

    target = node.target
    if n_classes == 0:
        target = [total // unit for total, unit in zip(target, node.units, strict=True)]
    copied = twin.Node(repeat(target), (1,) * sum(node.units), node.criterion)
    copies = [repeat(column) for column in columns]
    options = {"multiway": multiway, "min_units": min_units}
    assert_same(find(*drawn, **options), find(copies, is_category, copied, n_classes, **options))


@given(nodes(max_columns=6), st.booleans())
def test_threads_do_not_matter(drawn, multiway):
    alone = find(*drawn, multiway=multiway)
    for n_threads in (2, 3, 7):
        assert_same(find(*drawn, multiway=multiway, n_threads=n_threads), alone)


@given(nodes(variance=st.just(True)), st.integers(-(2**40), 2**40))
def test_adding_a_constant_to_the_target_changes_nothing(drawn, shift):
    columns, is_category, node, _ = drawn
    sums = tuple(s + shift * u for s, u in zip(node.target, node.units, strict=True))
    shifted = twin.Node(sums, node.units, "variance")
    found, other = find(*drawn), find(columns, is_category, shifted, 0)
    assert (found.column, found.missing_branch) == (other.column, other.missing_branch)
    np.testing.assert_array_equal(found.branch_of_code, other.branch_of_code)
    assert other.gain == pytest.approx(found.gain, rel=1e-9)


def table_of(matrix, category):
    """A table of the matrix's numbers and one category column, of which one name never occurs."""
    numbers = [
        Column(f"x{place}", ColumnType("numeric", "float"), values)
        for place, values in enumerate(matrix.T)
    ]
    kind = ColumnType("category", "string", ("a", "b", "c", "never"))
    return Table.from_columns([*numbers, Column("c", kind, category)])


@given(st.integers(0, 2**32), st.integers(2, 40), st.sampled_from([None, 2, 5]), st.booleans())
def test_the_tree_of_the_test_sends_the_rows_where_the_search_did(seed, n_rows, max_bins, multiway):
    generator = np.random.default_rng(seed)
    scale = 10.0 ** generator.integers(-300, 300)
    matrix = np.round(generator.normal(size=(n_rows, 2)), generator.integers(0, 4)) * scale
    matrix[generator.random(matrix.shape) < 0.1] = np.nan
    table = table_of(matrix, generator.integers(-2, 3, n_rows).astype(np.int32))
    codes = fit_codes(table, max_bins=max_bins)
    target = _core.SearchTarget(generator.integers(0, 2, n_rows).astype(np.uint32), None, None, 2)
    options = _core.SearchOptions()
    options.multiway = multiway
    branches = []

    def summarise(branch_of_row, n_branches):
        branches.append(branch_of_row)
        return np.zeros(n_branches), np.zeros((n_branches, 1))

    tree = grow_one_test(codes, target, options, summarise)
    nodes_of_rows = tree.find_leaves(table, 1)
    if tree.n_nodes == 1:
        np.testing.assert_array_equal(nodes_of_rows, np.zeros(n_rows))
    else:
        np.testing.assert_array_equal(nodes_of_rows, branches[-1] + 1)


@st.composite
def trees(draw):
    """A valid tree over two numeric columns and a category column of four names."""
    lines = [[LEAF, -1, 0.0, -1, 0, -1, 0]]
    pool = []
    for node in range(draw(st.integers(0, 6))):
        if node >= len(lines):
            break
        feature = draw(st.integers(0, 2))
        n_children = 2 if feature < 2 else draw(st.integers(2, 4))
        threshold = draw(st.floats(-3, 3) | st.just(np.inf))
        missing = draw(st.integers(-1, n_children - 1))
        kind = THRESHOLD_TEST if feature < 2 else CATEGORIES
        lines[node] = [kind, feature, threshold, len(lines), n_children, missing, len(pool)]
        if feature == 2:
            pool += [draw(st.integers(-1, n_children - 1)) for _ in range(4)]
        lines += [[LEAF, -1, 0.0, -1, 0, -1, 0] for _ in range(n_children)]
    names = ["kind", "feature", "threshold", "first_child", "n_children", "missing_branch"]
    dtypes = [np.uint8, np.int32, np.float64, np.int32, np.int32, np.int32, np.int64]
    arrays = {
        name: np.array(values, dtype=dtype)
        for name, values, dtype in zip(
            [*names, "pool_offset"], zip(*lines, strict=True), dtypes, strict=True
        )
    }
    zeros = np.zeros(len(lines))
    return TreeArrays(**arrays, pool=np.array(pool, np.int32), weight=zeros, value=zeros[:, None])


@given(trees(), st.integers(0, 2**32), st.sampled_from([np.float32, np.float64]))
def test_leaves_equal_their_twin_for_any_number_of_threads(tree, seed, dtype):
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(2500, 2)).astype(dtype)
    matrix[generator.random(matrix.shape) < 0.1] = np.nan
    category = generator.integers(-2, 4, 2500).astype(np.int32)
    table = table_of(matrix, category)
    seen = tree.find_leaves(table, 1)
    few = slice(0, 100)
    columns = [matrix[few, 0], matrix[few, 1], category[few]]
    np.testing.assert_array_equal(seen[few], twin.find_leaves(tree, columns))
    for n_threads in (2, 3, 7):
        np.testing.assert_array_equal(tree.find_leaves(table, n_threads), seen)
