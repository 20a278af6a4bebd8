"""A tree as arrays: what its nodes hold, how rows go down, and how it is pruned."""

import pickle

import numpy as np
import pytest

from branchline import Table
from branchline._trees._tree_arrays import EVERY_BRANCH, STAY, Scale
from branchline.errors import DataError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, TreeArrays
from grown_trees import chain

# x ≤ 0.5? yes: (c: a → leaf, b → (d: p → leaf, q → leaf, r stays)); no: leaf. The pool: c's, d's.
SCHEMA = Table({"x": [1.5, 2.5, 3], "c": list("aba"), "d": list("pqr")}).schema
DTYPES = {
    "kind": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_branch": np.int32,
    "pool_offset": np.int64,
    "pool": np.int32,
    "content": np.int64,
    "spread": np.float64,
}
NODES = {
    "kind": [1, 2, 0, 0, 2, 0, 0],
    "feature": [0, 1, -1, -1, 2, -1, -1],
    "threshold": [0.5, 0, 0, 0, 0, 0, 0],
    "first_child": [1, 3, -1, -1, 5, -1, -1],
    "n_children": [2, 2, 0, 0, 2, 0, 0],
    "missing_branch": [0, EVERY_BRANCH, -1, -1, STAY, -1, -1],
    "pool_offset": [0, 0, 0, 0, 2, 0, 0],
    "pool": [0, 1, 1, 0, STAY],
    "content": [[10, 10], [9, 3], [1, 7], [6, 0], [3, 3], [2, 0], [1, 3]],
    "spread": np.zeros((7, 0)),
}


def tree(**changes):
    arrays = {name: np.array({**NODES, **changes}[name], dtype) for name, dtype in DTYPES.items()}
    return TreeArrays(**arrays, scale=changes.get("scale", Scale()))


def two_leaves(content):
    """Return a stump whose nodes hold some units of classes."""
    arrays = {
        "kind": np.array([1, 0, 0], np.uint8),
        "feature": np.array([0, -1, -1], np.int32),
        "threshold": np.zeros(3),
        "first_child": np.array([1, -1, -1], np.int32),
        "n_children": np.array([2, 0, 0], np.int32),
        "missing_branch": np.array([0, -1, -1], np.int32),
        "pool_offset": np.zeros(3, np.int64),
        "pool": np.empty(0, np.int32),
        "spread": np.zeros((3, 0)),
    }
    return TreeArrays(**arrays, content=content, scale=Scale())


def rows(**columns):
    return SCHEMA.apply(Table(columns))


def numbers(seed=0, n_rows=300, n_columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1], nan=0.5) ** 2
    return X, score


class TestNodes:
    def test_sizes(self):
        made = tree()
        assert (made.n_nodes, made.n_leaves, made.max_depth) == (7, 4, 3)
        assert made.is_classification
        assert made.is_leaf.tolist() == [False, False, True, True, False, True, True]

    def test_families(self):
        made = tree()
        assert made.parent.tolist() == [-1, 0, 0, 1, 1, 4, 4]
        assert made.depth.tolist() == [0, 1, 1, 2, 2, 3, 3]
        assert [level.tolist() for level in made.levels()] == [[0], [1, 2], [3, 4], [5, 6]]

    def test_classes(self):
        made = tree(scale=Scale(0.5))
        assert made.weight.tolist() == [10, 6, 4, 3, 3, 1, 2]
        assert made.value[0].tolist() == [0.5, 0.5]
        assert made.value[6].tolist() == [0.25, 0.75]
        assert made.variance.shape == (7, 0)

    def test_numbers(self):
        """Two rows of mean 10 + 3/2 and variance 8/2, in quarters."""
        leaf = TreeArrays(
            **{name: np.array(values[:1], DTYPES[name]) for name, values in LEAF.items()},
            scale=Scale(1.0, (10.0,), 2),
        )
        assert not leaf.is_classification
        assert leaf.weight.tolist() == [2.0]
        assert leaf.value.tolist() == [[11.5]]
        assert leaf.variance.tolist() == [[4.0]]

    def test_children_of_binary_tests_as_in_scikit_learn(self):
        made = tree()
        assert made.children_left.tolist() == [1, 3, -1, -1, 5, -1, -1]
        assert made.children_right.tolist() == [2, 4, -1, -1, 6, -1, -1]
        X, y = Table({"c": list("abcabc")}), list("xyzxyz")
        wide = DecisionTreeClassifier(split="multiway", prune=None).fit(X, y).tree_
        with pytest.raises(AttributeError, match="first_child and n_children"):
            _ = wide.children_left

    def test_a_very_deep_tree(self):
        deep = chain(5000)
        assert deep.tree.max_depth == 5000
        assert deep.tree.find_leaves(deep.table, 2).tolist()[-1] == 10_000
        assert deep.tree.pruned(np.arange(10_001) == 4000).max_depth == 2000


LEAF = {
    "kind": [0],
    "feature": [-1],
    "threshold": [0],
    "first_child": [-1],
    "n_children": [0],
    "missing_branch": [-1],
    "pool_offset": [0],
    "pool": [],
    "content": [[2, 12]],
    "spread": [[8.0]],
}


class TestRowsGoDown:
    def test_to_the_node_they_end_in(self):
        made = tree()
        table = rows(
            x=[0.5, 0.1, 0.1, None, 0.51, 0.1, 0.1, 0.1],
            c=["a", "b", "b", "a", "b", "b", None, "b"],
            d=["p", "p", "q", "q", "p", "r", "p", None],
        )
        # The last: no branch for a missing d. Before it: a missing c follows its largest part.
        assert made.find_leaves(table, 1).tolist() == [3, 6, 5, 3, 2, 4, 3, 4]
        assert made.find_leaves(table, 2).tolist() == made.find_leaves(table, 1).tolist()

    def test_shared_rows_are_averaged(self):
        made = tree()
        assert made.shares_rows
        table = rows(x=[0.1, 0.1, 9.0], c=[None, "a", None], d=["p", "p", "p"])
        found = made.average(table, made.value, 1)
        # Half of the first goes to a, half to b and there to p.
        assert found.tolist() == [[0.5 * 1 + 0.5 * 0.25, 0.5 * 0.75], [1, 0], [1 / 8, 7 / 8]]
        assert not tree(missing_branch=[0, 1, -1, -1, 0, -1, -1]).shares_rows

    def test_a_pickled_tree_walks_too(self):
        made = tree()
        again = pickle.loads(pickle.dumps(made))
        table = rows(x=[0.1, 0.7], c=["b", "a"], d=["q", "q"])
        assert again.find_leaves(table, 1).tolist() == made.find_leaves(table, 1).tolist() == [5, 2]


class TestNarrowArrays:
    """Arrays that grow with classes or categories are as narrow as what they hold."""

    @pytest.mark.parametrize(("most", "dtype"), [(255, np.uint8), (256, np.uint16), (70_000, int)])
    def test_the_units_of_many_classes(self, most, dtype):
        rng = np.random.default_rng(0)
        leaves = rng.integers(0, 3, (2, 80)) + np.array([[most // 2 - 2], [most - most // 2 - 2]])
        leaves[:, 0] = [most // 2, most - most // 2]
        content = np.array([leaves.sum(axis=0), *leaves])
        made = two_leaves(content)
        assert made.content.dtype == dtype
        assert made.content.tolist() == content.tolist()
        nodes = np.array([2, 0, 2])
        expected = content[nodes] / content[nodes].sum(axis=1, keepdims=True)
        assert (made.values_at(nodes) == expected).all()
        assert (made.value[nodes] == expected).all()
        assert (made.values_at(nodes) == expected).all()
        assert made.weight.tolist() == content.sum(axis=1).tolist()
        assert pickle.loads(pickle.dumps(made)).content.dtype == dtype

    def test_the_units_of_few_classes_stay_wide(self):
        assert two_leaves(np.array([[4, 2], [3, 1], [1, 1]])).content.dtype == np.int64

    def test_branches_are_bytes_unless_there_are_too_many(self):
        assert tree().pool.dtype == np.int8
        names = [f"n{number:03}" for number in range(130)]
        X = Table({"c": names * 3})
        grown = DecisionTreeClassifier(split="multiway", prune=None, correct_for_chance=False)
        y = np.arange(390) % 130
        assert grown.fit(X, y).tree_.pool.dtype == np.int32
        assert (grown.predict(X) == y).all()

    def test_a_fit_of_many_classes_holds_what_one_of_few_does(self):
        """Contents come packed from the grower where there are more than 64 classes."""
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(400, 3)), rng.permutation(np.arange(400) % 90)
        made = DecisionTreeClassifier(prune=None).fit(X, y).tree_
        assert made.content.dtype == np.uint8
        ends = made.find_leaves(Table({f"x{i}": X[:, i] for i in range(3)}), 1)
        expected = np.zeros((made.n_nodes, 90), dtype=int)
        for node, label in zip(ends, y, strict=True):
            while node >= 0:
                expected[node, label] += 1
                node = made.parent[node]
        assert made.content.tolist() == expected.tolist()


class TestPruning:
    @pytest.mark.parametrize(
        ("collapsed", "kinds", "pool"),
        [
            ([], [1, 2, 0, 0, 2, 0, 0], [0, 1, 1, 0, -1]),
            ([4], [1, 2, 0, 0, 0], [0, 1]),
            ([1], [1, 0, 0], []),
            ([1, 4], [1, 0, 0], []),
            ([0], [0], []),
        ],
        ids=str,
    )
    def test_nodes_become_leaves(self, collapsed, kinds, pool):
        made = tree()
        pruned = made.pruned(np.isin(np.arange(7), collapsed))
        assert pruned.kind.tolist() == kinds
        assert pruned.pool.tolist() == pool
        assert pruned.content[0].tolist() == [10, 10]
        assert (pruned.feature[pruned.is_leaf] == -1).all()
        assert (pruned.threshold[pruned.is_leaf] == 0).all()
        assert pruned.parent.tolist() == made.parent[: len(kinds)].tolist()

    def test_pruning_does_not_change_where_other_rows_go(self):
        X, score = numbers()
        full = DecisionTreeRegressor(prune=None, max_depth=6).fit(X, score)
        collapse = np.zeros(full.tree_.n_nodes, dtype=bool)
        collapse[np.flatnonzero(~full.tree_.is_leaf)[3::4]] = True
        pruned = full.tree_.pruned(collapse)
        nodes = full.apply(X)
        while True:
            up = [node for node in set(nodes.tolist()) if any_above(full.tree_, node, collapse)]
            if not up:
                break
            nodes = np.where(np.isin(nodes, up), full.tree_.parent[nodes], nodes)
        values = pruned.value[pruned.find_leaves(Table(X), 1), 0]
        assert values == pytest.approx(full.tree_.value[nodes, 0])


def any_above(tree, node, collapse):
    node = int(tree.parent[node])
    while node >= 0:
        if collapse[node]:
            return True
        node = int(tree.parent[node])
    return False


def beside_a_byte(X):
    """Return rows as the field of records that have a byte before it: steps of 8k + 1 bytes."""
    records = np.zeros(len(X), dtype=[("flag", "i1"), ("values", X.dtype, X.shape[1:])])
    records["values"] = X
    return records["values"]


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
    "broadcast": lambda X: np.broadcast_to(X[:1], X.shape),
    "in records": beside_a_byte,
}


class TestFewRows:
    """A few rows of plain floats take a short way, which must lead to the same place."""

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("missing", ["learned", "own", "node_mode", "fractional"])
    def test_any_layout(self, layout, dtype, missing):
        X, score = numbers()
        y = (score > 0.7).astype(int) + (score > 2)
        few = LAYOUTS[layout](X[:40].astype(dtype))
        many = np.concatenate([np.ascontiguousarray(few), X.astype(dtype)])
        for model in (
            DecisionTreeClassifier(prune=None, missing=missing).fit(X, y),
            DecisionTreeRegressor(prune=None, missing=missing).fit(X, score),
        ):
            assert model.predict(few).tolist() == model.predict(many)[:40].tolist()
            assert model.apply(few).tolist() == model.apply(many)[:40].tolist()
            assert model.predict(few[:1]).tolist() == model.predict(many)[:1].tolist()
        proba = DecisionTreeClassifier(prune=None, missing=missing).fit(X, y).predict_proba
        assert proba(few).tolist() == proba(many)[:40].tolist()

    def test_other_kinds_of_rows_take_the_common_way(self):
        X, score = numbers()
        model = DecisionTreeRegressor().fit(X, score)
        expected = model.predict(X[:3])
        for same in (X[:3].tolist(), X[:3].astype(object), X[:3].astype(">f8"), Table(X[:3])):
            assert model.predict(same).tolist() == expected.tolist()
        assert model.predict(np.round(X[:3]).astype(np.float16)).shape == (3,)

    @pytest.mark.parametrize("n_rows", [1, 64, 65])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_what_is_refused_is_refused_on_both_ways(self, n_rows, dtype):
        X, score = numbers()
        model = DecisionTreeRegressor().fit(X, score)
        rows = X[:n_rows].astype(dtype)
        for infinite in (np.inf, -np.inf):
            bad = rows.copy()
            bad[0, 2] = infinite
            with pytest.raises(DataError) as caught:
                model.predict(bad)
            assert caught.value.code == "D060"
        for bad in (rows[:, :3], np.column_stack([rows, rows]), rows[:, :0]):
            with pytest.raises(DataError, match="feature"):
                model.predict(bad)
        with pytest.raises(DataError):
            model.predict(rows[0])

    def test_no_rows(self):
        X, score = numbers()
        model = DecisionTreeRegressor().fit(X, score)
        assert model.predict(X[:0]).shape == (0,)
        assert model.apply(X[:0]).shape == (0,)

    def test_names_are_still_compared(self):
        X, score = numbers()
        model = DecisionTreeRegressor().fit(Table(dict(zip("abcd", X.T, strict=True))), score)
        frame = dict(zip("dcba", X[:5].T[::-1], strict=True))
        with pytest.warns(match="does not have valid feature names"):
            unnamed = model.predict(X[:5])
        assert model.predict(frame).tolist() == unnamed.tolist()

    def test_a_single_leaf_and_nothing_but_nan(self):
        X, _ = numbers()
        model = DecisionTreeRegressor().fit(X, np.full(len(X), 2.0))
        assert model.predict(np.full((2, 4), np.nan)).tolist() == [2.0, 2.0]
