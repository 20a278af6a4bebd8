"""Trees as text: a test, then a line for each branch, indented by depth.

1. Nodes wait on a stack, not in calls of calls: a tree may be deeper than Python's stack.
2. From some depth on, lines are not indented further but say how deep they are, so that the text of
   a deep tree stays as long as the tree is large.
3. ``max_depth`` cuts the text: a cut branch has its node's value and how many leaves it stands for.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema
from branchline.tree.reading._labels import Labels

__all__ = ["leaves_below", "tree_to_text"]

_MOST_BRANCHES = 40
_DEEPEST_INDENT = 40


def tree_to_text(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    decision: npt.NDArray[np.int64] | None = None,
    *,
    max_depth: int | None = None,
    numbers: bool = False,
) -> str:
    """Return the tree as indented lines.

    Parameters
    ----------
    tree, schema, classes, decision
        The fitted tree, its columns, its classes (None: regression), the class of each node.
    max_depth
        Maximum depth to show; None: all.
    numbers
        Put the number of each node before its line.
    """
    labels = Labels(tree, schema, classes, decision)
    writer = _Writer(tree, labels, np.inf if max_depth is None else max_depth, numbers=numbers)
    if writer.is_cut(0, 0):
        return f"{writer.number(0)}always: {writer.value(0)}"
    return "\n".join([*writer.lines(), *_notes(tree)])


class _Writer:
    """Writes the lines of a tree."""

    def __init__(
        self, tree: TreeArrays, labels: Labels, max_depth: float, *, numbers: bool = False
    ) -> None:
        self._tree, self._labels, self._max_depth = tree, labels, max_depth
        self._numbers = numbers
        self._leaves = None if np.isinf(max_depth) else leaves_below(tree)

    def is_cut(self, node: int, depth: int) -> bool:
        return bool(self._tree.is_leaf[node]) or depth >= self._max_depth

    def value(self, node: int) -> str:
        words = self._labels.value(node)
        if self._tree.is_leaf[node] or self._leaves is None:
            return words
        return f"{words} … {count(self._leaves[node], 'more leaf', 'more leaves')}"

    def number(self, node: int) -> str:
        return f"[{node}] " if self._numbers else ""

    def lines(self) -> list[str]:
        lines = []
        # A node, its depth, and the line that announces it; no node: the line alone.
        waiting: list[tuple[int, int, str]] = [(0, 0, "")]
        while waiting:
            node, depth, line = waiting.pop()
            if line:
                lines.append(line)
            if node < 0:
                continue
            lines.append(_indent(depth) + self.number(node) + self._labels.question(node))
            waiting.extend(reversed(self._branches(node, depth)))
        return lines

    def _branches(self, node: int, depth: int) -> list[tuple[int, int, str]]:
        indent, found = _indent(depth) + "  ", []
        names = self._labels.branches(node)
        for branch, name in enumerate(names[:_MOST_BRANCHES]):
            child = int(self._tree.first_child[node]) + branch
            if self.is_cut(child, depth + 1):
                value = f"{self.number(child)}{self.value(child)}"
                found.append((-1, 0, f"{indent}{name}: {value}"))
            else:
                found.append((child, depth + 1, f"{indent}{name}:"))
        if len(names) > _MOST_BRANCHES:
            found.append((-1, 0, f"{indent}… {_more_branches(len(names) - _MOST_BRANCHES)}"))
        return found


def _more_branches(n_branches: int) -> str:
    return count(n_branches, "more branch", "more branches")


def _indent(depth: int) -> str:
    if depth <= _DEEPEST_INDENT:
        return "    " * depth
    return f"{'    ' * _DEEPEST_INDENT}[{depth}] "


def _notes(tree: TreeArrays) -> list[str]:
    """Say what the lines of branches cannot: what happens to values that none of them names."""
    notes = []
    if tree.shares_rows:
        notes.append("A missing value goes down every branch, shared by the branches' weights.")
    if (tree.pool < 0).any():
        notes.append("A value that a test has no branch for gets the answer of its node.")
    return ["", *notes] if notes else []


def leaves_below(tree: TreeArrays) -> npt.NDArray[np.int64]:
    """Return the number of leaves below each node; 1 for a leaf."""
    count = tree.is_leaf.astype(np.int64).tolist()
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children stand after their parents
        count[parent[node]] += count[node]
    return np.array(count, dtype=np.int64)
