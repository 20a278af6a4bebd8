"""What both kinds of picture share: the picture itself, groups with hints, links."""

from dataclasses import dataclass

from branchline._drawing import number, path, title
from branchline.tree.drawing._node_words import NodeWords
from branchline.tree.drawing._shown_nodes import ShownNode, ShownTree
from branchline.tree.drawing._tidy_layout import Box

__all__ = ["STYLES", "Link", "Picture", "link_groups", "node_group", "thickness"]

STYLES = [
    "text{fill:currentColor;font-size:12px}",
    ".s{font-size:10.5px}",
    ".t{font-size:10px}",
    ".o{font-size:10px;fill-opacity:.7}",
    ".o tspan{font-size:11px;font-weight:600;fill-opacity:1}",
    ".b{font-weight:600}",
    ".i{font-style:italic}",
    ".m{text-anchor:middle}",
    ".w{fill-opacity:.7}",
    ".box{fill:currentColor;fill-opacity:.035;stroke:currentColor;stroke-opacity:.4}",
    ".leaf{fill-opacity:.07;stroke-opacity:.15}",
    ".folded{stroke-dasharray:3 3}",
    ".links{fill:none;stroke:currentColor;stroke-width:1.2;opacity:.22}",
    ".faint{opacity:.11}",
    ".strong{opacity:.75}",
    ".gone{stroke-dasharray:4 3}",
    ".axis{fill:none;stroke:currentColor;stroke-opacity:.4}",
    ".sd{fill-opacity:.5}",
    ".ramp{fill:currentColor;fill-opacity:.14}",
    ".mark{fill:none;stroke:currentColor}",
    ".off{opacity:.4}",
    ".on .box{stroke-opacity:1;stroke-width:2}",
]

_THINNEST = 1.2
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """The line from a parent to the node at ``place``."""

    place: int
    begin: Point
    end: Point
    width: float
    is_downward: bool


@dataclass(frozen=True)
class Picture:
    """The marks of a tree, and the rectangle that each shown node keeps to itself."""

    body: str
    boxes: list[Box]
    width: float
    height: float
    has_marks: bool = False


def thickness(tree: ShownTree, shown: ShownNode, thickest: float) -> float:
    """Return the width of a line that stands for a node's rows."""
    return max(_THINNEST, thickest * shown.weight / tree.nodes[0].weight)


def node_group(tree: ShownTree, words: NodeWords, shown: ShownNode, marks: str) -> str:
    """Return the marks of a node with its hint; subdued when another path is highlighted."""
    parent = tree.nodes[shown.parent] if shown.parent >= 0 else None
    look = "" if not tree.has_path else ' class="on"' if shown.is_lit else ' class="off"'
    return f"<g{look}>{title(words.hint(shown, parent))}{marks}</g>"


def link_groups(tree: ShownTree, words: NodeWords, links: list[Link]) -> str:
    """Return all links; those of a highlighted path last and strong, the others faint."""
    looks = ["links faint", "links strong"] if tree.has_path else ["links"]
    groups = []
    for look in looks:
        among = [
            line for line in links if tree.nodes[line.place].is_lit == (look == "links strong")
        ]
        paths = "".join(_link_path(tree, words, line) for line in among)
        groups.append(f'<g class="{look}">{paths}</g>')
    return "".join(groups)


def _link_path(tree: ShownTree, words: NodeWords, line: Link) -> str:
    shown = tree.nodes[line.place]
    (x, y), (end_x, end_y) = line.begin, line.end
    bends = [(x, (y + end_y) / 2), (end_x, (y + end_y) / 2)]
    if not line.is_downward:
        bends = [((x + end_x) / 2, y), ((x + end_x) / 2, end_y)]
    points = " ".join(f"{number(across)} {number(down)}" for across, down in [*bends, line.end])
    steps = f"M{number(x)} {number(y)}C{points}"
    is_gone = False
    if not shown.is_rest:
        is_gone = words.answers(tree.nodes[shown.parent].node)[shown.branches[0]].is_missing_only
    return path(steps, "gone" if is_gone else "", None if line.width == _THINNEST else line.width)
