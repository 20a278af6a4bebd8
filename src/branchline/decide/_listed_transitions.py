"""Decision processes as they are listed: rows of a table, or transitions of an environment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from branchline._arrays import Bools, Floats, Places
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import Table, as_table

__all__ = ["Listed", "from_rows", "listed_in_environment", "truths"]

_ROUNDING = 1e-6
_YES = {"yes", "true", "1", "y", "t", "done", "1.0"}
_NO = {"no", "false", "0", "n", "f", "", "0.0"}


@dataclass(frozen=True, eq=False)
class Listed:
    """States, actions, expected rewards, allowed actions, probabilities of going on."""

    states: tuple[Any, ...]
    actions: tuple[Any, ...]
    reward: Floats
    allowed: Bools
    going_on: sparse.csr_array


def from_rows(
    table: Any,
    names: tuple[str, str, str, str],
    probability: str | None,
    done: str | None,
    *,
    observed: bool = False,
) -> Listed:
    """Return the process that rows of a table list; ``names``: state, action, next, reward.

    ``observed``: rows are what happened, so each counts as often as it stands there.
    """
    data = as_table(table)
    columns = [column_named(data, name) for name in names]
    states_given, actions_given, next_given = (column.to_list() for column in columns[:3])
    pays = numbers_named(data, names[3])
    shares = np.ones(len(pays)) if probability is None else numbers_named(data, probability)
    ends = np.zeros(len(pays), bool) if done is None else truths(data, done)
    for name, cells in zip(names[:2], (states_given, actions_given), strict=True):
        refuse_missing(name, [cell is None for cell in cells])
    goes_on = ~ends & np.array([cell is not None for cell in next_given], dtype=bool)
    followed = [cell for cell, on in zip(next_given, goes_on, strict=True) if on]
    states, state_at = _places([*states_given, *followed])
    actions, action_at = _places(actions_given)
    pair = state_at[: len(pays)] * len(actions) + action_at
    after = np.full(len(pays), -1, dtype=np.intp)
    after[goes_on] = state_at[len(pays) :]
    return _collected((states, actions), pair, after, pays, shares, observed=observed)


def _collected(
    names: tuple[tuple[Any, ...], tuple[Any, ...]],
    pair: Places,
    after: Places,
    pays: Floats,
    shares: Floats,
    *,
    observed: bool = False,
) -> Listed:
    """Return expected rewards and probabilities from rows; ``after`` −1: the episode ends."""
    states, actions = names
    n_pairs = len(states) * len(actions)
    totals = np.bincount(pair, weights=shares, minlength=n_pairs)
    listed = np.bincount(pair, minlength=n_pairs) > 0
    wrong = listed & ~(np.abs(totals - 1) <= _ROUNDING) & (not observed)
    if wrong.any() or shares.min(initial=0.0) < 0:
        state, action = divmod(int(np.argmax(wrong)), len(actions))
        raise DataError(
            "The probabilities of a state and an action must sum to 1. They sum to "
            f"{totals[np.argmax(wrong)]:g} in state {states[state]!r} with action "
            f"{actions[action]!r}.",
            code="D800",
            rows=np.flatnonzero(pair == np.argmax(wrong)).tolist(),
        )
    sums = np.bincount(pair, weights=shares * pays, minlength=n_pairs)
    reward = np.where(listed, sums / np.where(listed, totals, 1.0), 0.0)
    shares = shares / totals[pair]
    on = after >= 0
    going_on = sparse.coo_array(
        (shares[on], (pair[on], after[on])), shape=(n_pairs, len(states))
    ).tocsr()
    shape = (len(states), len(actions))
    return Listed(states, actions, reward.reshape(shape), listed.reshape(shape), going_on)


def _places(cells: Sequence[Any]) -> tuple[tuple[Any, ...], Places]:
    """Return the different cells, sorted where they can be, and the place of each cell."""
    different = list(dict.fromkeys(cells))
    try:
        names = tuple(sorted(different))
    except TypeError:
        names = tuple(sorted(different, key=str))
    place = {name: at for at, name in enumerate(names)}
    return names, np.array([place[cell] for cell in cells], dtype=np.intp)


def column_named(table: Table, name: str) -> Any:
    """Return a column of a table of transitions."""
    if name in table.names:
        return table.column(name)
    raise DataError(
        f"The table of transitions has no column {name!r}. It has "
        f"{', '.join(repr(one) for one in table.names[:12])}.",
        code="D803",
        column=name,
    )


def numbers_named(table: Table, name: str) -> Floats:
    """Return a column of numbers without missing values."""
    column = column_named(table, name)
    try:
        values = np.array([np.nan if v is None else float(v) for v in column.to_list()])
    except (TypeError, ValueError):
        raise DataError(f"Column {name!r} must hold numbers.", code="D804", column=name) from None
    refuse_missing(name, ~np.isfinite(values))
    return values


def truths(table: Table, name: str) -> Bools:
    """Return a column of yes and no as booleans; missing is no."""
    cells = ["" if cell is None else str(cell).strip().lower()
             for cell in column_named(table, name).to_list()]  # fmt: skip
    unknown = [cell for cell in cells if cell not in _YES | _NO]
    if unknown:
        raise DataError(
            f"Column {name!r} must say yes or no (1 or 0, true or false).",
            code="D804",
            column=name,
            values=list(dict.fromkeys(unknown))[:5],
        )
    return np.array([cell in _YES for cell in cells], dtype=bool)


def refuse_missing(name: str, missing: Any) -> None:
    """Refuse cells that must be known."""
    rows = np.flatnonzero(np.asarray(missing, dtype=bool))
    if len(rows):
        raise DataError(
            f"Column {name!r} has cells that are missing or not finite.",
            code="D804",
            column=name,
            rows=rows.tolist(),
            repair=Repair(
                f"table = table.rows([i for i in range(len(table)) if "
                f"table.column({name!r}).to_list()[i] is not None])"
            ),
        )


def listed_in_environment(environment: Any) -> tuple[Listed, Floats | None]:
    """Return the transitions that an environment of gymnasium shows, and where it begins."""
    inside = getattr(environment, "unwrapped", environment)
    shown = getattr(inside, "P", None)
    if not isinstance(shown, dict) or not shown:
        raise ParameterError(
            f"{type(inside).__name__} does not show its transitions (no attribute P).",
            code="P801",
            values=[type(inside).__name__],
        )
    found = [
        (state, action, after, share, pays, ends)
        for state, acts in shown.items()
        for action, rows in acts.items()
        for share, after, pays, ends in rows
    ]
    state, action, after = (np.array([one[at] for one in found], np.intp) for at in range(3))
    share, pays = (np.array([one[at] for one in found], float) for at in (3, 4))
    ends = np.array([one[5] for one in found], bool)
    names = (tuple(range(int(state.max()) + 1)), tuple(range(int(action.max()) + 1)))
    listed = _collected(
        names, state * len(names[1]) + action, np.where(ends, -1, after), pays, share
    )
    start = getattr(inside, "initial_state_distrib", None)
    return listed, None if start is None else np.asarray(start, dtype=np.float64)
