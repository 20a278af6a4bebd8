"""Loading forged trees: sound files whose tests, leaves, costs or path no fit could have produced."""

import numpy as np
import pytest

from branchline import load
from branchline._saving._write import to_bytes
from fuzz.model_use import use
from saved_models import MODELS, chain_of, fitted_values, forged, refusal, saved, tree_values

TREES = [name for name in MODELS if name not in ("majority", "mean")]
MOST = np.finfo(np.float64).max
EQUAL = 1 - np.eye(3)


def narrow(*values):
    return np.array(values, dtype=np.int32)


def whole(*values):
    return np.array(values, dtype=np.int64)


def nodes(*kinds):
    return np.array(kinds, dtype=np.uint8)


# By model: what is changed. "stump of numbers" tests a number, "one rule" a category (4 of them, 5
# branches), "own branch" has a branch for missing values, "tree" a pruning path, "costs" a matrix.
IMPOSSIBLE = {
    # nodes
    "unknown kind": ("stump of numbers", {"kind": {1: 3}}),
    "kind 255": ("stump of numbers", {"kind": {0: 255}}),
    "no nodes": ("leaf", {"kind": nodes(), "leaf_content": whole()}),
    "kinds of 32 bits": ("stump of numbers", {"kind": narrow(1, 0, 0)}),
    "kinds in two rows": ("stump of numbers", {"kind": nodes([1, 0, 0])}),
    "kind without dimension": ("leaf", {"kind": np.array(0, dtype=np.uint8)}),
    "list of kinds": ("stump of numbers", {"kind": [1, 0, 0]}),
    "null as kinds": ("stump of numbers", {"kind": None}),
    "root that is a leaf": ("stump of numbers", {"kind": nodes(0, 1, 0)}),
    "child too few": ("stump of numbers", {"kind": nodes(1, 0), "leaf_content": whole(1, 1, 1)}),
    "child too many": ("stump of numbers", {"kind": nodes(1, 0, 0, 0), "leaf_content": np.ones(9, int)}),
    "leaf too many": ("leaf", {"kind": nodes(0, 0), "leaf_content": np.ones(6, int)}),
    # tests
    "NaN threshold": ("stump of numbers", {"threshold": {0: np.nan}}),
    "threshold of minus infinity": ("stump of numbers", {"threshold": {0: -np.inf}}),
    "threshold too many": ("stump of numbers", {"threshold": np.zeros(2)}),
    "no threshold": ("stump of numbers", {"threshold": np.zeros(0)}),
    "threshold of a category": ("one rule", {"threshold": np.zeros(1)}),
    "thresholds of 32 bits": ("stump of numbers", {"threshold": np.zeros(1, dtype=np.float32)}),
    "column out of range": ("stump of numbers", {"feature": {0: 3}}),
    "column −1": ("stump of numbers", {"feature": {0: -1}}),
    "column 2³¹ − 1": ("stump of numbers", {"feature": {0: 2**31 - 1}}),
    "column of a leaf": ("stump of numbers", {"feature": narrow(0, 0)}),
    "no column": ("stump of numbers", {"feature": narrow()}),
    "branch of a leaf": ("stump of numbers", {"missing_branch": narrow(0, 0)}),
    "missing branch 3 of a threshold": ("stump of numbers", {"missing_branch": {0: 3}}),
    "missing branch −3": ("stump of numbers", {"missing_branch": {0: -3}}),
    "missing branch −2³¹": ("stump of numbers", {"missing_branch": {0: -(2**31)}}),
    "missing branch of its own without a child": ("stump of numbers", {"missing_branch": {0: 2}}),
    "child of its own without missing values": ("own branch", {"missing_branch": {0: 0, 1: 0}}),
    "missing branch beyond the branches": ("one rule", {"missing_branch": {0: 5}}),
    "missing branch −3 of categories": ("one rule", {"missing_branch": {0: -3}}),
    # categories
    "categories of a number": ("stump of numbers", {"kind": {0: 2}, "threshold": np.zeros(0), "n_branches": narrow(2)}),
    "number of a category": ("one rule", {"feature": {0: 0}}),
    "threshold on a category": ("stump", {"kind": {0: 1}, "threshold": np.zeros(1), "n_branches": narrow(), "pool": narrow()}),
    "branches of a threshold": ("stump of numbers", {"n_branches": narrow(2)}),
    "no number of branches": ("one rule", {"n_branches": narrow()}),
    "one branch": ("one rule", {"n_branches": {0: 1}}),
    "no branch": ("one rule", {"n_branches": {0: 0}}),
    "−2 branches": ("one rule", {"n_branches": {0: -2}}),
    "a branch more than children": ("one rule", {"n_branches": {0: 6}}),
    "2³¹ − 1 branches": ("one rule", {"n_branches": {0: 2**31 - 1}}),
    "branch beyond the children": ("one rule", {"pool": {0: 5}}),
    "branch 2³¹ − 1": ("one rule", {"pool": {3: 2**31 - 1}}),
    "branch −2": ("one rule", {"pool": {0: -2}}),
    "pool too short": ("one rule", {"pool": narrow(0, 1, 2)}),
    "pool too long": ("one rule", {"pool": narrow(0, 1, 2, 3, 0)}),
    "pool without categories": ("stump of numbers", {"pool": narrow(0)}),
    "huge pool": ("one rule", {"pool": np.zeros(10**6, dtype=np.int32)}),
    "pool of 64 bits": ("one rule", {"pool": np.zeros(4, dtype=np.int64)}),
    # leaves
    "negative units": ("stump of numbers", {"leaf_content": {0: -1}}),
    "leaf without units": ("stump of numbers", {"leaf_content": whole(0, 0, 0, 1, 1, 1)}),
    "units that overflow": ("stump of numbers", {"leaf_content": np.full(6, 2**62)}),
    "units beyond 2⁵³": ("stump of numbers", {"leaf_content": {0: 2**53}}),
    "units of −2⁶³": ("stump of numbers", {"leaf_content": {0: -(2**63)}}),
    "units of a class too few": ("stump of numbers", {"leaf_content": np.ones(4, int)}),
    "units of a leaf too many": ("stump of numbers", {"leaf_content": np.ones(9, int)}),
    "units in two rows": ("stump of numbers", {"leaf_content": np.ones((2, 3), int)}),
    "units as floats": ("stump of numbers", {"leaf_content": np.ones(6)}),
    "sum that overflows": ("regression stump", {"leaf_content": {1: 2**62, 3: 2**62}}),
    "sum of −2⁶³": ("regression stump", {"leaf_content": {1: -(2**63)}}),
    "no units of numbers": ("regression stump", {"leaf_content": {0: 0}}),
    "negative units of numbers": ("regression stump", {"leaf_content": {2: -5}}),
    "spread of a class": ("stump of numbers", {"leaf_spread": np.zeros(2)}),
    "NaN spread": ("regression stump", {"leaf_spread": {0: np.nan}}),
    "infinite spread": ("regression stump", {"leaf_spread": {0: np.inf}}),
    "negative spread": ("regression stump", {"leaf_spread": {1: -1e-300}}),
    "spread beyond any fit": ("regression stump", {"leaf_spread": {0: MOST}}),
    "spread too few": ("regression stump", {"leaf_spread": np.zeros(1)}),
    "spread of one output for three": ("several outputs", {"leaf_spread": np.zeros(4)}),
    # scale
    **{f"unit {unit!r}": ("stump of numbers", {"unit": unit})
       for unit in (0.0, -1.0, 2.0, 1.5, 0.3, 5e-324, 1e-310, 2.0**-200, 1, True, None, "1", [1.0])},
    "tiny unit of shared rows": ("fractional", {"unit": 5e-324}),
    "tiny unit of numbers": ("regression stump", {"unit": 2.0**-1000}),
    **{f"bits {bits!r}": ("regression stump", {"bits": bits})
       for bits in (2201, -2201, 2**63, -(2**63), 53.0, True, None, "53", [53])},
    "bits that overflow": ("regression stump", {"bits": -2200}),
    "bits finer than any fit": ("regression stump", {"bits": 2200}),
    "bits of classes": ("stump of numbers", {"bits": 0}),
    **{f"centre {centre!r}": ("regression stump", {"centre": np.array(centre)})
       for centre in ([], [0.0, 0.0], [np.nan], [np.inf], [[0.0]], 0.0, [1])},
    "mean beyond all bounds": ("regression stump", {"centre": np.array([MOST]), "bits": -960, "leaf_content": {1: 2**61}}),
    "centre of classes": ("stump of numbers", {"centre": np.zeros(1)}),
    **{f"{n!r} outputs": ("regression stump", {"n_outputs": n}) for n in (0, -1, 2, 2**20 + 1, 2**63, 1.0, True, None)},
    # classes
    "no classes": ("stump", {"classes": []}),
    "classes out of order": ("stump", {"classes": ["b", "a", "c"]}),
    "doubled class": ("stump", {"classes": ["a", "a", "c"]}),
    "one class more": ("stump", {"classes": ["a", "b", "c", "d"]}),
    "numbers in a list": ("stump", {"classes": [1, 2, 3]}),
    "mixed objects": ("stump", {"classes": {"objects": [1, "b", "c"]}}),
    "no objects": ("stump", {"classes": {"objects": []}}),
    "lists as objects": ("stump", {"classes": {"objects": [["a"], ["b"], ["c"]]}}),
    "strange objects": ("stump", {"classes": {"things": ["a", "b", "c"]}}),
    "class that ends in NUL": ("stump", {"classes": ["a", "b", "c\0"]}),
    "text as classes": ("stump", {"classes": "abc"}),
    "null as classes": ("stump", {"classes": None}),
    # costs
    **{f"costs {number}": ("costs", {"costs": costs}) for number, costs in enumerate((
        np.ones((3, 3)), -np.ones((3, 3)), np.zeros((3, 3)), np.eye(3), 1 - np.eye(2), np.ones(9),
        np.array(1.0), np.zeros((0, 0)), EQUAL * np.array([1, np.nan, 1]), np.where(EQUAL, np.inf, 0),
        EQUAL.astype(np.int64), EQUAL.astype(np.float32), EQUAL.tolist(), [[0, 1], [1]], [["a"]],
        "abc", 1.0, True, None, {"a": 1}, {"ill": {"ok": 1}},
    ))},
    "costs of errors that cost nothing": ("stump", {"costs": np.zeros((3, 3))}),
    # the pruning path (8 steps, the sixth taken)
    **{f"path of {name} {number}": ("tree", {f"path_{name}": array})
       for name in ("beta", "leaves", "error", "standard_error")
       for number, array in enumerate((
           np.array(1.0), np.zeros(0), np.ones(7), np.ones(9), np.ones((8, 1)), np.full(8, np.nan),
           np.full(8, np.inf), np.full(8, -1.0), np.ones(8, dtype=np.float32), np.ones(8, int),
           [1.0] * 8, None, "path", 1.0))},
    "path of falling prices": ("tree", {"path_beta": np.arange(8.0, 0, -1)}),
    "path that grows": ("tree", {"path_leaves": np.arange(1.0, 9.0)}),
    "half leaves": ("tree", {"path_leaves": {0: 27.5}}),
    "path to no leaf": ("tree", {"path_leaves": {7: 0.0}}),
    "leaves beyond 64 bits": ("tree", {"path_leaves": {0: 1e300}}),
    "leaves of another tree": ("tree", {"path_leaves": {5: 3.0}}),
    **{f"step {step!r}": ("tree", {"path_chosen": step})
       for step in (-1, 8, 2**63, 5.0, True, None, "5", [5])},
}  # fmt: skip


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_values_that_no_fit_could_have_produced_are_refused(kind):
    which, values = IMPOSSIBLE[kind]
    load(forged(saved(which)))
    assert refusal(forged(saved(which), values)).code == "M005"


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ((0, 1, 1, 0, 0), "no parent or several"),
        ((0, 0, 1), "no parent or several"),
        ((0, 0, 0), "no parent or several"),
        ((1, 1, 1), "no parent or several"),
        ((1, 0, 0, 1, 0), "no parent or several"),
        ((1, 0, 0, 1, 0, 0), "no parent or several"),
        ((1, 1, 0, 0, 0), "more than 1 tests in a row"),
        ((1, 0, 1, 0, 0), "more than 1 tests in a row"),
    ],
)
@pytest.mark.parametrize("name", ["stump of numbers", "regression stump"])
def test_nodes_are_one_tree_of_the_depth_that_was_allowed(name, kinds, words):
    """Each shape has leaves and thresholds in the right number; a stump has one test."""
    error = refusal(forged(saved(name), tree_values(nodes(*kinds), saved(name))))
    assert error.code == "M005"
    assert words in error.message


@pytest.mark.parametrize("name", TREES)
def test_no_value_of_a_tree_can_be_left_out_or_given_twice(name):
    for value in fitted_values(saved(name)):
        assert refusal(forged(saved(name), without=[value])).code == "M005", value
    assert refusal(forged(saved(name), {"threshold_": np.zeros(1)})).code == "M005"


@pytest.mark.parametrize("name", TREES)
def test_every_array_of_a_tree_has_its_length_and_its_dtype(name):
    for place, array in fitted_values(saved(name)).items():
        if place == "classes" or not isinstance(array, np.ndarray):
            continue
        wrong = [np.append(array, array[:1] if array.size else 1), array[None], array[None, None][0]]
        others = {"uint8", "int32", "int64", "float32", "float64"} - {array.dtype.name}
        wrong += [array.astype(dtype) for dtype in sorted(others)]
        for each in (*wrong, array.ravel()[:-1] if array.size else array[..., None]):
            each = each.astype(array.dtype) if each.dtype.kind == "O" else each
            assert refusal(forged(saved(name), {place: each})).code == "M005", (place, each.shape)


def test_a_tree_and_its_columns_belong_together():
    manifest_columns = [{"name": "town", "kind": "numeric", "source": "float"}]
    for name in TREES:
        if name not in ("leaf",):
            assert refusal(forged(saved(name), columns=manifest_columns)).code in {"M004", "M005"}


@pytest.mark.parametrize("missing_branch", [-2, -1, 0, 1])
@pytest.mark.parametrize("name", ["stump of numbers", "regression stump"])
def test_a_forged_tree_that_is_sound_can_be_used(name, missing_branch):
    """What is refused above is refused for what is wrong, not for being forged."""
    for n_tests in (1, 2, 40, 1000):
        values = chain_of(n_tests, saved(name), missing_branch=missing_branch)
        model = load(forged(saved(name), values, parameters={"max_depth": None}))
        assert model.get_depth() == n_tests
        assert model.get_n_leaves() == n_tests + 1
        assert (model.tree_.depth == np.r_[0, np.repeat(np.arange(n_tests) + 1, 2)]).all()
        use(model)


@pytest.mark.parametrize("name", TREES)
def test_a_forged_file_without_a_change_is_the_same_model(name):
    assert to_bytes(load(forged(saved(name)))) == saved(name)
