"""Keyword arguments that a function does not have: refused with the name that was meant."""

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

from branchline._renamed import new_name
from branchline.errors import Repair, UnknownParameterError

__all__ = ["checked_keywords", "refuse_unknown"]

# What other libraries, and the command line, call these.
_ELSEWHERE = {
    "target": "y",
    "label": "y",
    "data": "X",
    "table": "X",
    "cv": "n_folds",
    "folds": "n_folds",
    "scoring": "metric",
    "groups": "group",
    "models": "learners",
    "estimators": "learners",
    "seed": "random_state",
    "learner": "model",
}
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def checked_keywords(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Let a function refuse unknown keywords with a coded error instead of a bare TypeError."""
    known = [*inspect.signature(function).parameters]

    @wraps(function)
    def checked(*args: _Given.args, **given: _Given.kwargs) -> _Result:
        refuse_unknown(function.__name__, given, known)
        return function(*args, **given)

    return checked


def refuse_unknown(function: str, given: Iterable[str], known: list[str]) -> None:
    """Refuse the first name that is not known, with the one that was meant."""
    for name in given:
        if name not in known:
            raise _unknown(function, name, known)


def _unknown(function: str, name: str, known: list[str]) -> UnknownParameterError:
    renamed = new_name(name, known)
    elsewhere = [_ELSEWHERE[name]] if _ELSEWHERE.get(name) in known else []
    near = elsewhere or get_close_matches(name, known, n=1, cutoff=0.5)
    meant = renamed or (near[0] if near else None)
    hint = f" It is called {renamed!r} now." if renamed else ""
    if meant and not renamed:
        hint = f" Did you mean {meant!r}?"
    return UnknownParameterError(
        f"{function} has no parameter {name!r}.{hint} Its parameters are: {', '.join(known)}.",
        code="P002",
        values=[name],
        repair=Repair(f"{function}(…, {meant}=…)" if meant else None),
    )
