"""The tables themselves: verdicts, texts, data."""

import json
import math

import pytest

from branchline.reproduce import Figure, Line, Reproduction
from branchline.reproduce._comparing_digits import counted, figure, figures, worded

GOOD = Figure("error", 7.0, 6.9, True, 1)
BAD = Figure("variance", 0.4, 0.9, False, 1)
EXPLAINED = Figure("variance", 0.4, 0.9, False, 1, why="printed wrongly.")


def table(*lines: Line, is_wide: bool = False) -> Reproduction:
    return Reproduction("A table", lines, "within 20 %", ("A note.",), is_wide)


@pytest.mark.parametrize(
    ("printed", "ours", "digits", "agrees"),
    [
        (0.940, 0.94029, 3, True),
        (0.940, 0.93951, 3, True),
        (0.940, 0.94051, 3, False),
        (0.2467, 0.24675, 4, True),
        (0.2467, 0.24676, 4, False),
        (5, 5.0, 0, True),
        (5, 6.0, 0, False),
        (0.5, math.nan, 1, False),
    ],
)
def test_equal_to_the_digits_printed(
    printed: float, ours: float, digits: int, agrees: bool
) -> None:
    assert figure("x", printed, ours, digits).agrees is agrees


def test_words_and_counts() -> None:
    assert worded("test", "wind", "wind").agrees
    assert not worded("test", "wind", "outlook").agrees
    assert counted("leaves", 5, 5).agrees
    assert not counted("leaves", 5, 4).agrees
    with pytest.raises(ValueError, match="shorter"):
        figures({"a": 1.0, "b": 2.0}, [1.0], 3)


def test_verdicts() -> None:
    good, bad = Line("linear", (GOOD,)), Line("stump", (GOOD, BAD))
    explained = Line("bagged", (GOOD, EXPLAINED))
    assert table(good).agrees
    assert table(good).verdict == "All 1 lines (1 figures) agree (within 20 %)."
    assert not table(good, bad).agrees
    assert table(good, bad, explained).verdict == "1 of 3 lines differ (within 20 %): stump."
    assert table(good, explained).agrees
    assert "1 of them but for the reasons given" in table(good, explained).verdict
    assert [line.mark for line in (good, bad, explained)] == ["", "differs", "explained"]


@pytest.mark.parametrize("is_wide", [True, False])
def test_texts_show_both_numbers_and_reasons(is_wide: bool) -> None:
    text = table(Line("linear", (GOOD, BAD)), Line("bag", (GOOD, EXPLAINED)), is_wide=is_wide)
    shown = text.to_text()
    assert str(text) == shown
    assert shown.splitlines()[0] == "A table"
    for part in ("7.0", "6.9", "0.4", "0.9", "differs", "explained", "A note."):
        assert part in shown
    assert "bag, variance: printed wrongly." in shown
    assert "linear, variance:" not in shown


def test_a_spread_is_shown() -> None:
    assert (
        Figure("apparent", 0.16, 0.22, True, 2, 0.14, 0.26).shown("ours") == "0.22 (0.14 to 0.26)"
    )


def test_data_are_json_even_where_a_number_does_not_exist() -> None:
    lines = (
        Line("a", (figure("x", 0.5, math.nan, 1), Figure("y", 1, 2, False, low=0.0, high=3.0))),
    )
    sent = json.loads(json.dumps(Reproduction("t", lines, "r").to_dict(), allow_nan=False))
    first, second = sent["lines"][0]["figures"]
    assert first["ours"] is None
    assert "low" not in first
    assert (second["low"], second["high"]) == (0.0, 3.0)
    assert sent["agrees"] is False
