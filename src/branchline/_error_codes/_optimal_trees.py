"""Optimal trees and rule lists (D540 to D549, P540 to P549)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P540",
        "an optimal tree is not grown test by test",
        "Editing, stability, growing curves and pruning sequences grow trees one test after the "
        "other. An optimal tree is the result of a search over whole trees, so these would be "
        "about another tree. Fit a DecisionTreeClassifier or DecisionTreeRegressor for them.",
    ),
)
