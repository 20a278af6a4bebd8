"""Columns that the user gives: named intervals of numbers, and questions about letters.

1. ``intervals={"temperature": {"cold": "< 70", "mild": 75, "hot": None}}``: names with their upper
   limits, in order; the last has none. The column is then tested by its intervals alone, in one
   test with a branch for each.
2. ``questions={"vowel": "aeiouy"}``: a named set of categories is asked of every category column
   that has some of them and others too: a window of letters, for example.
"""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from branchline._trees._derived import DerivedColumn, DerivedColumns
from branchline._trees._derived_kinds import Interval, Question
from branchline.errors import ParameterError, Repair
from branchline.table import Table
from branchline.tree.growing._settings import place_of
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["given_columns", "threshold_lists"]


def threshold_lists(intervals: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Return the intervals that are lists of thresholds, without those that have names."""
    given = intervals or {}
    return {name: one for name, one in given.items() if not isinstance(one, Mapping)}


def given_columns(table: Table, settings: TreeSettings) -> DerivedColumns | None:
    """Return the derived columns that the parameters ask for; None when there are none."""
    columns = [*_intervals(table, settings.intervals), *_questions(table, settings.questions)]
    if not columns:
        return None
    for column in columns:
        if column.name in table.schema.position:
            raise ParameterError(
                f"The test {column.name!r} would have the name of a column of the table.",
                code="P551",
                column=column.name,
                repair=Repair(f"X = X.rename(columns={{{column.name!r}: 'another name'}})"),
            )
    return DerivedColumns(table.n_columns, tuple(columns))


def _intervals(table: Table, intervals: Mapping[Any, Any] | None) -> list[DerivedColumn]:
    given = intervals or {}
    found: list[DerivedColumn] = []
    for name, named in given.items():
        if not isinstance(named, Mapping):
            continue
        column = table.names[place_of(table, name, "intervals", given, "numeric")]
        *limited, last = list(named.items()) or [(None, None)]
        limits = [limit for limit in (_limit(each) for _, each in limited) if limit is not None]
        if not _are_in_order(named, limits) or last[1] is not None:
            raise ParameterError(
                f"The named intervals of {column!r} must be at least two names with their upper "
                f"limits, which ascend, and None for the last. Got {dict(named)!r} instead.",
                code="P552",
                column=column,
                repair=Repair(f"intervals = {{{column!r}: {{'low': '< 70', 'high': None}}}}"),
            )
        names = tuple(str(one) for one in named)
        found.append(Interval(column, names, tuple(limits)))
    return found


def _are_in_order(named: Mapping[Any, Any], limits: list[float]) -> bool:
    """Whether all names but the last have a limit, and the limits ascend."""
    are_texts = all(isinstance(one, str) and one.strip() for one in named)
    is_whole = 0 < len(limits) == len(named) - 1
    return are_texts and is_whole and all(low < high for low, high in pairwise(limits))


def _limit(limit: Any) -> float | None:
    """Return an upper limit that belongs to its interval: 75 and "≤ 75"; "< 75" is just below."""
    text, is_below = limit, False
    if isinstance(limit, str):
        is_below = limit.strip().startswith("<") and not limit.strip().startswith("<=")
        text = limit.strip().lstrip("<=≤ ")
    try:
        number = math.nan if isinstance(limit, bool) else float(text)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return math.nextafter(number, -math.inf) if is_below else number


def _questions(table: Table, questions: Mapping[Any, Any] | None) -> list[DerivedColumn]:
    found: list[DerivedColumn] = []
    for name, given in (questions or {}).items():
        members = _members(name, given)
        asked = [column for column in table.schema.fields if column.type.kind == "category"]
        here = [
            Question(name, column.name, members)
            for column in asked
            if set(members) & set(column.type.categories or ())
            and set(column.type.categories or ()) - set(members)
        ]
        if not here:
            raise ParameterError(
                f"The question {name!r} cannot be asked: no category column has some of its "
                f"categories ({', '.join(map(str, members[:8]))}) and others beside them.",
                code="P553",
                values=list(members[:8]),
            )
        found.extend(here)
    return found


def _members(name: Any, given: Any) -> tuple[Any, ...]:
    is_set = isinstance(given, str | list | tuple | set | frozenset) and len(given) > 0
    if isinstance(name, str) and name.strip() and is_set:
        listed = sorted(given, key=str) if isinstance(given, set | frozenset) else list(given)
        if all(isinstance(one, str | int | float) for one in listed):
            return tuple(dict.fromkeys(listed))
    raise ParameterError(
        "'questions' must map names to sets of categories: a text of letters, or a list. Got "
        f"{name!r}: {given!r} instead.",
        code="P553",
        values=[given],
        repair=Repair("questions = {'vowel': 'aeiouy'}"),
    )
