"""Check the rooms: imports of another room's private files, and unit tests that name no module.

A room is a folder of src/branchline whose name does not begin with an underscore, with all folders
inside it: files of ``tree/pruning`` may import private files of ``tree/growing``. What several
rooms need lives below them: in files and folders of the package's root that begin with an
underscore (``_folds.py``, ``_trees/``). A room may import another room's public
names freely; more than a few imports of private files are an error.

Every import counts, wherever it is: at the top of a file, inside a function, for types only, as a
module (``from branchline.tree import _nodes``) or relative to the file (``from ..tree import``).

A unit test is found by the module it tests: ``tests/unit/tree/test_presets.py`` tests
``tree/_presets.py`` (or ``tree/presets/``). A module may have several test files, with a topic
after its name (``test_presets_costs.py``); kernels have tests, too. What the whole library
promises is in ``tests/promises/``, in files named after the promise.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

__all__ = ["main", "private_imports", "tests_of_no_module"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "branchline"
TESTS = ROOT / "tests" / "unit"
MOST = 25


def private_imports(source: Path = SOURCE) -> list[tuple[str, str]]:
    """Return importing file and imported module, for each import of another room's private file."""
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        room = parts[0] if len(parts) > 1 else None
        others = [one for one in sorted(set(_imported(path, source))) if one[:1] != (room,)]
        found += [("/".join(parts), ".".join(one)) for one in others if _is_private(one)]
    return found


def _is_private(module: tuple[str, ...]) -> bool:
    """Whether a module below the package's root is a private file of a room."""
    is_in_room = bool(module) and not module[0].startswith("_")
    return is_in_room and any(name.startswith("_") for name in module[1:])


def _imported(path: Path, source: Path) -> Iterator[tuple[str, ...]]:
    """Yield the modules of the package that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = (one.name.split(".") for one in node.names)
            yield from (tuple(below) for top, *below in names if top == source.name)
        elif isinstance(node, ast.ImportFrom) and (base := _base(node, path, source)) is not None:
            wholes = [(*base, one.name) for one in node.names]
            yield from (whole if _is_module(whole, source) else base for whole in wholes)


def _base(node: ast.ImportFrom, path: Path, source: Path) -> tuple[str, ...] | None:
    """Return what stands after "from", below the package's root; None: another package."""
    below = tuple((node.module or "").split(".")) if node.module else ()
    if node.level:
        folder = path.relative_to(source).parts[: -node.level]
        return (*folder, *below)
    return below[1:] if below[:1] == (source.name,) else None


def _is_module(module: tuple[str, ...], source: Path) -> bool:
    path = source.joinpath(*module)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def tests_of_no_module() -> list[str]:
    """Return the unit tests whose folder and name are those of no module, package or kernel."""
    modules = {"/".join(_plain(path, SOURCE)) for path in SOURCE.rglob("*.py")}
    for folder in ("benchmarks", "tools"):
        for path in (ROOT / folder).rglob("*.py"):
            modules.add("/".join((folder, *_plain(path, ROOT / folder))))
    kernels = {path.stem for path in (ROOT / "native" / "include").rglob("*.hpp")}
    found = []
    for path in sorted(TESTS.rglob("test_*.py")):
        *folders, name = path.relative_to(TESTS).with_suffix("").parts
        words = name.removeprefix("test_").split("_")
        names = ["_".join(words[:n_words]) for n_words in range(1, len(words) + 1)]
        is_found = any("/".join((*folders, name)) in modules for name in names)
        if not (is_found or names[-1] in kernels):
            found.append(str(path.relative_to(ROOT)))
    return found


def _plain(path: Path, root: Path) -> tuple[str, ...]:
    """Return the folders and the name of a module without underscores; of a package, its folder."""
    parts = path.relative_to(root).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return tuple(part.strip("_") for part in parts)


def main() -> int:
    """Print the imports by pair of rooms; 1 when there are too many, or a test has no module."""
    found = private_imports()
    pairs = Counter((importer.split("/")[0], module.split(".")[0]) for importer, module in found)
    for (importer, imported), n_imports in pairs.most_common():
        print(f"{n_imports:4} {importer} → {imported}")
    if "--all" in sys.argv:
        print("\n".join(f"{importer}: {module}" for importer, module in found))
    print(f"{len(found)} imports of another room's private files; at most {MOST} are allowed.")
    homeless = tests_of_no_module()
    for path in homeless:
        print(f"{path} is named after no module: rename it, or move it to tests/promises.")
    return int(len(found) > MOST or bool(homeless))


if __name__ == "__main__":
    sys.exit(main())
