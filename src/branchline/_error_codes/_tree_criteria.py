"""Criteria of regression trees (D610, D611; P610 to P612, P780)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D610",
        "a count below 0",
        "criterion='poisson' grows a tree for counts and rates: the target must be 0 or above. "
        "Mend these rows, or use criterion='squared_error' or 'absolute_error'.",
    ),
    ErrorCode(
        "D611",
        "counts that are all 0",
        "criterion='poisson' predicts counts above 0, so that at least one row must have one. With "
        "several outputs this holds for each of them.",
    ),
    ErrorCode(
        "P610",
        "a criterion that does not go with the other parameters",
        "criterion='absolute_error' and 'poisson' are for tests of single columns: sums, centers "
        "and look-ahead are compared by the variance. Early stopping goes by the same measure as "
        "growing: stop_by='absolute_error' with criterion='absolute_error', and so on.",
    ),
    ErrorCode(
        "P611",
        "tests of one column that have no sums",
        "why(node, column=…) lists every test of a column from sums of the rows on both sides. "
        "Medians (criterion='absolute_error') do not follow from sums. why(node) lists the best "
        "test of each column.",
    ),
    ErrorCode(
        "P612",
        "rules of medians that cannot be simplified",
        "Simplifying rules compares means and variances; the rules of a tree that was grown by "
        "criterion='absolute_error' predict medians. Take rules() as they are.",
    ),
    ErrorCode(
        "P780",
        "a forest of medians",
        "Forests compare tests by sums of rows, of which medians do not consist. Average single "
        "trees instead: "
        "branchline.ensemble.BaggingRegressor(estimator=branchline.tree.DecisionTreeRegressor("
        "criterion='absolute_error', prune=None), n_estimators=100). "
        "GradientBoostingRegressor(loss='absolute_error') is more accurate, as a rule. "
        "RandomForestRegressor(keep_targets=True) predicts medians by "
        "predict_quantiles(X, [0.5]).",
    ),
)
