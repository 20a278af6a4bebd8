"""What fuzzing has found stays mended: values that are refused, and numbers beyond all floats."""

import copy
import io
import pickle
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchline
from branchline._saving._write import to_bytes
from branchline.baseline import MeanRegressor
from branchline.cluster import KMedoids
from branchline.encoding import TableEncoder
from branchline.ensemble import ambiguity_decomposition
from branchline.errors import KindError, ModelFileError
from branchline.linear import BasisExpansion, LinearRegression, LogisticRegression, Ridge
from branchline.stream import HoeffdingTreeClassifier
from branchline.tree import C45, ID3
from common.estimators import ESTIMATORS
from common.tables import mixed_frame
from fuzz.estimators import attempt
from fuzz.model_use import on_mixed, use
from fuzz.mutate_arrays import fitted_values, forge_fitted, take_apart
from saved_models import OTHER_MODELS, refusal, saved


@cache
def file_of(name):
    return saved(name) if name in OTHER_MODELS else to_bytes(on_mixed(ESTIMATORS[name]))


def with_part(name, path, value, place=None):
    """Return the file of a model in which a part, or a place of it, is another."""
    fitted = holder = fitted_values(file_of(name))
    for key in path[:-1]:
        holder = holder[key]
    if place is None:
        holder[path[-1]] = value
    else:
        holder[path[-1]][place] = value
    return io.BytesIO(forge_fitted(take_apart(file_of(name))[0], fitted))


SCALE = ("encoding", "blocks", 0, "scale")
TWO = np.zeros(2)
REFUSED = {
    "mean beyond all terms": ("ridge", ("encoding", "mean"), 1e308, 0),
    "mean of a basis": ("ridge-rbf", ("encoding", "mean"), 1e308, 0),
    "centre": ("ridge", SCALE, 1.5, 0),
    "narrow spread": ("ridge", SCALE, 5e-324, 1),
    "wide spread": ("ridge", SCALE, 3.0, 1),
    "median": ("ridge", SCALE, 1e308, 2),
    "kind of a block": ("ridge", ("encoding", "blocks", 0, "kind"), TWO, None),
    "kind of a basis": ("basis", ("encoding", "basis", "kind"), TWO, None),
    "spread of a product": ("basis", ("encoding", "basis", "spread"), 1e-300, -1),
    "parts of a date": ("parts of dates", ("encoding", "blocks", -1, "parts"), [TWO], None),
    "solver of a ridge": ("ridge", ("solver",), TWO, None),
    "solver of a lasso": ("lasso", ("solver",), TWO, None),
    "solver of least squares": ("linear", ("solver",), TWO, None),
    "degrees of freedom": ("linear", ("df_residual",), -1.0, None),
    "solver of a logistic model": ("logistic", ("report", "solver"), ["lbfgs"], None),
    "a subset": ("subset", ("selected",), [TWO], None),
    "a class's mean": ("qda", ("means",), 1e308, (0, 0)),
    "a determinant": ("qda", ("log_determinants",), 1e308, 0),
    "a hashed weight": ("hashed", ("learnt", "weights"), 1e308, (0, 0)),
    "a hashed loss": ("hashed", ("learnt", "loss"), 1e308, None),
    "hashed places": ("hashed", ("hashing", "n_features"), TWO, None),
    "a hashed exponent": ("hashed", ("hashing", "exponent"), -(2**63), 0),
    "closed bins": ("hashed-bins", ("hashing", "edges"), -1.0, 0),
    "a metric": ("k-medoids", ("comparison", "kind"), ["gower"], None),
    "a weighting": ("neighbors", ("weights",), TWO, None),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_fit_could_have_produced_is_refused(what):
    assert refusal(with_part(*REFUSED[what])).code == "M005"


BEYOND = {
    "weights": ("ridge", ("weights",)),
    "weights of classes": ("logistic", ("weights",)),
    "weights of a perceptron": ("perceptron", ("weights",)),
    "constants": ("lda", ("bias",)),
    "roots of a covariance": ("qda", ("roots", 0)),
    "errors of a constant": ("linear", ("intercept_errors",)),
    "errors": ("subset", ("standard_errors",)),
}


@pytest.mark.parametrize("number", [1e308, -1e308])
@pytest.mark.parametrize("what", BEYOND)
def test_a_model_of_the_largest_numbers_says_finite_ones(what, number):
    """``use`` checks every number that the model says, and that there are no warnings."""
    file = with_part(*BEYOND[what], abs(number) if "errors" in what else number, ...)
    use(branchline.load(file))


def test_predictions_beyond_all_floats_are_the_largest_one_and_keep_their_sign():
    model = Ridge(alpha=1e-9).fit([[0.0], [1.0]], [-1e300, 1e300])
    predicted = model.predict([[-1e300], [0.5], [1e300]])
    largest = np.finfo(np.float64).max
    assert predicted[[0, 2]].tolist() == [-largest, largest]
    assert model.predict([[0.5]])[0] == predicted[1]


def test_bells_that_are_narrower_than_all_distances_stand_alone():
    wide = np.array([[0.0], [1.0], [2.0]])
    bells = BasisExpansion(kind="rbf", width=1e-300, linear=False).fit(wide).transform(wide)
    assert sorted(bells.ravel().tolist()) == [0.0] * 6 + [1.0] * 3


def test_squared_errors_beyond_all_floats_are_the_largest_one():
    found = ambiguity_decomposition([[1e300], [-1e300]], [0.0])
    assert found.mean_error == np.finfo(np.float64).max
    assert found.error == 0.0


def test_dates_that_are_all_missing_are_encoded_as_missing_ones():
    frame = mixed_frame(60)
    encoder = TableEncoder(dates="parts").fit(frame)
    holes = frame[:3].assign(born=pd.Series([None] * 3, dtype=object))
    some = frame[:3].assign(born=pd.Series([pd.NaT] * 3, index=frame.index[:3]))
    np.testing.assert_array_equal(encoder.transform(holes), encoder.transform(some))
    assert np.isfinite(encoder.transform(holes)).all()


def test_a_stack_predicts_tables_without_rows():
    frame = mixed_frame(60)
    model = on_mixed(ESTIMATORS["stacking"])
    assert model.predict(frame[:0]).shape == (0,)
    assert model.predict_proba(frame[:0]).shape == (0, 3)


@pytest.mark.parametrize("model", [Ridge(), LinearRegression()])
def test_a_linear_model_without_terms_can_be_read(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model.fit([[1.0], [1.0], [1.0]], [1.0, 2.0, 4.0])
        assert fitted.to_text()
        assert fitted.coef_.shape == (0,)
        assert float(fitted.intercept_) == pytest.approx(7 / 3)


def test_a_large_sparse_table_gives_finite_numbers():
    encoder = OTHER_MODELS["sparse columns"]()
    assert encoder.transform([[1e308, 0.0, -1e308]]).toarray().tolist() == [[1e100, -1e100]]


def test_a_linear_tree_does_not_take_the_first_of_two_columns():
    """Two columns that name each row separate the rows of a node equally well."""
    assert attempt(5, 2475) == "usable"


def test_texts_among_dates_are_refused_beside_marks_of_missing_values():
    frame = pd.DataFrame({"born": pd.date_range("2001-01-01", periods=40), "x": range(40)})
    model = MeanRegressor().fit(frame, np.arange(40.0))
    with pytest.raises(KindError):
        model.predict({"born": ["a", "nan", "Mons"], "x": [1, 2, 3]})


def test_a_pickled_part_of_another_make_is_refused():
    model = copy.deepcopy(on_mixed(ESTIMATORS["subset"]))
    model.__dict__["sizes_"] = (model.complexity(),)
    with pytest.raises(ModelFileError):
        pickle.loads(pickle.dumps(model))


def test_medoids_do_not_swap_for_ever_where_distances_differ_by_many_powers_of_ten():
    """Sums of changes are rounded: two swaps seemed to undo each other at a gain each time."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        few = rng.choice([1e-12, -1.7e308, 1.0, 1e12], (30, 1))
        table = np.hstack([few, rng.normal(size=(30, 1)), rng.integers(0, 9, (30, 1))])
        model = KMedoids(3, metric="manhattan", standardize=False).fit(table)
        assert set(model.predict(table)) <= {0, 1, 2}


def test_ranges_beyond_all_floats_are_compared_as_shares():
    frame = pd.DataFrame({"x": [-1.7e308, 0.0, 1.7e308, 1.0], "name": list("abab")})
    model = KMedoids(2, metric="gower").fit(frame)
    distances = model.medoid_distances(frame.assign(x=[1e308, -1e308, 5e-324, 0.0]))
    assert np.isfinite(distances).all()
    assert distances.max() <= 1.0


def test_a_text_of_rows_without_weight_is_as_unknown_as_one_of_no_row():
    names = np.array(["a", "b", "c", "d"])[np.arange(40) % 4]
    frame, y = pd.DataFrame({"name": names}), (np.arange(40) % 4 > 1).astype(int)
    weights = (names != "d").astype(float)
    for model in (ID3(), C45(), LogisticRegression(C=1.0)):
        absent = clone(model).fit(frame[weights > 0], y[weights > 0])
        present = clone(model).fit(frame, y, sample_weight=weights)
        assert present.schema_ == absent.schema_
        np.testing.assert_array_equal(present.predict_proba(frame), absent.predict_proba(frame))


@pytest.mark.parametrize(("name", "value"), [("n_classes", 7), ("rules", None), ("n_classes", -1)])
def test_streams_learned_by_other_rules_are_refused_as_model_files_are(name, value):
    X = np.random.default_rng(0).normal(size=(900, 3))
    model = HoeffdingTreeClassifier().fit(X, X[:, 0] > 0)
    setattr(model.learned_, name, value)
    with pytest.raises(ModelFileError):
        pickle.loads(pickle.dumps(model.learned_))
