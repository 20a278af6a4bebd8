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
    ErrorCode(
        "P557",
        "linear leaves beside a parameter that they cannot keep",
        "Gradient boosting with leaf_model='linear' fits slopes by Newton steps. It cannot keep "
        "directions (monotonic_cst), add rounds to earlier ones (warm_start), ignore second "
        "derivatives (second_order=False), or use losses whose leaves are medians or quantiles, or "
        "losses of one's own. Use leaf_model='constant' with these.",
    ),
)
