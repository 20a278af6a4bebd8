"""Labeling rows (P840 to P849, D630 to D634, W075 to W077)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D630",
        "no row is left to label",
        "Every row of the table has an answer, or was skipped because it could not be labeled. "
        "Fit the model on all of them, or give a larger table.",
    ),
    ErrorCode(
        "D631",
        "too few check rows for a score",
        "The rows that a strategy chooses are harder than others: a score on them is biased. "
        "Accuracy is therefore measured on check rows, which are drawn at random, and at least "
        "10 of them need a label. Label more rows, or ask for a larger share of check rows "
        "(check_share, --check-share).",
    ),
    ErrorCode(
        "D632",
        "a record of answers that belongs to another table or target",
        "A record of answers names rows by their position. It holds a fingerprint of the table, so "
        "that answers do not go to other rows when the table was sorted, extended or changed. Use "
        "the table with which the record was begun, or begin another record.",
    ),
    ErrorCode(
        "D633",
        "a record of answers that cannot be read",
        "The file is not a record of answers, or it was changed by hand. Records are replaced as "
        "a whole after each answer, so that an interruption cannot leave half of one.",
    ),
    ErrorCode(
        "D634",
        "a table that is too small for the numbers of labels",
        "A simulation divides the table into a pool, from which rows are labeled, and test rows. "
        "The pool must hold as many rows as are labeled in the end.",
    ),
    ErrorCode(
        "P840",
        "answers that do not fit the rows",
        "Rows are named by their position, each once, and there is one answer for each row. None "
        "means that the row cannot be labeled.",
    ),
    ErrorCode(
        "P841",
        "a strategy that the learner or the target cannot use",
        "uncertainty, margin, entropy and error_reduction need the probabilities of classes. "
        "For numbers, and for learners without probabilities, strategy='committee' compares the "
        "trees of a forest; 'random' needs nothing.",
    ),
    ErrorCode(
        "P842",
        "an answer that is not a class or a number",
        "With classes=, only these names are answers; for numbers, only finite numbers are. None "
        "(on the command line ?) means that the row cannot be labeled.",
    ),
    ErrorCode(
        "P843",
        "costs of labels that are not complete",
        "What a label is worth follows from three numbers: what a label costs, what a wrong "
        "prediction costs, and for how many rows the model will be used. Give all three, or none. "
        "They are for classes.",
    ),
    ErrorCode(
        "P844",
        "no curve of labels to draw yet",
        "The curve is fitted to models of earlier labels. With few labels there is too little to "
        "tell, and with no row left there is nothing to come.",
    ),
    ErrorCode(
        "W075",
        "check rows that could not be labeled",
        "Some of the rows that were drawn at random could not be labeled. The score is that of "
        "rows that can be labeled; rows that cannot are often harder to predict.",
    ),
)
