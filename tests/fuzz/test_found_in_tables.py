"""What random tables have found in functions of the library stays mended."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

import branchline
from branchline._saving._write import to_bytes
from branchline.density import BayesianNetwork, as_baskets, association_rules
from branchline.errors import ParameterError
from branchline.features import RankSelector
from branchline.linear import LogisticRegression
from branchline.projection import PCA
from branchline.stream import (
    AdaptiveForestClassifier,
    AdaptiveHoeffdingTreeClassifier,
    HoeffdingTreeClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
)
from branchline.tree import CART


def test_every_room_is_a_name_of_the_library():
    assert branchline.cluster.KMeans(2).n_clusters == 2


def test_a_column_without_a_known_number_has_no_items():
    table = pd.DataFrame({"x": [np.nan] * 6, "town": list("aabbab")})
    assert as_baskets(table).items == ("town = a", "town = b")
    assert association_rules(table).rules == ()


def test_a_number_that_is_mostly_its_largest_value_is_cut_below_it():
    baskets = as_baskets(pd.DataFrame({"x": [*range(9), *[40.0] * 60]}))
    assert baskets.items == ("x ≤ 8", "x > 8")
    assert np.diff(baskets.starts).tolist() == [1] * 69
    assert (baskets.codes == 0).sum() == 9


def test_moments_of_one_day_have_names_of_their_own():
    moments = pd.to_datetime(["2001-01-01 08:00", "2001-01-01 09:30"] * 3)
    items = as_baskets(pd.DataFrame({"seen": moments})).items
    assert items == ("seen = 2001-01-01T08:00:00", "seen = 2001-01-01T09:30:00")
    days = as_baskets(pd.DataFrame({"seen": moments.normalize()})).items
    assert days == ("seen = 2001-01-01",)


def test_more_baskets_than_whole_numbers_are_refused():
    with pytest.raises(ParameterError) as caught:
        association_rules(pd.DataFrame({"x": list("abab")}), sample_weight=[1e300] * 4)
    assert caught.value.code == "P650"


def test_a_biplot_of_columns_that_do_not_vary_can_be_drawn():
    table = pd.DataFrame({"x": [1.0], "y": [2.0]})
    assert PCA().fit(table).biplot(table).to_svg().startswith("<svg")


@pytest.mark.parametrize("by", ["f", "correlation", "t"])
def test_tests_of_columns_do_not_depend_on_their_size(by):
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(40, 3))
    y = (plain[:, 0] + rng.normal(size=40) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = (
            RankSelector(by=by, n_columns=1).fit(plain * size, y).ranking_
            for size in (1.0, 2.0**1020)
        )
    np.testing.assert_array_equal(one, other)


def test_many_classes_of_few_rows_give_no_warning_of_another_library():
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        LogisticRegression(C=1.0, penalty="l1").fit(rng.normal(size=(30, 2)), np.arange(30) % 20)


def _through_a_file(model):
    return branchline.load(io.BytesIO(to_bytes(model)))


@pytest.mark.parametrize("name", ["stream", "bagging", "boosting", "forest", "adaptive"])
def test_models_of_streams_with_a_largest_depth_can_be_saved(name):
    model = {
        "stream": HoeffdingTreeClassifier(max_depth=2),
        "bagging": OnlineBaggingClassifier(n_estimators=2, max_depth=2),
        "boosting": OnlineBoostingClassifier(n_estimators=2, max_depth=2),
        "forest": AdaptiveForestClassifier(n_estimators=2, max_depth=2),
        "adaptive": AdaptiveHoeffdingTreeClassifier(max_depth=2),
    }[name]
    X = np.random.default_rng(0).normal(size=(200, 3))
    model.fit(X, (X[:, 0] > 0).astype(int))
    np.testing.assert_array_equal(_through_a_file(model).predict_proba(X), model.predict_proba(X))


def test_a_network_of_a_table_without_a_usable_column_has_no_arrows():
    table = pd.DataFrame({"id": [f"u{row}" for row in range(50)]})
    model = BayesianNetwork().fit(table)
    assert "0 arrows" in model.to_text()
    assert model.score_samples(table).tolist() == [0.0] * 50
    assert _through_a_file(model).score_samples(table).tolist() == [0.0] * 50


@pytest.mark.parametrize("model", ["tree", CART, None])
def test_a_model_that_is_not_an_estimator_is_refused(model):
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) % 2
    for ask in (branchline.cross_validate, branchline.fit_intervals):
        with pytest.raises(ParameterError) as caught:
            ask(model, X, y)
        assert caught.value.code == "P790"
