"""Classification by Bayesian networks."""

import numpy as np
import pandas as pd
import pytest

from branchline import load_dataset
from branchline.density import BayesianNetwork, BayesianNetworkClassifier


@pytest.fixture(scope="module")
def pairs():
    """Return inputs that tell the class only together."""
    draws = np.random.default_rng(0)
    a, b, noise = draws.integers(0, 2, (3, 400))
    return pd.DataFrame({"a": a, "b": b, "noise": noise}).astype(str), (a ^ b).astype(str)


def test_inputs_that_count_together_are_found(pairs):
    X, y = pairs
    assert BayesianNetworkClassifier(structure="auto").fit(X, y).score(X, y) == 1.0
    assert BayesianNetworkClassifier(structure="naive").fit(X, y).score(X, y) < 0.7


def test_inputs_that_tell_nothing_are_not_used(pairs):
    X, y = pairs
    model = BayesianNetworkClassifier(structure="auto").fit(X, y)
    assert model.inputs_used_ == ["a", "b"]
    assert model.edges_ == []


def test_probabilities_are_those_of_the_network_with_missing_inputs():
    table = load_dataset("titanic").select(["pclass", "sex", "age", "survived"])
    X, y = table.split_target("survived")
    settings = {"structure": "naive", "n_bins": 4, "prior_rows": 1.0}
    model = BayesianNetworkClassifier(**settings).fit(X, y)
    network = BayesianNetwork(target="survived", **settings).fit(
        X.to_pandas().assign(survived=np.asarray(y).astype(str))
    )
    row = pd.DataFrame({"pclass": ["1st"], "sex": ["female"], "age": [np.nan]})
    shown = model.predict_proba(row)
    asked = network.query({"sex": "female", "pclass": "1st"}, of="survived")
    assert shown[0, 1] == pytest.approx(asked["yes"], abs=1e-6)


def test_a_tree_of_inputs_is_better_than_naive_bayes_where_inputs_depend_on_each_other():
    draws = np.random.default_rng(1)
    y = draws.integers(0, 2, 600)
    a = np.where(draws.random(600) < 0.7, y, 1 - y)
    X = pd.DataFrame({f"copy {at}": a for at in range(5)}).astype(str)
    proba = {
        structure: BayesianNetworkClassifier(structure=structure).fit(X, y).predict_proba(X)
        for structure in ("naive", "tan")
    }
    loss = {name: -np.log(p[np.arange(600), y]).mean() for name, p in proba.items()}
    assert loss["tan"] < loss["naive"] - 0.1
