"""Learners by name: looking one up, making one, and refusing names and tasks that do not exist."""

import inspect
from difflib import get_close_matches
from typing import Any

from branchline.catalog._entries import ENTRIES
from branchline.catalog._entry import TASKS, Entry, Task
from branchline.errors import ParameterError, Repair

__all__ = ["check_task", "entry", "make", "names", "nearest_learner"]

# Offered to every learner by callers that do not know it; learners without randomness or threads
# have no use for them.
_PASSED_WHERE_ACCEPTED = ("random_state", "n_jobs")


def names(task: str | None = None) -> tuple[str, ...]:
    """Return the short names of all learners, or of those that can do a task.

    See Also
    --------
    find : return the learners that fit every wish, in the order of the catalog.
    table : return the catalog as plain rows.

    Examples
    --------
    >>> from branchline import catalog
    >>> "tree" in catalog.names("regression")
    True
    """
    wanted = None if task is None else check_task(task)
    return tuple(one.name for one in ENTRIES.values() if wanted is None or wanted in one.classes)


def entry(name: str, *, task: str | None = None) -> Entry:
    """Return what the catalog says of the learner called ``name``.

    Parameters
    ----------
    name
        A name of ``names()``. Capitals, spaces and underscores do not matter; common other names
        are understood too.
    task
        A task that the learner must have. Default None: any.

    Raises
    ------
    ParameterError
        P090 when no learner has this name, P091 when it cannot do the task.

    See Also
    --------
    Entry : one learner of the catalog.

    Examples
    --------
    >>> from branchline import catalog
    >>> catalog.entry("C4.5").title
    'C4.5'
    """
    found = _NAMES.get(_plain(name))
    if found is None:
        raise _no_such_learner(name)
    if task is not None and check_task(task) not in ENTRIES[found].classes:
        raise _cannot_do(ENTRIES[found], check_task(task))
    return ENTRIES[found]


def make(name: str, *, task: str, **parameters: Any) -> Any:
    """Return an unfitted estimator, ready for a mixed table.

    Parameters
    ----------
    name
        A name of ``names()``.
    task
        "classification" or "regression".
    **parameters
        Parameters of the estimator. ``random_state`` and ``n_jobs`` may be given to every learner:
        those that have no such parameter do not get it.

    Raises
    ------
    ParameterError
        P090 when no learner has this name, P091 when it cannot do this task.

    See Also
    --------
    names : return the short names of all learners, or of those that can do a task.
    load : read a model written by ``model.save``.

    Examples
    --------
    >>> from branchline import catalog, load_dataset
    >>> X, y = load_dataset("iris").split_target("species")
    >>> catalog.make("tree", task="classification", max_depth=2).fit(X, y).tree_.n_leaves
    3
    """
    wanted = check_task(task)
    found = entry(name, task=wanted)
    maker = found.maker(wanted)
    settings = {**found.parameters.get(wanted, {}), **parameters}
    return maker(**_accepted(maker, settings))


def check_task(task: Any) -> Task:
    """Return ``task`` if there is such a task; else say which there are."""
    if isinstance(task, str) and task in TASKS:
        return task
    near = get_close_matches(str(task), TASKS, n=1) or [TASKS[0]]
    hint = f" Did you mean {near[0]!r}?" if isinstance(task, str) else ""
    raise ParameterError(
        f"The 'task' must be 'classification' or 'regression'. Got {task!r} instead.{hint}",
        code="P091",
        values=[task],
        repair=Repair(f"task = {near[0]!r}", f"--task {near[0]}"),
    )


def _accepted(maker: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Leave out what every learner is offered and this one has no parameter for."""
    known = inspect.signature(maker).parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in known.values())
    return {
        name: value
        for name, value in settings.items()
        if takes_all or name in known or name not in _PASSED_WHERE_ACCEPTED
    }


def _plain(name: Any) -> str:
    """Return a name as it is looked up: "Naive Bayes", "naive_bayes" → "naivebayes"."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


_NAMES: dict[str, str] = {
    _plain(one): found.name
    for found in ENTRIES.values()
    for one in (found.name, found.title, *found.aliases)
}


def nearest_learner(name: Any) -> str | None:
    """Return the learner that was probably meant; None when no name is near."""
    near = get_close_matches(_plain(name), _NAMES, n=1, cutoff=0.5)
    return _NAMES[near[0]] if near else None


def _no_such_learner(name: Any) -> ParameterError:
    nearest = nearest_learner(name)
    hint = f" Did you mean {nearest!r}?" if nearest else ""
    return ParameterError(
        f"There is no learner {name!r}.{hint} The learners are: {', '.join(ENTRIES)}.",
        code="P090",
        values=[name],
        repair=Repair(
            f"from branchline import catalog\ncatalog.entry({nearest or 'tree'!r})",
            f"branchline learners {nearest}" if nearest else "branchline learners",
        ),
    )


def _cannot_do(found: Entry, task: Task) -> ParameterError:
    able = names(task)
    alike = [name for name in able if ENTRIES[name].family == found.family]
    return ParameterError(
        f"{found.title} cannot do {task}, only {' and '.join(found.tasks)}. Learners that can: "
        f"{', '.join(able)}.",
        code="P091",
        values=[task],
        repair=Repair(
            "from branchline import catalog\n"
            f"model = catalog.make({(alike or list(able))[0]!r}, task={task!r})"
        ),
    )
