"""The tool that counts private imports sees every way to import."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    "line",
    [
        "from branchline.tree._nodes import Node",
        "from branchline.tree import _nodes",
        "import branchline.tree._nodes",
        "def use():\n    from branchline.tree import _nodes",
        "from ..tree import _nodes",
        "from ..tree._nodes import Node",
        "from branchline.tree.pruning._rules import rule",
        "from ..tree.pruning import _rules",
    ],
)
def test_every_way_to_import_a_private_file_is_seen(tmp_path, line):
    package = tmp_path / "branchline"
    for folder in ("tree/pruning", "forest"):
        (package / folder).mkdir(parents=True)
    for file in ("tree/__init__", "tree/_nodes", "tree/pruning/__init__", "tree/pruning/_rules"):
        (package / f"{file}.py").write_text("")
    (package / "forest" / "_forest.py").write_text(line)
    assert len(tool("rooms").private_imports(package)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from branchline.tree import Tree",
        "from branchline.tree.pruning import rule",
        "from branchline import _folds",
        "from branchline._folds import fold_rows",
        "from branchline.forest._other import other",
        "from ._other import other",
        "from numpy import _core",
    ],
)
def test_public_names_shared_files_and_the_own_room_are_free(tmp_path, line):
    package = tmp_path / "branchline"
    (package / "forest").mkdir(parents=True)
    (package / "_folds.py").write_text("")
    (package / "forest" / "_other.py").write_text("")
    (package / "forest" / "_forest.py").write_text(line)
    assert tool("rooms").private_imports(package) == []
