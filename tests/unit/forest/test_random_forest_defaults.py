"""Defaults of forests that the documentation names are those of the code."""

import re
from pathlib import Path

import numpy as np

from branchline.forest import RandomForestRegressor

PAGE = Path(__file__).parents[3] / "docs" / "forests.md"


def test_columns_looked_at_for_numbers() -> None:
    said = re.findall(r"`max_features=([^`]+)` for numbers", PAGE.read_text())
    assert said == [str(RandomForestRegressor().max_features)]


def test_few_columns_are_all_looked_at() -> None:
    """With one column a node, a test would often be on a column that tells nothing."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 100, (600, 3))
    y = 3 * X[:, 0] - 2 * X[:, 1] + rng.normal(size=600)
    usual, every = (
        RandomForestRegressor(max_features=features).fit(X[:400], y[:400]).score(X[400:], y[400:])
        for features in ("auto", None)
    )
    assert usual == every
