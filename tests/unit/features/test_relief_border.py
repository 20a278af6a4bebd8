"""Numbers that Python and the core both state are the same."""

import re
from pathlib import Path

from branchline.features import _relief

HEADER = Path(__file__).parents[3] / "native" / "include" / "branchline" / "relief.hpp"


def test_the_marks_of_relief_are_those_of_the_core():
    found = re.findall(r"constexpr std::uint16_t (\w+) = ([\w']+);", HEADER.read_text())
    stated = {name: int(value.replace("'", ""), 0) for name, value in found}
    assert stated == {"full_difference": _relief._FULL, "missing_value": _relief._MISSING}
