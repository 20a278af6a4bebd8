"""Defaults of forests that the documentation names are those of the code."""

import re
from pathlib import Path

from branchline.forest import RandomForestRegressor

PAGE = Path(__file__).parents[3] / "docs" / "forests.md"


def test_columns_looked_at_for_numbers() -> None:
    said = re.findall(r"`max_features=([^`]+)` for numbers", PAGE.read_text())
    assert said == [str(RandomForestRegressor().max_features)]
