"""Codes: floats to small integers, the first step of every tree, forest and booster.

The NumPy competitor is what one writes without a kernel: sort each column, take evenly spaced
quantiles as edges, search every value among them, all in one thread; it knows no weights and no
missing values.
``numpy-threads`` is the same with columns given to a thread pool (NumPy releases the interpreter's
lock in both steps), and scikit-learn's bin mapper is the one inside its histogram boosting.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from benchmarks._data import two_classes
from benchmarks._harness import Bench, workload

MAX_BINS = 255


@workload(
    "codes-400k-28",
    bar=4.0,
    against="numpy",
    why="keys of integers are sorted, not floats",
    short=True,
)
def codes_float32(bench: Bench) -> None:
    """400 000 × 28 float32, row-major, to 255 quantile bins."""
    compare_bins(bench, two_classes(bench.rows(400_000)).X, memory=True)


@workload(
    "codes-400k-28-fortran", bar=4.0, against="numpy", why="keys of integers are sorted, not floats"
)
def codes_fortran(bench: Bench) -> None:
    """400 000 × 28 float32, column-major, to 255 quantile bins."""
    compare_bins(bench, np.asfortranarray(two_classes(bench.rows(400_000)).X))


@workload(
    "codes-400k-28-float64", bar=4.0, against="numpy", why="keys of integers are sorted, not floats"
)
def codes_float64(bench: Bench) -> None:
    """400 000 × 28 float64, row-major, to 255 quantile bins."""
    compare_bins(bench, two_classes(bench.rows(400_000), dtype=np.float64).X)


@workload("codes-400k-28-exact")
def codes_exact(bench: Bench) -> None:
    """400 000 × 28 float32, row-major, to exact ranks (one code per distinct value)."""
    X = two_classes(bench.rows(400_000)).X
    bench.compare(
        {
            "branchline": lambda: ours(X, None, bench.threads),
            "numpy": lambda: lambda: numpy_codes(X, numpy_ranks, np.uint32),
            "numpy-threads": lambda: lambda: numpy_codes(X, numpy_ranks, np.uint32, bench.threads),
        },
        settings={"max_bins": None},
    )


def compare_bins(bench: Bench, X: Any, *, memory: bool = False) -> None:
    bench.compare(
        {
            "branchline": lambda: ours(X, MAX_BINS, bench.threads),
            "numpy": lambda: lambda: numpy_codes(X, numpy_bins, np.uint8),
            "numpy-threads": lambda: lambda: numpy_codes(X, numpy_bins, np.uint8, bench.threads),
            "scikit-learn": lambda: bin_mapper(X, bench.threads),
        },
        memory=memory,
        settings={"max_bins": MAX_BINS},
    )


def ours(X: Any, max_bins: int | None, threads: int) -> Any:
    from branchline import Table
    from branchline._codes import fit_codes

    return lambda: fit_codes(Table(X), max_bins=max_bins, n_threads=threads)


def numpy_codes(X: Any, code_column: Any, dtype: Any, threads: int = 1) -> Any:
    codes = np.empty(X.shape, dtype, order="F")

    def fill(j: int) -> None:
        codes[:, j] = code_column(X[:, j])

    if threads == 1:
        for j in range(X.shape[1]):
            fill(j)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, range(X.shape[1])))
    return codes


def numpy_bins(column: Any) -> Any:
    ordered = np.sort(column)
    edges = np.unique(ordered[np.arange(1, MAX_BINS) * len(ordered) // MAX_BINS])
    return np.searchsorted(edges, column, side="right") + 1


def numpy_ranks(column: Any) -> Any:
    return np.unique(column, return_inverse=True)[1] + 1


def bin_mapper(X: Any, threads: int) -> Any:
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper

    X = X.astype(np.float64)  # it takes nothing else; the conversion is not timed
    mapper = _BinMapper(n_bins=MAX_BINS + 1, subsample=None, random_state=0, n_threads=threads)
    return lambda: mapper.fit_transform(X)
