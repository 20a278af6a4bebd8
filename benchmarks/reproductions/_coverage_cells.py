"""The cells of ``coverage_grid``: learners × problems × rows × ways of testing, not all of them.

1. Every value and every pair of values of the four factors appears. Cells are taken one by one,
   always the one that brings most new pairs for its cost.
2. More cells follow, cheapest first, evenly over learners and ways of testing.
3. Ten folds of learners that choose among columns that look alike have more cells, being the
   hardest.
4. Numbers to predict, and rows that follow each other in time with a memory, have cells of their
   own.

Leaving one out of 2,000 rows is done for the majority class only: all others would take a day.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any, TypeAlias

__all__ = ["LEARNERS", "PROBLEM_NAMES", "ROWS", "WAYS", "Cell", "cells", "pairs_of"]

Pair: TypeAlias = tuple[tuple[int, Any], ...]

LEARNERS = (
    "majority",
    "one_rule",
    "stump",
    "tree",
    "naive_bayes",
    "logistic",
    "nearest",
    "forest",
    "boosting",
    "svm",
)
PROBLEM_NAMES = ("smooth", "xor", "look_alike", "rare", "noise")
ROWS = (50, 150, 500, 2000)
WAYS = ("5 folds", "10 folds", "5 x 10 folds", "leave_one_out", "hold_out", "groups", "time")
N_CELLS = 124

# Milliseconds of a fit and its predictions with 50 rows, and what 100 rows more add.
_COST = {
    "majority": (0.05, 0.0),
    "one_rule": (1.6, 0.05),
    "stump": (0.3, 0.05),
    "tree": (0.4, 0.3),
    "naive_bayes": (0.1, 0.02),
    "logistic": (0.5, 0.1),
    "nearest": (0.2, 0.6),
    "forest": (5.0, 0.8),
    "boosting": (3.5, 0.4),
    "svm": (0.9, 2.5),
}


@dataclass(frozen=True, order=True)
class Cell:
    """One cell: who learns what from how many rows, and how it is tested."""

    learner: str
    problem: str
    n_rows: int
    way: str

    @property
    def name(self) -> str:
        """The cell as the name of a file."""
        return f"{self.learner}-{self.problem}-{self.n_rows}-{self.way.replace(' ', '')}"

    @property
    def n_fits(self) -> int:
        """Models fitted for one table."""
        known = {"5 folds": 5, "10 folds": 10, "5 x 10 folds": 50, "hold_out": 1, "groups": 5}
        return self.n_rows if self.way == "leave_one_out" else known.get(self.way, 4)

    @property
    def cost(self) -> float:
        """About how many milliseconds one table takes."""
        fixed, more = _COST.get(self.learner, (0.3, 0.2))
        wide = {"look_alike": 3.0, "noise": 1.5}.get(self.problem, 1.0)
        once = fixed + more * wide * self.n_rows / 100
        return 4.0 + self.n_fits * once + 4 * more * self.n_rows / 100


@cache
def pairs_of(cell: Cell) -> frozenset[Pair]:
    """Return the pairs of values that a cell brings."""
    values = enumerate((cell.learner, cell.problem, cell.n_rows, cell.way))
    return frozenset(combinations(values, 2))


def cells() -> list[Cell]:
    """Return all cells, the cheapest first."""
    chosen = list(_covering())
    chosen += _more(chosen)
    every = {*chosen, *_choosing(), *_of_numbers(), *_in_time()}
    return sorted(every, key=lambda cell: (cell.cost, cell))


def _possible() -> list[Cell]:
    every = (Cell(*values) for values in product(LEARNERS, PROBLEM_NAMES, ROWS, WAYS))
    return [
        cell
        for cell in every
        if cell.way != "leave_one_out" or cell.n_rows <= 150 or cell.learner == "majority"
    ]


def _covering() -> Iterator[Cell]:
    """Yield cells until every pair of values was there that is possible at all."""
    possible, seen = _possible(), Counter[Pair]()
    wanted = set().union(*map(pairs_of, possible))
    while wanted:
        best = max(possible, key=lambda cell: (_new(cell, seen), -_crowd(cell, seen), cell))
        seen.update(pairs_of(best))
        wanted -= pairs_of(best)
        yield best


def _more(chosen: list[Cell]) -> list[Cell]:
    """Return more cells: those whose pairs are rarest so far, and which cost least."""
    found: list[Cell] = []
    seen = Counter(pair for cell in chosen for pair in pairs_of(cell))
    possible = [cell for cell in _possible() if cell not in chosen]
    while len(chosen) + len(found) < N_CELLS:
        best = min(possible, key=lambda cell: (_crowd(cell, seen) * cell.cost**0.3, cell))
        possible.remove(best)
        seen.update(pairs_of(best))
        found.append(best)
    return found


def _new(cell: Cell, seen: Counter[Pair]) -> float:
    """Return the pairs that a cell would add, for its cost."""
    return sum(not seen[pair] for pair in pairs_of(cell)) / cell.cost**0.3


def _crowd(cell: Cell, seen: Counter[Pair]) -> int:
    """Return how often the cell's pairs were there, plus one."""
    return 1 + sum(seen[pair] for pair in pairs_of(cell))


def _choosing() -> list[Cell]:
    """Return ten folds of learners that choose among columns, and of some that do not."""
    return [
        Cell(learner, problem, n_rows, "10 folds")
        for learner, problem, n_rows in (
            ("stump", "look_alike", 50),
            ("stump", "look_alike", 150),
            ("stump", "look_alike", 500),
            ("stump", "noise", 50),
            ("stump", "smooth", 50),
            ("stump", "smooth", 150),
            ("one_rule", "look_alike", 150),
            ("tree", "look_alike", 150),
            ("tree", "noise", 50),
            ("boosting", "look_alike", 150),
            ("logistic", "smooth", 150),
            ("logistic", "smooth", 500),
            ("naive_bayes", "smooth", 500),
        )
    ]


def _of_numbers() -> list[Cell]:
    learners, ways = ("mean", "stump", "tree", "least_squares", "nearest"), WAYS[:2]
    return [
        Cell(learner, problem, n_rows, ways[place % 2])
        for place, (learner, (problem, n_rows)) in enumerate(
            product(learners, (("numbers", 50), ("heavy", 150), ("numbers", 500), ("heavy", 50)))
        )
    ]


def _in_time() -> list[Cell]:
    return [
        Cell(learner, problem, n_rows, "time with memory")
        for learner, problem, n_rows in (
            ("majority", "noise", 150),
            ("logistic", "smooth", 150),
            ("logistic", "smooth", 500),
            ("tree", "xor", 500),
            ("naive_bayes", "look_alike", 150),
            ("stump", "smooth", 500),
        )
    ]
