"""Stump: a tree of one test, the smallest learner that uses the counting kernel.

scikit-learn grows one tree in one thread; it has no parameter for more.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, two_classes
from benchmarks._harness import Bench, workload

CLOSE = 0.002


@workload("stump-fit-100k-28")
def stump_fit(bench: Bench) -> None:
    """Fit one stump on 100 000 × 28 float32; accuracy on 50 000 new rows."""
    data = two_classes(bench.rows(100_000), n_test=50_000)
    bench.compare(
        {
            "branchline": lambda: lambda: our_stump(bench.threads).fit(data.X, data.y),
            "scikit-learn": lambda: lambda: sklearn_stump().fit(data.X, data.y),
        },
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
    )


@workload("stump-predict-100k-28")
def stump_predict(bench: Bench) -> None:
    """Predict the classes of 100 000 × 28 float32 with a fitted stump."""
    data = two_classes(bench.rows(100_000))
    bench.compare(
        {
            "branchline": lambda: predict_with(our_stump(bench.threads), data),
            "scikit-learn": lambda: predict_with(sklearn_stump(), data),
        },
        score=lambda predicted: accuracy(predicted, data.y),
        closeness=CLOSE,
    )


@workload("stump-adult")
def stump_adult(bench: Bench) -> None:
    """Fit one stump on the adult census data: ours on the mixed frame, the peer on one-hot."""
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    bench.compare(
        {
            "branchline": lambda: lambda: our_stump(bench.threads).fit(data.X, data.y),
            "scikit-learn": lambda: lambda: one_hot_pipeline(data).fit(data.X, data.y),
            "scikit-learn-fit-only": lambda: fit_on_one_hot(data),
        },
        # Both leaves of the best stump say "no": accuracy would not tell it from a constant.
        score=lambda model: area_under_curve(model, data.X_test, data.y_test),
        closeness=CLOSE,
        settings={"score": "AUC"},
    )


def our_stump(threads: int) -> Any:
    from branchline.tree import Stump

    return Stump(n_jobs=threads)


def sklearn_stump() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=1, random_state=0)


def predict_with(model: Any, data: Data) -> Any:
    model.fit(data.X, data.y)
    return lambda: model.predict(data.X)


def one_hot_pipeline(data: Data) -> Any:
    """Return encoder and stump; encoding is part of its fit, as it is for a person with a frame."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((encoder, words), remainder="passthrough")
    return make_pipeline(columns, sklearn_stump())


def fit_on_one_hot(data: Data) -> Any:
    """Encode outside the timed call; the timed call puts a stump on the encoded rows."""
    from sklearn.pipeline import make_pipeline

    encoder, stump = (step for _, step in one_hot_pipeline(data).fit(data.X, data.y).steps)
    encoded = encoder.transform(data.X)

    def call() -> Any:
        stump.fit(encoded, data.y)
        return make_pipeline(encoder, stump)

    return call


def accuracy(predicted: Any, y: Any) -> float:
    return float(np.mean(np.asarray(predicted) == y))


def area_under_curve(model: Any, X: Any, y: Any) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(y, model.predict_proba(X)[:, 1]))
