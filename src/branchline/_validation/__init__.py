"""The one door: everything a user passes in is checked and converted here, once.

Past this room, code trusts its inputs.
"""

from branchline._validation._door import (
    PredictionData,
    Task,
    TrainingData,
    check_partly_labeled_data,
    check_prediction_data,
    check_target,
    check_training_data,
    check_training_inputs,
    refuse_infinite,
)
from branchline._validation._guess_task import guess_task, known_values, task_of
from branchline._validation._parameters import (
    AnyOf,
    Constraint,
    Flag,
    Given,
    OneOf,
    Real,
    Whole,
    check_parameters,
    refuse_unknown_parameters,
)
from branchline._validation._partial_target import known_part, known_rows
from branchline._validation._seed import check_seed
from branchline._validation._target import ClassTarget, NumberTarget, Owner
from branchline._validation._threads import count_threads
from branchline._validation._weights import RowWeights, check_weights

__all__ = [
    "AnyOf",
    "ClassTarget",
    "Constraint",
    "Flag",
    "Given",
    "NumberTarget",
    "OneOf",
    "Owner",
    "PredictionData",
    "Real",
    "RowWeights",
    "Task",
    "TrainingData",
    "Whole",
    "check_parameters",
    "check_partly_labeled_data",
    "check_prediction_data",
    "check_seed",
    "check_target",
    "check_training_data",
    "check_training_inputs",
    "check_weights",
    "count_threads",
    "guess_task",
    "known_part",
    "known_rows",
    "known_values",
    "refuse_infinite",
    "refuse_unknown_parameters",
    "task_of",
]
