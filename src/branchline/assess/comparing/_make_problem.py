"""The problem of a comparison: a table and its target, checked, without columns that name rows."""

from collections.abc import Sequence
from typing import Any

from branchline._validation import Task
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._identifiers import without_identifiers
from branchline.assess.comparing._problem import Problem, checked_problem
from branchline.assess.comparing._unlearnable import refuse_unlearnable

__all__ = ["make_problem"]


@checked_keywords
def make_problem(
    X: Any,
    y: Any,
    *,
    task: Task | None = None,
    group: str | None = None,
    time_column: str | None = None,
    target_name: str = "target",
    keep: Sequence[str] = (),
    by: str | Sequence[str] = (),
) -> Problem:
    """Return a table and its target, checked, as ``compare`` sees them.

    Columns that only name rows (identifiers, names, free texts) are set aside.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    task
        "classification" or "regression". Default None: a target of names or of two values is
        classification, other numbers are regression.
    group
        Keep all rows with the same value in this column in one fold. It is not an input.
        Default None: rows are independent.
    time_column
        A column of dates or times: the past always predicts the future. It is not an input.
        Default None: rows have no order in time.
    target_name
        The name of the target, when ``y`` is not a name. Default "target".
    keep
        Columns to use although they look like identifiers. Default: none.
    by
        Columns by whose groups results are shown. The columns stay inputs. Default: none.

    See Also
    --------
    Problem : a table and its target, checked.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import make_problem
    >>> problem = make_problem(load_dataset("titanic"), "survived")
    >>> [column.name for column in problem.set_aside]
    ['name']
    """
    problem = checked_problem(
        X, y, task=task, group=group, time_column=time_column, target_name=target_name, by=by
    )
    refuse_unlearnable(problem)
    return without_identifiers(problem, keep)
