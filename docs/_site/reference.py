"""The reference: a page for every public class and function, written from their docstrings.

1. Each public module is a page: its docstring, and a table of its names with their first sentence.
2. Each class and function is a page: its docstring, the methods that it defines, and a list of
   the methods that it has from its bases.
3. Names in "See Also" lead to the page of the public name, wherever it lives.

The pages are written into docs/reference/api before Sphinx reads the folder.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any

from docutils import nodes

import branchline

__all__ = ["setup"]

# What people reach for first stands first.
_MODULES = (
    "branchline",
    "branchline.table",
    "branchline.assess",
    "branchline.report",
    "branchline.charts",
    "branchline.catalog",
    "branchline.baseline",
    "branchline.tree",
    "branchline.forest",
    "branchline.boosting",
    "branchline.linear",
    "branchline.svm",
    "branchline.kernels",
    "branchline.bayes",
    "branchline.neighbors",
    "branchline.neural",
    "branchline.ensemble",
    "branchline.features",
    "branchline.encoding",
    "branchline.cluster",
    "branchline.projection",
    "branchline.density",
    "branchline.semi",
    "branchline.active",
    "branchline.stream",
    "branchline.outputs",
    "branchline.sequence",
    "branchline.decide",
    "branchline.reproduce",
    "branchline.errors",
)
_PARTS = (
    "branchline.assess.curves",
    "branchline.assess.effects",
    "branchline.assess.theory",
    "branchline.assess.uncertainty",
)
_page_of: dict[str, str] = {}
_home_of: dict[int, str] = {}  # by id of the object: some names are listed by two modules


def _write_pages(app: Any) -> None:
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    for name in (*_MODULES, *_PARTS):
        pages |= _pages_of_module(name)
    for stale in set(folder.glob("*.rst")) - {folder / f"{name}.rst" for name in pages}:
        stale.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _pages_of_module(name: str) -> dict[str, str]:
    """Return the page of a module and the pages of its names."""
    module = importlib.import_module(name)
    names = [one for one in module.__all__ if _is_shown(getattr(module, one))]
    lines = [name, "=" * len(name), "", f".. py:module:: {name}", ""]
    lines += [inspect.getdoc(module) or "", ""]
    places = {
        one: _home_of.setdefault(id(getattr(module, one)), f"{name}.{one}")
        for one in sorted(names, key=str.casefold)
    }
    lines += [".. list-table::", "   :widths: 35 65", "   :class: names", ""]
    for short, full in places.items():
        lines += [f"   * - :py:obj:`{short} <{full}>`", f"     - {_first(getattr(module, short))}"]
    own = {one: full for one, full in places.items() if full == f"{name}.{one}"}
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {full}" for full in own.values()), ""]
    pages = {name: "\n".join(lines)}
    for short, full in own.items():
        _page_of.setdefault(short, full)
        pages[full] = _object_page(name, short, getattr(module, short))
    return pages


def _is_shown(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(value)


def _object_page(module: str, name: str, value: Any) -> str:
    lines = [name, "=" * len(name), "", f".. py:currentmodule:: {module}", ""]
    if inspect.isclass(value):
        own, inherited = _methods(value)
        lines += [
            f".. autoclass:: {name}",
            *([f"   :members: {', '.join(own)}"] if own else []),
            "",
        ]
        if inherited:
            lines += [".. rubric:: Methods that it shares with others", ""]
            lines += [".. list-table::", "   :widths: 30 70", "   :class: names", ""]
            for method, words in inherited.items():
                lines += [f"   * - ``{method}``", f"     - {words}"]
    else:
        lines += [f".. autofunction:: {name}"]
    lines += ["", f".. minigallery:: {module}.{name}", "   :add-heading: In the gallery", ""]
    return "\n".join(lines)


def _methods(kind: type) -> tuple[list[str], dict[str, str]]:
    """Return the methods that a class defines itself, and its other ones with a sentence."""
    own, inherited = [], {}
    for name in dir(kind):
        value = inspect.getattr_static(kind, name, None)
        target = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
        is_ours = str(getattr(target, "__module__", "")).startswith("branchline")
        if name.startswith("_") or not (inspect.isfunction(target) and is_ours):
            continue
        if name in vars(kind) and inspect.getdoc(target):
            own.append(name)
        elif inspect.getdoc(target):
            shown = name if isinstance(value, property) else f"{name}()"
            inherited[shown] = _first(target)
    return own, inherited


def _first(value: Any) -> str:
    """Return the first sentence of a docstring, on one line of rst."""
    return _escaped(" ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()))


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*") if "``" not in text else text


def _resolve(app: Any, env: Any, node: Any, content: Any) -> Any:
    """Lead a name without its module to the page of the public name."""
    name = str(node.get("reftarget", "")).rsplit(".", 1)[-1]
    if node.get("refdomain") != "py" or name not in _page_of:
        return None
    full = _page_of[name]
    place = app.builder.get_relative_uri(node["refdoc"], f"reference/api/{full}")
    return nodes.reference("", "", content, refuri=f"{place}#{full}", internal=True)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx to write the pages first, and to find public names."""
    assert branchline.__version__
    app.connect("builder-inited", _write_pages, priority=400)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
