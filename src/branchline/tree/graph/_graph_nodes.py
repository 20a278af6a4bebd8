"""Nodes of a graph while it is made: their order, and putting one in the place of another."""

from branchline.tree.graph._subtrees import Node

__all__ = ["in_order", "simplified", "with_replaced"]


def in_order(root: Node) -> list[Node]:
    """Return all nodes that can be reached, each one once and after all its parents."""
    order: list[Node] = []
    done: set[Node] = set()
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            order.append(node)
        elif node not in done:
            done.add(node)
            waiting.append((node, True))
            waiting.extend((child, False) for child in node.children)
    return order[::-1]


def with_replaced(root: Node, into: dict[Node, Node]) -> Node:
    """Put nodes in the places of others, also where these replace others in turn."""

    def final(node: Node) -> Node:
        while node in into:
            node = into[node]
        return node

    for node in in_order(root):
        node.children = [final(child) for child in node.children]
    return final(root)


def simplified(root: Node) -> Node:
    """Leave out tests whose branches all lead to one node; keep one of nodes that are the same."""
    into: dict[Node, Node] = {}
    known: dict[object, Node] = {}
    for node in reversed(in_order(root)):  # children first
        if node.test is None:
            continue
        node.children = [into.get(child, child) for child in node.children]
        if all(child is node.children[0] for child in node.children):
            into[node] = node.children[0]
            continue
        key = (node.test.key, *map(id, node.children))
        same = known.setdefault(key, node)
        if same is not node:
            same.take(node)
            into[node] = same
    return into.get(root, root)
