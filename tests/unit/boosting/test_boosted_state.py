"""Saving boosted trees: nothing is lost, and nothing unsound comes back."""

import io
import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest

from branchline import load
from branchline._saving._classes import unfitted
from branchline._saving._write import to_bytes
from branchline._trees._packing import to_planes
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._boosted_state import pack_alone, pack_boosted, unpack_alone
from branchline.boosting._gradient_boosting_settings import ADDED
from branchline.errors import BranchlineError, ModelFileError

ARRAYS = (
    "n_nodes",
    "kind",
    "feature",
    "left_code",
    "right_code",
    "fraction",
    "missing_left",
    "pool",
    "value",
    "cover",
    "initial",
    "n_codes",
)
FEW = {"n_estimators": 6, "min_samples_leaf": 4, "tree_features": None}


def rows(n_rows=250, seed=0):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.normal(size=n_rows),
            "b": random.integers(0, 6, n_rows).astype(float),
            "word": random.choice(["u", "v", "w", "x", "y"], n_rows),
        }
    )
    y = X["a"] + X["word"].isin(["u", "w"]) + 0.3 * random.normal(size=n_rows)
    X.loc[random.random(n_rows) < 0.2, "a"] = np.nan
    X.loc[random.random(n_rows) < 0.2, "word"] = None
    return X, y.to_numpy()


@cache
def models():
    """Return fitted models of every make, by name."""
    X, y = rows()
    names = np.array(["no", "perhaps", "yes"])[np.digitize(y, [0.0, 1.0])]
    numbers, classes = GradientBoostingRegressor, GradientBoostingClassifier
    large = numbers(**FEW, loss="huber", growth="symmetric").fit(X, y * 2.0**990)
    return {
        "numbers": numbers(**FEW).fit(X, y),
        "quantiles": numbers(**FEW, loss="quantile", quantile=[0.2, 0.9]).fit(X, y),
        "counts": numbers(**FEW, loss="poisson").fit(X, np.abs(y)),
        "large": large,
        "two": classes(**FEW, early_stopping=True).fit(X, y > 0),
        "three": classes(**FEW).fit(X, names),
        "leaves": numbers(**FEW).fit(X.assign(a=1.0, b=1.0, word="u"), y),
        "plain": numbers(**FEW).fit(X[["a", "b"]].to_numpy(), y),
    }


EACH = pytest.mark.parametrize(
    "name", ["numbers", "quantiles", "counts", "large", "two", "three", "leaves", "plain"]
)


def rows_for(name):
    X, _ = rows(seed=1)
    return X[["a", "b"]].to_numpy() if name == "plain" else X


def same_trees(first, second):
    """Whether all arrays are equal, dtypes included."""
    for name in ARRAYS:
        a, b = getattr(first, name), getattr(second, name)
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            return False
    tables = zip((*first.lowest, *first.highest), (*second.lowest, *second.highest), strict=True)
    return first.exponent == second.exponent and all(a.tobytes() == b.tobytes() for a, b in tables)


class TestRoundTrip:
    @EACH
    def test_files(self, name):
        model = models()[name]
        again = load(io.BytesIO(to_bytes(model)))
        assert same_trees(again.trees_, model.trees_)
        assert again.get_params() == model.get_params()
        self.check_answers(model, again, rows_for(name))

    @EACH
    def test_pickles(self, name):
        model = models()[name]
        again = pickle.loads(pickle.dumps(model))
        assert same_trees(again.trees_, model.trees_)
        self.check_answers(model, again, rows_for(name))

    @EACH
    def test_trees_alone(self, name):
        trees = models()[name].trees_
        assert same_trees(pickle.loads(pickle.dumps(trees)), trees)

    @staticmethod
    def check_answers(model, again, X):
        for ask in ("predict", "predict_proba", "decision_function", "attributions", "apply"):
            if hasattr(model, ask):
                np.testing.assert_array_equal(getattr(again, ask)(X), getattr(model, ask)(X))
        for one, other in zip(again.staged_predict(X), model.staged_predict(X), strict=True):
            np.testing.assert_array_equal(one, other)
        assert again.n_estimators_ == model.n_estimators_
        np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
        np.testing.assert_array_equal(again.validation_loss_, model.validation_loss_)

    def test_rounds_are_added_to_a_loaded_model(self):
        X, y = rows()
        model = GradientBoostingRegressor(**FEW, warm_start=True).fit(X, y)
        again = load(io.BytesIO(to_bytes(model))).set_params(n_estimators=9).fit(X, y)
        whole = GradientBoostingRegressor(**{**FEW, "n_estimators": 9}).fit(X, y)
        assert same_trees(again.trees_, whole.trees_)

    def test_what_an_earlier_fit_put_aside_is_not_pickled(self):
        X, y = rows()
        model = GradientBoostingRegressor(**FEW, warm_start=True).fit(X, y)
        with pytest.raises(BranchlineError):
            model.fit(X, y[:-1])
        assert "_warm" not in pickle.loads(pickle.dumps(model)).__dict__

    def test_a_loss_of_ones_own_is_pickled_but_not_saved(self):
        X, y = rows()
        model = GradientBoostingRegressor(**FEW, loss=Squared()).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        with pytest.raises(BranchlineError):
            to_bytes(model)


class Squared:
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def floats(values):
    return to_planes(np.asarray(values, np.float32).view(np.uint32), 4)


def with_value(trees, name, place, value):
    return {name: floats(changed(getattr(trees, name), place, value))}


REFUSED = {
    "no trees": lambda s, t: {"n_nodes": s["n_nodes"][:0], "is_inner": s["is_inner"][:0]},
    "an even tree": lambda s, t: {"n_nodes": changed(s["n_nodes"], 0, 2)},
    "no nodes": lambda s, t: {"n_nodes": changed(s["n_nodes"], 0, -1)},
    "another shape": lambda s, t: {"is_inner": changed(s["is_inner"], 0, s["is_inner"][0] ^ 1)},
    "no such column": lambda s, t: {"feature": changed(s["feature"], 0, 9)},
    "a test less": lambda s, t: {"feature": s["feature"][:-1]},
    "no left code": lambda s, t: {"left_code": np.zeros_like(s["left_code"])},
    "codes too far apart": lambda s, t: {"gap": changed(s["gap"], 0, 255)},
    "values out of order": lambda s, t: {"lowest": s["lowest"][::-1].copy()},
    "no bits": lambda s, t: {"pool": s["pool"][:-1]},
    "a value less": lambda s, t: {"value": s["value"][:-1]},
    "a value of another type": lambda s, t: {"value": t.value},
    "a value that is no number": lambda s, t: with_value(t, "value", 3, np.nan),
    "an infinite value": lambda s, t: with_value(t, "value", 3, np.inf),
    "a cover less": lambda s, t: {"cover": s["cover"][:-4]},
    "a cover below 0": lambda s, t: with_value(t, "cover", 3, -1.0),
    "a cover that is no number": lambda s, t: with_value(t, "cover", 3, np.nan),
    "trees of no rows": lambda s, t: {"cover": floats(np.zeros(len(t.cover)))},
    "no initial score": lambda s, t: {"initial": s["initial"][:0]},
    "an initial score more": lambda s, t: {"initial": np.append(s["initial"], 0.0)},
    "an infinite initial score": lambda s, t: {"initial": changed(s["initial"], 0, np.inf)},
    "no exponent": lambda s, t: {"exponent": None},
    "a float as exponent": lambda s, t: {"exponent": 1.0},
    "a truth as exponent": lambda s, t: {"exponent": True},
    "an exponent of no float": lambda s, t: {"exponent": 4000},
    "values beyond all floats": lambda s, t: {"exponent": 1090},
    "values that are missing": lambda s, t: {"missing_left": None},
}


class TestRefused:
    @pytest.mark.parametrize("name", ["numbers", "three"])
    @pytest.mark.parametrize("what", REFUSED)
    def test_what_no_fit_could_have_produced(self, what, name):
        model = models()[name]
        state = {**model._pack(), **REFUSED[what](pack_boosted(model.trees_), model.trees_)}
        with pytest.raises(ModelFileError) as caught:
            model._unpack(state, model.schema_)
        assert caught.value.code == "M005"

    def test_sound_values_come_back(self):
        for model in models().values():
            assert same_trees(model._unpack(model._pack(), model.schema_)["trees_"], model.trees_)

    @pytest.mark.parametrize("name", ["numbers", "three"])
    def test_what_models_hold_besides_trees(self, name):
        model = models()[name]
        state, n_columns = model._pack(), model.n_features_in_
        for changes in (
            {"importances": np.ones(n_columns)},
            {"importances": np.full(n_columns, -1.0)},
            {"importances": np.full(n_columns, np.nan)},
            {"importances": np.zeros(n_columns + 1)},
            {"importances": None},
            {"validation_loss": np.array([np.nan])},
            {"validation_loss": "none"},
            {"validation_loss": np.zeros((2, 2))},
        ):
            with pytest.raises(ModelFileError):
                model._unpack({**state, **changes}, model.schema_)
        for key in state:
            with pytest.raises(ModelFileError):
                model._unpack({k: v for k, v in state.items() if k != key}, model.schema_)

    def test_outputs_are_those_of_classes_and_losses(self):
        three, numbers = models()["three"], models()["numbers"]
        state = three._pack()
        with pytest.raises(ModelFileError):
            three._unpack({**state, "classes": numbers_as_classes(4)}, three.schema_)
        with pytest.raises(ModelFileError):
            three._unpack({**state, "classes": numbers_as_classes(2)}, three.schema_)
        with pytest.raises(ModelFileError):
            numbers._unpack({**numbers._pack(), "n_outputs": 3}, numbers.schema_)

    def test_a_round_that_is_not_whole(self):
        model = models()["three"]
        trees = model.trees_.first(4)
        state = {**model._pack(), **pack_boosted(trees)}
        with pytest.raises(ModelFileError):
            model._unpack(state, model.schema_)

    def test_pickles(self):
        trees = models()["numbers"].trees_
        packed = pack_alone(trees)
        for wrong in ([], None, {}, {**packed, "n_names": np.zeros(0, np.int64)}):
            with pytest.raises(ModelFileError):
                unpack_alone(wrong)
        for name in packed:
            with pytest.raises(ModelFileError):
                unpack_alone({key: value for key, value in packed.items() if key != name})
        with pytest.raises(ModelFileError):
            BoostedArrays.__new__(BoostedArrays).__setstate__({"value": trees.value})


def numbers_as_classes(n_classes):
    """Return classes as a state has them."""
    X, y = rows()
    target = np.arange(len(y)) % n_classes
    return GradientBoostingClassifier(n_estimators=1).fit(X, target)._pack()["classes"]


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_files_of_version_0_1_have_fewer_parameters(kind):
    known = kind(max_leaf_nodes=31).get_params(deep=False)
    parameters = {name: value for name, value in known.items() if name not in ADDED}
    model = unfitted(kind.__name__, parameters)
    assert model.max_leaf_nodes == 31
    assert {name: getattr(model, name) for name in ADDED} == ADDED
    with pytest.raises(ModelFileError, match="its parameters are not those of"):
        unfitted(kind.__name__, {**parameters, "unheard_of": 1})
