"""A tree so small that only its shape and its colors show.

1. The width belongs to the rows: a node is as wide as its rows are many, siblings side by side.
2. A node that is too narrow, or deeper than the picture has lines, stands for all below it;
   branches too many to be seen stand together.
3. What ends is a block in the color of its prediction; the rest are links from middle to middle.

Only shown nodes are visited, so a tree of any size takes about as long.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._drawing import document, number, path, rect
from branchline._plain_numbers import count
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.drawing._colors import MEAN_COLORS, color_styles, colored_classes

__all__ = ["miniature"]

_MARGIN, _BLOCK = 3.0, 7.0
_NARROWEST, _MOST_LINES, _LOWEST_LINE = 4.0, 10, 26.0
_STYLES = [".links{fill:none;stroke:currentColor;opacity:.4}"]


@dataclass(frozen=True, slots=True)
class _Part:
    """A node and the stretch of the picture that belongs to its rows."""

    node: int
    parent: int
    depth: int
    left: float
    width: float
    is_end: bool

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def miniature(
    tree: TreeArrays,
    classes: npt.NDArray[np.generic] | None,
    *,
    decision: npt.NDArray[np.int64] | None = None,
    width: float = 240,
    height: float = 120,
) -> str:
    """Return a small SVG of a tree's shape, with the colors of what its leaves predict.

    Parameters
    ----------
    tree, classes
        The fitted tree and its classes (None for a regression tree).
    decision
        The class each node decides for, as a place in ``classes``; None: the most frequent one.
    width, height
        The size of the picture in pixels.
    """
    parts = _parts(tree, width - 2 * _MARGIN)
    depth = max(part.depth for part in parts)
    step = min((height - 2 * _MARGIN - _BLOCK) / max(depth, 1), _LOWEST_LINE)
    lines = "".join(_link(parts[part.parent], part, step) for part in parts[1:])
    ends = [part for part in parts if part.is_end]
    blocks = "".join(
        rect(part.left + 0.5, part.depth * step, max(part.width - 1, 1), _BLOCK, color, 1.5)
        for part, color in zip(ends, _colors(tree, ends, decision), strict=True)
    )
    body = (
        f'<g transform="translate({number(_MARGIN)} {number(_MARGIN)})">'
        f'<g class="links">{lines}</g>{blocks}</g>'
    )
    styles = _STYLES + color_styles(is_classification=classes is not None)
    tall = depth * step + _BLOCK + 2 * _MARGIN
    caption = f"tree of {count(tree.n_leaves, 'leaf')}"
    return document(body, width, tall, styles, caption)


def _parts(tree: TreeArrays, width: float) -> list[_Part]:
    """Return the parts of the picture, parents before children."""
    parts = [_Part(0, -1, 0, 0.0, width, bool(tree.is_leaf[0]))]
    for place, part in enumerate(parts):  # which grows meanwhile
        if part.is_end:
            continue
        left = part.left
        for child, is_whole, across in _children(tree, part):
            ends = tree.is_leaf[child] or not is_whole or across < 2 * _NARROWEST
            is_end = bool(ends) or part.depth + 1 == _MOST_LINES
            parts.append(_Part(child, place, part.depth + 1, left, across, is_end))
            left += across
    return parts


def _children(tree: TreeArrays, part: _Part) -> Iterator[tuple[int, bool, float]]:
    """Yield each child, whether it stands for itself alone, and how wide it is."""
    first, n_children = int(tree.first_child[part.node]), int(tree.n_children[part.node])
    weight = tree.weight[first : first + n_children]
    n_groups = min(n_children, int(part.width / _NARROWEST))
    begin = np.arange(n_groups) * n_children // n_groups
    together = np.add.reduceat(weight, begin)
    # Every part keeps a few pixels; what is left over goes by rows.
    spare = part.width - n_groups * _NARROWEST
    across = _NARROWEST + spare * together / together.sum()
    for group, start in enumerate(begin.tolist()):
        end = n_children if group + 1 == n_groups else int(begin[group + 1])
        heaviest = start + int(np.argmax(weight[start:end]))
        yield first + heaviest, end - start == 1, float(across[group])


def _link(parent: _Part, part: _Part, step: float) -> str:
    x, y = parent.middle, parent.depth * step
    bend = f"C{number(x)} {number(y + step / 2)} {number(part.middle)} {number(y + step / 2)}"
    return path(f"M{number(x)} {number(y)}{bend} {number(part.middle)} {number(y + step)}", "")


def _colors(
    tree: TreeArrays, ends: list[_Part], decision: npt.NDArray[np.int64] | None
) -> list[str]:
    """Return the style of what each end predicts."""
    nodes = np.array([part.node for part in ends])
    if tree.is_classification:
        decided = tree.content[nodes].argmax(axis=1) if decision is None else decision[nodes]
        color_of = colored_classes(tree.content[0].astype(np.float64))
        return [f"c{color_of.get(place, 'x')}" for place in decided.tolist()]
    means = tree.content[nodes, 1] / tree.content[nodes, 0]
    low, high = means.min(), means.max()
    position = (means - low) / (high - low) if high > low else np.full(len(means), 0.5)
    steps = np.minimum((position * len(MEAN_COLORS)).astype(int), len(MEAN_COLORS) - 1)
    return [f"c{place}" for place in steps.tolist()]
