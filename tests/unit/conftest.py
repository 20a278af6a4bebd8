"""A sound model and its bytes, for the tests of loading."""

import pytest

from branchline._saving._write import to_bytes
from branchline.tree import DecisionTreeClassifier, Stump
from common.tables import mixed_frame, target


@pytest.fixture(scope="module")
def stump() -> DecisionTreeClassifier:
    """Return a fitted stump on a mixed table."""
    frame = mixed_frame(80)
    return Stump().fit(frame, target(frame, "classification"))


@pytest.fixture(scope="module")
def sound(stump: DecisionTreeClassifier) -> bytes:
    """Return the bytes of its model file."""
    return to_bytes(stump)
