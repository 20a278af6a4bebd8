"""Results that are too good to be true: a winner without errors, and the columns that allow it.

1. Numbers: the best learner explains 99.99 % of the variance; classes: it is right about every row.
2. Which columns make the target. Numbers: columns are added to a linear fit, each time the one that
   explains most, until 99.99 % is explained; those that are not needed go. Classes: the columns
   that a tree without errors tests.
A single column that tells the target is found before anything is fitted (``_leaks``).
"""

import shlex
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline import catalog
from branchline._plain_numbers import joined
from branchline.assess.comparing._problem import Problem
from branchline.errors import BranchlineWarning, Repair

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["columns_that_make", "too_good"]

Floats = npt.NDArray[np.float64]

_PERFECT = 0.9999
_FEWEST_ROWS = 50
_MOST_ROWS, _MOST_COLUMNS, _MOST_NAMED = 5_000, 500, 6


def too_good(comparison: "Comparison") -> tuple[BranchlineWarning, ...]:
    """Return a warning when the best learner makes no errors worth the name."""
    problem = comparison.problem
    is_told = any(one.code in {"W002", "W003"} for one in comparison.noticed)
    if problem.n_rows < _FEWEST_ROWS or is_told or comparison.best == comparison.plan.baseline:
        return ()
    metric = "r2" if problem.classes is None else "accuracy"
    score = comparison.score(comparison.best, metric).estimate
    if not score >= (_PERFECT if problem.classes is None else 1.0):
        return ()
    return (_warning(comparison.best, problem, columns_that_make(problem)),)


def _warning(best: str, problem: Problem, columns: tuple[str, ...]) -> BranchlineWarning:
    did = "explains more than 99.99 % of the variation of"
    if problem.classes is not None:
        did = "makes no error about"
    text = f"Too good to be true? {best} {did} {problem.target_name!r} on rows it had not seen."
    if not columns:
        return BranchlineWarning(
            f"{text} Check that no input is made from the target.",
            code="W011",
            repair=Repair(
                "compare(Table(X).drop([…]), y)  # without what is known only afterwards",
                "--drop COLUMN, for each that is known only afterwards",
            ),
        )
    names = joined([repr(name) for name in columns])
    verb = "makes" if len(columns) == 1 else "together make"
    return BranchlineWarning(
        f"{text} {names} {verb} the target. If that is known only together with the outcome, drop "
        "it.",
        code="W011",
        repair=Repair(
            f"from branchline import Table\ncompare(Table(X).drop({list(columns)!r}), y)",
            " ".join(f"--drop {shlex.quote(name)}" for name in columns),
        ),
    )


def columns_that_make(problem: Problem) -> tuple[str, ...]:
    """Return the few columns that together determine the target; empty where none are found."""
    every = np.arange(problem.n_rows)
    part = problem.rows(every[:: max(1, -(-problem.n_rows // _MOST_ROWS))])
    return _summed(part) if problem.classes is None else _tested(part)


def _summed(problem: Problem) -> tuple[str, ...]:
    """Return the numeric columns of which the target is a sum with weights."""
    numeric = [name for name in problem.table.names if _is_complete(problem, name)]
    target = _centered(problem.target.astype(np.float64))
    columns = {name: _centered(_numbers(problem, name)) for name in numeric[:_MOST_COLUMNS]}
    chosen: list[str] = []
    while len(chosen) < _MOST_NAMED and len(chosen) < len(columns):
        rest = [name for name in columns if name not in chosen]
        left = _left(target, [columns[name] for name in chosen])
        chosen.append(max(rest, key=lambda name: abs(float(columns[name] @ left))))
        if _explained(target, columns, chosen) >= _PERFECT:
            needed = list(chosen)
            for name in chosen:
                fewer = [other for other in needed if other != name]
                needed = fewer if _explained(target, columns, fewer) >= _PERFECT else needed
            return tuple(name for name in problem.table.names if name in needed)
    return ()


def _is_complete(problem: Problem, name: str) -> bool:
    column = problem.table.column(name)
    return column.kind != "category" and not column.is_missing.any()


def _numbers(problem: Problem, name: str) -> Floats:
    return np.asarray(problem.table.column(name).numbers(), dtype=np.float64)


def _centered(values: Floats) -> Floats:
    """Return numbers around 0 with length 1; zeros where all are equal."""
    unit = float(np.abs(values).max(initial=0.0)) or 1.0
    off = values / unit - float((values / unit).mean())
    length = float(np.sqrt(off @ off))
    return off / length if length > 1e-12 else np.zeros_like(off)


def _left(target: Floats, columns: list[Floats]) -> Floats:
    if not columns:
        return target
    matrix = np.column_stack(columns)
    weights, *_ = np.linalg.lstsq(matrix, target, rcond=None)
    return np.asarray(target - matrix @ weights)


def _explained(target: Floats, columns: dict[str, Floats], names: list[str]) -> float:
    left = _left(target, [columns[name] for name in names])
    return 1 - float(left @ left)


def _tested(problem: Problem) -> tuple[str, ...]:
    """Return the columns that a tree without errors on these rows tests, if they are few."""
    model: Any = catalog.make("cart", task="classification", random_state=0)
    model.fit(problem.table, problem.target)
    if (np.asarray(model.predict(problem.table)) != problem.target).any():
        return ()
    shares = np.asarray(model.feature_importances_)
    names = tuple(np.asarray(problem.table.names)[shares > 0].tolist())
    return names if len(names) <= _MOST_NAMED else ()
