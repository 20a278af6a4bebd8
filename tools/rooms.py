"""Count imports of another room's private files; more than a few is an error.

A room is a folder of src/branchline whose name does not begin with an underscore, with all folders
inside it: files of ``tree/pruning`` may import private files of ``tree/growing``. What several
rooms need lives below them: in files and folders of the package's root that begin with an
underscore (``_folds.py``, ``_trees/``). A room may import another room's public names freely.

Every import counts, wherever it is: at the top of a file, inside a function, for types only, as a
module (``from branchline.tree import _nodes``) or relative to the file (``from ..tree import``).
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

__all__ = ["main", "private_imports"]

SOURCE = Path(__file__).parent.parent / "src" / "branchline"
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


def main() -> int:
    """Print the imports by pair of rooms; 1 when there are too many."""
    found = private_imports()
    pairs = Counter((importer.split("/")[0], module.split(".")[0]) for importer, module in found)
    for (importer, imported), n_imports in pairs.most_common():
        print(f"{n_imports:4} {importer} → {imported}")
    if "--all" in sys.argv:
        print("\n".join(f"{importer}: {module}" for importer, module in found))
    print(f"{len(found)} imports of another room's private files; at most {MOST} are allowed.")
    return int(len(found) > MOST)


if __name__ == "__main__":
    sys.exit(main())
