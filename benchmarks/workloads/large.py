"""Large tables of few columns, and tables of many classes: fit and predict at the defaults.

Ours puts rows in an order of their own first, chooses C for the logistic regression, and gives
every machine of two classes a certificate and probabilities. A ratio of 0.5 means twice the time.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload

N_ROWS = 300_000
N_NEW = 1_000
LINEAR = {
    "logistic": (
        "branchline.linear:LogisticRegression",
        "sklearn.linear_model:LogisticRegression",
        {},
    ),
    "logistic-equal": (
        "branchline.linear:LogisticRegression",
        "sklearn.linear_model:LogisticRegression",
        {"C": 1.0},
    ),
    "lda": (
        "branchline.linear:LinearDiscriminantAnalysis",
        "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        {},
    ),
    "qda": (
        "branchline.linear:QuadraticDiscriminantAnalysis",
        "sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis",
        {},
    ),
    "linear_regression": (
        "branchline.linear:LinearRegression",
        "sklearn.linear_model:LinearRegression",
        {},
    ),
}


def large_rows(n_rows: int, *, classes: bool, seed: int = 0) -> Data:
    """Return ten standard normal columns of which three tell about the target, and new rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows + N_NEW, 10))
    y = X[:, :3].sum(axis=1) + random.normal(size=len(X))
    if classes:
        y = (y > 0).astype(np.int64)
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def class_rows(n_classes: int, rows_each: int, seed: int = 0) -> Data:
    """Return a cloud of ten columns for each class, and new rows."""
    random = np.random.default_rng(seed)
    centers = 3 * random.normal(size=(n_classes, 10))
    y = np.arange(n_classes * rows_each + N_NEW) % n_classes
    X = centers[y] + random.normal(size=(len(y), 10))
    return Data(X[:-N_NEW], y[:-N_NEW], X[-N_NEW:], y[-N_NEW:])


def _compare(bench: Bench, data: Data, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    def fit_and_predict(make: Callable[[], Any]) -> Any:
        model = make().fit(data.X, data.y)
        model.predict(data.X_test)
        return model

    competitors = {
        "branchline": lambda: lambda: fit_and_predict(ours),
        "scikit-learn": lambda: lambda: fit_and_predict(theirs),
    }
    bench.compare(competitors, score=lambda model: model.score(data.X_test, data.y_test))


def _made(name: str, options: dict[str, Any]) -> Callable[[], Any]:
    module, kind = name.split(":")
    return lambda: getattr(import_module(module), kind)(**options)


def _register(family: str, ours: str, theirs: str, options: dict[str, Any]) -> None:
    def run(bench: Bench) -> None:
        data = large_rows(bench.rows(N_ROWS), classes=family != "linear_regression")
        _compare(bench, data, _made(ours, options), _made(theirs, options))

    run.__doc__ = f"Fit and predict {family} on {N_ROWS} × 10."
    why = "no table may be a cliff: at most three times the peer's time"
    workload(
        f"large-{family}",
        bar=0.33,
        against="scikit-learn",
        why=why,
        by_default=not options,
        short=family == "logistic",
    )(run)


for _family, (_ours, _theirs, _options) in LINEAR.items():
    _register(_family, _ours, _theirs, _options)


@workload(
    "many-classes-svc",
    bar=0.33,
    against="scikit-learn",
    why="no table may be a cliff: at most three times the peer's time",
    by_default=True,
)
def many_classes(bench: Bench) -> None:
    """Fit SVC on 200 classes of ten rows, 19,900 machines, and predict 1,000 rows."""
    data = class_rows(200, 10)
    _compare(bench, data, _made("branchline.svm:SVC", {}), _made("sklearn.svm:SVC", {}))
