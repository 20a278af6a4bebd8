"""Wide tables: many more columns than rows, every learner at its defaults.

Both sides take the matrix as it is. Ours standardizes it, and chooses penalties and numbers of
neighbors by cross-validation where scikit-learn's defaults are fixed numbers: a ratio of 0.5 means
that all of this takes twice as long as their plain fit. Scores are those of new rows.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload

N_NEW = 200
SHAPES = {"72-7k": (72, 7129), "60-10k": (60, 10_000), "100-50k": (100, 50_000)}
CLASSIFIERS = {
    "lda": (
        "branchline.linear:LinearDiscriminantAnalysis",
        "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    ),
    "neighbors": (
        "branchline.neighbors:NearestNeighborsClassifier",
        "sklearn.neighbors:KNeighborsClassifier",
    ),
    "naive_bayes": ("branchline.bayes:NaiveBayes", "sklearn.naive_bayes:GaussianNB"),
    "logistic": (
        "branchline.linear:LogisticRegression",
        "sklearn.linear_model:LogisticRegression",
    ),
    "linear-svc": ("branchline.svm:LinearSVC", "sklearn.svm:LinearSVC"),
}
REGRESSORS = {
    "ridge": ("branchline.linear:Ridge", "sklearn.linear_model:RidgeCV"),
    "linear_regression": (
        "branchline.linear:LinearRegression",
        "sklearn.linear_model:LinearRegression",
    ),
}


def wide_rows(n_rows: int, n_columns: int, *, classes: bool, seed: int = 0) -> Data:
    """Return standard normal columns of which twenty tell about the target, and new rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows + N_NEW, n_columns))
    if classes:
        y = random.integers(0, 2, len(X))
        X[:, :20] += y[:, None]
    else:
        y = X[:, :20].sum(axis=1) + random.normal(size=len(X))
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def _register(family: str, shape: str, names: tuple[str, str], *, classes: bool) -> None:
    n_rows, n_columns = SHAPES[shape]

    def run(bench: Bench) -> None:
        data = wide_rows(n_rows, n_columns, classes=classes)
        ours, theirs = (_made(name) for name in names)
        competitors = {
            "branchline": lambda: lambda: ours().fit(data.X, data.y),
            "scikit-learn": lambda: lambda: theirs().fit(data.X, data.y),
        }
        bench.compare(competitors, score=lambda model: model.score(data.X_test, data.y_test))

    run.__doc__ = f"Fit {family} on {n_rows} × {n_columns} at the defaults."
    workload(f"wide-{family}-{shape}", bar=0.5, against="scikit-learn")(run)


def _made(name: str) -> Callable[[], Any]:
    module, kind = name.split(":")
    made: Callable[[], Any] = getattr(import_module(module), kind)
    return made


for _shape in SHAPES:
    for _family, _names in CLASSIFIERS.items():
        _register(_family, _shape, _names, classes=True)
    for _family, _names in REGRESSORS.items():
        _register(_family, _shape, _names, classes=False)
