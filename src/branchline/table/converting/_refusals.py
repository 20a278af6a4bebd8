"""What is wrong with texts that shall become numbers or dates, with the cells and the repair."""

import shlex
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from branchline.errors import KindError, Repair
from branchline.table.converting._missing_marks import are_marks
from branchline.table.converting._numbers import usual_way
from branchline.table.converting._odd_cells import (
    Origin,
    in_python,
    missing_argument,
    missing_flags,
)
from branchline.table.converting._reading import read_texts
from branchline.table.converting._written import Written

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TwoWays", "ambiguous_texts", "kind_flag", "refused_texts", "two_ways"]

_MOST_TOKENS = 10


class TwoWays(NamedTuple):
    """Two ways of reading that both fit a column: a text that they read differently, and how."""

    example: str
    ways: tuple[Written, Written]
    meanings: tuple[str, str]


def two_ways(distinct: "pl.Series", ways: tuple[Written, Written]) -> TwoWays:
    """Return what two ways of reading make of a text that they read differently."""
    import polars as pl

    both = [read_texts(distinct, way) for way in ways]
    place = int((both[0] != both[1]).cast(pl.Int8).arg_max() or 0)
    if ways[0].what == "number":  # the sign need not be said
        ways = (Written("number", ways[0].detail[:1]), Written("number", ways[1].detail[:1]))
    return TwoWays(distinct[place], ways, (str(both[0][place]), str(both[1][place])))


def ambiguous_texts(
    name: str, distinct: "pl.Series", found: tuple[Written, Written], origin: Origin = "frame"
) -> KindError:
    """Return the error that asks which of two ways of reading is meant."""
    example, ways, meanings = two_ways(distinct, found)
    what = "dates" if ways[0].what == "date" else "numbers"
    kinds = [f"kinds={{{name!r}: {str(way)!r}}}" for way in ways]
    flags = [kind_flag(name, way) for way in ways]
    return KindError(
        f"Column {name!r} holds {what} that can be read in two ways: {example!r} is {meanings[0]} "
        f"or {meanings[1]}, and no value decides. Say which.",
        code="K102" if what == "dates" else "K101",
        column=name,
        values=distinct.head(3).to_list(),
        repair=Repair(
            f"{in_python(kinds[0], origin)}  # {meanings[0]}\n# or: {kinds[1]}  # {meanings[1]}",
            f"{flags[0]} for {meanings[0]}, {flags[1]} for {meanings[1]}, or "
            f"{kind_flag(name, 'category')} to keep the texts",
        ),
    )


def kind_flag(name: str, kind: Written | str) -> str:
    """Return the option of the command line that reads a column so."""
    return f"--kind {shlex.quote(f'{name}={kind}')}"


def refused_texts(
    name: str, texts: "pl.Series", asked: Written, prefer: str, origin: Origin
) -> KindError:
    """Return the error for texts that do not fit the kind that was asked for.

    Only the cells that cannot be read are named: neither those written as most others are, nor
    well-known marks for a missing value.
    """
    way = usual_way(texts, prefer) if asked.what == "number" and not asked.detail else asked
    unfit = read_texts(texts, way).is_null() & texts.is_not_null() & ~are_marks(texts)
    rows = np.flatnonzero(unfit.to_numpy())
    odd = texts.filter(unfit).unique(maintain_order=True).to_list()
    flag = kind_flag(name, "category")
    python = in_python(f"kinds={{{name!r}: 'category'}}", origin)
    if len(odd) <= _MOST_TOKENS and 2 * len(rows) <= len(texts) - texts.null_count():
        flag = f"{missing_flags(odd)} if they mean missing; else {flag}, or correct the cells"
        python = in_python(missing_argument(odd, origin), origin, "if these mean missing:")
    return KindError(
        f"Column {name!r} cannot be of kind {str(asked)!r}: {len(rows)} of its {len(texts)} "
        f"cells hold text that {'is not a number' if asked.what == 'number' else 'does not fit'}.",
        code="K002",
        column=name,
        rows=rows[:5],
        n_rows=len(rows),
        values=odd[:5],
        repair=Repair(python, flag),
    )
