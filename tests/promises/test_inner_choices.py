"""Whatever is chosen inside a training set keeps groups together and lets the past predict.

Every split of rows comes from ``_folds.FoldRows``. The test records all of them while a learner is
fitted on marked rows, and looks at each: no group on both sides, no test row before a training row.
"""

import numpy as np
import pytest

import branchline as bl
from branchline import catalog
from branchline._folds import FoldRows
from branchline.assess import compare
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.ensemble import (
    StackingClassifier,
    ThresholdClassifier,
    VotingClassifier,
)
from branchline.linear import Lasso, LogisticRegression
from branchline.neighbors import NearestNeighborsClassifier, NearestNeighborsRegressor
from branchline.neural import MLPClassifier
from branchline.svm import SVCGrid
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

N_ROWS, SIZE = 120, 4

CHOICES = {
    "pruning": DecisionTreeClassifier(),
    "pruning by held-out rows": DecisionTreeClassifier(prune="reduced_error"),
    "pruning, numbers": DecisionTreeRegressor(),
    "rounds": GradientBoostingClassifier(n_estimators="auto"),
    "rounds, numbers": GradientBoostingRegressor(n_estimators="auto"),
    "strength": LogisticRegression(),
    "strength of a lasso": Lasso(),
    "k": NearestNeighborsClassifier(),
    "k, numbers": NearestNeighborsRegressor(),
    "stacking": StackingClassifier(estimators=["stump", "naive_bayes"]),
    "weights of a vote": VotingClassifier(estimators=["stump", "naive_bayes"], weights="stacked"),
    "threshold": ThresholdClassifier(estimator="naive_bayes"),
    "early stopping": MLPClassifier(early_stopping=True, max_iter=5),
    "grid": SVCGrid(C=[1.0], gamma=[1.0, 2.0], n_folds=3),
    "tuning": catalog.search("stump", task="classification", space="small", n_folds=3),
}


@pytest.fixture
def splits(monkeypatch):
    """Record the rows and folds of every split."""
    seen = []

    def recorded(name):
        plain = getattr(FoldRows, name)

        def split(self, *args, **named):
            found = plain(self, *args, **named)
            folds = [] if found is None else found if isinstance(found, list) else [found]
            folds = folds if name != "leave_one_out" else list(found)
            seen.extend((self, fold) for fold in folds)
            return iter(folds) if name == "leave_one_out" else found

        return split

    for name in ("split", "hold_out", "leave_one_out"):
        monkeypatch.setattr(FoldRows, name, recorded(name))
    return seen


def _rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, 4)) + np.repeat(rng.normal(size=(N_ROWS // SIZE, 4)), SIZE, axis=0)
    return X, X[:, 0] + 0.7 * rng.normal(size=N_ROWS)


def _fit(model, table, numbers):
    from sklearn.base import is_classifier

    y = (numbers > 0).astype(int) if is_classifier(model) else numbers
    model.fit(table, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("marks", ["groups", "times"])
def test_inner_splits_respect_groups_and_time(name, marks, splits):
    from sklearn.base import clone

    X, numbers = _rows()
    table = bl.Table(X)
    marked = np.repeat(np.arange(N_ROWS // SIZE), SIZE)
    table = table.with_groups(marked) if marks == "groups" else table.with_times(marked)
    _fit(clone(CHOICES[name]), table, numbers)
    assert splits, f"{name} chose nothing by folds"
    for rows, fold in splits:
        learn, test = fold.learn > 0, fold.test > 0
        if marks == "groups":
            assert rows.is_grouped
            assert not set(rows.keys[learn].tolist()) & set(rows.keys[test].tolist())
        else:
            assert rows.times is not None
            assert rows.times[learn].max() < rows.times[test].min()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("marks", "kind"), [("groups", "group_folds"), ("times", "time_folds")])
def test_marks_of_a_table_count_in_a_comparison(marks, kind, splits):
    X, numbers = _rows()
    marked = np.repeat(np.arange(N_ROWS // SIZE), SIZE)
    table = bl.Table(X)
    table = table.with_groups(marked) if marks == "groups" else table.with_times(marked)
    found = compare(table, (numbers > 0).astype(int), learners="stump", n_folds=3)
    assert found.plan.resampling.kind == kind
    for split in found.splits:
        both = set(marked[split.train].tolist()) & set(marked[split.test].tolist())
        assert not both
