"""What the process of a comparison tells, carried out in this process."""

import io
import json
import warnings

import pytest

from branchline.errors import BranchlineError
from branchline.studio._compare_job import _Job
from branchline.studio._worker import safe_error
from branchline.studio._workspace import Workspace
from branchline.studio.work import Desk
from branchline.studio.work.tables import add_bundled, change_table


def told_by(workspace, table, options):
    """Carry a comparison out; return its events."""
    run = workspace.add("runs", {"table": table, "options": options})
    output = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _Job(workspace, run["id"], output).run()
    return run["id"], [json.loads(line) for line in output.getvalue().splitlines()]


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "studio")


@pytest.fixture
def iris(workspace):
    return add_bundled(Desk(workspace), "iris")["table"]["id"]


def test_the_events_of_a_comparison(workspace, iris):
    options = {"learners": ["tree"], "n_folds": 3, "metric": "accuracy"}
    id, told = told_by(workspace, iris, options)
    assert told[0]["event"] == "plan"
    assert "--learners tree --folds 3 --metric accuracy" in told[0]["script"]["command"]
    assert sum(one["event"] == "progress" for one in told) == 6
    last = told[-1]
    assert last["event"] == "finished"
    assert last["result"]["recommended"] == "tree"
    assert last["result"]["is_complete"]
    assert workspace.read("models", last["result"]["model"])["target"] == "species"
    assert b"<svg" in workspace.place("runs", id, ".html").read_bytes()


def test_what_cannot_be_compared_is_told_without_paths(workspace, iris):
    change_table(Desk(workspace), iris, 1, {"group": "species"}, False)
    with pytest.raises(BranchlineError) as caught:
        told_by(workspace, iris, {"learners": ["tree"], "group": "species"})
    told = safe_error(caught.value, workspace)
    assert told["code"]
    assert str(workspace.folder) not in json.dumps(told)


def test_a_warning_carries_what_the_page_can_do_about_it(workspace):
    id = add_bundled(Desk(workspace), "titanic")["table"]["id"]
    _, told = told_by(workspace, id, {"learners": ["one_rule"], "n_folds": 3})
    repairs = {one["code"]: one["repairs"] for one in told[-1]["result"]["warnings"]}
    assert {"label": "Leave the column out", "change": {"drop": ["boat"]}} in repairs["W002"]
