"""Forests on real data: covertype (seven classes) and adult (categories, missing cells).

Ours takes the adult table as it is. scikit-learn needs an encoding, which is part of its fit, as it
is for a person with a frame: ordinal codes or one-hot columns. Scores are accuracies on new rows
for covertype, areas under the ROC curve on the test rows for adult.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, data_folder
from benchmarks._harness import Bench, workload
from benchmarks.workloads.forest import CLOSE, TREES, area, fit_call, fits, forest
from benchmarks.workloads.tree import accuracy

SETTINGS = {"n_estimators": TREES, "max_features": "sqrt"}
TEST_ROWS = 50_000


@workload(
    "forest-fit-covertype-100k",
    bar=8.0,
    against="scikit-learn",
    why="bins are counted, not sorted",
)
def forest_covertype(bench: Bench) -> None:
    """Grow a forest of 100 full trees on 100 000 rows of covertype (54 columns, 7 classes)."""
    _compare_covertype(bench, "RandomForestClassifier")


@workload(
    "extra-trees-fit-covertype-100k",
    bar=8.0,
    against="scikit-learn",
    why="nothing is sorted; extra-trees of both sides draw thresholds",
)
def extra_trees_covertype(bench: Bench) -> None:
    """Grow 100 full extra-trees on 100 000 rows of covertype (54 columns, 7 classes)."""
    _compare_covertype(bench, "ExtraTreesClassifier")


def _compare_covertype(bench: Bench, name: str) -> None:
    data = covertype(bench.rows(100_000), bench.seed)
    if data is None:
        bench.skip(ABSENT)
    bench.compare(
        fits(name, data, bench.threads, SETTINGS),
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
        redrawn=True,
        settings=SETTINGS,
    )


def covertype(n_rows: int, seed: int = 0) -> Data | None:
    """Return rows of covertype, drawn by the seed, and others to test on; None when absent."""
    import polars

    folder = data_folder()
    if folder is None or not (folder / "covertype" / "covtype.csv.gz").exists():
        return None
    values = polars.read_csv(folder / "covertype" / "covtype.csv.gz").to_numpy()
    values = values[np.random.default_rng(seed).permutation(len(values))]
    train, test = values[:n_rows], values[-TEST_ROWS:]
    return Data(_inputs(train), train[:, -1], _inputs(test), test[:, -1])


def _inputs(values: Any) -> Any:
    return np.ascontiguousarray(values[:, :-1], dtype=np.float32)


@workload(
    "forest-fit-adult",
    bar=8.0,
    against="scikit-learn-ordinal",
    why="categories and missing cells need no encoding",
    short=True,
)
def forest_adult(bench: Bench) -> None:
    """Grow a forest of 100 full trees on the adult census data, missing values included."""
    _compare_adult(bench, "RandomForestClassifier")


@workload(
    "extra-trees-fit-adult",
    bar=8.0,
    against="scikit-learn-ordinal",
    why="categories and missing cells need no encoding",
)
def extra_trees_adult(bench: Bench) -> None:
    """Grow 100 full extra-trees on the adult census data, missing values included."""
    _compare_adult(bench, "ExtraTreesClassifier")


def _compare_adult(bench: Bench, name: str) -> None:
    data = adult()
    if data is None:
        bench.skip(ABSENT)

    def theirs(encoder: Callable[[], Any]) -> Callable[[], Any]:
        return fit_call(lambda: encoded(data, encoder(), make("scikit-learn")), data)

    make = partial(forest, name, bench.threads, **SETTINGS)
    bench.compare(
        {
            "branchline": lambda: fit_call(partial(make, "branchline"), data),
            "scikit-learn-ordinal": lambda: theirs(ordinal),
            "scikit-learn-one-hot": lambda: theirs(one_hot),
        },
        score=lambda model: area(model, data),
        closeness=CLOSE,
        settings=SETTINGS,
    )


def encoded(data: Data, encoder: Any, model: Any) -> Any:
    """Return an encoder of the words, numbers as they are, then the forest."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    columns = make_column_transformer((encoder, words), remainder="passthrough")
    return make_pipeline(columns, model)


def ordinal() -> Any:
    """Return an encoder of words as codes; a missing word is -2, one never seen -1."""
    from sklearn.preprocessing import OrdinalEncoder

    return OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    )


def one_hot() -> Any:
    from sklearn.preprocessing import OneHotEncoder

    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)
