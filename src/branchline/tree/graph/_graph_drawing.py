"""A graph as a picture: boxes in layers, lines that lead down and meet in merged nodes.

1. A box has the question (or what a leaf predicts), the small chart of a tree's drawing, and rows.
2. The answers stand right under the box, one for each branch; a line begins at each.
3. Lines are as thick as their rows are many. They bend around the boxes that they pass
   (``_drawing/_layers``) and end side by side on the box that they lead to. Boxes of merged nodes
   have a thick frame.
"""

from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._drawing import Layers, curve_through, lay_out_layers, path, text, title
from branchline._plain_numbers import count, noun
from branchline.table import Schema
from branchline.tree.drawing._boxes_picture import Card, answer_lines, box_marks, write_cards
from branchline.tree.drawing._colors import color_styles
from branchline.tree.drawing._draw_tree import page
from branchline.tree.drawing._drawing import Drawing
from branchline.tree.drawing._legend import Note, make_legend
from branchline.tree.drawing._node_charts import ClassBars, charts_for
from branchline.tree.drawing._node_words import NodeWords, weight_words
from branchline.tree.drawing._picture import STYLES, Picture
from branchline.tree.drawing._shown_nodes import ShownNode, ShownTree
from branchline.tree.drawing._tidy_layout import Box
from branchline.tree.graph._graph_arrays import GraphArrays

__all__ = ["draw_graph"]

_GAP, _DROP, _THINNEST, _THICKEST = 22.0, 46.0, 1.2, 14.0
_SMALL_LINE, _ANSWER_GAP = 14.0, 10.0


def draw_graph(
    graph: GraphArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    *,
    highlight: set[int] | None = None,
) -> Drawing:
    """Draw a fitted graph; ``highlight`` are the nodes of a path to bring out."""
    shown = _shown(graph, highlight or set())
    words = NodeWords(graph.nodes, schema, classes, None, _merge_notes(graph))
    charts = charts_for(shown, words)
    picture = _GraphPicture(graph, shown, words, write_cards(shown, words, charts), charts).draw()
    weight = float(graph.nodes.weight[0])
    size = f"{count(graph.n_leaves, 'leaf')}, {count(graph.n_tests, 'test')}"
    notes = [Note(f"{size}, {weight_words(weight)} {noun(weight, 'row')}")]
    if graph.n_nodes > 1:
        notes.append(Note("line width: share of the rows"))
        notes.append(Note("thick frame: several branches lead there"))
    legend = make_legend(charts, words, notes, max(picture.width, 320.0))
    styles = [*STYLES, ".merged{stroke-width:2;stroke-opacity:.8}"]
    styles += color_styles(is_classification=isinstance(charts, ClassBars))
    caption = f"graph of {count(graph.n_leaves, 'leaf')}"
    return Drawing(page(legend, picture, styles, caption), caption)


def _merge_notes(graph: GraphArrays) -> dict[int, str]:
    return {
        node: f"{len(parents)} branches meet"
        for node, parents in enumerate(graph.parents)
        if len(parents) > 1
    }


def _shown(graph: GraphArrays, path: set[int]) -> ShownTree:
    nodes = graph.nodes
    deviation = np.sqrt(nodes.variance)
    shown = []
    for node in range(graph.n_nodes):
        parent, branch = graph.parents[node][0] if node else (-1, 0)
        each = ShownNode(
            (node,),
            parent,
            (branch,),
            int(graph.depth[node]),
            float(nodes.weight[node]),
            nodes.value[node],
            deviation[node],
            node in path,
            graph.children_of(node),
        )
        shown.append(each)
    return ShownTree(shown, has_path=bool(path))


def _layers(graph: GraphArrays, widths: list[float]) -> Layers:
    """Put tests in the layer of their depth (the tests on the longest way), leaves in the last."""
    deepest = int(graph.depth.max())
    layer = [
        deepest if graph.nodes.is_leaf[node] else int(graph.depth[node])
        for node in range(graph.n_nodes)
    ]
    branches = [
        (node, branch, child)
        for node in range(graph.n_nodes)
        for branch, child in enumerate(graph.children_of(node))
    ]
    return lay_out_layers(layer, branches, widths, _GAP)


class _GraphPicture:
    """Lays boxes out and draws them."""

    def __init__(
        self, graph: GraphArrays, shown: ShownTree, words: NodeWords, cards: list[Card], charts: Any
    ) -> None:
        self._graph, self._shown, self._words = graph, shown, words
        self._cards, self._charts = cards, charts
        self._answers = [
            [answer_lines(answer) for answer in words.answers(node.node)] if node.children else []
            for node in shown.nodes
        ]
        widths = [self._block_width(node) for node in range(len(cards))]
        self._layers = _layers(graph, widths)
        self._boxes = self._place_boxes()
        self._exits = self._find_exits()

    def draw(self) -> Picture:
        """Return the picture."""
        parts = [self._lines()]
        for node, (card, box) in enumerate(zip(self._cards, self._boxes, strict=True)):
            parts.append(self._node(node, card, box))
        right = max(
            x + (self._block_width(at) / 2 if at < len(self._cards) else 9)
            for at, x in enumerate(self._layers.x)
        )
        return Picture("".join(parts), self._boxes, right, max(box.bottom for box in self._boxes))

    # -- where they stand -----------------------------------------------------------------------

    def _block_width(self, node: int) -> float:
        """Return the width of a box, or of the answers under it."""
        widths = [max((line.width for line in each), default=0.0) for each in self._answers[node]]
        return max(self._cards[node].width, 2 * max(widths, default=0.0) + _ANSWER_GAP)

    def _strip(self, node: int) -> float:
        """Return the height of the answers under a box."""
        return _SMALL_LINE * max((len(each) for each in self._answers[node]), default=0)

    def _place_boxes(self) -> list[Box]:
        n_layers = max(self._layers.layer) + 1
        height = [0.0] * n_layers
        for node, card in enumerate(self._cards):
            at = self._layers.layer[node]
            height[at] = max(height[at], card.height + self._strip(node))
        tops = list(accumulate((each + _DROP for each in height), initial=0.0))
        self._tops = tops
        self._bottoms = [top + each for top, each in zip(tops, height, strict=False)]
        return [
            Box(
                self._layers.x[node] - card.width / 2,
                tops[self._layers.layer[node]],
                card.width,
                card.height,
            )
            for node, card in enumerate(self._cards)
        ]

    def _find_exits(self) -> dict[tuple[int, int], float]:
        """Return where the line of each branch begins: on the side to which it leads."""
        exits = {}
        first_stop = {
            (node, branch): self._layers.x[(bends or [child])[0]]
            for node, branch, child, bends in self._layers.lines
        }
        for node in range(len(self._cards)):
            if not self._answers[node]:
                continue
            middle = self._boxes[node].middle
            widths = [max(line.width for line in each) for each in self._answers[node]]
            is_turned = first_stop[node, 0] > first_stop[node, 1]
            left, right = (1, 0) if is_turned else (0, 1)
            room = max(self._cards[node].width / 2, sum(widths) + _ANSWER_GAP) / 2
            exits[node, left] = middle - max(room / 2, _ANSWER_GAP / 2 + widths[left] / 2)
            exits[node, right] = middle + max(room / 2, _ANSWER_GAP / 2 + widths[right] / 2)
        return exits

    # -- marks ----------------------------------------------------------------------------------

    def _lines(self) -> str:
        weight = self._graph.nodes.weight[0]
        entries = self._entries()
        lit: list[str] = []
        others: list[str] = []
        for node, branch, child, bends in self._layers.lines:
            content = self._graph.branch_content(node, branch)
            units = content.sum() if self._words.classes is not None else content[0]
            share = float(units) * self._graph.nodes.scale.unit / weight
            width = max(_THINNEST, _THICKEST * share)
            begin = self._boxes[node].bottom + self._strip(node) + 2
            points = [(self._exits[node, branch], begin)]
            for bend in bends:
                at = self._layers.layer[bend]
                points += [
                    (self._layers.x[bend], self._tops[at]),
                    (self._layers.x[bend], self._bottoms[at]),
                ]
            points.append((entries[node, branch], self._boxes[child].y - 1))
            nodes = self._shown.nodes
            is_lit = self._shown.has_path and nodes[node].is_lit and nodes[child].is_lit
            (lit if is_lit else others).append(path(curve_through(points), "", width))
        look = "links faint" if self._shown.has_path else "links"
        strong = f'<g class="links strong">{"".join(lit)}</g>' if lit else ""
        return f'<g class="{look}">{"".join(others)}</g>{strong}'

    def _entries(self) -> dict[tuple[int, int], float]:
        """Return where each line ends on the box that it leads to: side by side, from the left."""
        arriving: dict[int, list[tuple[float, int, int]]] = {}
        for node, branch, child, bends in self._layers.lines:
            start = self._layers.x[bends[-1]] if bends else self._exits[node, branch]
            arriving.setdefault(child, []).append((start, node, branch))
        entries = {}
        for child, ends in arriving.items():
            box = self._boxes[child]
            step = (box.width - 12) / (len(ends) + 1)
            for at, (_, node, branch) in enumerate(sorted(ends), start=1):
                entries[node, branch] = box.x + 6 + step * at
        return entries

    def _node(self, node: int, card: Card, box: Box) -> str:
        shown = self._shown.nodes[node]
        n_ways = len(self._graph.parents[node])
        marks = box_marks(shown, card, box, self._charts)
        if n_ways > 1:
            marks = marks.replace('class="box', 'class="merged box', 1)
        for branch, lines in enumerate(self._answers[node]):
            y = box.bottom + 3
            for line in lines:
                y += _SMALL_LINE
                marks += text(self._exits[node, branch], y - 4, line.words, f"{line.look} m")
        look = "" if not self._shown.has_path else ' class="on"' if shown.is_lit else ' class="off"'
        hint = self._words.hint(shown, None)
        if n_ways > 1:
            hint.append(f"{n_ways} branches lead here")
        return f"<g{look}>{title(hint)}{marks}</g>"
