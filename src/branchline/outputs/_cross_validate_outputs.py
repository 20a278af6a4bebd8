"""Cross-validation of models of several targets: every row is predicted by a model without it."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import AnyArray
from branchline._folds import fold_rows, seed_of_repeat
from branchline._validation import (
    NumberTarget,
    TrainingData,
    Whole,
    check_parameters,
    check_training_inputs,
)
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.outputs._output_scores import OutputScores, scores_of_outputs
from branchline.outputs._several_outputs import SeveralOutputs
from branchline.outputs._targets import Targets, read_targets

__all__ = ["cross_validate_outputs"]


def cross_validate_outputs(
    model: Any, X: Any, y: Any, *, n_folds: int = 10, random_state: Any = 0
) -> OutputScores:
    """Assess a model of several targets by cross-validation.

    Each fold is predicted by a copy of the model that was fitted on the other folds. Copies of a
    row stay in one fold; groups and times of the table are respected.

    Parameters
    ----------
    model
        A model of several targets, such as ``MultiOutput``; it is copied, not changed.
    X, y
        The table, and a column for each target.
    n_folds
        Number of folds, at least 2. Default 10.
    random_state
        The seed for splitting rows into folds. Default 0.

    See Also
    --------
    OutputScores : how well several targets are predicted.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import MultiOutput, cross_validate_outputs
    >>> X, y = load_dataset("titanic").split_target(["survived", "sex"])
    >>> scores = cross_validate_outputs(MultiOutput("one_rule"), X, y, n_folds=3)
    >>> scores.metrics
    ('accuracy', 'accuracy')
    """
    check_parameters("cross_validate_outputs", {"n_folds": n_folds}, {"n_folds": Whole(2)})
    if not isinstance(model, SeveralOutputs):
        raise ParameterError(
            f"cross_validate_outputs takes a model of several targets; {type(model).__name__} is "
            "not one.",
            code="P878",
            values=[type(model).__name__],
            repair=Repair("from branchline.outputs import MultiOutput\nmodel = MultiOutput(model)"),
        )
    data = check_training_inputs(X, None)
    tasks = model._tasks or getattr(model, "tasks", None)
    targets = read_targets(y, data.table.n_rows, type(model).__name__, None, tasks)
    known = TrainingData(data.table, NumberTarget(targets.matrix), data.weights)
    folds = fold_rows(known).split(n_folds, seed_of_repeat(random_state))
    predicted: list[list[AnyArray]] = []
    for fold in folds:
        fitted = _fitted(model, data, targets, fold.learn_rows)
        predicted.append(fitted._predict_each(data.table.rows(fold.test_rows)))
    tested = np.concatenate([fold.test_rows for fold in folds])
    columns = [np.concatenate(parts) for parts in zip(*predicted, strict=True)]
    n_train = float(np.mean([len(fold.learn_rows) for fold in folds]))
    order = np.argsort(tested, kind="stable")
    found = [column[order] for column in columns]
    return scores_of_outputs(targets.names, targets.rows(tested[order]), found, n_train)


def _fitted(model: SeveralOutputs, data: TrainingData, targets: Targets, rows: AnyArray) -> Any:
    """Return a copy of the model fitted on some rows."""
    some = targets.rows(rows)
    answers = {name: some.values(place) for place, name in enumerate(some.names)}
    copied = clone(model)
    if hasattr(copied, "tasks"):
        kinds = ["regression" if c is None else "classification" for c in targets.classes]
        copied.set_params(tasks=dict(zip(targets.names, kinds, strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        return copied.fit(data.table.rows(rows), answers)
