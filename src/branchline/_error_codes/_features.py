"""Choosing inputs: what cannot be ranked or selected (P570s, P620s, P640, D570s)."""

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
        "P620",
        "an unknown selector",
        "Inputs are chosen by a selector: a name such as mutual_information, relief, forward or "
        "shadow, which may be followed by a colon and a number (relief:10, relief:25%, "
        "relief:auto), or a selector of branchline.features. The message lists all names.",
    ),
    ErrorCode(
        "P621",
        "a number of inputs that cannot be",
        "After the colon of a selector stands how many inputs are kept: a whole number from 1 on, "
        "a share such as 25%, or auto (chosen by inner folds). The selectors markov_blanket, "
        "genetic and shadow decide that themselves and take no number.",
    ),
    ErrorCode(
        "P622",
        "a learner for a selector that uses none",
        "Rankings with 'auto', model, elimination, forward, backward, floating, genetic and shadow "
        "use a learner, which can be chosen. markov_blanket tests counts and uses none.",
    ),
    ErrorCode(
        "P623",
        "nothing to draw of a choice of inputs",
        "Shares of training sets need two or more of them. An error against the number of inputs "
        "exists only where the selector tries several numbers ('auto').",
    ),
    ErrorCode(
        "P640",
        "weights for a learner that takes none",
        "Columns are chosen by a learner that takes no sample_weight. Whole weights are given to "
        "it as copies of rows; other weights cannot be. Use whole weights or another learner.",
    ),
)
