"""Small trees and rows for the tests of attributions, drawn, random or made by hand."""

import numpy as np
from hypothesis import strategies as st

from branchline import _core

# Columns of numbers (0), and of that many categories; tests use several of them.
N_CODES = (0, 0, 3, 0, 11)
NUMBERS = (float("nan"), -1.0, 0.0, 0.5, 2.0, float("inf"))


def arrays(n_nodes, kind, tests, pool, leaves, n_codes=N_CODES, width=1):
    """Return trees as the core takes them; a test is (column, threshold, missing_left)."""
    feature, threshold, missing_left = zip(*tests, strict=True) if tests else ((), (), ())
    values, covers = zip(*leaves, strict=True)
    return {
        "n_nodes": np.array(n_nodes, np.int64),
        "kind": np.array(kind, np.uint8),
        "feature": np.array(feature, np.int32),
        "threshold": np.array(threshold, np.float64),
        "missing_left": np.array(missing_left, np.uint8),
        "pool": np.array(pool, np.uint8),
        "n_codes": np.array(n_codes, np.int64),
        "leaf_value": np.array(values, np.float64).reshape(-1),
        "leaf_cover": np.array(covers, np.float64),
        "width": width,
    }


def columns_of(cells, n_codes=N_CODES):
    """Return rows as the columns that the core takes."""
    by_column = zip(*cells, strict=True) if cells else [()] * len(n_codes)
    columns = [
        np.array(column, np.int32 if n else np.float64)
        for column, n in zip(by_column, n_codes, strict=True)
    ]
    return columns, np.array([n or -1 for n in n_codes], np.int32)


def native_attributions(columns, n_categories, *, leaf_cover, n_outputs, n_threads, **trees):
    """Call the core with the arrays of trees by name."""
    attributed = _core.AttributedTrees(_core.TreesView(**trees), leaf_cover, n_outputs)
    return _core.attributions(attributed, columns, n_categories, n_threads)


def attributions(trees, cells, n_outputs=1, n_threads=1):
    n_codes = tuple(trees["n_codes"].tolist())
    columns, n_categories = columns_of(cells, n_codes)
    flat = native_attributions(
        columns, n_categories, **trees, n_outputs=n_outputs, n_threads=n_threads
    )
    return flat.reshape(len(cells), n_outputs, len(n_codes) + 1)


@st.composite
def drawn_trees(draw, most_inner=7, width=1):
    """Draw one to four trees; covers may be 0, but not all of a tree."""
    n_nodes, kind, tests, pool, leaves = [], [], [], [], []
    number = st.integers(-40, 40).map(lambda n: n / 8)
    for _ in range(draw(st.integers(1, 4))):
        open_nodes, n, n_inner, first_leaf = 1, 0, draw(st.integers(0, most_inner)), len(leaves)
        while open_nodes:
            n, open_nodes = n + 1, open_nodes - 1
            if n_inner and (open_nodes == 0 or draw(st.booleans())):
                column = draw(st.integers(0, len(N_CODES) - 1))
                tests.append((column, draw(st.sampled_from(NUMBERS[1:])), draw(st.booleans())))
                n_bytes = (N_CODES[column] + 7) // 8
                pool += draw(st.lists(st.integers(0, 255), min_size=n_bytes, max_size=n_bytes))
                kind.append(2 if N_CODES[column] else 1)
                open_nodes, n_inner = open_nodes + 2, n_inner - 1
            else:
                kind.append(0)
                values = tuple(draw(number) for _ in range(width))
                leaves.append((values, draw(st.sampled_from([0, 0.25, 1, 1, 3, 1e6]))))
        if not any(cover for _, cover in leaves[first_leaf:]):
            leaves[-1] = (leaves[-1][0], 1)
        n_nodes.append(n)
    return arrays(n_nodes, kind, tests, pool, leaves, width=width)


def drawn_rows(most=4):
    cell_of = [st.integers(-1, n - 1) if n else st.sampled_from(NUMBERS) for n in N_CODES]
    return st.lists(st.tuples(*cell_of), min_size=1, max_size=most)


def chain(depth, columns, values, covers, n_columns):
    """Return a tree that is one path; every test's left branch is a leaf."""
    tests = [(column, 0.0, False) for column in columns]
    kind = [1] + [0, 1] * (depth - 1) + [0, 0]
    leaves = list(zip(values, covers, strict=True))
    return arrays([2 * depth + 1], kind, tests, [], leaves, n_codes=(0,) * n_columns)


def random_trees(n_trees, n_inner, n_columns, seed, width=1):
    """Return random trees over columns of numbers."""
    rng = np.random.default_rng(seed)
    kind = []
    for _ in range(n_trees):
        of_tree, open_nodes, left = [], 1, n_inner
        while open_nodes:
            is_inner = left > 0 and (open_nodes == 1 or rng.random() < 0.7)
            of_tree.append(int(is_inner))
            open_nodes += 1 if is_inner else -1
            left -= is_inner
        kind += of_tree
    n_leaves = n_trees * (n_inner + 1)
    tests = [
        (column, cut, flag)
        for column, cut, flag in zip(
            rng.integers(0, n_columns, n_trees * n_inner),
            rng.normal(size=n_trees * n_inner),
            rng.integers(0, 2, n_trees * n_inner),
            strict=True,
        )
    ]
    leaves = list(
        zip(rng.normal(size=(n_leaves, width)), rng.integers(0, 90, n_leaves) + 0.5, strict=True)
    )
    sizes = [2 * n_inner + 1] * n_trees
    return arrays(sizes, kind, tests, [], leaves, (0,) * n_columns, width)


def random_rows(n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X.tolist()


def scale_of(trees):
    return 1 + len(trees["n_nodes"]) * np.abs(trees["leaf_value"]).max()
