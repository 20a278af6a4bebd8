"""Gradient boosting: fitting, against LightGBM, XGBoost, scikit-learn and CatBoost.

Equal for all: rounds, leaves of a tree, learning rate 0.1, 255 bins, all rows and columns in every
round, no early stopping. What keeps leaves from overfitting (least rows or hessian, λ) is each
library's default.

1. Leaf-wise trees: ours, LightGBM (as it is, and "quantized": gradients in few bits), XGBoost's
   "hist" by loss, scikit-learn's histogram boosting.
2. Symmetric trees, one test a level, as many levels as make the leaves: CatBoost, and ours when
   grown so. CatBoost makes ten Newton steps for the leaves of two classes; "one-step" makes one, as
   all others do.

Scores are areas under the ROC curve on new rows; of regression, minus the root mean squared error.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks._data import Data, two_classes
from benchmarks._harness import Bench, Prepare, workload
from benchmarks._peers import import_peer, thread_setting
from benchmarks.workloads.forest import area, fit_call, numbers

CLOSE = 0.002
SEED = 0
RATE = 0.1
BINS = 255
FEW_REPEATS = 3  # of fits that take seconds


class Shape(NamedTuple):
    """How much is fitted: rounds, leaves of a tree, and what for ("Classifier", "Regressor")."""

    rounds: int = 100
    leaves: int = 63
    kind: str = "Classifier"

    @property
    def depth(self) -> int:
        """The levels of a symmetric tree with as many leaves, or one more."""
        return self.leaves.bit_length()


Make = Callable[[Shape, int], Any]  # shape, threads; an unfitted model


# -- models ---------------------------------------------------------------------------------------


def ours(shape: Shape, threads: int, growth: str = "leaf_wise") -> Any:
    from branchline import boosting

    symmetric = {"max_depth": shape.depth, "max_leaf_nodes": 2**shape.depth}
    size = symmetric if growth == "symmetric" else {"max_leaf_nodes": shape.leaves}
    options: dict[str, Any] = {
        "n_estimators": shape.rounds,
        "learning_rate": RATE,
        "max_bins": BINS,
        "subsample": 1.0,
        "max_features": None,
        "tree_features": None,
    }
    options |= {"early_stopping": False, "random_state": SEED, "n_jobs": threads}
    make = getattr(boosting, f"GradientBoosting{shape.kind}")
    return make(growth=growth, **size, **options)


def lightgbm(shape: Shape, threads: int, **more: Any) -> Any:
    make = getattr(import_peer("lightgbm"), f"LGBM{shape.kind}")
    options: dict[str, Any] = {
        "n_estimators": shape.rounds,
        "num_leaves": shape.leaves,
        "max_bin": BINS,
    }
    options |= {"learning_rate": RATE, "random_state": SEED, "verbose": -1}
    return make(**options, **thread_setting("lightgbm", threads), **more)


def xgboost(shape: Shape, threads: int) -> Any:
    make = getattr(import_peer("xgboost"), f"XGB{shape.kind}")
    options: dict[str, Any] = {
        "n_estimators": shape.rounds,
        "max_leaves": shape.leaves,
        "max_depth": 0,
    }
    options |= {"grow_policy": "lossguide", "tree_method": "hist", "max_bin": BINS}
    options |= {"learning_rate": RATE, "random_state": SEED, "enable_categorical": True}
    return make(**options, **thread_setting("xgboost", threads))


def scikit_learn(shape: Shape, threads: int) -> Any:
    """Return scikit-learn's model; it has no parameter for threads, OpenMP is limited outside."""
    make = getattr(import_peer("scikit-learn", "ensemble"), f"HistGradientBoosting{shape.kind}")
    options: dict[str, Any] = {
        "max_iter": shape.rounds,
        "max_leaf_nodes": shape.leaves,
        "max_bins": BINS,
    }
    return make(learning_rate=RATE, early_stopping=False, random_state=SEED, **options)


def catboost(shape: Shape, threads: int, **more: Any) -> Any:
    """Return CatBoost's model without its draws of rows; 254 borders make 255 bins."""
    make = getattr(import_peer("catboost"), f"CatBoost{shape.kind}")
    options: dict[str, Any] = {
        "iterations": shape.rounds,
        "depth": shape.depth,
        "border_count": BINS - 1,
    }
    options |= {"learning_rate": RATE, "bootstrap_type": "No", "random_seed": SEED}
    options |= {"verbose": False, "allow_writing_files": False}
    return make(**options, **thread_setting("catboost", threads), **more)


OURS: dict[str, Make] = {"branchline": ours}
OURS_SYMMETRIC: dict[str, Make] = {"branchline": partial(ours, growth="symmetric")}
LIGHTGBM: dict[str, Make] = {"lightgbm": lightgbm}
QUANTISED: dict[str, Make] = {"lightgbm-quantized": partial(lightgbm, use_quantized_grad=True)}
XGBOOST: dict[str, Make] = {"xgboost": xgboost}
SCIKIT_LEARN: dict[str, Make] = {"scikit-learn": scikit_learn}
CATBOOST: dict[str, Make] = {"catboost": catboost}
ONE_STEP: dict[str, Make] = {"catboost-one-step": partial(catboost, leaf_estimation_iterations=1)}
LEAF_WISE_PEERS = LIGHTGBM | QUANTISED | XGBOOST | SCIKIT_LEARN


def fits(makers: Mapping[str, Make], shape: Shape, threads: int, data: Data) -> dict[str, Prepare]:
    """Return the fits of models as competitors."""
    return {
        name: partial(fit_call, partial(make, shape, threads), data)
        for name, make in makers.items()
    }


def described(shape: Shape) -> dict[str, Any]:
    """Return what a record says of the settings."""
    return {**shape._asdict(), "learning_rate": RATE, "max_bins": BINS}


# -- two classes ----------------------------------------------------------------------------------


@workload(
    "boosting-fit-400k-28",
    bar=3.0,
    against="lightgbm",
    why="gradients of 12 bits in one 64-bit word a row; one store a cycle bounds it "
    "(docs/benchmarks.md)",
    short=True,
)
def fit(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 400 000 × 28 float32, all libraries in one run."""
    symmetric = {"branchline-symmetric": OURS_SYMMETRIC["branchline"]}
    makers = OURS | LEAF_WISE_PEERS | CATBOOST | symmetric
    _compare(bench, makers, 400_000, memory=True, n_repeats=FEW_REPEATS)


@workload(
    "boosting-fit-400k-28-quantized",
    bar=2.0,
    against="lightgbm-quantized",
    why="the peer has few bits, too",
)
def fit_against_quantized(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 400 000 × 28 float32, against gradients in few bits."""
    _compare(bench, OURS | QUANTISED, 400_000)


@workload("boosting-fit-400k-28-xgboost", bar=2.5, against="xgboost", why="the peers add floats")
def fit_against_xgboost(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 400 000 × 28 float32, against XGBoost."""
    _compare(bench, OURS | XGBOOST, 400_000)


@workload(
    "boosting-fit-400k-28-scikit-learn", bar=3.0, against="scikit-learn", why="the peers add floats"
)
def fit_against_sklearn(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 400 000 × 28 float32, against scikit-learn."""
    _compare(bench, OURS | SCIKIT_LEARN, 400_000)


@workload("boosting-fit-400k-28-symmetric", bar=3.0, why="one test for all nodes of a level")
def fit_symmetric(bench: Bench) -> None:
    """Fit 100 symmetric trees of 6 levels on 400 000 × 28 float32, against CatBoost."""
    _compare(bench, OURS_SYMMETRIC | CATBOOST | ONE_STEP, 400_000, memory=True)


@workload("boosting-fit-10k-28", bar=2.0, why="small tables are what most people fit", short=True)
def fit_few_rows(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 10 000 × 28 float32."""
    _compare(bench, OURS | LEAF_WISE_PEERS, 10_000)


@workload("boosting-fit-10k-28-symmetric", bar=2.0, why="one test for all nodes of a level")
def fit_few_rows_symmetric(bench: Bench) -> None:
    """Fit 100 symmetric trees of 6 levels on 10 000 × 28 float32."""
    _compare(bench, OURS_SYMMETRIC | CATBOOST | ONE_STEP, 10_000)


def _compare(bench: Bench, makers: Mapping[str, Make], n_rows: int, **options: Any) -> None:
    data, shape = two_classes(bench.rows(n_rows), n_test=50_000, seed=bench.seed), Shape()
    bench.compare(
        fits(makers, shape, bench.threads, data),
        score=lambda model: area(model, data),
        closeness=CLOSE,
        redrawn=True,
        settings=described(shape),
        **options,
    )


@workload(
    "boosting-fit-400k-28-threads",
    bar=1.7,
    against="branchline-1-thread",
    why="two threads of a perfect two",
)
def fit_with_threads(bench: Bench) -> None:
    """Fit 100 trees of 63 leaves on 400 000 × 28 float32, with all threads and with one."""
    data, shape = two_classes(bench.rows(400_000)), Shape()
    alone = {"branchline-1-thread": ours}
    competitors = fits(OURS, shape, bench.threads, data) | fits(alone, shape, 1, data)
    bench.compare(competitors, settings=described(shape))


# -- regression -----------------------------------------------------------------------------------


@workload(
    "boosting-regression-400k-28",
    bar=2.0,
    why="as for two classes, with less room: other losses, categories",
)
def fit_regression(bench: Bench) -> None:
    """Fit 100 regression trees of 63 leaves on 400 000 × 28 float32; the target has noise."""
    _compare_regression(bench, OURS | LEAF_WISE_PEERS, n_repeats=FEW_REPEATS)


@workload(
    "boosting-regression-400k-28-symmetric",
    bar=3.0,
    against="catboost",
    why="one test for all nodes of a level",
)
def fit_regression_symmetric(bench: Bench) -> None:
    """Fit 100 symmetric regression trees of 6 levels on 400 000 × 28 float32."""
    _compare_regression(bench, OURS_SYMMETRIC | CATBOOST)


def _compare_regression(bench: Bench, makers: Mapping[str, Make], **options: Any) -> None:
    data, shape = numbers(bench.rows(400_000), bench.seed), Shape(kind="Regressor")
    bench.compare(
        fits(makers, shape, bench.threads, data),
        score=lambda model: -root_mean_squared_error(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
        redrawn=True,
        settings=described(shape),
        **options,
    )


# -- linear leaves --------------------------------------------------------------------------------


def ours_linear(shape: Shape, threads: int) -> Any:
    return ours(shape, threads).set_params(leaf_model="linear")


def ours_linear_default(shape: Shape, threads: int) -> Any:
    from branchline.boosting import GradientBoostingRegressor

    return GradientBoostingRegressor(leaf_model="linear", random_state=SEED, n_jobs=threads)


def lightgbm_linear_default(shape: Shape, threads: int) -> Any:
    make = import_peer("lightgbm").LGBMRegressor
    return make(linear_tree=True, verbose=-1, **thread_setting("lightgbm", threads))


@workload(
    "boosting-linear-leaves-20k-10",
    bar=1.0,
    against="lightgbm-linear",
    why="linear leaves must not be slower than the peer's",
)
def fit_linear_leaves(bench: Bench) -> None:
    """Fit 100 trees of 31 linear leaves on 20 000 rows of Friedman's function."""
    makers: dict[str, Make] = {"branchline": ours_linear, "branchline-constant": ours}
    makers["lightgbm-linear"] = partial(lightgbm, linear_tree=True)
    _compare_friedman(bench, makers)


@workload(
    "boosting-linear-leaves-20k-10-defaults",
    bar=1.0,
    against="lightgbm-linear",
    why="linear leaves must not be slower than the peer's",
    by_default=True,
)
def fit_linear_leaves_by_default(bench: Bench) -> None:
    """Fit linear leaves on 20 000 rows of Friedman's function, each library by its defaults."""
    makers: dict[str, Make] = {"branchline": ours_linear_default}
    makers["lightgbm-linear"] = lightgbm_linear_default
    _compare_friedman(bench, makers)


def _compare_friedman(bench: Bench, makers: Mapping[str, Make]) -> None:
    data, shape = friedman(bench.rows(20_000), bench.seed), Shape(leaves=31, kind="Regressor")
    bench.compare(
        fits(makers, shape, bench.threads, data),
        score=lambda model: -root_mean_squared_error(model.predict(data.X_test), data.y_test),
        closeness=0.1,
        redrawn=True,
        settings=described(shape),
    )


def friedman(n_rows: int, seed: int, n_test: int = 10_000) -> Data:
    """Return Friedman's function of five of ten uniform columns, with noise of variance one."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n_rows + n_test, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y = y + 10 * X[:, 3] + 5 * X[:, 4] + random.normal(size=len(y))
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def root_mean_squared_error(predicted: Any, y: Any) -> float:
    return float(np.sqrt(np.mean((np.asarray(predicted) - y) ** 2)))
