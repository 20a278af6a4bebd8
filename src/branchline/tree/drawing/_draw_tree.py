"""A fitted tree as a picture.

1. Choose the nodes that fit on a page (the heavy part of a very large tree).
2. Draw boxes from top to bottom when they fit in the width, else lines from left to right.
3. Put the legend above: colors, marks, and what is not shown.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._drawing import document, number
from branchline._plain_numbers import count, noun
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import AnyOf, OneOf, Real, Whole, check_parameters
from branchline.table import Schema
from branchline.tree.drawing._boxes_picture import boxes_picture
from branchline.tree.drawing._colors import color_styles
from branchline.tree.drawing._drawing import Drawing
from branchline.tree.drawing._legend import Legend, Note, make_legend
from branchline.tree.drawing._node_charts import ClassBars, MeanCharts, charts_for
from branchline.tree.drawing._node_words import NodeWords, weight_words
from branchline.tree.drawing._picture import STYLES, Picture
from branchline.tree.drawing._rows_picture import rows_picture
from branchline.tree.drawing._shown_nodes import ShownTree, choose_nodes

__all__ = ["Notes", "draw_tree", "page"]

_USUAL_WIDTH, _NARROWEST = 1100.0, 320.0
_MARGIN, _LEGEND_GAP = 12.0, 16.0
_MOST_BOXES, _DEEPEST_BOXES = 60, 9


@dataclass(frozen=True)
class Notes:
    """What a drawing says beside the tree.

    Parameters
    ----------
    of_nodes
        A few words for some inner nodes, by their numbers.
    legend
        What these words mean: further parts of the legend.
    """

    of_nodes: Mapping[int, str] = field(default_factory=dict)
    legend: tuple[str, ...] = ()


def draw_tree(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    *,
    decision: npt.NDArray[np.int64] | None = None,
    highlight: Collection[int] | None = None,
    max_depth: int | None = None,
    width: float | None = None,
    notes: Notes | None = None,
) -> Drawing:
    """Draw a fitted tree.

    Parameters
    ----------
    tree, schema, classes
        The fitted tree, its columns, and its classes (None for a regression tree).
    decision
        The class each node decides for, as a place in ``classes``; None: the most frequent one.
    highlight
        Nodes of a path to bring out; the others are subdued.
    max_depth
        Maximum depth to show. None: as much as a page holds, heavy branches first.
    width
        The width of the page in pixels that decides between boxes and lines, 1100 if not given.
        A drawing of lines is wider when its words could not be read otherwise.
    notes
        A few words for some inner nodes, and what they mean.
    """
    notes = notes or Notes()
    path = _check(tree, highlight, max_depth, width)
    shown = choose_nodes(tree, max_depth, path)
    words = NodeWords(tree, schema, classes, decision, notes.of_nodes)
    charts = charts_for(shown, words)
    across = _USUAL_WIDTH if width is None else float(width)
    picture = _picture(shown, words, charts, across - 2 * _MARGIN)
    about = [*_notes(tree, shown, words, picture), *map(Note, notes.legend)]
    legend = make_legend(charts, words, about, max(picture.width, _NARROWEST))
    styles = STYLES + color_styles(is_classification=isinstance(charts, ClassBars))
    caption = f"tree of {count(tree.n_leaves, 'leaf')}"
    return Drawing(page(legend, picture, styles, caption), caption)


def _check(tree: TreeArrays, highlight: Any, max_depth: Any, width: Any) -> frozenset[int]:
    """Refuse settings that cannot be meant; return the nodes to highlight."""
    none = OneOf((None,))
    check_parameters(
        "draw",  # the method by which a user comes here
        {"max_depth": max_depth, "width": width},
        {"max_depth": AnyOf((none, Whole(0))), "width": AnyOf((none, Real(100, 100_000)))},
    )
    nodes = [] if highlight is None else list(highlight)
    node = Whole(0, tree.n_nodes - 1)
    for given in nodes:
        check_parameters("draw_tree", {"highlight": given}, {"highlight": node})
    return frozenset(map(int, nodes))


def _picture(
    shown: ShownTree, words: NodeWords, charts: ClassBars | MeanCharts, width: float
) -> Picture:
    """Draw boxes when they fit in the width, else lines."""
    if len(shown.nodes) <= _MOST_BOXES and shown.depth <= _DEEPEST_BOXES:
        picture = boxes_picture(shown, words, charts)
        if picture.width <= width:
            return picture
    return rows_picture(shown, words, charts, width)


def _notes(tree: TreeArrays, shown: ShownTree, words: NodeWords, picture: Picture) -> list[Note]:
    """Return what a reader should know besides the colors."""
    weight = float(tree.weight[0])
    size = f"{count(tree.n_leaves, 'leaf')}, {weight_words(weight)} {noun(weight, 'row')}"
    notes = [Note(size)]
    if len(shown.nodes) > 1:
        notes.append(Note("line width: share of the rows"))
    if words.all_share_missing:
        notes.append(Note("missing values take every branch, by its share"))
    if any(words.band(node.node) is not None for node in shown.nodes if node.children):
        notes.append(Note("slope: share of the rows that take the first branch"))
    if any(tree.meaning(node.node) for node in shown.nodes if node.children):
        notes.append(Note("to_text() lists the centers"))
    if picture.has_marks:
        notes.append(Note("where missing values go", ("mark",)))
    if shown.n_hidden_leaves:
        notes.append(Note(f"{count(shown.n_hidden_leaves, 'leaf')} not shown"))
    return notes


def page(legend: Legend, picture: Picture, styles: list[str], caption: str) -> str:
    """Return the legend with the picture under it."""
    across = max(picture.width, legend.width)
    left, top = (across - picture.width) / 2, legend.height + _LEGEND_GAP
    body = _moved(legend.body, 0, 0) + _moved(picture.body, left, top)
    width, height = across + 2 * _MARGIN, top + picture.height + 2 * _MARGIN
    return document(body, width, height, styles, caption)


def _moved(body: str, x: float, y: float) -> str:
    place = f"{number(_MARGIN + x)} {number(_MARGIN + y)}"
    return f'<g transform="translate({place})">{body}</g>'
