"""The reference is complete: examples, defaults and See Also (``make docstrings``)."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import docstrings


def test_every_public_name_has_an_example_its_defaults_and_what_to_see_next():
    assert docstrings.findings() == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Do it.\n\nSee Also\n--------\nit", "no example"),
        (">>> 1", "no See Also"),
        (">>> 1\nSee Also\n---\n" + "\n" * 120, "more than 120 lines"),
    ],
)
def test_the_check_finds_what_is_missing(text, missing):
    assert list(docstrings._missing("it", text)) == [missing]


def test_a_default_must_be_said():
    def grow(depth=3, width=4, y=None):
        """Grow.

        Parameters
        ----------
        depth
            How deep. Default 3.
        width
            How wide.
        """

    assert list(docstrings._without_default(grow)) == ["width does not say its default"]
