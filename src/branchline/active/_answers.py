"""Answers as people give them become labels: class names or numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._validation import Owner, check_target
from branchline.active._pool import Pool
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import as_table

__all__ = ["check_answers", "check_classes", "known_answers"]


def check_classes(classes: Any, task: str) -> AnyArray | None:
    """Return all classes, sorted; None: they are those of the answers."""
    if classes is None:
        return None
    found = np.unique(np.asarray(classes))
    if task == "regression" or found.ndim != 1 or len(found) < 2:
        why = "numbers have none" if task == "regression" else "at least two names are needed"
        raise ParameterError(
            f"The 'classes' parameter of ActiveLearner lists all classes; {why}.",
            code="P842",
            values=list(np.ravel(found)[:3]),
            repair=Repair("learner = ActiveLearner(X, classes=['no', 'yes'])", "--classes no,yes"),
        )
    return found


def check_answers(answers: Sequence[Any], task: str, classes: AnyArray | None) -> list[Any]:
    """Return answers as plain values; refuse those that the task or the classes do not have."""
    return [None if _is_missing(one) else _checked(one, task, classes) for one in answers]


def _checked(answer: Any, task: str, classes: AnyArray | None) -> Any:
    value = answer.item() if isinstance(answer, np.generic) else answer
    if task == "regression":
        return _number(value)
    if classes is not None and value not in classes.tolist():
        listed = ", ".join(str(one) for one in classes[:8])
        raise ParameterError(
            f"The answer {value!r} is not one of the classes: {listed}.",
            code="P842",
            values=[value],
            repair=Repair("learner.tell(row, None)  # cannot tell"),
        )
    return value


def _number(value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = np.inf
    if not np.isfinite(found):
        raise ParameterError(
            f"The answer {value!r} is not a number.",
            code="P842",
            values=[value],
            repair=Repair("learner.tell(row, None)  # cannot tell"),
        )
    return found


def _is_missing(value: Any) -> bool:
    missing_name = type(value).__name__ in {"NAType", "NaTType"}
    return (
        value is None or missing_name or (isinstance(value, float | np.floating) and value != value)
    )


def known_answers(y: Any, pool: Pool, task: str) -> Iterator[tuple[int, Any]]:
    """Yield the rows whose label is known, in the random order, with their labels."""
    if y is None:
        return
    column = as_table({"y": y}, texts="raw").column("y")
    if len(column.is_missing) != pool.table.n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has "
            f"{pool.table.n_rows} rows, y has {len(column.is_missing)}.",
            code="D075",
        )
    known = ~np.asarray(column.is_missing)
    if not known.any():
        return
    values = np.asarray(column.to_numpy())
    owner = Owner("ActiveLearner", None)
    check_target(values[known], int(known.sum()), task=task, owner=owner, tell_one_class=False)  # type: ignore[arg-type]
    if task == "classification" and values.dtype.kind == "f":
        values = np.where(known, values, 0).astype(np.int64)  # whole numbers beside missing ones
    for row in pool.order[known[pool.order]].tolist():
        yield row, values[row]
