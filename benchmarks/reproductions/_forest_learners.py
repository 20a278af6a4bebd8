"""Forests of Python libraries with their own defaults: scikit-learn, YDF and ours.

A fit takes a table, its target, a seed and a number of threads. scikit-learn's forest takes numbers
only, so categories become ordinal codes or one-hot columns; a missing category is one more
category, and missing numbers stay, since it takes them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproductions._in_python import ydf_columns
from branchline import Table

__all__ = ["ENCODED", "PACKAGES", "PEERS", "YDF", "Fit", "Fitted", "fit_ours"]

ENCODED = ("scikit-learn-ordinal", "scikit-learn-one-hot")
YDF = "ydf"


class Fitted(NamedTuple):
    """A fitted forest: probabilities of ``classes``, or numbers when ``classes`` is None."""

    predict: Callable[[Table], Any]
    classes: Any


Fit = Callable[[Table, Any, int, int], Fitted]  # table, target, seed, threads


def fit_ours(params: dict[str, Any], X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit our default forest on the table as it is."""
    from branchline import forest

    name = "RandomForestRegressor" if y.dtype.kind == "f" else "RandomForestClassifier"
    settings = {"random_state": seed, "n_jobs": threads, **params}
    return _fitted(getattr(forest, name)(**settings).fit(X, y), lambda rows: rows)


def fit_sklearn(encoding: str, X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit scikit-learn's default forest on ordinal codes or one-hot columns."""
    from sklearn import ensemble

    name = "RandomForestRegressor" if y.dtype.kind == "f" else "RandomForestClassifier"
    encoder = _encoder(X, encoding).fit(_cells(X))

    def encode(rows: Table) -> Any:
        return encoder.transform(_cells(rows)).astype(np.float32)

    model = getattr(ensemble, name)(random_state=seed, n_jobs=threads)
    return _fitted(model.fit(encode(X), y), encode)


def _fitted(model: Any, encode: Callable[[Table], Any]) -> Fitted:
    if hasattr(model, "classes_"):
        return Fitted(lambda rows: model.predict_proba(encode(rows)), model.classes_)
    return Fitted(lambda rows: model.predict(encode(rows)), None)


def _encoder(X: Table, encoding: str) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    words = [place for place, column in enumerate(X.columns) if column.kind == "category"]
    if encoding == "scikit-learn-one-hot":
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    else:
        unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
        encoder = OrdinalEncoder(encoded_missing_value=-2, **unknown)
    return ColumnTransformer([("words", encoder, words)], remainder="passthrough")


def _cells(X: Table) -> Any:
    """Return a table as objects: NaN for a missing number, None for a missing category."""
    cells = np.empty((X.n_rows, X.n_columns), dtype=object)
    for place, column in enumerate(X.columns):
        numeric = column.kind == "numeric"
        cells[:, place] = column.numbers() if numeric else column.to_list()
    return cells


def fit_ydf(X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit YDF's default forest; what it says of two classes is the probability of the second."""
    import ydf

    ydf.verbose(0)
    regression = y.dtype.kind == "f"
    task = ydf.Task.REGRESSION if regression else ydf.Task.CLASSIFICATION
    learner = ydf.RandomForestLearner(label="y", task=task, num_threads=threads, random_seed=seed)
    model = learner.train({**ydf_columns(X), "y": y})

    def predict(rows: Table) -> Any:
        said = np.asarray(model.predict(ydf_columns(rows), num_threads=threads), dtype=np.float64)
        return np.column_stack([1 - said, said]) if not regression and said.ndim == 1 else said

    return Fitted(predict, None if regression else np.array(model.label_classes()))


PEERS: dict[str, Fit] = {name: partial(fit_sklearn, name) for name in ENCODED} | {YDF: fit_ydf}
PACKAGES = dict.fromkeys(ENCODED, "scikit-learn") | {YDF: "ydf"}
