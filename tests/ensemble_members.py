"""Learners and tables that the tests of ensembles share."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from common.tables import mixed_frame, target

XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
XOR_CLASS = np.array([-1, 1, -1, 1])


class HalfPlane(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier of another library: it decides, and gives no probabilities."""

    def __init__(self, weights: Any = (0.0, 0.0), bias: float = 0.0) -> None:
        self.weights = weights
        self.bias = bias

    def fit(self, X: Any, y: Any) -> "HalfPlane":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.where(np.asarray(X) @ np.array(self.weights) + self.bias > 0, 1, -1)


class Says(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor of another library that always says one number."""

    def __init__(self, number: float = 0.0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Says":
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.number)


class SaysClass(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of another library with one answer, whatever it was taught."""

    def __init__(self, name: Any = "none") -> None:
        self.name = name

    def fit(self, X: Any, y: Any) -> "SaysClass":
        self.classes_ = np.array([self.name])
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.name)


def classes_table(n_rows: int = 80) -> tuple[Any, Any]:
    frame = mixed_frame(n_rows)
    return frame, target(frame, "classification")


def numbers_table(n_rows: int = 80) -> tuple[Any, Any]:
    frame = mixed_frame(n_rows)
    return frame, target(frame, "regression")


def small_tree(**parameters: Any) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(prune=None, max_depth=2, **parameters)


def small_regression_tree(**parameters: Any) -> DecisionTreeRegressor:
    return DecisionTreeRegressor(prune=None, max_depth=2, **parameters)
