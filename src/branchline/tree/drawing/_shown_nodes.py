"""Which nodes of a tree a drawing shows: all of a small tree, the heavy part of a large one.

1. Begin with the root; unfold the heaviest node whose children are not yet shown; repeat until
   the ends would be too many for a page. Nodes of a highlighted path are unfolded first.
2. A node with very many branches shows its heaviest ones; the others stand together as its rest.
3. A node that stays folded knows how many leaves it hides.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush, nlargest

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays

__all__ = ["ShownNode", "ShownTree", "choose_nodes"]

# Where the drawing itself chooses: a page full; less of it around a path, that should stand out.
_MOST_ENDS, _DEEPEST = 250, 24
_MOST_ENDS_WITH_PATH, _DEEPEST_PATH = 60, 72
_MOST_ENDS_ASKED_FOR = 1000  # where the reader chose the depth
_MOST_BRANCHES = 40

Floats = npt.NDArray[np.float64]


@dataclass(slots=True)
class ShownNode:
    """A node of the drawing.

    Parameters
    ----------
    members
        Its number in the tree; several numbers for a rest of branches.
    parent, branches
        The place of its parent among the shown nodes (−1: none), and which branches of the parent
        lead here: one for each member.
    depth
        The number of tests above it.
    weight, value, deviation
        What it holds: the weight of its rows; class frequencies or means; standard deviations.
    is_lit
        Whether the highlighted path goes through it.
    children
        The places of its shown children; none at an end.
    n_hidden_leaves
        How many leaves it stands for without showing them.
    """

    members: tuple[int, ...]
    parent: int
    branches: tuple[int, ...]
    depth: int
    weight: float
    value: Floats
    deviation: Floats
    is_lit: bool
    children: list[int] = field(default_factory=list)
    n_hidden_leaves: int = 0

    @property
    def node(self) -> int:
        """Its number in the tree."""
        return self.members[0]

    @property
    def is_rest(self) -> bool:
        """Whether it stands for several branches of its parent."""
        return len(self.members) > 1


@dataclass(frozen=True, slots=True)
class ShownTree:
    """The nodes of a drawing, parents before children, and whether a path is highlighted."""

    nodes: list[ShownNode]
    has_path: bool
    center_word: str = "mean"  # of the numbers that nodes predict

    @property
    def n_ends(self) -> int:
        """The number of nodes without shown children."""
        return sum(not shown.children for shown in self.nodes)

    @property
    def depth(self) -> int:
        """The maximum depth that is shown."""
        return self.nodes[-1].depth

    @property
    def n_hidden_leaves(self) -> int:
        """How many leaves of the tree are not shown."""
        return sum(shown.n_hidden_leaves for shown in self.nodes)


def choose_nodes(tree: TreeArrays, max_depth: int | None, path: Collection[int]) -> ShownTree:
    """Return the nodes that a drawing of the tree shows; ``path`` is highlighted."""
    unfolded = _unfold(tree, max_depth, path)
    nodes = [_shown(tree, (0,), -1, (), 0, path)]
    for place, shown in enumerate(nodes):  # which grows meanwhile
        if shown.is_rest or shown.node not in unfolded:
            continue
        first = int(tree.first_child[shown.node])
        for branches in _branch_groups(tree, shown.node, path):
            members = tuple(first + branch for branch in branches)
            shown.children.append(len(nodes))
            nodes.append(_shown(tree, members, place, branches, shown.depth + 1, path))
    _count_hidden_leaves(tree, nodes)
    return ShownTree(nodes, bool(path), tree.center_word)


def _unfold(tree: TreeArrays, max_depth: int | None, path: Collection[int]) -> set[int]:
    """Return the inner nodes whose children are shown."""
    deepest, deepest_path, n_free = max_depth, max_depth, _MOST_ENDS_ASKED_FOR - 1
    if deepest is None or deepest_path is None:
        deepest, deepest_path = _DEEPEST, _DEEPEST_PATH
        n_free = (_MOST_ENDS_WITH_PATH if path else _MOST_ENDS) - 1
    unfolded: set[int] = set()
    waiting = [(0 not in path, -float(tree.weight[0]), 0, 0)]
    while waiting:
        is_aside, _, node, depth = heappop(waiting)
        n_more = min(int(tree.n_children[node]), _MOST_BRANCHES) - 1
        is_deep = depth >= (deepest if is_aside else deepest_path)
        if tree.is_leaf[node] or is_deep or (n_more > n_free and is_aside):
            continue
        unfolded.add(node)
        n_free -= n_more
        for branch, *others in _branch_groups(tree, node, path):
            child = int(tree.first_child[node]) + branch
            if not others:
                order = (child not in path, -float(tree.weight[child]), child, depth + 1)
                heappush(waiting, order)
    return unfolded


def _branch_groups(tree: TreeArrays, node: int, path: Collection[int]) -> Iterator[tuple[int, ...]]:
    """Yield the branches of a node one by one, those of little weight together as the last."""
    n_children, first = int(tree.n_children[node]), int(tree.first_child[node])
    shown = range(n_children)
    if n_children > _MOST_BRANCHES:
        weight = tree.weight[first : first + n_children].tolist()
        heaviest = nlargest(
            _MOST_BRANCHES - 1, shown, key=lambda branch: (first + branch in path, weight[branch])
        )
        kept = set(heaviest)
        yield from ((branch,) for branch in shown if branch in kept)
        yield tuple(branch for branch in shown if branch not in kept)
    else:
        yield from ((branch,) for branch in shown)


def _shown(
    tree: TreeArrays,
    members: tuple[int, ...],
    parent: int,
    branches: tuple[int, ...],
    depth: int,
    path: Collection[int],
) -> ShownNode:
    """Return a shown node that holds what its members hold together."""
    nodes = list(members)
    total = float(tree.weight[nodes].sum())
    share = tree.weight[nodes] / total
    value = share @ tree.value[nodes]
    # The variance of a whole is the mean variance of its parts and the variance of their means.
    between = (tree.value[nodes] - value) ** 2
    variance = share @ (tree.variance[nodes] + between[:, : tree.variance.shape[1]])
    is_lit = len(members) == 1 and members[0] in path
    return ShownNode(members, parent, branches, depth, total, value, np.sqrt(variance), is_lit)


def _count_hidden_leaves(tree: TreeArrays, nodes: list[ShownNode]) -> None:
    """Count the leaves under each end that is not itself a leaf."""
    folded = [
        shown
        for shown in nodes
        if not shown.children and (shown.is_rest or not tree.is_leaf[shown.node])
    ]
    if not folded:
        return
    n_leaves, parent = tree.is_leaf.astype(np.int64).tolist(), tree.parent.tolist()
    for node in range(len(parent) - 1, 0, -1):  # children stand after their parents
        n_leaves[parent[node]] += n_leaves[node]
    for shown in folded:
        shown.n_hidden_leaves = sum(n_leaves[member] for member in shown.members)
