"""Baskets, item sets and association rules (D650 to D659, P650 to P659)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D650",
        "a text instead of a basket",
        "A basket is a collection of items: a list, a tuple or a set of texts. A single text would "
        "be read letter by letter. Split it at its separator.",
    ),
    ErrorCode(
        "P650",
        "weights of baskets that are not whole",
        "The weight of a basket says how many baskets it stands for: a whole number from 0 up, one "
        "for each basket.",
    ),
    ErrorCode(
        "P651",
        "too many item sets",
        "With n items there are 2ⁿ sets; a small support lets too many of them through. Ask for a "
        "larger support, for fewer items in a set, or allow more sets.",
    ),
    ErrorCode(
        "P652",
        "a conclusion that is not an item",
        "Rules conclude an item of the baskets, or the values of a column of a table. The message "
        "lists some of them.",
    ),
    ErrorCode(
        "P653",
        "a basket without items, or items without a basket",
        "A table with one row for each item of each basket has a column that names the basket and "
        "one that names the item. Both must be given.",
    ),
)
