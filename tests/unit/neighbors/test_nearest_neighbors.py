"""Nearest neighbors: printed numbers, parity with scikit-learn, choices, more rows, reading."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from branchline import Table, load_dataset
from branchline.errors import (
    BranchlineWarning,
    DataError,
    KindError,
    NotFittedError,
    ParameterError,
)
from branchline.neighbors import NearestNeighborsClassifier, NearestNeighborsRegressor
from branchline.neighbors._choosing import folds_of
from branchline.neighbors._stored_rows import in_canonical_order
from common.tables import mixed_frame, target

PLAIN = {"scale": "none", "column_weights": None}
CHOSEN = {"n_neighbors": 3, "weights": "uniform"}


def test_the_printed_distances_and_their_verdict():
    X, y = load_dataset("one-nn").split_target("class")
    model = NearestNeighborsClassifier(n_neighbors=1, weights="uniform", **PLAIN).fit(X, y)
    query = {"x1": [0.92], "x2": [0.43]}
    distances, rows = model.kneighbors(query, 4)
    order = np.argsort(rows[0])
    np.testing.assert_allclose(distances[0][order], [0.710, 0.772, 0.538, 0.439], atol=5e-4)
    assert model.predict(query)[0] == "Disease"


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_numbers_without_ties_are_predicted_as_scikit_learn_does(metric, weights):
    random = np.random.default_rng(0)
    X, asked = random.normal(size=(300, 4)), random.normal(size=(100, 4))
    classes, numbers = (X[:, 0] > 0) * 1 + (X[:, 1] > 0), X[:, 0] + X[:, 1] ** 2
    options = {"n_neighbors": 7, "weights": weights, "metric": metric}
    ours = NearestNeighborsClassifier(**options, **PLAIN).fit(X, classes)
    theirs = KNeighborsClassifier(**options).fit(X, classes)
    # Votes are rounded to 12 digits; sums are taken in another order.
    np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked), atol=1e-11)
    ours = NearestNeighborsRegressor(**options, **PLAIN).fit(X, numbers)
    theirs = KNeighborsRegressor(**options).fit(X, numbers)
    np.testing.assert_allclose(ours.predict(asked), theirs.predict(asked), rtol=1e-12)
    found = ours.kneighbors(asked, 7)
    expected = theirs.kneighbors(asked)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


def test_rows_that_tie_at_the_last_place_share_it():
    X = pd.DataFrame({"x": [0.0, 1.0, -1.0, 1.0, 5.0]})
    y = ["a", "b", "b", "c", "c"]
    model = NearestNeighborsClassifier(n_neighbors=2, weights="uniform", **PLAIN).fit(X, y)
    # One place for the row at 0, one for three rows at distance 1.
    np.testing.assert_allclose(model.predict_proba({"x": [0.0]}), [[1 / 2, 1 / 3, 1 / 6]])
    numbers = NearestNeighborsRegressor(n_neighbors=2, weights="uniform", **PLAIN)
    predicted = numbers.fit(X, [0.0, 3.0, 3.0, 6.0, 100.0]).predict({"x": [0.0]})
    np.testing.assert_allclose(predicted, [(0 + (3 + 3 + 6) / 3) / 2])


def test_a_row_at_distance_zero_decides_alone_when_weighted_by_distance():
    X = pd.DataFrame({"x": [0.0, 1e-9, 1.0]})
    model = NearestNeighborsClassifier(n_neighbors=3, weights="distance", **PLAIN)
    shares = model.fit(X, ["a", "b", "b"]).predict_proba({"x": [0.0]})
    np.testing.assert_array_equal(shares, [[1.0, 0.0]])


def test_smoothing_adds_votes_by_the_frequency_of_classes():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0]})
    model = NearestNeighborsClassifier(n_neighbors=1, weights="uniform", smoothing=1.0, **PLAIN)
    shares = model.fit(X, ["a", "a", "a", "b"]).predict_proba({"x": [9.0]})
    np.testing.assert_allclose(shares, [[(0 + 0.75) / 2, (1 + 0.25) / 2]])


def test_equal_votes_go_to_the_first_class():
    X = pd.DataFrame({"x": [0.0, 2.0]})
    model = NearestNeighborsClassifier(n_neighbors=2, weights="distance", **PLAIN)
    assert model.fit(X, ["b", "a"]).predict({"x": [1.0]})[0] == "a"


def test_more_neighbors_than_rows_asks_all_of_them():
    X, y = load_dataset("one-nn").split_target("class")
    model = NearestNeighborsClassifier(n_neighbors=99, weights="uniform").fit(X, y)
    assert model.n_neighbors_ == 4
    np.testing.assert_allclose(model.predict_proba(X), 0.5)


# -- choosing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["overlap", "value_difference"])
def test_the_curve_is_the_error_on_folds_learned_without_them(distance):
    frame = mixed_frame(90)
    y = target(frame, "classification")
    model = NearestNeighborsClassifier(distance=distance).fit(frame, y)
    data = in_canonical_order(_training_data(frame, y))[0]
    place = len(model.cv_curve_) // 2
    k = int(model.cv_curve_[place, 0])
    for column, weights in ((1, "uniform"), (2, "distance")):
        wrong = 0
        for rest, asked in folds_of(data):
            fixed = NearestNeighborsClassifier(n_neighbors=k, weights=weights, distance=distance)
            fixed.fit(rest.table, rest.target.classes[rest.target.class_of_row])
            truth = asked.target.classes[asked.target.class_of_row]
            wrong += int((fixed.predict(asked.table) != truth).sum())
        assert model.cv_curve_[place, column] == pytest.approx(wrong / 90)
    assert np.nanmin(model.cv_curve_[:, 1:]) == pytest.approx(
        model.cv_curve_[model.cv_curve_[:, 0] == model.n_neighbors_][
            0, 1 + (model.weights_ == "distance")
        ]
    )


def test_the_curve_of_numbers_is_in_the_unit_of_the_target():
    random = np.random.default_rng(4)
    X = random.normal(size=(12, 1))  # fewer than 20 rows are left out one by one
    y = 100 * random.normal(size=12)
    curve = NearestNeighborsRegressor(**PLAIN).fit(X, y).cv_curve_
    apart = np.abs(X - X.T)
    np.fill_diagonal(apart, np.inf)
    order = np.argsort(apart, axis=1)
    for k, error, _ in curve:
        means = y[order[:, : int(k)]].mean(axis=1)
        assert error == pytest.approx(np.mean((means - y) ** 2))


def _training_data(frame, y):
    from branchline._validation import Owner, check_training_data

    owner = Owner("test", None)
    return check_training_data(frame, y, None, task="classification", owner=owner)


def test_a_noisy_problem_asks_many_and_a_clean_one_few():
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 2))
    noisy = np.where(random.random(400) < 0.35, X[:, 0] < 0, X[:, 0] > 0)
    assert NearestNeighborsClassifier().fit(X, noisy).n_neighbors_ >= 9
    exact = np.sin(3 * X[:, 0])
    assert NearestNeighborsRegressor().fit(X, exact).n_neighbors_ <= 5


def test_a_given_k_leaves_only_the_weighting_to_choose():
    frame = mixed_frame()
    y = target(frame, "classification")
    model = NearestNeighborsClassifier(n_neighbors=5).fit(frame, y)
    assert model.cv_curve_.shape == (1, 3)
    fixed = NearestNeighborsClassifier(n_neighbors=5, weights="uniform").fit(frame, y)
    assert fixed.cv_curve_.shape == (0, 3)


# -- more rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, CHOSEN])
@pytest.mark.parametrize("kind", [NearestNeighborsClassifier, NearestNeighborsRegressor])
def test_rows_added_later_are_as_good_as_rows_given_at_once(kind, options):
    frame = mixed_frame(150)
    y = target(frame, kind._task)
    frame.loc[100, "town"] = "Spa"  # a level that the first rows do not have
    model = kind(**options).partial_fit(frame[:60], y[:60])
    model.partial_fit(pl.from_pandas(frame[60:110]), y[60:110]).partial_fit(frame[110:], y[110:])
    whole = kind(**options).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), whole.predict(frame))
    for left, right in zip(model.kneighbors(frame, 4), whole.kneighbors(frame, 4), strict=True):
        np.testing.assert_array_equal(left, right)


def test_rows_that_cannot_be_added_change_nothing():
    frame = mixed_frame(60)
    y = target(frame, "classification")
    model = NearestNeighborsClassifier(**CHOSEN).fit(frame, y)
    before = model.predict_proba(frame)
    with pytest.raises(DataError, match="'town'"):
        model.partial_fit(frame.drop(columns="town"), y)
    with pytest.raises(DataError, match="inconsistent numbers"):
        model.partial_fit(frame, y[:-1])
    with pytest.raises(KindError, match="kinds"):
        model.partial_fit(frame, np.arange(60))
    np.testing.assert_array_equal(model.predict_proba(frame), before)


def test_moments_in_another_unit_are_added_in_the_first_one():
    days = pd.DataFrame({"at": pd.date_range("2024-01-01", periods=6).astype("datetime64[s]")})
    finer = days.astype("datetime64[ns]")
    y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    options = {"n_neighbors": 1, "weights": "uniform"}
    model = NearestNeighborsRegressor(**options).fit(days[:3], y[:3]).partial_fit(finer[3:], y[3:])
    np.testing.assert_array_equal(model.predict(days), y)


# -- reading ------------------------------------------------------------------------------------


def test_an_explanation_names_the_nearest_rows_as_the_user_numbers_them():
    X, y = load_dataset("titanic").split_target("survived")
    model = NearestNeighborsClassifier(**CHOSEN).fit(X, y)
    explained = model.explain(Table(X).rows([11]))
    assert explained.notes[0] == "nearest rows:"
    assert explained.notes[1].startswith(f"  row 11: {y[11]}, 0 away (boat = 4, ")
    assert len(explained.notes) == 6


def test_the_text_says_what_is_asked_and_what_counts():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    lines = NearestNeighborsRegressor(**CHOSEN).fit(X, y).to_text().splitlines()
    assert lines[0] == "the 3 nearest of 398 rows, weighted equally"
    assert lines[2] == "  weight: 1"
    empty = NearestNeighborsRegressor(**CHOSEN).fit(pd.DataFrame({"x": [1, 1]}), [1.0, 3.0])
    assert empty.to_text().splitlines()[-1] == "no column has any weight"
    assert empty.predict({"x": [5]})[0] == 2.0


def test_neighbors_that_cannot_be_counted_are_refused():
    X, y = load_dataset("one-nn").split_target("class")
    model = NearestNeighborsClassifier(**CHOSEN).fit(X, y)
    for count in (0, 5, 2.0, True, "3"):
        with pytest.raises(ParameterError, match="from 1 to 4") as caught:
            model.kneighbors(X, count)
        assert caught.value.code == "P041"
    with pytest.raises(NotFittedError):
        NearestNeighborsClassifier().kneighbors(X)


def test_predicting_no_rows_gives_none():
    X, y = load_dataset("iris").split_target("species")
    model = NearestNeighborsClassifier(**CHOSEN).fit(X, y)
    assert model.predict_proba(X[:0]).shape == (0, 3)


def test_blocks_and_threads_do_not_matter(monkeypatch):
    frame = mixed_frame(200)
    y = target(frame, "regression")
    model = NearestNeighborsRegressor(n_neighbors=4, weights="distance").fit(frame, y)
    expected = model.predict(frame)
    monkeypatch.setattr("branchline.neighbors._search._BLOCK_PAIRS", 1000)
    monkeypatch.setattr("branchline.neighbors._fitted_rows._BLOCK_ROWS", 13)
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(model.set_params(n_jobs=n_jobs).predict(frame), expected)


def test_one_class_is_predicted_for_all():
    X, _ = load_dataset("iris").split_target("species")
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = NearestNeighborsClassifier().fit(X, ["a"] * 150)
    assert set(model.predict(X)) == {"a"}
