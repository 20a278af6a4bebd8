"""What all selectors share: mixed tables, containers, files, row order, steps of pipelines, XOR."""

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.neighbors import KNeighborsClassifier as PeerNeighbors
from sklearn.pipeline import make_pipeline

import branchline
from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.features import (
    GeneticSelector,
    MarkovBlanketFilter,
    MinimumRedundancy,
    ModelSelector,
    RankSelector,
    RecursiveElimination,
    SequentialSelector,
    ShadowSelector,
)
from branchline.forest import RandomForestClassifier
from branchline.tree import DecisionTreeClassifier

SELECTORS = [
    RankSelector(n_columns=2),
    RankSelector(by="relief"),
    MinimumRedundancy(n_columns=2),
    MinimumRedundancy(trade_off="joint", n_columns=2),
    ModelSelector(estimator="tree", n_columns=2),
    RecursiveElimination(estimator=RandomForestClassifier(n_estimators=10), n_columns=2),
    SequentialSelector(estimator="naive_bayes", n_columns=2),
    SequentialSelector(estimator="naive_bayes", direction="floating", max_columns=3, n_folds=2),
    SequentialSelector(estimator="naive_bayes", direction="backward", n_folds=2),
    GeneticSelector(estimator="naive_bayes", population=6, n_generations=3, n_folds=2),
    MarkovBlanketFilter(),
    ShadowSelector(max_rounds=12),
]


def xor_table(n_noise=8, n_rows=300, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_rows, 2 + n_noise))
    return X, np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), "yes", "no")


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_mixed_tables_containers_files_and_row_order(selector, tmp_path):
    table, y = load_dataset("heart").split_target("disease")
    order = np.random.default_rng(0).permutation(table.n_rows)
    model = selector.fit(table, y)
    assert 1 <= model.n_selected_ <= table.n_columns
    chosen = model.get_feature_names_out().tolist()
    frame = table.to_pandas()
    assert list(model.transform(frame).columns) == chosen
    assert list(model.transform(table).names) == chosen
    path = tmp_path / "selector.branchline"
    model.save(path)
    assert branchline.load(path).get_feature_names_out().tolist() == chosen
    moved = selector.fit(table.rows(order), y[order])
    assert moved.get_feature_names_out().tolist() == chosen


@pytest.mark.parametrize(
    "selector",
    [
        RankSelector(by="relief", n_columns=2),
        RankSelector(by="multisurf", n_columns=2),
        ModelSelector(estimator=RandomForestClassifier(n_estimators=50), n_columns=2),
        SequentialSelector(estimator="neighbors", direction="backward", n_columns=2, n_folds=3),
    ],
    ids=["relief", "multisurf", "forest", "backward"],
)
def test_what_sees_columns_together_finds_both_of_xor(selector):
    # Backward, every column less is a round of fits: five columns of noise instead of eight.
    X, y = xor_table(5 if isinstance(selector, SequentialSelector) else 8)
    assert selector.fit(X, y).get_support(indices=True).tolist() == [0, 1]


def test_univariate_filters_miss_xor():
    X, y = xor_table(n_noise=98, n_rows=500)
    chosen = RankSelector(n_columns=5).fit(X, y).get_support(indices=True)
    assert not {0, 1} <= set(chosen.tolist())


def test_steps_of_pipelines_ours_and_scikit_learns():
    X, y = load_dataset("iris").split_target("species")
    ours = make_pipeline(RankSelector(n_columns=2), DecisionTreeClassifier()).fit(X, y)
    theirs = make_pipeline(RankSelector(n_columns=2), PeerLogistic(max_iter=500))
    assert ours.score(X, y) > 0.9
    assert theirs.fit(np.asarray(X), y).score(np.asarray(X), y) > 0.9


@pytest.mark.parametrize("known", [0, 7])
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_a_mask_and_nan_are_chosen_alike(selector, known):
    """Whole numbers with a mask hold a placeholder where they are missing; it has no meaning."""
    draws = np.random.default_rng(3)
    y = draws.integers(0, 2, 80)
    cells = np.where(y == 1, np.nan, known)  # only the missing values are informative
    frame = pandas.DataFrame({"a": draws.normal(size=80), "b": draws.normal(size=80), "x": cells})
    real = selector.fit(frame, y).get_support().tolist()
    if "naive_bayes" not in repr(selector):  # naive Bayes leaves missing values out
        assert real[2]
    whole = frame.assign(x=frame["x"].astype("Int64"))
    assert selector.fit(whole, y).get_support().tolist() == real


def test_a_learner_without_weights_gets_copies_or_says_so():
    X, y = load_dataset("iris").split_target("species")
    X, y = X.rows(slice(0, None, 3)), y[::3]
    selector = SequentialSelector(estimator=PeerNeighbors(3), n_columns=1, n_folds=3)
    twice = selector.fit(X, y, np.full(len(y), 2)).get_support().tolist()
    both = np.repeat(np.arange(len(y)), 2)
    assert selector.fit(X.rows(both), y[both]).get_support().tolist() == twice
    weights = np.linspace(0.3, 1.7, len(y))
    with pytest.raises(ParameterError, match="takes no sample_weight") as caught:
        selector.fit(X, y, weights)
    assert caught.value.code == "P640"
