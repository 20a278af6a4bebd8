"""A learner inside another estimator, fitted on checked rows with their weights.

1. Without weights it gets the rows; a learner that takes ``sample_weight`` gets the weights.
2. A learner that takes none gets whole weights as copies of rows; other weights are refused.
3. Warnings about the rows are not repeated: the user has seen those of the whole table.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import AnyArray
from branchline._model_rows import rows_for
from branchline._named_learners import takes_weights
from branchline._validation import ClassTarget, TrainingData
from branchline.errors import BranchlineWarning, ParameterError

__all__ = ["answers_of", "fit_member"]


def answers_of(rows: TrainingData) -> AnyArray:
    """Return what is to be predicted for each row: class names or numbers."""
    if isinstance(rows.target, ClassTarget):
        return np.asarray(rows.target.classes[rows.target.class_of_row])
    return np.asarray(rows.number_target.matrix[:, 0])


def fit_member(learner: Any, rows: TrainingData, refusal: Callable[[str], ParameterError]) -> Any:
    """Return a fitted copy of a learner.

    Parameters
    ----------
    learner
        The learner.
    rows
        The rows, with their weights.
    refusal
        Makes the error for weights that the learner cannot take, from the name of its class.
    """
    table, answers, options = rows.table, answers_of(rows), {}
    weight = rows.weights.of_rows(table.n_rows)
    if (weight != 1.0).any():
        if takes_weights(learner):
            options["sample_weight"] = weight
        elif rows.weights.unit == 1.0:
            places = np.repeat(np.arange(table.n_rows), np.rint(weight).astype(np.int64))
            table, answers = table.rows(places), answers[places]
        else:
            raise refusal(type(learner).__name__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        return clone(learner).fit(rows_for(learner, table), answers, **options)
