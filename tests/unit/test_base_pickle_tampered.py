"""A tampered pickle is refused as a forged file is: attributes that are missing or others."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from branchline import Schema
from branchline.errors import ModelFileError
from branchline.table import ColumnType, Field
from branchline.tree import PruningPath
from fuzz.model_use import use
from saved_models import MODELS


def refused(model, **changes):
    """Give a new estimator a changed state, as unpickling does."""
    state = copy.deepcopy(model).__getstate__() | changes
    with pytest.raises(ModelFileError) as caught:
        type(model)().__setstate__(state)
    return caught.value.code


@pytest.mark.parametrize("name", ["tree_", "classes_", "n_features_in_", "feature_names_in_"])
def test_a_pickle_that_lacks_a_fitted_attribute_is_refused(name):
    state = copy.deepcopy(MODELS["stump"]()).__getstate__()
    del state[name]
    with pytest.raises(ModelFileError) as caught:
        type(MODELS["stump"]())().__setstate__(state)
    assert caught.value.code == "M005"


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
        ("n_features_in_", 6.0),
        ("feature_names_in_", np.array(["a"], dtype=object)),
        ("schema_", None),
        ("schema_", {"named": True}),
        ("_costs", "high"),
        ("_costs", [1.0]),
        ("_costs", np.ones((3, 3))),
        ("_costs", 1 - np.eye(2)),
        ("_costs", {("ill", "ok"): 5.0}),
        ("_costs", np.array(1.0)),
        ("_costs", (1 - np.eye(3)) * np.array([1, np.nan, 1])),
        ("pruning_path_", None),
        ("pruning_path_", 3),
        ("pruning_path_", [1.0]),
    ],
)
def test_a_pickle_with_another_thing_in_place_of_a_fitted_one_is_refused(name, value):
    assert refused(MODELS["tree"](), **{name: value}) == "M005"


@pytest.mark.parametrize(
    "changes",
    [
        {"beta": None},
        {"beta": [0.0]},
        {"beta": np.array(1.0)},
        {"beta": np.array([np.nan] * 8)},
        {"n_leaves": [1]},
        {"n_leaves": np.array(["many"] * 8)},
        {"n_leaves": np.array(["many"] * 8, dtype=object)},
        {"n_leaves": np.zeros(8, dtype=np.int64)},
        {"n_leaves": np.arange(8)},
        {"error": None},
        {"error": np.array(1.0)},
        {"standard_error": np.full(8, -1.0)},
        {"chosen": 8},
        {"chosen": None},
        {"chosen": 2.0},
    ],
    ids=repr,
)
def test_a_pickle_with_a_tampered_path_is_refused(changes):
    model = MODELS["tree"]()
    path = dataclasses.replace(model.pruning_path_, **changes)
    assert isinstance(path, PruningPath)
    assert refused(model, pruning_path_=path) == "M005"


@pytest.mark.parametrize("n_outputs", [0, 2, 2**40, 1.0, None, "1"])
def test_a_pickle_with_another_number_of_outputs_is_refused(n_outputs):
    assert refused(MODELS["regression stump"](), n_outputs_=n_outputs) == "M005"


def test_what_is_worked_out_from_the_tree_is_not_taken_from_a_pickle():
    model = MODELS["costs"]()
    state = copy.deepcopy(model).__getstate__() | {
        "decision_": np.full(model.tree_.n_nodes, 10**6),
        "_takes_floats": True,
        "_remembered": "nothing",
    }
    again = type(model)()
    again.__setstate__(state)
    np.testing.assert_array_equal(again.decision_, model.decision_)
    assert again._takes_floats is False
    use(again)


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
    model = MODELS["stump"]()
    model.schema_ = Schema((Field("height", kind), *model.schema_.fields[1:]))
    with pytest.raises(ModelFileError) as caught:
        pickle.loads(pickle.dumps(model))
    assert caught.value.code == "M004"
