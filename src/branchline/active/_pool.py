"""The rows that can be asked for, the answers so far, and a random order of all rows.

1. Every row has a key by its content. Sorted by a scramble of key and seed, the rows are in a
   random order that depends on nothing but content and seed.
2. The first rows of this order are the reserve: no strategy may choose them, and none of them
   trains the model that asks. They are asked in their order, so that those with a label are a
   simple random sample of the table: the check rows.

Rows that a strategy chose are not typical. Nor is it enough to leave out random rows that the model
had learned from: a strategy does not ask near rows that have a label, so that the model without
them would have a gap just there.
"""

import numbers
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Places
from branchline._codes import fit_codes
from branchline._row_keys import content_keys, scramble, scramble_one
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import Table

__all__ = ["Pool", "make_pool"]


@dataclass
class Pool:
    """Rows, answers and the random order.

    Parameters
    ----------
    table
        The inputs.
    order
        All rows in a random order.
    reserve
        The rows that are kept for the score, in that order.
    answers
        The answer of each labeled row, in the order in which they were given.
    skipped
        Rows that could not be labeled, in the order in which they were met.
    """

    table: Table
    order: Places
    answers: dict[int, Any] = field(default_factory=dict)
    skipped: dict[int, None] = field(default_factory=dict)
    reserve: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def set_aside(self, share: float) -> None:
        """Keep a share of the rows without a label for the score."""
        self.reserve = self.left[: int(np.ceil(share * len(self.left)))]

    @property
    def rows(self) -> Places:
        """The labeled rows, in the order of their answers."""
        return np.fromiter(self.answers, dtype=np.intp, count=len(self.answers))

    @property
    def known(self) -> AnyArray:
        """The answers, in the same order."""
        values = list(self.answers.values())
        found = np.asarray(values)
        if found.dtype.kind == "U" and not all(isinstance(one, str) for one in values):
            found = np.array(values, dtype=object)
        return found

    @property
    def left(self) -> Places:
        """Rows that can still be asked for, in the random order."""
        gone = np.zeros(self.table.n_rows, dtype=bool)
        gone[[*self.answers, *self.skipped]] = True
        return self.order[~gone[self.order]]

    @property
    def check_rows(self) -> Places:
        """The labeled rows of the reserve, up to the first that was not asked yet."""
        return np.array(
            [row for row in self._asked_reserve() if row in self.answers], dtype=np.intp
        )

    @property
    def n_skipped_check_rows(self) -> int:
        """How many rows of the random sample could not be labeled."""
        return sum(row in self.skipped for row in self._asked_reserve())

    def _asked_reserve(self) -> list[int]:
        found = []
        for row in self.reserve.tolist():
            if row not in self.answers and row not in self.skipped:
                break
            found.append(row)
        return found

    @property
    def training(self) -> Places:
        """The labeled rows that are not check rows, in the order of their answers."""
        return self.rows[~np.isin(self.rows, self.check_rows)]

    @property
    def left_in_reserve(self) -> Places:
        """Rows of the reserve that can still be asked for, in their order."""
        left = self.left
        return left[np.isin(left, self.reserve)]

    @property
    def left_to_choose(self) -> Places:
        """Rows outside the reserve that can still be asked for, in the random order."""
        left = self.left
        return left[~np.isin(left, self.reserve)]

    def tell(self, rows: Any, answers: Any) -> list[int]:
        """Write answers down; None: the row cannot be labeled. Return the rows."""
        given = self.checked(rows)
        told = [answers] if _is_whole(rows) else list(answers)
        if len(told) != len(given):
            raise ParameterError(
                f"There must be one answer for each row: {len(given)} rows and {len(told)} "
                "answers were given.",
                code="P840",
                repair=Repair("learner.tell(rows, answers)  # two lists of the same length"),
            )
        for row, answer in zip(given, told, strict=True):
            self.forget(row)
            if answer is None:
                self.skipped[row] = None
            else:
                self.answers[row] = answer
        return given

    def forget(self, row: int) -> None:
        """Take an answer back, if there is one."""
        self.answers.pop(row, None)
        self.skipped.pop(row, None)

    def checked(self, rows: Any) -> list[int]:
        """Return positions of rows as a list; refuse those that are not in the table."""
        listed: list[Any] = (
            [rows] if _is_whole(rows) else list(rows) if isinstance(rows, Iterable) else [None]
        )
        wrong = [
            row for row in listed if not _is_whole(row) or not 0 <= int(row) < self.table.n_rows
        ]
        if wrong or len(set(listed)) < len(listed):
            why = f"{wrong[0]!r} is not one of them" if wrong else "a row is given twice"
            raise ParameterError(
                f"Rows are positions from 0 to {self.table.n_rows - 1}; {why}.",
                code="P840",
                values=wrong[:1],
                repair=Repair("rows = learner.ask()"),
            )
        return [int(row) for row in listed]


def make_pool(table: Table, seed: int) -> Pool:
    """Return the rows of a table, none labeled, in a random order."""
    none = np.zeros((table.n_rows, 1), dtype=np.uint64)
    keys = content_keys(table, fit_codes(table), none, None)
    mixed = scramble(keys ^ np.uint64(scramble_one(seed)))
    return Pool(table, np.argsort(mixed, kind="stable"))


def no_rows_left() -> DataError:
    """Return the error of asking when all rows have been answered."""
    return DataError(
        "Every row of the table has an answer or was skipped: there is nothing left to ask.",
        code="D630",
        repair=Repair("model = learner.model_", "branchline fit the written table"),
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
