"""The values of one hyper-parameter in few groups, each with its words."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NOT_USED", "setting_groups"]

NOT_USED = "not used"
_GROUPS = 4  # of numbers, where there are more different ones


def setting_groups(values: list[Any]) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the words of a parameter's groups, and the group of each configuration.

    More than four different numbers are put into four groups of about equal size; any other value
    is a group by itself.

    Examples
    --------
    >>> from branchline.assess.comparing._setting_groups import setting_groups
    >>> setting_groups([1, 2, 3, 4, 5, 6, 7, "auto"])
    (['1', '2 to 3', '4 to 5', '6 to 7', 'auto'], array([0, 1, 1, 2, 2, 3, 3, 4]))
    """
    numbers = sorted({one for one in values if _is_number(one)})
    words = {one: _word(one) for one in numbers}
    if len(numbers) > _GROUPS:
        words = _ranges(numbers, [one for one in values if _is_number(one)])
    told = [words[one] if _is_number(one) else _word(one) for one in values]
    of_numbers = list(dict.fromkeys(words[one] for one in numbers))
    others = sorted(set(told) - set(of_numbers), key=lambda word: (word == NOT_USED, word))
    order = [*of_numbers, *others]
    return order, np.array([order.index(word) for word in told], dtype=np.intp)


def _ranges(numbers: list[Any], values: list[Any]) -> dict[Any, str]:
    """Return the words of the group of each number: its first and its last."""
    known = sorted(values)
    edges = [known[len(known) * at // _GROUPS] for at in range(1, _GROUPS)]
    group = {one: int(np.searchsorted(edges, one, side="right")) for one in numbers}
    words = {}
    for one in numbers:
        members = [other for other in numbers if group[other] == group[one]]
        low, high = _word(members[0]), _word(members[-1])
        words[one] = low if low == high else f"{low} to {high}"
    return words


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _word(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
