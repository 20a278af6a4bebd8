"""Distances and trees of clusters (D670 to D679, P670 to P679)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D670",
        "a matrix that does not hold distances",
        "With metric='precomputed' the table is a square matrix: a row and a column for each row, "
        "numbers of at least 0, none missing, symmetric, and 0 on the diagonal. The message says "
        "which of these fails. distances(X) makes such a matrix of any table.",
    ),
    ErrorCode(
        "P671",
        "Ward's linkage with distances that are not Euclidean",
        "Ward's linkage measures squared distances from means, which only Euclidean distances "
        "have. Use metric='euclidean' (or 'auto'), or another linkage such as 'average'.",
    ),
    ErrorCode(
        "P672",
        "a plane of a map for a term that the map does not have",
        "draw(columns=[...]) of a self-organizing map takes the names of terms: a column of "
        "numbers, or a category of a column written as 'column=category'. Columns that do not vary "
        "have no term. The message lists the first terms.",
    ),
)
