"""Hashed logistic regression: learning in sequence, new names, places, progressive loss."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from branchline import Table, load_dataset
from branchline.errors import BranchlineWarning, DataError, ModelFileError, ParameterError
from branchline.linear._hashed_logistic import HashedLogisticRegression
from branchline.linear._hashing import hash_names, text_of


def clicks(n_rows: int = 2000, n_pages: int = 200, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    page = rng.integers(0, n_pages, n_rows)
    device = rng.choice(["phone", "desk"], n_rows)
    liking = np.random.default_rng(99).normal(size=n_pages)
    chance = 1 / (1 + np.exp(-2 * liking[page] + (device == "phone")))
    frame = pd.DataFrame({"page": [f"p{number}" for number in page], "device": device})
    return frame, np.where(rng.random(n_rows) < chance, "click", "none")


def test_it_is_scikit_learn_s_descent_on_scikit_learn_s_hashes() -> None:
    frame, y = clicks()
    pairs = [[f"page={page}", f"device={device}"] for page, device in frame.to_numpy()]
    hashed = FeatureHasher(2**12, input_type="string").transform(pairs)
    settings = {"alpha": 1e-6, "eta0": 0.2, "power_t": 0.25, "learning_rate": "invscaling"}
    theirs = SGDClassifier(loss="log_loss", shuffle=False, **settings)
    theirs.partial_fit(hashed, y == "none", classes=[False, True])
    ours = HashedLogisticRegression(n_features=2**12, max_epochs=1).fit(frame, y)
    np.testing.assert_allclose(ours.learned_.weights, theirs.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(frame)[:, 1], theirs.predict_proba(hashed)[:, 1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_parts_are_learned_as_one_whole(n_classes: int) -> None:
    frame, _ = clicks(900)
    y = np.random.default_rng(1).integers(0, n_classes, 900)
    whole = HashedLogisticRegression(max_epochs=1).fit(frame, y)
    parts = HashedLogisticRegression()
    for at in range(0, 900, 250):
        parts.partial_fit(frame[at : at + 250], y[at : at + 250], classes=range(n_classes))
    np.testing.assert_allclose(
        parts.learned_.weights, whole.learned_.weights, rtol=1e-9, atol=1e-12
    )
    assert parts.n_rows_seen_ == whole.n_rows_seen_ == 900


def test_learning_goes_on_after_saving(tmp_path: Path, monkeypatch: Any) -> None:
    frame, y = clicks(1000)
    whole = HashedLogisticRegression().partial_fit(frame, y, classes=["click", "none"])
    half = HashedLogisticRegression().partial_fit(frame[:500], y[:500], classes=["click", "none"])
    again = clone(half)
    again.__dict__.update(
        half._unpack(half._pack(), half.schema_), schema_=half.schema_, n_features_in_=2
    )
    again.partial_fit(frame[500:], y[500:])
    np.testing.assert_allclose(
        again.learned_.weights, whole.learned_.weights, rtol=1e-9, atol=1e-12
    )


def test_new_categories_are_learned_without_new_room() -> None:
    frame, y = clicks()
    model = HashedLogisticRegression(n_features=2**14)
    model.partial_fit(frame[:100], y[:100], classes=["click", "none"])
    assert model.weight_of("page", "brand-new") == 0.0
    new = pd.DataFrame({"page": ["brand-new"] * 60, "device": ["desk"] * 60})
    model.partial_fit(new, ["click"] * 60)
    assert model.weight_of("page", "brand-new") < -0.5
    assert model.learned_.weights.shape == (1, 2**14)
    assert model.schema_["page"].categories == ()
    assert model.predict(new[:1]).tolist() == ["click"]


def test_the_progressive_loss_is_honest_and_falls() -> None:
    frame, y = clicks(20_000)
    model = HashedLogisticRegression(max_epochs=1).fit(frame, y)
    new, y_new = clicks(5_000, seed=1)
    chance = model.predict_proba(new)[np.arange(5000), (y_new == "none").astype(int)]
    assert -np.log(chance).mean() <= model.progressive_loss_ < 0.69
    assert model.recent_loss_ < model.progressive_loss_
    more = HashedLogisticRegression(max_epochs=5).fit(frame, y)
    assert more.progressive_loss_ == model.progressive_loss_  # later epochs prove nothing


def test_the_first_rows_are_predicted_by_a_model_that_knows_nothing() -> None:
    frame, y = clicks(100)
    model = HashedLogisticRegression(max_epochs=1).fit(frame, y)
    np.testing.assert_allclose(model.progressive_loss_, np.log(2))


def test_names_that_read_the_same_are_the_same() -> None:
    assert text_of(1.0) == text_of(1) == text_of("1") == "1"
    assert text_of(True) == text_of(1, is_boolean=True) == "True"
    X = pd.DataFrame({"zone": pd.Categorical([1, 2, 1, 2] * 10), "on": [True, False] * 20})
    y = [0, 1, 0, 1] * 10
    model = HashedLogisticRegression().fit(X, y)
    for other in (
        pd.DataFrame({"zone": X["zone"].astype(float), "on": X["on"]}),
        pd.DataFrame({"zone": X["zone"].astype(str), "on": X["on"]}),
        pd.DataFrame({"on": X["on"], "zone": X["zone"].astype(int)}),
    ):
        np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(other))


def test_booleans_may_come_back_as_zeros_and_ones() -> None:
    X = pd.DataFrame({"on": [True, False] * 20, "x": np.arange(40.0)})
    model = HashedLogisticRegression().fit(X, [0, 1] * 20)
    as_numbers = X.assign(on=X["on"].astype(int))
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(as_numbers))


def test_bins_follow_an_effect_that_bends() -> None:
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=3000)}
    y = np.abs(X["x"]) > 1
    straight = HashedLogisticRegression().fit(X, y).score(X, y)
    bent = HashedLogisticRegression(numbers="bins").fit(X, y).score(X, y)
    assert straight < 0.75
    assert bent > 0.93


def test_a_wide_sparse_matrix_is_taken_as_it_is() -> None:
    rng = np.random.default_rng(0)
    wide = sparse.random_array((600, 8_000), density=0.005, rng=rng, format="csr")
    chosen = np.asarray(wide[:, :4_000].sum(axis=1)).ravel()
    y = chosen > np.asarray(wide[:, 4_000:].sum(axis=1)).ravel()
    model = HashedLogisticRegression(n_features=2**16).fit(wide, y)
    assert model.hashing_.is_sparse
    assert model.score(wide, y) > 0.95
    row = wide[[0]]
    explained = model.explain(Table(row))
    np.testing.assert_allclose(explained.total, abs(model.decision_function(row)[0]), rtol=1e-9)
    again = clone(model)._unpack(model._pack(), model.schema_)
    np.testing.assert_array_equal(again["learned_"].weights, model.learned_.weights)


@pytest.mark.parametrize(
    ("name", "target"), [("german-credit", "class"), ("iris", "species"), ("titanic", "survived")]
)
def test_explanations_add_up_on_data_sets_without_preparation(name: str, target: str) -> None:
    X, y = load_dataset(name).split_target(target)
    model = HashedLogisticRegression().fit(X, y)
    assert model.score(X, y) > 0.75
    explained = model.explain(X.rows([5]))
    scores = np.atleast_1d(model.decision_function(X.rows([5]))[0])
    expected = abs(scores[0]) if len(scores) == 1 else -np.diff(np.sort(scores)[::-1])[0]
    np.testing.assert_allclose(explained.total, expected, rtol=1e-9)


def test_columns_learn_their_scale_when_they_first_vary() -> None:
    model = HashedLogisticRegression()
    model.partial_fit({"x": [1.0, 1.0]}, [0, 1], classes=[0, 1])
    assert model.hashing_.scale[0, 1] == 0
    model.partial_fit({"x": [1.0, 5.0]}, [0, 1])
    assert model.hashing_.scale[0, 1] > 0
    model.partial_fit({"x": [1.0, 500.0]}, [0, 1])
    assert model.hashing_.scale[0].tolist()[:1] == [3.0 / 8.0]


def test_holes_have_a_weight_of_their_own() -> None:
    X = pd.DataFrame({"town": ["Mons", None] * 100, "x": np.arange(200.0)})
    model = HashedLogisticRegression().fit(X, [0, 1] * 100)
    assert model.weight_of("town") > 1.0
    assert model.weight_of("town", "Mons") < -1.0
    assert "places used" in model.to_text()


def test_weights_of_three_classes_are_three() -> None:
    X, y = load_dataset("iris").split_target("species")
    weights = HashedLogisticRegression().fit(X, y).weight_of("petal_length")
    assert weights.shape == (3,)
    assert weights[0] < 0 < weights[2]


# -- what is refused ----------------------------------------------------------------------------


def test_the_first_part_must_name_the_classes() -> None:
    with pytest.raises(ParameterError, match="classes must be passed on the first call") as caught:
        HashedLogisticRegression().partial_fit([[1.0]], [0])
    assert caught.value.code == "P061"


def test_an_unannounced_class_is_refused_and_nothing_is_lost() -> None:
    frame, y = clicks(50)
    model = HashedLogisticRegression().partial_fit(frame, y, classes=["click", "none"])
    before = model.learned_
    with pytest.raises(DataError, match="'maybe'") as caught:
        model.partial_fit(frame, np.where(y == "none", "maybe", y))
    assert caught.value.code == "D115"
    assert model.learned_ is before


def test_a_part_of_one_class_goes_unremarked() -> None:
    frame, _ = clicks(20)
    model = HashedLogisticRegression()
    model.partial_fit(frame, ["none"] * 20, classes=["click", "none"])
    assert model.predict(frame[:2]).tolist() == ["none", "none"]


def test_a_column_written_in_another_way_is_remarked() -> None:
    frame, y = clicks()
    model = HashedLogisticRegression().fit(frame, y)
    with pytest.warns(BranchlineWarning, match="No value of column 'device'"):
        model.predict(frame.assign(device=frame["device"].str.upper()))


def test_absent_and_extra_columns_are_named() -> None:
    frame, y = clicks()
    model = HashedLogisticRegression().fit(frame, y)
    with pytest.raises(DataError, match="'page'"):
        model.predict(frame[["device"]])
    with pytest.raises(DataError, match="1 features"):
        model.partial_fit(np.zeros((3, 1)), ["none"] * 3)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("learnt", {"places": np.array([5, 3])}),
        ("learnt", {"places": np.array([0, 2**40])}),
        ("learnt", {"places": np.array([-1, 3])}),
        ("learnt", {"weights": np.zeros((1, 1))}),
        ("learnt", {"bias": np.array([np.inf])}),
        ("learnt", {"n_steps": -1}),
        ("learnt", {"n_scored": 1.0}),
        ("learnt", {"loss": -1.0}),
        ("hashing", {"n_features": 7}),
        ("hashing", {"bins": True}),
        ("hashing", {"is_sparse": 1}),
        ("hashing", {"is_sparse": True}),
        ("hashing", {"used": np.array([2])}),
        ("hashing", {"exponent": np.array([10**6])}),
        ("hashing", {"scale": np.array([[0.0, -1.0, 0.0]])}),
        ("hashing", {"scale": np.array([[0.0, np.nan, 0.0]])}),
        ("hashing", {"edges": np.full((1, 16), np.nan)}),
        ("hashing", {"edges": np.arange(16.0)[None, ::-1].copy()}),
    ],
)
def test_forged_values_are_refused(part: str, change: dict[str, Any]) -> None:
    model = HashedLogisticRegression(n_features=64).fit({"x": [0.0, 1.0, None]}, [0, 1, 1])
    state = dict(model._pack())
    clone(model)._unpack(state, model.schema_)
    state[part] = {**state[part], **change}
    with pytest.raises(ModelFileError):
        clone(model)._unpack(state, model.schema_)


def test_places_and_signs_are_those_of_the_hasher() -> None:
    places, signs = hash_names(["a=1", "b"], 1000)
    hashed = FeatureHasher(1000, input_type="string").transform([["a=1"], ["b"]]).toarray()
    assert hashed[0, places[0]] == signs[0] != 0
    assert hashed[1, places[1]] == signs[1] != 0
    assert hash_names([], 10)[0].shape == (0,)
