"""Why a model predicts one row as it does: a share for each column.

Learners that add up (naive Bayes, linear models) give their exact terms. For all others each cell
is made missing in turn, and the change of the prediction is that column's share.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._notebook import bars, box, words
from branchline._plain_numbers import (
    alike,
    cell,
    count,
    number,
    probability,
    signed,
    without_noise,
)
from branchline.table import MISSING_CODE, Column, Table

__all__ = ["Explanation", "Part", "cells_of", "explain_by_leaving_out", "in_order_of_size"]

_WIDEST, _MOST_BARS = 24, 12


@dataclass(frozen=True)
class Part:
    """One column's share in a prediction.

    Parameters
    ----------
    column, value
        The column and the row's cell in it; None for a missing one.
    amount
        How much the cell changes the prediction.
    is_unseen
        Whether the cell holds a category that was not there in training.
    """

    column: str
    value: Any
    amount: float
    is_unseen: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why one row is predicted as it is.

    Parameters
    ----------
    prediction
        What is predicted.
    about
        What the amounts measure: "log-odds of 'bad'", "probability of 'bad'", "predicted number".
    base
        The amount before any column is looked at.
    total
        The amount for this row.
    parts
        The columns' shares, the largest first.
    is_sum
        Whether base and parts add up to the total; else each part is the change when that cell
        alone is made missing.
    notes
        More that decided: the nearest rows, the members' votes.
    probability
        The probability of the predicted class, where the model has one.
    """

    prediction: Any
    about: str
    base: float
    total: float
    parts: tuple[Part, ...]
    is_sum: bool
    notes: tuple[str, ...] = ()
    probability: float | None = None

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown = self._shown(_MOST_BARS)
        amounts = alike([part.amount for part in shown])
        rows = [
            (_label(part), f"{'+' * (part.amount > 0)}{text}", part.amount)
            for part, text in zip(shown, amounts, strict=True)
        ]
        n_more = len(self.parts) - len(shown)
        more = f"{count(n_more, 'more column')}: {signed(_sum_of(self._hidden(shown)))}"
        how = "Together they make" if self.is_sum else "Each: the change when its cell is missing."
        ends = f"{number(self.total)}, starting from {number(self.base)}."
        return box(
            words(f"Prediction: {self._predicted()}"),
            bars(("column", self.about), rows),
            words(more if n_more else "", quiet=True),
            words(f"{how} {ends}" if self.is_sum else f"{how} In all {ends}", quiet=True),
            *(words(note.strip(), quiet=True) for note in self.notes),
        )

    def to_text(self, *, most: int = 12) -> str:
        """Return the explanation as lines of text, with the ``most`` columns that matter most."""
        shown = self._shown(most) or list(self.parts[:3])
        labels = [_label(part) for part in shown]
        width = max([len(label) for label in labels] + [len("before any column")])
        rows = [
            ("before any column", self.base),
            *zip(labels, (p.amount for p in shown), strict=True),
        ]
        hidden = self._hidden(shown)
        if hidden:
            rows.append((count(len(hidden), "more column"), _sum_of(hidden)))
        rows.append(("total", self.total))
        how = "" if self.is_sum else " (each column: the change when its cell is made missing)"
        lines = [f"prediction: {self._predicted()}", f"{self.about}{how}:"]
        amounts = alike([amount for _, amount in rows])
        for at, (label, amount) in enumerate(rows):
            sign = "+" if amount > 0 and 0 < at < len(rows) - 1 else ""
            lines.append(f"  {label:<{width}}  {sign}{amounts[at]}")
        return "\n".join([*lines, *self.notes])

    def _predicted(self) -> str:
        """Return what is predicted, with its probability unless the amounts are probabilities."""
        name = _predicted(self.prediction)
        if self.probability is None or self.about.startswith("probability"):
            return name
        return f"{name}, probability {probability(self.probability)}"

    def _shown(self, most: int) -> list[Part]:
        """Return the parts that matter most, and those of categories not seen in training."""
        largest = max((abs(part.amount) for part in self.parts), default=0.0)
        return [
            part
            for place, part in enumerate(self.parts)
            if part.is_unseen or (without_noise(part.amount, largest) and place < most)
        ]

    def _hidden(self, shown: list[Part]) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part not in shown)

    def with_unseen(self, cells: Mapping[str, Any]) -> "Explanation":
        """Return the explanation with the cells of columns whose category was not seen in training.

        Learners treat such a cell as missing; a reader wants to know what stands in it.
        """
        parts = tuple(
            replace(part, value=cells[part.column], is_unseen=True)
            if part.column in cells
            else part
            for part in self.parts
        )
        return replace(self, parts=parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return {
            "prediction": _plain(self.prediction),
            "about": self.about,
            "base": self.base,
            "total": self.total,
            "parts": [
                {
                    "column": part.column,
                    "value": _plain(part.value),
                    "amount": part.amount,
                    **({"unseen": True} if part.is_unseen else {}),
                }
                for part in self.parts
            ],
            "is_sum": self.is_sum,
            "notes": list(self.notes),
            **({} if self.probability is None else {"probability": self.probability}),
        }


def cells_of(row: Table) -> list[Any]:
    """Return the cells of a table of one row, None for missing."""
    return [column.to_list()[0] for column in row.columns]


def in_order_of_size(row: Table, amounts: npt.NDArray[np.float64]) -> tuple[Part, ...]:
    """Return a part for each column of a one-row table, the largest first, in order on ties."""
    cells = cells_of(row)
    order = np.argsort(-np.abs(amounts), kind="stable")
    return tuple(Part(row.names[i], cells[i], float(amounts[i])) for i in order)


def explain_by_leaving_out(
    row: Table, score: Callable[[Table], npt.NDArray[np.float64]], prediction: Any, about: str
) -> Explanation:
    """Explain a row by what its score becomes when each cell is made missing.

    ``score`` gives the number to explain for each row of a table in the model's schema.
    """
    n_columns = row.n_columns
    variants = _with_missing_cells(row)
    scores = score(variants)
    amounts = scores[n_columns] - scores[:n_columns]
    parts = in_order_of_size(row, amounts)
    base, total = float(scores[n_columns + 1]), float(scores[n_columns])
    return Explanation(prediction, about, base, total, parts, is_sum=False)


def _with_missing_cells(row: Table) -> Table:
    """Return the row once without each cell, then whole, then without any cell."""
    n_columns = row.n_columns
    columns = []
    for place, column in enumerate(row.columns):
        hidden = np.zeros(n_columns + 2, dtype=bool)
        hidden[[place, n_columns + 1]] = True
        columns.append(_with_missing(column.take(np.zeros(n_columns + 2, dtype=np.intp)), hidden))
    return Table.from_columns(columns, named=row.schema.named)


def _with_missing(column: Column, hidden: npt.NDArray[np.bool_]) -> Column:
    if column.kind == "category":
        values = np.where(hidden, np.int32(MISSING_CODE), column.values)
        return Column(column.name, column.type, values.astype(column.values.dtype))
    missing = hidden if column.missing is None else hidden | column.missing
    return Column(column.name, column.type, column.values, missing)


def _value(value: Any) -> str:
    if value is None:
        return "missing"
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return cell(float(value)) if is_number else str(value)


def _predicted(value: Any) -> str:
    """Return what is predicted: a number, or the name of a class, which may look like one."""
    return number(float(value), 6) if isinstance(value, float | np.floating) else str(value)


def _label(part: Part) -> str:
    if part.is_unseen:
        return f"{_shorten(f'{part.column} = {part.value}')} (not seen in training)"
    return _shorten(f"{part.column} = {_value(part.value)}")


def _sum_of(parts: tuple[Part, ...]) -> float:
    """Return what parts add up to; rounding leaves nothing over."""
    sizes = [part.amount for part in parts]
    return without_noise(sum(sizes), max(map(abs, sizes), default=1.0) or 1.0)


def _shorten(label: str) -> str:
    limit = 2 * _WIDEST
    return label if len(label) <= limit else label[: limit - 1] + "…"


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
