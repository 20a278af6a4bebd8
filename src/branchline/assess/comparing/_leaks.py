"""Columns that tell the target almost by themselves, which is often too good to be true.

A column that tells nearly all (``told_alone``) may have been written down after the outcome, or be
made of it; so may one of which the missing cells alone tell much.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from branchline._arrays import Places
from branchline._equal_rows import blocks_of
from branchline._plain_numbers import fine_percent as percent
from branchline._plain_text import clean, shorten
from branchline.assess.comparing._problem import Problem
from branchline.table import Column
from branchline.table.looking import Goal, told_alone, told_by_missing

__all__ = ["Suspicion", "find_leaks", "strength_alone"]

_SUSPICIOUS = 0.95
# Whether a value is missing should tell little; otherwise it was often filled in afterwards.
_SUSPICIOUS_MISSING = 0.5
_FEWEST_ROWS = 20
_MOST_ROWS = 20_000
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Suspicion:
    """A column that may leak the target.

    Parameters
    ----------
    column
        Its name.
    strength
        The share of errors, or of variance, that it takes away by itself.
    text
        What to think of it.
    """

    column: str
    strength: float
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the suspicion as plain data."""
        return asdict(self)


def find_leaks(problem: Problem) -> tuple[Suspicion, ...]:
    """Return the columns that tell the target almost by themselves, the strongest first."""
    every = _without_copies(problem)
    rows = every[:: max(1, -(-len(every) // _MOST_ROWS))]
    if len(every) < _FEWEST_ROWS:
        return ()
    part = problem.rows(rows)
    goal, found = _goal(part), []
    for name in part.table.names:
        column = part.table.column(name)
        strength, missing = told_alone(column, goal), told_by_missing(column, goal)
        if missing >= _SUSPICIOUS_MISSING:
            found.append(Suspicion(name, missing, _text(missing, problem, "Whether it is missing")))
        elif strength >= _SUSPICIOUS:
            found.append(Suspicion(name, strength, _text(strength, problem, "It")))
    return tuple(sorted(found, key=lambda one: -one.strength))


def _without_copies(problem: Problem) -> Places:
    """Return one row of each that was copied; copies make every column tell the target."""
    blocks = blocks_of(problem.table, np.ones(problem.n_rows, dtype=np.int64))
    if blocks.of_row is None:
        return np.arange(problem.n_rows)
    return np.sort(np.unique(problem.row_keys, return_index=True)[1])


def strength_alone(column: Column, problem: Problem) -> float:
    """Return how much of the target a column tells by itself, from 0 (nothing) to 1 (all)."""
    return told_alone(column, _goal(problem))


def _goal(problem: Problem) -> Goal:
    if problem.classes is None:
        return Goal(problem.target.astype(np.float64))
    return Goal(problem.places, len(problem.classes))


def _text(strength: float, problem: Problem, subject: str) -> str:
    target = f"“{shorten(clean(problem.target_name), _LONGEST_NAME)}”"
    if strength > 1 - 1e-12:
        what = f"{subject} alone determines {target} completely."
    elif problem.classes is None:
        what = f"{subject} is enough to explain {percent(strength)} of the variation of {target}."
    else:
        what = f"{subject} is enough to avoid {percent(strength)} of the errors in {target}."
    return (
        f"{what} Was it known before the outcome was? If it was written down afterwards, or made "
        "from the outcome, drop it: the scores would then be too good to be true."
    )
