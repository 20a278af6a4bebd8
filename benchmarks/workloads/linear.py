"""Linear regression: fitting on large tables, against scikit-learn at equal settings.

Ours takes the table as it is (checks, canonical order, encoding) and also gives intervals or a
path; scikit-learn is given what it needs, standardized numbers. Scores are R² on new rows.
"""

from typing import Any

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload

# Two solvers of the same problem differ by rounding only; two deals of folds by a little more.
CLOSE, CLOSE_FOLDS = 1e-6, 0.005


def numbers(n_rows: int, n_columns: int, seed: int = 0) -> Data:
    """Return columns that move together, of which one in four matters, and new rows."""
    random = np.random.default_rng(seed)
    mixing = random.normal(size=(n_columns, n_columns)) / np.sqrt(n_columns) + np.eye(n_columns)
    weights = random.normal(size=n_columns) * (np.arange(n_columns) % 4 == 0)
    X = random.normal(size=(n_rows + 10_000, n_columns)) @ mixing
    y = X @ weights + 3.0 * random.normal(size=len(X))
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


@workload("linear-regression-fit-100k-28", against="scikit-learn", short=True)
def fit_least_squares(bench: Bench) -> None:
    """Fit least squares with standard errors on 100 000 × 28."""
    from sklearn import linear_model

    from branchline import linear

    data = numbers(bench.rows(100_000), 28)
    _compare(bench, data, linear.LinearRegression, linear_model.LinearRegression, CLOSE)


@workload("ridge-fit-auto-100k-28", against="scikit-learn", short=True)
def fit_ridge(bench: Bench) -> None:
    """Fit ridge on 100 000 × 28 with the best of 121 penalties by generalized cross-validation."""
    from sklearn import linear_model

    from branchline import linear

    data = numbers(bench.rows(100_000), 28)
    alphas = np.logspace(-8, 4, 121) * len(data.y)

    def theirs() -> Any:
        return _scaled(linear_model.RidgeCV(alphas))

    _compare(bench, data, linear.Ridge, theirs, CLOSE_FOLDS)


@workload("lasso-fit-auto-20k-100", against="scikit-learn")
def fit_lasso(bench: Bench) -> None:
    """Fit the lasso on 20 000 × 100 with the best of 100 penalties by ten folds."""
    from sklearn import linear_model

    from branchline import linear

    data = numbers(bench.rows(20_000), 100)

    def theirs() -> Any:
        return _scaled(linear_model.LassoCV(alphas=100, cv=10))

    _compare(bench, data, linear.Lasso, theirs, CLOSE_FOLDS)


@workload("pls-fit-auto-2k-200", against="scikit-learn")
def fit_partial_least_squares(bench: Bench) -> None:
    """Fit partial least squares on 2 000 × 200 with the best of 1 to 20 components by ten folds."""
    from sklearn.cross_decomposition import PLSRegression
    from sklearn.model_selection import GridSearchCV

    from branchline import linear

    data = numbers(bench.rows(2000), 200)

    def theirs() -> Any:
        return GridSearchCV(PLSRegression(), {"n_components": list(range(1, 21))}, cv=10)

    _compare(bench, data, linear.PLSRegressor, theirs, CLOSE_FOLDS)


@workload("stagewise-fit-auto-20k-100")
def fit_stagewise(bench: Bench) -> None:
    """Fit forward stagewise regression on 20 000 × 100, the number of steps by five folds."""
    from branchline import linear

    data = numbers(bench.rows(20_000), 100)
    bench.compare(
        {"branchline": lambda: lambda: linear.ForwardStagewise().fit(data.X, data.y)},
        score=lambda model: float(model.score(data.X_test, data.y_test)),
    )


@workload("best-subset-fit-2k-20")
def fit_best_subset(bench: Bench) -> None:
    """Search the best of all subsets of 20 columns on 2 000 rows."""
    from branchline import linear

    data = numbers(bench.rows(2000), 20)
    bench.compare(
        {"branchline": lambda: lambda: linear.SubsetSelection(method="best").fit(data.X, data.y)},
        score=lambda model: float(model.score(data.X_test, data.y_test)),
    )


def _compare(bench: Bench, data: Data, ours: Any, theirs: Any, closeness: float) -> None:
    bench.compare(
        {
            "branchline": lambda: lambda: ours().fit(data.X, data.y),
            "scikit-learn": lambda: lambda: theirs().fit(data.X, data.y),
        },
        score=lambda model: float(model.score(data.X_test, data.y_test)),
        closeness=closeness,
    )


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)
