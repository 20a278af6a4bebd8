"""The learners of ``coverage_grid``: each takes a table and a target and returns what predicts.

Trees of one and of many tests, naive Bayes, least squares and the mean are those of
``_cheap_learners``. Forest (15 trees), boosting (20 rounds) and one-rule are Branchline's; logistic
regression has a fixed small penalty, nearest neighbors k = 5, and the support vector machine (RBF,
C = 1) is scikit-learn's: settings that fit in about a millisecond. Probabilities lie between 0.01
and 0.99, so that one sure mistake does not make a log-loss infinite.
"""

from collections.abc import Callable

import numpy as np
from sklearn.svm import SVC

import branchline as bl
from benchmarks.reproductions._cheap_learners import (
    Floats,
    Learner,
    Predict,
    baseline,
    least_squares,
    naive_bayes,
    stump,
    tree,
)

__all__ = ["BY_NAME", "fit"]


def logistic(X: Floats, y: Floats) -> Predict:
    """Fit logistic regression with a ridge penalty of 1, by Newton's steps."""
    Z = np.c_[np.ones(len(X)), X]
    penalty = np.eye(Z.shape[1])
    penalty[0, 0] = 1e-6
    w = np.zeros(Z.shape[1])
    for _ in range(6):
        p = 1 / (1 + np.exp(-np.clip(Z @ w, -30, 30)))
        hessian = (Z.T * (p * (1 - p) + 1e-9)) @ Z + penalty
        w = w + np.linalg.solve(hessian, Z.T @ (y - p) - penalty @ w)
    return lambda T: np.asarray(1 / (1 + np.exp(-np.clip(w[0] + T @ w[1:], -30, 30))))


def nearest(X: Floats, y: Floats) -> Predict:
    """Average the five nearest rows."""
    k, squares = min(5, len(X)), (X * X).sum(axis=1)

    def predict(T: Floats) -> Floats:
        near = np.argpartition(squares - 2 * T @ X.T, k - 1, axis=1)[:, :k]
        return np.asarray(y[near].mean(axis=1))

    return predict


def machine(X: Floats, y: Floats) -> Predict:
    """Fit a support vector machine; probabilities follow its decision values."""
    fitted = SVC(C=1.0, gamma=1 / X.shape[1]).fit(X, y)
    return lambda T: np.asarray(1 / (1 + np.exp(-2 * fitted.decision_function(T))))


def ours(name: str, **parameters: int) -> Learner:
    """Return a learner of Branchline's catalog."""

    def fit_it(X: Floats, y: Floats) -> Predict:
        model = bl.make(name, task="classification", **parameters)
        model.fit(bl.Table(X), y.astype(int))
        return lambda T: np.asarray(model.predict_proba(bl.Table(T))[:, 1])

    return fit_it


BY_NAME: dict[str, Callable[[Floats, Floats], Predict]] = {
    "majority": baseline,
    "mean": baseline,
    "one_rule": ours("one_rule"),
    "stump": stump,
    "tree": tree,
    "naive_bayes": naive_bayes,
    "logistic": logistic,
    "nearest": nearest,
    "forest": ours("random_forest", n_estimators=15),
    "boosting": ours("gradient_boosting", n_estimators=20),
    "svm": machine,
    "least_squares": least_squares,
}


def fit(name: str, X: Floats, y: Floats, is_class: bool) -> Predict:
    """Fit a learner; where a training set has one class only, that class is predicted."""
    if not is_class:
        return BY_NAME[name](X, y)
    counts = np.bincount(y.astype(int), minlength=2)
    learner = baseline if counts.min() < 2 and name != "majority" else BY_NAME[name]
    predict = learner(X, y)
    return lambda T: np.clip(predict(T), 0.01, 0.99)
