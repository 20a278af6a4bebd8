"""Drawings of trees: well-formed, whole, within their page, and the same every time."""

import re

import numpy as np
import pytest

from branchline import load_dataset
from branchline._drawing import text_width
from branchline.errors import DataError, ParameterError
from branchline.tree import ID3
from branchline.tree.drawing import Drawing, draw_tree
from drawn_trees import (
    CLASSES,
    COLUMNS,
    SVG,
    build,
    chain,
    nasty,
    node_numbers,
    parsed,
    random_tree,
    regression,
    tennis,
    wide,
    words_of,
)

SIZES = {"s": 10.5, "t": 10}

# Functions: a tree that a module keeps would outlive the native module.
TREES = {
    "one leaf": lambda: (build([5, 3, 2]), COLUMNS, CLASSES),
    "5 leaves": lambda: (random_tree(5), COLUMNS, CLASSES),
    "25 leaves": lambda: (random_tree(25, seed=1, missing=1), COLUMNS, CLASSES),
    "200 leaves": lambda: (random_tree(200, seed=2, missing=0), COLUMNS, CLASSES),
    "3000 leaves": lambda: (random_tree(3000, seed=3), COLUMNS, CLASSES),
    "a deep chain": lambda: (chain(40), COLUMNS, CLASSES[:2]),
    "multiway": lambda: tennis(missing=-2),
    "25 branches": lambda: wide(25),
    "1000 branches": lambda: wide(1000),
    "40 classes": lambda: (random_tree(12, n_classes=40), COLUMNS, np.arange(40)),
    "nasty names": nasty,
    "regression": lambda: regression(1),
    "3 outputs": lambda: regression(3),
    "9 outputs": lambda: regression(9),
}
ALL = pytest.mark.parametrize("name", TREES)


def placed_texts(element, x=0.0, y=0.0):
    """Yield each text with its left, right and lower edge on the page."""
    for child in element:
        moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", child.get("transform", ""))
        if child.tag == f"{SVG}text":
            width = width_of(child)
            middle = "m" in child.get("class", "").split()
            left = x + float(child.get("x")) - (width / 2 if middle else 0)
            yield words_of(child), left, left + width, y + float(child.get("y"))
        shift = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
        yield from placed_texts(child, x + shift[0], y + shift[1])


def width_of(element):
    styles = element.get("class", "").split()
    if "o" in styles:  # a bold name, then smaller words
        name = "".join(words_of(span) for span in element)
        rest = words_of(element)
        return text_width(name, 11, bold=True) + text_width(rest.removeprefix(name), 10)
    size = next((SIZES[style] for style in styles if style in SIZES), 12)
    return text_width(words_of(element), size, bold="b" in styles)


@ALL
def test_a_drawing_is_well_formed_and_needs_nothing_from_elsewhere(name):
    drawing = draw_tree(*TREES[name]())
    root = parsed(drawing)
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {"svg", "style", "g", "path", "rect", "text", "tspan", "title"}
    assert drawing.svg.count("http") == 1  # the name space
    assert "url(" not in drawing.svg
    assert "NaN" not in drawing.svg.replace("'NaN'", "")
    assert not re.search(r'="[^"]*\b(nan|inf)\b', drawing.svg)


@ALL
def test_all_words_stay_on_the_page(name):
    root = parsed(draw_tree(*TREES[name]()))
    width, height = float(root.get("width")), float(root.get("height"))
    texts = list(placed_texts(root))
    assert texts
    for words, left, right, baseline in texts:
        assert left >= 0, words
        assert right <= width, words
        assert 8 <= baseline <= height - 2, words


@ALL
def test_the_same_tree_gives_the_same_drawing(name):
    assert draw_tree(*TREES[name]()).svg == draw_tree(*TREES[name]()).svg


@pytest.mark.parametrize(
    "name", ["one leaf", "5 leaves", "25 leaves", "200 leaves", "multiway", "regression"]
)
def test_every_node_of_a_tree_that_fits_is_drawn(name):
    tree = TREES[name]()[0]
    assert node_numbers(draw_tree(*TREES[name]())) == set(range(tree.n_nodes))


def test_names_are_shown_and_cannot_become_marks():
    root = parsed(draw_tree(*nasty()))
    texts = [words_of(element) for element in root.iter(f"{SVG}text")]
    assert "<b>yes</b>" in texts
    assert any("</svg>&amp;" in words for words in texts)
    assert any(words.startswith('a < b & "c"') for words in texts)
    assert not any(character in words for words in texts for character in "\n\x00\u202e")
    assert any("<script>alert(1)</script>" in words_of(title) for title in root.iter(f"{SVG}title"))


def test_two_drawings_on_a_page_do_not_share_names_or_styles():
    drawings = [draw_tree(*TREES[name]()) for name in ("5 leaves", "25 leaves", "regression")]
    names = [parsed(drawing).get("id") for drawing in drawings]
    assert len(set(names)) == 3
    for name, drawing in zip(names, drawings, strict=True):
        style = words_of(parsed(drawing).find(f"{SVG}style"))
        selectors = re.findall(r"(?:^|[{}])([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style))
        assert {selector.split(" ")[0] for selector in selectors} == {"svg:root", f"#{name}"}


def test_a_drawing_alone_follows_light_and_dark_and_in_a_page_the_page():
    style = words_of(parsed(draw_tree(*tennis())).find(f"{SVG}style"))
    assert style.startswith("svg:root{color:")
    assert "@media(prefers-color-scheme:dark){svg:root{color:" in style
    # Only svg:root, which an SVG inside a page is not, has a color and a ground of its own.
    for selector, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        assert selector == "svg:root" or not re.search(r"(^|;)(color|background):", rules)


def test_large_drawings_are_small_files():
    assert len(draw_tree(*TREES["200 leaves"]()).svg.encode()) < 160_000


# -- what cannot be drawn, files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": -1},
        {"max_depth": 2.5},
        {"width": 0},
        {"width": "wide"},
        {"highlight": [99]},
        {"highlight": [-1]},
        {"highlight": ["a"]},
    ],
    ids=str,
)
def test_settings_that_cannot_be_meant_are_refused(options):
    with pytest.raises(ParameterError, match=next(iter(options))) as caught:
        draw_tree(*tennis(), **options)
    assert caught.value.code == "P001"


def test_a_refusal_names_the_method_that_was_called():
    X, y = load_dataset("tennis").split_target("play")
    model = ID3().fit(X, y)
    for wrong in ({"max_depth": -1}, {"width": 0}):
        with pytest.raises(ParameterError, match="parameter of draw must be None, or"):
            model.draw(**wrong)


def test_width_decides_between_boxes_and_lines():
    assert 'class="box' in draw_tree(*tennis()).svg
    assert 'class="box' not in draw_tree(*tennis(), width=200).svg


def test_a_drawing_is_shown_and_written(tmp_path):
    drawing = draw_tree(*tennis())
    assert str(drawing) == drawing._repr_svg_() == drawing.svg
    assert drawing.svg in drawing._repr_html_()
    assert repr(drawing) == "<Drawing: tree of 5 leaves>"
    drawing.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == drawing.svg
    drawing.save(str(tmp_path / "tree.HTML"))
    page = (tmp_path / "tree.HTML").read_text(encoding="utf-8")
    assert drawing.svg in page
    assert page.startswith("<!DOCTYPE html>")


def test_a_drawing_that_cannot_be_written_says_why(tmp_path):
    drawing = Drawing("<svg/>")
    with pytest.raises(ParameterError, match=r"\.svg") as caught:
        drawing.save(tmp_path / "tree.gif")
    assert caught.value.code == "P001"
    exec(caught.value.repair.python, {"drawing": drawing})
    assert (tmp_path / "tree.gif.svg").exists()
    with pytest.raises(DataError, match="cannot be written") as caught:
        drawing.save(tmp_path / "nowhere" / "tree.svg")
    assert caught.value.code == "F023"
