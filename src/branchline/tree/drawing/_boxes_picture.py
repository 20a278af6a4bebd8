"""A small tree as boxes that grow downwards: question, chart and rows in each of them.

1. Write each node's card: the lines above and below its chart, and the answer that leads to it.
2. Lay the cards out; the answer stands between the end of its link and its box, so that lines
   never cross words.
3. Links are as thick as their rows are many and leave a box side by side.
"""

import re
from dataclasses import dataclass
from itertools import accumulate, chain

from branchline._drawing import list_lines, number, path, rect, shorten, text, text_width
from branchline._plain_numbers import count
from branchline.tree.drawing._node_charts import NodeCharts
from branchline.tree.drawing._node_words import Answer, NodeWords
from branchline.tree.drawing._picture import Link, Picture, link_groups, node_group, thickness
from branchline.tree.drawing._shown_nodes import ShownNode, ShownTree
from branchline.tree.drawing._tidy_layout import Box, middles

__all__ = ["Card", "answer_lines", "box_marks", "boxes_picture", "write_cards"]

_LARGE, _SMALL = 12.0, 10.5
_LINE, _SMALL_LINE = 16.0, 14.0
_WIDEST, _NARROWEST, _WIDEST_LIST = 170.0, 56.0, 130.0
_PADDING, _GAP, _DROP = 9.0, 16.0, 36.0
_THICKEST = 16.0
_BAND = 17.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and how it looks."""

    words: str
    look: str
    size: float

    @property
    def width(self) -> float:
        """How many pixels the line takes at most."""
        return text_width(self.words, self.size, bold="b" in self.look.split())


@dataclass(frozen=True, slots=True)
class Card:
    """What stands in a box and above it.

    ``band`` is the width of a soft threshold as a share of the widest one of its column; 0: crisp.
    """

    answer: list[Line]
    above: list[Line]
    below: list[Line]
    chart_height: float
    band: float = 0.0

    @property
    def band_height(self) -> float:
        """The height of the picture of a soft threshold; 0 where there is none."""
        return _BAND if self.band > 0 else 0.0

    @property
    def width(self) -> float:
        """The width of the box."""
        inside = max(line.width for line in [*self.above, *self.below])
        return max(inside, _NARROWEST) + 2 * _PADDING

    @property
    def height(self) -> float:
        """The height of the box."""
        lines = _LINE * len(self.above) + _SMALL_LINE * len(self.below)
        return lines + self.band_height + self.chart_height + 2 * _PADDING

    @property
    def block_width(self) -> float:
        """The width of the box and of the answer above it."""
        return max([self.width, *(line.width for line in self.answer)])

    @property
    def answer_height(self) -> float:
        """The height of the answer above the box."""
        return _SMALL_LINE * len(self.answer)


def boxes_picture(tree: ShownTree, words: NodeWords, charts: NodeCharts) -> Picture:
    """Draw a tree as boxes."""
    cards = write_cards(tree, words, charts)
    boxes = _lay_out(tree, cards)
    links = [_links(tree, boxes, cards, place) for place in range(len(boxes))]
    parts = [link_groups(tree, words, list(chain.from_iterable(links)))]
    for shown, card, box in zip(tree.nodes, cards, boxes, strict=True):
        marks = box_marks(shown, card, box, charts) + _answer_words(card, box)
        parts.append(node_group(tree, words, shown, marks))
    width = max(box.middle + card.block_width / 2 for box, card in zip(boxes, cards, strict=True))
    return Picture("".join(parts), boxes, width, max(box.bottom for box in boxes))


# -- cards --------------------------------------------------------------------------------------


def write_cards(tree: ShownTree, words: NodeWords, charts: NodeCharts) -> list[Card]:
    """Return the card of each shown node."""
    return [_card(tree, words, charts, shown) for shown in tree.nodes]


def _card(tree: ShownTree, words: NodeWords, charts: NodeCharts, shown: ShownNode) -> Card:
    predicted, rows = words.outcome(shown)
    below = [Line(rows, "w s", _SMALL)]
    if shown.children:
        above = _question(words, shown.node)
        below = [Line(words.rows(shown), "w s", _SMALL)]
        if words.shares_missing(shown.node):
            below.append(Line("missing: every branch", "w s i", _SMALL))
        if words.note(shown):
            below.append(Line(shorten(words.note(shown), _WIDEST, _SMALL), "w s i", _SMALL))
    elif shown.n_hidden_leaves:
        above = [Line(f"… {count(shown.n_hidden_leaves, 'more leaf', 'more leaves')}", "", _LARGE)]
        below = [Line(shorten(f"{predicted} {rows}", _WIDEST, _SMALL), "w s", _SMALL)]
    else:
        above = _outcome(predicted)
    band = words.band(shown.node) if shown.children else None
    if band is None:
        return Card(_answer(tree, words, shown), above, below, charts.height)
    below.append(Line(band.words, "w s i", _SMALL))
    return Card(_answer(tree, words, shown), above, below, charts.height, band.share)


def _outcome(predicted: str) -> list[Line]:
    """Return what a leaf predicts; a long sum has a line for each term."""
    whole = Line(predicted, "b", _LARGE)
    return [whole] if whole.width <= _WIDEST else _terms(predicted)


def _question(words: NodeWords, node: int) -> list[Line]:
    """Return column and test on one line; a long sum has a line for each term."""
    column, test = words.column(node), words.test(node)
    whole = Line(f"{column} {test}".rstrip(), "b", _LARGE)
    if whole.width <= _WIDEST:
        return [whole]
    return [*_terms(column), Line(test, "b", _LARGE)] if test else _terms(column)


def _terms(total: str) -> list[Line]:
    """Return the terms of a sum in words, a line for each."""
    terms = re.split(r" (?=[+−] )", total)
    return [Line(shorten(term, _WIDEST, _LARGE, bold=True), "b", _LARGE) for term in terms]


def _answer(tree: ShownTree, words: NodeWords, shown: ShownNode) -> list[Line]:
    if shown.parent < 0:
        return []
    if shown.is_rest:
        return [Line(count(len(shown.branches), "more branch", "more branches"), "w s", _SMALL)]
    answer = words.answers(tree.nodes[shown.parent].node)[shown.branches[0]]
    return answer_lines(answer)


def answer_lines(answer: Answer) -> list[Line]:
    named = list_lines(answer.names, _WIDEST_LIST, _SMALL, 3) if answer.names else []
    lines = [Line(words, "s", _SMALL) for words in named]
    if answer.takes_missing:
        lines.append(Line("or missing" if named else "missing", "w s i", _SMALL))
    return lines


# -- where they stand ---------------------------------------------------------------------------


def _lay_out(tree: ShownTree, cards: list[Card]) -> list[Box]:
    """Return the box of each card: boxes of a depth share their upper side."""
    widths = [card.block_width for card in cards]
    x = middles([shown.children for shown in tree.nodes], widths, _GAP)
    height, answers = [0.0] * (tree.depth + 1), [0.0] * (tree.depth + 1)
    for shown, card in zip(tree.nodes, cards, strict=True):
        height[shown.depth] = max(height[shown.depth], card.height)
        answers[shown.depth] = max(answers[shown.depth], card.answer_height)
    steps = [_DROP + above + answer for above, answer in zip(height, answers[1:], strict=False)]
    tops = list(accumulate(steps, initial=0.0))
    return [
        Box(middle - card.width / 2, tops[shown.depth], card.width, card.height)
        for shown, card, middle in zip(tree.nodes, cards, x, strict=True)
    ]


# -- marks --------------------------------------------------------------------------------------


def _links(tree: ShownTree, boxes: list[Box], cards: list[Card], place: int) -> list[Link]:
    """Return the links from a box to its children, side by side where they leave it."""
    shown, box = tree.nodes[place], boxes[place]
    widths = [thickness(tree, tree.nodes[child], _THICKEST) for child in shown.children]
    start = box.middle - sum(widths) / 2
    links = []
    for child, width in zip(shown.children, widths, strict=True):
        end = boxes[child].y - cards[child].answer_height - 3
        begin = (start + width / 2, box.bottom + 0.5)
        links.append(Link(child, begin, (boxes[child].middle, end), width, is_downward=True))
        start += width
    return links


def _box(shown: ShownNode, card: Card, box: Box, charts: NodeCharts) -> str:
    is_folded = bool(shown.n_hidden_leaves)
    look = "box folded" if is_folded else "box" if shown.children else "box leaf"
    frame = rect(box.x, box.y, box.width, box.height, look, 5)
    chart_y = box.y + _PADDING - 1 + _LINE * len(card.above) + card.band_height
    inside = box.width - 2 * _PADDING
    chart = charts.chart(shown, box.x + _PADDING, chart_y, inside, card.chart_height)
    stripe = ""
    if not shown.children and not is_folded:
        stripe = path(_lid(box), charts.color(shown))
    return frame + stripe + _band(card, box, chart_y - card.band_height) + chart


def _band(card: Card, box: Box, y: float) -> str:
    """Draw the share of rows that take the first branch: 1, falling to 0 across the band."""
    if not card.band:
        return ""
    left, right = box.x + _PADDING, box.x + box.width - _PADDING
    reach = card.band * (right - left) * 0.32
    low, high = number(box.middle - reach), number(box.middle + reach)
    top, bottom = number(y + 2), number(y + _BAND - 5)
    slope = f"M{number(left)} {top}H{low}L{high} {bottom}H{number(right)}"
    area = f"{slope}H{number(left)}z"
    cut = f"M{number(box.middle)} {number(y)}V{number(y + _BAND - 3)}"
    return path(area, "ramp") + path(slope, "axis") + path(cut, "axis gone")


def _lid(box: Box) -> str:
    """Return the outline of a box's upper edge, with its round corners."""
    return (
        f"M{number(box.x)} {number(box.y + 5)}a5 5 0 0 1 5-5h{number(box.width - 10)}"
        f"a5 5 0 0 1 5 5z"
    )


def box_marks(shown: ShownNode, card: Card, box: Box, charts: NodeCharts) -> str:
    """Return a box with its words and its chart."""
    lines, y = [], box.y + _PADDING - 1
    for line in card.above:
        y += _LINE
        lines.append(text(box.x + _PADDING, y - 4.5, line.words, line.look))
    y += card.band_height + card.chart_height
    for line in card.below:
        y += _SMALL_LINE
        lines.append(text(box.x + _PADDING, y - 1, line.words, line.look))
    return _box(shown, card, box, charts) + "".join(lines)


def _answer_words(card: Card, box: Box) -> str:
    """Return the answer above a box."""
    lines, y = [], box.y - card.answer_height + _SMALL_LINE - 5
    for line in card.answer:
        lines.append(text(box.middle, y, line.words, f"{line.look} m".strip()))
        y += _SMALL_LINE
    return "".join(lines)
