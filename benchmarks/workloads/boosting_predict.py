"""Gradient boosting: predicting many rows or one, and saving.

Models of 100 trees are fitted before anything is timed; ``boosting`` says what is equal. CatBoost's
symmetric trees are looked up, not walked; for many rows, trees of the same growth are compared.
Of one row all are compared, each in the faster of its ways: LightGBM and XGBoost also without their
scikit-learn layer ("-booster"). Scores of predictions are areas under the ROC curve. The score of a
saved model is the size of its file in MiB, so less is better there.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._data import Data, two_classes
from benchmarks._harness import Bench, Prepare, workload
from benchmarks.workloads.boosting import (
    CATBOOST,
    CLOSE,
    LIGHTGBM,
    OURS,
    OURS_SYMMETRIC,
    SCIKIT_LEARN,
    XGBOOST,
    Make,
    Shape,
    described,
)
from benchmarks.workloads.forest_predict import dump

SHAPE = Shape()
PREDICTIONS = 100

Probabilities = Callable[[Any, Any], Any]  # of a fitted model and rows


@workload(
    "boosting-predict-400k", bar=1.0, why="predicting must not be slower than any peer", short=True
)
def predict_many(bench: Bench) -> None:
    """Predict the probabilities of 400 000 × 28 float32 with 100 trees of 63 leaves."""
    _compare_many(bench, OURS | LIGHTGBM | XGBOOST | SCIKIT_LEARN)


@workload(
    "boosting-predict-400k-symmetric",
    bar=1.0,
    against="catboost",
    why="predicting must not be slower than any peer",
)
def predict_many_symmetric(bench: Bench) -> None:
    """Predict the probabilities of 400 000 × 28 float32 with 100 symmetric trees of 6 levels."""
    _compare_many(bench, OURS_SYMMETRIC | CATBOOST)


def _compare_many(bench: Bench, makers: Mapping[str, Make]) -> None:
    data = two_classes(bench.rows(100_000), n_test=bench.rows(400_000))

    def prepare(name: str, make: Make) -> Callable[[], Any]:
        model = make(SHAPE, bench.threads).fit(data.X, data.y)
        probabilities = probabilities_of(name, bench.threads)
        return lambda: probabilities(model, data.X_test)

    bench.compare(
        {name: partial(prepare, name, make) for name, make in makers.items()},
        score=lambda probabilities: area_of(probabilities, data),
        closeness=CLOSE,
        settings=described(SHAPE),
    )


@workload("boosting-predict-one", bar=1.0, why="services predict single rows", short=True)
def predict_one(bench: Bench) -> None:
    """Predict the probabilities of one row with 100 trees, a hundred times, in one thread."""
    data = two_classes(bench.rows(20_000))
    row = np.ascontiguousarray(data.X[:1])

    def prepare(make: Make, probabilities: Probabilities) -> Callable[[], Any]:
        model = make(SHAPE, 1).fit(data.X, data.y)
        return in_one_thread(lambda: [probabilities(model, row) for _ in range(PREDICTIONS)])

    makers = OURS | LIGHTGBM | XGBOOST | SCIKIT_LEARN | CATBOOST
    competitors: dict[str, Prepare] = {
        name: partial(prepare, make, probabilities_of(name, 1)) for name, make in makers.items()
    }
    for name, probabilities in WITHOUT_LAYER.items():
        competitors[f"{name}-booster"] = partial(prepare, makers[name], probabilities)
    bench.compare(competitors, settings=described(SHAPE))


def in_one_thread(call: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call with one OpenMP thread; pools are looked up before anything is timed."""
    from threadpoolctl import ThreadpoolController

    pools = ThreadpoolController()

    def limited() -> Any:
        with pools.limit(limits=1):
            return call()

    return limited


def probabilities_of(name: str, threads: int) -> Probabilities:
    """Return how a library says probabilities; CatBoost is told its threads at every call."""
    if name == "catboost":
        return lambda model, rows: model.predict_proba(rows, thread_count=threads)
    return lambda model, rows: model.predict_proba(rows)


WITHOUT_LAYER: dict[str, Probabilities] = {
    "lightgbm": lambda model, rows: model.booster_.predict(rows, num_threads=1),
    "xgboost": lambda model, rows: model.get_booster().inplace_predict(rows),
}


def area_of(probabilities: Any, data: Data) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(data.y_test, probabilities[:, 1]))


@workload("boosting-save-100k-28")
def save(bench: Bench) -> None:
    """Save 100 trees fitted on 100 000 × 28 float32; the score is the file's size in MiB."""
    data = two_classes(bench.rows(100_000))

    def prepare(file: str, make: Make, write: Callable[[Any, Path], Any]) -> Callable[[], Path]:
        model, path = make(SHAPE, bench.threads).fit(data.X, data.y), Path(folder) / file

        def call() -> Path:
            write(model, path)
            return path

        return call

    with TemporaryDirectory() as folder:
        bench.compare(
            {name: partial(prepare, *how) for name, how in WRITERS.items()},
            score=lambda path: path.stat().st_size / 2**20,
            settings=described(SHAPE),
        )


# The ending of a file's name tells XGBoost and CatBoost which format to write.
WRITERS: dict[str, tuple[str, Make, Callable[[Any, Path], Any]]] = {
    "branchline": ("ours", OURS["branchline"], lambda model, path: model.save(path)),
    "branchline-symmetric": (
        "symmetric",
        OURS_SYMMETRIC["branchline"],
        lambda model, path: model.save(path),
    ),
    "lightgbm": (
        "lightgbm.txt",
        LIGHTGBM["lightgbm"],
        lambda model, path: model.booster_.save_model(path),
    ),
    "xgboost": ("xgboost.ubj", XGBOOST["xgboost"], lambda model, path: model.save_model(path)),
    "scikit-learn": ("plain", SCIKIT_LEARN["scikit-learn"], dump),
    "scikit-learn-compressed": (
        "compressed",
        SCIKIT_LEARN["scikit-learn"],
        partial(dump, compress=3),
    ),
    "catboost": (
        "catboost.cbm",
        CATBOOST["catboost"],
        lambda model, path: model.save_model(str(path)),
    ),
}
