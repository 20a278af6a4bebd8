"""``read_baskets``: baskets from a file, one on each line, or one item on each line."""

import csv
from typing import Any

from branchline.density._baskets import Baskets, as_baskets, baskets_of_pairs
from branchline.errors import ParameterError, Repair
from branchline.table import as_table, read_table
from branchline.table.files import decode, open_source, sniff_delimiter

__all__ = ["check_pair", "read_baskets"]


def read_baskets(
    path: Any,
    *,
    basket_column: str | None = None,
    item_column: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Baskets:
    r"""Read baskets from a file.

    Without columns, each line is a basket: its items, separated. Blank lines are left out. With
    ``basket_column`` and ``item_column``, the file is a table (of any format) with one row for each
    item of each basket.

    Parameters
    ----------
    path
        A file (also compressed), a file object, or "-" for standard input.
    basket_column, item_column
        The columns that name the basket and the item. Default None: each line is a basket.
    delimiter
        The character between items. Default: found by itself.
    encoding
        The encoding of the text. Default: found by itself.

    See Also
    --------
    Baskets : collections of items.

    Examples
    --------
    >>> import io
    >>> from branchline.density import read_baskets
    >>> read_baskets(io.StringIO("milk, bread\nmilk\n"))[0]
    ('bread', 'milk')
    """
    check_pair(basket_column, item_column)
    if basket_column is not None and item_column is not None:
        table = as_table(read_table(path, encoding=encoding))
        baskets, items = (table.column(name).to_list() for name in (basket_column, item_column))
        return baskets_of_pairs(baskets, items)
    text = decode(open_source(path), encoding)
    lines = csv.reader(text.splitlines(), delimiter=delimiter or sniff_delimiter(text))
    return as_baskets([line for line in lines if any(item.strip() for item in line)])


def check_pair(basket_column: str | None, item_column: str | None) -> None:
    """Refuse a column of baskets without one of items, and the other way round."""
    if (basket_column is None) != (item_column is None):
        raise ParameterError(
            "A column that names the basket and one that names the item go together. Only one of "
            "them was given.",
            code="P653",
            repair=Repair(
                'read_baskets(path, basket_column="order", item_column="product")',
                "--basket order --item product",
            ),
        )
