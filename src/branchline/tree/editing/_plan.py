"""A plan: the tree that a person edits, with a note on each node of who decided it.

1. A node that was *learned* is learned again wherever the plan is carried out on other rows.
2. A *given* node was decided by a person: its test, or that it is a leaf. It stays as it is, and so
   do the tests above it, or it would speak of other rows.
3. A node with *demands* (columns that may not be tested, a column that must be, limits of size) is
   learned again under them; the tests above it stay.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._nested import NestedNode, NodeTest, nested

__all__ = ["Demands", "PlanNode", "kept_nodes", "plan_levels", "plan_of"]


@dataclass(frozen=True)
class Demands:
    """What a person asks of a part of the tree that is learned.

    Parameters
    ----------
    without
        Places of columns that may not be tested.
    required
        The place of the column that the node itself must test; None: any.
    max_depth, max_leaf_nodes
        Limits of the part; where one is given, it is not pruned. None: as the tree.
    """

    without: frozenset[int] = frozenset()
    required: int | None = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None

    @property
    def any(self) -> bool:
        """Whether something is asked."""
        return self != Demands()

    @property
    def limits_size(self) -> bool:
        """Whether a limit of size takes the place of pruning."""
        return self.max_depth is not None or self.max_leaf_nodes is not None


@dataclass(eq=False)
class PlanNode:
    """A node of a plan; ``label`` is the class (its place) or the number that a leaf predicts."""

    test: NodeTest | None = None
    children: list["PlanNode"] = field(default_factory=list)
    is_given: bool = False
    demands: Demands = Demands()
    label: Any = None

    def copy(self) -> "PlanNode":
        """Return a copy that shares no node with this plan."""
        made = PlanNode(self.test, [], self.is_given, self.demands, self.label)
        waiting = [(self, made)]
        while waiting:
            node, twin = waiting.pop()
            for child in node.children:
                new = PlanNode(child.test, [], child.is_given, child.demands, child.label)
                twin.children.append(new)
                waiting.append((child, new))
        return made

    def become(self, other: "PlanNode") -> None:
        """Take over everything of another node."""
        self.test, self.children = other.test, other.children
        self.is_given, self.demands, self.label = other.is_given, other.demands, other.label


def plan_of(tree: TreeArrays) -> PlanNode:
    """Return the plan of a fitted tree: every node was learned."""
    return from_nested(nested(tree)[0])


def from_nested(root: NestedNode) -> PlanNode:
    """Return the plan of nested nodes: every node was learned."""
    made = PlanNode(root.test)
    waiting = [(root, made)]
    while waiting:
        node, twin = waiting.pop()
        for child in node.children:
            new = PlanNode(child.test)
            twin.children.append(new)
            waiting.append((child, new))
    return made


def plan_levels(root: PlanNode) -> list[PlanNode]:
    """Return the nodes in the order in which a tree numbers them."""
    nodes = [root]
    for node in nodes:  # which grows meanwhile
        nodes.extend(node.children)
    return nodes


def n_leaves_of(node: PlanNode) -> int:
    """Return the number of leaves below a node; 1 for a leaf."""
    return sum(not each.children for each in plan_levels(node))


def below(root: PlanNode) -> Iterator[PlanNode]:
    """Yield a node and all nodes below it."""
    return iter(plan_levels(root))


def kept_nodes(root: PlanNode) -> set[int]:
    """Return the identities of nodes whose test stays: given ones, and those above an edit."""
    kept: set[int] = set()
    for node in reversed(plan_levels(root)):  # children before their parents
        holds = any(id(child) in kept or child.demands.any for child in node.children)
        if node.is_given or holds:
            kept.add(id(node))
    return kept


def path_to(root: PlanNode, node: PlanNode) -> list[tuple[PlanNode, int]]:
    """Return the nodes above a node, each with the branch that leads on."""
    parent: dict[int, tuple[PlanNode, int]] = {}
    for each in plan_levels(root):
        for branch, child in enumerate(each.children):
            parent[id(child)] = (each, branch)
    path = []
    while node is not root:
        node, branch = parent[id(node)]
        path.append((node, branch))
    return path[::-1]
