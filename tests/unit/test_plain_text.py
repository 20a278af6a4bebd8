"""Names and sentences as safe text."""

import pytest

from branchline._plain_numbers import number
from branchline._plain_text import clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\tb\xa0c", "a\\tb\\xa0c"),
        (f"off by {number(7.264e-12)}", f"off by {number(7.264e-12)}"),
    ],
)
def test_only_what_does_not_print_is_escaped(text: str, expected: str) -> None:
    assert clean(text) == expected
