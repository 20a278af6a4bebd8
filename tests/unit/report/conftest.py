"""Small comparisons to report on, made once for all tests of this room."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import Comparison, compare
from branchline.report._findings import Findings

HOSTILE = "<i>target</i> | pipe"
SCRIPT = '<script>alert("x")</script>'
RIGHT_TO_LEFT = "שלום עולם"
LONG = "a" * 300
BOLD = "</td><b>bold"


def hostile_columns(n_rows: int = 120) -> dict[str, Any]:
    """Return columns whose names and categories try to break a page."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, n_rows)
    names = np.array([BOLD, "עברית", "x" * 200])
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, n_rows).astype("timedelta64[D]")
    said = np.where(rng.random(n_rows) < 0.8, names[kind], names[(kind + 1) % 3])
    return {
        SCRIPT: names[kind],
        "he said \"hi\" & 'bye'": rng.normal(size=n_rows),
        RIGHT_TO_LEFT: names[rng.integers(0, 3, n_rows)],
        "🙂\ttab": rng.normal(size=n_rows),
        LONG: rng.normal(size=n_rows),
        "dates": days,
        HOSTILE: said,
    }


@pytest.fixture(autouse=True, scope="session")
def _few_draws() -> Iterator[None]:
    """Bands of curves are tested elsewhere; a few draws are enough here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Findings, "_n_draws", 10)
        yield


@pytest.fixture(scope="session")
def iris() -> Comparison:
    return compare(load_dataset("iris"), "species", learners="tree,one_rule", n_folds=4)


@pytest.fixture(scope="session")
def credit() -> Comparison:
    costs = {("bad", "good"): 5, ("good", "bad"): 1}
    return compare(
        load_dataset("german-credit"), "class", learners="one_rule,stump", n_folds=3, costs=costs
    )


@pytest.fixture(scope="session")
def cars() -> Comparison:
    return compare(load_dataset("auto-mpg"), "mpg", learners="tree,stump", n_folds=3)


@pytest.fixture(scope="session")
def forest() -> Comparison:
    return compare(load_dataset("auto-mpg"), "mpg", learners="stump,random_forest", n_folds=3)


@pytest.fixture(scope="session")
def boosting() -> Comparison:
    return compare(load_dataset("german-credit"), "class", learners="gradient_boosting", n_folds=3)


@pytest.fixture(scope="session")
def noise() -> Comparison:
    rng = np.random.default_rng(0)
    columns = {f"x{place}": rng.normal(size=60) for place in range(4)}
    table = Table({**columns, "y": rng.permutation(["yes", "no", "no"] * 20)})
    return compare(table, "y", learners="stump,tree", n_folds=3)


@pytest.fixture(scope="session")
def hostile() -> Comparison:
    return compare(Table(hostile_columns()), HOSTILE, learners="tree", n_folds=3)
