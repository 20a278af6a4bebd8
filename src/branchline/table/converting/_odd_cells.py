"""Columns of numbers or dates that a few cells turn into names: which cells, and what to do.

1. A text is readable when it is written as most others of its column are: as a number, in a unit or
   not, or in one format of dates.
2. The texts that are not readable are the odd ones. Where all of them are well-known marks for a
   missing value ("-", "n/a"), they count as missing, with the warning W020.
3. A column of which at least nine in ten cells are readable, but not all others are such marks,
   stays names, with the warning W021, which lists the odd texts.
"""

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from branchline._plain_numbers import count, joined
from branchline._warn import warn
from branchline.errors import BranchlineWarning, Repair
from branchline.table.converting._dates import date_formats_of
from branchline.table.converting._missing_marks import are_marks
from branchline.table.converting._numbers import look_like_numbers
from branchline.table.converting._value_words import may_be_values
from branchline.table.files._files import DEFAULT_MISSING

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Marked",
    "NearlyReadable",
    "Origin",
    "in_python",
    "marked",
    "missing_argument",
    "missing_flags",
    "nearly_readable",
    "readable_texts",
    "tell_marks",
    "tell_odd_cells",
    "tell_unreadable",
]

# Where the texts come from, which decides how a repair is written in Python.
Origin: TypeAlias = Literal["file", "frame"]

_ENOUGH = 0.9
_FEWEST_VALUES = 10
_MOST_ODD = 10
_MOST_SHOWN = 5
_SAMPLE = 64


@dataclass(frozen=True)
class NearlyReadable:
    """A column of texts that are numbers or dates but for a few.

    Parameters
    ----------
    what
        "numbers" or "dates".
    n_readable
        Number of cells that can be read.
    n_present
        Number of cells that are not missing.
    odd
        The other texts with the number of their cells, most frequent first; well-known marks for a
        missing value are left out.
    """

    what: str
    n_readable: int
    n_present: int
    odd: tuple[tuple[str, int], ...]


def readable_texts(distinct: "pl.Series") -> "tuple[str, pl.Series]":
    """Return what most texts are ("numbers" or "dates"), and which of them are readable as such."""
    numbers = look_like_numbers(distinct)
    best, n_best = ("numbers", numbers), int(numbers.sum())
    if 2 * n_best >= len(distinct):
        return best
    for form in date_formats_of(distinct):
        fits = distinct.str.contains(form.pattern)
        if int(fits.sum()) > n_best:
            best, n_best = ("dates", fits), int(fits.sum())
    return best


def nearly_readable(
    texts: "pl.Series", counted: "pl.DataFrame | None" = None
) -> NearlyReadable | None:
    """Return the odd cells of a column of texts; None when it is not nearly numbers or dates.

    ``counted`` says how many cells hold each text, where ``texts`` stand for more cells.
    """
    if not may_be_values(texts.head(_SAMPLE).drop_nulls().to_list()):
        return None
    counts = _cells_of(texts, counted)
    what, fits = readable_texts(counts["text"])
    odd = counts.filter(~fits & ~are_marks(counts["text"]))
    n_present, n_readable = int(counts["n"].sum()), int(counts.filter(fits)["n"].sum())
    if not 0 < len(odd) <= _MOST_ODD or int(fits.sum()) < _FEWEST_VALUES:
        return None
    if n_readable < _ENOUGH * n_present:
        return None
    return NearlyReadable(what, n_readable, n_present, tuple(odd.rows()))


def _cells_of(texts: "pl.Series", counted: "pl.DataFrame | None" = None) -> "pl.DataFrame":
    """Return the distinct texts with the number of their cells, most frequent first."""
    if counted is None:
        counts = texts.alias("text").drop_nulls().value_counts(name="n")
    else:
        counts = counted.filter(counted["text"].is_in(texts.drop_nulls().unique().to_list()))
    return counts.sort(["n", "text"], descending=[True, False])


# -- warnings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marked:
    """A column of numbers or dates in which some texts count as missing.

    Parameters
    ----------
    name
        Its name.
    what
        What all other cells are: "numbers", "dates".
    marks
        The texts with the number of their cells, most frequent first.
    """

    name: str
    what: str
    marks: tuple[tuple[str, int], ...]


def marked(
    name: str,
    texts: "pl.Series",
    marks: Collection[str],
    what: str,
    counted: "pl.DataFrame | None" = None,
) -> Marked:
    """Return which texts of a column count as missing, with the number of their cells."""
    cells = _cells_of(texts.filter(texts.is_in(list(marks))), counted)
    return Marked(name, what, tuple(cells.rows()))


def tell_marks(found: Sequence[Marked], origin: Origin = "frame") -> None:
    """Warn, once for all columns, that some of their texts count as missing."""
    if not found:
        return
    first = found[0].name
    name, which = (first, "the texts") if len(found) == 1 else ("NAME", "the texts of a column")
    kinds = f"kinds={{{name!r}: 'category'}}"
    warn(
        BranchlineWarning(
            _marks_words(found),
            code="W020",
            repair=Repair(
                f"{in_python(kinds, origin)}  # keeps {which}",
                f"--kind {shlex.quote(f'{name}=category')} keeps {which}",
            ),
        ),
    )


def _marks_words(found: Sequence[Marked]) -> str:
    if len(found) == 1:
        verb = "count" if len(found[0].marks) > 1 else "counts"
        shown = _with_counts(found[0].marks)
        return (
            f"Column {found[0].name!r}: {shown} {verb} as missing; all other cells are "
            f"{found[0].what}."
        )
    columns = [f"{one.name!r} ({_with_counts(one.marks)})" for one in found[:_MOST_SHOWN]]
    if len(found) > _MOST_SHOWN:
        columns.append(f"{count(len(found) - _MOST_SHOWN, 'more column')}")
    what = joined(sorted({one.what for one in found}), last="or")
    return f"{len(found)} columns of {what} hold texts that count as missing: {'; '.join(columns)}."


def tell_unreadable(found: Marked) -> None:
    """Warn that texts of a later table, where a model learned numbers or dates, are missing."""
    verb = "count" if len(found.marks) > 1 else "counts"
    texts = [text for text, _ in found.marks]
    warn(
        BranchlineWarning(
            f"Column {found.name!r} held {found.what} when the model was fitted. "
            f"{_with_counts(found.marks)} cannot be read as such and {verb} as missing.",
            code="W030",
            repair=Repair(
                f"Table(X, {missing_argument(texts, 'frame')})  # in training, too, if these mean "
                "missing; else correct the cells",
                f"{missing_flags(texts)} in training, too, if missing is meant; else correct the "
                "cells",
            ),
        ),
    )


def tell_odd_cells(name: str, found: NearlyReadable, origin: Origin = "frame") -> None:
    """Warn that a few cells keep a column from being numbers or dates."""
    odd = [text for text, _ in found.odd]
    warn(
        BranchlineWarning(
            f"Column {name!r} is read as names without order: {found.n_readable:,} of its "
            f"{found.n_present:,} cells are {found.what}, but not {_with_counts(found.odd)}.",
            code="W021",
            repair=Repair(
                in_python(missing_argument(odd, origin), origin, "if these mean missing:"),
                f"{missing_flags(odd)} if {'they mean' if len(odd) > 1 else 'it means'} missing; "
                "else correct the cells",
            ),
        ),
    )


def _with_counts(pairs: Sequence[tuple[str, int]]) -> str:
    return joined([f"{text!r} ({count(n_cells, 'cell')})" for text, n_cells in pairs], _MOST_SHOWN)


def missing_flags(texts: list[str]) -> str:
    """Return the options of the command line that make some texts mean missing."""
    return " ".join(f"--missing {shlex.quote(text)}" for text in texts)


def missing_argument(texts: list[str], origin: Origin) -> str:
    """Return the argument that makes some texts mean missing, in Python."""
    more = [text for text in texts if text not in DEFAULT_MISSING]
    return f"missing={[*DEFAULT_MISSING, *more] if origin == 'file' else more!r}"


def in_python(argument: str, origin: Origin, comment: str | None = None) -> str:
    """Return the line that makes the table again, of a file or a frame, with an argument."""
    maker, data = ("read_table", "path") if origin == "file" else ("Table", "X")
    before = f"# {comment}\n" if comment else ""
    return f"from branchline import {maker}\n{before}table = {maker}({data}, {argument})"
