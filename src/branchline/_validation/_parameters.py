"""Parameters: declared once per class as constraints, checked on entry to ``fit``.

A constraint is a small object that says whether it allows a value and how to describe what it
allows. The message names the parameter, the value seen, the values allowed and the nearest one.
"""

import inspect
import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Protocol

import numpy as np

from branchline._renamed import new_name
from branchline.errors import ParameterError, Repair, UnknownParameterError

__all__ = [
    "AnyOf",
    "Constraint",
    "Flag",
    "Given",
    "OneOf",
    "Real",
    "Whole",
    "check_parameters",
    "refuse_unknown_parameters",
]


class Constraint(Protocol):
    """What a parameter may be."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is allowed."""

    def describe(self) -> str:
        """Say in words what is allowed."""


@dataclass(frozen=True)
class OneOf:
    """One of a few names (or None)."""

    choices: tuple[str | None, ...]

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is one of the choices."""
        return (value is None or isinstance(value, str)) and value in self.choices

    def describe(self) -> str:
        """List the choices."""
        listed = ", ".join(repr(choice) for choice in self.choices)
        return listed if len(self.choices) == 1 else f"one of {listed}"


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds, both included."""

    low: int
    high: int | None = None

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is an integer within the bounds (True and False are not)."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
            return False
        return self.low <= int(value) and (self.high is None or int(value) <= self.high)

    def describe(self) -> str:
        """State the bounds."""
        upper = "" if self.high is None else f" and at most {self.high}"
        return f"a whole number of at least {self.low}{upper}"


@dataclass(frozen=True)
class Real:
    """A finite number between two bounds, both included by default."""

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a finite number within the bounds."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            return False
        try:
            number = float(value)
        except OverflowError:  # a whole number beyond the largest float
            return False
        above = number > self.low if self.low_open else number >= self.low
        return math.isfinite(number) and above and number <= self.high

    def describe(self) -> str:
        """State the bounds."""
        relation = "above" if self.low_open else "of at least"
        lower = "" if self.low == -math.inf else f" {relation} {self.low:g}"
        upper = "" if self.high == math.inf else f" at most {self.high:g}"
        return "a number" + " and".join(part for part in (lower, upper) if part)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a boolean."""
        return isinstance(value, bool | np.bool_)

    def describe(self) -> str:
        """Name both values."""
        return "True or False"


@dataclass(frozen=True)
class Given:
    """None, or an object of some kinds whose inside is checked when the data are known."""

    kinds: tuple[type, ...]
    words: str

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is None or of one of the kinds."""
        return value is None or isinstance(value, self.kinds)

    def describe(self) -> str:
        """Say what the object is."""
        return f"None or {self.words}"


@dataclass(frozen=True)
class AnyOf:
    """What any of several constraints allows."""

    options: tuple[Constraint, ...]

    def allows(self, value: Any) -> bool:
        """Whether one of the constraints allows ``value``."""
        return any(option.allows(value) for option in self.options)

    def describe(self) -> str:
        """Join the descriptions."""
        return ", or ".join(option.describe() for option in self.options)


def check_parameters(
    owner: str, values: Mapping[str, Any], constraints: Mapping[str, Constraint]
) -> None:
    """Raise a ParameterError for the first parameter whose value is not allowed."""
    for name, constraint in constraints.items():
        value = values[name]
        if constraint.allows(value):
            continue
        near = _nearest_choice(value, constraint)
        hint = f" Did you mean {near!r}?" if near is not None else ""
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be {constraint.describe()}. "
            f"Got {value!r} instead.{hint}",
            code="P001",
            values=[value],
            repair=Repair(None if near is None else f"model.set_params({name}={near!r})"),
        )


def refuse_unknown_parameters(
    owner: Callable[..., Any],
    given: Mapping[str, Any],
    *,
    passes_on_to: Callable[..., Any] | None = None,
) -> None:
    """Raise an error with the nearest name when a constructor has no parameter of that name.

    Parameters
    ----------
    owner
        What was called, in the user's words.
    given
        The parameters it was given by name.
    passes_on_to
        What ``owner`` gives all other parameters to, if it takes any (``**parameters``).
    """
    known = _named_parameters(owner)
    if passes_on_to is not None:
        known += tuple(name for name in _named_parameters(passes_on_to) if name not in known)
    for name in given:
        if name in known:
            continue
        renamed = new_name(name, known)
        near = [renamed] if renamed else get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        mended = {near[0] if near and key == name else key: value for key, value in given.items()}
        arguments = ", ".join(f"{key}={value!r}" for key, value in mended.items())
        raise UnknownParameterError(
            f"{owner.__name__} got an unexpected keyword argument {name!r}.{hint} "
            f"Its parameters are: {', '.join(known) or 'none'}.",
            code="P002",
            repair=Repair(f"model = {owner.__name__}({arguments})" if near else None),
        )


@cache
def _named_parameters(owner: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names once found: every copy of an estimator is checked."""
    if isinstance(owner, type):  # its constructor: early 3.11 shows an inherited __new__ instead
        constructor = owner.__init__  # type: ignore[misc]
        parameters = [*inspect.signature(constructor).parameters.values()][1:]
    else:
        parameters = [*inspect.signature(owner).parameters.values()]
    return tuple(one.name for one in parameters if one.kind is not one.VAR_KEYWORD)


def _nearest_choice(value: Any, constraint: Constraint) -> str | None:
    if not isinstance(value, str):
        return None
    options = constraint.options if isinstance(constraint, AnyOf) else (constraint,)
    choices = [choice for one in options if isinstance(one, OneOf) for choice in one.choices]
    names = [choice for choice in choices if choice is not None]
    near = get_close_matches(value, names, n=1, cutoff=0.5)
    return near[0] if near else None
