"""Keyword arguments that a function does not have: refused with the name that was meant."""

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

from branchline.errors import Repair, UnknownParameterError

__all__ = ["checked_keywords"]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def checked_keywords(
    renamed: Mapping[str, str] | None = None,
) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Let a function refuse unknown keywords with a coded error instead of a bare TypeError.

    ``renamed`` gives the new names of parameters that were called otherwise in earlier versions.
    """

    def decorate(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        known = [*inspect.signature(function).parameters]

        @wraps(function)
        def checked(*args: _Given.args, **given: _Given.kwargs) -> _Result:
            for name in given:
                if name not in known:
                    raise _unknown(function.__name__, name, known, renamed or {})
            return function(*args, **given)

        return checked

    return decorate


def _unknown(
    function: str, name: str, known: list[str], renamed: Mapping[str, str]
) -> UnknownParameterError:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    meant = renamed.get(name) or (near[0] if near else None)
    hint = f" Did you mean {meant!r}?" if meant else ""
    if name in renamed:
        hint = f" It is called {meant!r} now."
    return UnknownParameterError(
        f"{function} has no parameter {name!r}.{hint} Its parameters are: {', '.join(known)}.",
        code="P002",
        values=[name],
        repair=Repair(f"{function}(…, {meant}=…)" if meant else None),
    )
