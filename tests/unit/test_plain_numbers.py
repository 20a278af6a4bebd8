"""Numbers for people are written in one place, in one way."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _plain_numbers as plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (18931.4, "18,931"),
        (22360.897, "22,361"),
        (0.85, "0.85"),
        (0.8504321, "0.8504"),
        (-2.5, "−2.5"),
        (999.96, "1,000"),
        (9999.6, "10,000"),
        (0.00012, "0.00012"),
        (1.11e-16, "1.11\xa0×\xa010⁻¹⁶"),
        (-9.223e18, "−9.223\xa0×\xa010¹⁸"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
        (123456789, "123,456,789"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert plain.number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_has_an_exponent_or_a_hyphen(value: float) -> None:
    for text in (
        plain.number(value),
        plain.rounded(value),
        plain.signed(value),
        plain.fixed(value),
    ):
        assert "e" not in text
        assert "-" not in text


@given(st.floats(1e-4, 1e14))
def test_number_keeps_its_digits(value: float) -> None:
    assert float(plain.number(value).replace(",", "")) == pytest.approx(value, rel=6e-4)


def test_a_cell_may_be_a_year() -> None:
    assert [plain.cell(x) for x in (1912, -1912.5, 10000, 0.1234567)] == [
        "1912",
        "−1912.5",
        "10,000",
        "0.123457",
    ]


def test_rounded_keeps_only_leading_digits() -> None:
    assert plain.rounded(18931.4) == "18,900"
    assert plain.rounded(823.4, 2) == "820"
    assert plain.rounded(0.012345, 2) == "0.012"
    assert plain.rounded(math.nan) == "–"


def test_signed() -> None:
    assert [plain.signed(x) for x in (0.02, -1.5, 0, 1234.5)] == ["+0.02", "−1.5", "0", "+1,234"]


def test_fixed() -> None:
    assert plain.fixed(-0.0001) == "0.000"
    assert plain.fixed(-0.125, 2) == "−0.12"
    assert plain.fixed(12345.678, 1) == "12,345.7"


def test_numbers_that_stand_together_have_one_style() -> None:
    assert plain.alike([0.85, 0.8, 0.9]) == ["0.850", "0.800", "0.900"]
    assert plain.alike([12.345, 9.1, 15.5]) == ["12.35", "9.10", "15.50"]
    assert plain.alike([22360.9, 1.2, math.nan]) == ["22,360", "0", "–"]
    assert plain.alike([0.0123456, 0.01, 0.015]) == ["0.01235", "0.01000", "0.01500"]
    assert plain.alike([0.0, 0.0]) == ["0.000", "0.000"]
    assert plain.interval(0.85, 0.8, 0.9) == "0.850 (0.800 to 0.900)"


@pytest.mark.parametrize(
    ("share", "text", "fine"),
    [
        (0, "0 %", "0 %"),
        (1, "100 %", "100 %"),
        (0.9994, "> 99 %", "99.9 %"),
        (0.99996, "> 99 %", "> 99.9 %"),
        (0.995, "> 99 %", "99.5 %"),
        (0.994, "99 %", "99.4 %"),
        (0.004, "< 1 %", "0.4 %"),
        (0.005, "< 1 %", "0.5 %"),
        (0.0001, "< 1 %", "< 0.1 %"),
        (0.125, "12 %", "12 %"),
        (1.5, "150 %", "150 %"),
    ],
)
def test_percent(share: float, text: str, fine: str) -> None:
    assert plain.percent(share) == text
    assert plain.percent(share, fine=True) == fine


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_only_nothing_is_0_percent_and_only_all_is_100(share: float) -> None:
    for text in (plain.percent(share), plain.percent(share, fine=True), plain.probability(share)):
        assert text not in {"0 %", "100 %", "0.0 %", "100.0 %"}


def test_a_probability_is_never_certain() -> None:
    assert [plain.probability(p) for p in (0, 0.5, 1)] == ["< 1 %", "50 %", "> 99 %"]


def test_counts_have_their_nouns() -> None:
    said = [plain.count(n, "leaf") for n in (0, 1, 2, 2000)]
    assert said == ["0 leaves", "1 leaf", "2 leaves", "2,000 leaves"]
    assert plain.count(1, "leaves") == "1 leaf"
    assert plain.count(1, "rows") == "1 row"
    assert plain.count(1, "class") == "1 class"
    assert plain.count(3, "category") == "3 categories"
    assert plain.count(1, "categories") == "1 category"
    assert plain.count(2.5, "row") == "2.5 rows"
    assert plain.noun(1, "was", "were") == "was"


def test_names_are_joined() -> None:
    assert plain.joined([]) == ""
    assert plain.joined(["a"]) == "a"
    assert plain.joined(["a", "b", "c"]) == "a, b and c"
    assert plain.joined(["a", "b", "c"], 2) == "a, b and 1 more"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "12 ms"),
        (0.9, "900 ms"),
        (3.42, "3.4 s"),
        (42.4, "42 s"),
        (300, "5 min"),
        (7500, "2.1 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert plain.duration(seconds) == text


def test_noise_is_zero() -> None:
    assert plain.without_noise(-1.11e-16) == 0
    assert plain.without_noise(1e-9) == 1e-9
    assert plain.without_noise(1e-9, 1e6) == 0
