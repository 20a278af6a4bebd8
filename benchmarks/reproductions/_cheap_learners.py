"""Learners that fit in about a millisecond, for simulations of thousands of fits.

Each takes a table and its target and returns what predicts: the probability of class 1, or a
number. Targets of zeros and ones alone are classes.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Floats = npt.NDArray[np.float64]
Predict = Callable[[Floats], Floats]
Learner = Callable[[Floats, Floats], Predict]


def baseline(X: Floats, y: Floats) -> Predict:
    """Predict the mean, which is the share of class 1 (more than half: class 1)."""
    mean = y.mean()
    return lambda Z: np.full(len(Z), mean)


def discriminant(X: Floats, y: Floats) -> Predict:
    """Fit a linear discriminant."""
    means = [X[y == name].mean(axis=0) for name in (0, 1)]
    rest = X - np.where((y == 1)[:, None], means[1], means[0])
    scatter = rest.T @ rest / max(1, len(y) - 2) + 1e-6 * np.eye(X.shape[1])
    w = np.linalg.solve(scatter, means[1] - means[0])
    offset = np.log(y.mean() / (1 - y.mean())) - w @ (means[0] + means[1]) / 2
    return lambda Z: _chance(Z @ w + offset)


def naive_bayes(X: Floats, y: Floats) -> Predict:
    """Fit a normal distribution to each column of each class."""
    means = [X[y == name].mean(axis=0) for name in (0, 1)]
    spreads = [X[y == name].var(axis=0) + 1e-3 for name in (0, 1)]
    prior = np.log(y.mean() / (1 - y.mean()))

    def predict(Z: Floats) -> Floats:
        each = [
            -0.5 * ((Z - mean) ** 2 / spread + np.log(spread)).sum(axis=1)
            for mean, spread in zip(means, spreads, strict=True)
        ]
        return _chance(each[1] - each[0] + prior)

    return predict


def best_ten(X: Floats, y: Floats) -> Predict:
    """Choose the ten columns whose means differ most, then fit a discriminant."""
    gaps = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)) / X.std(axis=0)
    chosen = np.argsort(-gaps)[:10]
    predict = discriminant(X[:, chosen], y)
    return lambda Z: predict(Z[:, chosen])


def nearest(X: Floats, y: Floats) -> Predict:
    """Say what the nearest row says; classes with a probability of 0.9."""
    said = np.where(y == 1, 0.9, 0.1) if set(np.unique(y)) <= {0, 1} else y
    squares = (X * X).sum(axis=1)
    return lambda Z: said[(squares - 2 * Z @ X.T).argmin(axis=1)]


def stump(X: Floats, y: Floats) -> Predict:
    """Fit a tree of one question."""
    return _tree(X, y, max_depth=1)


def tree(X: Floats, y: Floats) -> Predict:
    """Fit a tree with at least five rows in a leaf."""
    return _tree(X, y, min_samples_leaf=5)


def _tree(X: Floats, y: Floats, **options: int) -> Predict:
    is_class = set(np.unique(y)) <= {0, 1}
    kind = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    grown = kind(random_state=0, **options).fit(_plain(X), y, check_input=False)
    if is_class:
        return lambda Z: 0.01 + 0.98 * grown.predict_proba(_plain(Z), check_input=False)[:, 1]
    return lambda Z: grown.predict(_plain(Z), check_input=False)


def _plain(X: Floats) -> npt.NDArray[np.float32]:
    """Return a table as trees hold it, so that it need not be checked."""
    return np.ascontiguousarray(X, dtype=np.float32)


def least_squares(X: Floats, y: Floats) -> Predict:
    """Fit a linear function."""
    weights = np.linalg.lstsq(np.c_[np.ones(len(X)), X], y, rcond=None)[0]
    return lambda Z: weights[0] + Z @ weights[1:]


def best_five(X: Floats, y: Floats) -> Predict:
    """Choose the five columns that correlate most, then fit a linear function."""
    centered = X - X.mean(axis=0)
    strength = np.abs(centered.T @ (y - y.mean())) / np.sqrt((centered**2).sum(axis=0))
    chosen = np.argsort(-strength)[:5]
    predict = least_squares(X[:, chosen], y)
    return lambda Z: predict(Z[:, chosen])


def on_columns(learner: Learner, columns: slice) -> Learner:
    """Return the learner that sees some columns only."""

    def fit(X: Floats, y: Floats) -> Predict:
        predict = learner(X[:, columns], y)
        return lambda Z: predict(Z[:, columns])

    return fit


def _chance(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -35, 35))))
