"""The twin of pruning: every pruning of a small tree is tried, with exact fractions.

A pruning is the set of inner nodes that it keeps; a node that is not kept is a leaf or gone.
Rows go down a tree in codes one by one.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

LEAF, THRESHOLD = 0, 1
STAY, EVERY_BRANCH = -1, -2


@dataclass(frozen=True)
class Tree:
    """A shape, the cost of each node as a leaf, and of the rows that stay in it."""

    first_child: tuple
    n_children: tuple
    cost: tuple
    extra: tuple

    def children(self, node):
        return range(self.first_child[node], self.first_child[node] + self.n_children[node])

    def below(self, node):
        """Return a node and all its descendants."""
        return {node}.union(*(self.below(child) for child in self.children(node)))

    def prunings(self, node=0):
        yield frozenset()
        if self.n_children[node]:
            for parts in product(*(tuple(self.prunings(child)) for child in self.children(node))):
                yield frozenset({node}).union(*parts)

    def leaves(self, kept):
        return [child for node in kept for child in self.children(node) if child not in kept] or [0]

    def total(self, kept):
        stayed = sum((self.extra[node] for node in kept), Fraction(0))
        return stayed + sum(self.cost[leaf] for leaf in self.leaves(kept))


def weakest_link(tree):
    """Return for each inner node the lowest β ≥ 0 at which the smallest best pruning drops it."""
    known = [(tree.total(kept), len(tree.leaves(kept)), kept) for kept in tree.prunings()]
    betas = {
        Fraction(one[0] - other[0]) / (other[1] - one[1])
        for one, other in combinations(known, 2)
        if one[1] != other[1]
    }
    critical = {}
    for beta in sorted({Fraction(0)} | {beta for beta in betas if beta > 0}):
        _, _, kept = min(known, key=lambda option: (option[0] + beta * option[1], option[1]))
        for node, n_children in enumerate(tree.n_children):
            if n_children and node not in kept:
                critical.setdefault(node, beta)
    return critical


def greedy_pruning(tree):
    """Return the nodes that collapse, and the cost before and after each."""
    kept = frozenset(node for node, n_children in enumerate(tree.n_children) if n_children)
    nodes, costs = [], [tree.total(kept)]
    while kept:
        after = {node: kept - tree.below(node) for node in sorted(kept)}
        node = min(after, key=lambda n: (tree.total(after[n]), len(tree.leaves(after[n])), n))
        kept = after[node]
        nodes.append(node)
        costs.append(tree.total(kept))
    return nodes, costs


def path(tree, codes):
    """Return the nodes that a row with these codes passes, and whether it stays in the last."""
    nodes = [0]
    while tree["kind"][nodes[-1]] != LEAF:
        node = nodes[-1]
        first, count = tree["first_child"][node], tree["n_children"][node]
        code = int(codes[tree["feature"][node]])
        if code == 0:
            branch = tree["missing_branch"][node]
        elif tree["kind"][node] == THRESHOLD:
            branch = 0 if code <= tree["left_code"][node] else 1
        else:
            branch = tree["pool"][tree["pool_offset"][node] + code - 1]
        if branch == EVERY_BRANCH:
            branch = max(range(count), key=lambda b: (tree["weight"][first + b], -b))
        if branch == STAY:
            return nodes, True
        nodes.append(int(first + branch))
    return nodes, False


def decides(nodes, critical_beta, beta):
    """Return the node on a path that decides in T(β)."""
    return next((node for node in nodes[:-1] if critical_beta[node] <= beta), nodes[-1])
