"""SVCGrid: the scores of fitting fold by fold, the best cell, folds that keep copies together."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone

from branchline import Table
from branchline._folds import fold_rows
from branchline.errors import BranchlineError, ParameterError
from branchline.svm import SVC, SVCGrid

STRENGTHS, GAMMAS = [0.1, 1.0, 50.0], [0.05, 0.5, 5.0]


def problem(seed, n_rows=90, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 2))
    score = X[:, 0] + X[:, 1] ** 2 + 0.5 * random.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y


def raw(**parameters):
    settings = {"relative_gamma": False, "standardize": False, "tol": 1e-5, "n_folds": 4}
    return SVCGrid(STRENGTHS, GAMMAS, **{**settings, **parameters})


def folds_of(model, X, y, weights=None):
    """Return the folds as numbers of the rows that were given (all of them distinct)."""
    rows = model._grams(clone(model)._begin(X, y, weights), np.zeros(1)).rows
    first, folds = rows.origins.first, fold_rows(rows.data).split(model.n_folds)
    return [(first[fold.learn_rows], first[fold.test_rows]) for fold in folds]


def by_hand(model, X, y, weights=None, score=None):
    """Return the scores of an SVC fitted to each cell and fold: gamma × C × fold."""
    weights = np.ones(len(y)) if weights is None else weights
    options = {"strategy": model.strategy, "class_weight": model.class_weight}
    folds = folds_of(model, X, y, weights)
    found = np.empty((len(GAMMAS), len(STRENGTHS), len(folds)))
    for g, c, at in np.ndindex(*found.shape):
        train, test = folds[at]
        one = SVC(STRENGTHS[c], gamma=GAMMAS[g], standardize=False, tol=1e-5, **options)
        one.fit(X[train], y[train], weights[train])
        if score is None:
            found[g, c, at] = one.score(X[test], y[test], weights[test])
        else:
            found[g, c, at] = score(one, X[test], y[test])
    return found


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strategy", ["one_vs_one", "one_vs_rest"])
def test_scores_are_those_of_fitting_fold_by_fold(n_classes, strategy):
    for seed in range(2):
        X, y = problem(seed, n_classes=n_classes)
        model = raw(strategy=strategy).fit(X, y)
        expected = by_hand(model, X, y)
        assert model.fold_scores_ == pytest.approx(expected)
        assert model.scores_ == pytest.approx(expected.mean(axis=2))


def test_weights_and_class_weights():
    X, y = problem(3, 60)
    weights = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    model = raw(class_weight={0: 1.0, 1: 3.0}).fit(X, y, weights)
    assert model.fold_scores_ == pytest.approx(by_hand(model, X, y, weights))


MEASURES = {
    "balanced_accuracy": lambda model, X, y: metrics.balanced_accuracy_score(y, model.predict(X)),
    "f1_macro": lambda model, X, y: metrics.f1_score(y, model.predict(X), average="macro"),
    "auc": lambda model, X, y: metrics.roc_auc_score(y, model.decision_function(X)),
}


@pytest.mark.parametrize("metric", MEASURES)
def test_other_scores(metric):
    X, y = problem(4)
    model = raw(metric=metric).fit(X, y)
    assert model.fold_scores_ == pytest.approx(by_hand(model, X, y, score=MEASURES[metric]))


def test_the_best_cell_is_fitted_to_all_rows():
    X, y = problem(1)
    model = raw().fit(X, y)
    assert model.best_score_ == model.scores_.max()
    g, c = np.argwhere(model.scores_ == model.scores_.max()).tolist()[0]
    if (model.scores_ == model.scores_.max()).sum() == 1:
        assert model.best_params_ == {"C": STRENGTHS[c], "gamma": GAMMAS[g]}
    same = SVC(**model.best_params_, standardize=False, tol=1e-5).fit(X, y)
    assert (model.decision_function(X) == same.decision_function(X)).all()
    assert (model.predict_proba(X) == same.predict_proba(X)).all()
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()


def test_gammas_are_multiples_of_the_scale():
    X, y = problem(2)
    model = SVCGrid([1.0], [0.5, 2.0]).fit(X, y)
    scale = SVC(gamma="scale").fit(X, y).kernel_.number_form.gamma
    assert model.gammas_ == pytest.approx([0.5 * scale, 2 * scale])


# -- folds --------------------------------------------------------------------------------------


def test_copies_stay_together_and_count_as_weights():
    X, y = problem(5, 40)
    weights = np.random.default_rng(5).integers(1, 4, len(y))
    weighted = raw().fit(X, y, weights)
    order = np.random.default_rng(6).permutation(weights.sum())
    copies = raw().fit(np.repeat(X, weights, 0)[order], np.repeat(y, weights)[order])
    assert (weighted.fold_scores_ == copies.fold_scores_).all()
    assert (weighted.decision_function(X) == copies.decision_function(X)).all()


def test_neither_order_nor_threads_matter():
    X, y = problem(6, n_classes=3)
    order = np.random.default_rng(0).permutation(len(y))
    one = raw(n_jobs=1).fit(X, y)
    other = raw(n_jobs=2).fit(X[order], y[order])
    assert (one.fold_scores_ == other.fold_scores_).all()
    assert (one.decision_function(X) == other.decision_function(X)).all()


def test_more_folds_than_rows():
    model = raw(n_folds=50).fit(*problem(0, 8))
    assert model.fold_scores_.shape == (3, 3, 8)


def test_a_class_that_a_fold_has_not_seen_is_not_predicted_there():
    X, y = problem(0, 20)
    for rare in (0, 1):
        y[:] = 1 - rare
        y[7] = rare
        model = raw().fit(X, y)
        (at,) = [k for k, (_, test) in enumerate(folds_of(raw(), X, y)) if 7 in test]
        n_test = len(folds_of(raw(), X, y)[at][1])
        assert model.fold_scores_[:, :, at] == pytest.approx(np.full((3, 3), 1 - 1 / n_test))


# -- tables, and what is refused ----------------------------------------------------------------


def test_a_mixed_table_with_holes():
    random = np.random.default_rng(0)
    size = random.normal(size=80)
    color = random.choice(["red", "blue"], 80)
    y = (size > 0) ^ (color == "red")
    table = Table({"size": [None, *size[1:].tolist()], "color": color.tolist()})
    model = SVCGrid().fit(table, y)
    assert model.best_score_ > 0.9
    assert model.predict(Table({"size": [2.0, None], "color": ["green", "red"]})).shape == (2,)
    assert "row" in " ".join(model.explain(table.rows([0])).notes)


BAD = {
    "empty": [],
    "zero": [0, 1],
    "negative": [-1],
    "nan": [np.nan],
    "infinite": [np.inf],
    "words": ["large"],
    "digits": ["1"],
    "truth": [True],
    "nothing": [None],
    "nested": [[1, 2], [3, 4]],
    "number": 3.0,
    "word": "auto",
}


@pytest.mark.parametrize("name", ["C", "gamma"])
@pytest.mark.parametrize("bad", BAD)
def test_bad_grids_are_refused(name, bad):
    with pytest.raises(ParameterError) as caught:
        SVCGrid(**{name: BAD[bad]}).fit(*problem(0))
    assert caught.value.code in ("P001", "P183")


@pytest.mark.parametrize("parameters", [{"n_folds": 1}, {"metric": "r2"}, {"tol": 0}])
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(ParameterError):
        SVCGrid(**parameters).fit(*problem(0))


def test_more_classes_than_two_have_no_curve():
    with pytest.raises(BranchlineError):
        raw(metric="auc").fit(*problem(0, n_classes=3))
