"""Trees as text: a test, then a line for each branch, indented by depth."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.table import ColumnType, Schema
from branchline.tree._tree_arrays import LEAF, THRESHOLD_TEST, TreeArrays

__all__ = ["tree_to_text"]

_LONGEST_NAME = 30
_LONGEST_LIST = 60
_MOST_BRANCHES = 40


def tree_to_text(tree: TreeArrays, schema: Schema, classes: npt.NDArray[Any] | None) -> str:
    """Return the tree as indented lines."""
    if tree.kind[0] == LEAF:
        return f"always: {_value(tree, 0, classes)}"
    return "\n".join(_lines(tree, schema, classes, 0, ""))


def _lines(
    tree: TreeArrays, schema: Schema, classes: npt.NDArray[Any] | None, node: int, indent: str
) -> list[str]:
    labels = _branch_labels(tree, schema, node)
    lines = [indent + _question(tree, schema, node)]
    for branch, label in enumerate(labels):
        if branch == _MOST_BRANCHES:
            lines.append(f"{indent}  … {len(labels) - _MOST_BRANCHES} more branches")
            break
        child = int(tree.first_child[node]) + branch
        if tree.kind[child] == LEAF:
            lines.append(f"{indent}  {label}: {_value(tree, child, classes)}")
        else:
            lines.append(f"{indent}  {label}:")
            lines.extend(_lines(tree, schema, classes, child, indent + "    "))
    return lines


def _question(tree: TreeArrays, schema: Schema, node: int) -> str:
    name = schema.names[int(tree.feature[node])]
    if tree.kind[node] != THRESHOLD_TEST:
        return name
    if np.isinf(tree.threshold[node]):
        return f"{name} is present"
    return f"{name} ≤ {_threshold(schema.fields[int(tree.feature[node])].type, node, tree)}"


def _branch_labels(tree: TreeArrays, schema: Schema, node: int) -> list[str]:
    """Name each branch; the one that missing values take says so."""
    if tree.kind[node] == THRESHOLD_TEST:
        labels = ["yes", "no"]
    else:
        labels = _category_labels(tree, schema, node)
    branch = int(tree.missing_branch[node])
    if branch >= 0:
        labels[branch] = f"{labels[branch]} or missing" if labels[branch] else "missing"
    return labels


def _category_labels(tree: TreeArrays, schema: Schema, node: int) -> list[str]:
    categories = schema.fields[tree.feature[node]].type.categories or ()
    offset = int(tree.pool_offset[node])
    names_of_branch: list[list[str]] = [[] for _ in range(int(tree.n_children[node]))]
    branches = tree.pool[offset : offset + len(categories)].tolist()
    for name, branch in zip(categories, branches, strict=True):
        if branch >= 0:
            names_of_branch[branch].append(str(name))
    return [_join(names) for names in names_of_branch]


def _threshold(kind: ColumnType, node: int, tree: TreeArrays) -> str:
    """Write a threshold so that it cuts where the model does; a date as a date."""
    value = float(tree.threshold[node])
    if kind.source in {"date", "datetime"}:
        seconds = (
            np.floor(value * 86_400) if kind.source == "datetime" else np.floor(value) * 86_400
        )
        moment = str(np.datetime64(int(seconds), "s"))
        return moment if kind.source == "datetime" else moment[:10]
    unit = " days" if kind.is_time else ""
    return f"{value:.12g}{unit}"


def _join(names: list[str]) -> str:
    """List names as far as a line allows, then say how many more there are."""
    shown: list[str] = []
    for name in names:
        short = _quoted(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
        if shown and sum(map(len, shown)) + len(short) > _LONGEST_LIST:
            return f"{', '.join(shown)}, … {len(names) - len(shown)} more"
        shown.append(short)
    return ", ".join(shown)


def _quoted(name: str) -> str:
    """Quote a name that would be misread in a list: with commas, line ends, or words of ours."""
    is_plain = name.isprintable() and name.strip() == name != "" and not set(name) & set(",'\"")
    return name if is_plain and " or " not in name and name != "missing" else repr(name)


def _value(tree: TreeArrays, node: int, classes: npt.NDArray[Any] | None) -> str:
    weight = _short(tree.weight[node])
    if classes is None:
        return f"{_short(tree.value[node, 0])} (mean of {weight})"
    best = int(np.argmax(tree.value[node]))
    return f"{classes[best]} {100 * tree.value[node, best]:.0f} % of {weight}"


def _short(number: float) -> str:
    """Write a number with six digits, whole ones and large ones with all of theirs."""
    if abs(number) < 1e15 and (abs(number) >= 1e5 or number == round(number)):
        return f"{number:,.0f}"
    return f"{number:.6g}"
