"""What an edit of a tree may say."""

import pytest

from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeClassifier


@pytest.mark.parametrize("branches", [["male", "female"], [0, 9], [1], [0, True], 3])
def test_branches_to_merge_are_numbers_of_branches(branches):
    X, y = load_dataset("iris").split_target("species")
    editor = DecisionTreeClassifier(max_depth=2).fit(X, y).edit()
    with pytest.raises(ParameterError, match="at least two of the branches 0 to 1") as caught:
        editor.apply({"edit": "merge", "node": 0, "branches": branches})
    assert caught.value.code == "P561"


@pytest.mark.parametrize("node", [3, -1, "0", True, 1.5, None])
def test_a_node_that_is_not_there(node):
    X, y = load_dataset("iris").split_target("species")
    editor = DecisionTreeClassifier(max_depth=1).fit(X, y).edit()
    with pytest.raises(ParameterError, match="the tree has nodes 0 to 2") as caught:
        editor.prune(node)
    assert caught.value.code == "P561"
    with pytest.raises(ParameterError, match="the tree has nodes 0 to 2"):
        editor.regrow(0, freeze=[node])
    assert editor.edits == []


def test_a_tree_without_tests_has_node_0_only():
    X, y = load_dataset("iris").split_target("species")
    editor = DecisionTreeClassifier(max_depth=1).fit(X, y).edit()
    editor.prune(0)
    with pytest.raises(ParameterError, match="There is no node 1: the tree has no tests"):
        editor.prune(1)
