"""What people run: every library by its defaults, on real tables and on a generated one.

Each call fits and predicts the new rows. Libraries that take a table as it is get it as it is;
scikit-learn's learners of numbers get a pipeline that fills, scales and one-hot encodes, which is
part of their call. Ours may choose penalties, numbers of neighbors and sizes by cross-validation
where the peer has a fixed number: the score says what that is worth. Scores are accuracies on new
rows, over several draws of which rows are new.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, data_folder, two_classes
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer, thread_setting
from benchmarks.workloads.forest_real import covertype
from benchmarks.workloads.tree import accuracy

# At the defaults a peer may be worse or better by choice; 0.01 is what a person would notice.
CLOSE = 0.01
ROWS = 20_000
OURS = {
    "tree": "branchline.tree:DecisionTreeClassifier",
    "forest": "branchline.forest:RandomForestClassifier",
    "boosting": "branchline.boosting:GradientBoostingClassifier",
    "naive_bayes": "branchline.bayes:NaiveBayes",
    "logistic": "branchline.linear:LogisticRegression",
    "neighbors": "branchline.neighbors:NearestNeighborsClassifier",
    "svm": "branchline.svm:SVC",
}
SCIKIT_LEARN = {
    "tree": "sklearn.tree:DecisionTreeClassifier",
    "forest": "sklearn.ensemble:RandomForestClassifier",
    "boosting": "sklearn.ensemble:HistGradientBoostingClassifier",
    "naive_bayes": "sklearn.naive_bayes:GaussianNB",
    "logistic": "sklearn.linear_model:LogisticRegression",
    "neighbors": "sklearn.neighbors:KNeighborsClassifier",
    "svm": "sklearn.svm:SVC",
}
TABLES = ("adult", "covertype", "generated")
BARS = {"tree": 1.0, "forest": 2.0, "boosting": 0.5, "naive_bayes": 0.5, "svm": 2.0}
WHY = {
    "tree": "eleven trees choose the size, in the time of scikit-learn's one",
    "forest": "nothing is sorted and nothing encoded",
    "boosting": "200 rounds against 100: at most twice the time",
    "naive_bayes": "curves are compared with bins, which is another pass",
    "svm": "blocks of kernel values instead of single ones",
}


def table(name: str, bench: Bench) -> Data | None:
    """Return one of the tables with its new rows drawn by the bench's seed; None when absent."""
    n_rows = bench.rows(ROWS)
    if name == "generated":
        return two_classes(n_rows, n_test=ROWS, dtype=np.float64, seed=bench.seed)
    if name == "covertype":
        return covertype(n_rows, bench.seed) if data_folder() else None
    whole = adult()
    return None if whole is None else _redrawn(whole, n_rows, bench.seed)


def _redrawn(data: Data, n_rows: int, seed: int) -> Data:
    """Return other training and new rows of a table that comes with both."""
    import polars

    X = polars.concat([data.X, data.X_test]).to_pandas()
    y = np.concatenate([data.y, data.y_test])
    order = np.random.default_rng(seed).permutation(len(y))
    train, new = order[:n_rows], order[n_rows : n_rows + ROWS]
    return Data(X.iloc[train], y[train], X.iloc[new], y[new])


def our_model(family: str, bench: Bench) -> Any:
    """Return our learner by its defaults, with the bench's threads where it has any."""
    model = _class_of(OURS[family])()
    return model.set_params(n_jobs=bench.threads) if "n_jobs" in model.get_params() else model


def scikit_learn_model(family: str, bench: Bench, data: Data) -> Any:
    """Return scikit-learn's learner by its defaults, behind an encoder where it needs one."""
    model = _class_of(SCIKIT_LEARN[family])()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=bench.threads)
    if isinstance(data.X, np.ndarray):
        return model
    return _pipeline(data.X, model, scaled=family not in ("tree", "forest", "boosting"))


def _pipeline(X: Any, model: Any, *, scaled: bool) -> Any:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    of_numbers = [SimpleImputer(strategy="median"), *([StandardScaler()] if scaled else [])]
    encoder = make_column_transformer(
        (make_pipeline(*of_numbers), make_column_selector(dtype_include="number")),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
    )
    return make_pipeline(encoder, model)


def lightgbm_model(bench: Bench) -> Any:
    """Return LightGBM's learner by its defaults."""
    make = import_peer("lightgbm").LGBMClassifier
    return make(verbose=-1, **thread_setting("lightgbm", bench.threads))


def xgboost_model(bench: Bench) -> Any:
    """Return XGBoost's learner by its defaults."""
    make = import_peer("xgboost").XGBClassifier
    return make(enable_categorical=True, **thread_setting("xgboost", bench.threads))


def as_categories(data: Data) -> Data:
    """Return the table with its words as pandas categories, which boosting of others takes."""
    if isinstance(data.X, np.ndarray):
        return data._replace(y=_from_zero(data.y), y_test=_from_zero(data.y_test))
    import pandas as pd

    words = data.X.select_dtypes(exclude="number").columns
    kinds = {name: pd.CategoricalDtype(sorted(data.X[name].dropna().unique())) for name in words}
    return data._replace(X=data.X.astype(kinds), X_test=data.X_test.astype(kinds))


def _from_zero(y: Any) -> Any:
    return y - y.min()  # XGBoost counts classes from 0


def _fit_and_predict(make: Callable[[], Any], data: Data) -> float:
    predicted = make().fit(data.X, data.y).predict(data.X_test)
    return accuracy(predicted, data.y_test)


def _class_of(name: str) -> Any:
    module, kind = name.split(":")
    return getattr(import_module(module), kind)


def _register(family: str, name: str) -> None:
    def run(bench: Bench) -> None:
        data = table(name, bench)
        if data is None:
            bench.skip(ABSENT)
        theirs = partial(scikit_learn_model, family, bench, data)
        makers = {
            "branchline": (partial(our_model, family, bench), data),
            "scikit-learn": (theirs, data),
        }
        if family == "boosting":
            others = as_categories(data)
            makers["lightgbm"] = (partial(lightgbm_model, bench), others)
            makers["xgboost"] = (partial(xgboost_model, bench), others)
        competitors = {
            who: partial(_competitor, make, given) for who, (make, given) in makers.items()
        }
        bench.compare(
            competitors,
            score=float,
            closeness=CLOSE,
            redrawn=True,
            n_repeats=min(3, bench.n_repeats),
        )

    words = {"adult": "adult, with its words and missing cells", "generated": "28 numbers"}
    run.__doc__ = f"Fit {family} on {ROWS} rows of {words.get(name, name)} and predict as many."
    against = "lightgbm" if family == "boosting" else "scikit-learn"
    workload(
        f"defaults-{family}-{name}",
        bar=BARS.get(family),
        against=against,
        why=WHY.get(family, ""),
        short=name == "adult" and family in ("tree", "forest", "boosting", "logistic"),
        by_default=True,
    )(run)


def _competitor(make: Callable[[], Any], data: Data) -> Callable[[], float]:
    make()  # imports, before anything is timed
    return partial(_fit_and_predict, make, data)


for _family in OURS:
    for _table in TABLES:
        _register(_family, _table)
