"""The charts: places, ticks, extremes, and that text stays text."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from branchline._drawing import Scale, scale_for, tick_words, ticks
from branchline.report.charts import (
    Bar,
    IntervalRow,
    Square,
    bar_chart,
    confusion_grid,
    interval_plot,
    square_plot,
)

_EVIL = '<b>"&\u202e'


def _dots(svg):
    places = re.findall(r"M([\d.]+) ([\d.]+)h0", svg)
    return [(float(x), float(y)) for x, y in places]


def _parsed(svg):
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.66, 0.81, ["0.70", "0.75", "0.80"]),
        (-2.5, 1.0, ["−2", "−1", "0", "1"]),
        (0.0, 2500.0, ["0", "500", "1,000", "1,500", "2,000", "2,500"]),
    ],
)
def test_ticks_are_round_numbers(low, high, wanted):
    assert tick_words(ticks(low, high)) == wanted


@pytest.mark.parametrize(
    "ends", [(0.0, 0.0), (1e-320, 3e-320), (-1.7e308, 1.7e308), (1e300, 1e300 * (1 + 1e-16))]
)
def test_extreme_scales_stay_finite(ends):
    scale = scale_for(ends, 10.0, 90.0)
    assert 10.0 <= scale(ends[0]) <= scale(ends[1]) <= 90.0
    assert len(ticks(scale.low, scale.high)) <= 12
    tick_words(ticks(scale.low, scale.high))


def test_a_scale_is_linear():
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale(x) for x in (0.0, 2.5, 10.0, 99.0)] == [100.0, 125.0, 200.0, 200.0]


@pytest.mark.parametrize("narrow", [False, True])
def test_intervals_are_drawn_in_groups(narrow):
    rows = [
        IntervalRow("tree", 0.8, 0.7, 0.9, "0.8", "Tied with the best", is_chosen=True),
        IntervalRow("rule", 0.78, 0.7, 0.85, "0.78", "Tied with the best"),
        IntervalRow(_EVIL, 0.5, 0.4, 0.6, "0.5", "Group 2"),
    ]
    svg = interval_plot(rows, "accuracy", f"about {_EVIL}", reference=0.5, narrow=narrow)
    words = ["".join(one.itertext()) for one in _parsed(svg).iter() if one.tag.endswith("text")]
    assert words.count("Tied with the best") == 1
    assert "Group 2" in words
    assert "→ tree" in words
    dots = _dots(svg)
    assert len(dots) == 3
    assert dots[2][0] > dots[0][0] > dots[1][0]  # the chosen one is drawn last
    assert dots[2][1] < dots[0][1] < dots[1][1]


def test_what_lies_far_out_becomes_an_arrow():
    rows = [IntervalRow(str(i), 3 + 0.1 * i, 2.8, 3.9, "") for i in range(5)]
    svg = interval_plot([*rows, IntervalRow("far", 1e9, 1e8, 1e10, "")], "rmse", "words")
    places = [x for x, _ in _dots(svg)]
    assert len(places) == 5
    assert places[-1] - places[0] > 100  # the others are not squeezed together


def test_bars_go_both_ways():
    svg = bar_chart([Bar("up", 2.0, "+2", 1.0, 3.0), Bar(_EVIL, -1.0, "−1")], "part", "words")
    _parsed(svg)
    rects = re.findall(r'<rect x="([\d.]+)".*?width="([\d.]+)".*?class="fill (\w+)"', svg)
    (up, up_width, _), (down, down_width, look) = rects
    assert float(up) == pytest.approx(float(down) + float(down_width), abs=0.2)
    assert float(up_width) == pytest.approx(2 * float(down_width), rel=0.01)
    assert look == "c1"


def test_counts_have_whole_ticks():
    svg = bar_chart([Bar("a", 1, "1"), Bar("b", 2, "2")], "rows", "words")
    assert ">0.5<" not in svg
    assert "0.5" not in re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_grid_shows_every_count_and_cost():
    counts, costs = np.array([[5, 1], [0, 9]]), np.array([[0.0, 4.0], [1.0, 0.0]])
    svg = confusion_grid(counts, ["no", _EVIL], "words", costs)
    words = ["".join(one.itertext()) for one in _parsed(svg).iter() if one.tag.endswith("text")]
    for shown in ("5 (83 %)", "1 (17 %)", "·", "9 (100 %)", "cost 4"):
        assert shown in words


def test_many_classes_stay_on_a_page():
    counts = np.eye(25, dtype=np.int64)
    svg = confusion_grid(counts, [f"a class with a long name {i}" for i in range(25)], "words")
    width = float(re.search(r'width="([\d.]+)"', svg).group(1))
    assert width < 1000
    assert "rotate(-40)" in svg


def test_squares_hold_points_bars_bands_and_lines():
    x = np.linspace(0, 1, 1000)
    square = Square(
        "x",
        "y",
        line=(x, x),
        band=(x[:5], x[:5], x[:5]),
        points=(x[:3], x[:3]),
        bars=(x[:3], x[:3]),
        guide=(x[:2], x[:2]),
    )
    svg = square_plot(square, "words")
    _parsed(svg)
    assert len(svg) < 14_000  # a long curve is thinned
    assert svg.count("h0") == 3
