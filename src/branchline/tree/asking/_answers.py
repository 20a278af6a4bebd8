"""What an answer in a dialogue says of a column.

1. One of the choices of the question is that branch; "yes" and "no" answer a threshold.
2. Else the answer is the value itself: a category of the column, or a number. A category may be
   written in other letters ("Female" for "female") where only one category fits.
"""

from typing import Any

import numpy as np

from branchline.errors import ParameterError
from branchline.table import Field
from branchline.tree.reading._conditions import Condition
from branchline.tree.reading._labels import join_names

__all__ = ["condition_of"]

_YES_AND_NO = {"yes": 0, "y": 0, "no": 1, "n": 1}


def condition_of(
    value: Any, asked: str, field: Field, choices: tuple[str, ...], tests: list[Condition]
) -> Condition:
    """Return what ``value`` says of the column of ``field``, as an answer to the words ``asked``.

    Raises
    ------
    ParameterError
        P564 when the value does not answer the question.
    """
    if isinstance(value, str) and value in choices:
        return tests[choices.index(value)]
    if field.type.categories is not None:
        code = _category(str(value), [str(name) for name in field.type.categories])
        if code is not None:
            return Condition(field.name, codes=(code,), type=field.type)
    elif (branch := _yes_or_no(value)) is not None:
        return tests[branch]
    elif np.isfinite(exact := _number(value)):
        below = float(np.nextafter(exact, -np.inf))
        return Condition(field.name, above=below, at_most=exact, type=field.type)
    raise ParameterError(
        f"{value!r} does not answer the question '{asked}?'. Possible answers: "
        f"{_possible(field, choices)}; no answer means 'don't know'.",
        code="P564",
        column=field.name,
        values=[value],
    )


def _category(word: str, names: list[str]) -> int | None:
    """Return the place of a category, also when only its letters are of another case."""
    if word in names:
        return names.index(word)
    alike = [place for place, name in enumerate(names) if name.casefold() == word.casefold()]
    return alike[0] if len(alike) == 1 else None


def _yes_or_no(value: Any) -> int | None:
    """Return the branch of a yes or no; None for any other answer."""
    if isinstance(value, bool | np.bool_):
        return 0 if value else 1
    return _YES_AND_NO.get(value.strip().casefold()) if isinstance(value, str) else None


def _number(value: Any) -> float:
    """Return an answer as a number; NaN where it is not one."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _possible(field: Field, choices: tuple[str, ...]) -> str:
    """Return the possible answers in words, as far as a line holds them."""
    if field.type.categories is None:
        return f"{', '.join(choices)}, or the number itself"
    return join_names([str(name) for name in field.type.categories])
