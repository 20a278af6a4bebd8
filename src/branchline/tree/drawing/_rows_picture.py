"""A large tree from left to right: one line for each leaf, one bar for each node.

1. Leaves get lines in order; an inner node stands in the middle of its first and last child.
2. A node's bar is as thick as its rows are many. Above it stands the answer that leads to it,
   below it the column it asks about; a leaf's prediction follows its bar.
3. A node keeps to the lines of its own leaves, at least two for an inner node, so nothing overlaps.
   Words that do not fit in a column are shortened; hints have them whole.
"""

from dataclasses import dataclass
from itertools import accumulate, chain
from math import ceil

from branchline._drawing import list_lines, missing_mark, shorten, text, text_pair, text_width
from branchline._plain_numbers import count
from branchline.tree.drawing._node_charts import NodeCharts
from branchline.tree.drawing._node_words import Answer, NodeWords
from branchline.tree.drawing._picture import Link, Picture, link_groups, node_group, thickness
from branchline.tree.drawing._shown_nodes import ShownNode, ShownTree
from branchline.tree.drawing._tidy_layout import Box

__all__ = ["rows_picture"]

_SIZE, _LARGE = 10.0, 11.0
_LINE = 22.0
_ABOVE, _BELOW, _BELOW_INNER = 15.0, 7.0, 16.0  # what a node needs over and under its bar's middle
_TURN, _WIDE_TURN, _MANY_BRANCHES = 22.0, 48.0, 6  # room for links between columns
_SHORTEST_BAR, _NARROWEST, _WIDEST = 56.0, 76.0, 240.0
_THICKEST, _THINNEST_BAR = 8.0, 4.0
_MARK = 10.0  # room for the diamond of missing values
_LONGEST_NAME = 180.0


@dataclass(frozen=True, slots=True)
class _Cell:
    """What a line shows of a node; words are not yet shortened."""

    bar_height: float
    answer: Answer
    question: str = ""
    shares_missing: bool = False
    outcome: tuple[str, str] = ("", "")

    @property
    def width(self) -> float:
        """The width of a column that has room for all words."""
        answer = text_width(", ".join(self.answer.names), _SIZE) + _MARK * self.answer.takes_missing
        question = text_width(self.question, _SIZE, bold=True) + _MARK * self.shares_missing
        return max(answer, question)

    @property
    def outcome_width(self) -> float:
        """The width of what is predicted."""
        strong, weak = self.outcome
        return text_width(strong, _LARGE, bold=True) + text_width(" " + weak, _SIZE) + 8


def rows_picture(tree: ShownTree, words: NodeWords, charts: NodeCharts, width: float) -> Picture:
    """Draw a tree in lines, no wider than ``width`` as long as words can be read."""
    cells = [_cell(tree, words, charts, shown) for shown in tree.nodes]
    column = _column_width(tree, cells, width)
    boxes = _lay_out(tree, cells, column)
    links = [_links(tree, cells, boxes, column, place) for place in range(len(boxes))]
    parts = [link_groups(tree, words, list(chain.from_iterable(links)))]
    for shown, cell, box in zip(tree.nodes, cells, boxes, strict=True):
        marks = _bar(shown, cell, box, column, charts) + _words(shown, cell, box, column)
        parts.append(node_group(tree, words, shown, marks))
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    has_marks = any(cell.shares_missing or cell.answer.takes_missing for cell in cells)
    return Picture("".join(parts), boxes, right, bottom, has_marks)


def _cell(tree: ShownTree, words: NodeWords, charts: NodeCharts, shown: ShownNode) -> _Cell:
    height = max(_THINNEST_BAR, round(thickness(tree, shown, _THICKEST)))
    height = charts.line_height or height
    answer = Answer([], takes_missing=False)
    if shown.is_rest:
        answer = Answer(
            [count(len(shown.branches), "more branch", "more branches")], takes_missing=False
        )
    elif shown.parent >= 0:
        answer = words.answers(tree.nodes[shown.parent].node)[shown.branches[0]]
    if shown.children:
        shares = words.shares_missing(shown.node)
        question = f"{words.column(shown.node)} {words.note(shown)}".rstrip()
        return _Cell(height, answer, question, shares)
    predicted, rows = words.outcome(shown)
    predicted = shorten(predicted, _LONGEST_NAME, _LARGE, bold=True)
    if shown.n_hidden_leaves:
        leaves = count(shown.n_hidden_leaves, "more leaf", "more leaves")
        rows = f"… {leaves}, {predicted} {rows}"
        predicted = ""
    return _Cell(height, answer, outcome=(predicted, rows))


# -- where they stand ---------------------------------------------------------------------------


def _column_width(tree: ShownTree, cells: list[_Cell], width: float) -> float:
    """Return the width that all words need, or what the page leaves, or what can be read."""
    needed = min(max(cell.width for cell in cells), _WIDEST)
    outcomes = max(cell.outcome_width for cell in cells)
    left = (width - outcomes - _lefts(tree, 0)[-1]) / (tree.depth + 1)
    return ceil(max(_SHORTEST_BAR, min(needed, max(left, _NARROWEST))))


def _lefts(tree: ShownTree, column: float) -> list[float]:
    """Return where the column of each depth begins: links that fan out wide need more room."""
    turns = [_TURN] * tree.depth
    for shown in tree.nodes:
        if len(shown.children) > _MANY_BRANCHES:
            turns[shown.depth] = _WIDE_TURN
    return list(accumulate((column + turn for turn in turns), initial=0.0))


def _lay_out(tree: ShownTree, cells: list[_Cell], column: float) -> list[Box]:
    """Return the rectangle that each node keeps to itself."""
    middle = [0.0] * len(cells)
    n_lines, waiting = 0, [0]
    while waiting:
        place = waiting.pop()
        waiting.extend(reversed(tree.nodes[place].children))
        if not tree.nodes[place].children:
            middle[place] = _ABOVE + _LINE * n_lines
            n_lines += 1
    for place in range(len(cells) - 1, -1, -1):
        if children := tree.nodes[place].children:
            middle[place] = round((middle[children[0]] + middle[children[-1]]) / 2)
    lefts = _lefts(tree, column)
    return [
        Box(
            lefts[shown.depth],
            y - _ABOVE,
            column + (0 if shown.children else cell.outcome_width),
            _ABOVE + (_BELOW_INNER if shown.children else _BELOW),
        )
        for shown, cell, y in zip(tree.nodes, cells, middle, strict=True)
    ]


# -- marks --------------------------------------------------------------------------------------


def _links(
    tree: ShownTree, cells: list[_Cell], boxes: list[Box], column: float, place: int
) -> list[Link]:
    """Return the links from a bar's end to its children, one under the other where they leave."""
    shown, box = tree.nodes[place], boxes[place]
    widths = [thickness(tree, tree.nodes[child], _THICKEST) for child in shown.children]
    spread = min(1.0, cells[place].bar_height / sum(widths)) if widths else 0.0
    start = box.y + _ABOVE - spread * sum(widths) / 2
    links = []
    for child, width in zip(shown.children, widths, strict=True):
        begin = (box.x + column, start + spread * width / 2)
        end = (boxes[child].x, boxes[child].y + _ABOVE)
        links.append(Link(child, begin, end, width, is_downward=False))
        start += spread * width
    return links


def _bar(shown: ShownNode, cell: _Cell, box: Box, column: float, charts: NodeCharts) -> str:
    top = box.y + _ABOVE - cell.bar_height / 2
    return charts.chart(shown, box.x, top, column, cell.bar_height)


def _words(shown: ShownNode, cell: _Cell, box: Box, column: float) -> str:
    half = round(cell.bar_height / 2)
    middle = box.y + _ABOVE
    parts = _answer(cell.answer, box.x, middle - half - 3, column)
    if shown.children:
        room = column - _MARK * cell.shares_missing
        question = shorten(cell.question, room, _SIZE, bold=True)
        parts += text(box.x, middle + half + 9, question, "b t")
        if cell.shares_missing:
            end = box.x + text_width(question, _SIZE, bold=True)
            parts += missing_mark(end + 5, middle + half + 6)
    else:
        parts += text_pair(box.x + column + 6, middle + 4, *cell.outcome)
    return parts


def _answer(answer: Answer, x: float, y: float, column: float) -> str:
    if answer.is_missing_only:
        return text(x, y, "missing", "t i w")
    if not answer.names:
        return ""
    room = column - _MARK * answer.takes_missing
    words = list_lines(answer.names, room, _SIZE, 1)[0]
    mark = missing_mark(x + text_width(words, _SIZE) + 5, y - 3.5) if answer.takes_missing else ""
    return text(x, y, words, "t") + mark
