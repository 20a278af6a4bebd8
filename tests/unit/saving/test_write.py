"""Saving and loading: nothing is lost."""

import io
import json
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchline
from branchline import load, load_dataset
from branchline._saving import FORMAT_VERSION
from branchline._saving._classes import CLASSES
from branchline._saving._write import parameters_of, to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import BranchlineWarning
from branchline.features._selector import Selector
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, OneRule, Stump
from common.estimators import ESTIMATORS, TRANSITIONS
from common.tables import kind_of_target, matrix_target, mixed_frame, numeric_matrix, target
from fuzz.model_use import rows_of, use
from saved_models import MODELS

CLASSIFIERS = [name for name, model in ESTIMATORS.items() if model._task == "classification"]


def again(model):
    return load(io.BytesIO(to_bytes(model)))


def outputs(model, rows):
    methods = ("transform", "predict", "predict_proba", "predict_log_proba", "apply")
    return [getattr(model, name)(rows) for name in methods if hasattr(model, name)]


def assert_same_model(model, other, rows):
    for mine, theirs in zip(outputs(model, rows), outputs(other, rows), strict=True):
        if isinstance(model, Selector):  # columns of the table, whatever they hold
            assert mine.shape == theirs.shape
            assert model.support_.tolist() == other.support_.tolist()
            continue
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert parameters_of(other) == parameters_of(model)
    assert other.schema_ == model.schema_
    assert other.schema_.named is model.schema_.named
    fitted = {name for name in vars(model) if name.endswith("_")} - model._left_out_of_files
    assert {name for name in vars(other) if name.endswith("_")} == fitted
    assert to_bytes(other) == to_bytes(model)
    if hasattr(model, "to_text"):
        assert other.to_text() == model.to_text()


# -- round trips --------------------------------------------------------------------------------


def test_every_estimator_on_the_list_is_tested_here_and_the_other_way_round():
    assert {type(model).__name__ for model in ESTIMATORS.values()} == set(CLASSES) - TRANSITIONS


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_mixed_table_with_dates_and_holes_comes_back_the_same(name):
    frame = mixed_frame()
    model = clone(ESTIMATORS[name]).fit(frame, target(frame, kind_of_target(ESTIMATORS[name])))
    loaded = again(model)
    assert_same_model(model, loaded, frame)
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert loaded.feature_names_in_.dtype == object
    assert loaded.n_features_in_ == 6
    unseen = frame.assign(grade=None, height=np.nan)
    unseen.loc[::2, "town"] = "Spa"
    assert_same_model(model, loaded, unseen)


@pytest.mark.parametrize("name", MODELS)
def test_trees_of_every_make_come_back_the_same(name):
    """With paths, costs, shared rows, own branches, weights, several outputs, one leaf alone."""
    model = MODELS[name]()
    loaded = again(model)
    use(model)
    use(loaded)
    for mine, theirs in zip(
        outputs(model, rows_of(model)), outputs(loaded, rows_of(model)), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    assert to_bytes(loaded) == to_bytes(model)
    if hasattr(model, "tree_"):
        assert loaded.to_text() == model.to_text()
        np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)
        for array in ("content", "spread", "value", "variance", "weight"):
            mine, theirs = getattr(model.tree_, array), getattr(loaded.tree_, array)
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)


PATHS = ["tree", "price of a leaf", "matrix of costs", "regression", "several outputs"]


@pytest.mark.parametrize("name", PATHS)
def test_a_pruning_path_comes_back(name):
    model = MODELS[name]()
    loaded = again(model).pruning_path_
    assert repr(loaded) == repr(model.pruning_path_)
    assert loaded.n_leaves.dtype == np.int64
    assert loaded.chosen == model.pruning_path_.chosen


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1.0, 1e16, 1e150, 1e300, 1.7e308])
def test_targets_of_every_size_come_back_the_same(scale, weighted):
    rng = np.random.default_rng(0)
    X, y = numeric_matrix(60, 3), rng.uniform(-1, 1, (60, 2)) * scale
    weights = rng.random(60) + 1e-6 if weighted else None
    for options in ({"prune": None}, {"prune": None, "missing": "fractional"}, {}):
        model = DecisionTreeRegressor(**options).fit(X, y, sample_weight=weights)
        loaded = again(model)
        assert to_bytes(loaded) == to_bytes(model)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_array_equal(loaded.tree_.spread, model.tree_.spread)
        use(loaded)


@pytest.mark.parametrize("weight", [1e-300, 1e-6, 0.5, 3, 2.0**40, 1e300])
def test_weights_of_every_size_come_back_the_same(weight):
    X = numeric_matrix(60, 3)
    y = matrix_target(X, "classification")
    weights = np.where(np.arange(60) % 7, weight, 1.0 if weight < 1 else 2 * weight)
    for options in ({"prune": None}, {"prune": None, "missing": "fractional"}, {}):
        model = DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights)
        loaded = again(model)
        assert to_bytes(loaded) == to_bytes(model)
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_unnamed_matrix_comes_back_unnamed(name):
    matrix = numeric_matrix()
    model = clone(ESTIMATORS[name]).fit(
        matrix, matrix_target(matrix, kind_of_target(ESTIMATORS[name]))
    )
    loaded = again(model)
    assert_same_model(model, loaded, matrix)
    assert not hasattr(loaded, "feature_names_in_")


@pytest.mark.parametrize(
    ("dataset", "target_name"),
    [
        ("tennis", "play"),
        ("iris", "species"),
        ("german-credit", "class"),
        ("votes84", "party"),
        ("heart", "disease"),
        ("titanic", "survived"),
    ],
)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_of_bundled_data_come_back_the_same(dataset, target_name, name):
    X, y = load_dataset(dataset).split_target(target_name)
    some = np.arange(0, X.n_rows, 1 + X.n_rows // 150)  # all columns, and rows of all parts
    X, y = X.rows(some), y[some]
    if kind_of_target(ESTIMATORS[name]) == "two classes":
        y = np.asarray(y) == y[0]
    model = clone(ESTIMATORS[name]).fit(X, y)
    assert_same_model(model, again(model), X)


@pytest.mark.parametrize(
    "model", [MeanRegressor(), Stump(task="regression"), Stump(task="regression", split="multiway")]
)
@pytest.mark.parametrize(("dataset", "target_name"), [("auto-mpg", "mpg"), ("regression", "y")])
def test_regressors_of_bundled_data_come_back_the_same(dataset, target_name, model):
    table = load_dataset(dataset)
    X, y = table.split_target(target_name if target_name in table.names else table.names[-1])
    fitted = clone(model).fit(X, y)
    assert_same_model(fitted, again(fitted), X)


CLASS_NAMES = {
    "text": np.array(["no", "yes", "être"]),
    "text objects": np.array(["no", "yes", "être"], dtype=object),
    "booleans": np.array([False, True]),
    "boolean objects": np.array([False, True], dtype=object),
    "int8": np.array([-3, 0, 7], dtype=np.int8),
    "int64": np.array([-(2**62), 0, 2**62]),
    "uint64": np.array([0, 2**63], dtype=np.uint64),
    "integer objects": np.array([1, 2**60, 2**62], dtype=object),
    "float32": np.array([0, 1, 2], dtype=np.float32),
    "float64": np.array([-1.0, 1e15]),
    "float objects": np.array([0.5, 1.5], dtype=object),
    "one class": np.array(["only"]),
    "empty text": np.array(["", " ", "\n"]),
}


@pytest.mark.parametrize("kind", CLASS_NAMES)
@pytest.mark.parametrize("model", [MajorityClassifier(), Stump()])
def test_classes_come_back_with_their_type(model, kind):
    names = CLASS_NAMES[kind]
    y = names[np.arange(30) % len(names)]
    X = np.arange(30.0)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # one class
        model = clone(model).fit(X, y)
    loaded = again(model)
    assert_same_model(model, loaded, X)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [type(name) for name in loaded.classes_] == [type(name) for name in model.classes_]


def test_a_target_column_of_booleans_can_be_saved():
    table = branchline.Table({"x": [1.0, 2.0, 3.0, 4.0], "y": [True, False, True, False]})
    model = Stump().fit(table.drop("y"), table["y"])
    assert_same_model(model, again(model), table.drop("y"))


def test_category_names_of_all_types_come_back():
    frame = pd.DataFrame(
        {
            "whole": pd.Categorical([3, 1, 2, 3]),
            "real": pd.Categorical([0.5, 1e300, -0.0, 0.5]),
            "ordered": pd.Categorical(list("abca"), list("cba"), ordered=True),
            "flag": [True, False, None, True],
            "zoned": pd.date_range("2020", periods=4, tz="Europe/Brussels"),
            "lasted": pd.to_timedelta([1, 2, None, 4], "h"),
            "": ["", "x\0y", "😀", '"'],
        }
    )
    model = OneRule(min_samples_leaf=1).fit(frame, ["a", "b", "a", "b"])
    assert_same_model(model, again(model), frame)


def test_parameters_given_as_numpy_numbers_come_back_as_plain_ones():
    model = Stump(min_samples_leaf=np.int64(2), n_jobs=np.int32(1))
    loaded = again(model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]))
    assert loaded.get_params() == model.get_params()
    assert type(loaded.min_samples_leaf) is int


def test_the_same_model_gives_the_same_bytes_and_standard_tools_read_them(tmp_path):
    X, y = load_dataset("iris").split_target("species")
    for place in range(2):
        Stump().fit(X, y).save(tmp_path / f"{place}.branchline")
    first = (tmp_path / "0.branchline").read_bytes()
    assert first == (tmp_path / "1.branchline").read_bytes()
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[:2] == ["manifest.json", "arrays/0"]
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["format"] == FORMAT_VERSION
    assert manifest["branchline"] == branchline.__version__


def test_a_saved_stump_is_small():
    X, y = load_dataset("iris").split_target("species")
    assert len(to_bytes(Stump().fit(X, y))) < 2500
    assert len(to_bytes(DecisionTreeClassifier().fit(X, y))) < 3500
    assert len(to_bytes(MajorityClassifier().fit(X, y))) < 1000


def test_open_files_are_read_from_where_they_are(tmp_path):
    model = MeanRegressor().fit([[1.0]], [2.0])
    path = tmp_path / "m.branchline"
    path.write_bytes(b"before" + to_bytes(model))
    with path.open("rb") as file:
        file.seek(6)
        assert load(file).mean_ == 2.0

    class Trickle(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 7))

    assert load(Trickle(to_bytes(model))).mean_ == 2.0
