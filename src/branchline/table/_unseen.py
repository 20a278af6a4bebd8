"""What a later table holds that the schema does not know: new categories and columns.

1. A category is unseen when it was not there at fit; learners treat it as missing.
2. Columns that the schema does not know are ignored; those that only differ in capitals from a
   column that is missing are probably meant.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from branchline.table._column import UNSEEN_CODE
from branchline.table._fit_column import fit_column

if TYPE_CHECKING:
    from branchline.table._schema import Schema
    from branchline.table._table import Table

__all__ = ["Unseen", "unseen_categories"]

_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Unseen:
    """A column in which some categories were not there at fit.

    Parameters
    ----------
    name
        The column's name.
    n_rows
        How many rows hold an unseen category.
    share
        Their share of all rows.
    values
        The unseen categories, most frequent first.
    """

    name: str
    n_rows: int
    share: float
    values: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(repr(value) for value in self.values[:_MOST_SHOWN])
        n_more = len(self.values) - _MOST_SHOWN
        more = f" and {n_more} more" if n_more > 0 else ""
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
        return f"{self.name}: {rows} ({100 * self.share:.3g} %) hold {shown}{more}"


def unseen_categories(schema: "Schema", table: "Table") -> tuple[Unseen, ...]:
    """Return the columns of ``table`` that hold categories which the schema does not know."""
    found = []
    for field in schema:
        if field.type.kind != "category" or field.name not in table.schema.position:
            continue
        column = table.column(field.name)
        rows = np.flatnonzero(fit_column(field, column).values == UNSEEN_CODE)
        if not len(rows):
            continue
        cells = column.take(rows).to_list()
        values, counts = np.unique([str(cell) for cell in cells], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        names = tuple(values[order].tolist())
        found.append(Unseen(field.name, len(rows), len(rows) / table.n_rows, names))
    return tuple(found)
