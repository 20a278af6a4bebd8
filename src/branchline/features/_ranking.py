"""``rank_columns``: how informative each column is about a target, by one of many criteria."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._false_discovery import false_discovery
from branchline._plain_numbers import alike, number
from branchline._result_frame import Library, result_frame
from branchline._validation import (
    OneOf,
    Owner,
    Task,
    TrainingData,
    check_parameters,
    check_training_data,
    check_training_inputs,
    count_threads,
    guess_task,
)
from branchline.charts import Bar, Chart, bar_rows
from branchline.errors import ParameterError, Repair
from branchline.features._alike import alike_groups
from branchline.features._criteria import CRITERIA
from branchline.features._scored_rows import ScoredRows
from branchline.table import Table, as_table

__all__ = ["ColumnRanking", "check_criterion", "rank_columns"]

# Columns alike are looked for among this many of the best; more are never read.
_MOST_COMPARED = 30
_MOST_SHOWN = 25


@dataclass(frozen=True, eq=False)
class ColumnRanking(Drawable):
    """Columns from the most to the least relevant.

    Parameters
    ----------
    by
        The criterion.
    names
        The columns, best first.
    scores
        The score of each.
    errors
        The standard error of each score; None where it is not known.
    p_values
        p-value: the probability of a score at least this large if the column is independent of the
        target; None where the criterion is not a test.
    q_values
        The expected share of false columns among those at least as significant (Benjamini and
        Hochberg).
    groups
        Columns among the best 30 that stand in for each other: they tell nearly the same.

    See Also
    --------
    rank_columns : rank the columns of a table by how informative they are about a target.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import rank_columns
    >>> len(rank_columns(load_dataset("german-credit"), "class").names)
    20
    """

    by: str
    names: tuple[str, ...]
    scores: Floats
    errors: Floats | None = None
    p_values: Floats | None = None
    q_values: Floats | None = None
    groups: tuple[tuple[str, ...], ...] = ()

    def top(self, n_columns: int) -> tuple[str, ...]:
        """Return the best columns."""
        return self.names[:n_columns]

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"column": list(self.names), "score": self.scores}
        for name in ("errors", "p_values", "q_values"):
            values = getattr(self, name)
            if values is not None:
                columns[name.removesuffix("s").replace("error", "standard_error")] = values
        return columns

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each column, best first, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain values."""
        columns = {
            name: values if isinstance(values, list) else values.tolist()
            for name, values in self._columns().items()
        }
        return {"by": self.by, **columns, "groups": [list(group) for group in self.groups]}

    def _chart(self) -> Chart:
        """Return the scores as bars, best first."""
        bars = []
        for place, name in enumerate(self.names[:_MOST_SHOWN]):
            score = float(self.scores[place])
            if not np.isfinite(score):
                continue
            reach = np.nan if self.errors is None else 1.96 * float(self.errors[place])
            bars.append(Bar(name, score, number(score), score - reach, score + reach))
        n_hidden = max(0, len(self.names) - _MOST_SHOWN)
        note = f"{n_hidden} more columns are not shown." if n_hidden else ""
        return bar_rows(bars, CRITERIA[self.by].words, "What each column tells", note=note)

    def __str__(self) -> str:
        shown = list(range(min(_MOST_SHOWN, len(self.names))))
        width = max(len(self.names[place]) for place in shown)
        scores = alike([float(self.scores[place]) for place in shown])
        lines = [f"Columns by {CRITERIA[self.by].words}, best first:"]
        for place, score in zip(shown, scores, strict=True):
            line = f"  {self.names[place]:<{width}}  {score:>10}"
            if self.q_values is not None:
                line += f"   q = {_small(float(self.q_values[place]))}"
            lines.append(line)
        if len(self.names) > len(shown):
            lines.append(f"  … and {len(self.names) - len(shown)} more")
        lines += [f"Stand in for each other: {', '.join(group)}." for group in self.groups]
        return "\n".join(lines)


def _small(share: float) -> str:
    if np.isnan(share):
        return "–"
    return "< 0.001" if share < 0.001 else f"{share:.3f}"


def rank_columns(
    X: Any,
    y: Any = None,
    *,
    by: str = "mutual_information",
    task: str | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> ColumnRanking:
    """Rank the columns of a table by how informative they are about a target.

    Tables may be mixed and have missing values. A ranking looks at all rows: to select columns for
    a model, use a selector (or ``select=`` of ``compare``), which repeats the choice inside every
    training set.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
        ``by="variance"`` needs no target. Default None: no target.
    by
        The criterion. "mutual_information" (default): corrected for chance, with a test. "gain",
        "gini", "gain_ratio": one test of a tree. "correlation", "rank_correlation", "t", "f",
        "chi_square": the classical statistics. "relief", "multisurf": also see columns that tell
        something only together; "iterated_relief", "iterated_multisurf": the same, dropping the
        worst columns turn by turn, for tables with many columns. "variance": without a target.
    task
        "classification" or "regression"; None (default): by the kind of the target.
    sample_weight
        Weights of rows; a whole weight k counts as k copies. Default None: all weigh the same.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    See Also
    --------
    ColumnRanking : columns from the most to the least relevant.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import rank_columns
    >>> found = rank_columns(load_dataset("german-credit"), "class")
    >>> found.top(2)
    ('checking_status', 'credit_history')
    """
    table, y = _split(X, y)
    data = _checked(table, y, sample_weight, by, task)
    rows = ScoredRows.of(data, count_threads(n_jobs, data.n_cells))
    check_criterion(by, rows)
    found = CRITERIA[by].score(rows)
    order = found.order(table.names)
    groups = alike_groups(rows, order[:_MOST_COMPARED].tolist())
    q_values = None if found.p_value is None else false_discovery(found.p_value)[order]
    return ColumnRanking(
        by,
        tuple(table.names[place] for place in order),
        found.score[order],
        None if found.error is None else found.error[order],
        None if found.p_value is None else found.p_value[order],
        q_values,
        tuple(tuple(table.names[place] for place in group) for group in groups),
    )


def _split(X: Any, y: Any) -> tuple[Table, Any]:
    table = as_table(X)
    return table.split_target(y) if isinstance(y, str) else (table, y)


def _checked(table: Table, y: Any, weight: Any, by: str, task: str | None) -> TrainingData:
    check_parameters("rank_columns", {"by": by}, {"by": OneOf(tuple(CRITERIA))})
    wanted: Any = (None, "classification", "regression")
    check_parameters("rank_columns", {"task": task}, {"task": OneOf(wanted)})
    if y is None and by == "variance":
        return check_training_inputs(table, weight)
    kind: Task = guess_task(y) if task is None and y is not None else (task or "classification")  # type: ignore[assignment]
    return check_training_data(table, y, weight, task=kind, owner=Owner("rank_columns", None))


def check_criterion(by: str, rows: ScoredRows) -> None:
    """Refuse a criterion that does not suit the target."""
    criterion = CRITERIA[by]
    task = "classification" if rows.has_classes else "regression"
    if rows.data.target is None or task in criterion.tasks:
        if criterion.n_classes is None or not rows.has_classes:
            return
        if rows.data.class_target.n_classes == criterion.n_classes:
            return
    fits = [
        name
        for name, one in CRITERIA.items()
        if task in one.tasks and one.n_classes is None
    ]  # fmt: skip
    wanted = "two classes" if criterion.n_classes == 2 else "classes"
    raise ParameterError(
        f"The criterion {by!r} needs a target of {wanted}. For this target: {', '.join(fits)}.",
        code="P570",
        values=[by],
        repair=Repair("rank_columns(X, y, by='mutual_information')", "--select mutual_information"),
    )
