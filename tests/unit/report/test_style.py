"""The colors of the page can be read, in light and in dark."""

import re

import pytest

from branchline.report._blocks import Grid
from branchline.report._html import _grid
from branchline.report._style import _COLORS_DARK, _COLORS_LIGHT, STYLE


def _colors(text):
    found = dict(re.findall(r"--([a-z-]+):(#[0-9a-f]+)", text))
    whole = {name: code if len(code) == 7 else "#" + 2 * code[1:] for name, code in found.items()}
    return {
        name: [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)] for name, code in whole.items()
    }


def _light(color):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _contrast(one, other):
    low, high = sorted([_light(one), _light(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [_COLORS_LIGHT, _COLORS_DARK])
def test_words_have_contrast(mode):
    colors = _colors(mode)
    for name in ("ink", "quiet", "first", "second", "good", "caution"):
        for ground in ("ground", "panel"):
            assert _contrast(colors[name], colors[ground]) >= 4.5, (name, ground)
    for name in ("ink", "caution"):
        assert _contrast(colors[name], colors["caution-ground"]) >= 4.5


@pytest.mark.parametrize("mode", [_COLORS_LIGHT, _COLORS_DARK])
@pytest.mark.parametrize("name", ["first", "second"])
def test_words_on_filled_cells_have_contrast(mode, name):
    colors = _colors(mode)
    filled = [
        0.45 * over + 0.55 * under
        for over, under in zip(colors[name], colors["ground"], strict=True)
    ]
    assert _contrast(colors["ink"], filled) >= 4.5


def test_paper_is_light_and_opens_what_is_folded():
    paper = STYLE[STYLE.rindex("@media print") :]
    assert "details::details-content{content-visibility:visible" in paper
    assert f"@media print{{:root{{color-scheme:light;{_COLORS_LIGHT}}}}}" in STYLE
    assert "break-before:page" in paper


def test_tables_too_wide_for_a_phone_become_cards_that_name_their_cells():
    narrow = Grid("Counts", ("class", "rows"), (("good", "700"),))
    wide = Grid(
        "Values", ("column", "values"), (("age", "a sentence of fifty letters, more or less <50"),)
    )
    assert "cards" not in _grid(narrow)
    assert 'class="cards"' in _grid(wide)
    assert 'data-head="values"' in _grid(wide)
    assert ".cards td::before{content:attr(data-head)" in STYLE
