"""Growing, by property: every test is the best there is, whatever the size, path and threads.

Small tables are grown by the twin, which tries everything. Large ones take other paths (sorted
lists, a scan in vectors, subtrees on their own): they are compared with each other, with sums that
NumPy makes, and with scikit-learn.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as peer

from branchline import _core
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from twins import grow_tree as twin

CHOICES = {
    "criterion": {choice.name: choice for choice in _core.TreeCriterion},
    "missing": {choice.name: choice for choice in _core.MissingPolicy},
    "subset_search": {choice.name: choice for choice in _core.SubsetSearch},
}
PART = 2**20  # shared rows are counted in parts
# Sums of shared rows are rounded; a number with many digits keeps that below what counts as equal.
LARGE = 2**40 + 12345
many = settings(max_examples=4 * settings.default.max_examples)
some = settings(max_examples=max(1, settings.default.max_examples // 10))
seeds, no_limit = st.integers(0, 2**32 - 1), st.none()


def grow_options(n_threads=1, **fields):
    options = _core.GrowOptions()
    for name, value in fields.items():
        if value is not None:
            setattr(options, name, CHOICES.get(name, {}).get(value, value))
    options.n_threads = n_threads
    return options


def native(problem, options, call=_core.grow_tree, rows=None):
    n_columns, n_codes = len(problem.columns), problem.n_codes
    codes = [np.array(column, np.uint8) for column in problem.columns]
    cost = np.array(problem.cost[:n_columns], float)
    fill = np.array(problem.fill_code[:n_columns], np.uint32)
    n_of = np.full(n_columns, n_codes)
    columns = _core.GrowColumns(codes, n_of, np.array(problem.is_category), cost, fill)
    for column, subsets in problem.given.items():
        given = [[code in subset for code in range(1, n_codes + 1)] for subset in subsets]
        columns.give_subsets(column, np.array(given, np.uint8).ravel())
    units, factor, sums, classes = np.array(problem.units, np.int64), None, None, None
    if problem.classes is None:
        sums = np.array(problem.sums, np.int64).ravel()
    else:
        classes = np.array(problem.classes, np.uint32)
        factor = None if problem.class_factor is None else np.array(problem.class_factor)
    n_outputs = 0 if sums is None else len(problem.sums[0])
    target = _core.GrowTarget(
        classes, sums, units, factor, problem.n_classes, n_outputs, problem.part_units
    )
    rows = np.arange(len(units)) if rows is None else rows
    return call(columns, rows.astype(np.uint32), target, grow_options(**vars(options)))


class Shown:
    """A node of a native tree, as the twin looks at it."""

    def __init__(self, tree, node=0):
        self.tree, self.node = tree, node

    def child(self, branch):
        first = self.tree["first_child"][self.node]
        return None if first < 0 else Shown(self.tree, int(first) + branch)

    def branch(self, code):
        tree, node = self.tree, self.node
        if code == 0:
            return tree["missing_branch"][node]
        if tree["kind"][node] == 1:
            return int(code > tree["left_code"][node])
        return tree["pool"][tree["pool_offset"][node] + code - 1]

    def is_like(self, test):
        same = self.tree["feature"][self.node] == test.column and self.branch(0) == test.missing
        return same and all(self.branch(code) == side for code, side in test.branch_of.items())


def assert_same(problem, tree, root):
    """Compare a native tree with the twin's, level by level."""
    level, n_seen = [root], 0
    content = tree["content"].reshape(len(tree["kind"]), -1)
    while level:
        n_below = n_seen + len(level)
        for grown in level:
            assert_same_content(problem, grown.node, content[n_seen], tree["spread"], n_seen)
            if grown.test is None:
                assert (tree["kind"][n_seen], tree["n_children"][n_seen]) == (0, 0)
                assert tree["first_child"][n_seen] == tree["feature"][n_seen] == -1
            else:
                assert tree["kind"][n_seen] == (1 if grown.test.kind == "threshold" else 2)
                assert tree["n_children"][n_seen] == grown.test.n_branches
                assert tree["first_child"][n_seen] == n_below
                assert Shown(tree, n_seen).is_like(grown.test)
                n_below += grown.test.n_branches
            n_seen += 1
        level = [child for grown in level for child in grown.children]
    assert n_seen == len(tree["kind"])


def assert_same_content(problem, node, content, spread, place):
    expected = problem.content(node)
    if problem.classes is not None:
        assert content.tolist() == expected
        return
    # The sums and squares of a row's part are rounded to whole numbers, for each of up to 4 copies.
    rounding = 0 if all(part == problem.units[row] for row, part in node) else 4 * len(node)
    np.testing.assert_allclose(content, np.array(expected, float), rtol=0, atol=rounding)
    seen = spread.reshape(-1, len(expected) - 1)[place]
    exact = np.array(problem.spread(node), float)
    rtol = 1e-9 if rounding else 1e-12
    np.testing.assert_allclose(seen, exact, rtol=rtol, atol=max(1e-9, 4 * rounding))


@st.composite
def problems(draw, *, fractional=False, n_codes=6, max_rows=24):
    """A few columns of codes with ties and missing values; classes, or one to three outputs."""
    random, n_rows = np.random.default_rng(draw(seeds)), draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, 3))
    columns = [random.integers(1, random.integers(1, n_codes + 1) + 1, n_rows) for _ in range(3)]
    for column in columns[: draw(st.integers(0, n_columns))]:
        column[random.random(n_rows) < 0.25] = 0
    copies = random.integers(1, 5, n_rows) if draw(st.booleans()) else np.ones(n_rows, int)
    fields = {"part_units": draw(st.sampled_from([0, PART])) if fractional else 0}
    if draw(st.booleans()):
        fields["fill_code"] = random.integers(1, n_codes + 1, 3).tolist()
        fields["cost"] = random.choice([0.5, 1.0, 2.0], 3).tolist()
    if draw(st.integers(0, 3)) == 0:
        lists = random.random((3, 3, n_codes)) < 0.5
        fields["given"] = {2: [set((1 + np.flatnonzero(one)).tolist()) for one in lists[2]]}
    if draw(st.booleans()):
        n_classes = draw(st.integers(2, 4))
        fields |= {"n_classes": n_classes}
        fields["classes"] = random.integers(0, n_classes, n_rows).tolist()
        if draw(st.integers(0, 3)) == 0:
            fields["class_factor"] = random.choice([0.5, 1.0, 1.25, 2.0], n_classes).tolist()
    else:
        values = random.integers(-9, 10, (n_rows, draw(st.integers(1, 3)))) // draw(
            st.sampled_from([1, 5])
        )
        scale = copies[:, None] * (LARGE if fractional else 1)
        fields["sums"] = (values * scale).tolist()
    units = (copies * (PART if fractional else 1)).tolist()
    is_category = [*draw(st.lists(st.booleans(), min_size=2, max_size=2)), True]
    codes = [column.tolist() for column in columns]
    first = 3 - n_columns
    fields["given"] = {2 - first: fields["given"][2]} if "given" in fields else {}
    return twin.Problem(codes[first:], is_category[first:], n_codes, units, **fields)


@st.composite
def settings_for(draw, problem, *, fractional=False, max_leaves=no_limit):
    """Options of every kind, for a problem."""
    flags = {
        name: draw(st.integers(0, 2)) == 0
        for name in (
            "gain_ratio",
            "multiway",
            "share_rare_branches",
            "cautious_thresholds",
            "correct_for_chance",
            "description_length",
            "split_on_zero_gain",
        )
    }
    of_classes = st.sampled_from(["gini", "entropy", "misclassification"])
    policies = ["fractional"] if fractional else ["learned", "own_branch", "mode"]
    unit = PART if fractional else 1
    is_class = problem.classes is not None
    return twin.Options(
        criterion=draw(of_classes) if is_class else "variance",
        missing=draw(st.sampled_from(policies)),
        subset_search="exact",
        max_depth=draw(st.sampled_from([100, 100, 1, 2, 3])),
        max_leaves=draw(max_leaves),
        min_split_units=unit * draw(st.sampled_from([2, 2, 5])),
        min_leaf_units=unit * draw(st.sampled_from([1, 1, 2, 3])),
        min_impurity=draw(st.sampled_from([0.0, 0.0, 0.211])),
        min_gain=draw(st.sampled_from([0.0, 0.0, 0.0137])),
        significance=draw(st.sampled_from([1.0, 1.0, 0.05, 0.3])) if is_class else 1.0,
        unit=1 / unit,
        **flags,
    )


@many
@given(st.data())
def test_every_column_offers_its_best_test(data):
    fractional = data.draw(st.booleans())
    problem = data.draw(problems(fractional=fractional))
    options = data.draw(settings_for(problem, fractional=fractional))
    listed = {test["column"]: test for test in native(problem, options, _core.list_tests)}
    node = list(enumerate(problem.units))
    found = twin.best_tests(problem, options, node)
    assert sorted(listed) == [tests[0].column for tests in found]
    for expected in found:
        seen = listed[expected[0].column]
        assert seen["is_threshold"] == (expected[0].kind == "threshold")
        like = [test for test in expected if is_listed(seen, test)]
        assert like
        scale = max(1.0, problem.impurity(node, options.criterion))
        for name in ("gain", "score", "split_information"):
            assert seen[name] == pytest.approx(float(getattr(like[0], name)), abs=1e-9 * scale)
        if options.significance < 1:
            assert seen["p_value"] == pytest.approx(like[0].p_value, rel=1e-9, abs=1e-14)


def is_listed(seen, test):
    """Whether a listed test is this one of the twin's."""
    if (seen["n_branches"], seen["missing_branch"]) != (test.n_branches, test.missing):
        return False
    if test.kind == "threshold":
        left = [code for code, branch in test.branch_of.items() if branch == 0]
        right = [code for code, branch in test.branch_of.items() if branch == 1]
        return (seen["left_code"], seen["right_code"]) == (max(left), min(right, default=0))
    return all(seen["branch_of_code"][code] == side for code, side in test.branch_of.items())


@many
@given(st.data())
def test_a_tree_equals_its_twin(data):
    problem = data.draw(problems())
    options = data.draw(settings_for(problem))
    tree = native(problem, options)
    assert_same(problem, tree, twin.grow(problem, options, Shown(tree)))


@many
@given(st.data())
def test_a_tree_of_shared_rows_equals_its_twin(data):
    problem = data.draw(problems(fractional=True))
    options = data.draw(settings_for(problem, fractional=True))
    tree = native(problem, options)
    assert_same(problem, tree, twin.grow(problem, options, Shown(tree)))


@given(st.data())
def test_a_limit_of_leaves_splits_the_best_leaf_first(data):
    problem = data.draw(problems(max_rows=40))
    options = data.draw(settings_for(problem, max_leaves=st.integers(2, 8)))
    tree = native(problem, options)
    assert (tree["kind"] == 0).sum() <= options.max_leaves
    assert_same(problem, tree, twin.grow(problem, options, Shown(tree)))


@given(st.data())
def test_subsets_that_are_ordered_by_response_are_the_best_of_all(data):
    """Two classes and one output: automatic search equals exact search."""
    problem = data.draw(
        problems().filter(lambda p: p.n_classes == 2 or (p.classes is None and len(p.sums[0]) == 1))
    )
    options = data.draw(settings_for(problem))
    options = replace(options, subset_search="automatic", min_leaf_units=1)
    tree = native(problem, options)
    assert_same(problem, tree, twin.grow(problem, options, Shown(tree)))


@given(seeds, st.integers(8, 14), st.integers(2, 3), st.sampled_from(sorted(CHOICES["missing"])))
def test_many_names_of_one_row_go_where_missing_values_go(seed, n_names, n_classes, missing):
    random = np.random.default_rng(seed)
    unit = PART if missing == "fractional" else 1
    names = np.concatenate([np.arange(5, 5 + n_names), random.integers(0, 5, 14)])
    units = unit * np.concatenate([np.ones(n_names, int), random.integers(1, 3, 14)])
    classes = random.integers(0, n_classes, len(names))
    problem = twin.Problem(
        [names.tolist()], [True], 18, units.tolist(), classes.tolist(), n_classes=n_classes
    )
    options = twin.Options(
        missing=missing,
        subset_search="exact",
        correct_for_chance=True,
        max_depth=1,
        min_leaf_units=unit * (1 + seed % 2),
        unit=1 / unit,
    )
    if len(twin.View(problem, options, list(enumerate(problem.units)), 0).values) > 5:
        return  # few names are values like others, and too many for the twin
    tree = native(problem, options)
    assert_same(problem, tree, twin.grow(problem, options, Shown(tree)))


@given(st.data(), seeds)
def test_rows_that_are_not_listed_take_no_part(data, seed):
    problem = data.draw(problems())
    options = data.draw(settings_for(problem))
    kept = np.flatnonzero(np.random.default_rng(seed).random(len(problem.units)) < 0.6)
    if len(kept) == 0:
        return
    fields = {"columns": [[column[row] for row in kept] for column in problem.columns]}
    for name in ("units", "classes", "sums"):
        values = getattr(problem, name)
        fields[name] = values and [values[row] for row in kept]
    alone = native(replace(problem, **fields), options)
    assert_equal(native(problem, options, rows=kept), alone)


def assert_equal(tree, other, but=()):
    for name in set(tree) - set(but):
        np.testing.assert_array_equal(tree[name], other[name], err_msg=name)


# -- large tables -------------------------------------------------------------------------------

TASKS = ["gini", "entropy", "three classes", "variance"]


class Large:
    """Columns of numbers and one of categories, with missing values; classes or numbers."""

    def __init__(self, seed, task, *, n_rows=20_000, n_codes=400, n_columns=4, missing=0.05):
        random = np.random.default_rng(seed)
        self.codes = [random.integers(1, n_codes + 1, n_rows) for _ in range(n_columns)]
        slope = sum(column / n_codes for column in self.codes[:2]) + random.normal(0, 0.5, n_rows)
        for column in self.codes:
            column[random.random(n_rows) < missing] = 0
        self.n_codes, self.n_rows, self.is_regression = n_codes, n_rows, task == "variance"
        self.criterion = "gini" if task == "three classes" else task
        if self.is_regression:
            self.cells = np.stack([np.ones(n_rows), np.rint(1000 * slope)], axis=1)
        else:
            edges = [0.8, 1.2] if task == "three classes" else [1.0]
            self.cells = np.eye(len(edges) + 1)[np.digitize(slope, edges)]

    def grow(
        self,
        *,
        n_codes=None,
        units=None,
        factor=None,
        is_category=None,
        in_order=False,
        n_threads=1,
        **options,
    ):
        n_columns = len(self.codes)
        columns = _core.GrowColumns(
            [column.astype(np.uint16) for column in self.codes],
            np.full(n_columns, n_codes or self.n_codes),
            np.array(is_category or [False] * (n_columns - 1) + [True]),
            np.ones(n_columns),
            np.zeros(n_columns, np.uint32),
        )
        if in_order:
            columns.order_rows()
        if self.is_regression:
            sums = self.cells[:, 1].astype(np.int64) * (1 if units is None else units)
            target = _core.GrowTarget(None, sums, units, None, 0, 1)
        else:
            classes = self.cells.argmax(axis=1).astype(np.uint32)
            target = _core.GrowTarget(classes, None, units, factor, self.cells.shape[1], 0)
        rows = np.arange(self.n_rows, dtype=np.uint32)
        options = {"criterion": self.criterion, **options}
        return _core.grow_tree(columns, rows, target, grow_options(n_threads, **options))


@some
@given(seeds, st.sampled_from(TASKS), st.sampled_from(["learned", "own_branch", "mode"]))
def test_threads_do_not_matter(seed, task, missing):
    large = Large(seed, task)
    alone = large.grow(missing=missing, min_leaf_units=5)
    for n_threads in (2, 3, 7):
        assert_equal(large.grow(missing=missing, min_leaf_units=5, n_threads=n_threads), alone)


@some
@given(seeds, st.sampled_from(TASKS), st.sampled_from(["learned", "own_branch", "mode"]))
def test_columns_that_are_kept_sorted_give_the_tree_of_those_that_are_counted(seed, task, missing):
    large = Large(seed, task, n_codes=200)  # sorted lists are for columns of more than 255 codes
    counted = large.grow(missing=missing)
    assert_equal(large.grow(n_codes=300, missing=missing), counted, but=["pool", "pool_offset"])


@given(seeds, st.integers(10, 400), st.sampled_from([0.0, 0.1]), st.integers(1, 3))
def test_the_scan_of_rows_equals_the_search_over_weights(seed, n_rows, missing, weight):
    """Rows of weight 1 are scanned, others are not: equal cuts must be found equal by both."""
    large = Large(seed, "gini", n_rows=n_rows, n_codes=300, n_columns=2, missing=missing)
    options = {"is_category": [False, False], "min_leaf_units": weight}
    weighed = large.grow(units=np.full(n_rows, weight, np.int64), **options)
    large.codes = [np.repeat(column, weight) for column in large.codes]
    large.cells, large.n_rows = np.repeat(large.cells, weight, axis=0), weight * n_rows
    assert_equal(large.grow(**options), weighed)


@given(
    seeds, st.integers(40, 400), st.integers(1, 255), st.sampled_from([4, 300]), st.integers(0, 40)
)
def test_the_scan_of_counts_equals_the_search_over_entries(seed, n_rows, n_codes, n_columns, bits):
    """Factors of 1 change no number, but with factors no counts are scanned, no column skipped."""
    size = {"n_rows": n_rows, "n_codes": n_codes, "n_columns": n_columns}
    large = Large(seed, "gini", missing=0.1 * (seed % 2), **size)
    units = np.random.default_rng(seed).integers(1, 2**bits, n_rows, endpoint=True)
    options = {"units": units, "is_category": [False] * n_columns, "min_leaf_units": 1 + seed % 3}
    searched = large.grow(factor=np.ones(2), **options)
    for n_threads in (1, 3):
        for in_order in (False, True):
            seen = large.grow(in_order=in_order, n_threads=n_threads, **options)
            assert_equal(seen, searched)


@some
@given(seeds, st.sampled_from(TASKS), st.sampled_from(["learned", "own_branch", "mode"]))
def test_leaves_hold_what_the_rows_that_end_in_them_hold(seed, task, missing):
    large = Large(seed, task, n_rows=3000, n_codes=100)
    tree = large.grow(missing=missing, min_leaf_units=5, keeps_leaves=True)
    content = tree["content"].reshape(len(tree["kind"]), -1)
    expected = np.zeros(content.shape)
    np.add.at(expected, tree["leaf_of_row"], large.cells)
    is_leaf = tree["kind"] == 0
    np.testing.assert_array_equal(expected[is_leaf], content[is_leaf])
    assert not expected[~is_leaf].any()
    alone = large.grow(missing=missing, min_leaf_units=5)
    assert len(alone["leaf_of_row"]) == 0
    assert_equal(tree, alone, but=["leaf_of_row"])


@some
@given(seeds, st.sampled_from(TASKS))
def test_a_limit_that_is_never_reached_changes_nothing(seed, task):
    large = Large(seed, task, n_rows=5000)
    assert_equal(large.grow(min_leaf_units=3, max_leaves=10**6), large.grow(min_leaf_units=3))


def badness(cells, is_regression, criterion):
    """Return the badness of each row of a matrix of contents."""
    if is_regression:
        return -(cells[:, 1] ** 2) / np.maximum(cells[:, 0], 1)
    weight = np.maximum(cells.sum(axis=1, keepdims=True), 1)
    if criterion == "gini":
        return (cells * (1 - cells / weight)).sum(axis=1)
    return -(cells * np.log2(np.maximum(cells, 1) / weight)).sum(axis=1)


def best_gain(large, rows, column):
    """Return the gain of the best threshold among some rows, missing values on either side."""
    table = np.zeros((large.n_codes + 1, large.cells.shape[1]))
    np.add.at(table, large.codes[column][rows], large.cells[rows])
    total, best = table.sum(axis=0), -np.inf
    for to_left in (0 * table[0], table[0]):
        left = np.cumsum(table[1:], axis=0) + to_left
        sides = [left, total - left]
        weights = [side[:, 0] if large.is_regression else side.sum(axis=1) for side in sides]
        after = sum(badness(side, large.is_regression, large.criterion) for side in sides)
        cuts = (weights[0] > 0) & (weights[1] > 0)
        best = max(best, (-after[cuts]).max(initial=-np.inf))
    weight = total[0] if large.is_regression else total.sum()
    return (badness(total[None], large.is_regression, large.criterion)[0] + best) / weight


@some
@given(seeds, st.sampled_from(TASKS))
def test_every_test_of_a_large_tree_is_the_best_of_its_node(seed, task):
    large = Large(seed, task, n_codes=3000, n_columns=3)
    tree = large.grow(max_depth=5, is_category=[False] * 3)
    content = tree["content"].reshape(-1, large.cells.shape[1])
    rows_of = {0: np.arange(large.n_rows)}
    for node, kind in enumerate(tree["kind"]):
        rows = rows_of[node]
        np.testing.assert_array_equal(content[node], large.cells[rows].sum(axis=0))
        if kind == 0:
            continue
        codes = large.codes[tree["feature"][node]][rows]
        branch = np.where(codes == 0, tree["missing_branch"][node], codes > tree["left_code"][node])
        children = range(tree["first_child"][node], tree["first_child"][node] + 2)
        rows_of.update((child, rows[branch == b]) for b, child in enumerate(children))
        family = content[[node, *children]].astype(float)
        parent, *parts = badness(family, large.is_regression, large.criterion)
        gain = (parent - sum(parts)) / len(rows)
        best = max(best_gain(large, rows, column) for column in range(3))
        scale = large.cells[rows, 1].var() if large.is_regression else 1.0
        assert gain == pytest.approx(best, abs=1e-9 * scale)


@some
@given(seeds, st.integers(3, 6), st.booleans())
def test_the_partition_is_that_of_scikit_learn(seed, depth, is_regression):
    """Both take the best Gini or variance and cut half-way, so leaves hold the same rows.

    Nothing is left to tolerance but ties, which scikit-learn breaks at random: values and weights
    are continuous (values in single precision, in which it computes) and no leaf is small, so there
    are none. To rounding it finds pure nodes impure, which a least gain keeps it from splitting.
    Scores are sums in another order: they agree to rounding.
    """
    random = np.random.default_rng(seed)
    X = random.normal(size=(2000, 5)).astype(np.float32)
    weight = random.uniform(0.5, 1.5, 2000)
    number = X[:, 0] * X[:, 1] + X[:, 2] + random.normal(0, 0.5, 2000)
    y = number if is_regression else np.digitize(number, [-0.5, 0.5])
    ours, theirs = (
        (DecisionTreeRegressor, peer.DecisionTreeRegressor)
        if is_regression
        else (DecisionTreeClassifier, peer.DecisionTreeClassifier)
    )
    seen = ours(prune=None, correct_for_chance=False, max_depth=depth, min_samples_leaf=20)
    expected = theirs(
        random_state=0,
        max_depth=depth,
        min_weight_fraction_leaf=0.01,
        min_impurity_decrease=1e-9,
    )
    for model in (seen, expected):
        model.fit(X, y, sample_weight=weight)
    leaf, other = seen.apply(X), expected.apply(X)
    assert len(set(zip(leaf, other, strict=True))) == len(set(leaf)) == len(set(other))
    assert seen.score(X, y) == pytest.approx(expected.score(X, y), abs=1e-12)
