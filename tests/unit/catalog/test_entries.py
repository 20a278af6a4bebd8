"""What the catalog says of each learner is true of its class."""

import inspect
import tracemalloc
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier

from branchline import catalog, load_dataset
from branchline._base import Estimator, Predictor
from branchline._saving._classes import CLASSES
from branchline.catalog._entries import ENTRIES
from branchline.catalog._entry import HANDLES, SIZES, TASKS
from branchline.catalog._spaces import Between, count_candidates, is_endless

PAIRS = [(entry.name, task) for entry in ENTRIES.values() for task in entry.tasks]
SPACES = [(name, task, size) for name, task in PAIRS for size in SIZES]


def made(name: str, task: str, **parameters: Any) -> Any:
    return catalog.make(name, task=task, **parameters)


def some_values(values: Any) -> list[Any]:
    return values.grid(3) if isinstance(values, Between) else list(values)


def test_every_predictor_of_the_library_is_in_the_catalog() -> None:
    listed = {type(made(name, task)).__name__ for name, task in PAIRS}
    library = {
        name
        for name, room in CLASSES.items()
        if issubclass(getattr(import_module(room), name), Predictor)
    }
    # One has no target; the other's nu, a share of rows, has to suit the smallest class.
    # A selector and a learner as one model: `select` of compare makes them.
    # A network refuses wide tables; the discriminant is a projection that also predicts.
    apart = {"OneClassSVM", "NuSVC", "SelectedClassifier", "SelectedRegressor"}
    apart |= {"BayesianNetworkClassifier", "KernelFisherDiscriminant"}
    # Learners of streams depend on the order of rows, which folds do not keep: `evaluate_stream`.
    apart |= {"HoeffdingTreeClassifier", "AdaptiveHoeffdingTreeClassifier"}
    apart |= {"AdaptiveForestClassifier", "OnlineBaggingClassifier", "OnlineBoostingClassifier"}
    # Learn from sequences and grids of rows, not from single ones.
    apart |= {"SequenceLabeler", "GridLabeler"}
    assert library - listed == apart, "learners without an entry"
    assert listed - library == set(), "learners that cannot be saved"


def test_names_and_aliases_lead_to_one_learner_each() -> None:
    for entry in ENTRIES.values():
        for name in (entry.name, entry.title, *entry.aliases):
            assert catalog.entry(name) is entry, name


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_complete(name: str) -> None:
    entry = ENTRIES[name]
    assert entry.name == name == name.lower()
    assert set(entry.classes) <= set(TASKS)
    assert entry.classes
    assert set(entry.spaces) == set(entry.classes) == set(entry.costs)
    assert entry.handles <= set(HANDLES)
    assert 100 < len(entry.description) < 600
    assert entry.description.endswith(".")
    assert 1800 < entry.reference.year < 2026
    assert not entry.reference.title.endswith(".")


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_what_a_learner_handles_is_what_its_class_has(name: str, task: str) -> None:
    model, handles = made(name, task), ENTRIES[name].handles
    assert is_classifier(model) == (task == "classification")
    takes_weights = "sample_weight" in inspect.signature(model.fit).parameters
    assert ("weights" in handles) == takes_weights
    assert ("incremental" in handles) == hasattr(model, "partial_fit")
    if task == "classification":
        assert ("probabilities" in handles) == hasattr(model, "predict_proba")
    else:
        assert ("several_outputs" in handles) == model._multi_output
    if hasattr(model, "_merges_rows"):  # it learns from encoded numbers only
        assert not handles & {"categories", "missing"}


@pytest.mark.parametrize(("name", "task", "size"), SPACES)
def test_every_value_of_every_space_is_allowed(name: str, task: Any, size: Any) -> None:
    blocks = ENTRIES[name].spaces[task][size]
    assert blocks
    for block in blocks:
        for parameter, values in block.items():
            for value in some_values(values):
                model: Estimator = made(name, task, **{parameter: value})
                assert model.get_params()[parameter] == value
                model._check_parameters()


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_spaces_grow_and_hold_the_defaults(name: str, task: Any) -> None:
    spaces = ENTRIES[name].spaces[task]
    assert 1 <= count_candidates(spaces["small"]) <= 12
    assert count_candidates(spaces["small"]) <= count_candidates(spaces["medium"]) <= 60
    assert not is_endless(spaces["small"] + spaces["medium"])
    defaults = made(name, task).get_params()
    small = spaces["small"]
    assert any(all(defaults[key] in block[key] for key in block) for block in small)


# What is searched for takes long; that the matrix stays sparse shows without.
QUICK = {
    "elastic_net": {"alpha": 0.1, "n_alphas": 5},
    "hashed_logistic": {"max_epochs": 1, "n_features": 2**12},
    "lasso": {"alpha": 0.1, "n_alphas": 5},
    "logistic": {"C": 1.0},
    "mlp": {"hidden_layer_sizes": (2,), "max_iter": 3},
    "perceptron": {"max_epochs": 3},
    "ridge": {"alpha": 10.0},
    "stagewise": {"n_steps": 20},
}


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize(("name", "task"), [p for p in PAIRS if "sparse" in ENTRIES[p[0]].handles])
def test_sparse_matrices_are_never_made_dense(name: str, task: Any) -> None:
    n_rows, n_columns = 300, 15_000
    cells = sparse.random_array((n_rows, n_columns), density=2e-3, rng=np.random.default_rng(0))
    flags = sparse.csr_array((np.arange(n_rows) % 2)[:, None].astype(float))
    X = sparse.hstack([flags, cells], format="csr")
    y = np.arange(n_rows) % 2
    tracemalloc.start()
    try:
        made(name, task, **QUICK.get(name, {})).fit(X, y).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * n_rows * n_columns / 2


# With fourteen rows some candidates have something to say.
@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_values_of_a_block_go_together(name: str, task: Any) -> None:
    dataset, target = (
        ("tennis-numeric", "play") if task == "classification" else ("regression", "truth")
    )
    X, y = load_dataset(dataset).split_target(target)
    for block in ENTRIES[name].spaces[task]["large"]:
        ends = {key: some_values(values) for key, values in block.items()}
        # A hundred members or a large stack would only take longer.
        for place in (0,) if ENTRIES[name].family == "ensemble" else (0, -1):
            chosen = {key: values[place] for key, values in ends.items()}
            assert len(made(name, task, **chosen).fit(X, y).predict(X)) == len(y)


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_costs_are_seconds_that_grow(name: str, task: Any) -> None:
    entry = ENTRIES[name]
    small = entry.estimate(100, 5, task=task)
    large = entry.estimate(100_000, 50, task=task)
    assert 0 < small < large
    assert small < 10


def test_forests_are_made_for_raw_tables() -> None:
    """Names and tickets are in the table: uncorrected, bagged trees do no better than chance."""
    X, y = load_dataset("titanic").split_target("survived")
    for name in ("random_forest", "bagged_trees"):
        assert made(name, "classification", n_estimators=20).fit(X, y).oob_score_ > 0.9
