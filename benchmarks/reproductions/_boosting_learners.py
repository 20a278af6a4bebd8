"""Gradient boosting of Python libraries with their own defaults and their modes for categories.

A fit takes a table, its target, a seed and a number of threads.

1. LightGBM, XGBoost and scikit-learn get a pandas frame: floats with NaN, categories as categories,
   a missing one as missing. All categories of the set are declared, so a test row has none that a
   library has never heard of; those without training rows are handled as the library does.
2. CatBoost gets texts; it takes no missing category, so that is one more category.
3. Ours gets the table as it is.

Classes are numbered from 0 for all peers, since XGBoost takes nothing else.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._peers import PEERS as LIBRARIES
from benchmarks._peers import import_peer, thread_setting
from benchmarks.reproductions._forest_learners import Fit, Fitted
from branchline import Table

__all__ = ["CATBOOST", "PACKAGES", "PEERS", "fit_ours"]

CATBOOST = "catboost"
MISSING = "(missing)"


def fit_ours(params: dict[str, Any], X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit our default gradient boosting on the table as it is."""
    from branchline import boosting

    regression = _is_numbers(y)
    name = "GradientBoostingRegressor" if regression else "GradientBoostingClassifier"
    settings = {"random_state": seed, "n_jobs": threads, **params}
    model = getattr(boosting, name)(**settings).fit(X, y)
    return (
        Fitted(model.predict, None) if regression else Fitted(model.predict_proba, model.classes_)
    )


def fit_lightgbm(X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit LightGBM's defaults; it finds the categories of a frame by itself."""
    library = import_peer("lightgbm")
    make = library.LGBMRegressor if _is_numbers(y) else library.LGBMClassifier
    settings = thread_setting("lightgbm", threads)
    return _fitted(make(random_state=seed, verbose=-1, **settings), X, y, frame)


def fit_xgboost(X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit XGBoost's defaults with categories enabled."""
    library = import_peer("xgboost")
    make = library.XGBRegressor if _is_numbers(y) else library.XGBClassifier
    settings = thread_setting("xgboost", threads)
    return _fitted(make(random_state=seed, enable_categorical=True, **settings), X, y, frame)


def fit_sklearn(X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit the defaults of scikit-learn's histogram boosting; OpenMP's variable limits threads."""
    ensemble = import_peer("scikit-learn", "ensemble")
    kind = "Regressor" if _is_numbers(y) else "Classifier"
    make = getattr(ensemble, f"HistGradientBoosting{kind}")
    return _fitted(make(random_state=seed, categorical_features="from_dtype"), X, y, frame)


def fit_catboost(X: Table, y: Any, seed: int, threads: int) -> Fitted:
    """Fit CatBoost's defaults: a thousand rounds, the learning rate chosen by the rows."""
    library = import_peer(CATBOOST)
    make = library.CatBoostRegressor if _is_numbers(y) else library.CatBoostClassifier
    words = [place for place, column in enumerate(X.columns) if column.kind == "category"]
    settings = {"verbose": False, "allow_writing_files": False, **thread_setting(CATBOOST, threads)}
    return _fitted(make(random_seed=seed, cat_features=words, **settings), X, y, frame_of_texts)


def _fitted(model: Any, X: Table, y: Any, convert: Callable[[Table], Any]) -> Fitted:
    if _is_numbers(y):
        model.fit(convert(X), y)
        return Fitted(lambda rows: model.predict(convert(rows)), None)
    classes, numbers = np.unique(y, return_inverse=True)
    model.fit(convert(X), numbers)
    return Fitted(lambda rows: np.float64(model.predict_proba(convert(rows))), classes)


def _is_numbers(y: Any) -> bool:
    return bool(y.dtype.kind == "f")


# -- tables as the libraries take them ------------------------------------------------------------


def frame(X: Table) -> Any:
    """Return a pandas frame whose categories are those of the whole set, present or not.

    LightGBM refuses some signs in names, so columns are called x0, x1, ….
    """
    pandas = _pandas()
    return pandas.DataFrame({f"x{at}": _series(column) for at, column in enumerate(X.columns)})


def frame_of_texts(X: Table) -> Any:
    """Return a pandas frame with texts for categories, and one text for those that are missing."""
    pandas = _pandas()
    return pandas.DataFrame({f"x{at}": _texts(column) for at, column in enumerate(X.columns)})


def _series(column: Any) -> Any:
    if column.kind == "numeric":
        return column.numbers()
    codes = np.maximum(column.values, -1)  # below 0 there is no category
    return _pandas().Categorical.from_codes(codes, categories=[*map(str, column.categories)])


def _texts(column: Any) -> Any:
    if column.kind == "numeric":
        return column.numbers()
    names = [MISSING if name is None else str(name) for name in column.to_list()]
    return np.array(names, dtype=object)


def _pandas() -> Any:
    import pandas

    return pandas


# CatBoost comes last: it takes as long as all others together.
PEERS: dict[str, Fit] = {
    "lightgbm": fit_lightgbm,
    "xgboost": fit_xgboost,
    "scikit-learn": fit_sklearn,
    CATBOOST: fit_catboost,
}
PACKAGES = {name: LIBRARIES[name].package for name in PEERS}
