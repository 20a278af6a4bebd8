"""Explanations: shares of columns that add up, or changes when a cell is made missing."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from branchline import Table, catalog, load_dataset
from branchline._explanation import Explanation, Part, explain_by_leaving_out
from branchline.errors import ParameterError
from branchline.table import as_table
from branchline.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor


def test_a_tree_adds_up_what_its_tests_change():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    light = X.rows([np.argmin(X["weight"].numbers())])
    why = model.explain(light)
    assert why.is_sum
    assert why.base == pytest.approx(np.mean(y))
    assert why.prediction == pytest.approx(model.predict(light)[0])
    assert {part.column for part in why.parts if part.amount} == {"cylinders", "weight"}


def test_a_row_shared_among_branches_adds_up_too():
    X, y = load_dataset("votes84").split_target("party")
    model = C45(prune=None).fit(X, y)
    frame = X.to_pandas()
    holes = X.rows([int(frame.isna().sum(axis=1).argmax())])
    why = model.explain(holes)
    expected = model.predict_proba(holes).max()
    assert why.total == pytest.approx(expected)
    assert len([part for part in why.parts if part.amount]) > 1


def test_each_cell_is_left_out_in_turn():
    row = as_table(pd.DataFrame({"a": [3.0], "b": ["x"], "c": [5]}))

    def score(rows):
        a = np.nan_to_num(rows["a"].numbers(), nan=1.0)
        return a * np.where(rows["b"].values < 0, 10.0, 100.0)

    why = explain_by_leaving_out(row, score, prediction="yes", about="score")
    assert (why.base, why.total, why.is_sum) == (10.0, 300.0, False)
    assert why.parts == (Part("b", "x", 270.0), Part("a", 3.0, 200.0), Part("c", 5, 0.0))


def test_the_text_shows_what_matters_and_counts_the_rest():
    parts = (Part("age", 30, 1.5), Part("town", None, -0.25), Part("x", 1.0, 0.0))
    why = Explanation("yes", "log-odds of 'yes'", -1.0, 0.25, parts, is_sum=True, notes=("end",))
    assert str(why).splitlines() == [
        "prediction: yes",
        "log-odds of 'yes':",
        "  before any column  −1.000",
        "  age = 30           +1.500",
        "  town = missing     −0.250",
        "  1 more column      0.000",
        "  total              0.250",
        "end",
    ]
    assert json.loads(json.dumps(why.to_dict()))["parts"][1] == {
        "column": "town",
        "value": None,
        "amount": -0.25,
    }


def test_the_probability_stands_beside_the_prediction_unless_it_is_what_is_explained():
    parts = (Part("age", 30, 1.5),)
    why = Explanation("yes", "log-odds of 'yes'", -1.0, 0.5, parts, is_sum=True, probability=0.622)
    assert str(why).splitlines()[0] == "prediction: yes, probability 62 %"
    assert why.to_dict()["probability"] == 0.622
    sure = replace(why, probability=1.0)
    assert str(sure).splitlines()[0] == "prediction: yes, probability > 99 %"
    shown = replace(why, about="probability of 'yes'")
    assert str(shown).splitlines()[0] == "prediction: yes"


@pytest.mark.parametrize("name", ["logistic", "gradient_boosting", "svm", "tree", "perceptron"])
def test_the_probability_is_that_of_the_model(name):
    X, y = load_dataset("iris").split_target("species")
    model = catalog.make(name, task="classification").fit(X, y)
    why = model.explain(X.rows([70]))
    assert why.prediction == model.predict(X.rows([70]))[0]
    if name == "perceptron":
        assert why.probability is None
    else:
        place = list(model.classes_).index(why.prediction)
        assert why.probability == model.predict_proba(X.rows([70]))[0, place]


def test_one_row_or_a_mapping_is_explained():
    X, y = load_dataset("tennis").split_target("play")
    model = DecisionTreeClassifier(prune=None).fit(X, y)
    row = {"outlook": "rain", "temperature": "mild", "humidity": "high", "wind": "weak"}
    assert model.explain(row).prediction == "yes"
    with pytest.raises(ParameterError, match="14 were given") as caught:
        model.explain(X)
    assert caught.value.code == "P021"
    exec(caught.value.repair.python, {"model": model, "X": X})


@pytest.mark.parametrize("name", ["naive_bayes", "random_forest", "logistic", "tree"])
def test_a_category_not_seen_in_training_is_named(name: str) -> None:
    X = Table({"region": ["north", "south"] * 20, "size": [float(n % 7) for n in range(40)]})
    model = catalog.make(name, task="classification").fit(X, ["a", "b"] * 20)
    found = model.explain({"region": "Atlantis", "size": None})
    cells = {part.column: part for part in found.parts}
    assert cells["region"].is_unseen
    assert cells["region"].value == "Atlantis"
    assert not cells["size"].is_unseen
    assert "region = Atlantis (not seen in training)" in found.to_text()
    unseen = [part for part in found.to_dict()["parts"] if part.get("unseen")]
    assert [part["value"] for part in unseen] == ["Atlantis"]
