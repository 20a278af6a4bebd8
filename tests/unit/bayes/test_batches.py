"""partial_fit: batches, new categories, new classes, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline import load_dataset
from branchline._saving._write import to_bytes
from branchline.bayes import NaiveBayes, _batches
from branchline.errors import BranchlineWarning, DataError, KindError, ParameterError
from common.tables import mixed_frame, target
from large_tables import WEIGHTS, classes_of, mapped, mixed_table


def german():
    return load_dataset("german-credit").split_target("class")


@pytest.mark.parametrize("numeric", ["kernel", "gaussian", "binned", "auto"])
def test_batches_equal_one_fit_to_the_last_bit(numeric):
    frame = mixed_frame(300)
    y = target(frame, "classification")
    whole = NaiveBayes(numeric=numeric).fit(frame, y)
    model = NaiveBayes(numeric=numeric)
    for begin in range(0, 300, 37):
        model.partial_fit(frame[begin : begin + 37], y[begin : begin + 37])
    np.testing.assert_array_equal(model.predict_proba(frame), whole.predict_proba(frame))
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == frame.shape[1]


def test_the_order_of_batches_does_not_matter():
    X, y = german()
    parts = np.array_split(np.arange(1000), 4)
    models = [NaiveBayes(), NaiveBayes()]
    for model, order in zip(models, (parts, parts[::-1]), strict=True):
        for some in order:
            model.partial_fit(X.rows(some), y[some])
    np.testing.assert_array_equal(models[0].predict_proba(X), models[1].predict_proba(X))


def test_fit_forgets_batches_and_partial_fit_goes_on_after_fit():
    X, y = german()
    half = np.arange(500), np.arange(500, 1000)
    model = NaiveBayes().partial_fit(X.rows(half[1]), y[half[1]]).fit(X.rows(half[0]), y[half[0]])
    fresh = NaiveBayes().fit(X.rows(half[0]), y[half[0]])
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    model.partial_fit(X.rows(half[1]), y[half[1]])
    np.testing.assert_array_equal(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_new_categories_are_learned_as_they_come():
    first = pd.DataFrame({"town": ["Mons", "Ath", "Mons"], "flag": [True, False, True]})
    later = pd.DataFrame({"town": ["Liège", "Mons", "Liège"], "flag": [False, False, True]})
    y = ["a", "b", "a"]
    model = NaiveBayes().partial_fit(first, y).partial_fit(later, y)
    assert set(model.schema_["town"].categories) == {"Mons", "Ath", "Liège"}
    whole = NaiveBayes().fit(pd.concat([first, later]), y + y)
    both = pd.concat([first, later])
    np.testing.assert_array_equal(model.predict_proba(both), whole.predict_proba(both))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(model.predict(later)) == 3


def test_categories_that_are_numbers_truth_values_or_ordered_may_grow():
    model = NaiveBayes()
    frames = [
        pd.DataFrame({"size": pd.Categorical([1, 2, 1, 2]), "flag": [True, False, True, False]}),
        pd.DataFrame(
            {"size": pd.Categorical([3, 2, 3, 2]), "flag": ["True", "maybe", "maybe", "False"]}
        ),
    ]
    for frame in frames:
        model.partial_fit(frame, [0, 1, 0, 1])
    assert [str(name) for name in model.schema_["size"].categories] == ["1", "2", "3"]
    assert [str(name) for name in model.schema_["flag"].categories] == ["False", "True", "maybe"]
    counts = model._tally.columns[1].units
    assert counts.tolist() == [[0, 3], [3, 0], [1, 1]]
    type(model.schema_).from_json(model.schema_.to_json())


def test_containers_may_change_between_batches():
    frame = mixed_frame(200)
    y = target(frame, "classification")
    model = NaiveBayes().partial_fit(frame[:100], y[:100])
    model.partial_fit(pl.from_pandas(frame[100:]), y[100:])
    np.testing.assert_array_equal(
        model.predict_proba(frame), NaiveBayes().fit(frame, y).predict_proba(frame)
    )


def test_a_column_without_any_value_takes_its_kind_later():
    empty = pd.DataFrame({"x": [1.0, 2.0], "note": [np.nan, np.nan]})
    full = pd.DataFrame({"x": [1.5, 2.5], "note": ["good", "bad"]})
    model = NaiveBayes(alpha=1.0).partial_fit(empty, [0, 1]).partial_fit(full, [0, 1])
    assert model.schema_["note"].kind == "category"
    assert model.terms_[1].frequency.shape == (2, 2)
    assert model.predict(full).tolist() == [0, 1]


def test_text_after_numbers_is_refused_with_the_column():
    model = NaiveBayes().partial_fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    before = model.predict_proba(pd.DataFrame({"x": [1.0]}))
    with pytest.raises(KindError) as caught:
        model.partial_fit(pd.DataFrame({"x": ["one", "two"]}), [0, 1])
    assert caught.value.column == "x"
    np.testing.assert_array_equal(model.predict_proba(pd.DataFrame({"x": [1.0]})), before)


def test_an_absent_column_is_refused():
    frame = mixed_frame(50)
    y = target(frame, "classification")
    model = NaiveBayes().partial_fit(frame, y)
    with pytest.raises(DataError, match="'town'"):
        model.partial_fit(frame.drop(columns="town"), y)
    with pytest.raises(DataError, match="features"):
        NaiveBayes().partial_fit(np.zeros((2, 3)), [0, 1]).partial_fit(np.zeros((2, 4)), [0, 1])


def test_new_classes_are_learned_as_they_come():
    X, y = load_dataset("iris").split_target("species")  # in order of species
    model = NaiveBayes()
    for begin in range(0, 150, 30):
        model.partial_fit(X.rows(np.arange(begin, begin + 30)), y[begin : begin + 30])
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    np.testing.assert_array_equal(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


@pytest.mark.parametrize("priors", ["frequency", "equal", {"a": 1, "b": 2, "c": 3}])
def test_a_class_without_rows_has_probability_zero(priors):
    model = NaiveBayes(priors=priors).partial_fit([[1.0], [2.0]], ["a", "b"], classes=list("cab"))
    found = model.predict_proba([[1.0], [5.0]])
    assert found[:, 2].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.isfinite(model.explain([[1.0]]).total)


def test_a_class_that_was_not_given_is_refused_and_the_repair_runs():
    X, y = np.array([[1.0], [2.0]]), ["a", "z"]
    model = NaiveBayes().partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b"])
    with pytest.raises(DataError, match="'z'") as caught:
        model.partial_fit(X, y)
    assert caught.value.code == "D100"
    exec(caught.value.repair.python, {"model": model, "X": X, "y": y})
    assert model.classes_.tolist() == ["a", "z"]


def test_classes_of_another_kind_are_refused():
    model = NaiveBayes().partial_fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(DataError, match="another kind") as caught:
        model.partial_fit([[1.0], [2.0]], [0, 1])
    assert caught.value.code == "D100"


def test_classes_may_not_change():
    model = NaiveBayes().partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1])
    model.partial_fit([[3.0]], [1], classes=[1, 0])
    with pytest.raises(ParameterError) as caught:
        model.partial_fit([[3.0]], [1], classes=[0, 1, 2])
    assert caught.value.code == "P032"


def test_numeric_may_not_change_between_values_and_gaussian_curves():
    model = NaiveBayes(numeric="gaussian").partial_fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError) as caught:
        model.set_params(numeric="kernel").partial_fit([[1.0], [2.0]], [0, 1])
    assert caught.value.code == "P031"
    kept = NaiveBayes().partial_fit([[1.0], [2.0]], [0, 1]).set_params(numeric="binned")
    assert kept.partial_fit([[1.5], [2.5]], [0, 1]).terms_[0].kind == "binned"


def test_bad_parameters_leave_the_model_as_it_was():
    model = NaiveBayes().partial_fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match="'alpha' parameter"):
        model.set_params(alpha=-1).partial_fit([[1.0]], [0])
    assert model.predict([[1.0], [2.0]]).tolist() == [0, 1]


def test_weights_with_fractions_count_alike_in_batches():
    X, y = german()
    weight = np.random.default_rng(0).uniform(0.1, 2.0, 1000)
    whole = NaiveBayes().fit(X, y, sample_weight=weight)
    model = NaiveBayes()
    for some in np.array_split(np.arange(1000), 3):
        model.partial_fit(X.rows(some), y[some], sample_weight=weight[some])
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    # a batch without weights goes on in the same unit: each of its rows weighs 1
    mixed = NaiveBayes().partial_fit(X, y).partial_fit(X, y, sample_weight=np.full(1000, 0.5))
    assert mixed.class_count_.sum() == pytest.approx(2000)


def test_weights_beyond_counting_are_refused():
    X, y = [[1.0], [2.0]], [0, 1]
    model = NaiveBayes().partial_fit(X, y, sample_weight=[0.5, 0.5])
    with pytest.raises(DataError) as caught:
        model.partial_fit(X, y, sample_weight=[1e30, 1.5])
    assert caught.value.code == "D101"


def test_a_batch_of_one_class_brings_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NaiveBayes().partial_fit([[1.0]], ["a"]).partial_fit([[2.0]], ["b"])
    assert model.classes_.tolist() == ["a", "b"]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 300), st.sampled_from(sorted(WEIGHTS)))
def test_pieces_of_a_table_and_mapped_files_are_counted_to_the_same_bits(
    tmp_path_factory, seed, n_rows, kind
):
    X, target = mixed_table(n_rows, seed)
    y, weights = classes_of(target, 1 + seed % 3, seed), WEIGHTS[kind](n_rows)
    folder = tmp_path_factory.mktemp("files")
    files = mapped(X, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        for numeric in ("kernel", "gaussian", "binned"):
            whole = NaiveBayes(numeric=numeric).fit(X, y, sample_weight=weights)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_batches, "_PIECE", 1 + seed % 97)
                pieces = NaiveBayes(numeric=numeric).fit(files, y, sample_weight=weights)
            assert to_bytes(pieces) == to_bytes(whole)
            np.testing.assert_array_equal(pieces.predict_proba(files), whole.predict_proba(X))
