"""Tables that other libraries take easily: many classes, millions of rows to predict, texts.

No learner may take more than three times as long as the best peer, nor more memory. Settings are
equal where something would be chosen otherwise.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, data_folder
from benchmarks._harness import Bench, workload
from benchmarks.workloads.large import class_rows, large_rows

CLIFF = 0.33
WHY = "no table may be a cliff: at most three times the peer's time"
N_PREDICTED = 5_000_000
Model = tuple[str, dict[str, Any]]

_KNN: tuple[Model, Model] = (
    (
        "branchline.neighbors:NearestNeighborsClassifier",
        {"n_neighbors": 5, "weights": "uniform", "column_weights": None},
    ),
    ("sklearn.neighbors:KNeighborsClassifier", {"n_neighbors": 5}),
)
_LOGISTIC: tuple[Model, Model] = (
    ("branchline.linear:LogisticRegression", {"C": 1.0}),
    ("sklearn.linear_model:LogisticRegression", {"C": 1.0, "max_iter": 1000}),
)
_BAYES: tuple[Model, Model] = (
    ("branchline.bayes:NaiveBayes", {"numeric": "gaussian"}),
    ("sklearn.naive_bayes:GaussianNB", {}),
)
_SVC: tuple[Model, Model] = (("branchline.svm:SVC", {}), ("sklearn.svm:SVC", {}))

MANY_CLASSES = {
    "neighbors-3000": (3000, _KNN, WHY),
    "naive_bayes-3000": (3000, _BAYES, WHY),
    "logistic-3000": (3000, _LOGISTIC, WHY),
    "logistic-500": (500, _LOGISTIC, WHY),
    "svc-250": (250, _SVC, WHY),
    "svc-500": (500, _SVC, WHY),
}
PREDICTED: dict[str, tuple[Model, Model]] = {
    "logistic": _LOGISTIC,
    "naive_bayes": _BAYES,
    "lda": (
        ("branchline.linear:LinearDiscriminantAnalysis", {}),
        ("sklearn.discriminant_analysis:LinearDiscriminantAnalysis", {}),
    ),
    "mlp": (
        ("branchline.neural:MLPClassifier", {"random_state": 0}),
        ("sklearn.neural_network:MLPClassifier", {"random_state": 0}),
    ),
    "neighbors": _KNN,
}
OF_5K = {
    "kernel-ridge": (("branchline.svm:KernelRidge", {}), ("sklearn.kernel_ridge:KernelRidge", {})),
    "kernel-pca": (
        ("branchline.svm:KernelPCA", {"n_components": 2}),
        ("sklearn.decomposition:KernelPCA", {"n_components": 2, "kernel": "rbf"}),
    ),
}


def made(model: Model) -> Any:
    """Return a new estimator."""
    module, kind = model[0].split(":")
    return getattr(import_module(module), kind)(**model[1])


def _compare(bench: Bench, pair: tuple[Model, Model], run: Callable[[Any], Any]) -> None:
    competitors = {
        "branchline": lambda: lambda: run(made(pair[0])),
        "scikit-learn": lambda: lambda: run(made(pair[1])),
    }
    bench.compare(competitors, memory=True, n_repeats=2)


def _register_classes(name: str) -> None:
    n_classes, pair, why = MANY_CLASSES[name]

    def run(bench: Bench) -> None:
        data = class_rows(n_classes, 10)
        _compare(bench, pair, lambda model: model.fit(data.X, data.y).predict(data.X_test))

    run.__doc__ = f"Fit ten rows of each of {n_classes} classes and predict 1 000 rows."
    workload(f"many-classes-{name}", bar=CLIFF, against="scikit-learn", why=why)(run)


def _register_predicted(name: str) -> None:
    def run(bench: Bench) -> None:
        ours, theirs = PREDICTED[name]
        data = large_rows(300 if name == "neighbors" else 3_000, classes=True)
        n_rows = N_PREDICTED // 10 if name == "neighbors" else N_PREDICTED
        X = np.random.default_rng(1).normal(size=(bench.rows(n_rows), 10))
        competitors = {
            "branchline": lambda: _predicting(made(ours), data, X),
            "scikit-learn": lambda: _predicting(made(theirs), data, X),
        }
        bench.compare(competitors, memory=True, n_repeats=2)

    how_many = "500 000" if name == "neighbors" else "5 000 000"
    run.__doc__ = f"Predict {how_many} × 10 by {name}."
    workload(f"predict-5m-{name}", bar=CLIFF, against="scikit-learn", why=WHY)(run)


def _predicting(model: Any, data: Data, X: Any) -> Callable[[], Any]:
    model.fit(data.X, data.y)
    return lambda: model.predict(X)


def _register_kernel(name: str) -> None:
    def run(bench: Bench) -> None:
        data = large_rows(bench.rows(5_000), classes=False)

        def fit(model: Any) -> Any:
            model.fit(data.X, data.y)
            use = model.predict if hasattr(model, "predict") else model.transform
            return use(data.X_test)

        _compare(bench, OF_5K[name], fit)

    run.__doc__ = f"Fit {name} on 5 000 × 10, and use it on 1 000 rows."
    workload(f"cliff-{name}-5k", bar=CLIFF, against="scikit-learn", why=WHY)(run)


for _name in MANY_CLASSES:
    _register_classes(_name)
for _name in PREDICTED:
    _register_predicted(_name)
for _name in OF_5K:
    _register_kernel(_name)


@workload("cliff-pls-300k-10", bar=CLIFF, against="scikit-learn", why=WHY)
def partial_least_squares(bench: Bench) -> None:
    """Fit two components of partial least squares on 300 000 × 10."""
    data = large_rows(bench.rows(300_000), classes=False)
    options = {"n_components": 2}
    pair = (
        ("branchline.linear:PLSRegressor", options),
        ("sklearn.cross_decomposition:PLSRegression", options),
    )
    _compare(bench, pair, lambda model: model.fit(data.X, data.y))


def _register_texts(name: str, ours: Model, theirs: Model) -> None:
    def run(bench: Bench) -> None:
        folder = data_folder()
        if folder is None or not (folder / "sms_spam" / "sms_spam.csv").exists():
            bench.skip(ABSENT)
        import polars
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        table = polars.read_csv(folder / "sms_spam" / "sms_spam.csv")
        X, y = table.select("text"), table["type"].to_numpy()

        def encoded() -> Any:
            return make_pipeline(OneHotEncoder(handle_unknown="ignore"), made(theirs))

        competitors = {
            "branchline": lambda: lambda: made(ours).fit(X, y).predict(X),
            "scikit-learn": lambda: lambda: encoded().fit(X, y).predict(X),
        }
        bench.compare(competitors)

    run.__doc__ = f"Fit {name} on a column of 5 574 messages as it is, and predict them."
    workload(f"texts-sms-{name}", bar=CLIFF, against="scikit-learn", why=WHY)(run)


_register_texts("logistic", *_LOGISTIC)
_register_texts(
    "naive_bayes", ("branchline.bayes:NaiveBayes", {}), ("sklearn.naive_bayes:BernoulliNB", {})
)
