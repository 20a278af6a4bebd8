"""Text that fits, and colors that can be told apart."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline._drawing import clean, list_lines, shorten, text_width
from branchline.tree.drawing._colors import (
    CLASS_COLORS,
    MEAN_COLORS,
    OTHER_COLOR,
    colored_classes,
)
from branchline.tree.drawing._node_words import brief_number

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=60)


@given(ANY_TEXT)
def test_clean_text_can_stand_in_xml_on_one_line(text):
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert all(character.isprintable() or character in "\u200c\u200d" for character in cleaned)
    assert clean(cleaned) == cleaned


@given(ANY_TEXT, st.floats(0, 300), st.sampled_from([10.0, 12.0]), st.booleans())
def test_shortened_text_fits(text, width, size, bold):
    short = shorten(text, width, size, bold=bold)
    assert text_width(short, size, bold=bold) <= width + 1e-9 or short == ""
    assert short in ("", text) or "…" in short


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=12), st.integers(1, 3))
def test_lists_fit_and_account_for_every_name(names, n_lines):
    lines = list_lines(names, 130, 10.5, n_lines)
    assert 1 <= len(lines) <= n_lines
    assert all(
        text_width(line, 10.5) <= 130 + text_width(f"{len(names)} values", 10.5) for line in lines
    )


def test_shortening_keeps_both_ends():
    assert shorten("measurement_11", 76, 10, bold=True) == "measu…t_11"
    assert shorten("short", 76, 10) == "short"
    assert shorten("word", 10, 10) == ""


def test_lists_break_between_names():
    assert list_lines(["red", "green"], 130, 10.5, 3) == ["red, green"]
    assert list_lines(["self-employed", "without pay", "on leave"], 100, 10.5, 3) == [
        "self-employed,",
        "without pay,",
        "on leave",
    ]
    assert list_lines([f"town {n}" for n in range(9)], 100, 10.5, 1) == ["town 0 +8 more"]
    towns = [f"town {n}" for n in range(9)]
    assert list_lines(towns, 130, 10.5, 1) == ["town 0 and 8 more"]
    assert list_lines(towns, 130, 10.5, 2) == ["town 0, town 1, town 2", "and 6 more"]


def test_no_list_begins_with_a_mutilated_name():
    names = ["Bluebell meadow", *(f"place {n}" for n in range(13))]
    assert list_lines(names, 76, 10, 1) == ["14 values"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (2.4500000477, "2.45"),
        (1234.5, "1234.5"),
        (12345.5, "12,345.5"),
        (-1234567.891, "−1,234,568"),
        (0.00001234567, "0.00001235"),
        (0.0, "0"),
    ],
)
def test_brief_numbers(number, words):
    assert brief_number(number) == words


# -- colors ------------------------------------------------------------------------------------

# What is left of red, green and blue light for eyes without one kind of cones, after
# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), severity 1.
EYES = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(color):
    light = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)


def oklab(light):
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return axes @ np.cbrt(cones @ np.clip(light, 0, 1))


@pytest.mark.parametrize("eye", EYES)
def test_class_colors_stay_apart(eye):
    seen = [oklab(np.array(EYES[eye]) @ linear(color)) for color in (*CLASS_COLORS, OTHER_COLOR)]
    least = min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
    assert least >= (0.13 if eye == "usual" else 0.085)


@pytest.mark.parametrize("color", [*CLASS_COLORS, *MEAN_COLORS, OTHER_COLOR])
def test_colors_show_on_light_and_on_dark(color):
    brightness = float(linear(color) @ [0.2126, 0.7152, 0.0722])
    assert 1.05 / (brightness + 0.05) >= 1.7
    assert (brightness + 0.05) / 0.055 >= 2.3


def test_the_most_frequent_of_many_classes_have_colors():
    assert colored_classes(np.array([0.2, 0.8])) == {0: 0, 1: 1}
    frequencies = np.arange(25) / 300
    assert colored_classes(frequencies) == {place: place - 15 for place in range(15, 25)}
