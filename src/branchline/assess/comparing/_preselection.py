"""Columns that were chosen with the target before the table was made: W050, where it can be seen.

Of 5,000 columns the best 50 are kept by a test on all rows, and a model is assessed on these 50:
its scores are too good, however honest the assessment, because the choice has seen the test rows.
The table keeps a trace. Columns that tell nothing have p-values spread evenly between 0 and 1. Of a
table that was cut at p ≤ c, the part above c is missing:

1. Nearly all columns (19 of 20) have p ≤ c, and c is at most 0.1.
2. Most of them crowd below c: in (c / 10, c] lie at least half of the columns (9 of 10 when all
   tell nothing), evenly. Columns that truly tell something are spread over many powers of ten.
3. They are many (20 or more), and within classes (or beside the target) they do not tell the same:
   columns that measure one thing have like p-values without any choice.

How often this warns where nothing was chosen, and where something was:
``benchmarks/reproductions/preselection.py``.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._arrays import Floats
from branchline._plain_numbers import count, number, percent
from branchline.assess.comparing._problem import Problem
from branchline.errors import BranchlineError, BranchlineWarning, Repair
from branchline.features import rank_columns

__all__ = ["Trace", "preselection_warnings", "trace_of_choice"]

_FEWEST_COLUMNS, _FEWEST_ROWS = 20, 12
_NEARLY_ALL, _LARGEST_EDGE = 0.95, 0.1
_CROWDED, _FEWEST_CROWDED = 0.5, 10
_EVEN = 0.01  # p-value of the test that columns below the edge are spread evenly
# The mean squared correlation of columns beside the target, less what chance gives.
_MOST_ALIKE = 0.1
_MOST_COMPARED = 200


@dataclass(frozen=True)
class Trace:
    """The trace that a choice of columns left.

    Parameters
    ----------
    edge
        The p-value that nearly all columns are below.
    crowded
        The share of columns between a tenth of it and it.
    n_columns
        The number of columns that were tested.
    n_before
        About how many columns there were before the choice, if those left tell nothing.
    """

    edge: float
    crowded: float
    n_columns: int
    n_before: int


def preselection_warnings(problem: Problem) -> list[BranchlineWarning]:
    """Return the warning that columns were probably chosen with the target; mostly none."""
    found = trace_of_choice(problem)
    if found is None:
        return []
    edge, columns = number(found.edge, 2), count(found.n_columns, "column")
    return [
        BranchlineWarning(
            f"The columns look as if they had been chosen with the target, on these rows: nearly "
            f"all {columns} have a p-value below {edge}, {percent(found.crowded)} of them just "
            f"below, and those that tell nothing are missing (about {found.n_before:,} columns "
            "would have to be there). Every score of this table is then too good, because the "
            "choice has seen the test rows.",
            code="W050",
            repair=Repair(
                "compare(X_with_all_columns, y, select='mutual_information')",
                "give the table with all columns, and --select mutual_information",
            ),
        )
    ]


def trace_of_choice(problem: Problem) -> Trace | None:
    """Return the trace of a choice of columns with the target; None where there is none."""
    table = problem.table
    if table.n_columns < _FEWEST_COLUMNS or table.n_rows < _FEWEST_ROWS:
        return None
    try:
        ranked = rank_columns(table, problem.target, by="f", task=problem.task)
    except BranchlineError:
        return None
    assert ranked.p_values is not None
    known = np.isfinite(ranked.p_values)
    found = _edge_of(ranked.p_values[known])
    if found is None:
        return None
    names = [name for name, is_known in zip(ranked.names, known, strict=True) if is_known]
    return None if _likeness(problem, names[:_MOST_COMPARED]) > _MOST_ALIKE else found


def _edge_of(p_values: Floats) -> Trace | None:
    """Return the edge below which p-values crowd; None where they do not."""
    n_columns = len(p_values)
    if n_columns < _FEWEST_COLUMNS:
        return None
    ordered = np.sort(p_values)
    edge = float(ordered[math.ceil(_NEARLY_ALL * n_columns) - 1])
    if not 0 < edge <= _LARGEST_EDGE:
        return None
    crowd = ordered[(ordered > edge / 10) & (ordered <= edge)] / edge
    if len(crowd) < max(_FEWEST_CROWDED, _CROWDED * n_columns):
        return None
    # The edge itself is one of them, and the largest: the others are even below it.
    if stats.kstest(crowd[:-1], stats.uniform(0.1, 0.9).cdf).pvalue < _EVEN:
        return None
    n_before = round(len(crowd) / (0.9 * edge), -1)
    return Trace(edge, len(crowd) / n_columns, n_columns, int(n_before))


def _likeness(problem: Problem, names: list[str]) -> float:
    """Return the mean squared correlation of columns beside the target, less that of chance."""
    numbers = [_numbers(problem, name) for name in names]
    rest = _beside_target(np.array(numbers).T, problem)
    size = np.sqrt((rest**2).sum(axis=0))
    rest = rest[:, size > 0] / size[size > 0]
    k = rest.shape[1]
    if k < 2:
        return 1.0
    n_free = max(1, problem.n_rows - (2 if problem.classes is None else len(problem.classes)))
    squares = float(((rest.T @ rest) ** 2).sum() - k) / (k * (k - 1))
    return float(squares - 1 / n_free)


def _numbers(problem: Problem, name: str) -> Floats:
    """Return a column as numbers: categories by code, missing cells as the mean."""
    column = problem.table.column(name)
    values = np.asarray(column.values, dtype=np.float64).copy()
    missing = column.is_missing | ~np.isfinite(values)
    values[missing] = values[~missing].mean() if (~missing).any() else 0.0
    return values


def _beside_target(columns: Floats, problem: Problem) -> Floats:
    """Return columns without what the target explains: class means, or a straight line."""
    rest: Floats = columns - columns.mean(axis=0)
    if problem.classes is not None:
        for place in range(len(problem.classes)):
            rows = problem.places == place
            if rows.any():
                rest[rows] -= rest[rows].mean(axis=0)
        return rest
    line = problem.target - problem.target.mean()
    total = float(line @ line)
    if total > 0:
        rest = np.asarray(rest - np.outer(line, line @ rest / total))
    return rest
