"""Gaussian-process regression: Friedman's function, 10 columns, parameters learned by likelihood.

Equal settings: RBF with a length scale for each column, a factor and noise, one start, standardized
columns and target. Scores are mean squared errors on new rows with noise of variance 1.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

N_COLUMNS, N_NEW = 10, 2000


@workload("gaussian-process-500-10", short=True)
def small(bench: Bench) -> None:
    """Learn 12 parameters from 500 rows."""
    _compare(bench, 500)


@workload("gaussian-process-1000-10")
def middle(bench: Bench) -> None:
    """Learn 12 parameters from 1,000 rows."""
    _compare(bench, 1000)


def _compare(bench: Bench, n_rows: int) -> None:
    make_friedman1 = import_peer("scikit-learn", "datasets").make_friedman1
    rows = make_friedman1(bench.rows(n_rows), N_COLUMNS, noise=1.0, random_state=0)
    new, truth = make_friedman1(N_NEW, N_COLUMNS, noise=1.0, random_state=1)
    bench.compare(
        {
            "branchline": lambda: ours(*rows, bench.threads),
            "scikit-learn": lambda: theirs(*rows),
        },
        score=lambda model: float(((model.predict(new) - truth) ** 2).mean()),
    )


def ours(X: Any, y: Any, n_threads: int) -> Callable[[], Any]:
    """Return a call that fits our process."""
    from branchline.svm import GaussianProcessRegressor

    return lambda: GaussianProcessRegressor("ard", n_jobs=n_threads).fit(X, y)


def theirs(X: Any, y: Any) -> Callable[[], Any]:
    """Return a call that fits the process of the peer, in a pipeline that standardizes."""
    process = import_peer("scikit-learn", "gaussian_process")
    of_peer = import_peer("scikit-learn", "gaussian_process.kernels")
    make_pipeline = import_peer("scikit-learn", "pipeline").make_pipeline
    scaler = import_peer("scikit-learn", "preprocessing").StandardScaler()
    kernel = of_peer.ConstantKernel(1.0) * of_peer.RBF(np.ones(X.shape[1]))
    model = process.GaussianProcessRegressor(kernel + of_peer.WhiteKernel(0.1), normalize_y=True)

    def call() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make_pipeline(scaler, model).fit(X, y)

    return call
