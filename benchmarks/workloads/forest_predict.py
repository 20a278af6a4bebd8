"""Forests: predicting many rows or one, and saving.

Forests are grown before anything is timed, on equal settings: full trees, no out-of-bag estimate.
Scores of predictions are accuracies on new rows. The score of a saved model is the size of its file
in MiB, so less is better there; scikit-learn's models are saved by joblib, plain and compressed.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._data import two_classes
from benchmarks._harness import Bench, workload
from benchmarks.workloads.forest import (
    CLOSE,
    FEW_TREES,
    INTELEX,
    TREES,
    fit_call,
    forest,
    ydf_fit,
)
from benchmarks.workloads.tree import accuracy

PREDICTIONS = 100


@workload(
    "forest-predict-100k-28",
    bar=2.0,
    against="scikit-learn",
    why="eight bytes a node, columns ranked once",
    short=True,
)
def predict_many(bench: Bench) -> None:
    """Predict the classes of 100 000 × 28 float32 with 100 full trees."""
    _compare_predictions(bench, "scikit-learn")


@workload(
    "forest-predict-100k-28-intelex",
    bar=1.0,
    against=INTELEX,
    why="predicting must not be slower than any peer",
)
def predict_many_binned(bench: Bench) -> None:
    """Predict the classes of 100 000 × 28 float32 with 100 full trees grown in bins."""
    _compare_predictions(bench, INTELEX)


def _compare_predictions(bench: Bench, peer: str) -> None:
    data = two_classes(bench.rows(100_000), n_test=bench.rows(100_000))
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", bench.threads, **settings)

    def prepare(library: str) -> Callable[[], Any]:
        model = fit_call(partial(make, library), data)()
        return lambda: model.predict(data.X_test)

    bench.compare(
        {name: partial(prepare, name) for name in ("branchline", peer)},
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=CLOSE,
        settings=settings,
    )


@workload("forest-predict-one-row-100-times")
def predict_one(bench: Bench) -> None:
    """Predict the class of one row with 100 full trees, a hundred times, in one thread."""
    data = two_classes(bench.rows(20_000))
    row = np.ascontiguousarray(data.X[:1])
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", 1, **settings)

    def prepare(library: str) -> Callable[[], Any]:
        model = fit_call(partial(make, library), data)()
        return lambda: [model.predict(row) for _ in range(PREDICTIONS)]

    def prepare_ydf() -> Callable[[], Any]:
        model = ydf_fit(data, 1, n_trees=TREES)()
        return lambda: [model.predict({"x": row}, num_threads=1) for _ in range(PREDICTIONS)]

    libraries = ("branchline", "scikit-learn", INTELEX)
    competitors = {name: partial(prepare, name) for name in libraries}
    bench.compare({**competitors, "ydf": prepare_ydf}, settings=settings)


@workload("forest-save-100k-28")
def save(bench: Bench) -> None:
    """Save 20 full trees grown on 100 000 × 28 float32; the score is the file's size in MiB."""
    data = two_classes(bench.rows(100_000))
    settings = {"n_estimators": FEW_TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", bench.threads, **settings)

    def prepare(name: str, library: str, write: Callable[[Any, Path], Any]) -> Callable[[], Path]:
        model, path = fit_call(partial(make, library), data)(), Path(folder) / name

        def call() -> Path:
            write(model, path)
            return path

        return call

    writers = {
        "branchline": ("branchline", lambda model, path: model.save(path)),
        "scikit-learn": ("scikit-learn", dump),
        "scikit-learn-compressed": ("scikit-learn", partial(dump, compress=3)),
        INTELEX: (INTELEX, dump),
    }
    with TemporaryDirectory() as folder:
        bench.compare(
            {name: partial(prepare, name, *how) for name, how in writers.items()},
            score=lambda path: path.stat().st_size / 2**20,
            settings=settings,
        )


def dump(model: Any, path: Path, compress: int = 0) -> None:
    import joblib

    joblib.dump(model, path, compress=compress)
