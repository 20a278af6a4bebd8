"""Forests to read: random valid arrays, forests of grown trees, and a slow walk down them."""

from dataclasses import replace

import numpy as np

from branchline._codes import Codes, fit_codes
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._packing import narrowed
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale, TreeArrays
from branchline.table import Schema, Table
from branchline.table._column import FLOAT, ColumnType
from branchline.table._schema import Field

# Names of each category column of a random forest; None: a column of numbers.
COLUMNS = (None, None, 5, 17, None)


class SlowWalker:
    """What ``_core.ForestWalker`` does, a level of one tree at a time."""

    def __init__(
        self, n_nodes, kind, feature, threshold, missing_left, pool, n_codes, leaf_value, width
    ):
        self.n_trees, self.width = len(n_nodes), width
        self.value = leaf_value.reshape(-1, width)
        node = inner = byte = leaf = 0
        self.trees = []
        for size in n_nodes.tolist():
            kinds = kind[node : node + size]
            tests = slice(inner, inner + size // 2)
            n_bytes = np.where(
                kinds[kinds != LEAF] == CATEGORIES, (n_codes[feature[tests]] + 7) // 8, 0
            )
            self.trees.append(
                {
                    "kind": kinds,
                    "feature": feature[tests],
                    "threshold": threshold[tests],
                    "left": missing_left[tests] != 0,
                    "first_bit": 8 * (byte + np.cumsum(n_bytes) - n_bytes),
                    "rank": np.cumsum(kinds != LEAF) - 1,
                    "leaf": leaf + np.cumsum(kinds == LEAF) - 1,
                }
            )
            node, inner, leaf = node + size, inner + size // 2, leaf + size // 2 + 1
            byte += int(n_bytes.sum())
        self.bits = np.unpackbits(pool, bitorder="little")

    def _leaves(self, tree, columns):
        place = np.zeros(len(columns[0]), dtype=np.int32)
        while len(open_rows := np.flatnonzero(tree["kind"][place] != LEAF)):
            for row in open_rows:
                place[row] = self._step(tree, int(place[row]), [column[row] for column in columns])
        return place

    def _step(self, tree, node, row):
        test = tree["rank"][node]
        x = row[tree["feature"][test]]
        if tree["kind"][node] == CATEGORIES:
            right = not tree["left"][test] if x < 0 else self.bits[tree["first_bit"][test] + x]
        elif np.isnan(x):
            right = not tree["left"][test]
        else:
            right = np.float64(x) > tree["threshold"][test]
        return 1 + 2 * test + bool(right)

    def find_leaves(self, columns, n_categories, n_threads):
        return np.ravel(np.stack([self._leaves(tree, columns) for tree in self.trees], axis=1))

    def average(self, columns, n_categories, n_threads, first_tree=0, n_trees=-1):
        trees = self.trees[first_tree:][: None if n_trees < 0 else n_trees]
        total = sum(self.value[tree["leaf"][self._leaves(tree, columns)]] for tree in trees)
        return np.ravel(total / len(trees))

    def average_of_few(self, matrix):
        if np.isinf(matrix).any():
            return None
        return self.average(list(matrix.T), None, 1)


def slow_walker(forest):
    """Return the slow walker of a forest."""
    return SlowWalker(
        forest.n_nodes,
        forest.kind,
        forest.feature.astype(np.int32),
        forest.thresholds(),
        forest.missing_left,
        forest.pool,
        forest.n_categories,
        np.ravel(forest.leaf_value),
        forest.leaf_value.shape[1],
    )


# -- random arrays ------------------------------------------------------------------------------


def random_kinds(rng, n_inner):
    """Return for one tree which nodes are inner, in level order."""
    is_inner = [n_inner > 0]
    while len(is_inner) <= 2 * n_inner:
        n_open = 2 * sum(is_inner) + 1 - len(is_inner)  # places to fill, this one included
        is_left = sum(is_inner) < n_inner
        is_inner.append(is_left and (n_open == 1 or rng.random() < 0.6))
    return np.array(is_inner)


def random_forest(
    seed=0, *, n_trees=4, n_classes=3, n_outputs=1, most_inner=12, midpoints=True, n_values=9
):
    """Return a valid random forest on ``COLUMNS``; ``n_classes=None`` is for numbers."""
    rng = np.random.default_rng(seed)
    lowest, highest = [], []
    for names in COLUMNS:
        edges = np.cumsum(rng.uniform(0.1, 2, 0 if names else 2 * n_values)) - 5
        lowest.append(edges[::2].copy())
        highest.append(edges[1::2].copy() if rng.random() < 0.5 else edges[::2].copy())
    n_codes = np.array([names or n_values for names in COLUMNS])
    sizes = [int(rng.integers(most_inner + 1)) for _ in range(n_trees)]
    is_inner = np.concatenate([random_kinds(rng, size) for size in sizes])
    feature = rng.integers(len(COLUMNS), size=sum(sizes))
    is_category = np.array([COLUMNS[column] is not None for column in feature], dtype=bool)
    left = rng.integers(1, n_values, size=len(feature))
    right = left + 1 + rng.integers(0, n_values - left)
    right[rng.random(len(feature)) < 0.1] = 0
    right[is_category] = 0
    left[right == 0] = 0
    fraction = np.where(right == 0, 0, 128 if midpoints else rng.integers(256, size=len(right)))
    missing_left = rng.integers(2, size=len(feature))
    missing_left[~is_category & (right == 0)] = 0
    pool = [rng.random(COLUMNS[c]) < 0.5 for c in feature if COLUMNS[c] is not None]
    pool = [np.packbits(bits, bitorder="little") for bits in pool]
    kind = np.zeros(len(is_inner), np.uint8)
    kind[is_inner] = np.where(is_category, CATEGORIES, THRESHOLD_TEST)
    n_leaves = int((~is_inner).sum())
    if n_classes is not None:
        content = rng.integers(0, 6, (n_leaves, n_classes))
        content[np.arange(n_leaves), rng.integers(n_classes, size=n_leaves)] += 1
        content, scale = narrowed(content), Scale()
    else:
        sums = rng.integers(-(2**45), 2**45, (n_leaves, n_outputs))
        content = np.concatenate([rng.integers(1, 9, (n_leaves, 1)), sums], axis=1)
        scale = Scale(0.5, tuple(np.arange(n_outputs) + 0.25), 40, 3)
    return ForestArrays(
        n_nodes=2 * np.array(sizes) + 1,
        kind=kind,
        feature=narrowed(feature),
        left_code=narrowed(left),
        right_code=narrowed(right),
        fraction=fraction.astype(np.uint8),
        missing_left=missing_left.astype(np.uint8),
        pool=np.concatenate([np.zeros(0, np.uint8), *pool]),
        content=content,
        scale=scale,
        lowest=tuple(lowest),
        highest=tuple(highest),
        n_codes=n_codes,
        pooling=(None,) * len(COLUMNS),
    )


def schema():
    """Return the schema of ``COLUMNS``."""
    fields = [
        Field(
            f"x{place}",
            FLOAT
            if names is None
            else ColumnType("category", "string", tuple(f"c{k:02}" for k in range(names))),
        )
        for place, names in enumerate(COLUMNS)
    ]
    return Schema(tuple(fields))


def random_columns(seed=0, n_rows=60):
    """Return rows of ``COLUMNS`` as walkers take them, some values missing."""
    rng = np.random.default_rng(seed)
    columns = []
    for names in COLUMNS:
        if names is None:
            column = rng.uniform(-7, 20, n_rows)
            column[rng.random(n_rows) < 0.1] = np.nan
        else:
            column = rng.integers(-1, names, n_rows).astype(np.int32)
        columns.append(column)
    return columns


def leaves_in(forest, columns):
    """Return the node of each row in each tree."""
    flat = slow_walker(forest).find_leaves(columns, None, 1)
    return flat.reshape(len(columns[0]), forest.n_trees)


def same_forest(first, second):
    """Whether all arrays are equal, dtypes included."""
    names = ("n_nodes", "kind", "feature", "left_code", "right_code", "fraction", "missing_left")
    for name in (*names, "pool", "content", "n_codes"):
        a, b = getattr(first, name), getattr(second, name)
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            return False
    tables = zip((*first.lowest, *first.highest), (*second.lowest, *second.highest), strict=True)
    return first.scale == second.scale and all(a.tobytes() == b.tobytes() for a, b in tables)


# -- forests of grown trees ---------------------------------------------------------------------


def bag_counts(seed, n_rows, n_trees):
    """Return how often each tree (a row each) holds each row."""
    return np.random.default_rng(seed).poisson(1.0, (n_trees, n_rows)).astype(np.uint32)


def grown_forest(make, X, y, counts):
    """Return the forest of trees grown by ``make()`` on numbers X, each on its own counts.

    Leaves of numbers hold the sums of y in one scale, which single trees do not share.
    """
    codes = fit_codes(Table(X))
    trees = [make().fit(X, y, row.astype(np.float64)).tree_ for row in counts]
    forest = forest_of_trees(trees, codes)
    if forest.is_classification:
        return forest
    scale = Scale(1.0, (float(np.mean(y)),), 30, 8)
    return replace(forest, content=held_by_leaves(forest, X, y, counts, scale), scale=scale)


def held_by_leaves(forest, X, y, counts, scale=None):
    """Return what the rows of each tree (drawn as often as counts say) are in its leaves."""
    scale = scale or forest.scale
    numbers = forest.leaf_numbers(leaves_in(forest, list(X.T)))
    if scale.center is None:
        of_row = (np.unique(y)[:, None] == y).astype(np.int64)
    else:
        of_row = np.stack([np.ones(len(y)), np.rint(np.ldexp(y - scale.center[0], scale.bits))])
        of_row = of_row.astype(np.int64)
    held = np.zeros((int(forest.first_leaf[-1]), len(of_row)), dtype=np.int64)
    for tree, count in enumerate(counts.astype(np.int64)):
        np.add.at(held, numbers[:, tree], of_row.T * count[:, None])
    return held


def forest_of_trees(trees: list[TreeArrays], codes: Codes) -> ForestArrays:
    """Return the forest of binary trees on numbers; thresholds move to the nearest codes."""
    parts = [_tests_of_tree(tree, codes) for tree in trees]
    feature, left, right, missing = (np.concatenate(part) for part in zip(*parts, strict=True))
    content = np.concatenate([tree.content[tree.is_leaf] for tree in trees])
    classes = trees[0].is_classification
    return ForestArrays(
        n_nodes=np.array([tree.n_nodes for tree in trees]),
        kind=np.concatenate([tree.kind for tree in trees]),
        feature=narrowed(feature),
        left_code=narrowed(left),
        right_code=narrowed(right),
        fraction=np.where(right > 0, 128, 0).astype(np.uint8),
        missing_left=missing.astype(np.uint8),
        pool=np.zeros(0, np.uint8),
        content=narrowed(content) if classes else content,
        scale=trees[0].scale,
        lowest=codes.lowest,
        highest=codes.highest,
        n_codes=codes.n_codes,
        pooling=codes.pooling,
    )


def _tests_of_tree(tree, codes):
    inner = np.flatnonzero(tree.kind == THRESHOLD_TEST)
    feature, threshold = tree.feature[inner], tree.threshold[inner]
    pairs = zip(feature.tolist(), threshold.tolist(), strict=True)
    left = [np.searchsorted(codes.highest[column], cut, side="right") for column, cut in pairs]
    left = np.array(left, dtype=np.int64)
    right = np.where(threshold == np.inf, 0, left + 1)
    return feature, np.where(right, left, 0), right, (tree.missing_branch[inner] == 0) & (right > 0)
