"""Where the nodes of a graph stand: in layers, so that all lines lead down and few cross.

1. The caller says in which layer each node stands. A line that passes layers has a *bend* in each
   of them, which needs room as nodes do.
2. Within layers nodes are put in the order of the mean place of their neighbors above, then below,
   again and again; the order with the fewest crossings is kept.
3. Nodes move to the mean of their neighbors as far as their widths leave room.

K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical systems, 1981.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from branchline._drawing._svg import number

__all__ = ["Layers", "curve_through", "lay_out_layers"]

_ROUNDS = 12
_BEND_WIDTH = 18.0


@dataclass(frozen=True)
class Layers:
    """Places of nodes and bends: nodes come first, then bends.

    Parameters
    ----------
    layer
        The layer of each node and bend.
    x
        The middle of each node and bend.
    lines
        For each line its (node, branch, child) and the bends that it passes.
    """

    layer: list[int]
    x: list[float]
    lines: list[tuple[int, int, int, list[int]]]


def lay_out_layers(
    layer_of_node: Sequence[int],
    branches: Iterable[tuple[int, int, int]],
    widths: Sequence[float],
    gap: float,
) -> Layers:
    """Return where nodes stand.

    Parameters
    ----------
    layer_of_node
        The layer of each node.
    branches
        The lines as (node, number of the branch, child); children stand in lower layers.
    widths, gap
        The width of each node, and the room between two.
    """
    layer, lines = _with_bends(layer_of_node, branches)
    above: list[list[int]] = [[] for _ in layer]
    below: list[list[int]] = [[] for _ in layer]
    for node, _, child, bends in lines:
        for one, other in zip([node, *bends], [*bends, child], strict=True):
            below[one].append(other)
            above[other].append(one)
    rows = _ordered(layer, above, below)
    room = [*widths] + [_BEND_WIDTH] * (len(layer) - len(widths))
    return Layers(layer, _places(rows, above, below, room, gap), lines)


def curve_through(points: Sequence[tuple[float, float]]) -> str:
    """Return a line through points that leaves and enters each of them vertically."""
    x, y = points[0]
    steps = [f"M{number(x)} {number(y)}"]
    for end_x, end_y in points[1:]:
        middle = (y + end_y) / 2
        if end_x == x:
            steps.append(f"V{number(end_y)}")
        else:
            bends = f"{number(x)} {number(middle)} {number(end_x)} {number(middle)}"
            steps.append(f"C{bends} {number(end_x)} {number(end_y)}")
        x, y = end_x, end_y
    return "".join(steps)


def _with_bends(
    layer_of_node: Sequence[int], branches: Iterable[tuple[int, int, int]]
) -> tuple[list[int], list[tuple[int, int, int, list[int]]]]:
    """Return the layer of each node and bend, and the lines with their bends."""
    layer, lines = list(layer_of_node), []
    for node, branch, child in branches:
        bends = list(range(len(layer), len(layer) + layer[child] - layer[node] - 1))
        layer.extend(range(layer[node] + 1, layer[child]))
        lines.append((node, branch, child, bends))
    return layer, lines


def _ordered(layer: list[int], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Return the nodes and bends of each layer in an order of few crossings."""
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    seen: set[int] = set()
    waiting = [node for node in reversed(range(len(layer))) if not above[node]]
    while waiting:  # branches from left to right
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        rows[layer[node]].append(node)
        waiting.extend(reversed(below[node]))
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for turn in range(_ROUNDS):
        neighbors = above if turn % 2 == 0 else below
        order = rows if turn % 2 == 0 else rows[::-1]
        for before, row in itertools.pairwise(order):
            place = {node: at for at, node in enumerate(before)}
            stands = {node: at for at, node in enumerate(row)}
            wanted = {
                node: _mean([place[each] for each in neighbors[node]], stands[node]) for node in row
            }
            row.sort(key=wanted.__getitem__)
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _mean(places: list[int], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _crossings(rows: list[list[int]], below: list[list[int]]) -> int:
    """Return how many pairs of lines between neighboring layers cross."""
    total = 0
    for row, after in itertools.pairwise(rows):
        place = {node: at for at, node in enumerate(after)}
        ends = [sorted(place[each] for each in below[node]) for node in row]
        flat = np.array([end for each in ends for end in each], dtype=np.int64)
        start = np.repeat(np.arange(len(row)), [len(each) for each in ends])
        later = (start[:, None] < start[None, :]) & (flat[:, None] > flat[None, :])
        total += int(later.sum())
    return total


def _places(
    rows: list[list[int]],
    above: list[list[int]],
    below: list[list[int]],
    room: list[float],
    gap: float,
) -> list[float]:
    """Return the middle of each node and bend."""
    x = [0.0] * len(room)
    for row in rows:
        left = 0.0
        for node in row:
            x[node] = left + room[node] / 2
            left += room[node] + gap
    for turn in range(_ROUNDS):
        down = turn % 2 == 0
        neighbors = above if down else below
        for row in rows if down else rows[::-1]:
            wanted = [
                sum(x[each] for each in neighbors[node]) / len(neighbors[node])
                if neighbors[node]
                else x[node]
                for node in row
            ]
            for node, at in zip(row, _spaced(row, wanted, room, gap), strict=True):
                x[node] = at
    left = min(at - width / 2 for at, width in zip(x, room, strict=True))
    return [at - left for at in x]


def _spaced(row: list[int], wanted: list[float], room: list[float], gap: float) -> list[float]:
    """Return places near the wanted ones, in order and with room between them (least squares)."""
    offset, until = [], 0.0
    for at, node in enumerate(row):
        if at:
            until += (room[row[at - 1]] + room[node]) / 2 + gap
        offset.append(until)
    blocks: list[tuple[float, int]] = []  # mean of wanted less offset, and how many
    for want, shift in zip(wanted, offset, strict=True):
        mean, n = want - shift, 1
        while blocks and blocks[-1][0] >= mean:
            before, k = blocks.pop()
            mean, n = (mean * n + before * k) / (n + k), n + k
        blocks.append((mean, n))
    flat = [mean for mean, n in blocks for _ in range(n)]
    return [mean + shift for mean, shift in zip(flat, offset, strict=True)]
