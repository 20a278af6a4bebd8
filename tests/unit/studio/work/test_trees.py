"""The tree workshop: nodes, edits with prices, undo, sequences, the dialogue, a new process."""

import pytest

from branchline.errors import BranchlineError
from branchline.studio._workspace import Workspace
from branchline.studio.work import Desk
from branchline.studio.work.tables import add_bundled, change_table
from branchline.studio.work.trees import (
    drawing_of,
    edit_tree,
    save_tree,
    tree_answers,
    tree_growth,
    tree_path,
    tree_sequence,
    tree_stability,
    view_node,
    view_tree,
)


@pytest.fixture
def tree(desk, iris):
    document = {"table": iris, "settings": {}, "edits": [], "undone": []}
    return desk.workspace.add("trees", document)["id"]


def test_the_drawing_names_its_nodes(desk, tree):
    seen = view_tree(desk, tree)
    assert seen["leaves"] == 3
    for node in seen["nodes"]:
        assert f"node {node['node']}</title>" in seen["svg"]
    assert drawing_of(desk, tree) == seen["svg"]
    assert len(seen["rules"]) == 3


def test_a_node_has_reasons_and_rows(desk, tree):
    found = view_node(desk, tree, 0, None)
    assert found["n_rows"] == 150
    assert found["reasons"][0]["chosen"]
    assert len(found["rows"]) == len(found["row_numbers"]) == 20
    every = view_node(desk, tree, 0, "petal_length")
    assert len(every["reasons"]) > 5
    assert every["kind"] == "numeric"
    with pytest.raises(BranchlineError):
        view_node(desk, tree, 99, None)


def test_edits_undo_redo_and_their_prices(desk, tree):
    before = view_tree(desk, tree)["text"]
    seen = edit_tree(desk, tree, 1, "edit", {"edit": "prune", "node": 2})
    assert seen["leaves"] == 2
    price = seen["tree"]["edits"][0]["price"]
    assert price["low"] <= price["change"] <= price["high"]
    assert price["change"] > 0.2
    seen = edit_tree(
        desk, tree, 2, "edit", {"edit": "relabel", "node": 1, "prediction": "virginica"}
    )
    assert len(seen["tree"]["edits"]) == 2
    assert seen["tree"]["total"]["change"] > price["change"]
    seen = edit_tree(desk, tree, 3, "undo", None)
    seen = edit_tree(desk, tree, 4, "undo", None)
    assert seen["text"] == before
    seen = edit_tree(desk, tree, 5, "redo", None)
    assert seen["leaves"] == 2
    assert edit_tree(desk, tree, 6, "reset", None)["text"] == before


def test_another_process_shows_the_same_edited_tree(desk, tree):
    seen = edit_tree(desk, tree, 1, "edit", {"edit": "prune", "node": 2})
    again = view_tree(Desk(Workspace(desk.workspace.folder)), tree)
    assert again["text"] == seen["text"]
    assert again["tree"] == seen["tree"]


@pytest.mark.parametrize(
    "edit",
    [
        {"edit": "prune", "node": 99},
        {"edit": "replace", "node": 0, "column": "nowhere", "threshold": 1},
        {"edit": "replace", "node": 0, "column": "petal_length", "threshold": 1e9},
        {"edit": "relabel", "node": 1, "prediction": "rose"},
    ],
)
def test_an_edit_that_cannot_be_made_changes_nothing(desk, tree, edit):
    before = view_tree(desk, tree)
    with pytest.raises(BranchlineError):
        edit_tree(desk, tree, 1, "edit", edit)
    assert view_tree(desk, tree) == before


def test_two_tabs_cannot_overwrite_each_other(desk, tree):
    edit_tree(desk, tree, 1, "edit", {"edit": "prune", "node": 2})
    with pytest.raises(BranchlineError) as caught:
        edit_tree(desk, tree, 1, "edit", {"edit": "prune", "node": 0})
    assert caught.value.code == "P961"
    assert view_tree(desk, tree)["leaves"] == 2


def test_a_changed_table_gives_up_what_does_not_fit(desk, tree, iris):
    edit = {"edit": "replace", "node": 0, "column": "petal_length", "threshold": 2.5}
    edit_tree(desk, tree, 1, "edit", edit)
    change_table(desk, iris, 1, {"drop": ["petal_length"]}, False)
    seen = view_tree(desk, tree)
    assert "petal_length" not in seen["inputs"]
    assert "petal_length" not in seen["text"]
    assert seen["tree"]["edits"] == []


def test_sequences_paths_stability(desk, tree):
    assert tree_sequence(desk, tree)["n_leaves"][-1] == 1
    growth = tree_growth(desk, tree)
    assert growth["n_leaves"][:3] == [1, 2, 3]
    assert "petal" in growth["question"][1]
    path = tree_path(desk, tree, 0)
    assert path["truth"] == "setosa"
    assert "setosa" in path["text"]
    assert tree_stability(desk, tree)["nodes"][0]["n_trees"] == 100
    with pytest.raises(BranchlineError):
        tree_path(desk, tree, 150)


def test_the_dialogue(desk, tree):
    found = tree_answers(desk, tree, [])
    assert found["question"]["is_number"]
    assert tree_answers(desk, tree, [0.2])["outcome"]["prediction"] == "setosa"
    unknown = tree_answers(desk, tree, [None])
    assert unknown["asked"][0]["answer"] == "don't know"
    with pytest.raises(BranchlineError):
        tree_answers(desk, tree, ["purple"])


def test_a_tree_of_numbers_and_its_model(desk):
    table = add_bundled(desk, "auto-mpg")["table"]["id"]
    document = {"table": table, "settings": {"max_depth": 2}, "edits": [], "undone": []}
    id = desk.workspace.add("trees", document)["id"]
    seen = view_tree(desk, id)
    assert seen["classes"] is None
    leaf = next(one["node"] for one in seen["nodes"] if one["question"] is None)
    assert edit_tree(desk, id, 1, "edit", {"edit": "relabel", "node": leaf, "prediction": 20.5})
    kept = save_tree(desk, id, "mine")
    assert kept["class"] == "DecisionTreeRegressor"
    assert any("low" in field for field in kept["form"])
