"""Model files of neighbors: what comes back is the same, and what no fit made is refused."""

import io
import pickle

import numpy as np
import pytest

from branchline import load
from branchline._saving._classes import CLASSES
from branchline._saving._write import to_bytes
from branchline.errors import ModelFileError
from branchline.neighbors import (
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    ParzenClassifier,
    ParzenRegressor,
)
from common.tables import mixed_frame, target
from saved_models import fitted_values, forged

MODELS = {
    "classes": NearestNeighborsClassifier(),
    "numbers": NearestNeighborsRegressor(distance="overlap", n_neighbors=3, weights="distance"),
    "windows": ParzenClassifier(scale="none"),
    "window of numbers": ParzenRegressor(column_weights={"town": 0.0}),
}


@pytest.fixture(autouse=True)
def _listed(monkeypatch):
    for model in MODELS.values():
        monkeypatch.setitem(CLASSES, type(model).__name__, "branchline.neighbors")


@pytest.fixture(scope="module")
def fitted():
    frame = mixed_frame(80)
    return {name: model.fit(frame, target(frame, model._task)) for name, model in MODELS.items()}


def refusal(content):
    with pytest.raises(ModelFileError) as caught:
        load(content)
    return caught.value


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_says_the_same_and_can_go_on(fitted, name):
    frame, model = mixed_frame(80), fitted[name]
    loaded = load(io.BytesIO(to_bytes(model)))
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.cv_curve_, model.cv_curve_)
    assert loaded.to_text() == model.to_text()
    assert str(loaded.explain(frame[:1])) == str(model.explain(frame[:1]))
    more = mixed_frame(20, seed=9)
    y = target(more, model._task)
    whole = pickle.loads(pickle.dumps(model)).partial_fit(more, y).predict(frame)
    np.testing.assert_array_equal(loaded.partial_fit(more, y).predict(frame), whole)


def test_a_reduced_model_keeps_its_report(fitted):
    edited = fitted["classes"].edit()
    loaded = load(io.BytesIO(to_bytes(edited)))
    assert loaded.reduction_ == edited.reduction_
    assert loaded.rows_.n_rows == edited.rows_.n_rows


def test_the_search_is_no_part_of_a_pickle(fitted):
    assert "_search" not in fitted["classes"].__getstate__()


def value(change):
    """Return a forgery that changes a copy of the value."""

    def forge(values, name):
        changed = values[name].copy()
        change(changed)
        return changed

    return forge


def put(place, number):
    return value(lambda array: array.__setitem__(place, number))


COMMON = {
    "numbers of another shape": ("numbers", lambda v, n: v[n][:, :1]),
    "infinite number": ("numbers", put((0, 0), np.inf)),
    "narrow numbers": ("numbers", lambda v, n: v[n].astype(np.float32)),
    "times as floats": ("times", lambda v, n: v[n].astype(np.float64)),
    "code beyond the levels": ("codes", put((0, 0), 99)),
    "unseen code": ("codes", put((0, 0), -2)),
    "no rows": ("row_numbers", lambda v, n: v[n][:0]),
    "row number twice": ("row_numbers", put(0, 1)),
    "negative row number": ("row_numbers", put(0, -1)),
    "huge row number": ("row_numbers", put(0, 2**50)),
    "target too short": ("target", lambda v, n: v[n][:-1]),
    "weight below 0": ("column_weights", put(0, -1.0)),
    "weight of a column that does not count": ("column_weights", put(0, 0.0)),
    "too few weights": ("column_weights", lambda v, n: v[n][:-1]),
    "point of no column": ("number_points", put((0, 0), 77.0)),
    "point of a category": ("number_points", put((0, 0), 3.0)),
    "half an exponent": ("number_points", put((0, 1), 0.5)),
    "no spread": ("number_points", put((0, 3), 0.0)),
    "size below 0": ("number_points", put((0, 4), -1.0)),
    "huge size": ("number_points", put((0, 4), 1e200)),
    "no number": ("number_points", put((0, 2), np.nan)),
    "two places": ("number_points", lambda v, n: np.vstack([v[n], v[n][:1]])),
    "levels of a number": ("level_shapes", put((0, 0), 0)),
    "no coordinates": ("level_shapes", put((0, 1), 0)),
    "too many coordinates": ("level_shapes", put((0, 1), 2**40)),
    "points missing": ("level_points", lambda v, n: v[n][:-1]),
    "points left over": ("level_points", lambda v, n: np.append(v[n], 0.0)),
    "infinite point": ("level_points", put(0, np.inf)),
    "unit as text": ("unit", lambda v, n: "1"),
    "unit out of range": ("unit", lambda v, n: 10**6),
    "curve as text": ("cv_curve", lambda v, n: "low"),
}
NEIGHBORS = {
    "no neighbors": ("n_neighbors", lambda v, n: 0),
    "more neighbors than rows": ("n_neighbors", lambda v, n: 81),
    "neighbors as truth": ("n_neighbors", lambda v, n: True),
    "other weighting": ("weights", lambda v, n: "auto"),
    "part of a curve": ("cv_curve", lambda v, n: np.zeros(4)),
}
CLASSIFIER = {
    **NEIGHBORS,
    "class that is none": ("target", put(0, 3)),
    "report of other rows": (
        "reduction",
        lambda v, n: {
            "method": "edit",
            "rows_before": 90,
            "rows_after": 70,
            "error_before": 0.1,
            "error_after": 0.1,
            "n_neighbors": 3,
        },
    ),
    "report as a list": ("reduction", lambda v, n: [1]),
}
REGRESSOR = {**NEIGHBORS, "infinite target": ("target", put(0, np.inf))}
PARZEN = {
    "bandwidth 0": ("bandwidth", lambda v, n: 0.0),
    "bandwidth as text": ("bandwidth", lambda v, n: "wide"),
    "odd curve": ("cv_curve", lambda v, n: np.zeros(3)),
}
FORGERIES = [
    *(("classes", title, *edit) for title, edit in {**COMMON, **CLASSIFIER}.items()),
    *(("numbers", title, *edit) for title, edit in REGRESSOR.items()),
    *(("windows", title, *edit) for title, edit in PARZEN.items()),
]


@pytest.mark.parametrize(("model", "title", "name", "forge"), FORGERIES)
def test_values_that_no_fit_made_are_refused(fitted, model, title, name, forge):
    content = to_bytes(fitted[model])
    values = fitted_values(content)
    error = refusal(forged(content, {name: forge(values, name)}))
    assert error.code in {"M005", "M002"}, title
