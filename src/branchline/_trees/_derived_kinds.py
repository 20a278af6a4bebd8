"""The kinds of derived columns: sums of numbers, nearest centers, named intervals, questions.

Each is a frozen record of plain values. What it computes is stated in its first lines; a fit and a
loaded model compute it with the same operations in the same order, so that they agree bit by bit.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell
from branchline._state import malformed
from branchline._trees._derived import DerivedColumn
from branchline._trees._derived_state import derived_inputs, derived_numbers, derived_texts
from branchline.table import Category, ColumnType, Schema, Table

__all__ = ["Interval", "NearerCenter", "Projection", "Question", "derived_from_dict"]

Floats = npt.NDArray[np.float64]

_FLOAT = ColumnType("numeric", "float")
_MOST_INPUTS = 6  # of a center in words


@dataclass(frozen=True)
class Projection:
    """x₀ + w₁ x₁ + …: a weighted sum of numbers; missing when one of them is."""

    inputs: tuple[str, ...]
    weights: tuple[float, ...]

    @cached_property
    def name(self) -> str:
        """The sum in words: "age − 0.37·income"."""
        words = _quoted(self.inputs[0])
        for name, weight in zip(self.inputs[1:], self.weights[1:], strict=True):
            size = "" if abs(weight) == 1 else f"{cell(abs(weight), 12)}·"
            words += f" {'−' if weight < 0 else '+'} {size}{_quoted(name)}"
        return words

    @property
    def type(self) -> ColumnType:
        """A number."""
        return _FLOAT

    @property
    def meaning(self) -> str:
        """Nothing: the name says all."""
        return ""

    def values(self, table: Table) -> Floats:
        """Return the sums."""
        total = _numbers(table, self.inputs[0])
        with np.errstate(over="ignore", invalid="ignore"):
            for name, weight in zip(self.inputs[1:], self.weights[1:], strict=True):
                total = total + weight * _numbers(table, name)
        return np.where(np.isfinite(total), total, np.nan)

    def of_cells(self, cells: Sequence[float], place: Mapping[str, int]) -> float:
        """Return the sum of one row's cells, the same bits as ``values`` gives."""
        total = cells[place[self.inputs[0]]]
        for name, weight in zip(self.inputs[1:], self.weights[1:], strict=True):
            total = total + weight * cells[place[name]]
        return total if math.isfinite(total) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": "projection",
            "columns": list(self.inputs),
            "weights": list(self.weights),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema | None) -> "Projection":
        """Rebuild it, refusing what no fit could have made."""
        inputs = derived_inputs(data, schema, "numeric")
        weights = derived_numbers(data, "weights", len(inputs))
        if len(inputs) < 2 or weights[0] != 1 or 0 in weights:
            raise malformed("a sum of columns does not begin with a column as it is")
        return cls(inputs, weights)


@dataclass(frozen=True)
class NearerCenter:
    """Which of two centers a row is nearer to: Σ (x − a)² / v ≤ Σ (x − b)² / v means the first.

    Numbers that are missing take no part; a row without any is missing.
    """

    number: int
    inputs: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    variances: tuple[float, ...]
    groups: tuple[str, str]

    @property
    def name(self) -> str:
        """The name of the test; the number tells centers of several nodes apart."""
        return f"nearer center {self.number}"

    @property
    def type(self) -> ColumnType:
        """A category: one of the two groups."""
        return ColumnType("category", "string", self.groups)

    @cached_property
    def meaning(self) -> str:
        """Where the two centers are."""
        n_more = len(self.inputs) - _MOST_INPUTS
        more = f" and {n_more} more" if n_more > 0 else ""
        shown = self._farthest_first()[:_MOST_INPUTS]

        def place(center: tuple[float, ...]) -> str:
            cells = [f"{_quoted(self.inputs[at])} {cell(center[at], 4)}" for at in shown]
            return ", ".join(cells) + more

        first, second = self.groups
        return (
            f"{self.name}: the center of {first} ({place(self.first)}) or of {second} "
            f"({place(self.second)}), each column in units of its spread"
        )

    def _farthest_first(self) -> list[int]:
        """Return the places of the inputs: first those in which the centers differ most."""
        parts = zip(self.first, self.second, self.variances, strict=True)
        apart = [abs(a - b) / v**0.5 for a, b, v in parts]
        return sorted(
            range(len(apart)), key=lambda at: (float(f"{-apart[at]:.6g}"), self.inputs[at])
        )

    def values(self, table: Table) -> npt.NDArray[np.int32]:
        """Return 0 or 1 for the nearer center, −1 where missing."""
        difference, any_known = np.zeros(table.n_rows), np.zeros(table.n_rows, dtype=bool)
        parts = zip(self.inputs, self.first, self.second, self.variances, strict=True)
        with np.errstate(over="ignore", invalid="ignore"):
            for name, a, b, variance in parts:
                x = _numbers(table, name)
                known = ~np.isnan(x)
                any_known |= known
                to_a, to_b = x - a, x - b
                more = (to_a * to_a - to_b * to_b) / variance
                difference = np.where(known, difference + more, difference)
        known_side = any_known & ~np.isnan(difference)
        return np.where(known_side, (difference > 0).astype(np.int32), np.int32(-1))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": "nearer_center",
            "number": self.number,
            "columns": list(self.inputs),
            "first": list(self.first),
            "second": list(self.second),
            "variances": list(self.variances),
            "groups": list(self.groups),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema | None) -> "NearerCenter":
        """Rebuild it, refusing what no fit could have made."""
        inputs = derived_inputs(data, schema, "numeric")
        first, second, variances = (
            derived_numbers(data, name, len(inputs)) for name in ("first", "second", "variances")
        )
        groups, number = derived_texts(data, "groups"), data.get("number")
        if len(groups) != 2 or min(variances) <= 0 or type(number) is not int or number < 1:
            raise malformed("two centers need two groups and variances above 0")
        return cls(number, inputs, first, second, variances, (groups[0], groups[1]))


@dataclass(frozen=True)
class Interval:
    """Which named interval a number lies in: the first whose upper limit it does not exceed."""

    column: str
    names: tuple[str, ...]
    limits: tuple[float, ...]  # one fewer than names; a value at a limit is below it

    @property
    def inputs(self) -> tuple[str, ...]:
        """The number."""
        return (self.column,)

    @property
    def name(self) -> str:
        """The name of the test."""
        return f"{self.column} interval"

    @cached_property
    def type(self) -> ColumnType:
        """A category: the intervals with their limits in words."""
        edges = [-math.inf, *self.limits, math.inf]
        pairs = zip(self.names, edges[:-1], edges[1:], strict=True)
        words = tuple(f"{name} ({_range_words(low, high)})" for name, low, high in pairs)
        return ColumnType("category", "string", words)

    @property
    def meaning(self) -> str:
        """Nothing: the name says all."""
        return ""

    def values(self, table: Table) -> npt.NDArray[np.int32]:
        """Return the number of each row's interval, −1 where missing."""
        x = _numbers(table, self.column)
        place = np.searchsorted(np.array(self.limits), x, side="left")
        return np.where(np.isnan(x), -1, place).astype(np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": "interval",
            "columns": [self.column],
            "names": list(self.names),
            "limits": list(self.limits),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema | None) -> "Interval":
        """Rebuild it, refusing what no fit could have made."""
        (column,) = derived_inputs(data, schema, "numeric", 1)
        names = derived_texts(data, "names")
        limits = derived_numbers(data, "limits", len(names) - 1)
        if len(names) < 2 or any(low >= high for low, high in pairwise(limits)):
            raise malformed("the limits of intervals do not ascend")
        return cls(column, names, limits)


@dataclass(frozen=True)
class Question:
    """Whether a category is one of a named set: "yes" or "no"; new categories count as missing."""

    question: str
    column: str
    members: tuple[Category, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The category column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """The name of the test: "vowel(before)"."""
        return f"{self.question}({self.column})"

    @property
    def type(self) -> ColumnType:
        """A category: yes or no."""
        return ColumnType("category", "string", ("yes", "no"))

    @property
    def meaning(self) -> str:
        """Nothing: the name says all."""
        return ""

    def values(self, table: Table) -> npt.NDArray[np.int32]:
        """Return 0 for yes, 1 for no, −1 where missing."""
        column = table.column(self.column)
        members = set(self.members)
        # The last entry is reached by codes below 0.
        answer = [0 if name in members else 1 for name in column.categories] + [-1]
        return np.array(answer, dtype=np.int32)[np.maximum(column.values, -1)]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": "question",
            "question": self.question,
            "columns": [self.column],
            "members": list(self.members),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema | None) -> "Question":
        """Rebuild it, refusing what no fit could have made."""
        (column,) = derived_inputs(data, schema, "category", 1)
        question, members = data.get("question"), data.get("members")
        is_sound = isinstance(question, str) and isinstance(members, list) and members
        if not is_sound or not all(isinstance(one, str | int | float) for one in members or ()):
            raise malformed("a question has no set of categories")
        return cls(str(question), column, tuple(members or ()))


_KINDS: dict[str, Callable[[Mapping[str, Any], Schema | None], DerivedColumn]] = {
    "projection": Projection.from_dict,
    "nearer_center": NearerCenter.from_dict,
    "interval": Interval.from_dict,
    "question": Question.from_dict,
}


def derived_from_dict(data: Any, schema: Schema | None) -> DerivedColumn:
    """Rebuild a derived column from plain data."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise malformed("a derived column is of an unknown kind")
    return _KINDS[kind](data, schema)


def _numbers(table: Table, name: str) -> Floats:
    return table.column(name).numbers().astype(np.float64, copy=False)


def _quoted(name: str) -> str:
    return f"[{name}]" if any(mark in name for mark in "+−-· ") else name


def _range_words(low: float, high: float) -> str:
    """Write an interval: "< 70", "70 to 75", "> 75"; the float just below 70 means 70, excluded."""
    (start, excludes_start), (end, excludes_end) = _limit(low), _limit(high)
    if math.isinf(low):
        return f"{'<' if excludes_end else '≤'} {end}"
    if math.isinf(high):
        return f"{'≥' if excludes_start else '>'} {start}"
    return f"{start} to {'below ' if excludes_end else ''}{end}"


def _limit(limit: float) -> tuple[str, bool]:
    """Return a limit as it was given, and whether it was given as "below it"."""
    if math.isinf(limit):
        return "", False
    above = math.nextafter(limit, math.inf)
    is_below = len(repr(above)) < len(repr(limit))
    return cell(above if is_below else limit, 12), is_below
