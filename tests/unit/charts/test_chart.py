"""Charts as data, their words and numbers, and the SVG that is made of them."""

import math
import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from branchline._drawing import DARK, LIGHT
from branchline.charts import (
    Axis,
    Band,
    Bars,
    Cells,
    Chart,
    Label,
    Line,
    Panels,
    Points,
    Rule,
    Segments,
    Stack,
    drawn,
)
from branchline.charts._thin import thin_band, thin_line, thin_points
from branchline.errors import ParameterError
from unit.charts.drawing_checks import check_picture

X = np.linspace(0.0, 10.0, 30)
RNG = np.random.default_rng(0)
NAMES = tuple(f"a rather long category <{place}> & more" for place in range(9))
CHARTS = {
    "curves": Chart(
        (Band(X, X - 1, X + 1, "band"), Line(X, X, "line"), Line(X, -X, "other", dashed=True),
         Rule(3, "x", "chosen"), Rule(2, "y", "limit"), Label(9, 8, "a label near the end")),
        Axis("rows"), Axis("score"), "Curves", "A note that says what it does not show.",
    ),
    "log": Chart((Line(10.0**X, X / 3, steps=True, dots=True),), Axis("C", log=True), Axis("e")),
    "tiny numbers": Chart((Line(X * 1e-9, X * 1e12),), Axis("small"), Axis("large")),
    "one point": Chart((Points([3.0], [1e6]),), Axis("x"), Axis("y")),
    "nothing": Chart((Line([], []),), Axis("x"), Axis("y"), "Nothing to draw"),
    "all missing": Chart((Line([math.nan], [math.nan]),), Axis("x"), Axis("y"), "All missing"),
    "stack": Chart((Stack(X, (("bias", 10 - X), ("noise", X * 0 + 1), ("variance", X))),),
                   Axis("x"), Axis("y", form="percent"), "Stack"),
    "rows": Chart((Bars(range(9), np.arange(9) - 3.0, low=np.arange(9) - 4.0,
                        high=np.arange(9) - 2.0, words=tuple("abcdefghi"), signed=True),),
                  Axis("weight"), Axis(categories=NAMES, marked=(0,)), "Rows"),
    "intervals": Chart((Points([0.8, 0.7, 0.1], [0, 1, 2], low=[0.7, 0.6, 0.0],
                               high=[0.9, 0.8, 0.2], along="x", words=("one", "two", "far")),
                        Rule(0.75, "x", "baseline")),
                       Axis("accuracy", ends=(0.5, 1.0)),
                       Axis(categories=NAMES[:3], groups=("tied", "tied", "worse"))),
    "columns": Chart((Bars(range(9), np.arange(9.0), along="y"),), Axis("kind", categories=NAMES),
                     Axis("rows")),
    "regions": Chart((Cells(range(11), range(11), np.arange(100).reshape(10, 10) % 3,
                            names=("a", "b", "c")), Points(X, X, "a"), Points(X, X / 2, "b")),
                     Axis("x"), Axis("y"), "Regions", shape="square"),
    "heat": Chart((Cells(range(21), range(21), RNG.normal(size=(20, 20)), center=0.0),)),
    "matrix": Chart((Cells([-0.5, 0.5, 1.5], [-0.5, 0.5, 1.5], np.eye(2), names=("no", "yes"),
                           strength=np.eye(2), words=(("1\n2 %", "2"), ("3", "4"))),),
                    Axis("predicted", categories=("no", "yes")),
                    Axis("true", categories=("no", "yes")), "Matrix"),
    "dendrogram": Chart((Segments([0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]),), Axis(), Axis("d")),
}  # fmt: skip


@pytest.mark.parametrize("name", CHARTS)
def test_every_kind_of_chart_is_sound_at_every_width_and_theme(name):
    check_picture(CHARTS[name])


def test_panels_are_sound_and_stand_below_each_other_on_a_phone():
    panels = Panels((CHARTS["curves"], CHARTS["regions"]), title="Both")
    check_picture(panels)
    wide, narrow = (ET.fromstring(panels.to_svg(width)) for width in (800, 350))
    assert float(narrow.get("height")) > 1.5 * float(wide.get("height"))


def test_the_text_alternative_tells_the_numbers_and_can_be_replaced():
    chart = CHARTS["curves"]
    assert "line: 0 at 0, 10 at 10; highest 10 at 10." in chart.text
    assert "Dashed line at 3: chosen." in chart.text
    own = Chart(chart.marks, words="my own words")
    assert 'aria-label="my own words"' in own.to_svg()


def test_the_frame_holds_every_number_with_names_of_categories():
    frame = CHARTS["intervals"].to_frame()
    assert frame["y"].tolist()[:3] == list(NAMES[:3])
    assert frame["low"].tolist()[:3] == [0.7, 0.6, 0.0]
    polars = CHARTS["regions"].to_frame("polars")
    assert polars.height == 100 + 2 * len(X)


def test_marks_of_unequal_lengths_or_of_words_are_refused():
    for make in (
        lambda: Line([1, 2], [1]),
        lambda: Line(["a"], [1]),
        lambda: Points([[1]], [1]),
        lambda: Stack([1, 2], (("a", [1]),)),
        lambda: Cells([0, 1], [0, 1], [[1, 2]]),
    ):
        with pytest.raises(ParameterError) as caught:
            make()
        assert caught.value.code == "P370"


def test_a_line_keeps_its_peaks_and_a_band_never_becomes_narrower():
    x = np.arange(100_000.0)
    y = np.sin(x / 1000)
    y[54_321], y[77_777] = 9.0, -9.0
    thin_x, thin_y = thin_line(x, y)
    assert len(thin_x) <= 480
    assert (thin_y.max(), thin_y.min()) == (9.0, -9.0)
    assert (thin_x[0], thin_x[-1]) == (0.0, 99_999.0)
    places, low, high = thin_band(x, y - 1, y + 1)
    assert len(places) <= 480
    assert (low.min(), high.max()) == (-10.0, 10.0)


def test_drawn_points_do_not_depend_on_the_order_of_rows_and_follow_the_crowd():
    x, y = RNG.uniform(0, 600, 50_000), RNG.uniform(0, 300, 50_000)
    x[:25_000] = RNG.uniform(0, 60, 25_000)  # half of the points in a tenth of the width
    kept = thin_points(x, y)
    assert len(kept) == 2000
    assert 0.45 < (x[kept] < 60).mean() < 0.65
    order = RNG.permutation(len(x))
    again = order[thin_points(x[order], y[order])]
    pixels = [set(zip(np.round(x[k]), np.round(y[k]), strict=True)) for k in (kept, again)]
    assert pixels[0] == pixels[1]


def test_a_million_points_make_a_small_file_quickly_and_the_note_says_so():
    points = RNG.normal(size=(1_000_000, 2))
    chart = Chart((Points(*points.T, "rows"),), Axis("x"), Axis("y"))
    begin = time.process_time()
    svg = chart.to_svg()
    assert time.process_time() - begin < 2
    assert len(svg) < 60_000
    assert "Of 1,000,000 points (rows), a sample of at most 2,000 is drawn." in svg


def test_colors_follow_names_and_shapes_follow_colors():
    svg = CHARTS["regions"].to_svg(theme="page")
    circles, squares = 'class="dots c0', 'class="shape c1'
    assert circles in svg
    assert squares in svg


def test_squares_are_outlines_because_lines_of_no_length_are_missing_on_paper():
    marks = Points([1.0], [1.0], symbol="circle"), Points([2.0], [2.0], symbol="square")
    svg = Chart(marks, Axis("x"), Axis("y")).to_svg()
    assert svg.count('h0"') == 1
    assert "stroke-linecap:square" not in svg


def test_dark_colors_hold_on_screens_only_and_explicit_themes_ask_nobody():
    auto, dark = CHARTS["curves"].to_svg(), CHARTS["curves"].to_svg(theme="dark")
    assert "@media screen and (prefers-color-scheme:dark)" in auto
    assert "@media" not in dark
    assert DARK["ground"] in dark
    assert LIGHT["ground"] not in dark
    assert "<style" not in CHARTS["curves"].to_svg(theme="page")


def test_saved_files_open_and_unknown_endings_are_refused(tmp_path):
    chart = CHARTS["curves"]
    for ending, begin in {
        "svg": b"<svg ", "png": b"\x89PNG", "html": b"<!DOCTYPE html>", "pdf": b"%PDF",
    }.items():  # fmt: skip
        file = tmp_path / f"chart.{ending}"
        chart.save(file)
        assert file.read_bytes().startswith(begin)
    with pytest.raises(ParameterError) as caught:
        chart.save(tmp_path / "chart.gif")
    assert caught.value.code == "P371"
    with pytest.raises(ParameterError):
        chart.save(tmp_path / "chart.svg", theme="blue")


@pytest.mark.parametrize("name", CHARTS)
def test_matplotlib_draws_the_same_marks_on_given_axes(name):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert drawn(CHARTS[name], ax) is ax
    assert drawn(CHARTS[name]) is CHARTS[name]
    assert ax.get_xlabel() == CHARTS[name].x.name


def test_text_from_outside_is_escaped():
    nasty = 'a"<script>alert(1)</script>&\x00'
    chart = Chart((Line([1, 2], [1, 2], nasty), Line([1, 2], [2, 1], "b"), Label(1, 1, nasty)),
                  Axis(nasty), Axis(nasty, categories=(nasty, nasty)), nasty, nasty)  # fmt: skip
    svg = chart.to_svg()
    ET.fromstring(svg)
    assert "<script" not in svg
    assert "<script" not in chart.to_html()


def contrast(color: str, ground: str) -> float:
    def light(code: str) -> float:
        parts = [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(color), light(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_colors_stand_out_from_their_ground(colors):
    for name, color in colors.items():
        least = 4.5 if name in {"ink", "quiet"} else 3.0 if re.match(r"c\d", name) else 1.0
        assert contrast(color, colors["ground"]) >= least, name


# Machado, Oliveira and Fernandes (2009), severity 1: protan, deutan, tritan.
BLINDNESS = [
    np.eye(3),
    np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
              [-0.003882, -0.048116, 1.051998]]),
    np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
              [-0.01182, 0.04294, 0.968881]]),
    np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
              [0.004733, 0.691367, 0.3039]]),
]  # fmt: skip


def oklab(color: str, eye: np.ndarray) -> np.ndarray:
    parts = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    linear = np.clip(eye @ linear, 0, 1)
    to_cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                         [0.2119034982, 0.6806995451, 0.1073969566],
                         [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    to_lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                       [1.9779984951, -2.4285922050, 0.4505937099],
                       [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
    return to_lab @ np.cbrt(to_cones @ linear)


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_the_first_six_colors_stay_apart_for_every_eye(colors):
    for eye in BLINDNESS:
        labs = [oklab(colors[f"c{place}"], eye) for place in range(6)]
        apart = [np.linalg.norm(a - b) for at, a in enumerate(labs) for b in labs[at + 1 :]]
        assert min(apart) >= 0.08
