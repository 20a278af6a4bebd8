"""The rows about which the model is most wrong: look there for errors in the data."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["WorstRow", "worst_rows"]

_MOST_ROWS, _MOST_COLUMNS = 8, 5


@dataclass(frozen=True)
class WorstRow:
    """A row that was predicted wrongly.

    Parameters
    ----------
    row
        Its place in the table, counted from 0.
    truth, predicted
        What is true and what was predicted.
    size
        The probability of what was predicted (None without any), or true less predicted.
    cells
        Its cells in the columns that weigh most in the predictions of these rows.
    """

    row: int
    truth: Any
    predicted: Any
    size: float | None
    cells: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return asdict(self)


def worst_rows(findings: "Findings") -> tuple[tuple[str, ...], tuple[WorstRow, ...]]:
    """Return the columns shown, and the rows with the largest or most confident errors."""
    outcome, tested = findings.outcome, findings.tested
    if outcome.classes is None:
        with np.errstate(over="ignore"):
            size: Any = outcome.truth - outcome.predicted
        badness = np.where(np.isfinite(size), np.abs(size), 0.0)
    else:
        badness, size = _of_classes(outcome)
    # Rows of equal badness come in the order of the table.
    order = np.lexsort((tested, -badness))[:_MOST_ROWS]
    wrong = [at for at in order.tolist() if badness[at] > 0]
    columns = findings.columns_behind([int(tested[at]) for at in wrong])[:_MOST_COLUMNS]
    found = []
    for at in wrong:
        row = int(tested[at])
        cells = findings.comparison.problem.table.rows([row]).to_dicts()[0]
        shown = tuple(cells[name] for name in columns)
        found.append(_row(outcome, at, row, size, shown))
    return columns, tuple(found)


def _of_classes(outcome: Any) -> tuple[Any, Any]:
    is_wrong = outcome.truth != outcome.predicted
    if outcome.probabilities is None:
        return is_wrong.astype(np.float64), None
    every = np.arange(len(outcome))
    sure = outcome.probabilities[every, outcome.predicted.astype(np.intp)]
    truth = outcome.probabilities[every, outcome.truth.astype(np.intp)]
    # One more than the difference: with costs a decision may be less probable than the truth.
    return np.where(is_wrong, 1.0 + sure - truth, 0.0), sure


def _row(outcome: Any, at: int, row: int, size: Any, cells: tuple[Any, ...]) -> WorstRow:
    amount = None if size is None else float(size[at])
    if outcome.classes is None:
        return WorstRow(row, float(outcome.truth[at]), float(outcome.predicted[at]), amount, cells)
    truth, predicted = (
        outcome.classes[int(side[at])] for side in (outcome.truth, outcome.predicted)
    )
    return WorstRow(row, truth, predicted, amount, cells)
