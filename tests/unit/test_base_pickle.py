"""Pickle, joblib, copy and cloudpickle bring models back as they were."""

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

from branchline._saving._write import parameters_of, to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import BranchlineWarning
from branchline.tree import DecisionTreeClassifier, Stump
from common.estimators import ESTIMATORS
from common.own_checks import say
from common.tables import kind_of_target, mixed_frame, target
from fuzz.model_use import use_tree
from saved_models import MODELS


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


# One estimator of each class comes back by every way; those with other parameters by two.
FIRST = set({type(model): name for name, model in reversed(ESTIMATORS.items())}.values())
TWO_WAYS = ("pickle 4", "deepcopy")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fitted_model_comes_back_the_same_by_every_way(name):
    frame = mixed_frame(60)
    model = clone(ESTIMATORS[name]).fit(frame, target(frame, kind_of_target(ESTIMATORS[name])))
    some = frame[:12]
    said, parameters, packed = say(model, some), parameters_of(model), to_bytes(model)
    for way in WAYS if name in FIRST else TWO_WAYS:
        again = WAYS[way](model)
        np.testing.assert_array_equal(say(again, some), said, err_msg=way)
        assert parameters_of(again) == parameters, way
        assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist(), way
        assert to_bytes(again) == packed, way


@pytest.mark.parametrize("name", MODELS)
def test_trees_of_every_make_come_back_the_same_by_every_way(name):
    model = MODELS[name]()
    fitted = {name for name in vars(model) if name.endswith("_")}
    packed = to_bytes(model)
    for way, bring_back in WAYS.items():
        again = bring_back(model)
        assert to_bytes(again) == packed, way
        assert {name for name in vars(again) if name.endswith("_")} == fitted, way
        if hasattr(model, "tree_"):
            assert again.to_text() == model.to_text(), way
            assert_same_tree(again.tree_, model.tree_)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("majority", "mean")])
def test_a_tree_of_its_own_comes_back_the_same_by_every_way(name):
    tree = MODELS[name]().tree_
    for bring_back in WAYS.values():
        again = bring_back(tree)
        use_tree(again)
        assert_same_tree(again, tree)


def assert_same_tree(one, other):
    """Compare what is kept and what is worked out, to the last bit."""
    kept = ("kind", "feature", "threshold", "first_child", "n_children", "missing_branch")
    packed = ("pool_offset", "pool", "content", "spread")
    worked_out = ("weight", "value", "variance", "parent", "depth")
    for name in (*kept, *packed, *worked_out):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert one.scale == other.scale
    assert one.shares_rows is other.shares_rows


def test_training_rows_stay_where_they_were():
    """They would make pickles as large as the data, and give them away."""
    model = MODELS["tree"]()
    assert model.why()
    secret = pickle.dumps(model)
    assert b"_remembered" not in secret
    assert len(secret) < 20_000
    for copied in (pickle.loads(secret), copy.copy(model), copy.deepcopy(model)):
        assert "_remembered" not in vars(copied)
    assert model.why()


@pytest.mark.parametrize("way", WAYS)
def test_parameters_set_after_a_fit_do_not_keep_a_model_from_coming_back(way):
    """They are for the next fit; a pickle that could not be read would be a model lost."""
    X = np.arange(40.0)[:, None]
    model = DecisionTreeClassifier(prune=None).fit(X, np.arange(40) // 3 % 2)
    assert model.get_depth() > 2
    for later in ({"max_depth": 1}, {"max_depth": "deep"}, {"criterion": "none", "n_jobs": "many"}):
        again = WAYS[way](model.set_params(**later))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert parameters_of(again) == parameters_of(model)


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


def test_one_class_survives_pickling():
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = Stump().fit([[1.0], [2.0]], ["a", "a"])
    assert pickle.loads(pickle.dumps(model)).predict([[3.0]]).tolist() == ["a"]
