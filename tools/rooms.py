"""Count imports of another room's private files; more than a few is an error.

A room is a folder of src/branchline whose name does not begin with an underscore. What several
rooms need lives below them: in files and folders of the package's root that do (``_folds.py``,
``_trees/``). A room may import another room's public names freely.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

__all__ = ["main", "private_imports"]

SOURCE = Path(__file__).parent.parent / "src" / "branchline"
MOST = 25


def private_imports() -> list[tuple[str, str]]:
    """Return importing file and imported module, for each import of another room's private file."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).parts
        room = parts[0] if len(parts) > 1 and not parts[0].startswith("_") else None
        for module in _imported(path):
            other = module.split(".")[1:]
            if len(other) < 2 or other[0].startswith("_") or other[0] == room:
                continue
            if any(name.startswith("_") for name in other[1:]):
                found.append((str(path.relative_to(SOURCE)), module))
    return found


def _imported(path: Path) -> list[str]:
    """Return the modules of the package that a file imports, wherever it does."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("branchline."):
            found.append(str(node.module))
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.startswith("branchline.")]
    return found


def main() -> int:
    """Print the imports by pair of rooms; 1 when there are too many."""
    found = private_imports()
    pairs = Counter((importer.split("/")[0], module.split(".")[1]) for importer, module in found)
    for (importer, imported), n_imports in pairs.most_common():
        print(f"{n_imports:4} {importer} → {imported}")
    if "--all" in sys.argv:
        print("\n".join(f"{importer}: {module}" for importer, module in found))
    print(f"{len(found)} imports of another room's private files; at most {MOST} are allowed.")
    return int(len(found) > MOST)


if __name__ == "__main__":
    sys.exit(main())
