"""Data that cannot be used: tables, targets, weights (D001 to D099)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D001",
        "no rows",
        "A model cannot be learned from a table without rows. Often a filter removed everything, "
        "or every row has weight zero.",
    ),
    ErrorCode(
        "D002",
        "no columns",
        "The table has no input columns. Check that the target was not the only column.",
    ),
    ErrorCode(
        "D003",
        "no such column",
        "The name is not among the table's columns. Names are compared exactly, capitals and "
        "spaces included; look(table) lists them.",
    ),
    ErrorCode(
        "D004",
        "columns of different lengths",
        "Every column of a table has one cell for each row. A column that is shorter or longer "
        "than the first usually lost or gained rows in an earlier step.",
    ),
    ErrorCode(
        "D005",
        "two columns with one name",
        "Columns are found by name, so every name must occur once. Joins often leave duplicates: "
        "rename or drop one of them.",
    ),
    ErrorCode(
        "D006",
        "not rows and columns",
        "A table has two dimensions. A single column of n values has shape (n, 1), a single row "
        "of n values has shape (1, n). Images and other arrays must be flattened to one row each.",
    ),
    ErrorCode(
        "D007",
        "complex numbers",
        "No learner accepts complex numbers. Use the real and the imaginary part, or the modulus "
        "and the angle, as two columns.",
    ),
    ErrorCode(
        "D008",
        "rows of different lengths",
        "Every row of a list of rows must have the same number of cells. Use None for a cell that "
        "is missing, or dictionaries, whose absent keys are missing.",
    ),
    ErrorCode(
        "D009",
        "category names that look alike",
        'Category names are compared as text, so that a category survives a CSV file; 1 and "1" '
        "would become one category. Rename or merge one of them.",
    ),
    ErrorCode(
        "D010",
        "another number of columns",
        "A model that was fitted on data without column names finds its inputs by position, so "
        "the number of columns must be the same at prediction.",
    ),
    ErrorCode(
        "D011",
        "missing columns",
        "The model was fitted on columns that this table does not have. Columns are found by "
        "name, in any order; extra columns are ignored.",
    ),
    ErrorCode(
        "D013",
        "moments with and without time zone",
        "Some moments of a column have a time zone and others have none, so they cannot be put in "
        "order. Give a time zone to all of them, or to none.",
    ),
    ErrorCode(
        "D030",
        "over the memory budget",
        "The operation would need more memory than the budget, a quarter of what is available. "
        "Use fewer rows or columns, or set BRANCHLINE_MEMORY to a number of bytes. Naive Bayes, "
        "linear, ridge, logistic and hashed logistic regression, and k-means read tables with any "
        "number of rows block by block: they need a few numbers for each row.",
    ),
    ErrorCode(
        "D040",
        "an unknown kind",
        "A column is a number or a category; date, time, duration and boolean state how its texts "
        "are read. Details follow a colon: number:, for a decimal comma, date:%d/%m/%Y for dates "
        "with the day first. Learners see dates and times as numbers, booleans as categories.",
    ),
    ErrorCode(
        "D050",
        "unknown data set",
        "No bundled data set has this name. The names are lower case with hyphens (auto-mpg); "
        "branchline.table.dataset_names() lists them.",
    ),
    ErrorCode(
        "D060",
        "infinite numbers",
        "An input column holds a number that is infinite or too large for a float. Infinite "
        "numbers usually come from a division by zero or stand for an unknown value. Make them "
        "missing (--missing inf), replace them by a number, or drop the column.",
    ),
    ErrorCode(
        "D062",
        "every value is missing",
        "All cells of all input columns are missing. Often a join found no matching rows, or the "
        "cells hold a word for missing; look(X) shows what was read.",
    ),
    ErrorCode(
        "D070",
        "no target",
        "A supervised learner needs the target to learn from. Pass it as the second argument of "
        "fit; on the command line, name the column with --target.",
    ),
    ErrorCode(
        "D071",
        "missing values in the target",
        "Nothing can be learned from a row whose target is missing. Leave such rows out when "
        "fitting (--known-only); they can be predicted afterwards. Learners for few labels do "
        "learn from such rows: compare --learners few_labels.",
    ),
    ErrorCode(
        "D072",
        "infinite target",
        "The target holds infinite numbers, from which no mean or error can be computed. Leave "
        "those rows out, or correct them.",
    ),
    ErrorCode(
        "D073",
        "complex target",
        "No learner predicts complex numbers. Predict the real and the imaginary part with two "
        "models.",
    ),
    ErrorCode(
        "D074",
        "target is not one column",
        "This learner predicts one column. Choose one, or fit a model for each.",
    ),
    ErrorCode(
        "D075",
        "inputs and target differ in length",
        "There must be one target value for each row. Often a filter was applied to only one of "
        "the two.",
    ),
    ErrorCode(
        "D076",
        "continuous target for a classifier",
        "The target holds numbers with fractions, so it looks like a quantity and not like class "
        "names. Use a regressor. If the numbers do stand for classes, turn them into text first.",
    ),
    ErrorCode(
        "D080",
        "weights of another shape",
        "There must be one weight for each row, in one dimension.",
    ),
    ErrorCode(
        "D081",
        "all weights are zero",
        "A row of weight zero counts as if it were absent, so nothing is left to learn from.",
    ),
    ErrorCode(
        "D082",
        "negative or missing weights",
        "A weight states how many rows a row stands for: a finite number of at least 0.",
    ),
    ErrorCode(
        "D090",
        "too few rows for the folds",
        "Cross-validation puts rows of each class into every fold, so a class needs at least as "
        "many rows as there are folds. Use fewer folds, or merge rare classes.",
    ),
    ErrorCode(
        "D520",
        "rows cannot be split into training and test rows",
        "All rows are copies of one row, or belong to one group, or there is only one row. Such "
        "rows stay together, so none are left to train on or to test on. Check whether the table "
        "holds the same row many times, or whether the column of groups has one value only.",
    ),
)
