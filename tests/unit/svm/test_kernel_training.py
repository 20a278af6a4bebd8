"""What machines are fitted to: mixed tables with holes, texts, sparse rows, given matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.model_selection import GridSearchCV

from branchline import Table
from branchline.errors import DataError, ParameterError
from branchline.kernels import RBF, Hamming, Spectrum
from branchline.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from interrupts import NEEDS_PROC, SOON, endings

MAKERS = {"SVC": SVC, "NuSVC": NuSVC, "SVR": SVR, "NuSVR": NuSVR, "OneClassSVM": OneClassSVM}


def problem(seed=0, n_rows=60):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, X[:, 0] + X[:, 1] * X[:, 2]


def target(make, score):
    return score if make in (SVR, NuSVR) else score > np.median(score)


def output(model, rows):
    return model.predict(rows) if isinstance(model, SVR | NuSVR) else model.decision_function(rows)


def mixed(seed=0, n_rows=80):
    random = np.random.default_rng(seed)
    size = random.normal(size=n_rows)
    color = random.choice(["red", "green", "blue"], n_rows)
    cells = {"size": [None, *size[1:].tolist()], "color": [*color[:-1].tolist(), None]}
    return Table(cells), size + 2 * (color == "red")


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_mixed_table_with_holes_and_unseen_categories(make):
    table, score = mixed()
    model = make().fit(table, target(make, score))
    new = Table({"color": ["violet", None, "red"], "size": [0.5, 0.1, None]})
    assert np.isfinite(output(model, new)).all()
    assert model.predict(table).shape == (80,)


def test_categories_need_no_numbers():
    random = np.random.default_rng(1)
    color = random.choice(["red", "green", "blue"], 90)
    size = random.normal(size=90)
    y = (size > 0) ^ (color == "red")
    table = Table({"size": size, "color": color.tolist()})
    assert SVC(10).fit(table, y).score(table, y) > 0.95
    assert SVC(10, kernel=RBF("size") * Hamming("color")).fit(table, y).score(table, y) > 0.95
    assert SVC(10, kernel=RBF("size")).fit(table, y).score(table, y) < 0.9


def test_a_product_of_kernels_is_what_it_says():
    table, score = mixed()
    y = score > 0
    kernel = RBF("size", gamma=0.7) * Hamming("color")
    K = kernel.gram(table)
    ours = SVC(3, kernel=kernel, standardize=False).fit(table, y)
    given = SVC(3, kernel="precomputed").fit(K, y)
    assert ours.decision_function(table) == pytest.approx(given.decision_function(K), abs=1e-7)
    assert ours.objective_ == pytest.approx(given.objective_)


# -- texts --------------------------------------------------------------------------------------


def texts(seed=0, n_rows=60):
    random = np.random.default_rng(seed)
    made = ["".join(random.choice(list("acgt"), 15)) for _ in range(n_rows)]
    return made, np.array([text.count("ac") + text.count("gt") for text in made])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_texts(make):
    words, count = texts()
    model = make(kernel=Spectrum(k=2)).fit(words, target(make, count * 1.0 + 1e-3 * np.arange(60)))
    assert np.isfinite(output(model, ["acgtacgt", "tttt", ""])).all()
    as_array = output(model, np.array(words[:5]))
    assert (as_array == output(model, words[:5])).all()
    assert (as_array == output(model, Table({"text": words[:5]}))).all()


def test_texts_are_learned_and_explained():
    words, count = texts()
    y = count > 1
    model = SVC(10, kernel=Spectrum(k=2).normalized()).fit(words, y)
    assert model.score(words, y) > 0.95
    assert model.loo_error() < 0.35
    explanation = model.explain(words[:1])
    assert explanation.prediction == model.predict(words[:1])[0]
    assert any(line.startswith("  row ") for line in explanation.notes)


# -- sparse rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("standardize", [True, False])
def test_sparse_rows_are_the_same_rows(make, standardize):
    rows = sparse.random(60, 12, 0.3, random_state=0, format="csr")
    score = np.asarray(rows.sum(axis=1)).ravel()
    y = target(make, score)
    of_sparse = make(standardize=standardize).fit(rows, y)
    of_dense = make(standardize=standardize).fit(rows.toarray(), y)
    expected = output(of_dense, rows.toarray())
    assert output(of_sparse, rows) == pytest.approx(expected, abs=1e-9)
    assert output(of_sparse, rows.tocsc()) == pytest.approx(expected, abs=1e-9)


# -- given matrices and functions ---------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_given_matrix_may_be_in_any_order(make):
    X, score = problem()
    K, y = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2)), target(make, score)
    order = np.random.default_rng(0).permutation(len(y))
    settings = {"standardize": False, "tol": 1e-8}
    one = make(kernel="precomputed", **settings).fit(K, y)
    other = make(kernel="precomputed", **settings).fit(K[np.ix_(order, order)], y[order])
    assert output(one, K) == pytest.approx(output(other, K[:, order]), abs=1e-6)
    assert sorted(order[other.support_]) == sorted(one.support_)
    named = make(kernel="rbf", gamma=0.5, **settings).fit(X, y)
    assert output(named, X) == pytest.approx(output(one, K), abs=1e-6)


def test_support_vectors_of_a_given_matrix_are_its_columns():
    X, score = problem()
    K = X @ X.T + 1
    y = score > 0
    model = SVC(kernel="precomputed").fit(K, y)
    new = np.random.default_rng(1).normal(size=(7, 3)) @ X.T + 1
    expected = new[:, model.support_] @ model.dual_coef_[0] + model.intercept_[0]
    assert model.decision_function(new) == pytest.approx(expected)
    theirs = svm.SVC(kernel="precomputed", tol=1e-8).fit(K, y)
    assert model.decision_function(new) == pytest.approx(theirs.decision_function(new), abs=1e-4)


def test_a_given_matrix_must_be_one():
    random = np.random.default_rng(0)
    y = [0, 1, 0, 1, 0]
    for K in (random.normal(size=(5, 5)), np.full((5, 5), np.nan), np.ones((5, 4))):
        with pytest.raises(DataError):
            SVC(kernel="precomputed").fit(K, y)
    model = SVC(kernel="precomputed").fit(np.eye(5), y)
    with pytest.raises(DataError):
        model.predict(np.ones((2, 3)))


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_function_of_two_blocks(make):
    X, score = problem()
    y = target(make, score)
    function = make(kernel=lambda a, b: (a @ b.T + 1) ** 2, standardize=False, tol=1e-8).fit(X, y)
    named = make(kernel="poly", degree=2, gamma=1, coef0=1, standardize=False, tol=1e-8).fit(X, y)
    assert output(function, X) == pytest.approx(output(named, X), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kernel", ["cubic", 3, None, SVC])
def test_what_is_no_kernel_is_refused(kernel):
    with pytest.raises(ParameterError):
        SVC(kernel=kernel).fit([[0.0], [1.0]], [0, 1])


# -- in company ---------------------------------------------------------------------------------


def test_searches_of_scikit_learn_drop_in():
    X, score = problem(n_rows=90)
    grid = {"C": [0.1, 10.0], "gamma": [0.05, 0.5], "kernel": ["rbf", RBF()]}
    found = GridSearchCV(SVC(), grid, cv=3).fit(X, score > 0)
    assert found.best_score_ > 0.75


PROLOGUE = """
import numpy as np
from branchline.svm import SVC, SVCGrid, SVR
random = np.random.default_rng(0)
X = random.normal(size=(9000, 6))
y = random.integers(0, 2, 9000)
"""
LONG_FITS = {
    "SVC": "SVC(1e5, gamma=0.1, tol=1e-9).fit(X, y)",
    "SVR": "SVR(1e5, gamma=0.1, tol=1e-9, epsilon=0.0).fit(X, y + X[:, 0])",
    "SVCGrid": "SVCGrid(np.logspace(0, 6, 40), n_folds=20, tol=1e-9).fit(X[:4000], y[:4000])",
}


@NEEDS_PROC
def test_ctrl_c_stops_a_long_fit_at_once():
    found = endings(LONG_FITS, prologue=PROLOGUE, after=0.6)
    for name, ending in found.items():
        assert ending.name == "KeyboardInterrupt", name
        assert ending.seconds < SOON, name
