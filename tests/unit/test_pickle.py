"""Pickle, joblib, copy and cloudpickle work; a tampered pickle is refused as a forged file is."""

import copy
import io
import pickle
import warnings

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from branchline import Schema
from branchline._saving._write import to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import BranchlineWarning, ModelFileError
from branchline.table import ColumnType, Field
from branchline.tree import Stump
from common.estimators import ESTIMATORS
from common.tables import mixed_frame, target


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    **{
        f"pickle {protocol}": lambda model, protocol=protocol: pickle.loads(
            pickle.dumps(model, protocol)
        )
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "cloudpickle": lambda model: pickle.loads(cloudpickle.dumps(model)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fitted_model_comes_back_the_same(name, way):
    frame = mixed_frame(60)
    model = clone(ESTIMATORS[name]).fit(frame, target(frame, ESTIMATORS[name]._task))
    again = WAYS[way](model)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.get_params() == model.get_params()
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert to_bytes(again) == to_bytes(model)


@pytest.mark.parametrize("way", WAYS)
def test_an_unfitted_model_comes_back_unfitted_whatever_its_parameters(way):
    again = WAYS[way](Stump(criterion="of no kind", n_jobs="many"))
    assert again.criterion == "of no kind"
    assert not hasattr(again, "tree_")


def test_a_model_may_be_mapped_from_a_file_of_joblib(tmp_path):
    X = np.arange(40.0)[:, None]
    model = Stump().fit(X, X[:, 0] > 11)
    joblib.dump(model, tmp_path / "m.joblib")
    with warnings.catch_warnings():
        # joblib changes an array's shape in place, which NumPy no longer likes
        warnings.simplefilter("ignore", DeprecationWarning)
        mapped = joblib.load(tmp_path / "m.joblib", mmap_mode="r")
    np.testing.assert_array_equal(mapped.predict(X), model.predict(X))


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([b"a", b"b"]),
        np.array([1, 2.5], dtype=object),
        np.array(["a", "b\0"], dtype=object),
        np.array([2**70, 2**80], dtype=object),
    ],
    ids=["dates", "bytes", "mixed", "NUL", "large"],
)
def test_classes_that_only_a_pickle_can_hold_come_back(classes):
    model = MajorityClassifier().fit(np.zeros((4, 1)), np.resize(classes, 4))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.classes_, model.classes_)


def test_category_names_that_only_a_pickle_can_hold_come_back():
    frame = pd.DataFrame({"c": pd.Categorical([float("inf"), 0.5])})
    model = MeanRegressor().fit(frame, [1.0, 2.0])
    assert pickle.loads(pickle.dumps(model)).schema_ == model.schema_


# -- tampering ----------------------------------------------------------------------------------


def fitted():
    frame = mixed_frame(60)
    return Stump().fit(frame, target(frame, "classification"))


def refused(state):
    """Give a new estimator a state, as unpickling does."""
    with pytest.raises(ModelFileError) as caught:
        Stump().__setstate__(state)
    return caught.value.code


def state_of(model):
    return copy.deepcopy(model).__getstate__()


TREE_CHANGES = {
    "own child": ("first_child", 0, 0),
    "child out of range": ("first_child", 0, 10**6),
    "column out of range": ("feature", 0, 10**6),
    "missing branch": ("missing_branch", 0, 7),
    "pool offset": ("pool_offset", 0, 10**9),
    "unknown kind": ("kind", 0, 77),
    "NaN weight": ("weight", 0, np.nan),
    "frequencies": ("value", (1, 0), 5.0),
    "threshold": ("threshold", 0, np.nan),
}


@pytest.mark.parametrize("change", TREE_CHANGES)
def test_a_pickle_with_tampered_arrays_is_refused(change):
    name, place, value = TREE_CHANGES[change]
    model = fitted()
    getattr(model.tree_, name)[place] = value
    with pytest.raises(ModelFileError) as caught:
        pickle.loads(pickle.dumps(model))
    assert caught.value.code == "M005"


@pytest.mark.parametrize("name", ["tree_", "classes_", "n_features_in_", "feature_names_in_"])
def test_a_pickle_that_lacks_a_fitted_attribute_is_refused(name):
    state = state_of(fitted())
    del state[name]
    assert refused(state) == "M005"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tree_", None),
        ("tree_", [1, 2]),
        ("classes_", "abc"),
        ("classes_", np.array(["a"])),
        ("classes_", np.array(["b", "a", "c"])),
        ("classes_", np.zeros((3, 3))),
        ("classes_", np.array([1, "a", None], dtype=object)),
        ("n_features_in_", 3),
        ("feature_names_in_", np.array(["a"], dtype=object)),
        ("schema_", None),
        ("schema_", {"named": True}),
    ],
)
def test_a_pickle_with_another_thing_in_place_of_a_fitted_one_is_refused(name, value):
    assert refused(state_of(fitted()) | {name: value}) == "M005"


@pytest.mark.parametrize(
    "kind",
    [
        ColumnType("category", "category", None),
        ColumnType("category", "string", (1, 2)),
        ColumnType("numeric", "string"),
        ColumnType("numeric", "date", unit="fortnight"),
        ColumnType("numeric", "float", ("a",)),
    ],
)
def test_a_pickle_with_a_tampered_schema_is_refused(kind):
    model = fitted()
    model.schema_ = Schema((Field("height", kind), *model.schema_.fields[1:]))
    with pytest.raises(ModelFileError) as caught:
        pickle.loads(pickle.dumps(model))
    assert caught.value.code == "M004"


def test_arrays_that_native_code_could_not_walk_are_refused():
    model = fitted()
    wide = {name: np.repeat(array, 2, axis=0) for name, array in vars(model.tree_).items()}
    strided = type(model.tree_)(**{name: array[::2] for name, array in wide.items()})
    assert refused(state_of(model) | {"tree_": strided}) == "M005"
    swapped = vars(model.tree_) | {"threshold": model.tree_.threshold.astype(">f8")}
    assert refused(state_of(model) | {"tree_": type(model.tree_)(**swapped)}) == "M005"


def test_one_class_survives_pickling():
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = Stump().fit([[1.0], [2.0]], ["a", "a"])
    assert pickle.loads(pickle.dumps(model)).predict([[3.0]]).tolist() == ["a"]
