"""What drawings say: questions, answers, outcomes, paths, and what they leave out."""

import re
from dataclasses import replace

import numpy as np
import pytest

from branchline._trees._tree_arrays import Scale
from branchline.tree.drawing import draw_tree
from drawn_trees import (
    CLASSES,
    COLUMNS,
    SVG,
    Test,
    build,
    chain,
    node_numbers,
    parsed,
    random_tree,
    schema,
    tennis,
    texts_of,
    wide,
    words_of,
)


def test_questions_answers_and_outcomes_are_words_in_the_drawing():
    texts = texts_of(draw_tree(*tennis()))
    assert {"outlook", "humidity", "wind", "sunny", "overcast", "rain", "14 rows"} <= set(texts)
    assert {"100 % of 4", "100 % of 3", "or missing"} <= set(texts)
    tree = build(Test(0, [[9, 1], [0, 5]], 2.4500001))
    texts = texts_of(draw_tree(tree, COLUMNS, CLASSES))
    assert {"age ≤ 2.45", "≤ 2.45", "> 2.45", "90 % of 10"} <= set(texts)


def test_hints_have_every_digit():
    tree = build(Test(0, [[9, 1], [0, 5]], 2.4500001))
    assert "age &gt; 2.4500001\n" in draw_tree(tree, COLUMNS, CLASSES).svg


def test_shares_are_never_rounded_to_all_or_nothing():
    svg = draw_tree(build(Test(0, [[999, 1], [0, 5]], 1.0)), COLUMNS, CLASSES).svg
    assert "&gt; 99 % of 1,000" in svg
    assert "low &gt; 99 %, middle &lt; 1 %, of 1,000" in svg


def test_the_class_decided_for_need_not_be_the_most_frequent():
    tree = build(Test(0, [[6, 4], [1, 9]], 1.0))
    svg = draw_tree(tree, COLUMNS, CLASSES, decision=np.array([1, 1, 1])).svg
    assert "40 % of 10" in svg
    assert "60 % of 10" not in svg


def test_the_way_of_missing_values_is_shown():
    own = build(Test(0, [[9, 1], [0, 5], [2, 2]], 2.5, missing=2))
    svg = draw_tree(own, COLUMNS, CLASSES).svg
    assert ">missing</text>" in svg
    assert svg.count('class="gone"') == 1
    present = build(Test(0, [[9, 1], [0, 5]], np.inf, missing=1))
    texts = texts_of(draw_tree(present, COLUMNS, CLASSES))
    assert {"age is present", "present", "missing"} <= set(texts)
    plain = build(Test(0, [[9, 1], [0, 5]], 2.5))
    assert "missing" not in draw_tree(plain, COLUMNS, CLASSES).svg


def test_shared_missing_values_are_shown_at_their_nodes_or_once_for_all():
    below = Test(1, [[9, 1], [0, 5]], 2.5, missing=-2)
    svg = draw_tree(build(Test(0, [below, [3, 3]], 1.0)), COLUMNS, CLASSES).svg
    assert svg.count(">missing: every branch<") == 1
    below = Test(1, [[9, 1], [0, 5]], 2.5, missing=-2)
    svg = draw_tree(build(Test(0, [below, [3, 3]], 1.0, missing=-2)), COLUMNS, CLASSES).svg
    assert "missing: every branch" not in svg
    assert svg.count("missing values take every branch") == 1


def test_shares_of_rows_have_few_decimals():
    tree = build(Test(0, [[8, 1], [0, 5]], 1.0))
    tree = replace(tree, scale=Scale(unit=1.2345678))
    svg = draw_tree(tree, COLUMNS, CLASSES).svg
    assert "89 % of 11.1<" in svg
    assert "17.3 rows" in svg


@pytest.mark.parametrize(("missing", "n_marks"), [(-1, 0), (1, 29), (-2, 0)])
def test_in_a_large_drawing_a_mark_shows_it(missing, n_marks):
    svg = draw_tree(random_tree(30, missing=missing), COLUMNS, CLASSES, width=300).svg
    n_in_legend = int(n_marks > 0)
    assert svg.count('class="mark"') == n_marks + n_in_legend
    assert svg.count("where missing values go") == n_in_legend


def test_many_classes_share_a_grey_and_say_so():
    svg = draw_tree(random_tree(12, n_classes=40), COLUMNS, np.arange(40)).svg
    assert "30 other classes" in svg
    assert 'class="cx"' in svg


def test_long_lists_are_shortened_and_whole_in_the_hint():
    names = [f"quite a long name {place}" for place in range(30)]
    tree = build(Test(0, [[9, 1], [0, 5]], branch_of_category=[0] * 15 + [1] * 15))
    svg = draw_tree(tree, schema(("c", names)), CLASSES).svg
    assert re.search(r"and \d+ more</text>|\d+ values</text>", svg)
    assert ", ".join(names[:10]) in svg


# -- paths, folding -----------------------------------------------------------------------------


def test_a_path_is_brought_out_and_the_rest_subdued():
    tree, columns, classes = tennis()
    svg = draw_tree(tree, columns, classes, highlight=[0, 1, 4]).svg
    assert svg.count('class="on"') == 3
    assert svg.count('class="off"') == tree.n_nodes - 3
    assert 'class="links strong"' in svg
    plain = draw_tree(tree, columns, classes, highlight=[]).svg
    assert 'class="on"' not in plain
    assert 'class="off"' not in plain


def test_a_path_into_a_large_tree_is_drawn_to_its_end():
    tree = random_tree(3000, seed=3)
    leaf = int(np.argmax(np.where(tree.is_leaf, tree.depth, -1)))
    path = [leaf]
    while path[-1] > 0:
        path.append(int(tree.parent[path[-1]]))
    drawing = draw_tree(tree, COLUMNS, CLASSES, highlight=np.array(path))
    assert drawing.svg.count('class="on"') == len(path)
    assert set(path) <= node_numbers(drawing)


@pytest.mark.parametrize("max_depth", [0, 1, 3])
def test_what_is_deeper_than_asked_for_is_counted(max_depth):
    tree = random_tree(50, seed=4)
    drawing = draw_tree(tree, COLUMNS, CLASSES, max_depth=max_depth)
    shown = node_numbers(drawing)
    assert shown == set(np.flatnonzero(tree.depth <= max_depth).tolist())
    hints = [words_of(title) for title in parsed(drawing).iter(f"{SVG}title")]
    hidden = sum(
        int(n) for hint in hints for n in re.findall(r"^(\d+) leaves, not shown", hint, re.M)
    )
    assert hidden + sum(bool(tree.is_leaf[node]) for node in shown) == tree.n_leaves


def test_the_deepest_trees_are_cut():
    tree = chain(100_000)
    svg = draw_tree(tree, COLUMNS, CLASSES[:2]).svg
    assert "… 99,977 more leaves" in svg
    assert len(svg) < 50_000


def test_very_many_branches_stand_together():
    tree, columns, classes = wide(1000)
    drawing = draw_tree(tree, columns, classes)
    assert "961 more branches" in texts_of(drawing)
    heavy = 1 + np.argsort(-tree.weight[1:], kind="stable")[:30]
    assert set(heavy.tolist()) <= node_numbers(drawing)


def test_a_long_list_is_named_by_what_is_not_in_it():
    names = [f"town {place}" for place in range(30)]
    tree = build(Test(0, [[9, 1], [0, 5]], branch_of_category=[0] * 29 + [1]))
    svg = draw_tree(tree, schema(("c", names)), CLASSES).svg
    assert "others (29)</text>" in svg
    assert ", ".join(names[:10]) in svg  # under the pointer
