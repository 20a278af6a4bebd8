"""Learners by name."""

import subprocess
import sys

import pytest

from branchline import catalog
from branchline.errors import ParameterError, UnknownParameterError
from branchline.tree import C45, CART, DecisionTreeRegressor


def test_names_are_listed_by_task() -> None:
    assert catalog.names()[0] == "baseline"
    assert "id3" in catalog.names("classification")
    assert "id3" not in catalog.names("regression")
    assert set(catalog.names("regression")) < set(catalog.names())


@pytest.mark.parametrize("name", ["c45", "C4.5", "C45", "j48"])
def test_spelling_does_not_matter(name: str) -> None:
    assert catalog.entry(name).name == "c45"


def test_a_preset_is_made_with_its_settings() -> None:
    assert catalog.make("c45", task="classification").get_params() == C45().get_params()
    made = catalog.make("cart", task="regression", max_depth=3)
    assert isinstance(made, DecisionTreeRegressor)
    assert made.get_params() == CART(task="regression", max_depth=3).get_params()


def test_seed_and_threads_go_only_where_they_are_taken() -> None:
    tree = catalog.make("tree", task="regression", random_state=7, n_jobs=2)
    assert (tree.random_state, tree.n_jobs) == (7, 2)
    baseline = catalog.make("baseline", task="regression", random_state=7, n_jobs=2)
    assert baseline.get_params() == {}


def test_unknown_parameters_are_refused_by_the_learner() -> None:
    with pytest.raises(UnknownParameterError, match="max_depth"):
        catalog.make("tree", task="classification", max_dept=3)
    with pytest.raises(UnknownParameterError):
        catalog.make("baseline", task="classification", max_depth=3)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'naive_bayes'") as caught:
        catalog.make("naive-bays", task="classification")
    assert caught.value.code == "P090"
    assert "one_rule" in caught.value.message
    run_repair(caught.value)
    with pytest.raises(ParameterError, match="no learner 3"):
        catalog.entry(3)  # type: ignore[arg-type]


def test_a_task_the_learner_has_not_is_refused_with_those_that_can() -> None:
    with pytest.raises(ParameterError, match=r"ID3 cannot do regression.*tree, cart") as caught:
        catalog.make("id3", task="regression")
    assert caught.value.code == "P091"
    run_repair(caught.value)


@pytest.mark.parametrize("task", ["regresion", None, 3, ["regression"]])
def test_an_unknown_task_is_refused(task: object) -> None:
    with pytest.raises(ParameterError, match="'classification' or 'regression'") as caught:
        catalog.make("tree", task=task)  # type: ignore[arg-type]
    assert caught.value.code == "P091"


def run_repair(error: ParameterError) -> None:
    assert error.repair is not None
    assert error.repair.python is not None
    exec(error.repair.python, {})


def test_reading_the_catalog_loads_nothing_heavy() -> None:
    code = (
        "from branchline import catalog; catalog.table(); catalog.find(text='prun');"
        "import sys; print(*{'numpy', 'sklearn', 'polars', 'branchline._core'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
