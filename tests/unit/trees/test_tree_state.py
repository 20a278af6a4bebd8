"""Packing a tree: nothing is lost, little is stored, and nothing unsound comes back."""

from functools import cache

import numpy as np
import pytest

from branchline import Table, load, load_dataset
from branchline._trees._tree_arrays import Scale
from branchline._trees._tree_state import fill_inner_nodes, pack_tree, unpack_tree
from branchline.errors import ModelFileError
from branchline.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor

ARRAYS = (
    "kind",
    "feature",
    "threshold",
    "first_child",
    "n_children",
    "missing_branch",
    "pool_offset",
    "pool",
    "content",
    "spread",
)


def numbers(n_outputs=1):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, :n_outputs]) * 3 + rng.normal(size=(200, n_outputs)) * 1e3
    return X, y[:, 0] if n_outputs == 1 else y


def heart():
    return load_dataset("heart").split_target("disease")


MODELS = {
    "default": lambda: DecisionTreeClassifier().fit(*heart()),
    "weights": lambda: DecisionTreeClassifier(prune=None).fit(*heart(), some_weights()),
    "own": lambda: DecisionTreeClassifier(prune=None, missing="own").fit(*heart()),
    "fractional": lambda: C45().fit(*heart()),
    "multiway": lambda: ID3().fit(*load_dataset("votes84").split_target("party")),
    "costs": lambda: DecisionTreeClassifier(costs=[[0, 1], [7, 0]]).fit(*heart()),
    "leaf": lambda: DecisionTreeClassifier(min_samples_leaf=200).fit(*heart()),
    "numbers": lambda: DecisionTreeRegressor(prune=None).fit(*numbers()),
    "outputs": lambda: DecisionTreeRegressor(prune=None, missing="fractional").fit(*numbers(2)),
    "price": lambda: DecisionTreeRegressor(ccp_alpha=1.0).fit(*numbers()),
}
EACH = pytest.mark.parametrize("name", MODELS)


@cache
def fitted(name):
    return MODELS[name]()


def some_weights():
    return np.random.default_rng(1).uniform(0.5, 2, heart()[0].n_rows)


def unpacked(model, **changes):
    state = {**pack_tree(model.tree_), **changes}
    classes = model.__dict__.get("classes_")
    return unpack_tree(
        state,
        model.schema_,
        n_classes=None if classes is None else len(classes),
        n_outputs=1 if classes is not None else model.n_outputs_,
    )


class TestRoundTrip:
    @EACH
    def test_the_same_bits(self, name):
        model = fitted(name)
        again = unpacked(model)
        assert again.scale == model.tree_.scale
        for array in ARRAYS:
            before, after = getattr(model.tree_, array), getattr(again, array)
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes(), array
            assert before.shape == after.shape

    @EACH
    def test_a_file(self, name, tmp_path):
        model = fitted(name)
        model.save(tmp_path / "tree.branchline")
        again = load(tmp_path / "tree.branchline")
        assert again.to_text() == model.to_text()
        assert again.get_params() == model.get_params()
        path, other = (vars(m).get("pruning_path_") for m in (model, again))
        assert (path is None) == (other is None)
        if path is not None:
            assert path.to_pandas().equals(other.to_pandas())
        if hasattr(model, "decision_"):
            assert (again.decision_ == model.decision_).all()

    @pytest.mark.parametrize("make", ["classes", "numbers"])
    def test_bytes_a_node(self, make):
        """At most 24 a node for two classes or one output."""
        X, y = numbers()
        tree = (
            DecisionTreeClassifier(prune=None).fit(X, (y > 0).astype(int))
            if make == "classes"
            else DecisionTreeRegressor(prune=None).fit(X, y)
        ).tree_
        arrays = [value for value in pack_tree(tree).values() if isinstance(value, np.ndarray)]
        assert sum(array.nbytes for array in arrays) / tree.n_nodes <= 24
        assert tree.n_nodes > 50


class TestInnerNodes:
    def test_are_the_sum_of_their_children(self):
        for name in ("weights", "fractional", "numbers", "outputs"):
            tree = fitted(name).tree_
            for node in np.flatnonzero(~tree.is_leaf):
                family = slice(
                    tree.first_child[node], tree.first_child[node] + tree.n_children[node]
                )
                assert tree.content[node].tolist() == tree.content[family].sum(axis=0).tolist()

    def test_spread_of_a_family(self):
        """Leaves of 2 rows around 1 and 3 rows around 6, spreads 8 and 5: 13 + 2·3² + 3·2²."""
        content = np.array([[0, 0], [2, 2], [3, 18]], dtype=np.int64)
        first, n_children = np.array([1, -1, -1], np.int32), np.array([2, 0, 0], np.int32)
        spread = np.array([[0.0], [8], [5]])
        filled = fill_inner_nodes(content, spread, first, n_children, Scale(1.0, (0.0,), 0))
        assert content[0].tolist() == [5, 20]
        assert filled[:, 0].tolist() == [13 + 2 * 9 + 3 * 4, 8, 5]

    def test_spreads_are_those_of_the_rows(self):
        X, y = numbers()
        model = DecisionTreeRegressor(prune=None, max_depth=4).fit(X, y)
        tree, at = model.tree_, model.apply(X)
        for _ in range(tree.max_depth + 1):
            for node in set(at.tolist()):
                deep = tree.depth[at].max()
                if tree.depth[node] == deep:
                    here = y[at == node]
                    spread = np.ldexp(tree.spread[node, 0], 2 * tree.scale.exponent)
                    squares = ((here - here.mean()) ** 2).sum()
                    assert spread == pytest.approx(squares, rel=1e-6, abs=1e-6)
            at = np.where(tree.depth[at] == tree.depth[at].max(), tree.parent[at], at)
            if (at < 0).any():
                break


class TestRefusals:
    """Each rule refuses what only it can see."""

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"kind": np.array([], np.uint8)}, "no nodes"),
            ({"kind": np.array([7, 0, 0], np.uint8)}, "unknown kind"),
            ({"kind": np.array([1, 0], np.uint8), "leaf_content": np.ones(2, np.int64)}, "parent"),
            ({"kind": np.array([0, 1, 0], np.uint8)}, "parent"),
            ({"missing_branch": np.array([3], np.int32)}, "missing value's branch"),
            ({"missing_branch": np.array([-3], np.int32)}, "missing value's branch"),
            ({"threshold": np.array([np.nan])}, "threshold"),
            ({"threshold": np.array([-np.inf])}, "threshold"),
            ({"feature": np.array([3], np.int32)}, "column does not exist"),
            ({"feature": np.array([-1], np.int32)}, "column does not exist"),
            ({"pool": np.array([0], np.int32)}, "overlap or leave gaps"),
            ({"unit": 0.0}, "unit"),
            ({"unit": 2.0}, "unit"),
            ({"leaf_content": np.array([0, 0, 1, 1], np.int64)}, "weight is not above 0"),
            ({"leaf_content": np.array([-1, 2, 1, 1], np.int64)}, "weight is not above 0"),
            ({"leaf_content": np.array([2**53, 1, 1, 1], np.int64)}, "more than any table"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_of_a_stump(self, changes, words):
        X, y = numbers()
        model = DecisionTreeClassifier(max_depth=1, prune=None).fit(X, (y > 0).astype(int))
        assert unpacked(model).n_nodes == 3
        with pytest.raises(ModelFileError, match=words) as caught:
            unpacked(model, **changes)
        assert caught.value.code == "M005"

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"pool": np.array([0, 1, 3], np.int32)}, "out of range"),
            ({"pool": np.array([0, 1, -3], np.int32)}, "out of range"),
            ({"n_branches": np.array([1], np.int32)}, "too few or too many"),
            ({"kind": np.array([1, 0, 0, 0], np.uint8)}, "."),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_of_a_category_test(self, changes, words):
        table = Table({"c": list("abcabc")})
        model = DecisionTreeClassifier(split="multiway", prune=None).fit(table, list("xyzxyz"))
        assert unpacked(model).n_nodes == 4
        with pytest.raises(ModelFileError, match=words):
            unpacked(model, **changes)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"bits": 3000}, "bits"),
            ({"bits": 1.5}, "bits"),
            ({"centre": np.array([np.inf])}, "."),
            ({"centre": np.zeros(2)}, "."),
            ({"leaf_spread": np.array([-1.0, 0])}, "."),
            ({"leaf_spread": np.array([np.nan, 0])}, "."),
            ({"leaf_content": np.array([1, 2**62, 1, 2**62], np.int64)}, "out of range"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_of_numbers(self, changes, words):
        model = DecisionTreeRegressor(max_depth=1, prune=None).fit(*numbers())
        assert unpacked(model).n_nodes == 3
        with pytest.raises(ModelFileError, match=words):
            unpacked(model, **changes)
