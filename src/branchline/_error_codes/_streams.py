"""Streams (P850 to P869, D635 to D639, W078 to W080)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D635",
        "a batch with new columns",
        "A learner of streams keeps the columns of its first batch. This batch has others beside "
        "them. Select the known columns, or begin a new model that has the new ones from the "
        "start.",
    ),
    ErrorCode(
        "D636",
        "numbers that a drift detector cannot use",
        "A drift detector takes one row of finite numbers; DDM takes zeros and ones (or False and "
        "True), 1 for a wrong prediction.",
    ),
    ErrorCode(
        "D637",
        "a stream without rows",
        "The stream gave no rows that have a target, so nothing can be evaluated.",
    ),
    ErrorCode(
        "D638",
        "a file that cannot be read in parts",
        "Streams are read from delimited text (CSV) and from Parquet, part by part, so that memory "
        "stays bounded. Other formats must be read whole: write the table as CSV or Parquet, or "
        "give a table instead of a file.",
    ),
    ErrorCode(
        "P850",
        "a parameter was changed between batches",
        "A stream learner goes on by the rules that it was begun with. Parameters can be changed "
        "only before the first batch: begin a new model (clone), or set the parameter back.",
    ),
    ErrorCode(
        "P851",
        "a learner that cannot learn from more rows",
        "Evaluation on a stream needs a learner with partial_fit. The catalog lists them: "
        "branchline.catalog.find(handles='incremental').",
    ),
    ErrorCode(
        "P852",
        "a stream needs its target",
        "Rows are predicted before they are learned from, and then the truth must be known: give "
        "y, or the name of the target column.",
    ),
    ErrorCode(
        "P853",
        "too little memory for one leaf",
        "A leaf keeps statistics of every column. With this number of columns and classes, not "
        "even the first leaf of each tree fits into max_memory, so nothing could be learned. Give "
        "more megabytes, or use fewer bins (max_bins), fewer trees or fewer columns.",
    ),
)
