"""Forests: fitting, against scikit-learn, its Intel extension and YDF.

All grow full trees on equal settings: as many columns are tried at a node, leaves may hold one row,
nothing is kept out of bag (ours does by default; it is listed where it says so). Ours has 255 bins
unless "exact" is in its name, the Intel extension 256, scikit-learn and YDF try every threshold.
Scores are areas under the ROC curve, or R² for regression, on new rows.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks._data import Data, two_classes
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

CLOSE = 0.002
# R² of 20 trees has a standard deviation of 0.003 over seeds, for scikit-learn as for Intel's: two
# equally good forests differ by up to this much.
CLOSE_OF_FEW = 0.013
SEED = 0
TREES = 100
FEW_TREES = 20  # where scikit-learn would need minutes for more
THIRD = 9  # of 28 columns
INTELEX = "scikit-learn-intelex"


@workload(
    "forest-fit-100k-28",
    bar=20.0,
    against="scikit-learn",
    why="bins are counted, not sorted: most of scikit-learn's time is sorting",
    short=True,
)
def fit(bench: Bench) -> None:
    """Grow a forest of 100 full trees on 100 000 × 28 float32."""
    data = two_classes(bench.rows(100_000), n_test=50_000, seed=bench.seed)
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", bench.threads, **settings)
    bench.compare(
        {
            "branchline": lambda: fit_call(partial(make, "branchline"), data),
            "branchline-exact": lambda: fit_call(partial(make, "branchline", max_bins=None), data),
            "scikit-learn": lambda: fit_call(partial(make, "scikit-learn"), data),
            "ydf": lambda: ydf_fit(data, bench.threads, n_trees=TREES),
        },
        score=lambda model: area(model, data),
        closeness=CLOSE,
        redrawn=True,
        memory=True,
        settings=settings,
    )


@workload(
    "forest-fit-100k-28-intelex",
    bar=3.0,
    against=INTELEX,
    why="Intel's has bins, too, but adds floats and keeps no codes of small nodes",
    short=True,
)
def fit_binned(bench: Bench) -> None:
    """Grow a forest of 100 full trees on 100 000 × 28 float32, in bins."""
    data = two_classes(bench.rows(100_000), n_test=50_000, seed=bench.seed)
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", bench.threads, **settings)
    bench.compare(
        {
            "branchline": lambda: fit_call(partial(make, "branchline"), data),
            "branchline-out-of-bag": lambda: fit_call(
                partial(make, "branchline", oob_score=True), data
            ),
            INTELEX: lambda: fit_call(partial(make, INTELEX, max_bins=256), data),
        },
        score=lambda model: area(model, data),
        closeness=CLOSE,
        redrawn=True,
        memory=True,
        settings=settings,
    )


@workload("forest-fit-100k-28-threads")
def fit_with_threads(bench: Bench) -> None:
    """Grow a forest of 100 full trees on 100 000 × 28 float32, with all threads and with one."""
    data = two_classes(bench.rows(100_000))
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", **settings)
    bench.compare(
        {
            "branchline": lambda: fit_call(partial(make, bench.threads, "branchline"), data),
            "branchline-1-thread": lambda: fit_call(partial(make, 1, "branchline"), data),
        },
        settings=settings,
    )


# n log n grows 1.5 times faster from 10 000 to a million rows than n does.
@workload(
    "forest-fit-1m-28",
    bar=1 / 1.5,
    against="hundred-fits-of-10k",
    why="n log n grows 1.5 times faster from 10 000 rows to a million than n does",
)
def fit_a_million(bench: Bench) -> None:
    """Grow 10 full trees on 1 000 000 × 28 float32, against a hundred such forests of 10 000."""
    data = two_classes(bench.rows(1_000_000))
    parts = np.array_split(np.arange(len(data.y)), 100)
    settings = {"n_estimators": 10, "max_features": "sqrt"}
    make = partial(forest, "RandomForestClassifier", bench.threads, "branchline", **settings)

    def hundred() -> Any:
        return [make().fit(data.X[part], data.y[part]) for part in parts]

    bench.compare(
        {"branchline": lambda: fit_call(make, data), "hundred-fits-of-10k": lambda: hundred},
        n_repeats=2,
        settings=settings,
    )


@workload("forest-fit-regression-100k-28", against="scikit-learn")
def fit_regression(bench: Bench) -> None:
    """Grow a regression forest of 20 full trees on 100 000 × 28 float32; the target has noise."""
    _compare_regression(bench, "RandomForestRegressor")


@workload(
    "extra-trees-fit-100k-28",
    bar=8.0,
    against="scikit-learn",
    why="nothing is sorted; extra-trees of both sides draw thresholds",
)
def fit_extra_trees(bench: Bench) -> None:
    """Grow 100 full extra-trees on 100 000 × 28 float32."""
    data = two_classes(bench.rows(100_000), n_test=50_000, seed=bench.seed)
    settings = {"n_estimators": TREES, "max_features": "sqrt"}
    bench.compare(
        fits("ExtraTreesClassifier", data, bench.threads, settings),
        score=lambda model: area(model, data),
        closeness=CLOSE,
        redrawn=True,
        settings=settings,
    )


@workload(
    "extra-trees-fit-regression-100k-28",
    bar=8.0,
    against="scikit-learn",
    why="nothing is sorted; extra-trees of both sides draw thresholds",
)
def fit_extra_trees_regression(bench: Bench) -> None:
    """Grow 20 full extra-trees for regression on 100 000 × 28 float32; the target has noise."""
    _compare_regression(bench, "ExtraTreesRegressor")


def _compare_regression(bench: Bench, name: str) -> None:
    data = numbers(bench.rows(100_000), bench.seed)
    settings = {"n_estimators": FEW_TREES, "max_features": THIRD}
    bench.compare(
        fits(name, data, bench.threads, settings),
        score=lambda model: r_squared(model.predict(data.X_test), data.y_test),
        closeness=CLOSE_OF_FEW,
        redrawn=True,
        settings=settings,
    )


# -- forests --------------------------------------------------------------------------------------


def forest(name: str, threads: int, library: str, **settings: Any) -> Any:
    """Return an unfitted forest of a library, seeded, that keeps nothing out of bag."""
    if library == "branchline":
        from branchline import forest as module
    else:
        module = import_peer(library, "ensemble")
    settings = {"oob_score": False, **settings}
    return getattr(module, name)(random_state=SEED, n_jobs=threads, **settings)


def fit_call(make: Callable[[], Any], data: Data) -> Callable[[], Any]:
    """Return the fit of a new forest; the Intel extension must not leave it to scikit-learn."""
    make()  # a library that is not installed says so before anything is timed

    def call() -> Any:
        model = make().fit(data.X, data.y)
        of_intel = type(model).__module__.startswith("sklearnex")
        if of_intel and not hasattr(model, "_onedal_estimator"):
            raise RuntimeError("the Intel extension left the fit to scikit-learn")
        return model

    return call


def fits(
    name: str, data: Data, threads: int, settings: Mapping[str, Any]
) -> dict[str, Callable[[], Any]]:
    """Return ours, scikit-learn's and the Intel extension's forest as competitors."""

    def prepare(library: str) -> Callable[[], Any]:
        return fit_call(partial(forest, name, threads, library, **settings), data)

    return {one: partial(prepare, one) for one in ("branchline", "scikit-learn", INTELEX)}


def ydf_fit(data: Data, threads: int, *, n_trees: int) -> Callable[[], Any]:
    """Return the fit of YDF's forest with full trees, soft votes and nothing out of bag."""
    ydf = import_peer("ydf")
    ydf.verbose(0)
    options = {"num_trees": n_trees, "max_depth": -1, "min_examples": 1, "random_seed": SEED}
    options |= {"winner_take_all": False, "compute_oob_performances": False}
    learner = ydf.RandomForestLearner(label="y", num_threads=threads, **options)
    return lambda: learner.train({"x": data.X, "y": data.y})


# -- data and scores ------------------------------------------------------------------------------


def numbers(n_rows: int, seed: int = 0) -> Data:
    """Return the columns of the two-class problem with a number to predict: signal and noise."""
    data = two_classes(n_rows, n_test=50_000, seed=seed)
    random = np.random.default_rng(seed + 7)
    y, y_test = (signal(X) + random.normal(size=len(X)) for X in (data.X, data.X_test))
    return Data(data.X, y, data.X_test, y_test)


def signal(X: Any) -> Any:
    """Return z0 + sin(2 z3) + z6² / 2 + z1 z2 / 2."""
    z = X.T.astype(np.float64)
    return z[0] + np.sin(2 * z[3]) + z[6] ** 2 / 2 + z[1] * z[2] / 2


def area(model: Any, data: Data) -> float:
    """Return the area under the ROC curve on the new rows."""
    from sklearn.metrics import roc_auc_score

    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(data.X_test)[:, 1]
    else:
        chance = model.predict({"x": data.X_test})
    return float(roc_auc_score(data.y_test, chance))


def r_squared(predicted: Any, y: Any) -> float:
    return float(1 - np.mean((np.asarray(predicted) - y) ** 2) / np.var(y))
