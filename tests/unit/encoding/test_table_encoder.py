"""The encoder: numbers, levels, dates and holes as numbers with names."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from branchline import Table, load, load_dataset
from branchline._saving._write import to_bytes
from branchline.encoding import TableEncoder
from branchline.errors import ModelFileError, ParameterError
from common.tables import mixed_frame
from saved_models import forged

PLAIN = {"dates": "number"}


def names(encoder):
    return encoder.get_feature_names_out().tolist()


# -- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "peer"), [("standard", StandardScaler()), ("range", MinMaxScaler())]
)
def test_numbers_are_scaled_as_scikit_learn_scales_them(scale, peer):
    X = np.random.default_rng(0).normal(50, 20, (200, 3))
    found = TableEncoder(scale=scale).fit_transform(X)
    np.testing.assert_allclose(found, peer.fit_transform(X), rtol=1e-12, atol=1e-12)


def test_without_a_scale_numbers_stay_as_they_are():
    X = np.random.default_rng(0).normal(50, 20, (20, 3))
    np.testing.assert_array_equal(TableEncoder(scale="none").fit_transform(X), X)


def test_weights_count_as_copies_in_scale_and_median():
    X = np.array([[1.0], [2.0], [np.nan], [10.0], [np.nan]])
    copies = np.array([3, 1, 2, 2, 1])
    weighted = TableEncoder().fit(X, sample_weight=copies)
    repeated = TableEncoder().fit(np.repeat(X, copies, axis=0))
    np.testing.assert_array_equal(weighted.transform(X), repeated.transform(X))
    known = np.repeat([1.0, 2.0, 10.0], [3, 1, 2])
    scaled = (np.median(known) - known.mean()) / known.std()
    assert weighted.transform(X)[2, 0] == pytest.approx(scaled)


def test_holes_take_the_median_and_are_marked():
    X = np.array([1.0, 2.0, 3.0, 100.0, np.nan, np.nan])[:, None]
    encoder = TableEncoder(scale="none").fit(X)
    assert names(encoder) == ["x0", "x0 missing"]
    assert encoder.transform(X)[4:].tolist() == [[2.5, 1.0], [2.5, 1.0]]


def test_a_single_hole_is_filled_but_not_marked():
    X = np.array([1.0, 2.0, 3.0, 100.0, np.nan])[:, None]
    encoder = TableEncoder(scale="none").fit(X)
    assert names(encoder) == ["x0"]
    assert encoder.transform([[np.nan]]).tolist() == [[2.5]]


def test_a_constant_with_holes_keeps_its_indicator_only():
    X = np.array([7.0, 7.0, np.nan, np.nan])[:, None]
    encoder = TableEncoder().fit(X)
    assert names(encoder) == ["x0 missing"]
    assert encoder.transform(X)[:, 0].tolist() == [0, 0, 1, 1]


def test_columns_that_say_nothing_are_left_out():
    frame = pd.DataFrame({"one": 1, "word": "x", "void": np.nan, "a": [1.0, 2.0, 3.0]})
    assert names(TableEncoder().fit(frame)) == ["a"]
    nothing = TableEncoder().fit(frame[["one", "word", "void"]])
    assert nothing.transform(frame[["one", "word", "void"]]).shape == (3, 0)


@pytest.mark.parametrize("factor", [2.0**-1000, 4.0, 2.0**900])
def test_powers_of_two_change_nothing(factor):
    X = np.random.default_rng(1).normal(size=(30, 2))
    once, again = TableEncoder().fit_transform(X), TableEncoder().fit_transform(X * factor)
    np.testing.assert_array_equal(once, again)


def test_huge_and_tiny_numbers_stay_finite():
    X = np.array([1.7e308, -1.7e308, 5e-324, 0.0, np.nan, np.nan])[:, None]
    assert np.isfinite(TableEncoder().fit_transform(X)).all()
    tiny = TableEncoder().fit(np.array([[5e-324], [1e-323], [0.0]]))
    assert np.isfinite(tiny.transform([[1.7e308]])).all()


# -- categories ---------------------------------------------------------------------------------


def test_three_levels_have_an_indicator_each_as_in_scikit_learn():
    colors = np.array(["red", "blue", "green", "red", "blue", "green", "red"])[:, None]
    found = TableEncoder().fit_transform(colors)
    peer = OneHotEncoder(sparse_output=False).fit_transform(colors)
    np.testing.assert_array_equal(found, peer)


def test_two_levels_need_one_indicator_named_by_the_second():
    encoder = TableEncoder().fit(pd.DataFrame({"sex": ["m", "f", "m", "f"]}))
    assert names(encoder) == ["sex=m"]


def test_without_a_sum_the_most_frequent_level_has_no_indicator():
    frame = pd.DataFrame({"town": ["Ath"] * 2 + ["Mons"] * 5 + ["Huy"] * 3})
    encoder = TableEncoder(drop="most_frequent").fit(frame)
    assert names(encoder) == ["town=Ath", "town=Huy"]
    assert np.linalg.matrix_rank(np.c_[np.ones(10), encoder.transform(frame)]) == 3


def test_rare_levels_are_pooled_and_unseen_ones_join_them():
    frame = pd.DataFrame({"town": ["Ath"] * 9 + ["Mons"] * 8 + ["Huy", "Spa", "Ans"]})
    encoder = TableEncoder().fit(frame)
    assert names(encoder) == ["town=Ath", "town=Mons", "town other"]
    asked = pd.DataFrame({"town": ["Huy", "Paris", "Mons"]})
    assert encoder.transform(asked).tolist() == [[0, 0, 1], [0, 0, 1], [0, 1, 0]]


def test_a_category_called_other_is_not_the_pool():
    frame = pd.DataFrame({"why": ["other"] * 4 + ["car"] * 4 + ["a", "b"]})
    assert names(TableEncoder().fit(frame)) == ["why=car", "why=other", "why other"]


def test_what_is_not_known_takes_the_average():
    frame = pd.DataFrame({"town": ["Ath"] * 5 + ["Mons"] * 3 + ["Huy"] * 2})
    encoder = TableEncoder().fit(frame)
    asked = pd.DataFrame({"town": ["Paris", None]})
    np.testing.assert_allclose(encoder.transform(asked), [[0.5, 0.2, 0.3]] * 2)
    np.testing.assert_allclose(encoder.encoding_.mean, [0.5, 0.2, 0.3])


def test_missing_is_a_level_when_it_was_there():
    frame = pd.DataFrame({"town": ["Ath"] * 3 + ["Mons"] * 3 + [None] * 2})
    encoder = TableEncoder().fit(frame)
    assert names(encoder) == ["town=Ath", "town=Mons", "town missing"]


def test_only_the_most_frequent_levels_are_kept():
    letters = np.repeat(list("abcdef"), [9, 8, 7, 6, 5, 4])
    encoder = TableEncoder(max_categories=3).fit(pd.DataFrame({"letter": letters}))
    assert names(encoder) == ["letter=a", "letter=b", "letter=c", "letter other"]


def test_an_id_says_nothing():
    frame = pd.DataFrame({"id": [f"n{i}" for i in range(300)], "x": np.arange(300.0)})
    assert names(TableEncoder().fit(frame)) == ["x"]


# -- dates --------------------------------------------------------------------------------------


def dates(n_days, **options):
    born = pd.date_range("2024-01-01", periods=n_days, freq="D")  # a Monday
    return pd.DataFrame({"day": born}), TableEncoder(dates="parts", **options)


def test_dates_over_a_year_have_season_and_weekday():
    frame, encoder = dates(800)
    found = pd.DataFrame(encoder.fit_transform(frame), columns=names(encoder))
    assert found["day: weekday=Monday"].tolist()[:8] == [1, 0, 0, 0, 0, 0, 0, 1]
    angle = 2 * np.pi * 1 / 365.25
    assert found["day: season sine"][0] == pytest.approx(np.sin(angle))
    assert found["day: season cosine"][366] == pytest.approx(np.cos(angle))
    assert found["day"].is_monotonic_increasing


def test_a_short_span_has_no_season_and_no_weekday():
    frame, encoder = dates(10)
    assert names(encoder.fit(frame)) == ["day"]
    frame, encoder = dates(30)
    assert not any("season" in name for name in names(encoder.fit(frame)))


def test_the_hour_is_read_in_the_columns_own_time_zone():
    local = pd.date_range("2024-06-01", periods=48, freq="h", tz="Asia/Tokyo")
    encoder = TableEncoder(dates="parts").fit(pd.DataFrame({"at": local}))
    found = encoder.transform(pd.DataFrame({"at": local}))[:, 1:]
    np.testing.assert_allclose(found[6], [1.0, 0.0], atol=1e-12)  # six in the morning


def test_missing_dates_are_neutral():
    frame, encoder = dates(800)
    encoder.fit(frame)
    found = encoder.transform(pd.DataFrame({"day": pd.to_datetime([None])}))[0]
    assert found[1:].tolist() == [0.0, 0.0] + [1 / 7] * 7


def test_parts_of_dates_wait_for_five_hundred_rows():
    frame, _ = dates(499)
    assert names(TableEncoder().fit(frame)) == ["day"]
    frame, _ = dates(500)
    assert len(names(TableEncoder().fit(frame))) == 10


# -- large tables, pipelines, files -------------------------------------------------------------


def test_a_large_table_of_indicators_becomes_sparse_with_the_same_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 60, 40_000).astype(str) for name in "abc"})
    encoder = TableEncoder().fit(frame)
    found = encoder.transform(frame)
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found[:50].toarray(), encoder.transform(frame[:50]))


def test_a_large_sparse_table_keeps_its_zeros():
    cells = sparse.random_array((3000, 2000), density=0.002, rng=np.random.default_rng(0))
    encoder = TableEncoder().fit(cells.tocsr())
    found = encoder.transform(cells.tocsr())
    assert found.nnz <= cells.nnz
    some = encoder.encoding_.sparse_columns.places[5]
    spread = cells.tocsc()[:, [some]].toarray().std()
    np.testing.assert_allclose(
        found[:, [5]].toarray(), cells.tocsc()[:, [some]].toarray() / spread, rtol=1e-9
    )
    loaded = load(io.BytesIO(to_bytes(encoder)))
    assert (loaded.transform(cells.tocsr()) != found).nnz == 0


def test_it_is_a_step_of_a_pipeline_and_names_its_output():
    from sklearn.linear_model import LogisticRegression

    X, y = load_dataset("german-credit").split_target("class")
    model = make_pipeline(TableEncoder(), LogisticRegression(max_iter=2000)).fit(X, y)
    assert model.score(X, y) > 0.75
    frame = TableEncoder().set_output(transform="pandas").fit_transform(X.to_pandas())
    assert "purpose=new car" in frame.columns


def test_containers_and_row_order_do_not_matter():
    frame = mixed_frame(300)
    encoder = TableEncoder().fit(frame)
    order = np.random.default_rng(0).permutation(300)
    again = TableEncoder().fit(Table(frame.iloc[order]))
    np.testing.assert_array_equal(encoder.transform(frame), again.transform(frame))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("scale", "unit"), ("min_frequency", 0), ("max_categories", 1), ("dates", "days")],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(ParameterError, match=f"'{parameter}'"):
        TableEncoder(**{parameter: value}).fit([[1.0], [2.0]])


SPOILT = {
    "a level that is not there": lambda block: block.update(reference=9),
    "no kind": lambda block: block.update(kind="word"),
    "a column that is not there": lambda block: block.update(place=77),
    "a part that nothing uses": lambda block: block.update(more=1),
    "an exponent out of range": lambda block: block.update(exponent=5000),
    "no indicator at all": lambda block: block.update(has_indicator=None),
    "no parts of a date": lambda block: block.update(parts=["moon"]),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_spoilt_encoding_is_refused(what):
    encoder = TableEncoder(dates="parts").fit(mixed_frame(600))
    n_refused = 0
    for which in range(len(encoder._pack()["encoding"]["blocks"])):
        fitted = encoder._pack()
        block = fitted["encoding"]["blocks"][which]
        parts = set(block)
        SPOILT[what](block)
        if parts != set(block) and what != "a part that nothing uses":
            continue  # this kind of block has no such part
        with pytest.raises(ModelFileError):
            encoder._unpack(fitted, encoder.schema_)
        n_refused += 1
    assert n_refused > 0


def test_doubled_blocks_and_foreign_means_are_refused():
    encoder = TableEncoder().fit(mixed_frame(60))
    for spoil in (
        lambda packed: packed["blocks"].append(packed["blocks"][0]),
        lambda packed: packed["blocks"].reverse(),
        lambda packed: packed.update(mean=packed["mean"][1:]),
        lambda packed: packed.update(blocks=None),
        lambda packed: packed.update(sparse_columns={"places": np.zeros(1, np.int64)}),
    ):
        fitted = encoder._pack()
        spoil(fitted["encoding"])
        with pytest.raises(ModelFileError):
            encoder._unpack(fitted, encoder.schema_)


def test_a_forged_file_is_refused_as_a_whole():
    content = to_bytes(TableEncoder().fit(mixed_frame(60)))
    with pytest.raises(ModelFileError):
        load(forged(content, {"encoding": 3}, without=()))
