"""Gradient boosting on real data: covertype (seven classes) and adult (categories).

All get the same rows. Adult is a pandas frame with categories, which every library takes as they
are; a missing cell is the category "?", as in the file, since CatBoost takes no missing category.
Scores are accuracies on new rows for covertype, areas under the ROC curve on the test rows for
adult. ``boosting`` says what is equal.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks._data import ABSENT, Data, adult
from benchmarks._harness import Bench, workload
from benchmarks.workloads.boosting import (
    CATBOOST,
    CLOSE,
    FEW_REPEATS,
    LEAF_WISE_PEERS,
    OURS,
    OURS_SYMMETRIC,
    Make,
    Shape,
    catboost,
    described,
    fits,
)
from benchmarks.workloads.forest import area
from benchmarks.workloads.forest_real import covertype
from benchmarks.workloads.tree import accuracy

COVERTYPE = Shape(rounds=50, leaves=31)
ADULT = Shape(rounds=100, leaves=31)
MISSING = "?"


@workload(
    "boosting-covertype",
    bar=2.0,
    why="as for two classes, with less room: other losses, categories",
)
def fit_covertype(bench: Bench) -> None:
    """Fit 50 rounds of 31 leaves on 100 000 rows of covertype (54 columns, 7 classes)."""
    _compare_covertype(bench, OURS | LEAF_WISE_PEERS, memory=True)


@workload(
    "boosting-covertype-symmetric",
    bar=2.0,
    against="catboost",
    why="one test for all nodes of a level",
)
def fit_covertype_symmetric(bench: Bench) -> None:
    """Fit 50 rounds of symmetric trees of 5 levels on 100 000 rows of covertype."""
    _compare_covertype(bench, OURS_SYMMETRIC | CATBOOST)


def _compare_covertype(bench: Bench, makers: Mapping[str, Make], **options: Any) -> None:
    data = covertype(bench.rows(100_000), bench.seed)
    if data is None:
        bench.skip(ABSENT)
    data = data._replace(y=data.y - 1, y_test=data.y_test - 1)  # XGBoost counts classes from 0
    bench.compare(
        fits(makers, COVERTYPE, bench.threads, data),
        # CatBoost predicts classes in a column of its own shape; probabilities are alike for all
        score=lambda model: accuracy(model.predict_proba(data.X_test).argmax(axis=1), data.y_test),
        closeness=CLOSE,
        redrawn=True,
        n_repeats=FEW_REPEATS,
        settings=described(COVERTYPE),
        **options,
    )


@workload(
    "boosting-adult",
    bar=2.0,
    why="as for two classes, with less room: other losses, categories",
    short=True,
)
def fit_adult(bench: Bench) -> None:
    """Fit 100 trees of 31 leaves on the adult census data, with its categories."""
    _compare_adult(bench, OURS | LEAF_WISE_PEERS)


@workload(
    "boosting-adult-symmetric", bar=2.0, against="catboost", why="one test for all nodes of a level"
)
def fit_adult_symmetric(bench: Bench) -> None:
    """Fit 100 symmetric trees of 5 levels on the adult census data, with its categories."""
    _compare_adult(bench, OURS_SYMMETRIC | CATBOOST)


def _compare_adult(bench: Bench, makers: Mapping[str, Make]) -> None:
    data = adult_frames()
    if data is None:
        bench.skip(ABSENT)
    if "catboost" in makers:
        words = [*data.X.select_dtypes("category").columns]
        makers = {**makers, "catboost": partial(catboost, cat_features=words)}
    bench.compare(
        fits(makers, ADULT, bench.threads, data),
        score=lambda model: area(model, data),
        closeness=CLOSE,
        settings=described(ADULT),
    )


def adult_frames() -> Data | None:
    """Return adult as pandas frames whose training and test rows share their categories."""
    import pandas

    data = adult()
    if data is None:
        return None
    both = pandas.DataFrame(
        {name: [*data.X[name], *data.X_test[name]] for name in data.X.columns},
    )
    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    for name in words:
        both[name] = both[name].fillna(MISSING).astype("category")
    split = len(data.y)
    return Data(both[:split], data.y, both[split:].reset_index(drop=True), data.y_test)
