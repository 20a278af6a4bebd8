"""Learning batch by batch: any cut of the rows gives the same bits; what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchline
from branchline import Table
from branchline.errors import DataError, ParameterError
from branchline.stream import (
    AdaptiveForestClassifier,
    AdaptiveHoeffdingTreeClassifier,
    HoeffdingTreeClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
)
from common.tables import mixed_frame, target

ALL = [
    HoeffdingTreeClassifier(grace_period=30),
    HoeffdingTreeClassifier(grace_period=30, max_memory=0.05),
    AdaptiveHoeffdingTreeClassifier(grace_period=30, drift_delta=0.5),
    AdaptiveForestClassifier(n_estimators=3, grace_period=30, drift_delta=0.3, warning_delta=0.5),
    OnlineBaggingClassifier(n_estimators=3, grace_period=30),
    OnlineBoostingClassifier(n_estimators=3, grace_period=30),
]
CLASSES = ["ill", "ok", "well"]


def changing(n_rows=1500):
    frame = mixed_frame(n_rows)
    y = target(frame, "classification")
    half = n_rows // 2
    y[half:] = np.roll(np.array(CLASSES), 1)[np.searchsorted(CLASSES, y[half:])]
    return frame, y


def learned(model, frame, y, cuts):
    made = clone(model)
    for begin, end in zip(cuts, [*cuts[1:], len(frame)], strict=True):
        made.partial_fit(frame[begin:end], y[begin:end], classes=CLASSES)
    return made


@pytest.mark.parametrize("model", ALL, ids=str)
def test_any_batches_give_the_same_bits(model):
    frame, y = changing()
    whole = clone(model).fit(frame, y)
    for cuts in (range(0, 1500, 111), [0, 1, 2, 3, 700, 1499]):
        parts = learned(model, frame, y, list(cuts))
        np.testing.assert_array_equal(parts.predict_proba(frame), whole.predict_proba(frame))
        for one, other in zip(
            parts.learned_.native.state(), whole.learned_.native.state(), strict=True
        ):
            np.testing.assert_array_equal(one, other)
        assert parts.branches_ == whole.branches_
    assert whole.n_rows_seen_ == 1500


@pytest.mark.parametrize("model", ALL, ids=str)
def test_saved_and_pickled_models_go_on_as_if_they_had_not_stopped(model, tmp_path):
    frame, y = changing()
    begun = clone(model).partial_fit(frame[:900], y[:900], classes=CLASSES)
    begun.save(tmp_path / "model.branchline")
    copies = [branchline.load(tmp_path / "model.branchline"), pickle.loads(pickle.dumps(begun))]
    begun.partial_fit(frame[900:], y[900:])
    for copy in copies:
        copy.partial_fit(frame[900:], y[900:])
        np.testing.assert_array_equal(copy.predict_proba(frame), begun.predict_proba(frame))
        assert copy.branches_ == begun.branches_


def test_predictions_before_learning_are_those_of_the_model_then():
    frame, y = changing(300)
    model = HoeffdingTreeClassifier(grace_period=30)
    found = model.predict_then_learn(frame, y, classes=CLASSES)
    again = clone(model).partial_fit(frame[:200], y[:200], classes=CLASSES)
    np.testing.assert_allclose(again.predict_proba(frame[200:201])[0], found[200], rtol=1e-12)


def test_new_columns_are_refused_and_the_repair_works():
    frame, y = changing(200)
    model = HoeffdingTreeClassifier().partial_fit(frame, y, classes=CLASSES)
    X = frame.assign(shoe=41)
    with pytest.raises(DataError, match="shoe") as caught:
        model.partial_fit(X, y)
    assert caught.value.code == "D635"
    exec(caught.value.repair.python, {"Table": Table, "X": X, "y": y, "model": model})
    assert model.n_rows_seen_ == 400


def test_absent_columns_and_new_classes_are_refused():
    frame, y = changing(200)
    model = HoeffdingTreeClassifier().partial_fit(frame, y, classes=CLASSES)
    with pytest.raises(DataError, match="'town'"):
        model.partial_fit(frame.drop(columns="town"), y)
    with pytest.raises(DataError, match="'dead'") as caught:
        model.partial_fit(frame[:1], ["dead"])
    assert caught.value.code == "D115"
    with pytest.raises(ParameterError) as other:
        model.partial_fit(frame[:1], y[:1], classes=["a", "b"])
    assert other.value.code == "P032"
    with pytest.raises(ParameterError) as first:
        HoeffdingTreeClassifier().partial_fit(frame, y)
    assert first.value.code == "P061"
    assert model.n_rows_seen_ == 200  # refused batches leave nothing


def test_changed_parameters_are_refused_and_the_repair_works():
    frame, y = changing(200)
    model = HoeffdingTreeClassifier().partial_fit(frame, y, classes=CLASSES)
    model.set_params(delta=0.1)
    with pytest.raises(ParameterError) as caught:
        model.partial_fit(frame, y)
    assert caught.value.code == "P850"
    names = {"clone": clone, "numpy": np, "X": frame, "y": y, "model": model}
    exec(caught.value.repair.python, names)
    assert names["model"].n_rows_seen_ == 200


def test_categories_and_kinds_may_come_later():
    first = pd.DataFrame({"town": [None, None], "x": [1.0, 2.0]})
    later = pd.DataFrame({"town": ["Mons", "Ath"] * 500, "x": np.arange(1000.0)})
    model = HoeffdingTreeClassifier(grace_period=50).partial_fit(first, [0, 1], classes=[0, 1])
    model.partial_fit(later, np.tile([0, 1], 500))
    assert model.schema_["town"].categories == ("Mons", "Ath")
    assert (model.predict(later) == np.tile([0, 1], 500)).all()
    model.partial_fit(pd.DataFrame({"town": ["Spa"], "x": [0.0]}), [1])
    assert model.schema_["town"].categories == ("Mons", "Ath", "Spa")


def test_a_bad_tree_number_is_refused():
    frame, y = changing(50)
    with pytest.raises(ParameterError, match="tree"):
        HoeffdingTreeClassifier().fit(frame, y).to_text(1)
