"""Saved models of every make, forging them, and what loading says of a file that it refuses."""

import io
import re
import tracemalloc
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from branchline import load
from branchline._encoding._encoding import Encoding
from branchline._encoding._sparse_columns import SparseColumns
from branchline._saving._write import to_bytes
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.bayes import NaiveBayes
from branchline.encoding import TableEncoder
from branchline.ensemble import (
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from branchline.errors import ModelFileError
from branchline.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from branchline.neighbors import NearestNeighborsClassifier, ParzenClassifier
from branchline.neural import MLPRegressor
from branchline.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor, OneRule, Stump
from common.tables import matrix_target, mixed_frame, numeric_matrix, target
from fuzz.mutate_arrays import fitted_values, forge_fitted, take_apart

N_ROWS = 80


def refusal(path: Any, **options: Any) -> ModelFileError:
    """Return the error that loading raises."""
    with pytest.raises(ModelFileError) as caught:
        load(path, **options)
    return caught.value


def peak_memory(action: Callable[[], Any]) -> tuple[Any, int]:
    """Return what an action gives and the most bytes it held at a time, native ones not counted."""
    tracemalloc.start()
    try:
        return action(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def needed_bytes(content: bytes) -> int:
    """Return the least ``max_bytes`` with which a file may be read, as its refusal says."""
    error = refusal(io.BytesIO(content), max_bytes=len(content))
    found = re.search(r"needs (\d+) bytes", error.message)
    assert error.code == "M003"
    assert found is not None
    return int(found.group(1))


# -- forging ------------------------------------------------------------------------------------


def forged(
    content: bytes,
    values: Mapping[str, Any] | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    columns: list[Any] | None = None,
    without: Collection[str] = (),
) -> io.BytesIO:
    """Return a sound file with other fitted values, parameters and columns.

    A mapping from places (whole numbers) to numbers changes an array; anything else takes a value's
    place.
    """
    manifest, _ = take_apart(content)
    fitted = fitted_values(content)
    for name, value in (values or {}).items():
        if isinstance(value, dict) and all(isinstance(place, int) for place in value):
            fitted[name][list(value)] = list(value.values())
        else:
            fitted[name] = value
    manifest["parameters"].update(parameters or {})
    manifest["schema"]["columns"] = columns or manifest["schema"]["columns"]
    kept = {name: value for name, value in fitted.items() if name not in without}
    return io.BytesIO(forge_fitted(manifest, kept))


def chain_of(n_tests: int, content: bytes, *, missing_branch: int = 0) -> dict[str, Any]:
    """Return the fitted values of a tree as deep as it has tests; the column must be numeric."""
    kind = np.zeros(2 * n_tests + 1, dtype=np.uint8)
    kind[0 : 2 * n_tests : 2] = 1
    return tree_values(kind, content, missing_branch=missing_branch)


def tree_values(
    kind: np.ndarray[Any, Any], content: bytes, *, missing_branch: int = 0
) -> dict[str, Any]:
    """Return the fitted values of a tree of thresholds of column 0, with these kinds of nodes."""
    before = fitted_values(content)
    n_tests, n_leaves = int((kind == 1).sum()), int((kind == 0).sum())
    old_leaves = int((before["kind"] == 0).sum())
    width = len(before["leaf_content"]) // old_leaves
    values = {
        "kind": kind,
        "feature": np.zeros(n_tests, dtype=np.int32),
        "threshold": np.arange(n_tests, dtype=np.float64),
        "missing_branch": np.full(n_tests, missing_branch, dtype=np.int32),
        "n_branches": np.zeros(0, dtype=np.int32),
        "pool": np.zeros(0, dtype=np.int32),
        "leaf_content": np.ones(n_leaves * width, dtype=np.int64),
    }
    if "leaf_spread" in before:
        values["leaf_spread"] = np.zeros(n_leaves * (width - 1))
    return values


# -- sound models -------------------------------------------------------------------------------


def _mixed(model: Any) -> Any:
    frame = mixed_frame(N_ROWS)
    return model.fit(frame, target(frame, model._task))


def _numbers(model: Any, **options: Any) -> Any:
    matrix = numeric_matrix(N_ROWS, 3)
    return model.fit(matrix, matrix_target(matrix, model._task), **options)


def _numbers_of_several(model: Any) -> Any:
    matrix = numeric_matrix(N_ROWS, 3)
    y = matrix_target(matrix, "regression")
    return model.fit(matrix, np.column_stack([y, 2 - y**2]))


def _several_outputs() -> Any:
    frame = mixed_frame(N_ROWS)
    y = target(frame, "regression")
    return DecisionTreeRegressor(max_leaf_nodes=9).fit(frame, np.column_stack([y, -2 * y, y**2]))


def _weighted(model: Any) -> Any:
    return _numbers(model, sample_weight=np.random.default_rng(0).random(N_ROWS) + 0.01)


def costly_tree() -> DecisionTreeClassifier:
    """Return an unfitted tree whose parameters are mappings, tuples, lists and arrays."""
    return DecisionTreeClassifier(
        costs={("ill", "ok"): 5.0, ("well", "ill"): 0.5},
        class_weight={"ill": 2.0, "well": 0.5},
        subsets={"town": [("Mons", "Ath"), ["Namur"]]},
        intervals={"height": np.array([160.0, 170.0])},
        test_costs={"born": 2.0},
        prune=None,
        max_depth=3,
    )


MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: _mixed(DecisionTreeClassifier()),
    "price of a leaf": lambda: _mixed(DecisionTreeClassifier(ccp_alpha=0.01)),
    "own branch": lambda: _mixed(DecisionTreeClassifier(missing="own", prune="mdl", max_depth=4)),
    "multiway": lambda: _mixed(ID3(max_depth=4)),
    "fractional": lambda: _mixed(C45(prune=None, max_depth=4)),
    "costs": lambda: _mixed(costly_tree()),
    "matrix of costs": lambda: _numbers(
        DecisionTreeClassifier(costs=[[0, 1, 2], [3, 0, 1], [9, 1, 0]])
    ),
    "weights": lambda: _weighted(DecisionTreeClassifier(prune="pessimistic")),
    "numbers": lambda: _numbers(DecisionTreeClassifier(prune=None)),
    "regression": lambda: _mixed(DecisionTreeRegressor()),
    "unpruned regression": lambda: _mixed(DecisionTreeRegressor(prune=None)),
    "regression of numbers": lambda: _weighted(DecisionTreeRegressor(max_leaf_nodes=8)),
    "fractional regression": lambda: _mixed(
        DecisionTreeRegressor(split="multiway", missing="fractional", prune=None, max_depth=3)
    ),
    "several outputs": _several_outputs,
    "stump": lambda: _mixed(Stump()),
    "one rule": lambda: _mixed(OneRule(min_samples_leaf=2)),
    "stump of numbers": lambda: _numbers(Stump()),
    "regression stump": lambda: _numbers(Stump(task="regression")),
    "leaf": lambda: _numbers(DecisionTreeClassifier(min_samples_split=10**6)),
    "majority": lambda: _mixed(MajorityClassifier()),
    "mean": lambda: _mixed(MeanRegressor()),
}


def _sparse_encoder() -> Any:
    """Return an encoder as a large sparse table makes one, of a table of three columns."""
    encoder = _numbers(TableEncoder())
    columns = SparseColumns(np.array([0, 2]), ("x0", "x2"), np.array([0.5, 3.0]))
    encoder.__dict__["encoding_"] = Encoding((), columns, np.array([0.1, -2.0]))
    return encoder


def _in_batches() -> Any:
    frame = mixed_frame(N_ROWS)
    y = target(frame, "classification")
    model = NaiveBayes(numeric="kernel").partial_fit(frame[:50], y[:50], classes=np.unique(y))
    return model.partial_fit(frame[50:], y[50:])


# Makes of the other learners that fitting with the parameters of ``ESTIMATORS`` does not give.
OTHER_MODELS: dict[str, Callable[[], Any]] = {
    "batches": _in_batches,
    "sparse columns": _sparse_encoder,
    "parts of dates": lambda: _mixed(Ridge(encoder=TableEncoder(dates="parts"))),
    "edited neighbors": lambda: _mixed(NearestNeighborsClassifier()).edit().condense(),
    "several outputs of a line": lambda: _numbers_of_several(LinearRegression()),
    "several outputs of a net": lambda: _numbers_of_several(
        MLPRegressor(hidden_layer_sizes=(3,), tol=1e-2)
    ),
    "voting of many kinds": lambda: _mixed(
        VotingClassifier(estimators=(LogisticRegression(), NaiveBayes(), ParzenClassifier()))
    ),
    "convex stack": lambda: _numbers(
        StackingRegressor(
            estimators=(Ridge(), "baseline"), final_estimator="non_negative", n_folds=2
        )
    ),
    "stack with columns": lambda: _mixed(
        StackingClassifier(
            estimators=(OneRule(), NaiveBayes()),
            final_estimator=Perceptron(),
            n_folds=2,
            passthrough=True,
        )
    ),
    "ensemble in an ensemble": lambda: _mixed(
        VotingRegressor(estimators=(BaggingRegressor(n_estimators=2), Ridge()))
    ),
    "one column": lambda: LogisticRegression().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"]),
    "constant columns": lambda: Ridge().fit([[1.0], [1.0], [1.0]], [1.0, 2.0, 4.0]),
}


@cache
def saved(name: str) -> bytes:
    """Return the file of one of ``MODELS`` or ``OTHER_MODELS``."""
    return to_bytes((MODELS.get(name) or OTHER_MODELS[name])())
