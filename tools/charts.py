"""Draw every figure of docs/charts.md anew, as small SVG files from bundled tables.

``make charts`` writes them; it fails when they are more than 900 kB together.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import branchline as bl
from branchline import charts
from branchline.assess import curves as measured
from branchline.assess import effect_curves, importance_intervals, permutation_importance, theory
from branchline.boosting import AdaBoostClassifier, GradientBoostingClassifier
from branchline.cluster import (
    AgglomerativeClustering,
    KMeans,
    draw_distances,
    draw_heat_map,
    how_many,
    silhouette,
)
from branchline.features import rank_columns
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from branchline.linear import Lasso, LogisticRegression, Ridge, coefficient_path
from branchline.neighbors import NearestNeighborsClassifier
from branchline.neural import MLPClassifier
from branchline.projection import PCA
from branchline.reproduce import selection_curve
from branchline.svm import SVC, SVCGrid
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

FOLDER = Path(__file__).parent.parent / "docs" / "pictures" / "charts"
_WIDTH, _MOST_BYTES = 480, 900_000


def main() -> int:
    """Write all figures; return 1 when they are too large."""
    warnings.simplefilter("ignore")
    FOLDER.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, make in _figures().items():
        path = FOLDER / f"{name}.svg"
        make().save(path, width=_WIDTH)
        total += path.stat().st_size
        print(f"{path.stat().st_size:>8,} bytes  {path.name}")
    print(f"{total:>8,} bytes in all")
    return int(total > _MOST_BYTES)


def _figures() -> dict[str, Callable[[], Any]]:
    supervised = {**_of_probabilities(), **_of_errors(), **_of_theory(), **_of_models()}
    return {**supervised, **_of_regions(), **_of_more_regions(), **_of_groups()}


def _heart() -> tuple[Any, Any]:
    X, y = bl.load_dataset("heart").split_target("disease")
    return X, np.asarray(y)


def _of_probabilities() -> dict[str, Callable[[], Any]]:
    learners = "logistic,naive_bayes,tree,forest"
    table = bl.load_dataset("heart")
    found = bl.compare(table, "disease", learners=learners, n_folds=5, positive="present")
    predicted = found.outcome("logistic")
    gain = measured.gain_curve(predicted)
    return {
        "comparison": found.draw,
        "roc": lambda: measured.roc_curve(predicted).draw(),  # type: ignore[union-attr]
        "precision": lambda: measured.precision_recall_curve(predicted).draw(),  # type: ignore[union-attr]
        "calibration": lambda: measured.calibration_curve(predicted).draw(),  # type: ignore[union-attr]
        "gain": lambda: gain.draw(),  # type: ignore[union-attr]
        "lift": lambda: gain.draw(show="lift"),  # type: ignore[union-attr]
        "decision": lambda: measured.decision_curve(predicted).draw(),  # type: ignore[union-attr]
        "confusion": lambda: measured.confusion(predicted).draw(),
    }


def _of_errors() -> dict[str, Callable[[], Any]]:
    X, y = _heart()
    half = np.arange(len(y)) % 2 == 0
    train, rest = (X.rows(half), y[half]), (X.rows(~half), y[~half])
    tree = DecisionTreeClassifier(prune=None)
    depths = {"parameter": "max_depth", "values": [1, 2, 3, 4, 6, 8]}
    boosting = GradientBoostingClassifier(n_estimators=150, learning_rate=0.1)
    forest = RandomForestClassifier(n_estimators=100)
    return {
        "learning": lambda: measured.learning_curve(LogisticRegression(), X, y).draw(),
        "validation": lambda: measured.validation_curve(tree, X, y, **depths).draw(),
        "pruning": lambda: DecisionTreeClassifier().fit(X, y).pruning_path_.draw(),
        "rounds": lambda: measured.staged_errors(
            boosting.fit(*train), *train, eval_set=rest
        ).draw(),
        "trees": lambda: measured.staged_errors(forest.fit(*train), *train, eval_set=rest).draw(),
        "importance": lambda: permutation_importance(forest.fit(*train), *rest).draw(),
        "shares": lambda: importance_intervals(forest.fit(X, y), X, y, n_samples=15).draw(),
        "selection": lambda: selection_curve(n_inputs=500, n_samples=10).draw(),
    }


def _of_theory() -> dict[str, Callable[[], Any]]:
    tree = DecisionTreeRegressor(prune=None, max_leaf_nodes=8)
    sine = theory.sine_function()
    leaves = {"over": "max_leaf_nodes", "values": [2, 4, 8, 16, 32], "n_rows": 200, "n_sets": 20}
    credit, sizes = bl.load_dataset("german-credit"), [1, 2, 4, 6, 8, 12, 16]
    ages, disease = _heart()[0].column("max_heart_rate").numbers(), _heart()[1]
    return {
        "structural-risk": lambda: theory.structural_risk(credit, "class", sizes=sizes).draw(),
        "bias-variance": lambda: theory.bias_variance_curve(tree, sine, **leaves).draw(),
        "samples": lambda: theory.sample_curves(tree, sine, n_sets=30, n_places=120).draw(),
        "impurities": charts.impurity_curves,
        "losses": charts.margin_losses,
        "threshold": lambda: charts.impurity_by_threshold(ages, disease, name="max_heart_rate"),
    }


def _of_models() -> dict[str, Callable[[], Any]]:
    X, y = _heart()
    cars, mpg = bl.load_dataset("auto-mpg").split_target("mpg")
    numbers = X.select(["age", "max_heart_rate"])
    forest = RandomForestRegressor().fit(cars, mpg)
    shown = {"columns": ["weight", "origin"]}
    ridge = bl.fit_intervals(Ridge().fit(cars, mpg), cars, mpg)
    few = cars.rows(np.arange(0, cars.n_rows, 10))
    truth = np.asarray(mpg)[::10]
    return {
        "weights": lambda: LogisticRegression().fit(X, y).draw(),
        "odds": lambda: LogisticRegression().fit(X, y).odds_ratios().draw(),
        "lasso": lambda: Lasso().fit(cars, mpg).path_.draw(),
        "ridge": lambda: coefficient_path(Ridge(), cars, mpg).draw(),
        "grid": lambda: SVCGrid().fit(numbers, y).draw(),
        "intervals": lambda: bl.predict_interval(ridge, few).draw(truth=truth),
        "effects": lambda: effect_curves(forest, cars, **shown).draw(),
        "accumulated": lambda: effect_curves(forest, cars, method="accumulated", **shown).draw(),
    }


def _of_regions() -> dict[str, Callable[[], Any]]:
    X, y = bl.load_dataset("iris").split_target("species")
    rows = np.flatnonzero(np.asarray(y) != "setosa")
    two = X.rows(rows).select(["petal_length", "petal_width"])
    name = np.asarray(y)[rows]
    shown = {"columns": ("petal_length", "petal_width"), "n_steps": 50}
    cars, mpg = bl.load_dataset("auto-mpg").split_target("mpg")
    weight = cars.select(["weight"])
    tree = DecisionTreeClassifier().fit(X, y)
    soft, hard = SVC(1.0).fit(two, name), SVC(10_000.0).fit(two, name)
    ada = AdaBoostClassifier(n_estimators=10).fit(two, name)
    weights = ada.row_weights(two, name)
    forest = RandomForestRegressor().fit(cars, mpg)
    curve = DecisionTreeRegressor(max_leaf_nodes=8).fit(weight, mpg)
    over = {"columns": ("weight", "origin"), "n_steps": 50}
    logistic = LogisticRegression().fit(X, y)
    return {
        "region-tree": lambda: charts.boundaries(tree, X, y, **shown),
        "region-logistic": lambda: charts.boundaries(logistic, X, y, **shown),
        "region-svm": lambda: charts.boundaries(soft, two, name, n_steps=60),
        "region-svm-hard": lambda: charts.boundaries(hard, two, name, n_steps=60),
        "region-adaboost": lambda: charts.boundaries(ada, two, name, sample_weight=weights),
        "region-numbers": lambda: charts.boundaries(forest, cars, mpg, **over),
        "region-curve": lambda: charts.boundaries(curve, weight, mpg),
    }


def _of_more_regions() -> dict[str, Callable[[], Any]]:
    X, y = bl.load_dataset("iris").split_target("species")
    rows = np.flatnonzero(np.asarray(y) != "setosa")
    two = X.rows(rows).select(["petal_length", "petal_width"])
    name = np.asarray(y)[rows]
    models = {
        "region-nearest": NearestNeighborsClassifier(n_neighbors=1),
        "region-fifteen": NearestNeighborsClassifier(n_neighbors=15),
        "region-network": MLPClassifier(hidden_layer_sizes=(10, 10)),
        "region-forest": RandomForestClassifier(n_estimators=100),
        "region-degree": SVC(1.0, kernel="poly", degree=4),
    }
    return {
        key: lambda model=model: charts.boundaries(model.fit(two, name), two, name, n_steps=50)
        for key, model in models.items()
    }


def _of_groups() -> dict[str, Callable[[], Any]]:
    X, y = bl.load_dataset("iris").split_target("species")
    few = X.rows(np.arange(0, X.n_rows, 5))
    axes = PCA().fit(X)
    labels = KMeans(n_clusters=3).fit(X).labels_
    grown = DecisionTreeClassifier().fit(X, y)
    return {
        "scree": lambda: axes.counts_.draw(),
        "biplot": lambda: axes.biplot(few, color=list(y)[::5]),
        "loadings": lambda: axes.loading_intervals(X).draw(),
        "dendrogram": lambda: AgglomerativeClustering(n_clusters=3).fit(few).draw(),
        "heat-map": lambda: draw_heat_map(few),
        "distances": lambda: draw_distances(few),
        "how-many": lambda: how_many(X).draw(),
        "silhouette": lambda: silhouette(few, labels[::5]).draw(),
        "ranking": lambda: rank_columns(X, y).draw(),
        "growing": lambda: grown.growing_curve(X, y).draw(),
        "sequence": lambda: grown.pruning_sequence(X, y).draw(),
    }


if __name__ == "__main__":
    sys.exit(main())
