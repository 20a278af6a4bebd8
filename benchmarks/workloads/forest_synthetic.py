"""Forests on nine synthetic tables: deep and shallow, narrow and wide, with few values in a column.

Sizes and settings are those of a study of forests in scikit-learn and its Intel extension (May
2026): 20 trees, one thread. The laws are ours:

1. x ~ N(0, 1), as float32; with few values, x is one of 16, evenly spaced from -2 on.
2. s = 2 sin(2 x0) + Σ_j cos(j) x_j / √(j + 1), standardized: every column tells something.
3. Regression: y = s + noise / 2. Classes: y = 1 when s + noise > 0.

Each table is run twice: with bins (255 each) and, as "-exact", with every threshold (the Intel
extension with as many bins as rows). Scores are R² or areas under the ROC curve on new rows.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload
from benchmarks.workloads.forest import FEW_TREES, INTELEX, area, fit_call, forest, r_squared

TEST_ROWS = 20_000
VALUES = 16
BINS = 255


class Case(NamedTuple):
    """A table and the settings of its forests; all else is full trees on all columns and rows.

    ``closeness`` is how far our score may lie below: 0.002, or three times what two forests that
    differ only in their seed differ by (the standard deviation of the difference of two of the
    Intel extension's), where that is more.
    """

    regression: bool
    n_rows: int
    n_columns: int
    few_values: bool = False
    settings: Mapping[str, Any] = MappingProxyType({})
    closeness: float = 0.002


DEPTH_10 = {"bootstrap": True, "max_depth": 10}
WIDE = {"max_features": "sqrt", "min_samples_leaf": 8}
CASES = {
    "regression-60k-1-deep": Case(True, 60_000, 1),
    "regression-24k-12-deep": Case(True, 24_000, 12),
    "regression-24k-12-depth10": Case(True, 24_000, 12, settings=DEPTH_10, closeness=0.005),
    "regression-9k-80-sqrt": Case(True, 9_000, 80, settings=WIDE, closeness=0.06),
    "classes-28k-12-deep": Case(False, 28_000, 12),
    "classes-28k-12-depth10": Case(False, 28_000, 12, settings=DEPTH_10),
    "classes-10k-96-sqrt": Case(False, 10_000, 96, settings=WIDE, closeness=0.009),
    "classes-30k-24-few-values": Case(False, 30_000, 24, few_values=True),
    "regression-30k-24-few-values": Case(True, 30_000, 24, few_values=True, closeness=0.003),
}


def table(case: Case, n_rows: int) -> Data:
    """Return the rows of a case to learn from, and new ones."""
    random = np.random.default_rng(0)
    shape = (n_rows + TEST_ROWS, case.n_columns)
    X = random.standard_normal(shape, dtype=np.float32)
    if case.few_values:
        X = np.floor(VALUES * random.random(shape, dtype=np.float32)) * (4 / VALUES) - 2
    s = signal(X)
    noise = random.standard_normal(len(X))
    y = s + noise / 2 if case.regression else (s + noise > 0).astype(np.int64)
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def signal(X: Any) -> Any:
    """Return s of the law above, with mean 0 and variance 1."""
    j = np.arange(X.shape[1])
    s = 2 * np.sin(2.0 * X[:, 0]) + X @ (np.cos(j) / np.sqrt(j + 1))
    return (s - s.mean()) / s.std()


def compare(case: Case, exact: bool, bench: Bench) -> None:
    """Compare forests of one case, in bins or with every threshold."""
    data = table(case, bench.rows(case.n_rows))
    name = "RandomForestRegressor" if case.regression else "RandomForestClassifier"
    settings = {"n_estimators": FEW_TREES, "bootstrap": False, "max_features": None}
    settings |= case.settings
    make = partial(forest, name, 1, **settings)
    bins = (None, len(data.y)) if exact else (BINS, BINS)
    competitors = {
        "branchline": lambda: fit_call(partial(make, "branchline", max_bins=bins[0]), data),
        INTELEX: lambda: fit_call(partial(make, INTELEX, max_bins=bins[1]), data),
    }
    if exact:
        competitors["scikit-learn"] = lambda: fit_call(partial(make, "scikit-learn"), data)
    bench.compare(
        competitors,
        score=lambda model: _score(model, data, case.regression),
        closeness=case.closeness,
        n_repeats=3,
        settings={**settings, "threads": 1},
    )


def _score(model: Any, data: Data, regression: bool) -> float:
    if regression:
        return r_squared(model.predict(data.X_test), data.y_test)
    return area(model, data)


def register(title: str, case: Case, exact: bool) -> None:
    """Register one case as a workload, with bins or exact."""

    def run(bench: Bench) -> None:
        compare(case, exact, bench)

    kind = "every threshold" if exact else f"{BINS} bins"
    options = ", ".join(f"{name}={value}" for name, value in case.settings.items()) or "full trees"
    run.__doc__ = f"Grow 20 trees on {case.n_rows} × {case.n_columns}, {kind}, {options}."
    ending = "-exact" if exact else ""
    why = "no shape of a table may be slower than Intel's, which was made for large ones"
    workload(f"forest-synthetic-{title}{ending}", bar=1.0, against=INTELEX, why=why)(run)


for title_of_case, one_case in CASES.items():
    register(title_of_case, one_case, exact=False)
    register(title_of_case, one_case, exact=True)
