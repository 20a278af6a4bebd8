"""Tests of trees beyond single columns (P550 to P554)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P550",
        "a look-ahead that would take too long",
        "Looking ahead by k tries every test in every branch, k levels deep: rows × columns × "
        "tests^(k − 1) steps per node, for each tree that pruning by folds grows. Look ahead "
        "less, or grow on fewer columns or rows.",
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
        "None. A limit belongs to its interval (75: up to and including 75); '< 70' does not.",
    ),
    ErrorCode(
        "P553",
        "a question that cannot be asked",
        "A question is a name and a set of categories: a text of letters, or a list. It is asked "
        "of category columns that have some of these categories and others too.",
    ),
    ErrorCode(
        "P554",
        "something that needs tests of single columns",
        "Editing, stability, growing curves, dialogues and surrogate tests grow or ask single "
        "columns of the table, and importance out of bag shuffles one; trees and forests that test "
        "sums, centers, named intervals or questions, or look ahead, are refused there. "
        "permutation_importance(model, X, y) works for all of them.",
    ),
)
