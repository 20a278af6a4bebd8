"""SVRGrid: the scores of fitting fold by fold, the best cell, saving, what is refused."""

import numpy as np
import pytest
from sklearn.base import clone

import branchline
from branchline import Table
from branchline._folds import fold_rows
from branchline.errors import ModelFileError, ParameterError
from branchline.kernels import RBF, FunctionKernel, Hamming, Spectrum
from branchline.svm import SVR, SVRGrid

STRENGTHS, GAMMAS, EPSILONS = [0.1, 1.0, 20.0], [0.1, 1.0], [0.05, 0.3]


def problem(seed, n_rows=60):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 2))
    return X, 5 * np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.3 * random.normal(size=n_rows)


def raw(**parameters):
    settings = {"relative_gamma": False, "standardize": False, "tol": 1e-7, "n_folds": 4}
    return SVRGrid(STRENGTHS, GAMMAS, **{"epsilon": EPSILONS, **settings, **parameters})


def by_hand(model, X, y, weights=None):
    """Return the scores of an SVR fitted to each cell and fold."""
    weights = np.ones(len(y)) if weights is None else weights
    rows = model._grams(clone(model)._begin(X, y, weights), np.ones(1)).rows
    first, folds = rows.origins.first, fold_rows(rows.data).split(model.n_folds)
    found = np.empty_like(model.fold_scores_)
    for k, c, at in np.ndindex(*found.shape):
        train, test = first[folds[at].learn_rows], first[folds[at].test_rows]
        kernel = {"kernel": model.kernel, **model.kernels_[k]}
        one = SVR(STRENGTHS[c], standardize=False, tol=1e-7, **kernel)
        one.fit(X[train], y[train], weights[train])
        off = y[test] - one.predict(X[test])
        if model.metric == "rmse":
            found[k, c, at] = np.sqrt(np.average(off**2, weights=weights[test]))
        elif model.metric == "mae":
            found[k, c, at] = np.average(abs(off), weights=weights[test])
        else:
            found[k, c, at] = one.score(X[test], y[test], weights[test])
    return found


@pytest.mark.parametrize("metric", ["rmse", "mae", "r2"])
def test_scores_are_those_of_fitting_fold_by_fold(metric):
    X, y = problem(0)
    model = raw(metric=metric).fit(X, y)
    assert model.fold_scores_.shape == (4, 3, 4)
    assert model.fold_scores_ == pytest.approx(by_hand(model, X, y), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("kernel", ["laplacian", "poly", "linear"])
def test_other_kernels(kernel):
    X, y = problem(1)
    model = raw(kernel=kernel, degree=[1, 2], coef0=[0.5, 1.0]).set_params(gamma=[0.5]).fit(X, y)
    assert len(model.kernels_) == {"laplacian": 2, "poly": 8, "linear": 2}[kernel]
    assert model.fold_scores_ == pytest.approx(by_hand(model, X, y), rel=1e-3, abs=1e-3)


def test_weights_are_copies():
    X, y = problem(2, 40)
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = raw().fit(X, y, weights)
    assert weighted.fold_scores_ == pytest.approx(by_hand(weighted, X, y, weights), rel=1e-4)
    order = np.random.default_rng(6).permutation(weights.sum())
    copies = raw(n_jobs=2).fit(np.repeat(X, weights, 0)[order], np.repeat(y, weights)[order])
    assert (weighted.fold_scores_ == copies.fold_scores_).all()
    assert (weighted.predict(X) == copies.predict(X)).all()


def test_the_best_cell_is_fitted_to_all_rows():
    X, y = problem(3)
    model = raw().fit(X, y)
    assert model.best_score_ == model.scores_.min()
    same = SVR(**model.best_params_, standardize=False, tol=1e-7).fit(X, y)
    assert (model.predict(X) == same.predict(X)).all()
    assert model.best_interval_.low <= model.best_score_ <= model.best_interval_.high
    assert set(model.epsilons_.tolist()) == set(EPSILONS)
    best = raw(metric="r2").fit(X, y)
    assert best.best_score_ == best.scores_.max()
    assert best.best_interval_.high <= 1


def test_a_mixed_table_and_kernels_in_a_list(tmp_path):
    random = np.random.default_rng(0)
    size, color = random.normal(size=60), random.choice(["red", "blue"], 60)
    y = 3 * size + np.where(color == "red", 5.0, 0.0)
    table = Table({"size": [None, *size[1:].tolist()], "color": color.tolist()})
    kernels = ["linear", RBF("size") * Hamming("color"), "laplacian"]
    model = SVRGrid([1.0, 10.0], [0.3, 1.0], epsilon=[0.05], kernel=kernels).fit(table, y)
    assert len(model.kernels_) == 4
    assert model.best_score_ < 1.5
    model.save(tmp_path / "model")
    again = branchline.load(tmp_path / "model")
    assert again.best_params_ == model.best_params_
    assert again.kernels_ == model.kernels_
    assert (again.predict(table) == model.predict(table)).all()
    assert str(again.draw()) == str(model.draw())


def test_texts_have_their_own_kernels():
    words = ["banana", "bandana", "cabana", "ananas", "tomato", "potato", "pomelo", "motto"] * 2
    y = [float(word.count("a")) for word in words]
    kernels = [Spectrum(k=1), Spectrum(k=2), Spectrum(k=3)]
    model = SVRGrid([1.0], epsilon=[0.1], kernel=kernels, n_folds=3).fit(words, y)
    assert model.best_params_["kernel"] in kernels
    assert model.predict(["havana"]).shape == (1,)


def test_a_function_is_tried_but_not_saved(tmp_path):
    X, y = problem(4, 30)
    kernel = FunctionKernel(lambda A, B: A @ B.T)
    model = SVRGrid([1.0], epsilon=[0.1], kernel=[kernel, "linear"], standardize=False, n_folds=3)
    model.fit(X, y)
    one, other = model.scores_[:, 0]
    assert one == pytest.approx(other, rel=1e-3)
    with pytest.raises(branchline.errors.BranchlineError):
        model.save(tmp_path / "model")


def test_a_given_matrix():
    X, y = problem(5, 30)
    given = SVRGrid([1.0], epsilon=[0.1], kernel="precomputed", n_folds=3).fit(X @ X.T, y)
    linear = SVRGrid([1.0], epsilon=[0.1], kernel=lambda A, B: A @ B.T, n_folds=3).fit(X, y)
    assert np.isfinite(given.scores_).all()
    assert given.predict((X @ X.T)[:3]).shape == linear.predict(X[:3]).shape


def test_tiny_and_constant_targets():
    X, y = problem(0, 3)
    assert SVRGrid(n_folds=10).fit(X, y).fold_scores_.shape[2] == 3
    for metric in ("rmse", "mae", "r2"):
        assert SVRGrid(metric=metric).fit(X, [2.0, 2.0, 2.0]).predict(X).tolist() == [2.0] * 3


BAD = [
    ({"kernel": []}, "P892"),
    ({"kernel": None}, "P892"),
    ({"kernel": ["rbf", "nonsense"]}, "P892"),
    ({"degree": []}, "P893"),
    ({"degree": [1.5]}, "P893"),
    ({"coef0": [-1.0]}, "P893"),
    ({"coef0": ["a"]}, "P893"),
    ({"epsilon": [0.0]}, "P183"),
    ({"metric": "accuracy"}, "P001"),
]


@pytest.mark.parametrize(("parameters", "code"), BAD)
def test_bad_parameters_are_refused_with_a_repair(parameters, code):
    model = SVRGrid([1.0], **parameters)
    X, y = problem(0, 12)
    with pytest.raises(ParameterError) as caught:
        model.fit(X, y)
    assert caught.value.code == code
    if code != "P001":
        exec(caught.value.repair.python, {"model": model})
        model.fit(X, y)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("kernel_of_row", np.array([0, 0, 0, 2], dtype=np.int64)),
        ("kernel_of_row", np.zeros(3, dtype=np.int64)),
        ("gammas", np.zeros(4)),
        ("gammas", np.zeros(0)),
        ("epsilons", np.full(4, 0.3)),
        ("epsilons", -np.ones(4)),
        ("coef0s", np.zeros(5)),
    ],
)
def test_damaged_files_are_refused(part, value):
    X, y = problem(0, 20)
    model = SVRGrid([1.0], [0.1], epsilon=EPSILONS, kernel=["rbf", "laplacian"], n_folds=2)
    state = model.fit(X, y)._pack()
    model._unpack(state, model.schema_)
    with pytest.raises(ModelFileError):
        model._unpack({**state, part: value}, model.schema_)
