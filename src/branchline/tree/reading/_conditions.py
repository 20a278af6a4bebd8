"""Conditions on one column: what rules are made of.

1. A number must lie in ``above < x ≤ at_most``, a category be one of ``codes``; ``missing`` says
   whether a missing value satisfies it (an unseen category counts as missing, as in a tree).
2. Two conditions on a column make one (``&``): the interval or the categories they share; missing
   values satisfy it when they satisfy both. So a path down a tree has one condition a column.
3. A condition that nothing satisfies is empty; one that everything satisfies is always true.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import CATEGORIES, EVERY_BRANCH, STAY, TreeArrays
from branchline.table import Category, Column, ColumnType, Table
from branchline.tree.reading._labels import in_words, threshold_words

__all__ = ["Condition", "branch_conditions", "values_of"]

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """What a value of one column must be.

    Parameters
    ----------
    column
        The column's name.
    above, at_most
        Numbers: the value must be above the first and at most the second; no number is when the
        first is not below the second.
    codes
        Categories: the codes that satisfy the condition, ascending; None for a numeric column.
    missing
        Whether a missing value satisfies it; an unseen category counts as missing.
    type
        The column's type, for words and names.
    """

    column: str
    above: float = -math.inf
    at_most: float = math.inf
    codes: tuple[int, ...] | None = None
    missing: bool = False
    type: ColumnType = field(default=ColumnType("numeric", "float"), repr=False, compare=False)

    # -- what satisfies it ----------------------------------------------------------------------

    def holds(self, table: Table) -> Bools:
        """Return which rows of a table in the tree's schema satisfy the condition."""
        return self.holds_for(values_of(table.column(self.column)))

    def holds_for(self, values: npt.NDArray[Any]) -> Bools:
        """Return which values (see ``values_of``) satisfy the condition."""
        if self.codes is None:
            inside: Bools = (values > self.above) & (values <= self.at_most)
            return inside | np.isnan(values) if self.missing else inside
        # The last two entries are reached by the codes −2 (unseen) and −1 (missing).
        allowed = np.zeros(len(self.type.categories or ()) + 2, dtype=bool)
        allowed[list(self.codes)] = True
        allowed[-2:] = self.missing
        chosen: Bools = allowed[values]
        return chosen

    @property
    def is_empty(self) -> bool:
        """Whether nothing satisfies the condition."""
        return not self.missing and not self._allows_some

    @property
    def is_always_true(self) -> bool:
        """Whether everything satisfies the condition."""
        return self.missing and self._allows_all

    @property
    def _allows_some(self) -> bool:
        return self.above < self.at_most if self.codes is None else bool(self.codes)

    @property
    def _allows_all(self) -> bool:
        if self.codes is None:
            return self.above == -math.inf and self.at_most == math.inf
        return len(self.codes) == len(self.type.categories or ())

    # -- combining ------------------------------------------------------------------------------

    def __and__(self, other: "Condition") -> "Condition":
        """Return the condition that holds when both do; both must be on the same column."""
        if self.column != other.column:
            raise ValueError(f"conditions on {self.column!r} and {other.column!r} do not combine")
        missing = self.missing and other.missing
        if self.codes is not None and other.codes is not None:
            shared = tuple(sorted(set(self.codes) & set(other.codes)))
            return replace(self, codes=shared, missing=missing)
        above, at_most = max(self.above, other.above), min(self.at_most, other.at_most)
        return replace(self, above=above, at_most=at_most, missing=missing)

    def parts(self) -> list["Condition"]:
        """Return the conditions it is made of: an interval is two."""
        if self.codes is not None or math.inf in (-self.above, self.at_most):
            return [self]
        return [replace(self, at_most=math.inf), replace(self, above=-math.inf)]

    # -- words ----------------------------------------------------------------------------------

    @property
    def categories(self) -> tuple[Category, ...] | None:
        """The names of the categories that satisfy it; None for a numeric column."""
        if self.codes is None:
            return None
        names = self.type.categories or ()
        return tuple(names[code] for code in self.codes)

    @property
    def has_or(self) -> bool:
        """Whether its words say "or missing"."""
        return self.missing and self._allows_some and not self._allows_all

    def __str__(self) -> str:
        if self.is_empty:
            return f"{self.column} is impossible"
        if not self._allows_some:
            return f"{self.column} is missing"
        if self._allows_all:
            return f"{self.column} is {'anything' if self.missing else 'present'}"
        return self._test() + (" or missing" if self.has_or else "")

    def _test(self) -> str:
        if self.codes is not None:
            chosen = set(self.codes)
            all_names = [str(name) for name in self.type.categories or ()]
            others = [name for code, name in enumerate(all_names) if code not in chosen]
            return f"{self.column} {in_words([all_names[code] for code in self.codes], others)}"
        low, high = (threshold_words(self.type, bound) for bound in (self.above, self.at_most))
        if self.above == -math.inf:
            return f"{self.column} ≤ {high}"
        if self.at_most == math.inf:
            return f"{self.column} > {low}"
        return f"{low} < {self.column} ≤ {high}"

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain data; a bound that there is not is None."""
        if self.codes is not None:
            allowed = list(self.categories or ())
            return {"column": self.column, "categories": allowed, "missing": self.missing}
        bounds = [self.above, self.at_most] if self._allows_some else [-math.inf, math.inf]
        above, at_most = (None if math.isinf(bound) else bound for bound in bounds)
        return {
            "column": self.column,
            "above": above,
            "at_most": at_most,
            "present": self._allows_some,
            "missing": self.missing,
        }


def values_of(column: Column) -> npt.NDArray[Any]:
    """Return what conditions look at: category codes, or numbers in double precision."""
    if column.kind == "category":
        return column.values
    return column.numbers().astype(np.float64, copy=False)


def branch_conditions(
    tree: TreeArrays, node: int, name: str, kind: ColumnType, *, heaviest: bool = True
) -> list[Condition]:
    """Return the condition of each branch of a test.

    Where the tree shares a row among all branches, its missing value satisfies the condition of the
    heaviest branch alone (with ``heaviest``), or of none.
    """
    n_branches = int(tree.n_children[node])
    missing = int(tree.missing_branch[node])
    if missing == EVERY_BRANCH and heaviest:
        first = int(tree.first_child[node])
        missing = int(np.argmax(tree.weight[first : first + n_branches]))
    if tree.kind[node] == CATEGORIES:
        shared = missing if tree.missing_branch[node] == EVERY_BRANCH and heaviest else STAY
        codes_of_branch = _codes_of_branches(tree, node, len(kind.categories or ()), shared)
        tests = [Condition(name, codes=tuple(each), type=kind) for each in codes_of_branch]
    else:
        cut = float(tree.threshold[node])
        tests = [
            Condition(name, at_most=cut, type=kind),
            Condition(name, above=cut, type=kind),
            Condition(name, above=math.inf, type=kind),
        ][:n_branches]
    return [
        replace(test, missing=True) if branch == missing else test
        for branch, test in enumerate(tests)
    ]


def _codes_of_branches(
    tree: TreeArrays, node: int, n_categories: int, shared: int
) -> list[list[int]]:
    """Return the codes of each branch; codes that stay at the node are in none.

    Codes that are shared among all branches are in branch ``shared``.
    """
    offset = int(tree.pool_offset[node])
    branch_of_code = tree.pool[offset : offset + n_categories]
    branch_of_code = np.where(branch_of_code == EVERY_BRANCH, shared, branch_of_code)
    order = np.argsort(branch_of_code, kind="stable")
    starts = np.searchsorted(branch_of_code[order], np.arange(int(tree.n_children[node]) + 1))
    return [part.tolist() for part in np.split(order, starts)[1:-1]]
