"""The twin of one boosted tree: every cut of every column, scored from sums of given gradients.

1. A leaf with sums G and H scores G² / (H + λ); a test gains half of what its sides score more than
   the node, less γ. What rounding alone could gain is taken off: 4 u² N / (H + λ) of the score, u
   being what an integer of the grower stands for, and 10⁻¹² of the node's score.
2. Numbers are cut after each code, missing values right, then left. Categories, and missing values
   as one of them, are cut in the order of G / (H + smoothing · H̄), and pay a further λ.
3. Equal gains: the first column, missing values right, the lowest cut.
4. *leaf_wise* splits the leaf that gains most; *depth_wise* a level, or those that gain most of it;
   *symmetric* gives a level the one test whose gains sum to most, where it gains anything.

Numbers may be ``fractions.Fraction``: then every comparison is exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_WORD_G, MOST_WORD_H = 4094, 254

Rows = list[int]


@dataclass(frozen=True)
class Rules:
    """What a tree is grown by; names as in BoostingOptions."""

    growth: str = "leaf_wise"
    max_leaves: int = 31
    max_depth: int = 10**9
    min_units: int = 1
    min_hessian: float = 0
    l2: float = 0
    leaf_penalty: float = 0
    category_l2: float = 0
    category_smoothing: float = 0


@dataclass(frozen=True)
class Sums:
    """What some rows hold."""

    g: Any = 0
    h: Any = 0
    n: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.g + other.g, self.h + other.h, self.n + other.n)

    def __sub__(self, other: "Sums") -> "Sums":
        return Sums(self.g - other.g, self.h - other.h, self.n - other.n)


@dataclass(frozen=True)
class Test:
    """A test: which codes of a column go left; code 0 is a missing value."""

    column: int
    left: frozenset[int]


@dataclass
class Node:
    """A node: its rows and, unless it is a leaf, its test, what that gains, and the nodes below."""

    rows: Rows
    depth: int = 0
    gain: Any = 0
    test: Test | None = None
    below: tuple["Node", ...] = ()
    held: dict[int, dict[int, Sums]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Twin:
    """A table and gradients to grow on.

    Parameters
    ----------
    codes
        The codes of each column.
    is_category
        Whether each column is of categories.
    g, h
        The gradient and hessian of each row, in numbers of any kind.
    units
        How often each row counts.
    """

    codes: list[npt.NDArray[Any]]
    is_category: list[bool]
    g: list[Any]
    h: list[Any]
    units: list[int]
    rules: Rules = field(default_factory=Rules)

    # -- sums -------------------------------------------------------------------------------------

    def held(self, node: Node, column: int) -> dict[int, Sums]:
        """Return what the rows of each code of a column hold."""
        if column not in node.held:
            of_code: dict[int, Sums] = {}
            for row, code in zip(node.rows, self.codes[column][node.rows].tolist(), strict=True):
                units = self.units[row]
                more = Sums(units * self.g[row], units * self.h[row], units)
                of_code[code] = of_code.get(code, Sums()) + more
            node.held[column] = dict(sorted(of_code.items()))
        return node.held[column]

    def sums(self, node: Node) -> Sums:
        """Return what the rows of a node hold."""
        return sum(self.held(node, 0).values(), Sums())

    def rounding_unit(self) -> Any:
        """Return what an integer of the grower stands for."""
        of_rows = zip(self.g, self.units, strict=True)
        return max(abs(g) for g, units in of_rows if units) / MOST_WORD_G

    # -- scores -----------------------------------------------------------------------------------

    def gain(self, node: Node, test: Test) -> Any:
        """Return what a test gains in a node; 0 or less: nothing, or it may not be."""
        whole, rules = self.sums(node), self.rules
        of_code = self.held(node, test.column)
        left = sum((sums for code, sums in of_code.items() if code in test.left), Sums())
        right = whole - left
        for side in (left, right):
            if side.n < max(1, rules.min_units) or side.h < rules.min_hessian:
                return 0
        l2 = rules.l2 + (rules.category_l2 if self.is_category[test.column] else 0)
        if left.h + l2 <= 0 or right.h + l2 <= 0:
            return 0
        score = left.g**2 / (left.h + l2) + right.g**2 / (right.h + l2)
        return (score - self.score_to_beat(whole)) / 2 - rules.leaf_penalty

    def score_to_beat(self, whole: Sums) -> Any:
        """Return what the sides of a test must score more than."""
        below = whole.h + self.rules.l2
        score = whole.g**2 / below
        by_chance = 4 * self.rounding_unit() ** 2 * whole.n / below
        return score + by_chance + score * type(score)(1e-12)

    # -- tests ------------------------------------------------------------------------------------

    def tests(self, column: int, node: Node) -> Iterator[Test]:
        """Yield the tests of a column that tell rows apart, in the order of ties."""
        of_code = self.held(node, column)
        if self.is_category[column]:
            order = self._in_order(node, of_code)
            for n_left in range(1, len(order)):
                yield Test(column, frozenset(order[:n_left]))
            return
        for missing in (frozenset[int](), frozenset([0])) if 0 in of_code else (frozenset[int](),):
            for code in of_code:
                if code > 0:
                    yield Test(column, frozenset(range(1, code + 1)) | missing)

    def _in_order(self, node: Node, of_code: dict[int, Sums]) -> list[int]:
        """Return categories in the order of their smoothed means."""
        whole = self.sums(node)
        extra = self.rules.category_smoothing * whole.h / whole.n
        return sorted(of_code, key=lambda code: of_code[code].g / (of_code[code].h + extra))

    def best(self, nodes: list[Node]) -> tuple[Any, Test | None]:
        """Return the most that a test gains in nodes together, and the first such test.

        Categories are put in order by the rows of all nodes.
        """
        pooled = nodes[0] if len(nodes) == 1 else Node([row for node in nodes for row in node.rows])
        most, found = 0, None
        for column in range(len(self.codes)):
            for test in self.tests(column, pooled):
                gain = sum(max(0, self.gain(node, test)) for node in nodes)
                if gain > most:
                    most, found = gain, test
        return most, found

    # -- growing ----------------------------------------------------------------------------------

    def grow(self) -> Node:
        """Return the root of the tree."""
        root = Node([row for row, units in enumerate(self.units) if units > 0])
        grow_by = {
            "leaf_wise": self._leaf_wise,
            "depth_wise": self._depth_wise,
            "symmetric": self._symmetric,
        }
        grow_by[self.rules.growth](root)
        return root

    def _may_split(self, node: Node) -> bool:
        is_large = self.sums(node).n >= 2 * max(1, self.rules.min_units)
        return is_large and node.depth < self.rules.max_depth

    def _find(self, node: Node) -> tuple[Any, Test | None]:
        return self.best([node]) if self._may_split(node) else (0, None)

    def _split(self, node: Node, gain: Any, test: Test) -> tuple[Node, ...]:
        node.gain, node.test = gain, test
        column = self.codes[test.column]
        sides: tuple[Rows, Rows] = ([], [])
        for row in node.rows:
            sides[int(column[row]) not in test.left].append(row)
        node.below = tuple(Node(side, node.depth + 1) for side in sides)
        return node.below

    def _leaf_wise(self, root: Node) -> None:
        leaves = [(root, self._find(root))]
        for _ in range(self.rules.max_leaves - 1):
            best = max(leaves, key=lambda leaf: leaf[1][0])  # the first of equals
            node, (gain, test) = best
            if test is None:
                return
            leaves.remove(best)
            leaves += [(child, self._find(child)) for child in self._split(node, gain, test)]

    def _depth_wise(self, root: Node) -> None:
        level, n_leaves = [root], 1
        while level:
            found = [(node, *self._find(node)) for node in level]
            parents = self._limited(found, n_leaves)
            n_leaves += len(parents)
            level = [child for parent in parents for child in self._split(*parent)]

    def _symmetric(self, root: Node) -> None:
        level, n_leaves, depth = [root], 1, 0
        while n_leaves < self.rules.max_leaves and depth < self.rules.max_depth:
            level = [node for node in level if self._may_split(node)]
            _, test = self.best(level) if level else (0, None)
            if test is None:
                return
            found = [(node, self.gain(node, test), test) for node in level]
            parents = self._limited(found, n_leaves)
            for parent in parents:
                self._split(*parent)
            n_leaves, depth = n_leaves + len(parents), depth + 1
            level = [child for node in level for child in (node.below or (node,))]

    def _limited(
        self, found: Sequence[tuple[Node, Any, Test | None]], n_leaves: int
    ) -> list[tuple[Node, Any, Test]]:
        """Return the nodes whose tests gain; where they would be too many, those that gain most."""
        gaining = [(node, gain, test) for node, gain, test in found if test and gain > 0]
        by_gain = sorted(range(len(gaining)), key=lambda place: -gaining[place][1])
        return [gaining[place] for place in sorted(by_gain[: self.rules.max_leaves - n_leaves])]


def in_level_order(root: Node) -> list[Node]:
    """Return the nodes of a tree, level after level."""
    nodes = [root]
    for node in nodes:
        nodes += node.below
    return nodes


def read_tree(grown: dict[str, Any], tree: int, n_codes: list[int]) -> list[Test | None]:
    """Return the tests of a native tree in level order; None: a leaf."""
    first = int(grown["n_nodes"][:tree].sum())
    kinds = grown["kind"]
    inner, byte = 0, 0
    tests: list[Test | None] = []
    for place in range(first + int(grown["n_nodes"][tree])):
        test = None
        if kinds[place]:
            column = int(grown["feature"][inner])
            is_category = kinds[place] == 2
            test = _read_test(grown, inner, byte, n_codes[column], is_category=is_category)
            byte += (n_codes[column] + 7) // 8 if is_category else 0
            inner += 1
        if place >= first:
            tests.append(test)
    return tests


def _read_test(
    grown: dict[str, Any], inner: int, byte: int, n_codes: int, *, is_category: bool
) -> Test:
    column = int(grown["feature"][inner])
    left = {0} if grown["missing_left"][inner] else set()
    if is_category:
        bits = np.unpackbits(grown["pool"][byte : byte + (n_codes + 7) // 8], bitorder="little")
        left |= {code + 1 for code in range(n_codes) if not bits[code]}
    else:
        last = int(grown["left_code"][inner]) if grown["right_code"][inner] else n_codes
        left |= set(range(1, last + 1))
    return Test(column, frozenset(left))
