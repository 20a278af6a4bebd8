"""Bayesian networks (D700 and on, D930, P700 and on)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D700",
        "exact inference that does not fit in memory",
        "Variable elimination multiplies tables over several columns. In a dense network, with "
        "many unknown columns, such a table can be larger than the memory. Fit a network with "
        "fewer parents (max_parents), give more evidence, or allow more memory with "
        "BRANCHLINE_MEMORY.",
    ),
    ErrorCode(
        "D701",
        "too many columns for a network",
        "A network compares all pairs of columns, so it is limited to 1,000 columns. With fewer "
        "rows than columns, most edges would be chance. Choose columns first, by their meaning "
        "or with branchline.features.",
    ),
    ErrorCode(
        "D930",
        "no column that a network can use",
        "A network joins columns that have at least two values, each in several rows. Constants, "
        "empty columns, identifiers, names and free text are left out, and here nothing else is "
        "left. Add columns that describe the rows, or keep one that was set aside (--keep NAME).",
    ),
    ErrorCode(
        "P700",
        "a name that is not a column of the network",
        "Columns of a network are those of the table that have at least two values that several "
        "rows have; names_ lists them, left_out_ lists the others.",
    ),
    ErrorCode(
        "P701",
        "an edge that is not a pair",
        "Edges are given as a list of pairs (parent, child), such as [('smoke', 'lung')].",
    ),
    ErrorCode(
        "P702",
        "rules for edges that contradict each other",
        "An edge cannot be both required and forbidden (also by an order or a root), required "
        "edges must not form a cycle, and a column cannot have more required parents "
        "than max_parents.",
    ),
    ErrorCode(
        "P703",
        "a structure without its target",
        "In the structures 'naive' and 'tan' one column is the parent of all others. Name it with "
        "target.",
    ),
    ErrorCode(
        "P704",
        "too many columns for the exact search",
        "The exact search looks at all sets of columns, and their number doubles with each column. "
        "Use structure='hill_climbing' or 'auto' for larger tables.",
    ),
    ErrorCode(
        "P705",
        "evidence that is not a mapping",
        "Evidence says which columns are known: a mapping such as {'smoke': 'yes', 'age': 61}.",
    ),
    ErrorCode(
        "P706",
        "evidence with a value that no training row has",
        "The value of a category must be one of the training rows; the value of a column of "
        "numbers must be a number or the name of one of its bins. The message lists the levels.",
    ),
    ErrorCode(
        "P707",
        "too few bootstrap networks",
        "The stability of an edge is the share of networks, fitted to resampled rows, that contain "
        "it. At least 2 networks are needed; 100 give shares to about 10 percentage points.",
    ),
)
