"""Trees for other programs: plain data that read back bit by bit, and frames."""

import copy
import json
from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table
from branchline.errors import ModelFileError
from branchline.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.reading._export import tree_to_dict, tree_to_frame
from branchline.tree.reading._tree_from_dict import tree_from_dict
from grown_trees import chain, dataset, grow, grow_dataset

NAMES = ("classes", "shared", "own", "numbers")


@pytest.fixture(scope="module", name="trees")
def trees_of_every_kind():
    return {
        "classes": grow_dataset("titanic", depth=3, multiway=True),
        "shared": grow_dataset("votes84", depth=3, missing="every"),
        "own": grow_dataset("heart", depth=3, missing="own"),
        "numbers": grow_dataset("auto-mpg", depth=3),
    }


def exported(grown, decision=None):
    """Return the tree as it comes out of a JSON file."""
    return json.loads(json.dumps(tree_to_dict(*grown.words, decision), allow_nan=False))


def check_same(tree, other):
    for field in fields(tree):
        mine, theirs = getattr(tree, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.dtype == theirs.dtype
            assert mine.tobytes() == theirs.tobytes(), field.name
        else:
            assert mine == theirs


@pytest.mark.parametrize("name", NAMES)
def test_a_tree_comes_back_bit_by_bit(trees, name):
    grown = trees[name]
    again = tree_from_dict(exported(grown))
    check_same(grown.tree, again.tree)
    assert again.schema == grown.schema
    if grown.classes is None:
        assert again.classes is None is again.decision
    else:
        assert again.classes.dtype == grown.classes.dtype
        assert (again.decision == grown.tree.value.argmax(axis=1)).all()


@pytest.mark.parametrize("learner", [C45, DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_fitted_model_predicts_the_same_when_it_comes_back(learner):
    X, y = dataset("auto-mpg" if learner is DecisionTreeRegressor else "titanic")
    weight = np.random.default_rng(0).random(len(y))  # weights that are not whole
    model = learner(prune=None).fit(X, y, sample_weight=weight)
    classes = getattr(model, "classes_", None)
    again = tree_from_dict(
        json.loads(json.dumps(tree_to_dict(model.tree_, model.schema_, classes)))
    )
    check_same(model.tree_, again.tree)
    before, after = (each.average(X, each.value, 1) for each in (model.tree_, again.tree))
    assert (before == after).all()


def test_decisions_come_back(trees):
    grown = trees["classes"]
    decision = np.ones(grown.tree.n_nodes, dtype=np.int64)
    assert (tree_from_dict(exported(grown, decision)).decision == decision).all()


@pytest.mark.parametrize(
    "names",
    [[3, 5], [2.0, 7.0], [False, True], ["a", "b"], np.array(["a", "b"], dtype=object)],
    ids=["whole", "floats", "booleans", "text", "objects"],
)
def test_classes_keep_their_type(names):
    table = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    grown = grow(table, np.array(["u", "u", "v", "v"]))
    classes = np.asarray(names)
    data = json.loads(json.dumps(tree_to_dict(grown.tree, grown.schema, classes)))
    again = tree_from_dict(data).classes
    assert again.dtype == classes.dtype
    assert again.tolist() == classes.tolist()


def test_classes_that_are_no_plain_data_are_refused(trees):
    grown = trees["classes"]
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    with pytest.raises(ModelFileError, match=r"datetime64\[D\]") as caught:
        tree_to_dict(grown.tree, grown.schema, days)
    assert caught.value.code == "M006"


def test_a_node_says_what_it_asks_in_words_and_in_fields(trees):
    root, first = tree_to_dict(*grow_dataset("iris", depth=1).words)["nodes"][:2]
    assert root == {
        "id": 0,
        "parent": None,
        "branch": None,
        "depth": 0,
        "condition": None,
        "kind": "threshold",
        "question": "petal_length ≤ 2.45",
        "column": "petal_length",
        "threshold": 2.45,
        "missing": 1,
        "children": [1, 2],
        "weight": 150.0,
        "class_weights": [50.0, 50.0, 50.0],
        "prediction": "setosa",
    }
    assert (first["condition"], first["kind"]) == ("petal_length ≤ 2.45", "leaf")
    stay = tree_to_dict(*grow_dataset("tennis", multiway=True).words)["nodes"][0]
    assert stay["categories"] == [["overcast"], ["rain"], ["sunny"]]
    assert stay["missing"] == "stay"
    shared = tree_to_dict(*trees["shared"].words)["nodes"][0]
    assert shared["missing"] == "every branch"


def test_a_question_about_presence_needs_no_infinite_number():
    table = Table({"boat": [1.0, 7.0, 9.0, None, None, None]})
    grown = grow(table, list("aaabbb"), least=3)
    data = exported(grown)
    assert data["nodes"][0]["kind"] == "presence"
    assert "threshold" not in data["nodes"][0]
    check_same(grown.tree, tree_from_dict(data).tree)


def test_several_outputs_come_back():
    table = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    grown = grow(table, np.array([[1.0, 10], [1, 11], [2, 30], [2, 31]]))
    check_same(grown.tree, tree_from_dict(exported(grown)).tree)


def test_a_tree_may_be_as_deep_as_it_likes():
    grown = chain(2_000)
    check_same(grown.tree, tree_from_dict(exported(grown)).tree)


# -- refusals -----------------------------------------------------------------------------------

CHANGES = [
    (("format",), "something", "not an exported tree"),
    (("version",), 0, "'version'"),
    (("version",), True, "'version'"),
    (("task",), "clustering", "'task'"),
    (("unit",), 0.0, "unit of weight"),
    (("unit",), float("nan"), "'unit' is not a finite number"),
    (("extra",), 1, "'extra'"),
    (("nodes",), [], "'nodes'"),
    (("nodes", 0), "text", "known kind"),
    (("nodes", 0, "kind"), "oblique", "known kind"),
    (("nodes", 0, "column"), "shoe size", "does not exist"),
    (("nodes", 0, "column"), "age", "unknown"),
    (("nodes", 0, "missing"), "somewhere", "missing value's branch"),
    (("nodes", 0, "missing"), 7, "out of range"),
    (("nodes", 0, "missing"), True, "missing value's branch"),
    (("nodes", 0, "categories"), [["male"], ["male"]], "two branches"),
    (("nodes", 0, "categories"), [["male"], ["Martian"]], "unknown"),
    (("nodes", 0, "categories"), None, "list for each branch"),
    (("nodes", 0, "children"), [1, 3], "'children' of node 0"),
    (("nodes", 0, "treshold"), 1.0, "'treshold'"),
    (("nodes", 0, "weight"), 1000.0, "'weight' of node 0"),
    (("nodes", 1, "parent"), 5, "'parent' of node 1"),
    (("nodes", 1, "depth"), 0, "'depth' of node 1"),
    (("nodes", 1, "class_weights"), [1.0, 2.0], "'class_weights' of node 1"),
    (("nodes", -1, "class_weights"), [-5.0, 2.0], "not above 0"),
    (("nodes", -1, "class_weights"), [0.5, 2.0], "whole number of units"),
    (("nodes", -1, "class_weights"), [10**400, 2.0], "finite number"),
    (("nodes", -1, "class_weights"), [1.0], "values instead of"),
    (("nodes", 1, "prediction"), "maybe", "not a class"),
    (("nodes", 1, "prediction"), ["yes"], "not a class"),
    (("classes",), ["yes", "no"], "in order"),
    (("classes",), None, "no class names"),
    (("class_type",), "V1000000000000", "class_type"),
    (("class_type",), "int8", "not of their type"),
    (("columns",), [], "does not exist"),
]


@pytest.mark.parametrize(("path", "value", "message"), CHANGES)
def test_a_change_that_no_tree_could_have_is_refused(trees, path, value, message):
    data = exported(trees["classes"])
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(ModelFileError, match=message):
        tree_from_dict(data)


def test_a_newer_format_is_refused_as_such(trees):
    data = {**exported(trees["classes"]), "version": 2}
    with pytest.raises(ModelFileError, match="format 2") as caught:
        tree_from_dict(data)
    assert caught.value.code == "M007"


# -- costs --------------------------------------------------------------------------------------

COSTS = [[0.0, 2.0], [1.0, 0.0]]
WRONG_COSTS = [
    "x",
    3,
    {},
    [],
    [0.0, 2.0],
    [[0.0, 2.0]],
    [[0.0, 2.0], [1.0]],
    [[0.0, "2"], [1.0, 0.0]],
    [[0.0, None], [1.0, 0.0]],
    [[0.0, 10**400], [1.0, 0.0]],
    [[0.0, float("nan")], [1.0, 0.0]],
    [[0.0, -1.0], [1.0, 0.0]],
    [[1.0, 2.0], [1.0, 0.0]],
    [[0.0, [2.0]], [1.0, 0.0]],
    [[0.0, 1.0, 1.0]] * 3,
]


@pytest.fixture(scope="module", name="costly")
def a_tree_with_costs():
    model = DecisionTreeClassifier(costs=COSTS, max_depth=2).fit(*dataset("titanic"))
    return json.loads(json.dumps(model.to_dict()))


def test_costs_come_back(costly):
    again = DecisionTreeClassifier.from_dict(costly)
    assert again.to_dict()["costs"] == COSTS
    assert tree_from_dict(costly).costs.tolist() == COSTS
    plain = {name: value for name, value in costly.items() if name != "costs"}
    assert "costs" not in DecisionTreeClassifier.from_dict(plain).to_dict()


@pytest.mark.parametrize("wrong", WRONG_COSTS, ids=lambda wrong: str(wrong)[:30])
def test_costs_that_no_tree_could_have_are_refused(costly, wrong):
    with pytest.raises(ModelFileError, match="'costs' is not") as caught:
        DecisionTreeClassifier.from_dict({**costly, "costs": wrong})
    assert caught.value.code == "M005"


def test_numbers_have_no_costs(trees):
    with pytest.raises(ModelFileError, match="'costs' is missing, or does not belong there"):
        DecisionTreeRegressor.from_dict({**exported(trees["numbers"]), "costs": COSTS})


# -- whatever else ------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("data", [None, [], "tree", {}])
def test_what_is_no_model_at_all_is_refused(learner, data):
    with pytest.raises(ModelFileError):
        learner.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "tree", {}])
def test_what_is_no_tree_at_all_is_refused(data):
    with pytest.raises(ModelFileError):
        tree_from_dict(data)


def test_words_may_be_translated(trees):
    data = exported(trees["numbers"])
    for node in data["nodes"]:
        node |= {key: "?" for key in ("condition", "question") if key in node}
    check_same(trees["numbers"].tree, tree_from_dict(data).tree)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 2**70),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.lists(st.integers(-2, 9), max_size=3),
    st.just({}),
    st.just(np.arange(2)),  # no plain data: equal to nothing, and to no answer
)


@given(name=st.sampled_from(NAMES), picks=st.data(), value=ODD)
def test_any_field_may_be_wrong_and_nothing_but_a_refusal_follows(trees, name, picks, value):
    data = copy.deepcopy(exported(trees[name]))
    target = picks.draw(st.sampled_from([data, *data["columns"], *data["nodes"]]))
    target[picks.draw(st.sampled_from([*sorted(target), "costs"]))] = value
    learner = DecisionTreeRegressor if name == "numbers" else DecisionTreeClassifier
    try:
        again = learner.from_dict(data)
    except ModelFileError:
        return
    assert again.tree_.n_nodes == trees[name].tree.n_nodes


# -- frames -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_frame_has_one_row_a_node(library, frame):
    grown = grow_dataset("iris", depth=2)
    made = tree_to_frame(*grown.words, library=library)
    assert isinstance(made, frame)
    assert len(made) == grown.tree.n_nodes
    assert list(made["parent"]) == grown.tree.parent.tolist()
    assert list(made["depth"]) == grown.tree.depth.tolist()
    assert list(made["n_leaves"]) == [3, 1, 2, 1, 1]
    assert list(made["condition"])[1] == "petal_length ≤ 2.45"
    assert list(made["p(versicolor)"]) == grown.tree.value[:, 1].tolist()
    assert made["threshold"][0] == 2.45


def test_a_frame_of_numbers_has_means_and_deviations():
    grown = grow_dataset("auto-mpg", depth=2)
    made = tree_to_frame(*grown.words)
    assert made["prediction"].tolist() == grown.tree.value[:, 0].tolist()
    assert made["deviation"].tolist() == np.sqrt(grown.tree.variance[:, 0]).tolist()
    table = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    both = grow(table, np.array([[1.0, 10], [1, 11], [2, 30], [2, 31]]), depth=1)
    named = tree_to_frame(*both.words, outputs=["a", "b"])
    assert list(named.columns[-4:]) == ["mean(a)", "mean(b)", "deviation(a)", "deviation(b)"]
    assert named["mean(b)"].tolist() == both.tree.value[:, 1].tolist()
    assert list(tree_to_frame(*both.words).columns[-4:-2]) == ["mean(0)", "mean(1)"]
