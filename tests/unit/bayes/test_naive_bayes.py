"""Naive Bayes: worked numbers, parity with scikit-learn, odd tables, words."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

from branchline import Table, load_dataset
from branchline.bayes import NaiveBayes
from branchline.errors import BranchlineWarning, ParameterError

# Quinlan's fourteen days: 9 of play, 5 without.
OUTLOOK = "sun sun overcast rain rain rain overcast sun sun rain sun overcast overcast rain"
WIND = "no yes no no no yes yes no no no yes yes no yes"
PLAY = "no no yes yes yes no yes no yes yes yes yes yes no"
TENNIS = pd.DataFrame(
    {"outlook": OUTLOOK.split(), "wind": WIND.split(), "play": PLAY.split()}, dtype=object
)


def test_worked_numbers_of_the_tennis_table():
    model = NaiveBayes(alpha=1.0).fit(TENNIS[["outlook", "wind"]], TENNIS["play"])
    # p(no) p(sun | no) p(yes | no) = 5/14 · (3+1)/(5+3) · (3+1)/(5+2), and so for play
    no, yes = 5 / 14 * 4 / 8 * 4 / 7, 9 / 14 * 3 / 12 * 4 / 11
    found = model.predict_proba([{"outlook": "sun", "wind": "yes"}])[0]
    np.testing.assert_allclose(found, [no / (no + yes), yes / (no + yes)], rtol=1e-14)


def test_missing_and_unseen_cells_say_nothing():
    model = NaiveBayes(alpha=1.0).fit(TENNIS[["outlook", "wind"]], TENNIS["play"])
    rows = [{"outlook": None, "wind": "yes"}, {"outlook": "fog", "wind": "yes"}]
    no, yes = 5 / 14 * 4 / 7, 9 / 14 * 4 / 11
    for row in rows:
        expected = [no / (no + yes), yes / (no + yes)]
        np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-14)
    nothing = model.predict_proba([{"outlook": None, "wind": None}])[0]
    np.testing.assert_allclose(nothing, [5 / 14, 9 / 14], rtol=1e-14)


@pytest.mark.parametrize("numeric", ["kernel", "gaussian", "binned", "auto"])
def test_missing_numbers_say_nothing(numeric):
    X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [np.nan]])
    model = NaiveBayes(numeric=numeric).fit(X, [0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], [3 / 7, 4 / 7], rtol=1e-12)
    assert model.predict([[2.0], [8.0]]).tolist() == [0, 1]


def test_gaussian_curves_equal_scikit_learns():
    X, y = load_dataset("iris").split_target("species")
    matrix = X.to_numpy()
    ours = NaiveBayes(numeric="gaussian", variance_prior=0.0).fit(matrix, y)
    theirs = GaussianNB(var_smoothing=0.0).fit(matrix, y)
    joint, expected = ours.predict_joint_log_proba(matrix), theirs.predict_joint_log_proba(matrix)
    # Both are right to rounding; theirs loses a few digits to sums in floats.
    np.testing.assert_allclose(joint, expected, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix), atol=1e-10)
    weight = np.random.default_rng(0).integers(1, 5, len(y))
    ours.fit(matrix, y, sample_weight=weight)
    theirs.fit(matrix, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix), atol=1e-10)


def test_frequencies_equal_scikit_learns():
    X, y = load_dataset("german-credit").split_target("class")
    words = X.select([field.name for field in X.schema if field.type.kind == "category"])
    frame = words.to_pandas().astype(str)
    ours = NaiveBayes(alpha=0.7).fit(frame, y)
    codes = OrdinalEncoder().fit_transform(frame)
    theirs = CategoricalNB(alpha=0.7).fit(codes, y)
    expected = theirs.predict_joint_log_proba(codes)
    np.testing.assert_allclose(ours.predict_joint_log_proba(frame), expected, rtol=1e-10)


def test_numbers_and_categories_add_up():
    X, y = _heart()
    words = [field.name for field in X.schema if field.type.kind == "category"]
    numbers = [name for name in X.names if name not in words]
    options = {"alpha": 1.0, "numeric": "gaussian"}
    both = NaiveBayes(**options).fit(X, y)
    parts = [NaiveBayes(**options).fit(X.select(names), y) for names in (words, numbers)]
    joint = sum(
        part.predict_joint_log_proba(X.select(names))
        for part, names in zip(parts, (words, numbers), strict=True)
    )
    np.testing.assert_allclose(
        both.predict_joint_log_proba(X), joint - np.log(both.class_prior_), rtol=1e-10
    )


def _heart():
    from branchline.table import dataset_info

    return load_dataset("heart").split_target(str(dataset_info("heart").target))


def test_digits_do_not_cancel_out():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = [0, 0, 0, 1, 1, 1]
    near = NaiveBayes(numeric="gaussian").fit(X, y)
    far = NaiveBayes(numeric="gaussian").fit(X + 2.0**50, y)
    np.testing.assert_array_equal(near.terms_[0].sd, far.terms_[0].sd)
    np.testing.assert_array_equal(near.predict_proba(X), far.predict_proba(X + 2.0**50))


def test_a_class_of_equal_values_is_not_infinitely_sure():
    X, y = np.array([[5.0], [5.0], [5.0], [1.0], [9.0]]), [0, 0, 0, 1, 1]
    model = NaiveBayes(numeric="gaussian").fit(X, y)
    overall = float(np.var(X))
    assert model.terms_[0].sd[0] == pytest.approx(math.sqrt(overall / 4))
    bare = NaiveBayes(numeric="gaussian", variance_prior=0.0).fit(X, y)
    assert bare.terms_[0].sd[0] == pytest.approx(math.sqrt(overall) / 32768)
    assert np.isfinite(bare.predict_log_proba([[1e300], [-1e300]])).all()


@pytest.mark.parametrize("numeric", ["kernel", "gaussian", "binned", "auto"])
def test_numbers_far_beyond_the_training_rows(numeric):
    X, y = load_dataset("iris").split_target("species")
    model = NaiveBayes(numeric=numeric).fit(X.to_numpy(), y)
    rows = np.array([[1.7e308] * 4, [-1.7e308] * 4, [5e-324] * 4])
    found = model.predict_proba(rows)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    one_by_one = np.vstack([model.predict_proba(row[None]) for row in rows])
    np.testing.assert_array_equal(found, one_by_one)


def test_far_from_all_values_smooth_curves_prefer_no_class():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 90), rng.normal(3, 1, 10)])[:, None]
    y = np.repeat([0, 1], [90, 10])
    model = NaiveBayes().fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1e6], [-1e6]]), [[0.9, 0.1]] * 2, rtol=1e-9)


def test_smooth_curves_see_two_humps_where_a_gaussian_curve_cannot():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-4, 1, 200), rng.normal(4, 1, 200), rng.normal(0, 1, 400)])
    y = np.repeat(["outer", "inner"], 400)
    assert NaiveBayes().fit(X[:, None], y).score(X[:, None], y) > 0.96
    assert NaiveBayes(numeric="auto").fit(X[:, None], y).terms_[0].kind != "gaussian"


def test_priors():
    X, y = TENNIS[["outlook"]], TENNIS["play"]
    nothing = [{"outlook": None}]
    for priors, expected in [
        ("frequency", [5 / 14, 9 / 14]),
        (None, [5 / 14, 9 / 14]),
        ("equal", [0.5, 0.5]),
        ({"no": 1e308, "yes": 3e307}, [10 / 13, 3 / 13]),
    ]:
        model = NaiveBayes(priors=priors).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(nothing)[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    "priors",
    [
        {},
        {"no": 1.0},
        {"no": 1, "yes": 0},
        {"no": 1, "yes": math.nan},
        {"no": 1, "yes": "2"},
        {"no": 1, "yes": True},
        {"no": 1, "yes": 1, "perhaps": 1},
    ],
)
def test_bad_priors_are_refused_and_the_repair_runs(priors):
    X, y = TENNIS[["outlook"]], TENNIS["play"]
    model = NaiveBayes(priors=priors)
    with pytest.raises(ParameterError, match="'priors' parameter") as caught:
        model.fit(X, y)
    assert caught.value.code == "P030"
    exec(caught.value.repair.python, {"model": model})
    assert model.fit(X, y).class_prior_.tolist() == [0.5, 0.5]


def test_column_weight_draws_probabilities_towards_the_priors():
    X, y = _heart()
    sure, careful = (NaiveBayes(column_weight=w).fit(X, y) for w in (1.0, 0.25))
    prior = np.log(sure.class_prior_)
    evidence = sure.predict_joint_log_proba(X) - prior
    np.testing.assert_allclose(careful.predict_joint_log_proba(X) - prior, evidence / 4, rtol=1e-9)
    assert (
        np.abs(careful.predict_proba(X) - 0.5).mean() < np.abs(sure.predict_proba(X) - 0.5).mean()
    )


def test_names_that_come_twice_do_not_ruin_the_rest():
    rng = np.random.default_rng(0)
    n_rows = 4_000
    x = rng.normal(size=n_rows)
    y = (x + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
    ids = np.array([f"id{k}" for k in rng.integers(0, 2_000, n_rows)])
    train, test = slice(0, 2_000), slice(2_000, None)
    frame = pd.DataFrame({"x": x, "id": ids})
    alone = NaiveBayes().fit(frame[["x"]][train], y[train]).score(frame[["x"]][test], y[test])
    model = NaiveBayes().fit(frame[train], y[train])
    assert model.terms_[1].smoothing > 1_000
    assert model.score(frame[test], y[test]) > alone - 0.01


def test_dates_are_numbers_of_days():
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2021-01-01", "2021-01-03"])
    model = NaiveBayes(numeric="gaussian", variance_prior=0.0)
    model.fit(pd.DataFrame({"day": days}), ["old", "old", "new", "new"])
    np.testing.assert_allclose(model.terms_[0].sd, [1.0, 1.0])
    assert model.predict(pd.DataFrame({"day": pd.to_datetime(["2020-02-01"])})).tolist() == ["old"]


def test_one_class():
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = NaiveBayes().fit(TENNIS[["outlook"]], ["same"] * 14)
    assert model.predict_proba(TENNIS[["outlook"]]).tolist() == [[1.0]] * 14
    explained = model.explain({"outlook": "sun"})
    assert (explained.prediction, explained.total) == ("same", 0.0)


def test_explanation_is_the_exact_sum_of_log_odds():
    X, y = _heart()
    model = NaiveBayes().fit(X, y)
    row = X.rows([3])
    explained = model.explain(row)
    joint = np.sort(model.predict_joint_log_proba(row)[0])
    assert explained.is_sum
    assert explained.total == pytest.approx(joint[-1] - joint[-2], rel=1e-9)
    best = model.classes_.tolist().index(explained.prediction)
    odds = model.class_prior_[best] / model.class_prior_[1 - best]
    assert explained.base == pytest.approx(math.log(odds))
    assert "against" in explained.about


def test_explanation_takes_the_two_most_probable_of_three():
    X, y = load_dataset("iris").split_target("species")
    model = NaiveBayes(numeric="gaussian").fit(X, y)
    explained = model.explain(X.rows([100]))
    assert explained.about == "log-odds of 'virginica' against 'versicolor'"


def test_text_of_every_kind_of_column():
    frame = TENNIS[["outlook", "wind"]].assign(heat=np.arange(14.0), constant=1)
    for numeric, words in [
        ("gaussian", "heat (normal)"),
        ("kernel", "bandwidth"),
        ("binned", "below 1.5"),
    ]:
        text = NaiveBayes(numeric=numeric, alpha=1.0).fit(frame, TENNIS["play"]).to_text()
        assert words in text
        assert "constant: not used" in text
        assert "before any column  35.7 %  64.3 %" in text
        assert "sun       50.0 %  25.0 %" in text
    short = NaiveBayes(alpha=1.0).fit(frame, TENNIS["play"]).to_text(most_categories=1)
    assert "2 more" in short


def test_complexity_counts_what_classes_are_described_by():
    frame = TENNIS[["outlook"]].assign(heat=np.arange(14.0), constant=1)
    model = NaiveBayes().fit(frame, TENNIS["play"])
    # two priors, 3 × 2 frequencies, a mean and a deviation for each class
    assert str(model.complexity()) == "12 numbers"


def test_sparse_and_dense_tables_agree():
    from scipy import sparse

    rng = np.random.default_rng(0)
    dense = rng.poisson(0.2, (80, 100)).astype(float)
    y = (dense[:, 0] + dense[:, 99] > 0).astype(int)
    for numeric in ("kernel", "gaussian"):
        one = NaiveBayes(numeric=numeric).fit(dense, y)
        other = NaiveBayes(numeric=numeric).fit(sparse.csr_array(dense), y)
        np.testing.assert_array_equal(one.predict_proba(dense), other.predict_proba(dense))


def test_classes_far_apart_in_scale_and_size():
    table = Table({"x": [1e-300, 2e-300, 3e-300, 1e300, 2e300, 3e300]})
    y = [0, 0, 0, 1, 1, 1]
    model = NaiveBayes(numeric="gaussian", variance_prior=0.0).fit(table, y)
    assert model.terms_[0].mean.tolist() == [2e-300, 2e300]
    assert model.predict(table).tolist() == y


@pytest.mark.parametrize("numeric", ["kernel", "gaussian", "binned", "auto"])
def test_a_column_that_varies_by_less_than_numbers_can_be_divided_says_nothing(numeric):
    model = NaiveBayes(numeric=numeric).fit([[0.0], [1e-323]], [0, 1])
    assert model.predict_proba([[0.0], [1.0]]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
