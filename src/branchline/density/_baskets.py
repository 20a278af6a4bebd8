"""Baskets: collections of items, from lists, files, tables and matrices.

Items are numbered by how many baskets hold them, the rarest first (ties by name). A basket holds an
item once or not at all. Items of a table are its cells: "sex = female", "age ≤ 30"; a missing cell
is not an item.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Bools, Floats, Ints
from branchline._plain_numbers import count as plain_count
from branchline.density._table_items import Item, items_of_table
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import Table, as_table

__all__ = ["Baskets", "as_baskets", "baskets_of_pairs"]

Names: TypeAlias = Sequence[str]
Codes: TypeAlias = npt.NDArray[np.uint32]

_MOST_BASKETS = 2**53  # counts are whole numbers, and shares of them floats


@dataclass(frozen=True, eq=False)
class Baskets:
    """Collections of items; make them with ``as_baskets`` or ``read_baskets``.

    Parameters
    ----------
    items
        The name of each item, the rarest first.
    starts, codes
        The items of basket b are ``codes[starts[b]:starts[b + 1]]``, ascending.
    weights
        How many baskets each one stands for; None: each for one.
    columns
        Of a table: the column that each item is a value of. Empty otherwise.

    See Also
    --------
    as_baskets : return data as baskets.
    read_baskets : read baskets from a file.

    Examples
    --------
    >>> from branchline.density import as_baskets
    >>> len(as_baskets([["bread", "milk"], ["milk"], []]).items)
    2
    """

    items: tuple[str, ...]
    starts: Ints
    codes: Codes
    weights: Ints | None = None
    columns: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return (
            f"Baskets({plain_count(len(self), 'basket')}, {plain_count(len(self.items), 'item')})"
        )

    @property
    def noun(self) -> str:
        """What one is called: "row" of a table, else "basket"."""
        return "row" if self.columns else "basket"

    @property
    def total(self) -> int:
        """The number of baskets, weighted."""
        return len(self) if self.weights is None else int(self.weights.sum())

    def __getitem__(self, place: int) -> tuple[str, ...]:
        """Return the items of one basket."""
        codes = self.codes[self.starts[place] : self.starts[place + 1]]
        return tuple(self.items[code] for code in codes)

    def holds(self, item: str) -> Bools:
        """Return which baskets hold an item; none, when no basket does."""
        held = np.zeros(len(self), dtype=bool)
        if item in self.items:
            places = np.flatnonzero(self.codes == self.items.index(item))
            held[np.searchsorted(self.starts, places, side="right") - 1] = True
        return held

    def count(self, which: Bools) -> int:
        """Return how many baskets these are, weighted."""
        return int(which.sum() if self.weights is None else self.weights[which].sum())


def as_baskets(data: Any, *, sample_weight: Any = None) -> Baskets:
    """Return data as baskets.

    Parameters
    ----------
    data
        A list of baskets, each a list or set of items; a table or frame, whose cells become items
        ("town = Mons", "30 < age ≤ 45"); a frame or matrix of True and False, or a sparse matrix,
        in which a cell says whether the basket holds the item; or ``Baskets``.
    sample_weight
        How many baskets each one stands for: whole numbers. Default None: one each.

    See Also
    --------
    Baskets : collections of items.

    Examples
    --------
    >>> from branchline.density import as_baskets
    >>> as_baskets([["bread", "milk"], ["milk"], []])
    Baskets(3 baskets, 2 items)
    """
    if isinstance(data, Baskets):
        return _weighted(data, sample_weight)
    if _is_yes_no(data):
        rows, places = data.nonzero() if sparse.issparse(data) else np.nonzero(np.asarray(data))
        names = [str(name) for name in _column_names(data)]
        return _weighted(_of_pairs(rows, places, names, (), data.shape[0]), sample_weight)
    if _is_list_of_baskets(data):
        return _weighted(_of_lists(data), sample_weight)
    return _weighted(_of_table(as_table(data)), sample_weight)


def _is_yes_no(data: Any) -> bool:
    """Return whether cells say if an item is there: a sparse matrix, or nothing but booleans."""
    if sparse.issparse(data):
        return True
    if isinstance(data, np.ndarray):
        return data.ndim == 2 and data.dtype == np.bool_
    if isinstance(data, Table) or not hasattr(data, "dtypes") or not hasattr(data, "columns"):
        return False
    kinds = [str(kind).lower() for kind in data.dtypes]
    return bool(kinds) and all(kind in {"bool", "boolean"} for kind in kinds)


def _column_names(data: Any) -> Iterable[Any]:
    return data.columns if hasattr(data, "columns") else range(data.shape[1])


def _is_list_of_baskets(data: Any) -> bool:
    if not isinstance(data, list | tuple):
        return False
    if any(isinstance(basket, str) for basket in data):
        raise DataError(
            "A basket is a collection of items, such as a list. A single text was given instead.",
            code="D650",
            rows=[place for place, basket in enumerate(data) if isinstance(basket, str)],
            repair=Repair('[text.split(",") for text in baskets]'),
        )
    return all(isinstance(basket, list | tuple | set | frozenset) for basket in data)


def _of_lists(baskets: Sequence[Iterable[Any]]) -> Baskets:
    cleaned = [_cleaned(basket) for basket in baskets]
    names = sorted({name for basket in cleaned for name in basket})
    place_of = {name: place for place, name in enumerate(names)}
    rows = np.repeat(np.arange(len(cleaned)), [len(basket) for basket in cleaned])
    places = np.array([place_of[name] for basket in cleaned for name in basket], dtype=np.int64)
    return _of_pairs(rows, places, names, (), len(cleaned))


def _cleaned(basket: Iterable[Any]) -> set[str]:
    """Return the items of a basket as texts; blanks around them and empty ones do not count."""
    texts = (str(item).strip() for item in basket if item is not None and item == item)
    return {text for text in texts if text}


def _of_table(table: Table) -> Baskets:
    items: list[Item] = [item for column in table.columns for item in items_of_table(column)]
    rows = np.concatenate([item.rows for item in items] or [np.zeros(0, dtype=np.int64)])
    places = np.repeat(np.arange(len(items)), [len(item.rows) for item in items])
    names, columns = [item.name for item in items], [item.column for item in items]
    return _of_pairs(rows, places, names, columns, table.n_rows)


def _of_pairs(
    rows: npt.NDArray[Any], places: npt.NDArray[Any], names: Names, columns: Names, n_baskets: int
) -> Baskets:
    """Return the baskets of (basket, item) pairs, items numbered by how often they occur."""
    n_of_item = np.bincount(places, minlength=len(names))
    order = sorted(range(len(names)), key=lambda place: (int(n_of_item[place]), names[place]))
    code_of_place = np.empty(len(names), dtype=np.uint32)
    code_of_place[order] = np.arange(len(names), dtype=np.uint32)
    codes = code_of_place[places]
    by_row = np.lexsort((codes, rows))
    starts = np.zeros(n_baskets + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_baskets), out=starts[1:])
    return Baskets(
        tuple(names[place] for place in order),
        starts,
        np.ascontiguousarray(codes[by_row]),
        columns=tuple(columns[place] for place in order) if columns else (),
    )


def _weighted(baskets: Baskets, sample_weight: Any) -> Baskets:
    if sample_weight is None:
        return baskets
    weights: Floats = np.asarray(sample_weight, dtype=np.float64)
    is_known = weights.shape == (len(baskets),) and bool(np.isfinite(weights).all())
    is_whole = is_known and bool((weights >= 0).all() and (weights == np.floor(weights)).all())
    if not is_whole or math.fsum(weights) > _MOST_BASKETS:
        raise ParameterError(
            f"sample_weight must be {plain_count(len(baskets), 'whole number')} from 0 up, at most "
            "2^53 in sum: how many baskets each one stands for.",
            code="P650",
            repair=Repair("association_rules(baskets)"),
        )
    return Baskets(
        baskets.items, baskets.starts, baskets.codes, weights.astype(np.int64), baskets.columns
    )


def baskets_of_pairs(baskets: Sequence[Any], items: Sequence[Any]) -> Baskets:
    """Return the baskets of a long table: one row for each basket and item."""
    groups: dict[Any, list[Any]] = {}
    for basket, item in zip(baskets, items, strict=True):
        groups.setdefault(basket, []).append(item)
    return _of_lists(list(groups.values()))
