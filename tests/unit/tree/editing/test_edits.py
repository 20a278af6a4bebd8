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
