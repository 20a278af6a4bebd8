"""A fit that fails leaves nothing of the fit before it, under no name."""

import numpy as np
import pytest

from branchline.bayes import NaiveBayes
from branchline.errors import DataError
from branchline.forest import RandomForestRegressor
from branchline.kernels import RBF
from branchline.neighbors import NearestNeighborsClassifier
from branchline.svm import SVC, KernelRidge
from branchline.tree import DecisionTreeClassifier

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(float)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        NearestNeighborsClassifier(),
        NaiveBayes(),
        SVC(),
        KernelRidge(kernel=RBF()),
        RandomForestRegressor(n_estimators=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_nothing_is_left(model):
    before = set(vars(model))
    model.fit(X, Y)
    assert any(name.startswith("_") for name in set(vars(model)) - before)
    with pytest.raises(DataError):
        model.fit(np.full_like(X, np.inf), Y)
    left = set(vars(model)) - before
    assert not {name for name in left if not name.startswith(("_skl", "_callback"))}
