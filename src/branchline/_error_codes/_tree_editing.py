"""Trees edited, asked and taken apart (P560 to P569, D560 to D569)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D560",
        "a branch without rows",
        "An edit puts in a test that sends none of the node's training rows to one of its "
        "branches. Choose another threshold or other categories; why(node, column=...) lists the "
        "tests that divide the rows.",
    ),
    ErrorCode(
        "D561",
        "rows that do not fit the tree",
        "stability and edit take rows like those that the tree was fitted on: with the same "
        "classes and the same categories. Rows that lack some, or have others, give another tree; "
        "fit it on them.",
    ),
    ErrorCode(
        "D562",
        "too few categories or classes for flip-flop",
        "Flip-flop divides categories by classes in turn; it needs at least two of each.",
    ),
    ErrorCode(
        "D563",
        "no rows can be held out",
        "A curve or a sequence needs rows that the tree has not seen, and the training rows are "
        "too few to hold some out. Give X and y of other rows.",
    ),
    ErrorCode(
        "P560",
        "no surrogate tests",
        "Surrogate tests are found from the training rows. The tree was fitted with another policy "
        "for missing values and no longer has its rows (it was saved, copied or very large). Fit "
        'it with missing="surrogate", which keeps them.',
    ),
    ErrorCode(
        "P561",
        "an edit that cannot be made",
        "The message names the edit and what does not fit: an unknown edit or option, a column or "
        "category that the tree does not have, a leaf where a test is needed. print(editor) shows "
        "the tree with the numbers of its nodes.",
    ),
    ErrorCode(
        "P564",
        "an answer that does not fit the question",
        "An answer is a value of the column that is asked about, one of the choices, yes or no for "
        "a threshold, or nothing for 'don't know'.",
    ),
    ErrorCode(
        "P565",
        "a tree that is not grown node by node",
        "Editing, stability, growing curves and pruning sequences grow trees again, split by "
        "split. An optimal tree is found as a whole; fit a DecisionTreeClassifier or a "
        "DecisionTreeRegressor instead.",
    ),
)
