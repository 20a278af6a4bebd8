"""What a metric is: its name, its task, how it is computed, and what its numbers mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline.assess._outcome import Outcome

__all__ = ["Metric"]

OfTestSets: TypeAlias = Callable[
    [Sequence[Outcome]], tuple[float, npt.NDArray[np.float64], float] | None
]


@dataclass(frozen=True)
class Metric:
    """A score of predictions.

    Parameters
    ----------
    name
        How it is asked for.
    task
        "classification" or "regression".
    score
        Computes it from an outcome.
    title
        What it says, in a few words.
    needs_positive
        Whether it describes one class, which must be named.
    needs_probabilities
        Whether it looks at probabilities.
    less_is_better
        Whether it measures error.
    lowest, highest
        The bounds between which it lies.
    negligible
        A difference too small to matter; None for those in the units of the target, where it
        follows from the scores of the baseline and of the best (``comparing._standing``).
    of_rows
        Where the score is a mean over rows, what each row adds to it; of ``rmse`` to its square.
    deviations
        Computes the score of several test sets together, by how much each row moves it, and how
        many rows it is a share of; for scores that ``_row_values`` does not know by themselves.
    of_ranks
        Whether it ranks the rows of a test set by their probabilities.
    at
        The share of rows, or the threshold, at which it is taken; None where there is none.

    See Also
    --------
    Outcome : predictions of some rows.
    compare : compare learners on a table and recommend one.

    Examples
    --------
    >>> from branchline.assess import METRICS
    >>> METRICS["accuracy"].highest
    1.0
    """

    name: str
    task: str
    score: Callable[[Outcome], float]
    title: str
    needs_positive: bool = False
    needs_probabilities: bool = False
    less_is_better: bool = False
    lowest: float = 0.0
    highest: float = 1.0
    negligible: float | None = 0.01
    of_rows: Callable[[Outcome], npt.NDArray[np.float64]] | None = None
    deviations: OfTestSets | None = None
    of_ranks: bool = False
    at: float | None = None

    def is_better(self, one: float, other: float) -> bool:
        """Whether the first of two scores is the better one."""
        return one < other if self.less_is_better else one > other
