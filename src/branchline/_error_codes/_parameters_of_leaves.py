"""P555–P559: parameters of trees with models in their leaves."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P555",
        "a learner that cannot stand in a leaf",
        "The leaves of a model tree hold learners of the same task: classifiers for classes, "
        "regressors for numbers. branchline.catalog.names(task) lists the names.",
    ),
    ErrorCode(
        "P556",
        "weights that the learner in the leaves cannot take",
        "This learner takes no sample_weight. Whole weights are given to it as copies of rows; "
        "others cannot be. Use another learner in the leaves, or whole weights.",
    ),
)
