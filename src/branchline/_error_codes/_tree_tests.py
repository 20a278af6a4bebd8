"""Tests of trees beyond single columns (P550 to P554)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P550",
        "a look-ahead that would take too long",
        "Looking ahead by k tries every test in every branch, k levels deep: rows × columns × "
        "tests^(k − 1) steps a node. Look ahead less, or grow on fewer columns or rows.",
    ),
    ErrorCode(
        "P551",
        "a derived test with the name of a column",
        "Tests of named intervals and questions have names of their own, such as 'age interval'. A "
        "column of the table has that name already: rename the column.",
    ),
    ErrorCode(
        "P552",
        "named intervals that are not in order",
        "Named intervals are a mapping from names to upper limits, which ascend; the last name has "
        "None. A number belongs to its interval (75 means up to and including 75), '< 70' does not.",
    ),
    ErrorCode(
        "P553",
        "a question that cannot be asked",
        "A question is a name and a set of categories: a text of letters, or a list. It is asked of "
        "category columns that have some of these categories and others too; there must be one.",
    ),
    ErrorCode(
        "P554",
        "importance out of bag of sums of columns",
        "An oblique forest tests sums of columns in bins, so that one column of a sum cannot be "
        "shuffled alone out of bag. permutation_importance(model, X, y) shuffles it in a table; "
        "feature_importances_ needs no shuffling.",
    ),
)
