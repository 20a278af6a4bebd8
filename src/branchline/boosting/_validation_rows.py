"""Validation rows that are given to ``fit`` (``eval_set``) and take no part in learning."""

import warnings
from typing import Any

import numpy as np

from branchline._validation import (
    ClassTarget,
    Owner,
    RowWeights,
    TrainingData,
    check_prediction_data,
    check_target,
)
from branchline.errors import BranchlineWarning, ParameterError, Repair

__all__ = ["validation_rows"]


def validation_rows(
    data: TrainingData, eval_set: Any, owner: Owner, task: Any
) -> TrainingData | None:
    """Return checked rows and targets of ``eval_set``, in the schema and classes of ``data``."""
    if eval_set is None:
        return None
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
        raise ParameterError(
            "'eval_set' must be a pair: validation rows, and their targets.",
            code="P155",
            repair=Repair("model.fit(X, y, eval_set=(X_new, y_new))"),
        )
    rows = check_prediction_data(eval_set[0], data.table.schema, owner=owner.name)
    with warnings.catch_warnings():  # that they are of one class says nothing about the model
        warnings.simplefilter("ignore", BranchlineWarning)
        target = check_target(eval_set[1], rows.table.n_rows, task=task, owner=owner)
    if isinstance(target, ClassTarget):
        target = _in_classes(target, data.class_target)
    return TrainingData(rows.table, target, RowWeights())


def _in_classes(target: ClassTarget, known: ClassTarget) -> ClassTarget:
    """Return the same targets as indices of the classes that are learned."""
    names = known.classes.tolist()
    unknown = [name for name in target.classes.tolist() if name not in names]
    if unknown:
        raise ParameterError(
            f"'eval_set' has a class that 'y' does not have: {unknown[0]!r}.",
            code="P155",
            values=unknown[:5],
        )
    places = np.array([names.index(name) for name in target.classes.tolist()], dtype=np.uint32)
    return ClassTarget(known.classes, places[target.class_of_row])
