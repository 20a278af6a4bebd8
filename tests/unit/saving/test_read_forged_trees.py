"""Loading forged trees: sound files of tests, leaves, costs and paths that no fit produced."""

import numpy as np
import pytest

from branchline import load
from branchline._saving._write import to_bytes
from fuzz.model_use import use
from fuzz.mutate_arrays import take_apart
from saved_models import MODELS, chain_of, fitted_values, forged, refusal, saved, tree_values

TREES = [name for name in MODELS if name not in ("majority", "mean")]
MOST = np.finfo(np.float64).max
EQUAL = 1 - np.eye(3)
ONES = np.ones(9, dtype=np.int64)
CUT, AMONG, MEAN = "stump of numbers", "one rule", "regression stump"


def narrow(*values):
    return np.array(values, dtype=np.int32)


def whole(*values):
    return np.array(values, dtype=np.int64)


def nodes(*kinds):
    return np.array(kinds, dtype=np.uint8)


# By model: what is changed. CUT and MEAN test a number, AMONG a column of four categories with five
# branches; "own branch" has one for missing values, "tree" a pruning path, "costs" a matrix.
IMPOSSIBLE = {
    # nodes
    "unknown kind": (CUT, {"kind": {1: 3}}),
    "kind 255": (CUT, {"kind": {0: 255}}),
    "no nodes": ("leaf", {"kind": nodes(), "leaf_content": whole()}),
    "kinds of 32 bits": (CUT, {"kind": narrow(1, 0, 0)}),
    "kinds in two rows": (CUT, {"kind": nodes([1, 0, 0])}),
    "kind without dimension": ("leaf", {"kind": np.array(0, dtype=np.uint8)}),
    "list of kinds": (CUT, {"kind": [1, 0, 0]}),
    "null as kinds": (CUT, {"kind": None}),
    "root that is a leaf": (CUT, {"kind": nodes(0, 1, 0)}),
    "child too few": (CUT, {"kind": nodes(1, 0), "leaf_content": whole(1, 1, 1)}),
    "child too many": (CUT, {"kind": nodes(1, 0, 0, 0), "leaf_content": ONES[:9]}),
    "leaf too many": ("leaf", {"kind": nodes(0, 0), "leaf_content": np.ones(6, int)}),
    # tests
    "NaN threshold": (CUT, {"threshold": {0: np.nan}}),
    "threshold of minus infinity": (CUT, {"threshold": {0: -np.inf}}),
    "threshold too many": (CUT, {"threshold": np.zeros(2)}),
    "no threshold": (CUT, {"threshold": np.zeros(0)}),
    "threshold of a category": (AMONG, {"threshold": np.zeros(1)}),
    "thresholds of 32 bits": (CUT, {"threshold": np.zeros(1, dtype=np.float32)}),
    "column out of range": (CUT, {"feature": {0: 3}}),
    "column −1": (CUT, {"feature": {0: -1}}),
    "column 2³¹ − 1": (CUT, {"feature": {0: 2**31 - 1}}),
    "column of a leaf": (CUT, {"feature": narrow(0, 0)}),
    "no column": (CUT, {"feature": narrow()}),
    "branch of a leaf": (CUT, {"missing_branch": narrow(0, 0)}),
    "missing branch 3 of a threshold": (CUT, {"missing_branch": {0: 3}}),
    "missing branch −3": (CUT, {"missing_branch": {0: -3}}),
    "missing branch −2³¹": (CUT, {"missing_branch": {0: -(2**31)}}),
    "missing branch of its own without a child": (CUT, {"missing_branch": {0: 2}}),
    "child of its own without missing values": ("own branch", {"missing_branch": {0: 0, 1: 0}}),
    "missing branch beyond the branches": (AMONG, {"missing_branch": {0: 5}}),
    "missing branch −3 of categories": (AMONG, {"missing_branch": {0: -3}}),
    # categories
    "categories of a number": (
        CUT, {"kind": {0: 2}, "threshold": np.zeros(0), "n_branches": narrow(2)}
    ),
    "number of a category": (AMONG, {"feature": {0: 0}}),
    "threshold on a category": (
        "stump",
        {"kind": {0: 1}, "threshold": np.zeros(1), "n_branches": narrow(), "pool": narrow()},
    ),
    "branches of a threshold": (CUT, {"n_branches": narrow(2)}),
    "no number of branches": (AMONG, {"n_branches": narrow()}),
    "one branch": (AMONG, {"n_branches": {0: 1}}),
    "no branch": (AMONG, {"n_branches": {0: 0}}),
    "−2 branches": (AMONG, {"n_branches": {0: -2}}),
    "a branch more than children": (AMONG, {"n_branches": {0: 6}}),
    "2³¹ − 1 branches": (AMONG, {"n_branches": {0: 2**31 - 1}}),
    "branch beyond the children": (AMONG, {"pool": {0: 5}}),
    "branch 2³¹ − 1": (AMONG, {"pool": {3: 2**31 - 1}}),
    "shared category where missing values are not": (AMONG, {"pool": {0: -2}}),
    "branch −3": (AMONG, {"pool": {0: -3}}),
    "branch −3 where missing values are shared": ("fractional", {"pool": {0: -3}}),
    "pool too short": (AMONG, {"pool": narrow(0, 1, 2)}),
    "pool too long": (AMONG, {"pool": narrow(0, 1, 2, 3, 0)}),
    "pool without categories": (CUT, {"pool": narrow(0)}),
    "huge pool": (AMONG, {"pool": np.zeros(10**6, dtype=np.int32)}),
    "pool of 64 bits": (AMONG, {"pool": np.zeros(4, dtype=np.int64)}),
    # leaves
    "negative units": (CUT, {"leaf_content": {0: -1}}),
    "leaf without units": (CUT, {"leaf_content": whole(0, 0, 0, 1, 1, 1)}),
    "units that overflow": (CUT, {"leaf_content": np.full(6, 2**62)}),
    "units beyond 2⁵³": (CUT, {"leaf_content": {0: 2**53}}),
    "units of −2⁶³": (CUT, {"leaf_content": {0: -(2**63)}}),
    "units of a class too few": (CUT, {"leaf_content": np.ones(4, int)}),
    "units of a leaf too many": (CUT, {"leaf_content": np.ones(9, int)}),
    "units in two rows": (CUT, {"leaf_content": np.ones((2, 3), int)}),
    "units as floats": (CUT, {"leaf_content": np.ones(6)}),
    "sum that overflows": (MEAN, {"leaf_content": {1: 2**62, 3: 2**62}}),
    "sum of −2⁶³": (MEAN, {"leaf_content": {1: -(2**63)}}),
    "no units of numbers": (MEAN, {"leaf_content": {0: 0}}),
    "negative units of numbers": (MEAN, {"leaf_content": {2: -5}}),
    "spread of a class": (CUT, {"leaf_spread": np.zeros(2)}),
    "NaN spread": (MEAN, {"leaf_spread": {0: np.nan}}),
    "infinite spread": (MEAN, {"leaf_spread": {0: np.inf}}),
    "negative spread": (MEAN, {"leaf_spread": {1: -1e-300}}),
    "spread beyond any fit": (MEAN, {"leaf_spread": {0: MOST}}),
    "spread of two halves that overflow": (MEAN, {"leaf_spread": {0: 1e308, 1: 1e308}}),
    "spread too few": (MEAN, {"leaf_spread": np.zeros(1)}),
    "spread of one output for three": ("several outputs", {"leaf_spread": np.zeros(4)}),
    # scale
    **{f"unit {unit!r}": (CUT, {"unit": unit})
       for unit in (0.0, -1.0, 2.0, 1.5, 0.3, 5e-324, 2.0**-200, 1, True, None, "1", [1.0])},
    "tiny unit of shared rows": ("fractional", {"unit": 5e-324}),
    "tiny unit of numbers": (MEAN, {"unit": 2.0**-1000}),
    **{f"bits {bits!r}": (MEAN, {"bits": bits})
       for bits in (2201, -2201, -200, 200, 2**63, -(2**63), 53.0, True, None, "53", [53])},
    **{f"exponent {exponent!r}": (MEAN, {"exponent": exponent})
       for exponent in (200, -200, 2**63, -(2**63), 1.0, True, None, "1", [1])},
    **{f"bits {bits} and exponent {exponent}": (MEAN, {"bits": bits, "exponent": exponent})
       for bits, exponent in ((1161, -1101), (-1101, 1101), (-(2**62), 2**62), (2**62, -(2**62)))},
    "bits that overflow": (MEAN, {"bits": -1090, "exponent": 1100}),
    "bits of classes": (CUT, {"bits": 0}),
    "exponent of classes": (CUT, {"exponent": 0}),
    **{f"centre {center!r}": (MEAN, {"centre": np.array(center)})
       for center in ([], [0.0, 0.0], [np.nan], [np.inf], [[0.0]], 0.0, [1])},
    "mean beyond all bounds": (
        MEAN,
        {"centre": np.array([MOST]), "bits": -960, "exponent": 1000, "leaf_content": {1: 2**61}},
    ),
    "centre of classes": (CUT, {"centre": np.zeros(1)}),
    **{f"{n!r} outputs": (MEAN, {"n_outputs": n})
       for n in (0, -1, 2, 2**20 + 1, 2**63, 1.0, True, None)},
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
        np.array(1.0), np.zeros((0, 0)), EQUAL * np.array([1, np.nan, 1]),
        np.where(EQUAL, np.inf, 0), EQUAL.astype(np.int64), EQUAL.astype(np.float32),
        EQUAL.tolist(), [[0, 1], [1]], [["a"]], "abc", 1.0, True, None, {"a": 1},
        {"ill": {"ok": 1}},
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
        ((1, 1, 0, 0, 0), "deeper than 1"),
        ((1, 0, 1, 0, 0), "deeper than 1"),
    ],
)
@pytest.mark.parametrize("name", [CUT, MEAN])
def test_nodes_are_one_tree_of_the_depth_that_was_allowed(name, kinds, words):
    """Each shape has leaves and thresholds in the right number; a stump has one test."""
    error = refusal(forged(saved(name), tree_values(nodes(*kinds), saved(name))))
    assert error.code == "M005"
    assert words in error.message


@pytest.mark.parametrize("name", TREES)
def test_no_value_of_a_tree_can_be_left_out_or_added(name):
    for value in fitted_values(saved(name)):
        if value != "costs":  # without it errors cost the same: another model, and a sound one
            assert refusal(forged(saved(name), without=[value])).code == "M005", value
    for value in ("threshold_", "value", "weight", "first_child", "path_beta", "path_chosen"):
        if value not in fitted_values(saved(name)):
            assert refusal(forged(saved(name), {value: np.zeros(1)})).code == "M005", value


@pytest.mark.parametrize("name", TREES)
def test_every_array_of_a_tree_has_its_length_and_its_dtype(name):
    for place, array in fitted_values(saved(name)).items():
        if place == "classes" or not isinstance(array, np.ndarray):
            continue
        wrong = [np.append(array, array[:1] if array.size else 1).astype(array.dtype)]
        wrong += [array[None], array[..., None], array.ravel()[:-1]]
        with np.errstate(invalid="ignore"):
            wrong += [array.astype(kind) for kind in ("u1", "i4", "i8", "f4", "f8", "?")]
        for each in wrong:
            if (each.dtype, each.shape) == (array.dtype, array.shape):
                continue
            error = refusal(forged(saved(name), {place: each}))
            expected = "M002" if each.ndim > 2 else "M005"  # no array has three dimensions
            assert error.code == expected, (place, each.dtype, each.shape)


@pytest.mark.parametrize("name", ["stump", "one rule", "tree", "regression", "several outputs"])
def test_a_tree_and_its_columns_belong_together(name):
    """All of them test the town, which is the third of six columns and has four categories."""
    sound = take_apart(saved(name))[0]["schema"]["columns"]
    assert sound[2]["name"] == "town"
    number = {"name": "town", "kind": "numeric", "source": "float"}
    fewer = {**sound[2], "categories": sound[2]["categories"][:3]}
    more = {**sound[2], "categories": [*sound[2]["categories"], "Spa"]}
    load(forged(saved(name), columns=[*sound, {**number, "name": "more"}]))
    for columns in (
        sound[:2],
        sound[1:],
        [*sound[:2], number, *sound[3:]],
        [*sound[:2], fewer, *sound[3:]],
        [*sound[:2], more, *sound[3:]],
    ):
        assert refusal(forged(saved(name), columns=columns)).code == "M005"


@pytest.mark.parametrize("missing_branch", [-2, -1, 0, 1])
@pytest.mark.parametrize("name", [CUT, MEAN])
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
