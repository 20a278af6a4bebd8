"""``frequent_item_sets``: every set of items that occurs together in enough baskets.

The search is native (Eclat on bit sets, ``item_sets.hpp``); its result does not depend on the order
of baskets or the number of threads. A set is *closed* when no larger one is in as many baskets, and
*maximal* when no larger one is frequent.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Bools, Ints
from branchline._plain_numbers import count, fine_percent
from branchline._plain_text import shorten
from branchline._result_frame import Library, result_frame
from branchline._validation import AnyOf, OneOf, Real, Whole, check_parameters, count_threads
from branchline.density._baskets import Baskets, as_baskets
from branchline.errors import ParameterError, Repair

__all__ = ["MAX_SETS", "FoundSets", "ItemSets", "find_sets", "frequent_item_sets"]

MIN_SUPPORT = AnyOf((Real(0, 1, low_open=True), Whole(1)))
MAX_ITEMS = AnyOf((OneOf((None,)), Whole(1, 1000)))
MAX_SETS = 1_000_000
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class FoundSets:
    """Frequent item sets as arrays.

    Parameters
    ----------
    baskets
        Where they were found.
    min_count
        The least number of baskets of a set.
    starts, codes
        The items of set s are ``codes[starts[s]:starts[s + 1]]``, ascending.
    counts
        How many baskets hold each set.
    without
        For each item of each set (as ``codes``): the set without it; −1 is the empty set.
    """

    baskets: Baskets
    min_count: int
    starts: Ints
    codes: Any
    counts: Ints
    without: Ints

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def sizes(self) -> Ints:
        """The number of items of each set."""
        return np.diff(self.starts)

    @cached_property
    def item_counts(self) -> Ints:
        """How many baskets hold each item; 0 for items that are not frequent."""
        counts = np.zeros(len(self.baskets.items), dtype=np.int64)
        is_single = self.sizes == 1
        counts[self.codes[self.starts[:-1][is_single]]] = self.counts[is_single]
        return counts

    def names(self, place: int) -> tuple[str, ...]:
        """Return the items of a set, the most frequent first; ties by name."""
        codes = self.codes[self.starts[place] : self.starts[place + 1]]
        named = sorted((-int(self.item_counts[code]), self.baskets.items[code]) for code in codes)
        return tuple(name for _, name in named)

    def named_sets(self, places: Ints) -> tuple[tuple[tuple[str, ...], ...], Ints]:
        """Return the items of these sets as ``names`` does, and the places: most baskets first.

        Ties of sets go by the number of items, then by the names.
        """
        items = self.baskets.items
        by_name, by_count = np.empty((2, len(items)), dtype=np.int64)
        by_name[sorted(range(len(items)), key=items.__getitem__)] = np.arange(len(items))
        by_count[np.lexsort((by_name, -self.item_counts))] = np.arange(len(items))
        set_of_code = np.repeat(np.arange(len(self)), self.sizes)
        codes = self.codes[np.lexsort((by_count[self.codes], set_of_code))]
        column = np.arange(len(codes)) - np.repeat(self.starts[:-1], self.sizes)
        words = np.full((int(self.sizes.max(initial=0)), len(self)), -1)
        words[column, set_of_code] = by_name[codes]
        keys = (*words[::-1, places], self.sizes[places], -self.counts[places])
        order = places[np.lexsort(keys)]
        named = [items[code] for code in codes.tolist()]
        ends = zip(self.starts[order].tolist(), self.starts[order + 1].tolist(), strict=True)
        return tuple(tuple(named[first:last]) for first, last in ends), order

    def has_larger(self, *, equal: bool) -> Bools:
        """Return which sets have a larger frequent one; with ``equal``, in as many baskets."""
        larger = np.repeat(np.arange(len(self)), self.sizes)
        counted = self.without >= 0
        if equal:
            counted &= self.counts[self.without] == self.counts[larger]
        found = np.zeros(len(self), dtype=bool)
        found[self.without[counted]] = True
        return found


@dataclass(frozen=True)
class ItemSets:
    """Sets of items that occur together, the most frequent first.

    Parameters
    ----------
    sets
        The items of each set.
    counts
        How many baskets hold each set.
    n_baskets
        The number of baskets.
    min_count
        The least number of baskets of a set.
    noun
        What a basket is called: "basket", or "row" of a table.

    See Also
    --------
    frequent_item_sets : find every set of items that occurs together in enough baskets.

    Examples
    --------
    >>> from branchline.density import frequent_item_sets
    >>> frequent_item_sets([["a", "b"], ["a", "b", "c"], ["a"], []], min_support=2).counts
    (3, 2, 2)
    """

    sets: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    n_baskets: int
    min_count: int
    noun: str = "basket"

    def __len__(self) -> int:
        return len(self.sets)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        return zip(self.sets, self.counts, strict=True)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each set, as a frame of pandas or polars."""
        return result_frame(
            {
                "items": [", ".join(names) for names in self.sets],
                "n_items": [len(names) for names in self.sets],
                "count": list(self.counts),
                "support": [n / self.n_baskets for n in self.counts],
            },
            library,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the sets as plain values."""
        pairs = [{"items": list(names), "count": n} for names, n in self]
        return {"n_baskets": self.n_baskets, "min_count": self.min_count, "sets": pairs}

    def __str__(self) -> str:
        n = count(len(self), "item set")
        lines = [f"{n} in at least {self.min_count:,} of {count(self.n_baskets, self.noun)}"]
        for names, n_held in list(self)[:_MOST_SHOWN]:
            share = fine_percent(n_held / self.n_baskets)
            lines.append(f"  {n_held:>7,}  {share:>7}  {shorten(', '.join(names), 70)}")
        if len(self) > _MOST_SHOWN:
            lines.append(f"  … and {len(self) - _MOST_SHOWN:,} more")
        return "\n".join(lines)


def frequent_item_sets(
    data: Any,
    *,
    min_support: float = 0.01,
    max_items: int | None = None,
    kind: str = "all",
    max_sets: int = MAX_SETS,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> ItemSets:
    """Find every set of items that occurs together in enough baskets.

    Parameters
    ----------
    data
        Baskets, or a table whose cells are items: see ``as_baskets``.
    min_support
        The least share of baskets that hold the set, or (a whole number) the least number.
        Default 0.01.
    max_items
        The largest number of items in a set. Default: no limit.
    kind
        "all" (default); "closed": only sets of which no larger one is in as many baskets, from
        which the others follow; "maximal": only sets of which no larger one is frequent.
    max_sets
        With more sets than this, an error is raised instead of filling the memory. Default 1000000.
    sample_weight
        How many baskets each one stands for: whole numbers. Default None: one each.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    See Also
    --------
    ItemSets : sets of items that occur together, the most frequent first.

    Examples
    --------
    >>> from branchline.density import frequent_item_sets
    >>> found = frequent_item_sets([["a", "b"], ["a", "b", "c"], ["a"], []], min_support=2)
    >>> dict(found)[("a", "b")]
    2
    """
    check_parameters(
        "frequent_item_sets",
        {"kind": kind, "max_sets": max_sets},
        {"kind": OneOf(("all", "closed", "maximal")), "max_sets": Whole(1)},
    )
    baskets = as_baskets(data, sample_weight=sample_weight)
    found = find_sets(baskets, min_support, max_items, max_sets, n_jobs)
    kept = np.arange(len(found))
    if kind != "all":
        kept = np.flatnonzero(~found.has_larger(equal=kind == "closed"))
    sets, order = found.named_sets(kept)
    return ItemSets(
        sets,
        tuple(found.counts[order].tolist()),
        baskets.total,
        found.min_count,
        baskets.noun,
    )


def find_sets(
    baskets: Baskets,
    min_support: float,
    max_items: int | None,
    max_sets: int,
    n_jobs: int | None,
    *,
    owner: str = "frequent_item_sets",
) -> FoundSets:
    """Return the frequent sets as arrays; ``owner`` is the function that errors name."""
    check_parameters(
        owner,
        {"min_support": min_support, "max_items": max_items},
        {"min_support": MIN_SUPPORT, "max_items": MAX_ITEMS},
    )
    least = _min_count(min_support, baskets.total)
    found: Any = _core.frequent_item_sets(
        baskets.starts,
        baskets.codes,
        baskets.weights,
        len(baskets.items),
        (least, len(baskets.items) + 1 if max_items is None else max_items, max_sets),
        count_threads(n_jobs, len(baskets.codes)),
    )
    if found is None:
        raise _too_many(min_support, max_sets, owner)
    starts, codes, counts, without = found
    return FoundSets(baskets, least, starts, codes, counts, without)


def _min_count(min_support: float, total: int) -> int:
    """Return the least number of baskets; a share of 0.1 % of 9,835 baskets is 10."""
    if isinstance(min_support, int | np.integer):
        return int(min_support)
    return max(1, math.ceil(min_support * total * (1 - 1e-12)))


def _too_many(min_support: float, max_sets: int, owner: str) -> ParameterError:
    is_count = isinstance(min_support, int | np.integer)
    larger = f"{2 * min_support}" if is_count else f"{min(1.0, 2 * min_support):.3g}"
    ways = "a larger min_support or fewer items in a set (max_items"
    ways += ", --max-items)" if owner == "association_rules" else "), or more sets (max_sets)"
    return ParameterError(
        f"More than {count(max_sets, 'item set')} reach this support. Ask for {ways}.",
        code="P651",
        values=[min_support],
        repair=Repair(f"{owner}(data, min_support={larger})", f"--min-support {larger}"),
    )
