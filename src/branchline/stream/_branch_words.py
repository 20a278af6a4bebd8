"""Branches of stream trees in words: what happened to them, the way there, a tree as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import fine_percent as share
from branchline._plain_numbers import number
from branchline.stream._arriving_columns import columns_in_order
from branchline.table import Schema

__all__ = ["Branch", "branches_of", "tree_text"]

_KINDS = ("begun", "replaced", "dropped", "tree replaced")
_MOST_NAMES = 4


@dataclass(frozen=True)
class Branch:
    """Something that happened to a branch of a tree.

    Parameters
    ----------
    row
        The row after which it happened, counted from 0 over the whole stream.
    what
        "begun": a new branch grows beside this one. "replaced": the new one took its place.
        "dropped": the new one was no better. "tree replaced": a whole tree of a forest was.
    tree
        Which tree, counted from 0.
    path
        The tests that lead to the branch, from the root; none: the whole tree.
    tested
        The column that the branch tested first; None: it was a leaf.
    n_rows
        On how many rows old and new were compared.
    error_before, error_after
        The share of wrong predictions: of the branch before and after the change ("begun", "tree
        replaced"), else of the old and of the new one on the same rows.

    See Also
    --------
    DiaryEntry : a change of the stream that made errors rise.

    Examples
    --------
    >>> from branchline.stream import Branch
    >>> Branch(5000, "grown", 0, ("age ≤ 40",), "income", 812, 0.31, 0.12).n_rows
    812
    """

    row: int
    what: str
    tree: int
    path: tuple[str, ...]
    tested: str | None
    n_rows: int
    error_before: float
    error_after: float

    @property
    def where(self) -> str:
        """The branch in words."""
        return " and ".join(self.path) if self.path else "the whole tree"

    def __str__(self) -> str:
        before, after = share(self.error_before), share(self.error_after)
        place = f"row {self.row:,}: "
        if self.what == "begun":
            text = f"errors rose from {before} to {after}; a new branch grows beside the old one"
        elif self.what == "dropped":
            text = f"the new branch was given up ({after} wrong; the old one {before})"
        elif self.what == "replaced":
            text = f"the branch was rebuilt ({after} wrong instead of {before})"
        else:
            return f"{place}tree {self.tree + 1} was replaced; errors rose from {before} to {after}"
        return f"{place}{text}: {self.where}"


def branches_of(events: Sequence[Any], schema: Schema) -> tuple[Branch, ...]:
    """Return what the kernel tells of branches, in words."""
    names = columns_in_order(schema)
    return tuple(
        Branch(
            int(row),
            _KINDS[kind],
            int(tree),
            tuple(_step(schema, names[step[0]], step[1:]) for step in path),
            None if column < 0 else names[column],
            int(n_rows),
            float(before),
            float(after),
        )
        for row, kind, tree, column, n_rows, before, after, path in events
    )


def _step(schema: Schema, name: str, step: Sequence[Any]) -> str:
    is_left, is_category, threshold, codes = step
    if not is_category:
        return f"{name} {'≤' if is_left else '>'} {number(threshold)}"
    return f"{name} {_in(schema, name, codes)}"


def _in(schema: Schema, name: str, codes: Sequence[int]) -> str:
    known = schema[name].categories or ()
    shown = [str(known[code]) for code in codes if 0 <= code < len(known)]
    if len(shown) == 1:
        return f"= {shown[0]}"
    more = f", … ({len(shown)})" if len(shown) > _MOST_NAMES else ""
    return f"in {{{', '.join(shown[:_MOST_NAMES])}{more}}}"


def tree_text(nodes: Sequence[Any], schema: Schema, classes: npt.NDArray[Any]) -> str:
    """Return the nodes of a tree (parent, left, right) as indented text."""
    names, lines = columns_in_order(schema), list[str]()
    rest = [("", "")]  # the indentation and the words of nodes to come, the next one last
    for column, is_category, _, _, threshold, codes, of_class, is_active in nodes:
        indent, words = rest.pop()
        if column < 0:
            lines.append(f"{indent}{words}{_leaf(np.asarray(of_class), classes, is_active)}")
            continue
        if words:
            lines.append(f"{indent}{words.removesuffix(': ')}")
            indent += "  "
        left, right = _sides(schema, names[column], is_category, threshold, codes)
        rest += [(indent, f"{right}: "), (indent, f"{left}: ")]
    return "\n".join(lines)


def _sides(
    schema: Schema, name: str, is_category: bool, threshold: float, codes: Sequence[int]
) -> tuple[str, str]:
    if is_category:
        return f"{name} {_in(schema, name, codes)}", f"{name}: others"
    return f"{name} ≤ {number(threshold)}", f"{name} > {number(threshold)}"


def _leaf(of_class: npt.NDArray[np.float64], classes: npt.NDArray[Any], is_active: bool) -> str:
    total = float(of_class.sum())
    best = int(np.argmax(of_class))
    at_rest = "" if is_active else ", at rest"
    if total <= 0:
        return f"no rows yet{at_rest}"
    return f"{classes[best]} ({share(of_class[best] / total)} of {total:,.0f} rows{at_rest})"
