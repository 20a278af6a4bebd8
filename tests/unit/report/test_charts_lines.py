"""A line of steps: one step is marked, ticks are whole, long lines are thinned."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from branchline.report.charts import LineOfSteps, line_plot


def _drawn(values, marked=1, *, narrow=False, measure="loss", mark="kept"):
    shown = LineOfSteps(np.asarray(values, np.float64), "rounds", measure, marked, mark)
    svg = line_plot(shown, "words", narrow=narrow)
    ElementTree.fromstring(svg)
    return svg


def _points(svg):
    steps = re.search(r'd="M([^"]+)" class="line c0"', svg).group(1)
    return [tuple(map(float, point.split())) for point in steps.split("L")]


@pytest.mark.parametrize("narrow", [False, True])
def test_lower_values_are_lower_and_the_mark_is_on_the_line(narrow):
    svg = _drawn([4.0, 2.0, 1.0, 3.0], 3, narrow=narrow)
    points = _points(svg)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert max(points, key=lambda point: point[1]) == points[2]
    circle = re.search(r'd="M([\d.]+) ([\d.]+)h0"', svg).groups()
    assert tuple(map(float, circle)) == points[2]
    assert svg.count(">kept<") == 1


@pytest.mark.parametrize(("marked", "at_right"), [(1, False), (10, True)])
def test_the_words_of_the_mark_stay_inside(marked, at_right):
    svg = _drawn(np.arange(10.0), marked)
    assert ('halo end">kept<' in svg) is at_right


def test_a_few_rounds_have_whole_ticks():
    words = re.findall(r"<text[^>]*>([^<]*)</text>", _drawn([500.0, 250.0, 750.0]))
    assert {"0", "1", "2", "3"} <= set(words)
    assert not any("." in word for word in words)


def test_one_value_and_equal_values_are_drawn():
    assert len(_points(_drawn([0.7]))) == 1
    assert len({y for _, y in _points(_drawn([0.7] * 5))}) == 1


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_extreme_values_stay_finite(size):
    svg = _drawn([3 * size, 2 * size, size], 3)
    assert "nan" not in svg
    assert "inf" not in svg


def test_a_long_line_is_thinned_and_keeps_its_ends():
    values = np.linspace(1.0, 0.0, 2000)
    points = _points(_drawn(values, 2000))
    assert 200 <= len(points) <= 480
    assert points[0] == _points(_drawn(np.r_[1.0, np.zeros(1999)]))[0]
    assert points[-1][0] == 850


def test_text_stays_text():
    svg = _drawn([2.0, 1.0], measure='<b>"&', mark="</text><script>")
    assert "<script" not in svg
    assert "<b>" not in svg
