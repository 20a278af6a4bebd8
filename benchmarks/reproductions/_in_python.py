"""Single trees of Python libraries: scikit-learn, YDF and ours, one fit a fold.

1. ``fit(X, y)`` is timed with whatever a user must do first (one-hot columns for scikit-learn).
2. The fitted tree predicts the test rows; their errors and its leaves are kept.

scikit-learn sees a missing category as one more category. ``sklearn-pruned`` tries the costs of its
own pruning path, at most ``MOST_COSTS`` of them, by 10-fold cross-validation of the training rows.
"""

import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version as version_of
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproductions._folds import FOLDS, Fold, Learner, Problem, Splits
from branchline import Table

__all__ = ["SKLEARN", "SKLEARN_PRUNED", "YDF", "our_learner"]

MOST_COSTS = 30


class Fitted(NamedTuple):
    """A fitted tree: how it predicts the classes of a table, and its number of leaves."""

    predict: Callable[[Table], Any]
    leaves: int


Fit = Callable[[Table, Any, int], Fitted]


def measure(fit: Fit, problem: Problem, splits: Splits, seed: int) -> list[Fold]:
    """Fit on the training rows of every split and test on the others."""
    folds = []
    for train, test in splits:
        X, y = problem.X.rows(train), problem.y[train]
        begin = perf_counter()
        fitted = fit(X, y, seed)
        seconds = perf_counter() - begin
        predicted = np.asarray(fitted.predict(problem.X.rows(test))).astype(str)
        wrong = int(np.sum(predicted != problem.y[test]))
        folds.append(Fold(wrong, fitted.leaves, seconds))
    return folds


# -- scikit-learn -------------------------------------------------------------------------------


def fit_sklearn(X: Table, y: Any, seed: int, *, pruned: bool = False) -> Fitted:
    """Fit scikit-learn's default tree on one-hot columns, or the one its own pruning chooses."""
    from sklearn.tree import DecisionTreeClassifier

    encoder = _one_hot(X).fit(np.asarray(X, dtype=object))
    columns = encoder.transform(np.asarray(X, dtype=object)).astype(np.float32)
    tree = DecisionTreeClassifier(random_state=seed)
    tree = _search(tree, columns, y, seed) if pruned else tree.fit(columns, y)

    def predict(rows: Table) -> Any:
        return tree.predict(encoder.transform(np.asarray(rows, dtype=object)).astype(np.float32))

    return Fitted(predict, int(tree.get_n_leaves()))


def _one_hot(X: Table) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder

    places = [place for place, field in enumerate(X.schema) if field.type.kind == "category"]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("categories", encoder, places)], remainder="passthrough")


def _search(tree: Any, columns: Any, y: Any, seed: int) -> Any:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    path = tree.cost_complexity_pruning_path(columns, y)
    costs = np.unique(np.maximum(path.ccp_alphas, 0.0))
    some = np.linspace(0, len(costs) - 1, min(len(costs), MOST_COSTS)).round().astype(int)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(tree, {"ccp_alpha": costs[some]}, cv=folds)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return search.fit(columns, y).best_estimator_


# -- YDF ----------------------------------------------------------------------------------------


def fit_ydf(X: Table, y: Any, seed: int) -> Fitted:
    """Fit YDF's CART with its defaults, which set a tenth of the rows aside to prune with."""
    import ydf

    ydf.verbose(0)
    learner = ydf.CartLearner(label="y", num_threads=1, random_seed=seed)
    model = learner.train({**ydf_columns(X), "y": y})
    leaves = (model.num_nodes() + 1) // 2  # every test is binary
    return Fitted(lambda rows: model.predict_class(ydf_columns(rows)), leaves)


def ydf_columns(X: Table) -> dict[str, Any]:
    """Return a table as YDF takes it: floats with NaN, texts with the empty one for missing.

    YDF reads names as patterns, so columns are called x0, x1, ….
    """
    return {f"x{place}": _ydf_column(column) for place, column in enumerate(X.columns)}


def _ydf_column(column: Any) -> Any:
    if column.kind == "numeric":
        return column.numbers().astype(np.float32)
    return np.array(["" if name is None else str(name) for name in column.to_list()])


# -- ours ---------------------------------------------------------------------------------------


def our_learner(name: str) -> Learner | None:
    """Return the learner called ``name`` in ``branchline.tree``, None while there is none."""
    from branchline import tree

    make = getattr(tree, name, None)
    if make is None:
        return None
    return Learner(partial(measure, partial(_fit_ours, make)), _version("branchline"), ours=True)


def _fit_ours(make: Callable[[], Any], X: Table, y: Any, seed: int) -> Fitted:
    model = make()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    model.fit(X, y)
    return Fitted(model.predict, int(model.tree_.n_leaves))


def _version(package: str) -> Callable[[], str]:
    return lambda: f"{package} {version_of(package)}"


SKLEARN = Learner(partial(measure, fit_sklearn), _version("scikit-learn"))
SKLEARN_PRUNED = Learner(
    partial(measure, partial(fit_sklearn, pruned=True)), _version("scikit-learn")
)
YDF = Learner(partial(measure, fit_ydf), _version("ydf"))
