"""Tables of transitions: a row for each step, with the state, the action, the reward, what follows.

The next state has the columns of the state with a prefix: ``next_position`` beside ``position``.
Rows of an episode stand in the order of time. A row is the last of its episode when ``done`` says
so; other last rows were cut off, and their next state still counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Bools, Floats, Places
from branchline.decide._listed_transitions import (
    column_named,
    numbers_named,
    refuse_missing,
    truths,
)
from branchline.errors import DataError, Repair
from branchline.table import Column, ColumnType, Table, as_table

__all__ = ["ACTION", "Columns", "Experience", "action_column", "with_action"]

ACTION = "action taken"


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a table of transitions."""

    action: str
    reward: str
    next_prefix: str
    done: str | None
    episode: str | None

    def others(self) -> set[str]:
        """Return the columns that are not part of a state."""
        return {name for name in (self.action, self.reward, self.done, self.episode) if name}


@dataclass(frozen=True, eq=False)
class Experience:
    """What was seen and done.

    Parameters
    ----------
    states, after
        The state before and after each step; the same columns.
    actions
        The names of the actions that were taken, sorted.
    taken
        The position of the action of each step.
    rewards
        The reward of each step.
    ends
        Whether the episode ends with the step.
    episode
        The number of the episode of each step; None: not known.
    """

    states: Table
    after: Table
    actions: AnyArray
    taken: Places
    rewards: Floats
    ends: Bools
    episode: Places | None

    @classmethod
    def of_table(cls, given: Any, columns: Columns) -> "Experience":
        """Read a table of transitions."""
        table = as_table(given)
        for name in sorted(columns.others()):
            column_named(table, name)
        prefix = columns.next_prefix
        names = [
            name
            for name in table.names
            if name not in columns.others() and f"{prefix}{name}" in table.names
        ]
        if not names:
            raise DataError(
                f"No column has a twin that begins with {prefix!r}: the next state of each "
                "transition is missing.",
                code="D803",
                repair=Repair(f"FittedQ(next_prefix={'after_'!r})"),
            )
        cells = table.column(columns.action).to_list()
        refuse_missing(columns.action, [cell is None for cell in cells])
        actions, taken = np.unique(np.array(cells), return_inverse=True)
        episode = None
        if columns.episode is not None:
            marks = table.column(columns.episode).to_list()
            refuse_missing(columns.episode, [mark is None for mark in marks])
            episode = np.unique(np.array(marks), return_inverse=True)[1].astype(np.intp)
        ends = np.zeros(table.n_rows, dtype=bool)
        if columns.done is not None:
            ends = truths(table, columns.done)
        states = table.select(names)
        after = table.select([f"{prefix}{name}" for name in names]).with_names(names)
        rewards = numbers_named(table, columns.reward)
        return cls(states, after, actions, taken.astype(np.intp), rewards, ends, episode)

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.taken)

    def first_steps(self) -> Places:
        """Return the first row of each episode; all rows when episodes are not known."""
        if self.episode is None:
            return np.arange(self.n_steps)
        return np.unique(self.episode, return_index=True)[1].astype(np.intp)

    def groups(self) -> Places:
        """Return what is drawn together in bootstrap samples: episodes, or single steps."""
        return np.arange(self.n_steps) if self.episode is None else self.episode


def with_action(states: Table, actions: AnyArray, chosen: Places) -> Table:
    """Return states with the chosen actions, a category, as one more column."""
    names = tuple(str(action) for action in actions.tolist())
    return Table.from_columns((*states.columns, *action_column(names, chosen).columns))


def action_column(names: tuple[str, ...], chosen: Any) -> Table:
    """Return the chosen actions as a table of one column of categories."""
    codes = np.asarray(chosen, dtype=np.int32)
    return Table.from_columns((Column(ACTION, ColumnType("category", "string", names), codes),))
