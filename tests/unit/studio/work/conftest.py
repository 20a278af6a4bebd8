"""A desk over an empty workspace, and a messy table on it."""

import warnings

import pytest

from branchline.errors import BranchlineWarning
from branchline.studio._workspace import Workspace
from branchline.studio.work import Desk
from branchline.studio.work.tables import add_bundled, add_upload

MESSY = """\
patient;weight;visit;sex;note;same;outcome
p1;70,5;01.02.2020;m;unknown;1;yes
p2;81,0;15.02.2020;f;7;1;no
p3;64,25;20.03.2020;f;8;1;yes
p4;;21.03.2020;m;9;1;no
p5;90,0;22.04.2020;m;7;1;no
p6;77,5;23.05.2020;f;8;1;yes
"""


@pytest.fixture(autouse=True)
def without_warnings():
    """Workers ignore warnings: the page shows what they say as notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        yield


@pytest.fixture
def desk(tmp_path):
    return Desk(Workspace(tmp_path / "studio"))


@pytest.fixture
def iris(desk):
    return add_bundled(desk, "iris")["table"]["id"]


def added(desk, text, name="messy.csv"):
    """Add a text as an uploaded file; return its first look."""
    id = desk.workspace.new_id()
    desk.workspace.place("tables", id, ".csv").write_text(text, encoding="utf-8")
    return add_upload(desk, id, name, ".csv")


@pytest.fixture
def messy(desk):
    return added(desk, MESSY)
