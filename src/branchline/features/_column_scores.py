"""Scores of columns: one number each, with its error and a p-value where these are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places

__all__ = ["ColumnScores"]


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
