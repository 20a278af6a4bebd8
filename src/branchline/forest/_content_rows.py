"""Rows as they are tested out of bag: where equal rows are natural, all copies of a row together.

1. In a table of few possible rows each copy is drawn by itself, and a row of weight k is k copies
   (``_trees._draws``).
2. Rows with equal codes, targets and units become one row with all their copies; a tree predicts
   it once for each copy that it does not hold. So k rows are tested as a row of weight k is.
"""

from dataclasses import dataclass

import numpy as np

from branchline import _core
from branchline._arrays import AnyArray, Places
from branchline._random import KeyedRows
from branchline._trees._draws import Draws

__all__ = ["ContentRows", "content_rows"]


@dataclass(frozen=True)
class ContentRows:
    """Rows that are tested out of bag, and which of them each row of the table is.

    Parameters
    ----------
    places
        The place in the table of each row that is tested; None: all rows, as they are.
    of_row
        Which of the tested rows each row of the table is; None as above.
    bag
        The copies of the tested rows that each tree draws.
    """

    places: Places | None
    of_row: Places | None
    bag: _core.Bag

    def chosen(self, of_rows: AnyArray) -> AnyArray:
        """Return what is known of all rows for those that are tested."""
        return of_rows if self.places is None else of_rows[self.places]

    def spread(self, of_tested: AnyArray) -> AnyArray:
        """Return what was found of the tested rows for all rows."""
        return of_tested if self.of_row is None else of_tested[self.of_row]


def content_rows(rows: KeyedRows, draws: Draws, bag: _core.Bag) -> ContentRows:
    """Return the rows to be tested: one for each content where equal rows are natural."""
    if not draws.repeats:
        return ContentRows(None, None, bag)
    units = np.ones(len(rows.keys), np.int64) if draws.units is None else draws.units
    content = np.rec.fromarrays([rows.keys, units])
    _, places, of_row = np.unique(content, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    if len(places) == len(of_row):
        return ContentRows(None, None, bag)
    copies = np.zeros(len(places), np.int64)
    np.add.at(copies, of_row, rows.copies)
    first = np.full(len(places), np.iinfo(np.int64).max)
    np.minimum.at(first, of_row, rows.first_copy)
    keys = np.ascontiguousarray(rows.keys[places])
    return ContentRows(places, of_row, _core.Bag(keys, copies, first, bag.kind, bag.rate, bag.seed))
