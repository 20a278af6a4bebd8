import io
import json
import zipfile

import numpy as np
import pytest

import branchline as bl
from branchline import catalog
from branchline._saving._write import to_bytes
from branchline.assess import compare, cross_validate
from branchline.errors import DataError, KindError, ModelFileError, ParameterError

# Members of ensembles are tested by their own names.
_QUICK = {"n_estimators": 3, "max_epochs": 5, "n_folds": 2, "estimators": ("tree", "baseline")}


def table(task):
    draws = np.random.default_rng(0)
    X = bl.Table({"x": draws.normal(size=40), "g": draws.choice(["a", "b"], 40).tolist()})
    x = X.column("x").numbers()
    return X, x + draws.normal(size=40) if task == "regression" else np.where(x > 0, "p", "n")


@pytest.mark.parametrize(
    ("name", "task"), [(entry.name, task) for entry in catalog.find() for task in entry.tasks]
)
@pytest.mark.filterwarnings("ignore")
def test_every_learner_gives_intervals_also_after_loading(name, task):
    X, y = table(task)
    model = catalog.make(name, task=task)
    few = {key: value for key, value in _QUICK.items() if key in model.get_params()}
    few |= {"estimator": "tree"} if name == "threshold" else {}
    model.set_params(**few).fit(X, y)
    bl.fit_intervals(model, X, y, n_folds=2)
    loaded = bl.load(io.BytesIO(to_bytes(model)))
    before, after = (bl.predict_interval(each, X, level=0.8) for each in (model, loaded))
    assert before.columns() == after.columns()
    assert len(before.prediction) == 40


def test_the_errors_are_those_of_cross_validation():
    X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    model = bl.make("ridge", task="regression").fit(X, y)
    errors = bl.fit_intervals(model, X, y).prediction_errors_
    known = np.sort(cross_validate(model, X, y).predictions)
    assert np.sort(errors.predicted) == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"n_repeats": 2}, {"resampling": "bootstrap"}])
def test_a_model_from_a_comparison_has_its_errors_for_free(options):
    found = compare(bl.load_dataset("iris"), "species", learners="lda", n_folds=5, **options)
    errors = found.fit("lda").prediction_errors_
    assert len(errors.truth) <= 150
    wrong = np.mean(errors.truth != errors.predicted)
    assert wrong == pytest.approx(1 - found.score("lda").estimate, abs=0.02)


def test_a_model_without_errors_says_how_to_get_them():
    X, y = table("regression")
    model = bl.make("ridge", task="regression").fit(X, y)
    with pytest.raises(DataError, match="does not know its errors") as caught:
        bl.predict_interval(model, X)
    assert caught.value.code == "D410"
    assert "--intervals" in caught.value.repair.flag


@pytest.mark.parametrize("level", [0, 1, 90, -0.1, "0.9", float("nan"), True])
def test_a_level_is_a_number_between_0_and_1(level):
    X, y = table("regression")
    model = bl.fit_intervals(bl.make("ridge", task="regression").fit(X, y), X, y, n_folds=2)
    with pytest.raises(ParameterError) as caught:
        bl.predict_interval(model, X, level=level)
    assert caught.value.code == "P310"


def test_transformers_have_no_intervals():
    from branchline.encoding import TableEncoder

    X, y = table("regression")
    with pytest.raises(KindError, match="neither a class nor a number"):
        bl.fit_intervals(TableEncoder().fit(X), X, y)


def test_one_row_has_no_errors_to_measure():
    model = bl.make("baseline", task="regression").fit([[1.0]], [2.0])
    with pytest.raises(DataError) as caught:
        bl.fit_intervals(model, [[1.0]], [2.0])
    assert caught.value.code == "D411"


def test_a_class_of_one_row_is_tested_too():
    X, y = np.arange(12.0)[:, None], ["a"] * 6 + ["b"] * 5 + ["c"]
    model = bl.fit_intervals(bl.make("tree", task="classification").fit(X, y), X, y)
    assert len(model.prediction_errors_.truth) == 12


def test_files_without_errors_are_written_as_before():
    X, y = table("regression")
    model = bl.make("ridge", task="regression").fit(X, y)
    plain = to_bytes(model)
    assert manifest(plain)["format"] == 1
    with_errors = to_bytes(bl.fit_intervals(model, X, y, n_folds=2))
    assert manifest(with_errors)["format"] == 2
    del model.prediction_errors_
    assert to_bytes(model) == plain


def manifest(content):
    return json.loads(zipfile.ZipFile(io.BytesIO(content)).read("manifest.json"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_effective", 1e9),
        ("n_effective", 0.0),
        ("origin", 5),
        ("origin", "x" * 1000),
        ("kind", "classes"),
        ("weight", np.zeros(40)),
        ("weight", np.array([])),
        ("truth", np.full(40, np.inf)),
        ("truth", np.zeros(39)),
        ("more", 1.0),
    ],
)
def test_forged_errors_are_refused(name, value):
    from branchline._prediction_errors import errors_from_state

    X, y = table("regression")
    model = bl.make("ridge", task="regression").fit(X, y)
    state = bl.fit_intervals(model, X, y, n_folds=2).prediction_errors_.to_state()
    assert errors_from_state(state, None).to_state().keys() == state.keys()
    with pytest.raises(ModelFileError):
        errors_from_state({**state, name: value}, None)


def test_errors_that_name_a_class_which_is_not_there_are_refused():
    from branchline._prediction_errors import errors_from_state

    X, y = table("classification")
    model = bl.make("lda", task="classification").fit(X, y)
    state = bl.fit_intervals(model, X, y, n_folds=2).prediction_errors_.to_state()
    with pytest.raises(ModelFileError, match="a class that the model does not have"):
        errors_from_state({**state, "truth": state["truth"] + np.uint32(1)}, 2)
