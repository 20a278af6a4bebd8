"""Scores of columns: one number each, with its error and a p-value where these are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places

__all__ = ["ColumnScores", "false_discovery"]


@dataclass(frozen=True, eq=False)
class ColumnScores:
    """What a criterion says of each column; larger is more relevant.

    Parameters
    ----------
    score
        The score of each column; NaN where the criterion says nothing of it.
    error
        The standard error of each score; None where it is not known.
    p_value
        The probability of so large a score when the column tells nothing; None where the
        criterion is not a test.
    turn
        Criteria that drop columns turn by turn: how many turns each column stayed. Columns that
        stayed longer are more relevant, whatever their scores. None: all were scored together.
    """

    score: Floats
    error: Floats | None = None
    p_value: Floats | None = None
    turn: Floats | None = None

    def order(self, names: Sequence[str]) -> Places:
        """Return the columns from best to worst; ties by name, columns without a score last."""
        turn = np.zeros(len(names)) if self.turn is None else -self.turn
        return np.lexsort((np.array(names), np.nan_to_num(-self.score, nan=np.inf), turn))


def false_discovery(p_values: Floats) -> Floats:
    """Return q-values (Benjamini and Hochberg 1995).

    The q-value of a column is the expected share of false ones among all columns that are at least
    as significant: q(i) = min over j ≥ i of p(j) · m / j, with p sorted and m columns tested.
    Columns without a p-value (NaN) are not counted.
    """
    q_values = np.full(len(p_values), np.nan)
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    steps = p_values[order] * len(known) / np.arange(1, len(known) + 1)
    q_values[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return q_values
