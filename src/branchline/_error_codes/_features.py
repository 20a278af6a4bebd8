"""Choosing inputs: what cannot be ranked or selected (P570 to P579, P640, D570 to D579)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D570",
        "too many values for exact relevance",
        "Whether a column is relevant is decided exactly on small tables of discrete columns: all "
        "subsets of up to 15 columns are compared. Keep fewer columns (rank_columns shows the "
        "most telling ones), or group numbers into a few values.",
    ),
    ErrorCode(
        "P570",
        "a criterion that does not suit the target",
        "Gains, the Gini index and the gain ratio are defined for classes, t for two of them. The "
        "message lists the criteria that suit the target.",
    ),
    ErrorCode(
        "P571",
        "more columns than there are",
        "A selector was asked to keep more columns than the table has. Ask for fewer, for a share "
        "between 0 and 1, or for 'auto'.",
    ),
    ErrorCode(
        "P572",
        "a model without importances",
        "Columns are taken from a model by its weights or importances, and this learner has none. "
        "Use a tree, a forest, boosting or a linear model, or a SequentialSelector, which takes "
        "any learner.",
    ),
    ErrorCode(
        "P640",
        "weights for a learner that takes none",
        "Columns are chosen by a learner that takes no sample_weight. Whole weights are given to "
        "it as copies of rows; other weights cannot be. Use whole weights or another learner.",
    ),
)
