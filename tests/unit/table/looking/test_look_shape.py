"""The shape of a column in a look: counts, characters, and what stays aligned."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import branchline as bl
from branchline._drawing import spark_svg, spark_text
from branchline._plain_text import width


def shape(values) -> tuple[int, ...]:
    return bl.look({"x": values})["x"].shape


def test_numbers_fall_into_eight_bins() -> None:
    assert shape(list(range(80))) == (10,) * 8
    assert shape([1, 1, 2, 3, 3, 3]) == (2, 1, 3)
    assert shape([5.0, 5.0]) == ()


def test_far_values_do_not_empty_the_bins() -> None:
    values = [*np.linspace(0, 1, 800), 1e9]
    assert max(shape(values)) <= 102


def test_categories_are_counted_by_frequency() -> None:
    assert shape(["a", "b", "b", "b", "a", "c", "c", "c", "c"]) == (4, 3, 2)
    assert shape([f"name {n}" for n in range(30)]) == ()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=40))
def test_every_known_number_is_counted(values: list[float]) -> None:
    known = [value for value in values if value == value]
    counts = shape(values)
    assert sum(counts) in {0, len(known)}
    assert len(spark_text(counts)) == len(counts) <= 8
    assert spark_svg(counts).endswith("</svg>")


def test_characters() -> None:
    assert spark_text([1, 2, 4, 8]) == "▁▂▄█"
    assert spark_text([0, 1, 1000]) == " ▁█"
    plain = spark_text([1, 2, 4, 8], ascii_only=True)
    assert plain.isascii()
    assert len(set(plain)) == 4


def test_lines_stay_aligned_and_narrow_terminals_have_none() -> None:
    table = bl.load_dataset("heart")
    lines = table.look().to_text(100).split("\n")
    head = next(place for place, line in enumerate(lines) if line.startswith("column"))
    at = lines[head].index("shape")
    for line in lines[head + 2 : head + 10]:
        assert line[at - 2 : at] == "  "
        assert line[at + 8 : at + 10].strip() == ""
        assert width(line) <= 100
    assert "shape" not in table.look().to_text(60)
    assert "▁" not in table.look().to_text(100, ascii_only=True)
