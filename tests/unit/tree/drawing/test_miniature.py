"""Miniatures: the shape of a tree of any size, in a few kilobytes."""

from xml.etree import ElementTree

import numpy as np
import pytest

from branchline.tree.drawing import miniature
from branchline.tree.drawing._miniature import _parts
from drawn_trees import Test, build, chain, random_tree

SVG = "{http://www.w3.org/2000/svg}"
CLASSES = np.array(["a", "b", "c"])
# Functions: a tree that a module keeps would outlive the native module.
TREES = {
    "one leaf": lambda: build([5, 3, 2]),
    "5 leaves": lambda: random_tree(5),
    "5000 leaves": lambda: random_tree(5000),
    "a chain": lambda: chain(20_000, n_classes=3),
    "1000 branches": lambda: build(
        Test(
            0,
            list(np.random.default_rng(0).integers(1, 9, (1000, 3))),
            branch_of_category=list(range(1000)),
        )
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_a_miniature_is_small_and_well_formed(name):
    svg = miniature(TREES[name](), CLASSES)
    root = ElementTree.fromstring(svg)
    assert len(svg) < 20_000
    assert float(root.get("width")) == 240
    assert float(root.get("height")) <= 120
    for block in root.iter(f"{SVG}rect"):
        assert float(block.get("x")) >= 0
        assert float(block.get("x")) + float(block.get("width")) <= 240
        assert float(block.get("y")) + float(block.get("height")) <= 120
    assert svg == miniature(TREES[name](), CLASSES)


def test_a_small_tree_shows_every_leaf_in_its_color():
    tree = build(Test(0, [[90, 1, 0], Test(0, [[1, 4, 0], [0, 2, 3]], 2.0)], 1.0))
    root = ElementTree.fromstring(miniature(tree, CLASSES))
    assert [block.get("class") for block in root.iter(f"{SVG}rect")] == ["c0", "c1", "c2"]
    decided = ElementTree.fromstring(miniature(tree, CLASSES, decision=np.array([1] * 5)))
    assert [block.get("class") for block in decided.iter(f"{SVG}rect")] == ["c1"] * 3


def test_means_are_colored_from_small_to_large():
    tree = build(Test(0, [[10, 0], [10, 50], [10, 100]], 1.0, missing=2), center=(0.0,))
    root = ElementTree.fromstring(miniature(tree, None))
    assert [block.get("class") for block in root.iter(f"{SVG}rect")] == ["c0", "c3", "c6"]
    same = build(Test(0, [[10, 20], [5, 10]], 1.0), center=(0.0,))
    assert miniature(same, None).count('class="c3"') == 2


@pytest.mark.parametrize("name", TREES)
def test_children_share_the_width_of_their_parent(name):
    parts = _parts(TREES[name](), 234)
    assert len(parts) < 700
    for place, part in enumerate(parts):
        below = [child for child in parts if child.parent == place]
        assert bool(below) != part.is_end
        if below:
            assert sum(child.width for child in below) == pytest.approx(part.width)
            assert min(child.width for child in below) >= 3.99
            assert below[0].left == pytest.approx(part.left)
