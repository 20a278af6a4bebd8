"""Where boxes stand in a tree that grows downwards (after Reingold and Tilford 1981).

1. From the leaves up: put the subtrees of a node side by side, as close as their outlines allow.
2. A node stands in the middle above its first and last child.
3. From the root down: add up the offsets from parent to child.

Outlines are kept relative to the subtree's root; the code does not recurse.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "middles"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The x of its middle."""
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height


Outline = tuple[list[float], list[float]]  # the least and the largest x at each depth


def middles(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> list[float]:
    """Return the x of each node's middle; the leftmost side of all is at 0.

    Parents must stand before their children.
    """
    offset = [0.0] * len(widths)
    outlines: dict[int, Outline] = {}
    for node in range(len(widths) - 1, -1, -1):
        half = widths[node] / 2
        subtrees = [outlines.pop(child) for child in children[node]]
        lefts, rights, places = _side_by_side(subtrees, gap)
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        for child, place in zip(children[node], places, strict=True):
            offset[child] = place - middle
        outlines[node] = (
            [-half, *(left - middle for left in lefts)],
            [half, *(right - middle for right in rights)],
        )
    x = [-min(outlines[0][0])] * len(widths)
    for node, below in enumerate(children):
        for child in below:
            x[child] = x[node] + offset[child]
    return x


def _side_by_side(
    subtrees: list[Outline], gap: float
) -> tuple[list[float], list[float], list[float]]:
    """Return the outline of subtrees pushed together, and where each one's root stands."""
    lefts: list[float] = []
    rights: list[float] = []
    places: list[float] = []
    for left, right in subtrees:
        shared = zip(rights, left, strict=False)
        place = max((before - after + gap for before, after in shared), default=0.0)
        places.append(place)
        lefts += [edge + place for edge in left[len(lefts) :]]
        rights[: len(right)] = [edge + place for edge in right]
    return lefts, rights, places
