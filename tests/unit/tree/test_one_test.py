"""One test and its tree: edge cases of the search, the threshold and the walk."""

import numpy as np
import pytest

from branchline import _core
from branchline._codes import MAX_CATEGORIES, fit_codes
from branchline.table import Column, ColumnType, Table
from branchline.tree._one_test import CRITERIA, grow_one_test

MOST = np.finfo(np.float64).max
LEAST = np.nextafter(0, 1)


def grow(table, classes, *, n_classes=2, criterion="gini", max_bins=None, **options):
    """Return the tree of the best test; each node's value is its number of rows."""
    search = _core.SearchOptions()
    search.criterion = CRITERIA[criterion]
    for name, value in options.items():
        setattr(search, name, value)
    target = _core.SearchTarget(np.array(classes, np.uint32), None, None, n_classes)

    def summarise(branch_of_row, n_branches):
        counts = np.bincount(branch_of_row, minlength=n_branches).astype(float)
        return counts, counts[:, None]

    return grow_one_test(fit_codes(table, max_bins=max_bins), target, search, summarise)


def numbers(*columns):
    return Table.from_matrix(np.array(columns, dtype=np.float64).T)


def categories(codes, n_categories):
    kind = ColumnType("category", "integer", tuple(range(n_categories)))
    return Table.from_columns([Column("c", kind, np.array(codes, np.int32))])


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([5.0], [0]),
        ([5.0, 5.0], [0, 1]),
        ([5.0, 6.0], [1, 1]),
        ([np.nan, np.nan], [0, 1]),
        ([1.0, 1.0, 2.0, 2.0], [0, 1, 0, 1]),
    ],
    ids=["one row", "constant", "one class", "all missing", "no gain"],
)
def test_without_anything_to_tell_apart_the_tree_is_a_leaf(values, classes):
    tree = grow(numbers(values), classes)
    assert tree.n_nodes == tree.n_leaves == 1
    assert tree.find_leaves(numbers(values), 1).tolist() == [0] * len(values)


def test_two_rows_are_parted_in_the_middle():
    tree = grow(numbers([3.0, 1.0]), [0, 1])
    assert tree.threshold[0] == 2
    assert tree.find_leaves(numbers([3.0, 1.0, 2.0, np.nextafter(2, 3)]), 1).tolist() == [
        2,
        1,
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (-MOST, MOST),
        (MOST / 2, MOST),
        (1e300, 1.1e300),
        (-LEAST, LEAST),
        (0.0, LEAST),
        (LEAST, 2 * LEAST),
        (3 * LEAST, 4 * LEAST),
        (1.0, np.nextafter(1.0, 2.0)),
        (-0.0, 1.0),
    ],
    ids=str,
)
def test_a_threshold_parts_its_neighbours_however_close_or_far(left, right):
    table = numbers([left, right])
    tree = grow(table, [0, 1])
    assert left <= tree.threshold[0] < right
    assert tree.find_leaves(table, 1).tolist() == [1, 2]


def test_float32_values_are_parted_as_exactly_as_float64():
    one = np.float32(1)
    values = np.array([one, np.nextafter(one, np.float32(2))])
    table = Table.from_matrix(values[:, None])
    assert grow(table, [0, 1]).find_leaves(table, 1).tolist() == [1, 2]


def test_a_threshold_lies_between_values_of_the_node_not_between_bins():
    values = np.arange(100.0)
    tree = grow(numbers(values), values >= 40, max_bins=5)
    assert tree.threshold[0] == 39.5


def test_being_missing_can_be_the_test():
    table = numbers([1.0, 2.0, np.nan, np.nan])
    tree = grow(table, [0, 0, 1, 1])
    assert tree.threshold[0] == np.inf
    assert tree.find_leaves(table, 1).tolist() == [1, 1, 2, 2]
    assert tree.find_leaves(numbers([1e308, np.nan]), 1).tolist() == [1, 2]


def test_unseen_categories_follow_missing_values_and_absent_ones_stay():
    tree = grow(categories([0, 0, 1, 1, -1], 4), [0, 0, 1, 1, 1])
    seen = tree.find_leaves(categories([0, 1, 2, 3, -1, -2], 4), 1)
    assert seen.tolist() == [2, 1, 0, 0, 1, 1]


def test_a_multiway_test_has_a_branch_for_each_category():
    tree = grow(categories([0, 1, 2, -1, 0, 1], 3), [0, 1, 0, 1, 0, 1], multiway=True)
    assert tree.n_children[0] == 4
    assert tree.find_leaves(categories([0, 1, 2, -1], 3), 1).tolist() == [1, 2, 3, 4]


def test_ten_thousand_categories_are_parted_by_class():
    codes = np.arange(10_000)
    classes = codes % 3 == 0
    tree = grow(categories(codes, 10_000), classes)
    nodes = tree.find_leaves(categories(codes, 10_000), 2)
    assert len(set(nodes[classes])) == len(set(nodes[~classes])) == 1
    assert set(nodes) == {1, 2}


def test_pooled_categories_share_a_branch():
    n_categories = MAX_CATEGORIES + 100
    codes = np.concatenate([np.arange(n_categories)] * 2)
    classes = codes >= MAX_CATEGORIES - 1  # exactly the rarest names
    kept = np.repeat(True, len(codes))
    kept[n_categories + MAX_CATEGORIES - 1 :] = False
    table = categories(codes[kept], n_categories)
    tree = grow(table, classes[kept])
    assert len(tree.pool) == n_categories
    nodes = tree.find_leaves(table, 1)
    assert len(set(nodes[classes[kept]])) == len(set(nodes[~classes[kept]])) == 1
    assert set(nodes) == {1, 2}


def test_a_hundred_thousand_values_take_no_quadratic_time():
    values = np.arange(100_000.0)
    tree = grow(numbers(values), values >= 50_000)
    assert tree.threshold[0] == 49_999.5


def test_rounding_alone_is_no_gain_for_numbers():
    """Both halves have the same mean, which no binary fraction can express."""
    table = numbers([0.0] * 3 + [1.0] * 7)
    for total in (10**17 + 1, 2**55 - 1, 1234567890123457):
        sums = np.full(10, total)
        options = _core.SearchOptions()
        options.criterion = CRITERIA["variance"]
        codes = fit_codes(table)
        target = _core.SearchTarget(None, sums, None, 0)
        found = _core.find_test(
            list(codes.columns), codes.n_codes, codes.is_category, target, options
        )
        assert found.gain == 0


# -- wrong arguments ----------------------------------------------------------------------------

CODES = np.array([1, 2, 3], np.uint8)
CLASSES = np.array([0, 1, 1], np.uint32)


def find(*, codes=CODES, n_codes=3, classes=CLASSES, n_classes=2, units=None, **options):
    search = _core.SearchOptions()
    for name, value in options.items():
        setattr(search, name, value)
    target = _core.SearchTarget(classes, None, units, n_classes)
    return _core.find_test([codes], np.array([n_codes]), np.array([False]), target, search)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_codes": 2},
        {"n_codes": -1},
        {"n_codes": 2**40},
        {"n_classes": 1},
        {"n_classes": 2**40},
        {"codes": CODES[:2]},
        {"codes": np.repeat(CODES, 2)[::2]},
        {"codes": CODES.astype(np.int32)},
        {"classes": None},
        {"units": np.ones(2, np.int64)},
        {"units": np.zeros(25, np.uint8)[1:].view(np.int64)},
        {"criterion": 9},
        {"criterion": CRITERIA["variance"]},
        {"n_threads": 0},
    ],
    ids=str,
)
def test_a_search_that_cannot_be_done_is_refused(wrong):
    assert find().column == 0
    with pytest.raises(ValueError, match=r"."):
        find(**wrong)


def test_a_target_keeps_its_arrays_alive():
    target = _core.SearchTarget(np.array([0, 0, 1], np.uint32), None, np.array([1, 1, 1]), 2)
    junk = [np.full(3, 7, np.uint32) for _ in range(100)]
    found = _core.find_test(
        [CODES], np.array([3]), np.array([False]), target, _core.SearchOptions()
    )
    assert found.left_code == 2
    assert len(junk) == 100


TREE = {
    "kind": np.array([2, 0, 0], np.uint8),
    "feature": np.array([0, -1, -1], np.int32),
    "threshold": np.zeros(3),
    "first_child": np.array([1, -1, -1], np.int32),
    "missing_branch": np.array([1, -1, -1], np.int32),
    "pool_offset": np.zeros(3, np.int64),
    "pool": np.array([0, 1], np.int32),
}
RED_GREEN = np.array([0, 1, -1], np.int32)


def walk(n_categories=2, column=RED_GREEN, n_threads=1, **changes):
    tree = _core.BorrowedTree(**{**TREE, **changes})
    return tree.find_leaves([column], np.array([n_categories], np.int32), n_threads).tolist()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"column": np.array([2], np.int32)}, IndexError),
        ({"n_categories": 3}, ValueError),
        ({"n_categories": -1, "column": np.zeros(3)}, ValueError),
        ({"feature": np.array([1, -1, -1], np.int32)}, ValueError),
        ({"feature": np.array([-1, -1, -1], np.int32)}, ValueError),
        ({"pool_offset": np.array([-1, 0, 0])}, ValueError),
        ({"pool_offset": np.array([1, 0, 0])}, ValueError),
        ({"threshold": np.zeros(2)}, ValueError),
        ({"kind": np.empty(0, np.uint8)}, ValueError),
        ({"n_threads": 0}, ValueError),
    ],
    ids=str,
)
def test_rows_that_do_not_fit_the_tree_are_refused(wrong, error):
    assert walk() == [1, 2, 2]
    with pytest.raises(error):
        walk(**wrong)
