"""A dendrogram: which clusters are joined at which height."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import count
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Rule, Segments

__all__ = ["draw_dendrogram", "leaves_of", "tree_lines"]

_MOST_LEAVES = 40
_MOST_COLORS = 8


def draw_dendrogram(
    merges: Any, *, labels: Sequence[Any] | None = None, n_clusters: int = 1
) -> Chart:
    """Draw a tree of clusters; the height of a line is the distance of what it joins.

    Parameters
    ----------
    merges
        The tree in SciPy's form: two clusters, the height and the number of rows of each merge.
    labels
        A name for each row; default: the number of the row.
    n_clusters
        The number of clusters that are colored, below the line where the tree is cut.
    """
    tree = np.asarray(merges, dtype=np.float64).reshape(-1, 4)
    n_rows = len(tree) + 1
    n_shown = min(n_rows, max(_MOST_LEAVES, min(n_clusters, n_rows)))
    n_folded = n_rows - n_shown  # the lowest merges are not drawn
    order, names = leaves_of(tree, n_folded, labels)
    color = _colors(tree, n_clusters)
    lines: dict[Any, list[tuple[float, float, float, float]]] = {}
    for cluster, x, y, x_to, y_to in tree_lines(tree, n_folded, order):
        lines.setdefault(color.get(cluster, "ink"), []).append((x, y, x_to, y_to))
    marks: list[Any] = [_segments(parts, key) for key, parts in sorted(lines.items(), key=str)]
    if 1 < n_clusters < n_rows:
        low, high = tree[n_rows - n_clusters - 1, 2], tree[n_rows - n_clusters, 2]
        marks.append(Rule(float(low + high) / 2, "y", f"cut: {n_clusters} clusters"))
    note = (
        f"The {count(n_folded, 'lowest merge')} of {count(n_rows, 'row')} are not drawn; "
        "(n) counts the rows that a name stands for."
        if n_folded
        else ""
    )
    return Chart(
        tuple(marks),
        Axis(categories=tuple(names)),
        Axis("distance", zero=True),
        "Clusters joined by distance",
        note,
    )


def _segments(parts: list[tuple[float, float, float, float]], key: Any) -> Segments:
    x, y, x_to, y_to = np.array(parts).T
    name = f"cluster {key}" if key != "ink" else ""
    return Segments(x, y, x_to, y_to, name, key)


def tree_lines(
    tree: Any, n_folded: int, order: Sequence[int]
) -> list[tuple[int, float, float, float, float]]:
    """Return the lines of a tree: the cluster that each belongs to, and x, y, x and y of its ends.

    The lowest ``n_folded`` merges are left out; ``order`` holds the leaves from left to right.
    """
    n_rows = len(tree) + 1
    place = {cluster: float(at) for at, cluster in enumerate(order)}
    lines = []
    for at in range(n_folded, len(tree)):
        one, other, top = int(tree[at, 0]), int(tree[at, 1]), float(tree[at, 2])
        for child in (one, other):
            low = float(tree[child - n_rows, 2]) if child >= n_rows + n_folded else 0.0
            lines.append((child, place[child], low, place[child], top))
        lines.append((n_rows + at, place[one], top, place[other], top))
        place[n_rows + at] = (place[one] + place[other]) / 2
    return lines


def leaves_of(
    tree: Any, n_folded: int, labels: Sequence[Any] | None
) -> tuple[list[int], list[str]]:
    """Return the clusters at the bottom from left to right, and their names."""
    n_rows = len(tree) + 1
    order: list[int] = []
    waiting = [2 * n_rows - 2]
    while waiting:  # no recursion: trees can be as deep as they have rows
        cluster = waiting.pop()
        if cluster < n_rows + n_folded:
            order.append(cluster)
        else:
            waiting += [int(tree[cluster - n_rows, 1]), int(tree[cluster - n_rows, 0])]
    names = []
    for cluster in order:
        first = cluster
        while first >= n_rows:
            first = int(tree[first - n_rows, 0])
        said = str(first if labels is None else labels[first])
        rows = int(tree[cluster - n_rows, 3]) if cluster >= n_rows else 1
        names.append(said if rows == 1 else f"({rows})" if labels is None else f"{said} ({rows})")
    return order, names


def _colors(tree: Any, n_clusters: int) -> dict[int, int]:
    """Return the color of each cluster below the cut; the largest has the first color."""
    n_rows = len(tree) + 1
    if not 1 < n_clusters <= _MOST_COLORS:
        return {}
    cut = n_rows - n_clusters
    made = range(2 * n_rows - 2, n_rows + cut - 1, -1)
    tops = {int(child) for at in made for child in tree[at - n_rows, :2] if child < n_rows + cut}
    size = {top: tree[top - n_rows, 3] if top >= n_rows else 1 for top in tops}
    color = {top: at for at, top in enumerate(sorted(tops, key=lambda t: (-size[t], t)))}
    for at in range(cut - 1, -1, -1):
        if n_rows + at in color:
            for child in tree[at, :2]:
                color[int(child)] = color[n_rows + at]
    return color
