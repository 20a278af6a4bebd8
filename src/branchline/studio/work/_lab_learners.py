"""The learners of the lab, their sliders, and how each is made in Python."""

from importlib import import_module
from typing import Any

__all__ = ["LEARNERS", "LESSONS", "call_in_python", "made_learner"]


def _slider(name: str, label: str, low: float, high: float, start: float, **more: Any) -> Any:
    return {"name": name, "label": label, "low": low, "high": high, "start": start, **more}


_LOG: dict[str, Any] = {"is_log": True}
_WHOLE: dict[str, Any] = {"is_whole": True}
_C = _slider("C", "C (cost of errors)", 0.01, 10_000, 1, **_LOG)
_DEPTH = _slider("max_depth", "maximum depth", 1, 12, 4, **_WHOLE)

# name → class for classes and for numbers, what is fixed, the sliders.
LEARNERS: dict[str, dict[str, Any]] = {
    "neighbors": {
        "title": "Nearest neighbors",
        "classes": "neighbors.NearestNeighborsClassifier",
        "numbers": "neighbors.NearestNeighborsRegressor",
        "fixed": {"weights": "uniform", "column_weights": None},
        "sliders": [_slider("n_neighbors", "k (neighbors)", 1, 50, 5, **_WHOLE)],
    },
    "tree": {
        "title": "Decision tree",
        "classes": "tree.DecisionTreeClassifier",
        "numbers": "tree.DecisionTreeRegressor",
        "fixed": {"prune": None, "correct_for_chance": False},
        "sliders": [
            _DEPTH,
            _slider("min_samples_leaf", "rows in a leaf, at least", 1, 50, 1, **_WHOLE),
        ],
    },
    "forest": {
        "title": "Random forest",
        "classes": "forest.RandomForestClassifier",
        "numbers": "forest.RandomForestRegressor",
        "fixed": {"oob_score": False, "random_state": 0},
        "sliders": [
            _slider("n_estimators", "trees", 1, 100, 25, **_WHOLE),
            {**_DEPTH, "start": 8},
        ],
    },
    "boosting": {
        "title": "Gradient boosting",
        "classes": "boosting.GradientBoostingClassifier",
        "numbers": "boosting.GradientBoostingRegressor",
        "fixed": {"random_state": 0},
        "sliders": [
            _slider("n_estimators", "rounds", 1, 150, 30, **_WHOLE),
            _slider("learning_rate", "learning rate", 0.01, 1, 0.2, **_LOG),
        ],
    },
    "adaboost": {
        "title": "AdaBoost",
        "classes": "boosting.AdaBoostClassifier",
        "numbers": None,
        "fixed": {"random_state": 0},
        "sliders": [
            _slider("n_estimators", "rounds", 1, 100, 10, **_WHOLE),
            _slider("max_depth", "depth of each tree", 1, 4, 1, **_WHOLE),
        ],
    },
    "svm_linear": {
        "title": "SVM, linear",
        "classes": "svm.SVC",
        "numbers": "svm.SVR",
        "fixed": {"kernel": "linear", "standardize": False},
        "sliders": [_C],
    },
    "svm_poly": {
        "title": "SVM, polynomial",
        "classes": "svm.SVC",
        "numbers": "svm.SVR",
        "fixed": {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "standardize": False},
        "sliders": [_C, _slider("degree", "degree", 1, 8, 3, **_WHOLE)],
    },
    "svm_rbf": {
        "title": "SVM, RBF",
        "classes": "svm.SVC",
        "numbers": "svm.SVR",
        "fixed": {"kernel": "rbf", "standardize": False},
        "sliders": [_C, _slider("gamma", "γ (1 / width²)", 0.05, 200, 2, **_LOG)],
    },
    "logistic": {
        "title": "Logistic regression",
        "classes": "linear.LogisticRegression",
        "numbers": None,
        "fixed": {},
        "sliders": [_C],
    },
    "network": {
        "title": "Neural network",
        "classes": "neural.MLPClassifier",
        "numbers": "neural.MLPRegressor",
        # 300 steps: on hard shapes it goes on for thousands, and the slider would have to wait.
        "fixed": {"max_iter": 300, "random_state": 0},
        "sliders": [
            _slider("hidden_layer_sizes", "hidden units", 1, 30, 8, **_WHOLE),
            _slider("alpha", "weight decay", 0.001, 50, 0.1, **_LOG),
        ],
    },
}

# The classic lessons: points, a learner, its sliders, and what to see.
LESSONS: tuple[dict[str, Any], ...] = (
    {"name": "XOR", "points": "xor", "learner": "svm_linear", "set": {"C": 1},
     "see": "No straight line divides XOR. Change to the RBF kernel, or to a tree of depth 2."},
    {"name": "Circles", "points": "circles", "learner": "svm_poly", "set": {"degree": 2, "C": 10},
     "see": "A kernel of degree 2 draws a circle: a line in a space of more columns."},
    {"name": "Checkerboard", "points": "checkerboard", "learner": "svm_rbf",
     "set": {"gamma": 20, "C": 10}, "see": "Lower γ until the squares melt into one."},
    {"name": "C = 10 000", "points": "overlap", "learner": "svm_rbf",
     "set": {"C": 10000, "gamma": 10}, "see": "Errors are expensive: the boundary follows single "
     "points, and the held-out error grows."},
    {"name": "C = 0.01", "points": "overlap", "learner": "svm_rbf",
     "set": {"C": 0.01, "gamma": 10}, "see": "Errors are cheap: almost every point is a support "
     "vector, and the margin is wide."},
    {"name": "Degree 4", "points": "overlap", "learner": "svm_poly",
     "set": {"degree": 4, "C": 100}, "see": "A polynomial of degree 4 bends where there is little "
     "data."},
    {"name": "Wide and narrow RBF", "points": "moons", "learner": "svm_rbf",
     "set": {"gamma": 100, "C": 1}, "see": "Every point is an island. Lower γ to about 2."},
    {"name": "AdaBoost weights", "points": "overlap", "learner": "adaboost",
     "set": {"n_estimators": 10, "max_depth": 1}, "see": "Large dots are rows with large weights: "
     "those that the trees before predicted wrongly."},
)  # fmt: skip


def made_learner(name: str, task: str, given: dict[str, float]) -> Any:
    """Return an estimator with the values of its sliders."""
    about = LEARNERS[name]
    module, kind = about[task].split(".")
    maker = getattr(import_module(f"branchline.{module}"), kind)
    return maker(**about["fixed"], **_values(about, given))


def _values(about: dict[str, Any], given: dict[str, float]) -> dict[str, Any]:
    """Return the values of the sliders, within their ranges and of their types."""
    found: dict[str, Any] = {}
    for slider in about["sliders"]:
        value = min(max(given.get(slider["name"], slider["start"]), slider["low"]), slider["high"])
        found[slider["name"]] = round(value) if slider.get("is_whole") else float(f"{value:.4g}")
    if "hidden_layer_sizes" in found:
        found["hidden_layer_sizes"] = (found["hidden_layer_sizes"],)
    return found


def call_in_python(name: str, task: str, given: dict[str, float]) -> str:
    """Return the call that makes the same estimator."""
    about = LEARNERS[name]
    options = {**about["fixed"], **_values(about, given)}
    listed = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return f"bl.{about[task]}({listed})"
