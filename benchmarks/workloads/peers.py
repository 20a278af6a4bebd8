"""Peers: each of the eight fits a small table, which proves that it is installed and works.

The learners differ (boosting, a forest, two SVMs), so there are no ratios. A fit returns a function
that predicts classes; its accuracy on new rows is the score.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._data import Data, two_classes
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer, thread_setting

TREES = 50
LEAVES = 31
SEED = 0


@workload("peers-smoke")
def peers_smoke(bench: Bench) -> None:
    """Fit every peer on 2 000 × 28: boosting (50 trees, 31 leaves), a forest, two SVMs."""
    data = two_classes(bench.rows(2000), n_test=2000)
    bench.compare(
        {name: partial(fit_of, data, bench.threads) for name, fit_of in FITS.items()},
        reference=None,
        score=lambda predict: float(np.mean(predict(data.X_test) == data.y_test)),
        n_repeats=2,
        settings={"trees": TREES, "leaves": LEAVES},
    )


def scikit_learn(data: Data, threads: int) -> Callable[[], Any]:
    ensemble = import_peer("scikit-learn", "ensemble")
    options = {"max_iter": TREES, "max_leaf_nodes": LEAVES, "early_stopping": False}
    make = partial(ensemble.HistGradientBoostingClassifier, random_state=SEED, **options)
    return lambda: make().fit(data.X, data.y).predict


def intelex(data: Data, threads: int) -> Callable[[], Any]:
    ensemble = import_peer("scikit-learn-intelex", "ensemble")
    options = {"n_estimators": TREES, **thread_setting("scikit-learn-intelex", threads)}
    make = partial(ensemble.RandomForestClassifier, random_state=SEED, **options)
    return lambda: make().fit(data.X, data.y).predict


def lightgbm(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("lightgbm")
    options = {"n_estimators": TREES, "num_leaves": LEAVES, "random_state": SEED, "verbose": -1}

    def fit() -> Any:
        booster = library.LGBMClassifier(**options, **thread_setting("lightgbm", threads))
        booster.fit(data.X, data.y)
        return lambda X: booster.booster_.predict(X, num_threads=threads) > 0.5

    return fit


def xgboost(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("xgboost")
    options = {"n_estimators": TREES, "max_leaves": LEAVES, "max_depth": 0, "random_state": SEED}
    options |= {"tree_method": "hist", "grow_policy": "lossguide"}
    make = partial(library.XGBClassifier, **options, **thread_setting("xgboost", threads))
    return lambda: make().fit(data.X, data.y).predict


def catboost(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("catboost")
    options = {"iterations": TREES, "depth": 5, "random_seed": SEED, "verbose": False}
    options |= {"allow_writing_files": False, **thread_setting("catboost", threads)}
    return lambda: library.CatBoostClassifier(**options).fit(data.X, data.y).predict


def ydf(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("ydf")
    library.verbose(0)
    options = {"num_trees": TREES, "growing_strategy": "BEST_FIRST_GLOBAL", "random_seed": SEED}
    options |= {"max_num_nodes": LEAVES, "max_depth": -1, "early_stopping": "NONE"}
    options |= {"validation_ratio": 0.0, **thread_setting("ydf", threads)}

    def fit() -> Any:
        learner = library.GradientBoostedTreesLearner(label="y", **options)
        model = learner.train({"x": data.X, "y": data.y})
        return lambda X: model.predict({"x": X}) > 0.5

    return fit


def libsvm(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("libsvm")
    y = data.y.astype(float)

    def fit() -> Any:
        model = library.svm_train(y, data.X, "-q -t 2 -c 1 -g 0.03 -m 200")
        return lambda X: np.array(library.svm_predict([], X, model, "-q")[0])

    return fit


def liblinear(data: Data, threads: int) -> Callable[[], Any]:
    library = import_peer("liblinear")
    y = data.y.astype(float)

    def fit() -> Any:
        model = library.train(y, data.X, "-q -s 2 -c 1 -B 1")
        return lambda X: np.array(library.predict([], X, model, "-q")[0])

    return fit


FITS = {
    "scikit-learn": scikit_learn,
    "scikit-learn-intelex": intelex,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost,
    "ydf": ydf,
    "libsvm": libsvm,
    "liblinear": liblinear,
}
