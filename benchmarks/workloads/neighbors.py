"""Neighbors: fitting with k chosen, and predicting, against scikit-learn's neighbors.

scikit-learn's pipeline encodes what ours takes as it is. Scores are accuracies on new rows.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, two_classes
from benchmarks._harness import Bench, workload
from benchmarks.reproductions.neighbors_accuracy import cells, pipeline, searched

ENCODING = "one-hot, standard"
# Two equally good choices of k differ by about this much on 2 000 new rows.
CLOSE = 0.015


@workload(
    "neighbors-adult-choose-k",
    bar=1.0,
    against="scikit-learn-grid-search",
    why="all k are judged in one pass over the folds",
    short=True,
)
def choose_k(bench: Bench) -> None:
    """Choose k on 5 000 rows of the adult census data and predict 2 000, as they are."""
    data = _some_adult(bench)
    bench.compare(
        {
            "branchline": lambda: (
                lambda: _ours(bench.threads).fit(data.X, data.y).predict(data.X_test)
            ),
            "scikit-learn-grid-search": lambda: _theirs(data, chosen=True),
        },
        score=lambda predicted: float(np.mean(predicted == data.y_test)),
        closeness=CLOSE,
        n_repeats=2,
    )


@workload(
    "neighbors-adult-given-k",
    bar=1.0,
    against="scikit-learn",
    why="choosing nothing must not cost anything",
)
def given_k(bench: Bench) -> None:
    """Fit with 15 neighbors on 5 000 rows of the adult census data and predict 2 000."""
    data = _some_adult(bench)
    options = {"n_neighbors": 15, "weights": "uniform"}
    bench.compare(
        {
            "branchline": lambda: (
                lambda: _ours(bench.threads, **options).fit(data.X, data.y).predict(data.X_test)
            ),
            "scikit-learn": lambda: _theirs(data, chosen=False),
        },
        score=lambda predicted: float(np.mean(predicted == data.y_test)),
        closeness=CLOSE,
    )


def _register_numbers(n_rows: int, name: str, *, short: bool) -> None:
    def numbers(bench: Bench) -> None:
        data = two_classes(bench.rows(n_rows), n_test=bench.rows(5_000))
        options = {"n_neighbors": 15, "weights": "uniform"}

        def their_call() -> Any:
            from sklearn.neighbors import KNeighborsClassifier
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler

            model = KNeighborsClassifier(n_jobs=bench.threads, **options)
            return lambda: (
                make_pipeline(StandardScaler(), model).fit(data.X, data.y).predict(data.X_test)
            )

        def our_call() -> Any:
            _ours(bench.threads)  # loads what is needed before memory is measured
            return lambda: _ours(bench.threads, **options).fit(data.X, data.y).predict(data.X_test)

        bench.compare(
            {"branchline": our_call, "scikit-learn": their_call},
            score=lambda predicted: float(np.mean(predicted == data.y_test)),
            closeness=CLOSE,
            memory=True,
        )

    numbers.__doc__ = f"Fit with 15 neighbors on {n_rows} × 28 float32 and predict 5 000."
    workload(
        name,
        bar=1.0,
        against="scikit-learn",
        why="choosing nothing must not cost anything",
        short=short,
    )(numbers)


_register_numbers(20_000, "neighbors-numbers-20k-28", short=True)
_register_numbers(200_000, "neighbors-numbers-200k-28", short=False)


def _ours(threads: int, **parameters: Any) -> Any:
    from branchline.neighbors import NearestNeighborsClassifier

    return NearestNeighborsClassifier(n_jobs=threads, **parameters)


def _theirs(data: Data, *, chosen: bool) -> Any:
    from branchline import Table

    X = Table(data.X)
    train, test = cells(X), cells(Table(data.X_test))

    def call() -> Any:
        if chosen:
            return searched(X, ENCODING).fit(train, data.y).predict(test)
        return pipeline(X, ENCODING, n_neighbors=15).fit(train, data.y).predict(test)

    return call


def _some_adult(bench: Bench) -> Data:
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    n_rows, n_test = bench.rows(5000), bench.rows(2000)
    return Data(data.X[:n_rows], data.y[:n_rows], data.X_test[:n_test], data.y_test[:n_test])
