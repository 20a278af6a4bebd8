"""Wide tables: many more columns than rows, at the defaults and at equal choices.

Both sides take the matrix as it is, fit, and predict the training rows. At the defaults ours
standardizes it, and chooses penalties and numbers of neighbors by cross-validation where
scikit-learn's defaults are fixed numbers: a ratio of 0.5 means that all of this takes twice as long
as their plain fit and prediction. "-equal" gives C or k to both; k-NN then weighs all columns
alike. Scores are those of new rows.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload

N_NEW = 200
SHAPES = {"72-7k": (72, 7129), "60-10k": (60, 10_000), "100-50k": (100, 50_000)}
KNN = "branchline.neighbors:NearestNeighborsClassifier", "sklearn.neighbors:KNeighborsClassifier"
LOGISTIC = "branchline.linear:LogisticRegression", "sklearn.linear_model:LogisticRegression"
LINEAR_SVC = "branchline.svm:LinearSVC", "sklearn.svm:LinearSVC"
CLASSIFIERS = {
    "lda": (
        "branchline.linear:LinearDiscriminantAnalysis",
        "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    ),
    "neighbors": KNN,
    "naive_bayes": ("branchline.bayes:NaiveBayes", "sklearn.naive_bayes:GaussianNB"),
    "logistic": LOGISTIC,
    "linear-svc": LINEAR_SVC,
    "svc": ("branchline.svm:SVC", "sklearn.svm:SVC"),
}
REGRESSORS = {
    "ridge": ("branchline.linear:Ridge", "sklearn.linear_model:RidgeCV"),
    "linear_regression": (
        "branchline.linear:LinearRegression",
        "sklearn.linear_model:LinearRegression",
    ),
    "linear-svr": ("branchline.svm:LinearSVR", "sklearn.svm:LinearSVR"),
    "kernel-ridge": ("branchline.svm:KernelRidge", "sklearn.kernel_ridge:KernelRidge"),
}
# What both sides are given at equal choices: ours, theirs.
_PLAIN_KNN = {"n_neighbors": 5, "weights": "uniform", "column_weights": None}
_ONE = {"C": 1.0}
EQUAL = {
    "neighbors-equal": (KNN, (_PLAIN_KNN, {"n_neighbors": 5})),
    "logistic-equal": (LOGISTIC, (_ONE, _ONE)),
    "linear-svc-equal": (LINEAR_SVC, (_ONE, _ONE)),
}
CLIFF = 0.33
WHY_CLIFF = "no table may be a cliff: at most three times the peer's time"
Options = tuple[dict[str, Any], dict[str, Any]]
_NONE: Options = ({}, {})


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


def _register(
    family: str, shape: str, names: tuple[str, str], *, classes: bool, options: Options = _NONE
) -> None:
    n_rows, n_columns = SHAPES[shape]

    def run(bench: Bench) -> None:
        data = wide_rows(n_rows, n_columns, classes=classes)
        ours, theirs = (_made(name, some) for name, some in zip(names, options, strict=True))
        competitors = {
            "branchline": lambda: lambda: _fit_and_predict(ours, data),
            "scikit-learn": lambda: lambda: _fit_and_predict(theirs, data),
        }
        bench.compare(competitors, score=lambda model: model.score(data.X_test, data.y_test))

    how = "at equal choices" if any(options) else "at the defaults"
    run.__doc__ = f"Fit and predict {family} on {n_rows} × {n_columns} {how}."
    workload(
        f"wide-{family}-{shape}",
        bar=0.5,
        against="scikit-learn",
        why="choosing penalties may cost as much again as a plain fit",
        by_default=not any(options),
        short=shape == "60-10k" and family in ("neighbors", "logistic", "naive_bayes"),
    )(run)


def _fit_and_predict(make: Callable[[], Any], data: Data) -> Any:
    model = make().fit(data.X, data.y)
    model.predict(data.X)
    return model


def _made(name: str, options: dict[str, Any]) -> Callable[[], Any]:
    module, kind = name.split(":")
    return partial(getattr(import_module(module), kind), **options)


def _register_hashed(shape: str) -> None:
    n_rows, n_columns = SHAPES[shape]

    def run(bench: Bench) -> None:
        from branchline.linear import HashedLogisticRegression

        data = wide_rows(n_rows, n_columns, classes=True)
        competitors = {
            "branchline": lambda: lambda: _fit_and_predict(HashedLogisticRegression, data),
            "scikit-learn": lambda: lambda: _fit_and_predict(HashedDescent, data),
        }
        bench.compare(competitors, score=lambda model: model.score(data.X_test, data.y_test))

    run.__doc__ = f"Fit and predict hashed logistic regression on {n_rows} × {n_columns}."
    workload(f"wide-hashed-{shape}", bar=CLIFF, against="scikit-learn", why=WHY_CLIFF)(run)


class HashedDescent:
    """scikit-learn's hasher of names and values, and as many epochs of descent as ours makes."""

    def __init__(self) -> None:
        from sklearn.feature_extraction import FeatureHasher
        from sklearn.linear_model import SGDClassifier
        from sklearn.preprocessing import StandardScaler

        self.scaler, self.hasher = StandardScaler(), FeatureHasher(2**18, input_type="pair")
        self.model = SGDClassifier(
            loss="log_loss",
            alpha=1e-6,
            learning_rate="invscaling",
            eta0=0.2,
            power_t=0.25,
            max_iter=20,
            tol=None,
        )

    def fit(self, X: Any, y: Any) -> "HashedDescent":
        """Scale, hash and learn."""
        self.model.fit(self._hash(self.scaler.fit_transform(X)), y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the likelier class."""
        return self.model.predict(self._hash(self.scaler.transform(X)))

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy."""
        return float(np.mean(self.predict(X) == y))

    def _hash(self, X: Any) -> Any:
        names = [f"x{column}" for column in range(X.shape[1])]
        return self.hasher.transform(zip(names, row, strict=True) for row in X.tolist())


def _register_encoder(shape: str) -> None:
    n_rows, n_columns = SHAPES[shape]

    def run(bench: Bench) -> None:
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        from branchline.encoding import TableEncoder

        data = wide_rows(n_rows, n_columns, classes=True)

        def theirs() -> Any:
            # As ours: medians are learned for missing values that may come.
            return make_pipeline(SimpleImputer(strategy="median"), StandardScaler())

        competitors = {
            "branchline": lambda: lambda: TableEncoder().fit(data.X).transform(data.X),
            "scikit-learn": lambda: lambda: theirs().fit(data.X).transform(data.X),
        }
        bench.compare(competitors, score=lambda numbers: float(np.std(numbers)), closeness=1e-6)

    run.__doc__ = f"Learn scales and medians of {n_rows} × {n_columns}, and encode the rows."
    workload(f"wide-encoder-{shape}", bar=CLIFF, against="scikit-learn", why=WHY_CLIFF)(run)


for _shape in SHAPES:
    _register_hashed(_shape)
    _register_encoder(_shape)
    for _family, _names in CLASSIFIERS.items():
        _register(_family, _shape, _names, classes=True)
    for _family, (_names, _given) in EQUAL.items():
        _register(_family, _shape, _names, classes=True, options=_given)
    for _family, _names in REGRESSORS.items():
        _register(_family, _shape, _names, classes=False)
