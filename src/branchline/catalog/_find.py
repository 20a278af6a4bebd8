"""Looking through the catalog: by task, by family, by what a learner handles, by words."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from branchline._plain_numbers import duration
from branchline.catalog._entries import ENTRIES
from branchline.catalog._entry import HANDLES, SIZES, Entry, Task
from branchline.catalog._make import check_task
from branchline.catalog._spaces import count_candidates, is_endless
from branchline.errors import ParameterError, Repair

__all__ = ["find", "in_words", "table"]

# The sizes of tables for which a cost is shown: (rows, columns).
_SHOWN_SIZES = ((1_000, 20), (100_000, 20))


def find(
    task: str | None = None,
    *,
    family: str | None = None,
    handles: str | Iterable[str] = (),
    text: str | None = None,
) -> tuple[Entry, ...]:
    """Return the learners that fit every wish, in the order of the catalog.

    Parameters
    ----------
    task
        "classification" or "regression". Default None: any.
    family
        A family: "tree", "linear", "ensemble" and so on. Default None: any.
    handles
        What it must do by itself, one word or several of ``HANDLES``: "weights", "incremental".
        Default: none.
    text
        Words that must all occur in its names, description or reference. Default None: any.

    Raises
    ------
    ParameterError
        P091 or P092 when there is no such task, family or word.

    See Also
    --------
    names : return the short names of all learners, or of those that can do a task.
    entry : return what the catalog says of the learner called ``name``.

    Examples
    --------
    >>> from branchline import catalog
    >>> [entry.name for entry in catalog.find("regression", family="neighbors")]
    ['nearest_neighbors', 'parzen']
    """
    wanted = None if task is None else check_task(task)
    families = tuple(dict.fromkeys(entry.family for entry in ENTRIES.values()))
    if family is not None:
        _check_known("family", family, families)
    abilities = {handles} if isinstance(handles, str) else set(handles)
    for ability in sorted(abilities, key=str):
        _check_known("handles", ability, tuple(HANDLES))
    return tuple(
        entry
        for entry in ENTRIES.values()
        if (wanted is None or wanted in entry.classes)
        and family in {None, entry.family}
        and abilities <= entry.handles
        and _mentions(entry, text)
    )


def table(task: str | None = None) -> list[dict[str, Any]]:
    """Return the catalog as plain rows: what the docs and the command line print.

    See Also
    --------
    names : return the short names of all learners, or of those that can do a task.
    entry : return what the catalog says of the learner called ``name``.

    Examples
    --------
    >>> from branchline import catalog
    >>> catalog.table("regression")[0]["title"]
    'Majority class or mean'
    """
    return [_row(entry) for entry in find(task)]


def in_words(seconds: float) -> str:
    """Return a time as people read it, to about two digits: 0.4 ms, 36 ms, 3.2 s, 5 min, 3 h."""
    return duration(seconds)


def _row(entry: Entry) -> dict[str, Any]:
    marks = entry.plusses
    return {
        "name": entry.name,
        "title": entry.title,
        "family": entry.family,
        "tasks": list(entry.tasks),
        "classes": dict(entry.classes),
        "aliases": list(entry.aliases),
        "handles": [word for word in HANDLES if word in entry.handles],
        "candidates": {task: _candidates(entry, task) for task in entry.tasks},
        "seconds": {task: _seconds(entry, task) for task in entry.tasks},
        "plusses": None if marks is None else dict(vars(marks)),
        "description": entry.description,
        "reference": str(entry.reference),
    }


def _candidates(entry: Entry, task: Task) -> dict[str, int | None]:
    """Return how many candidates each tuning space has; None for spaces with ranges."""
    spaces = entry.spaces[task]
    return {
        size: None if is_endless(spaces[size]) else count_candidates(spaces[size]) for size in SIZES
    }


def _seconds(entry: Entry, task: Task) -> list[dict[str, float]]:
    """Return what a fit costs on tables of two sizes, to two digits."""
    return [
        {
            "rows": rows,
            "columns": columns,
            "seconds": float(f"{entry.estimate(rows, columns, task=task):.2g}"),
        }
        for rows, columns in _SHOWN_SIZES
    ]


def _mentions(entry: Entry, text: str | None) -> bool:
    fields = (entry.name, entry.title, *entry.aliases, entry.description, str(entry.reference))
    everything = " ".join(fields).lower()
    return all(word in everything for word in (text or "").lower().split())


def _check_known(parameter: str, value: Any, known: tuple[str, ...]) -> None:
    if value in known:
        return
    near = get_close_matches(str(value), known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(
        f"No learner has {parameter}={value!r}.{hint} There are: {', '.join(known)}.",
        code="P092",
        values=[value],
        repair=Repair(
            f"from branchline import catalog\ncatalog.find({parameter}={(near or known)[0]!r})"
        ),
    )
