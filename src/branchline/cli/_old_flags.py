"""Flags that had another name in earlier versions: refused with the new name as the repair."""

import shlex
from collections.abc import Sequence

from branchline.errors import ParameterError, Repair

__all__ = ["refuse_old_flags"]

_RENAMED = {
    "compare": {"--time": "--time-budget", "--test": "--resampling"},
    "predict": {"--keep": "--copy"},
}


def refuse_old_flags(arguments: Sequence[str]) -> None:
    """Refuse a flag that is called otherwise now."""
    renamed = _RENAMED.get(arguments[0] if arguments else "", {})
    for at, word in enumerate(arguments):
        old, equals, value = word.partition("=")
        if old not in renamed:
            continue
        after = arguments[at + 1] if at + 1 < len(arguments) else ""
        typed = value if equals else after
        raise ParameterError(
            f"{old} is called {renamed[old]} now.",
            code="P303",
            values=[word],
            repair=Repair(flag=f"{renamed[old]} {shlex.quote(typed)}".rstrip()),
        )
