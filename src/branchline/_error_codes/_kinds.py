"""Columns and values of the wrong kind (K)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "K001",
        "text in a numeric column",
        "The column held numbers (or dates) when the model was fitted and now holds text that "
        "cannot be read as such. If the text means missing, name it: --missing TEXT on the "
        "command line. Otherwise correct the cells.",
    ),
    ErrorCode(
        "K002",
        "cells that do not fit the kind",
        "A column was asked to be a number, a date or another kind, but some of its cells cannot "
        "be read as such; the message names them. If they mean missing, name them in missing "
        "(--missing TEXT); otherwise correct them, or leave the column a category.",
    ),
    ErrorCode(
        "K003",
        "not a table",
        "Branchline takes NumPy arrays, SciPy sparse matrices, pandas, polars and pyarrow frames, "
        "lists of rows or dictionaries, and dictionaries of columns. Files are read by "
        "branchline.read_table.",
    ),
    ErrorCode(
        "K004",
        "unsupported column type",
        "Cells must be numbers, text, booleans, dates or times. Lists, structures, bytes and "
        "other objects must first be turned into one of these, or dropped.",
    ),
    ErrorCode(
        "K005",
        "a lazy frame",
        "A lazy frame is a plan that has not been computed. Collect it first.",
    ),
    ErrorCode(
        "K006",
        "dates and plain numbers mixed up",
        "The column held dates or times when the model was fitted and now holds plain numbers, or "
        "the other way round. The two have different zeros and units, so predictions would be "
        "wrong.",
    ),
    ErrorCode(
        "K010",
        "weights that are not numbers",
        "Weights must be numbers, one for each row.",
    ),
    ErrorCode(
        "K011",
        "class names of different types",
        "Class names are sorted, and text cannot be put in order with numbers. Turn all of them "
        "into text.",
    ),
    ErrorCode(
        "K012",
        "text target for a regressor",
        "A regressor predicts numbers, but the target holds text. Use a classifier, or turn the "
        "text into numbers.",
    ),
    ErrorCode(
        "K020",
        "no probabilities",
        "The metric needs probabilities of classes, but this model predicts only a class (a "
        "perceptron, for example). Choose a metric on predicted classes, such as accuracy, or a "
        "learner with probabilities: `branchline learners` shows which have them.",
    ),
    ErrorCode(
        "K021",
        "a time column without order",
        "The column with the time of each row must hold dates, times or numbers. Text that looks "
        "like dates is read as dates when it is written in one way throughout.",
    ),
    ErrorCode(
        "K022",
        "dates as a target",
        "Dates and times are inputs; no learner predicts them. If each date is a class, read the "
        "column as a category. Otherwise predict a number, such as the days since a start.",
    ),
    ErrorCode(
        "K100",
        "whole numbers beyond 2⁵³ in a sparse matrix",
        "Learners compute with 64-bit floats, which round whole numbers beyond "
        "9,007,199,254,740,992: different numbers would become equal. In a plain array or a frame "
        "such a column becomes a category; a sparse matrix has no categories.",
    ),
    ErrorCode(
        "K101",
        "numbers that can be read in two ways",
        "1.234 is either a little more than one, or one thousand two hundred and thirty-four, and "
        "nothing in the column or the file decides. State the decimal mark: --kind NAME=number:. "
        "or --kind NAME=number:, on the command line, kinds={...} in read_table or Table.",
    ),
    ErrorCode(
        "K102",
        "dates that can be read in two ways",
        "12/01/2024 is the twelfth of January or the first of December, and no value of the "
        "column decides. State the format: --kind NAME=date:%d/%m/%Y or --kind NAME=date:%m/%d/%Y "
        "(kinds={...} in read_table or Table), or keep the texts with --kind NAME=category.",
    ),
    ErrorCode(
        "K103",
        "a date format that cannot be used",
        "A format is made of %Y or %y (year), %m, %b or %B (month), %d (day), %H or %I with %p "
        "(hour), %M (minute), %S (second) and .%f (fraction), with any other characters between "
        "them: %d/%m/%Y, %Y%m%d, %d %b %Y %H:%M.",
    ),
)
