"""What a release promises: one version, and every import declared."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import branchline

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The names under which packages are imported, where they differ from their own.
IMPORTED_AS = {
    "scikit-learn": "sklearn",
    "python-calamine": "python_calamine",
    "adbc-driver-manager": "adbc_driver_manager",
    "adbc-driver-sqlite": "adbc_driver_sqlite",
    "adbc-driver-postgresql": "adbc_driver_postgresql",
    "resvg-py": "resvg_py",
}
# Found where users have them, never needed: they are read when they are given.
OPTIONAL = {"cloudpickle", "pandas", "IPython"}


def test_the_version_stands_in_one_place() -> None:
    assert "version" in PROJECT["dynamic"]
    assert importlib.metadata.version("branchline") == branchline.__version__


def declared() -> set[str]:
    wanted = [*PROJECT["dependencies"]]
    for extra in PROJECT["optional-dependencies"].values():
        wanted += extra
    names = {re.match(r"[A-Za-z0-9_.-]+", one)[0] for one in wanted}  # type: ignore[index]
    return {IMPORTED_AS.get(name, name) for name in names}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            named = node.args[0]
            if isinstance(named, ast.Constant):
                found.add(str(named.value).split(".")[0])
    return found


def test_every_import_is_declared() -> None:
    known = declared() | OPTIONAL | set(sys.stdlib_module_names) | {"branchline"}
    for path in (ROOT / "src").rglob("*.py"):
        assert imported(path) <= known, path
