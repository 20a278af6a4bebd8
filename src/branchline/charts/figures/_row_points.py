"""Rows as points of two axes, colored by a column: categories, or ranges of a number."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from branchline._plain_numbers import cell
from branchline.charts._marks import Color, Floats, Points
from branchline.errors import ParameterError, Repair

__all__ = ["row_points"]

_MOST_COLORS = 8
_RANGES = 4
_MISSING, _OTHERS = "missing", "others"


def row_points(places: Floats, color: Sequence[Any] | None) -> list[Points]:
    """Return rows as points; those of one value of ``color`` have one color.

    Parameters
    ----------
    places
        Where each row lies on the two axes.
    color
        A value for each row. Numbers with more than 8 values are shown as four ranges with equally
        many rows; of more than 8 categories the 8 largest are named.

    See Also
    --------
    Points : dots, each with an interval where one is known.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.charts import row_points
    >>> len(row_points(np.zeros((4, 2)), ["a", "b", "a", "b"]))
    2
    """
    if color is None:
        return [Points(places[:, 0], places[:, 1], "rows")]
    if len(color) != len(places):
        raise _another_length(len(color), len(places))
    names, texts = _named(list(color))
    marks = [
        Points(places[texts == name, 0], places[texts == name, 1], name, _color(name, at))
        for at, name in enumerate(names)
    ]
    return [mark for mark in marks if len(mark.x)]


def _color(name: str, place: int) -> Color:
    return "quiet" if name in {_MISSING, _OTHERS} else place


def _named(values: list[Any]) -> tuple[list[str], Any]:
    """Return the names in the order of the legend, and the name of each row."""
    texts = np.array([_MISSING if _is_missing(value) else str(value) for value in values])
    known = texts != _MISSING
    if _are_numbers(values, known) and len(set(texts[known])) > _MOST_COLORS:
        names, texts = _ranges(values, texts, known)
        return [*names, _MISSING], texts
    found, n_rows = np.unique(texts[known], return_counts=True)
    shown = sorted(found[np.argsort(-n_rows, kind="stable")][:_MOST_COLORS])
    texts = np.where(~known | np.isin(texts, shown), texts, _OTHERS)
    return [*map(str, shown), _OTHERS, _MISSING], texts


def _ranges(values: list[Any], texts: Any, known: Any) -> tuple[list[str], Any]:
    """Return four ranges with about equally many rows, and the range of each row."""
    numbers = np.array([float(value) for value, is_there in zip(values, known, strict=True)
                        if is_there])  # fmt: skip
    cuts = np.unique(np.quantile(numbers, np.arange(1, _RANGES) / _RANGES))
    cuts = cuts[(cuts > numbers.min()) & (cuts <= numbers.max())]
    ends = [cell(float(end), 3) for end in (numbers.min(), *cuts, numbers.max())]
    names = [
        f"{low} to {high}" if high == ends[-1] else f"{low} to below {high}"
        for low, high in pairwise(ends)
    ]
    texts = texts.astype(object)
    texts[known] = np.array(names, dtype=object)[np.searchsorted(cuts, numbers, side="right")]
    return names, texts.astype(str)


def _are_numbers(values: list[Any], known: Any) -> bool:
    kinds = (int, float, np.integer, np.floating)
    some = [value for value, is_there in zip(values, known, strict=True) if is_there]
    return bool(some) and all(isinstance(one, kinds) and not isinstance(one, bool) for one in some)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and not np.isfinite(value))


def _another_length(n_colors: int, n_rows: int) -> ParameterError:
    return ParameterError(
        f"color has {n_colors} values for {n_rows} rows; it needs one for each row.",
        code="P740",
        values=[n_colors],
        repair=Repair("color=table.column('name').to_list()  # of the rows that are drawn"),
    )
