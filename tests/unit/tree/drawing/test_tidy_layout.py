"""Where things stand in a drawing: nothing overlaps, whatever the shape of the tree."""

from itertools import combinations

import numpy as np
import pytest

from branchline.tree.drawing._boxes_picture import boxes_picture, write_cards
from branchline.tree.drawing._node_charts import ClassBars, MeanCharts, charts_for
from branchline.tree.drawing._node_words import NodeWords
from branchline.tree.drawing._rows_picture import rows_picture
from branchline.tree.drawing._shown_nodes import choose_nodes
from branchline.tree.drawing._tidy_layout import Box, middles
from drawn_trees import Test, build, chain, random_tree, schema

LONG = schema("x", "y", "a name of middling length", "a very long name of a column " * 4)
CLASSES = np.array(["no", "perhaps", "an answer that nobody expected to be so long"])


def bushy(n_branches, n_below):
    rng = np.random.default_rng(n_branches)
    below = [
        Test(1, list(rng.integers(1, 9, (n_below, 3)))[:2], float(place))
        if place % 3
        else [1, 2, 3]
        for place in range(n_branches)
    ]
    return build(Test(0, below, branch_of_category=list(range(n_branches)), missing=1))


def parts_of(tree, columns=LONG, classes=CLASSES):
    shown = choose_nodes(tree, None, ())
    words = NodeWords(tree, columns, classes, None)
    return shown, words, charts_for(shown, words)


def assert_apart(boxes):
    """No two rectangles overlap: a sweep from top to bottom."""
    for one, other in combinations(sorted(boxes, key=lambda box: box.y), 2):
        if other.y >= one.bottom - 0.01:
            continue
        assert one.right <= other.x + 0.01 or other.right <= one.x + 0.01, (one, other)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_leaves", [1, 2, 5, 12, 30])
def test_boxes_and_their_answers_do_not_overlap(n_leaves, seed):
    shown, words, charts = parts_of(random_tree(n_leaves, n_columns=3, seed=seed, missing=1))
    picture = boxes_picture(shown, words, charts)
    cards = write_cards(shown, words, charts)
    blocks = [
        Box(
            box.middle - card.block_width / 2,
            box.y - card.answer_height,
            card.block_width,
            card.height,
        )
        for box, card in zip(picture.boxes, cards, strict=True)
    ]
    assert_apart(blocks)
    assert_apart(picture.boxes)
    assert min(block.x for block in blocks) >= -0.01
    assert max(block.right for block in blocks) <= picture.width + 0.01
    assert max(box.bottom for box in picture.boxes) <= picture.height


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (random_tree, 2),
        (random_tree, 3),
        (random_tree, 40),
        (random_tree, 220),
        (chain, 30),
        (chain, 100),
    ],
)
@pytest.mark.parametrize("width", [300, 1100, 4000])
def test_lines_do_not_overlap(make, size, width):
    shown, words, charts = parts_of(make(size, n_classes=3))
    picture = rows_picture(shown, words, charts, width)
    assert_apart(picture.boxes)
    assert max(box.right for box in picture.boxes) <= picture.width


@pytest.mark.parametrize("n_branches", [2, 7, 25, 60])
def test_lines_of_many_branches_do_not_overlap(n_branches):
    columns = schema(("town", [f"town {place}" for place in range(n_branches)]), "age")
    shown, words, charts = parts_of(bushy(n_branches, 2), columns)
    assert_apart(rows_picture(shown, words, charts, 900).boxes)
    assert_apart(boxes_picture(shown, words, charts).boxes)


def test_lines_follow_the_order_of_leaves():
    shown, words, charts = parts_of(random_tree(40, n_columns=3, seed=1))
    boxes = rows_picture(shown, words, charts, 1000).boxes
    for node in shown.nodes:
        heights = [boxes[child].y for child in node.children]
        assert heights == sorted(heights)


def test_a_parent_stands_above_the_middle_of_its_children():
    children = [[1, 2, 3], [4, 5], [], [6, 7], [], [], [], []]
    x = middles(children, [20, 30, 10, 10, 50, 20, 20, 90], 5)
    for node, below in enumerate(children):
        if below:
            assert x[node] == pytest.approx((x[below[0]] + x[below[-1]]) / 2)
    assert (
        min(x[node] - width / 2 for node, width in enumerate([20, 30, 10, 10, 50, 20, 20, 90])) == 0
    )


def test_subtrees_are_as_close_as_their_outlines_allow():
    # The second child has nothing below it, so the third may stand over the first one's leaves.
    x = middles([[1, 2], [3, 4], [], [], []], [10] * 5, 2)
    assert x[4] - x[3] == 12
    assert x[2] - x[1] == 12


# -- charts -------------------------------------------------------------------------------------


def test_a_bar_has_a_part_for_each_class_and_fills_its_length():
    shown, _, charts = parts_of(build(Test(0, [[50, 25, 25], [0, 0, 10]], 1.0)))
    assert isinstance(charts, ClassBars)
    bar = charts.chart(shown.nodes[1], 10, 0, 100, 8)
    assert bar == (
        '<path d="M10 0h50v8h-50z" class="c0"/>'
        '<path d="M60 0h25v8h-25z" class="c1"/>'
        '<path d="M85 0h25v8h-25z" class="c2"/>'
    )


def test_means_share_one_scale():
    tree = build(Test(0, [[10, 0], [10, 100]], 1.0), center=(5.0,), spread_per_unit=0.0)
    shown, _, charts = parts_of(tree, classes=None)
    assert isinstance(charts, MeanCharts)
    assert (charts.least, charts.most) == (5.0, 15.0)
    assert [charts.color(node) for node in shown.nodes] == ["c3", "c0", "c6"]
    assert "M0.0" not in charts.chart(shown.nodes[0], 0, 0, 50, 10)


def test_equal_means_are_drawn_in_the_middle():
    tree = build(Test(0, [[10, 20], [10, 20]], 1.0), center=(5.0,), spread_per_unit=0.0)
    shown, _, charts = parts_of(tree, classes=None)
    assert [charts.color(node) for node in shown.nodes] == ["c3"] * 3


# -- what is shown ------------------------------------------------------------------------------


def test_a_rest_of_branches_holds_what_its_members_hold():
    rows = [np.array([place % 5 + 1, 7 * place]) for place in range(100)]
    tree = build(
        Test(0, rows, branch_of_category=list(range(100))), center=(0.0,), spread_per_unit=3.0
    )
    shown = choose_nodes(tree, None, ())
    rest = shown.nodes[-1]
    members = list(rest.members)
    weight = tree.weight[members]
    mean = np.average(tree.value[members, 0], weights=weight)
    second = np.average(tree.variance[members, 0] + tree.value[members, 0] ** 2, weights=weight)
    assert rest.is_rest
    assert len(members) == 61
    assert rest.n_hidden_leaves == 61
    assert rest.weight == weight.sum()
    assert rest.value[0] == pytest.approx(mean)
    assert rest.deviation[0] ** 2 == pytest.approx(second - mean**2)


def test_the_heavy_part_of_a_large_tree_is_shown():
    tree = random_tree(3000, seed=3)
    shown = choose_nodes(tree, None, ())
    assert 200 <= shown.n_ends <= 250
    assert shown.n_hidden_leaves + sum(tree.is_leaf[node.node] for node in shown.nodes) == 3000
    unfolded = min(node.weight for node in shown.nodes if node.children)
    folded = [node.weight for node in shown.nodes if node.n_hidden_leaves and node.depth < 24]
    assert max(folded) <= unfolded
