"""Baskets, item sets, association rules (D650, P650 and on); mixtures (W057 and W058)."""

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
    ErrorCode(
        "W057",
        "fewer different rows than components",
        "A component needs a row of its own. Equal rows count once. Ask for fewer components, or "
        'for n_components="auto".',
    ),
    ErrorCode(
        "W058",
        "a mixture that has not settled",
        "The likelihood still rises when the turns of EM are used up. The model can be used, but "
        "more turns (max_iter) or a larger tol give one that is at rest.",
    ),
)
