"""Small tables, which most people have: fit and predict in milliseconds, one row in microseconds.

Limits are those of one core. ``cross-validate-forest-1k`` compares whole evaluations, at equal
settings: both split rows into ten folds, fit a forest of 100 trees on each, and score.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._data import Data, two_classes
from benchmarks._harness import Bench, workload
from benchmarks.workloads.defaults import OURS, SCIKIT_LEARN, _class_of

N_CALLS = 100
LIMITS = {"tree": 0.002, "naive_bayes": 0.001, "logistic": 0.003, "forest": 0.010}
ONE_ROW = ("tree", "forest", "boosting", "naive_bayes", "logistic", "neighbors", "svm")
HOLDERS = ("numpy", "pandas")
FELT = "what a person does not feel when a comparison makes hundreds of fits"


def iris(holder: str) -> Data:
    """Return the iris table, as an array or as a frame of pandas."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    return Data(X.to_numpy() if holder == "numpy" else X, y.to_numpy())


def _register_fit(family: str, holder: str) -> None:
    def run(bench: Bench) -> None:
        data = iris(holder)
        competitors = {
            "branchline": partial(_fit, OURS[family], data, C=1.0),
            "scikit-learn": partial(_fit, SCIKIT_LEARN[family], data),
        }
        bench.compare(competitors)

    run.__doc__ = f"Fit {family} on iris ({holder}) and predict its rows; C = 1 for logistic."
    workload(
        f"small-fit-{family}-{holder}",
        limit=LIMITS[family],
        against="scikit-learn",
        why=FELT,
        short=holder == "numpy",
        by_default=True,
    )(run)


def _fit(name: str, data: Data, **given: Any) -> Callable[[], Any]:
    kind = _class_of(name)
    known = kind().get_params()
    options = {key: value for key, value in given.items() if key in known}
    options |= {"n_jobs": 1} if "n_jobs" in known else {}

    def call() -> Any:
        return kind(**options).fit(data.X, data.y).predict(data.X)

    return call


def _register_one_row(family: str, holder: str) -> None:
    def run(bench: Bench) -> None:
        data = iris(holder)
        competitors = {
            "branchline": partial(_predict_one, OURS[family], data),
            "scikit-learn": partial(_predict_one, SCIKIT_LEARN[family], data),
        }
        bench.compare(competitors, settings={"calls": N_CALLS})

    run.__doc__ = f"Predict one row of iris ({holder}) {N_CALLS} times with {family}."
    microseconds = 20 if holder == "numpy" else 60
    workload(
        f"small-predict-{family}-{holder}",
        limit=N_CALLS * microseconds * 1e-6,
        against="scikit-learn",
        why=f"services predict single rows: {microseconds} µs each",
        by_default=True,
    )(run)


def _predict_one(name: str, data: Data) -> Callable[[], Any]:
    model = _class_of(name)().fit(data.X, data.y)
    row = data.X[:1] if isinstance(data.X, np.ndarray) else data.X.iloc[:1]

    def call() -> None:
        for _ in range(N_CALLS):
            model.predict(row)

    return call


@workload(
    "cross-validate-forest-1k",
    bar=10.0,
    against="scikit-learn",
    why="folds share the codes of the table",
    short=True,
)
def cross_validate_forest(bench: Bench) -> None:
    """Cross-validate a forest of 100 trees on 1 000 × 28, ten folds, at equal settings."""
    data = two_classes(bench.rows(1000), dtype=np.float64)

    def ours() -> Callable[[], Any]:
        from branchline.assess import cross_validate
        from branchline.forest import RandomForestClassifier

        model = RandomForestClassifier(oob_score=False, random_state=0, n_jobs=bench.threads)
        return lambda: cross_validate(model, data.X, data.y, n_folds=10)

    def theirs() -> Callable[[], Any]:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import cross_val_score

        model = RandomForestClassifier(random_state=0, n_jobs=bench.threads)
        return lambda: cross_val_score(model, data.X, data.y, cv=10)

    bench.compare({"branchline": ours, "scikit-learn": theirs})


@workload(
    "demo-comparison",
    limit=5.0,
    why="as long as a person waits without looking away",
    short=True,
    by_default=True,
)
def demo(bench: Bench) -> None:
    """Compare one learner of each family on the German credit table, as ``make demo`` does."""

    def ours() -> Callable[[], Any]:
        import branchline

        credit = branchline.load_dataset("german-credit")
        return lambda: branchline.compare(credit, "class", n_jobs=bench.threads)

    bench.compare({"branchline": ours}, n_repeats=2)


for _holder in HOLDERS:
    for _family in LIMITS:
        _register_fit(_family, _holder)
    for _family in ONE_ROW:
        _register_one_row(_family, _holder)
