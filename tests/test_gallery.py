"""The gallery runs in its small form, draws pictures, and finds what its pages say it finds."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "examples" / "gallery").glob("plot_*.py"))
Names = dict[str, Any]

# What each example claims, as far as a small form can show it.
CLAIMS: dict[str, Callable[[Names], bool]] = {
    "body_parts": lambda names: names["accuracy"] > 0.8,
    "clicks": lambda names: sum(names["losses"]) < sum(names["constant_losses"]),
    "eigenfaces": lambda names: names["right"][-1] >= 0.8,
    "faces": lambda names: names["curve"][-1] < 0.1,
    "image_codes": lambda names: names["errors"] == sorted(names["errors"], reverse=True),
    "leukemia": lambda names: names["share"] > 0.8,
    "parity": lambda names: names["accuracy_by_lookahead"] == {1: 0.5, 2: 0.5, 3: 1.0},
    "pedestrians": lambda names: names["accuracy"] > 0.85,
    "pronunciation": lambda names: names["tree"].predict(names["new_table"])[0] == "s",
    "questions": lambda names: 0 <= names["excess"] < 1.2,
    "robot": lambda names: names["second_crashes"] == 0,
    "selection_bias": lambda names: names["wrong"].estimate > names["right"].high,
    "sine": lambda names: 2 <= names["best"] <= 8,
    "spam": lambda names: names["found"].standings[0].score.low > 0.85,
    "stacking": lambda names: names["scores"]["stack"].estimate < 4,
    "tanks": lambda names: names["typical"].shape == (24, 36),
    "threes": lambda names: names["ratio"][1] < names["ratio"][7] < 1,
}


def test_every_example_has_a_claim() -> None:
    assert [path.stem.removeprefix("plot_") for path in SCRIPTS] == sorted(CLAIMS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_runs_draws_and_learns(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRANCHLINE_SMALL", "1")
    names = runpy.run_path(str(script))
    pictures = [value for value in names.values() if hasattr(value, "to_svg")]
    pictures = [value for value in pictures if not isinstance(value, type)]
    assert pictures
    for picture in pictures:
        assert picture.to_svg().startswith("<svg")
    assert CLAIMS[script.stem.removeprefix("plot_")](names)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_ends_with_what_was_learned(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.count("# What was learned\n# ---") == 1
    ending = text.split("# What was learned\n")[1]
    assert all(line.startswith("#") for line in ending.splitlines() if line)
