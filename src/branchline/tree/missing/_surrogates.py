"""Surrogate tests: tests of other columns that imitate a test whose value is missing.

1. The rows of a node whose value is known go to their branches. For each other column, the test is
   searched that sends most of these rows to the same branch: one threshold, in either direction, or
   a branch for each category.
2. Its *agreement* is the share of these rows that it sends the same way; a row whose substitute is
   missing counts as not agreeing. Sending all rows to the heaviest branch agrees for a share m, so
   the *adjusted* agreement is (agree − m) / (1 − m). Only tests above 0 are kept (Breiman et al.,
   1984; rpart has the same definitions).
3. The best few are kept for each node, in order of agreement. A row tries them in turn; when all
   their values are missing too, it takes the heaviest branch.
4. The rows of a node go down by the same rule while the substitutes of deeper nodes are searched,
   and leaves hold the rows that come to them so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import percent
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema, Table
from branchline.tree._nested import NodeTest, nested
from branchline.tree.missing._policies import heaviest_branch
from branchline.tree.reading._labels import join_names, threshold_words

__all__ = ["SURROGATE_NOTE", "Surrogate", "Surrogates"]

SURROGATE_NOTE = (
    "Where a value is missing, a test of another column decides (why(node) lists them); where that "
    "is missing too, the row goes with the branch marked so."
)

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A test that stands in for another.

    Parameters
    ----------
    node
        The node whose test it imitates.
    column
        The place of the column that it asks about.
    threshold
        Where it divides numbers; None for categories.
    branches
        Numbers: the branches of the node that values up to the threshold, and those above it, take.
        Categories: the branch of each; −1 for those that the node did not see.
    agree
        The share of the node's rows with a known value that it sends the same way.
    adj
        The agreement beyond that of the heaviest branch: 1 when it agrees always, 0 when it is as
        good as no test.
    """

    node: int
    column: int
    threshold: float | None
    branches: Nodes
    agree: float
    adj: float

    def branch_of(self, table: Table) -> Nodes:
        """Return the branch that each row takes; −1 where the value is missing or unknown."""
        column = table.column(table.names[self.column])
        if self.threshold is None:
            return np.append(self.branches, np.int32(-1))[np.maximum(column.values, -1)]
        values = column.numbers()
        taken = np.where(values <= self.threshold, self.branches[0], self.branches[1])
        return np.where(np.isnan(values), -1, taken).astype(np.int32)

    def words(self, schema: Schema) -> str:
        """Return what it asks: of branch 0, as tests are written."""
        field = schema.fields[self.column]
        if self.threshold is not None:
            relation = "≤" if self.branches[0] == 0 else ">"
            return f"{field.name} {relation} {threshold_words(field.type, self.threshold)}"
        names = zip(field.type.categories or (), self.branches.tolist(), strict=True)
        return f"{field.name} in ({join_names([str(name) for name, goes in names if goes == 0])})"

    def sentence(self, schema: Schema) -> str:
        """Return the test and how well it imitates the other, for a reader."""
        agree, beyond = percent(self.agree, decimals=1), percent(self.adj)
        return f"{self.words(schema)} agrees for {agree} of the rows ({beyond} beyond chance)"


@dataclass(frozen=True, eq=False)
class Surrogates:
    """The surrogate tests of a tree, by node, best first."""

    of_node: dict[int, tuple[Surrogate, ...]]

    def __iter__(self) -> Iterator[Surrogate]:
        for node in sorted(self.of_node):
            yield from self.of_node[node]

    def __len__(self) -> int:
        return sum(map(len, self.of_node.values()))

    def at(self, node: int) -> tuple[Surrogate, ...]:
        """Return the surrogate tests of a node; none when it has none."""
        return self.of_node.get(node, ())

    def branches(self, table: Table, test: NodeTest, node: int, majority: int) -> Nodes:
        """Return the branch that each row of a table takes at a node."""
        taken = test.known_branches(test.column_of(table))
        for surrogate in self.at(node):
            is_open = np.flatnonzero(taken < 0)
            if not len(is_open):
                break
            taken[is_open] = surrogate.branch_of(table.rows(is_open))
        return np.where(taken < 0, majority, taken).astype(np.int32)

    def find_leaves(self, tree: TreeArrays, table: Table) -> Nodes:
        """Return the leaf that each row of a table comes to."""
        nodes = nested(tree)
        majority = np.where(tree.missing_branch < 0, heaviest_branch(tree), tree.missing_branch)
        ends = np.zeros(table.n_rows, dtype=np.int32)
        rows_of: dict[int, npt.NDArray[np.intp]] = {0: np.arange(table.n_rows)}
        for node in range(tree.n_nodes):  # children stand after their parents
            rows, test = rows_of.pop(node, None), nodes[node].test
            if rows is None or not len(rows):
                continue
            if test is None:
                ends[rows] = node
                continue
            branch = self.branches(table.rows(rows), test, node, int(majority[node]))
            for each in range(test.n_branches):
                rows_of[int(tree.first_child[node]) + each] = rows[branch == each]
        return ends
