"""The grower of boosted trees: a slow twin on exact and on rounded gradients, limits, bad calls."""

import gc
import multiprocessing
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from branchline import _core
from twins.brute_force_boosting import (
    MOST_WORD_G,
    MOST_WORD_H,
    Node,
    Rules,
    Twin,
    in_level_order,
    read_tree,
)

GROWTHS = {choice.name: choice for choice in _core.TreeGrowth}
N_CODES = [9, 5, 7, 12, 3]
NO_CONSTRAINTS = _core.BoostingConstraints(None, None)
IS_CATEGORY = [False, False, True, True, False]
EACH_GROWTH = pytest.mark.parametrize("growth", GROWTHS)


def random_codes(random, n_rows, missing=0.15):
    """Return columns of codes, some of them missing; the last but one has no missing values."""
    columns = []
    for place, n_codes in enumerate(N_CODES):
        column = random.integers(1, n_codes + 1, n_rows)
        if place != 3:
            column[random.random(n_rows) < missing] = 0
        columns.append(column.astype(np.uint8))
    return columns


def signal(codes, random):
    """Return gradients that depend on the columns, with noise."""
    level = (codes[0] > 4) * 2.0 - (codes[2] % 3 == 1) + 0.5 * (codes[3] % 5) * (codes[1] < 3)
    return level + random.normal(size=len(level)) - 0.7


def grow_columns(codes, n_codes=None, is_category=None):
    n_codes = N_CODES[: len(codes)] if n_codes is None else n_codes
    is_category = IS_CATEGORY[: len(codes)] if is_category is None else is_category
    n = len(codes)
    return _core.GrowColumns(
        codes,
        np.array(n_codes, np.int64),
        np.array(is_category),
        np.ones(n),
        np.zeros(n, np.uint32),
    )


def options_of(rules=None, **others):
    """Return the rules of a twin as the core takes them, and other options."""
    rules = Rules() if rules is None else rules
    options = _core.BoostingOptions()
    options.growth = GROWTHS[rules.growth]
    options.max_leaves = rules.max_leaves
    options.max_depth = min(rules.max_depth, 2**31 - 1)
    options.min_leaf_units = rules.min_units
    options.min_leaf_hessian = float(rules.min_hessian)
    options.l2 = float(rules.l2)
    options.leaf_penalty = float(rules.leaf_penalty)
    options.category_l2 = float(rules.category_l2)
    options.category_smoothing = float(rules.category_smoothing)
    for name, value in others.items():
        setattr(options, name, value)
    return options


def grow(codes, g, h=None, units=None, *, options=None, columns=None, **constraints):
    """Return a native tree, and the leaf of each row."""
    g = np.ascontiguousarray(g, np.float32)
    keys = np.random.default_rng(7).integers(0, 2**63, len(codes[0]), np.uint64)
    columns = grow_columns(codes) if columns is None else columns
    booster = _core.TreeBooster(columns, keys, 64, 1)
    leaf_of_row = np.empty(g.size, np.uint32)
    grown = booster.grow(
        g.ravel(),
        None if h is None else np.ascontiguousarray(h, np.float32).ravel(),
        units,
        _core.BoostingConstraints(constraints.get("monotone"), constraints.get("groups")),
        options or options_of(),
        leaf_of_row,
    )
    return grown, leaf_of_row


def native_nodes(grown, twin, n_codes=None):
    """Return the nodes of a native tree with the rows that its tests send to them."""
    tests = read_tree(grown, 0, N_CODES if n_codes is None else n_codes)
    nodes = [Node([row for row, units in enumerate(twin.units) if units > 0])]
    for node, test in zip(nodes, tests, strict=False):
        node.test = test
        if test is None:
            continue
        cells = twin.codes[test.column]
        sides = [[], []]
        for row in node.rows:
            sides[int(cells[row]) not in test.left].append(row)
        node.below = tuple(Node(side, node.depth + 1) for side in sides)
        nodes += node.below
    assert len(nodes) == len(tests)
    return nodes


def same_partition(seen, expected):
    assert [node.test and node.test.column for node in seen] == [
        node.test and node.test.column for node in expected
    ]
    assert [node.rows for node in seen] == [node.rows for node in expected]


# -- gradients that rounding leaves as they are ---------------------------------------------------

EXACT = {
    "plain": {},
    "few leaves": {"max_leaves": 4},
    "shallow": {"max_depth": 2},
    "penalties": {"l2": 3.5, "leaf_penalty": 400000.0},
    "large leaves": {"min_units": 6, "l2": 1.0},
    "hessians": {"min_hessian": 9.0},
    "smooth categories": {"category_l2": 10.0, "category_smoothing": 4.0},
}


def exact_problem(seed, *, weighted=False, n_rows=90):
    """Return whole gradients with the largest that an integer holds, so that nothing is rounded."""
    random = np.random.default_rng(seed)
    codes = random_codes(random, n_rows)
    g = np.clip(np.rint(signal(codes, random) * 900), -MOST_WORD_G, MOST_WORD_G)
    g[0] = MOST_WORD_G
    units = random.integers(1, 4, n_rows) if weighted else np.ones(n_rows, np.int64)
    return codes, g, units


def exact_twin(codes, g, units, rules):
    exact = {
        name: Fraction(getattr(rules, name))
        for name in ("min_hessian", "l2", "leaf_penalty", "category_l2", "category_smoothing")
    }
    numbers = [Fraction(int(value)) for value in g]
    return Twin(
        codes,
        IS_CATEGORY,
        numbers,
        [Fraction(1)] * len(g),
        units.tolist(),
        Rules(**{**vars(rules), **exact}),
    )


@EACH_GROWTH
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", [1, 2])
def test_exact_gradients_give_the_tree_of_the_twin(growth, name, seed):
    codes, g, units = exact_problem(seed, weighted=seed == 2)
    rules = Rules(growth, **{"max_leaves": 12, **EXACT[name]})
    grown, leaf_of_row = grow(codes, g, units=units, options=options_of(rules))
    twin = exact_twin(codes, g, units, rules)
    expected = in_level_order(twin.grow())
    seen = native_nodes(grown, twin)
    same_partition(seen, expected)
    inner = [node for node in expected if node.test is not None]
    np.testing.assert_allclose(grown["gain"], [float(node.gain) for node in inner], rtol=1e-9)
    assert len(seen) > 3
    leaves = [node for node in seen if node.test is None]
    for number, leaf in enumerate(leaves):
        held = twin.sums(leaf)
        assert (leaf_of_row[leaf.rows] == number).all()
        assert grown["sum_gradient"][number] == held.g
        assert grown["sum_hessian"][number] == held.h
        assert grown["units"][number] == held.n


# -- gradients that are rounded -------------------------------------------------------------------


def slack_of(twin, node):
    """Return how far rounding may put a score wrong: sums are off by a few deviations.

    Rounding moves a row by less than one integer, up or down by chance; so a sum of n rows is off
    by at most about 3 √n of them, and G² / (H + λ) by what that does to both sums.
    """
    g_unit = twin.rounding_unit()
    h_unit = max(twin.h) / MOST_WORD_H
    held = twin.sums(node)
    below = max(held.h + twin.rules.l2, 1e-9)
    most_g = sum(abs(twin.g[row]) * twin.units[row] for row in node.rows)
    off_g, off_h = (3 * unit * np.sqrt(held.n) for unit in (g_unit, h_unit))
    return 4 * (2 * most_g * off_g + off_g**2) / below + 4 * most_g**2 * off_h / below**2


@EACH_GROWTH
@pytest.mark.parametrize("seed", range(4))
def test_rounded_gradients_choose_tests_that_gain_as_much(growth, seed):
    random = np.random.default_rng(seed)
    n_rows = 250
    codes = random_codes(random, n_rows)
    g = signal(codes, random).astype(np.float32).astype(float)
    h = random.uniform(0.2, 1.0, n_rows).astype(np.float32).astype(float)
    rules = Rules(growth, 14, min_units=5, l2=2.0, category_l2=3.0, category_smoothing=2.0)
    grown, _ = grow(codes, g, h, options=options_of(rules))
    twin = Twin(codes, IS_CATEGORY, g.tolist(), h.tolist(), [1] * n_rows, rules)
    seen = native_nodes(grown, twin)
    assert len(seen) >= 15
    if growth == "symmetric":
        return check_symmetric(twin, seen)
    for node in seen:
        most, _ = twin.best([node])
        if node.test is not None:
            assert twin.gain(node, node.test) >= most - slack_of(twin, node)
    if growth == "leaf_wise":  # no leaf gains more than the least of the tests, or anything
        least = grown["gain"].min() if len(seen) == 27 else 0
        for node in seen:
            if node.test is None:
                assert twin.best([node])[0] <= least + slack_of(twin, node)
    return None


def check_symmetric(twin, seen):
    """The first test is common to one node; below, all tests of a level are the same."""
    root = seen[0]
    assert twin.gain(root, root.test) >= twin.best([root])[0] - slack_of(twin, root)
    for depth in range(max(node.depth for node in seen)):
        tests = {node.test for node in seen if node.depth == depth and node.test is not None}
        assert len(tests) <= depth + 1  # a node that stayed whole may be asked later


def test_a_large_table_is_cut_where_the_twin_cuts_it():
    """With many rows the first cut is clear: rounding does not move it."""
    random = np.random.default_rng(0)
    codes = [random.integers(0, 10, 20_000).astype(np.uint8)]
    g = np.where(codes[0] > 6, 1.0, -0.5) + random.normal(size=20_000)
    grown, _ = grow(codes, g, columns=grow_columns(codes, [9], [False]))
    assert grown["left_code"][0] == 6
    assert grown["right_code"][0] == 7


@EACH_GROWTH
@pytest.mark.parametrize("power", [-120, -60, 60, 110])
def test_powers_of_two_do_not_matter(growth, power):
    """Without absolute penalties gradients and hessians of any size give the same tree."""
    random = np.random.default_rng(6)
    codes = random_codes(random, 300)
    g, h = signal(codes, random), random.uniform(0.2, 1.0, 300)
    options = options_of(Rules(growth, 12, min_units=5))
    (one, leaves), (other, same_leaves) = (
        grow(codes, np.ldexp(g, shift), np.ldexp(h, shift), options=options) for shift in (0, power)
    )
    for name in ("n_nodes", "feature", "left_code", "missing_left", "pool"):
        np.testing.assert_array_equal(one[name], other[name])
    np.testing.assert_array_equal(leaves, same_leaves)
    # The smallest gradients of 2^−120 have fewer bits, as floats of 32 bits.
    sums = np.ldexp(one["sum_gradient"], power), other["sum_gradient"]
    np.testing.assert_allclose(*sums, rtol=1e-6 if power < -100 else 0)


# -- missing values -------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_missing_values_learn_their_side(side):
    codes = [np.repeat([1, 2, 0], 40).astype(np.uint8)]
    g = np.repeat([-1.0, 1.0, -1.0 if side == "left" else 1.0], 40)
    grown, _ = grow(codes, g, columns=grow_columns(codes, [2], [False]))
    assert grown["missing_left"][0] == (side == "left")
    assert grown["units"].tolist() == ([80, 40] if side == "left" else [40, 80])


@pytest.mark.parametrize("n_low", [30, 90])
def test_without_missing_values_the_heavier_side(n_low):
    codes = [np.repeat([1, 2], [n_low, 120 - n_low]).astype(np.uint8)]
    g = np.where(codes[0] == 1, -1.0, 1.0)
    for is_category in (False, True):
        grown, _ = grow(codes, g, columns=grow_columns(codes, [2], [is_category]))
        assert grown["missing_left"][0] == (n_low > 60)


def test_present_or_missing_is_a_test():
    random = np.random.default_rng(1)
    codes = [np.where(np.arange(80) < 40, 0, random.integers(1, 4, 80)).astype(np.uint8)]
    g = np.where(codes[0] == 0, -1.0, 1.0)
    grown, _ = grow(codes, g, columns=grow_columns(codes, [3], [False]))
    assert grown["n_nodes"].tolist() == [3]
    assert grown["right_code"][0] == 0
    assert grown["missing_left"][0] == 0


@pytest.mark.parametrize("is_category", [False, True])
def test_wide_columns(is_category):
    """5 000 codes need two bytes; every second one goes left when they are categories."""
    random = np.random.default_rng(2)
    codes = [random.permutation(np.arange(20_000) % 5000 + 1).astype(np.uint16)]
    is_low = codes[0] % 2 == 0 if is_category else codes[0] <= 1234
    columns = grow_columns(codes, [5000], [is_category])
    options = options_of(max_leaves=2)
    grown, leaf_of_row = grow(codes, np.where(is_low, 1.0, -1.0), columns=columns, options=options)
    np.testing.assert_array_equal(leaf_of_row == leaf_of_row[is_low][0], is_low)
    assert grown["n_nodes"].tolist() == [3]


# -- constraints and draws ------------------------------------------------------------------------


@EACH_GROWTH
def test_groups_keep_columns_apart(growth):
    random = np.random.default_rng(3)
    for seed in range(12):
        codes = random_codes(random, 300)
        g = signal(codes, random) + (codes[4] == 2) * (codes[0] - 4.0) * (codes[1] - 2)
        member = np.triu(np.ones((5, 5), np.uint8), 1)
        pairs = np.argwhere(member)
        groups = np.zeros((len(pairs), 5), np.uint8)
        for number, pair in enumerate(pairs):
            groups[number, pair] = 1
        rules = Rules(growth, 20, min_units=3)
        options = options_of(rules, seed=seed)
        grown, _ = grow(codes, g, options=options, groups=groups.ravel())
        twin = Twin(codes, IS_CATEGORY, g.tolist(), [1] * 300, [1] * 300)
        nodes = native_nodes(grown, twin)
        used = {id(nodes[0]): frozenset()}
        for node in nodes:
            assert len(used[id(node)]) <= 2
            for child in node.below:
                used[id(child)] = used[id(node)] | {node.test.column}


@EACH_GROWTH
def test_columns_are_drawn(growth):
    random = np.random.default_rng(4)
    codes = random_codes(random, 400)
    g = signal(codes, random)
    first = set()
    for seed in range(40):
        options = options_of(Rules(growth, 8), columns_per_tree=2, seed=seed)
        grown, _ = grow(codes, g, options=options)
        assert len(set(grown["feature"].tolist())) <= 2
        options = options_of(Rules(growth, 2), columns_per_node=1, seed=seed)
        first |= set(grow(codes, g, options=options)[0]["feature"].tolist())
    assert first == set(range(5))


@pytest.mark.parametrize("direction", [-1, 1])
@EACH_GROWTH
def test_values_within_bounds_are_monotone(growth, direction):
    random = np.random.default_rng(5)
    codes = random_codes(random, 600)
    g = signal(codes, random) + (codes[0] == 5) * random.normal(size=600) * 3
    monotone = np.array([direction, 0, 0, 0, -direction], np.int8)
    options = options_of(Rules(growth, 25, min_units=2, l2=1.0))
    grown, _ = grow(codes, g, options=options, monotone=monotone)
    value = -grown["sum_gradient"] / (grown["sum_hessian"] + 1.0)
    value = np.clip(value, grown["lowest"], grown["highest"])
    tests = read_tree(grown, 0, N_CODES)
    for row in range(0, 600, 15):
        cells = [int(column[row]) for column in codes]
        for column, sign in ((0, direction), (4, -direction)):
            along = []
            for code in range(1, N_CODES[column] + 1):
                cells[column] = code
                along.append(value[leaf_number(tests, cells)])
            assert (sign * np.diff(along) >= 0).all()


class TestForkedProcesses:
    """A booster keeps its threads from call to call; a forked process has none of them."""

    @staticmethod
    def grow_once(booster, g):
        leaf_of_row = np.empty(len(g), np.uint32)
        options = options_of(n_threads=2, max_leaves=20)
        booster.grow(g, None, None, NO_CONSTRAINTS, options, leaf_of_row)
        return leaf_of_row

    @classmethod
    def grow_in_child(cls, boosters, g, expected):
        np.testing.assert_array_equal(cls.grow_once(boosters[0], g), expected)
        boosters.clear()  # one of them was never run here
        gc.collect()

    def test_grow_the_same_tree_and_end(self):
        random = np.random.default_rng(3)
        codes = random_codes(random, 30_000)
        g = signal(codes, random).astype(np.float32)
        keys = np.arange(len(g), dtype=np.uint64)
        boosters = [_core.TreeBooster(grow_columns(codes), keys, 4096, 2) for _ in range(2)]
        expected, _ = (self.grow_once(booster, g) for booster in boosters)
        child = multiprocessing.get_context("fork").Process(
            target=self.grow_in_child, args=(boosters, g, expected)
        )
        child.start()
        child.join(60)
        assert child.exitcode == 0
        np.testing.assert_array_equal(self.grow_once(boosters[0], g), expected)


def leaf_number(tests, cells):
    """Return the number of the leaf that a row of codes ends in."""
    inner = np.cumsum([test is not None for test in tests])
    node = 0
    while tests[node] is not None:
        node = 2 * int(inner[node]) - 1 + (cells[tests[node].column] not in tests[node].left)
    return node - int(inner[node])


# -- bad calls ------------------------------------------------------------------------------------


def valid_call():
    return {
        "gradients": np.zeros(4, np.float32),
        "hessians": np.ones(4, np.float32),
        "units": np.ones(4, np.int64),
        "constraints": _core.BoostingConstraints(np.zeros(1, np.int8), np.ones(1, np.uint8)),
        "options": options_of(),
        "leaf_of_row": np.zeros(4, np.uint32),
    }


def booster_of_four(**changes):
    codes = [np.array([1, 2, 1, 0], np.uint8)]
    given = {"keys": np.arange(4, dtype=np.uint64), "block_rows": 4, "n_threads": 1, **changes}
    return _core.TreeBooster(grow_columns(codes, [2], [False]), **given)


WRONG = {
    "gradients": [np.zeros(5, np.float32), np.zeros(0, np.float32)],
    "hessians": [np.ones(3, np.float32)],
    "units": [np.ones(3, np.int64)],
    "constraints": [
        _core.BoostingConstraints(np.zeros(2, np.int8), None),
        _core.BoostingConstraints(None, np.ones(0, np.uint8)),
    ],
    "leaf_of_row": [np.zeros(3, np.uint32)],
    "options": [
        options_of(max_leaves=0),
        options_of(max_depth=0),
        options_of(n_threads=0),
        options_of(l2=-1.0),
        options_of(l2=float("nan")),
        options_of(leaf_penalty=-1.0),
        options_of(min_leaf_units=-1),
        options_of(min_leaf_hessian=float("nan")),
        options_of(category_smoothing=-1.0),
        options_of(category_l2=-1.0),
        options_of(unit=0.0),
        options_of(columns_per_tree=0),
        options_of(columns_per_node=0),
    ],
}


WIDE = """
import numpy as np
from branchline import _core
codes = [np.ones(50, np.uint8)]
try:
    columns = _core.GrowColumns(
        codes, np.array([1000]), np.array([False]), np.ones(1), np.zeros(1, np.uint32)
    )
    booster = _core.TreeBooster(columns, np.arange(50, dtype=np.uint64), 16, 1)
    gradients, leaves = np.linspace(-1, 1, 50).astype(np.float32), np.zeros(50, np.uint32)
    anything = _core.BoostingConstraints(None, None)
    grown = booster.grow(gradients, None, None, anything, _core.BoostingOptions(), leaves)
    assert grown["n_nodes"].tolist() == [1]
except ValueError:
    pass
"""


class TestBadCalls:
    def test_the_call_that_is_right(self):
        assert booster_of_four().grow(**valid_call())["n_nodes"].tolist() == [1]

    @pytest.mark.parametrize("name", WRONG)
    def test_wrong_arguments(self, name):
        booster = booster_of_four()
        for value in WRONG[name]:
            with pytest.raises(ValueError, match=r"."):
                booster.grow(**{**valid_call(), name: value})

    def test_arrays_are_not_converted(self):
        for name, value in (
            ("gradients", np.zeros(4)),
            ("units", np.ones(4, np.int32)),
            ("leaf_of_row", np.zeros(4, np.int64)),
        ):
            with pytest.raises(TypeError):
                booster_of_four().grow(**{**valid_call(), name: value})

    def test_what_cannot_be_written_to(self):
        fixed = np.zeros(4, np.uint32)
        fixed.flags.writeable = False
        with pytest.raises(TypeError):
            booster_of_four().grow(**{**valid_call(), "leaf_of_row": fixed})

    @pytest.mark.parametrize("changes", [{"block_rows": 0}, {"block_rows": 16385}])
    def test_sizes_of_blocks(self, changes):
        with pytest.raises(ValueError, match="blocks of 1 to 16384 rows"):
            booster_of_four(**changes)

    def test_a_key_for_each_row(self):
        with pytest.raises(ValueError, match="a key for each row"):
            booster_of_four(keys=np.arange(3, dtype=np.uint64))

    def test_more_codes_than_a_byte_holds(self):
        """In a child, because memory would be overwritten."""
        subprocess.run([sys.executable, "-c", WIDE], timeout=200, check=True)

    def test_leaves_that_are_not_there(self):
        scores = np.zeros(2)
        two, four = np.array([2]), np.array([1.0, 2.0, 5.0, 7.0])
        _core.add_leaf_values(np.array([1, 0], np.uint32), two, four[:2], scores, 1)
        assert scores.tolist() == [2.0, 1.0]
        with pytest.raises((ValueError, IndexError)):
            _core.add_leaf_values(np.array([2, 0], np.uint32), two, np.ones(2), scores, 1)
        with pytest.raises(ValueError, match="a score for each row"):
            _core.add_leaf_values(np.array([0], np.uint32), two, np.ones(2), scores, 1)
        for wrong in ([1], [3], [-1, 3], []):
            sizes = np.array(wrong, np.int64)
            with pytest.raises(ValueError, match="for each"):
                _core.add_leaf_values(np.zeros(2, np.uint32), sizes, np.ones(2), scores, 1)

    def test_values_of_several_trees(self):
        """Each tree has its own leaves; a leaf of another one is not there."""
        scores, values = np.zeros(4), np.array([1.0, 5.0, 7.0])
        sizes = np.array([1, 2])
        _core.add_leaf_values(np.array([0, 0, 1, 0], np.uint32), sizes, values, scores, 2)
        assert scores.tolist() == [1.0, 1.0, 7.0, 5.0]
        with pytest.raises(IndexError):
            _core.add_leaf_values(np.array([0, 1, 1, 0], np.uint32), sizes, values, scores, 2)
