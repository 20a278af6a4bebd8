"""Groups and axes of a table."""

import pytest

from branchline.errors import BranchlineError
from branchline.studio._workspace import Workspace
from branchline.studio.work import Desk
from branchline.studio.work.groups import find_axes_of, find_groups_of
from branchline.studio.work.tables import add_bundled, change_table


def test_axes_of_a_table(desk, iris):
    found = find_axes_of(desk, iris)
    assert found["shares"][0] > 0.7
    assert "petal_length" in found["formulas"][0]
    assert found["biplot"].startswith("<svg")


def test_groups_of_a_small_table(desk):
    id = add_bundled(desk, "fruit")["table"]["id"]
    found = find_groups_of(desk, id, "agglomerative", 2)
    assert found["n_clusters"] == 2
    assert found["dendrogram"].startswith("<svg")
    assert "--n-clusters 2 --method agglomerative" in found["script"]["command"]


def test_an_unknown_method_is_refused(desk, iris):
    change_table(desk, iris, 1, {"target": None}, False)
    with pytest.raises(BranchlineError):
        find_groups_of(desk, iris, "magic", None)


def test_every_step_is_said(tmp_path):
    said = []
    desk = Desk(Workspace(tmp_path / "studio"), say=said.append)
    find_groups_of(desk, add_bundled(desk, "iris")["table"]["id"], "kmeans", 3)
    assert "learning the shapes of the columns" in said[0]
    assert "38 of at most 198 similar tables" in " ".join(said)
    assert [text.split()[0] for text in said[-3:]] == ["Describing", "Finding", "Drawing"]
