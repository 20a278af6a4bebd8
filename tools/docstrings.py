"""Check the docstrings that the reference is made of.

1. Each public class and function has an example, and names what to look at next ("See Also").
2. Each parameter that a person can leave out says its default: the word stands in its text, or the
   text says "as in" another name.
3. A docstring has at most two screens.

What is excused stands in a list here, with the reason.
"""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
import parameters as public

__all__ = ["findings", "main", "names"]

ROOT = Path(__file__).parent.parent
_TWO_SCREENS = 120
# Their data are not bundled, or they take minutes: `branchline reproduce` shows their numbers.
_WITHOUT_EXAMPLE = {"eigenfaces", "golub", "orientation", "promoters", "splice", "threes"}
# They have more than twenty parameters, of two to five lines each.
_LONG = {
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
}
_STATES = re.compile(r"default|\bas (in|for) ", re.IGNORECASE)


def names() -> list[tuple[str, Any]]:
    """Return what the reference shows: full names and objects, each once."""
    tree = ast.parse((ROOT / "docs" / "_site" / "reference.py").read_text(encoding="utf-8"))
    lists = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in {"_MODULES", "_PARTS"}
    }
    found: dict[int, tuple[str, Any]] = {}
    for module_name in (*lists["_MODULES"], *lists["_PARTS"]):
        module = importlib.import_module(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found.setdefault(id(thing), (f"{module_name}.{name}", thing))
    return list(found.values())


def findings() -> list[str]:
    """Return a line for everything that is missing."""
    called = {id(thing) for _, _, thing in public.owners()}
    found = []
    for full, thing in names():
        text = inspect.getdoc(thing) or ""
        name = full.rpartition(".")[2]
        found += [f"{full}: {what}" for what in _missing(name, text)]
        if id(thing) in called:
            found += [f"{full}: {what}" for what in _without_default(thing)]
    return found


def _missing(name: str, text: str) -> Iterator[str]:
    if ">>> " not in text and name not in _WITHOUT_EXAMPLE:
        yield "no example"
    if "See Also\n---" not in text:
        yield "no See Also"
    if text.count("\n") >= _TWO_SCREENS and name not in _LONG:
        yield f"more than {_TWO_SCREENS} lines"


def _without_default(thing: Any) -> Iterator[str]:
    texts = public.whole_texts(thing)
    for one in inspect.signature(thing).parameters.values():
        if one.default is one.empty or one.name == "y":
            continue
        if not _STATES.search(texts.get(one.name, "")):
            yield f"{one.name} does not say its default"


def main() -> int:
    """Print what is missing; 1 when there is anything."""
    found = findings()
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
