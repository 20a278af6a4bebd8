"""Measures in place of columns: twins in NumPy, parity with scikit-learn, ties, files, errors."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from branchline import Table, load
from branchline.errors import DataError, ModelFileError, ParameterError
from branchline.kernels import (
    RBF,
    GlobalAlignment,
    Intersection,
    Linear,
    Precomputed,
    Sigmoid,
    Spectrum,
    WeisfeilerLehman,
)
from branchline.neighbors import (
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    ParzenClassifier,
    ParzenRegressor,
)

PLAIN = {"scale": "none", "weights": "uniform"}
RANDOM = np.random.default_rng(7)
X, ASKED = RANDOM.normal(size=(90, 5)), RANDOM.normal(size=(25, 5))
Y, CLASSES = X[:, 0] + X[:, 1] ** 2, (X[:, 0] > 0) * 1 + (X[:, 1] > 0)


def largest_difference(a, b):
    return np.abs(a - b).max()


def city(a, b):
    return np.abs(a - b).sum()


def cities(a, b):
    return cdist(a, b, "cityblock")


MEASURES = {
    "correlation": ("correlation", "correlation"),
    "function": (city, city),
    "blocks": (cities, "cityblock"),
    "kernel": (Linear(), "euclidean"),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_predictions_and_neighbors_are_those_of_scikit_learn(name, weights):
    ours, theirs = MEASURES[name]
    options = {"n_neighbors": 6, "weights": weights}
    model = NearestNeighborsClassifier(metric=ours, scale="none", **options).fit(X, CLASSES)
    peer = KNeighborsClassifier(metric=theirs, **options).fit(X, CLASSES)
    # Squared distances of kernels and correlations are known to 1e-13 of the rows' squares.
    assert largest_difference(model.predict_proba(ASKED), peer.predict_proba(ASKED)) < 1e-9
    found, expected = model.kneighbors(ASKED, 6), peer.kneighbors(ASKED)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])
    numbers = NearestNeighborsRegressor(metric=ours, scale="none", **options).fit(X, Y)
    peer = KNeighborsRegressor(metric=theirs, **options).fit(X, Y)
    np.testing.assert_allclose(numbers.predict(ASKED), peer.predict(ASKED), rtol=1e-9)


def test_a_matrix_of_distances_gives_what_its_rows_would():
    by_matrix = NearestNeighborsRegressor(metric="precomputed", n_neighbors=4).fit(cdist(X, X), Y)
    by_rows = NearestNeighborsRegressor(column_weights=None, n_neighbors=4, scale="none").fit(X, Y)
    by_matrix.set_params(weights="uniform").fit(cdist(X, X), Y)
    by_rows.set_params(weights="uniform").fit(X, Y)
    given = cdist(ASKED, X)
    np.testing.assert_allclose(by_matrix.predict(given), by_rows.predict(ASKED), rtol=1e-12)
    np.testing.assert_array_equal(by_matrix.kneighbors(given)[1], by_rows.kneighbors(ASKED)[1])
    assert set(by_matrix.column_weights_) == {0.0}


def test_scikit_learn_cuts_rows_and_columns_of_a_matrix_for_its_folds():
    options = {"n_neighbors": 4, "weights": "uniform"}
    model = NearestNeighborsRegressor(metric="precomputed", **options)
    scores = cross_val_score(model, cdist(X, X), Y, cv=3)
    peer = cross_val_score(KNeighborsRegressor(4), X, Y, cv=3)
    np.testing.assert_allclose(scores, peer, rtol=1e-9)


def test_the_distance_of_a_kernel_is_that_of_its_twin():
    kernel = RBF(gamma=0.3)
    model = NearestNeighborsClassifier(metric=kernel, n_neighbors=3, **PLAIN).fit(X, CLASSES)
    products = np.exp(-0.3 * cdist(ASKED, X, "sqeuclidean"))
    twin = np.sqrt(2 - 2 * products)
    distances, rows = model.kneighbors(ASKED, 90)
    np.testing.assert_allclose(distances, np.sort(twin, axis=1), rtol=1e-9)
    np.testing.assert_array_equal(rows, np.argsort(twin, axis=1))


def name_of(metric):
    """Return the name of a test: that of a function holds no address, which differs by process."""
    return getattr(metric, "__name__", None) or str(metric)


@pytest.mark.parametrize(
    "metric", ["correlation", "precomputed", city, RBF(gamma=0.2)], ids=name_of
)
def test_the_chosen_k_has_the_least_error_of_the_same_folds(metric):
    from branchline._validation import Owner, check_training_data
    from branchline.neighbors._choosing import _split
    from branchline.neighbors._stored_rows import in_canonical_order

    given = cdist(X, X) if metric == "precomputed" else X
    model = NearestNeighborsRegressor(metric=metric, **PLAIN).fit(given, Y)
    owner = Owner("model", None)
    data = check_training_data(given, Y, None, task="regression", owner=owner)
    rows, numbers = in_canonical_order(data)
    apart = model.space_.measure.between(model._search.points, model._search.points, 1)
    target, errors = rows.target.values, np.zeros(len(model.cv_curve_))
    for fold in _split(rows):
        if isinstance(metric, RBF) or metric == "correlation":
            fresh = NearestNeighborsRegressor(metric=metric, n_neighbors=1, **PLAIN)
            learn, test = numbers[fold.learn_rows], numbers[fold.test_rows]
            fresh.fit(X[learn], Y[learn])
            _, order = fresh.kneighbors(X[test], len(learn))
            values = Y[learn][order]
        else:
            part = apart[np.ix_(fold.test_rows, fold.learn_rows)]
            values = target[fold.learn_rows][np.argsort(part, axis=1)]
        for place, k in enumerate(model.cv_curve_[:, 0].astype(int)):
            means = values[:, :k].mean(axis=1)
            errors[place] += ((means - target[fold.test_rows]) ** 2).sum()
    np.testing.assert_allclose(model.cv_curve_[:, 1], errors / len(X), rtol=1e-9)
    assert model.n_neighbors_ == model.cv_curve_[np.argmin(errors), 0]


@pytest.mark.parametrize("metric", ["precomputed", city, RBF(gamma=0.2)], ids=name_of)
def test_rows_that_tie_share_what_is_left_and_copies_are_at_distance_zero(metric):
    rows = np.array([[0.0], [1.0], [-1.0], [1.0], [5.0]])
    given = cdist(rows, rows) if metric == "precomputed" else rows
    asked = given[:1]
    model = NearestNeighborsClassifier(metric=metric, n_neighbors=2, **PLAIN)
    model.fit(given, ["a", "b", "b", "c", "c"])
    # One place for the row at 0, one for the three rows at the same distance.
    np.testing.assert_allclose(model.predict_proba(asked)[0], [1 / 2, 1 / 3, 1 / 6])
    distances, _ = model.kneighbors(given[1:2], 2)
    assert distances[0].tolist() == [0.0, 0.0]


def test_copies_are_at_distance_zero_though_their_products_are_rounded():
    rows = np.repeat(np.random.default_rng(3).normal(size=(20, 7)) + 100.0, 2, axis=0)
    for metric in (Linear(), RBF(gamma=0.1), "correlation"):
        model = NearestNeighborsRegressor(metric=metric, n_neighbors=2, **PLAIN)
        distances, _ = model.fit(rows, np.arange(40.0)).kneighbors(rows, 2)
        assert (distances == 0).all()
        np.testing.assert_allclose(model.predict(rows), np.repeat(np.arange(20) * 2 + 0.5, 2))


def test_groups_stay_together_where_k_is_chosen():
    random = np.random.default_rng(5)
    centers, group = random.normal(size=(20, 4)), np.repeat(np.arange(20), 5)
    rows = centers[group] + random.normal(size=(100, 4)) * 1e-3
    target = random.normal(size=20)[group]  # known in a group, and nowhere else
    for metric, given in (
        ("correlation", rows), ("precomputed", cdist(rows, rows)), (city, rows), (RBF(), rows)
    ):  # fmt: skip
        model = NearestNeighborsRegressor(metric=metric)
        alone = model.fit(given, target).cv_curve_[0, 1]
        grouped = model.fit(Table(given).with_groups(group), target).cv_curve_[0, 1]
        assert alone < 1e-6
        assert grouped > 0.5


def test_order_of_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(len(X))
    for metric in ("correlation", city, RBF()):
        one = NearestNeighborsRegressor(metric=metric).fit(X, Y)
        other = NearestNeighborsRegressor(metric=metric).fit(X[order], Y[order])
        assert (one.n_neighbors_, one.weights_) == (other.n_neighbors_, other.weights_)
        np.testing.assert_array_equal(one.predict(ASKED), other.predict(ASKED))


ROWS = {
    "texts": (Spectrum("row", 2), ["abab", "baba", "abba", "cdcd", "dccd", "dcdc"], "zzcd"),
    "graphs": (
        WeisfeilerLehman("row"),
        ["a b | 0-1", "a b a | 0-1 1-2", "b a | 0-1", "c d | 0-1", "d c d | 0-1 1-2", "d c | 0-1"],
        "c d c | 0-1 1-2",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_texts_and_graphs_are_rows(name, tmp_path):
    kernel, rows, asked = ROWS[name]
    classes, new = [0, 0, 0, 1, 1, 1], {"row": [asked]}
    for model in (
        NearestNeighborsClassifier(metric=kernel, n_neighbors=3),
        ParzenClassifier(kernel=kernel),
    ):
        model.fit({"row": rows}, classes)
        assert model.predict(new)[0] == 1
        explained = model.explain({"row": asked})
        assert explained.prediction == 1
        assert any("away" in line for line in explained.notes)
        model.save(tmp_path / "model.bl")
        np.testing.assert_array_equal(
            load(tmp_path / "model.bl").predict_proba(new), model.predict_proba(new)
        )


@pytest.mark.parametrize("kernel", [GlobalAlignment(), Intersection()], ids=str)
def test_series_and_histograms_are_rows(kernel):
    rows = np.abs(X)
    model = NearestNeighborsClassifier(metric=kernel, n_neighbors=1, **PLAIN).fit(rows, CLASSES)
    assert model.score(rows, CLASSES) == 1.0
    values = kernel.gram(rows, np.abs(ASKED)).T
    votes = ParzenRegressor(kernel=kernel, scale="none").fit(rows, Y).predict(np.abs(ASKED))
    np.testing.assert_allclose(votes, values @ Y / values.sum(axis=1), rtol=1e-9)


def test_a_window_of_a_kernel_weighs_rows_by_its_values():
    weights = np.exp(-0.4 * cdist(ASKED, X, "sqeuclidean"))
    model = ParzenRegressor(kernel=RBF(gamma=0.4), scale="none").fit(X, Y)
    twin = weights @ Y / weights.sum(axis=1)
    np.testing.assert_allclose(model.predict(ASKED), twin, rtol=1e-11)
    assert model.bandwidth_ is None
    assert "weighted by the kernel RBF" in model.to_text()
    far = model.predict(np.full((1, 5), 1e6))  # all values are 0: all rows count alike
    np.testing.assert_allclose(far, Y.mean(), rtol=1e-12)
    votes = ParzenClassifier(kernel=RBF(gamma=0.4), scale="none").fit(X, CLASSES)
    twin = weights @ np.eye(3)[CLASSES] / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(votes.predict_proba(ASKED), twin, rtol=1e-9, atol=1e-14)


def test_editing_and_condensing_work_with_every_measure():
    classes = np.where(np.arange(len(X)) % 9 == 0, 1 - (X[:, 0] > 0), X[:, 0] > 0)
    plain = NearestNeighborsClassifier(n_neighbors=3, column_weights=None, **PLAIN)
    plain = plain.fit(X, classes).edit().condense()
    for metric, given, new in (
        ("precomputed", cdist(X, X), cdist(ASKED, X)),
        (lambda a, b: np.sqrt(((a - b) ** 2).sum()), X, ASKED),
        (Linear(), X, ASKED),
    ):
        model = NearestNeighborsClassifier(metric=metric, n_neighbors=3, **PLAIN)
        edited = model.fit(given, classes).edit()
        kept = set(edited.row_numbers_.tolist())
        assert 0 < len(kept) < len(X)
        assert edited.condense().predict(new).shape == (25,)
        if metric != "precomputed":  # a matrix has another canonical order, so condensing differs
            assert edited.condense().reduction_ == plain.reduction_


def test_models_are_kept_by_files_and_pickles(tmp_path):
    for metric, given, new in (
        ("correlation", X, ASKED),
        ("precomputed", cdist(X, X), cdist(ASKED, X)),
        (RBF() * 2.0, X, ASKED),
    ):
        model = NearestNeighborsRegressor(metric=metric).fit(given, Y)
        model.save(tmp_path / "model.bl")
        for other in (load(tmp_path / "model.bl"), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(other.predict(new), model.predict(new))
            assert other.to_text() == model.to_text()
    model = NearestNeighborsRegressor(metric=city).fit(X, Y)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(ASKED), model.predict(ASKED)
    )
    with pytest.raises(ModelFileError, match="is a function") as caught:
        model.save(tmp_path / "function.bl")
    assert caught.value.code == "M006"


def test_a_matrix_in_a_file_must_have_a_column_for_each_row():
    model = NearestNeighborsRegressor(metric="precomputed").fit(cdist(X, X), Y)
    model.row_numbers_ = model.row_numbers_ + 1
    with pytest.raises(ModelFileError, match="no column in the matrix"):
        pickle.loads(pickle.dumps(model))


def test_more_rows_learn_the_measure_again():
    for metric in ("correlation", city, RBF()):
        grown = NearestNeighborsRegressor(metric=metric).fit(X[:50], Y[:50])
        grown.partial_fit(X[50:], Y[50:])
        whole = NearestNeighborsRegressor(metric=metric).fit(X, Y)
        np.testing.assert_array_equal(grown.predict(ASKED), whole.predict(ASKED))


def code_of(call):
    with pytest.raises((DataError, ParameterError)) as caught:
        call()
    return caught.value.code


def fit(metric, rows=X, **options):
    return NearestNeighborsRegressor(metric=metric, **options).fit(rows, Y)


def test_what_has_no_distance_is_refused():
    mixed = {"x": X[:, 0], "z": X[:, 1], "c": np.where(X[:, 0] > 0, "a", "b")}
    matrix, far = cdist(X, X), cdist(ASKED, X)
    far[3, 4] = np.nan
    assert code_of(lambda: fit("precomputed")) == "D670"
    assert code_of(lambda: fit("precomputed", matrix).predict(far)) == "D943"
    assert code_of(lambda: fit("precomputed", matrix).predict(-matrix)) == "D943"
    assert code_of(lambda: fit("precomputed", matrix).predict(far[:, :9])) == "D010"
    assert code_of(lambda: fit(Sigmoid(gamma=1.0, coef0=-1.0))) == "D944"
    assert code_of(lambda: ParzenRegressor(kernel=Linear()).fit(X, Y)) == "D945"
    assert code_of(lambda: fit("correlation", mixed)) == "D946"
    assert code_of(lambda: fit("correlation", X[:, :1])) == "D946"
    assert code_of(lambda: fit(lambda a, b: -1.0)) == "P944"
    assert code_of(lambda: fit(lambda a, b: a)) == "P944"
    assert code_of(lambda: fit(Precomputed(), matrix)) == "P946"
    assert code_of(lambda: fit("precomputed", matrix).partial_fit(matrix, Y)) == "P947"
    assert code_of(lambda: fit("precomputed", matrix).explain(matrix[:1])) == "P948"
    assert code_of(lambda: fit(city).explain(X[:1])) == "P948"
    assert code_of(lambda: fit("cosine")) == "P001"


def test_parameters_without_effect_are_refused():
    for metric in ("correlation", city, RBF()):
        assert code_of(lambda metric=metric: fit(metric, column_weights={"x0": 2.0})) == "P945"
        assert code_of(lambda metric=metric: fit(metric, column_weights="tuned")) == "P945"
        assert code_of(lambda metric=metric: fit(metric, scale="range")) == "P945"
    window = ParzenRegressor(kernel=RBF(), bandwidth=1.0)
    assert code_of(lambda: window.fit(X, Y)) == "P945"
