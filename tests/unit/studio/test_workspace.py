"""The workspace: only its own files, whatever is asked for; revisions; links."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.errors import BranchlineError
from branchline.studio._workspace import KINDS, Workspace

ODD = ["..", "%2e%2e", "\\", "#", "?", "\0", "//host/share", "C:\\", "․․", "..", "/etc/passwd", "~"]
NAMES = st.lists(st.sampled_from([*ODD, "/", "a", "0123456789abcdef"]), max_size=5).map("".join)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp("studio"))


@given(kind=st.sampled_from([*KINDS, *ODD, ""]), name=NAMES, ending=NAMES | st.just(".csv"))
def test_no_name_leads_out_of_the_folder(workspace, kind, name, ending):
    try:
        path = workspace.place(kind, name, ending)
    except BranchlineError:
        return
    assert path.parent.parent == workspace.folder
    assert path.resolve() == path


@given(st.text(max_size=40))
def test_texts_that_are_no_ids_are_refused(workspace, name):
    with pytest.raises(BranchlineError, match="nothing with this id"):
        workspace.read("tables", name)


@pytest.mark.parametrize("ending", [".csv/../../x", ".CSV", "csv", ".c/v", "..", ".csv.gz.x", ""])
def test_endings_are_short_and_plain(workspace, ending):
    with pytest.raises(BranchlineError):
        workspace.place("tables", "0" * 16, ending)


def test_links_are_refused(workspace, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    soft = workspace.place("tables", "a" * 16, ".csv")
    soft.symlink_to(secret)
    hard = workspace.place("tables", "b" * 16, ".csv")
    os.link(secret, hard)
    for name in ("a" * 16, "b" * 16):
        with pytest.raises(BranchlineError, match="link"):
            workspace.open("tables", name, ".csv")
    soft.unlink()
    hard.unlink()


def test_a_change_by_another_tab_is_refused(workspace):
    made = workspace.add("trees", {"edits": []})
    workspace.change("trees", made["id"], 1, {"edits": [1]})
    with pytest.raises(BranchlineError, match="another tab") as caught:
        workspace.change("trees", made["id"], 1, {"edits": [2]})
    assert caught.value.code == "P961"
    assert workspace.read("trees", made["id"])["edits"] == [1]
    assert workspace.names("trees")[0] == made["id"]
    workspace.remove("trees", made["id"])
    assert workspace.all("trees") == []


def test_a_damaged_document_is_not_there(workspace):
    made = workspace.add("models", {})
    workspace.place("models", made["id"], ".json").write_text("{")
    with pytest.raises(BranchlineError):
        workspace.read("models", made["id"])
    assert workspace.all("models") == []


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BranchlineError) as caught:
        Workspace(tmp_path / "file")
    assert caught.value.code == "F963"
