"""Scores of predicted outputs with a kernel, with 95 % intervals.

1. Distance: the mean over rows of ‖φ(y) − Σ w_j φ(y_j)‖² in the kernel's space.
2. Explained: 1 − the same sum / that of the mean output of the training rows.
3. Exact match: the share of rows whose nearest training output is the output itself.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._intervals import Interval
from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count
from branchline._result_frame import Library, result_frame
from branchline._row_scores import (
    Origin,
    RowValues,
    interval_of_rows,
    ratio_of_rows,
)

__all__ = ["KernelOutputScores", "Tested", "scores_of_tested"]


@dataclass(frozen=True, eq=False)
class Tested:
    """Predicted rows: their squared distances, those of the mean output, exact matches."""

    distance: Floats
    of_mean: Floats
    is_exact: Bools

    @staticmethod
    def together(parts: "list[Tested]") -> "Tested":
        """Return the rows of all parts, one after the other."""
        return Tested(
            np.concatenate([one.distance for one in parts]),
            np.concatenate([one.of_mean for one in parts]),
            np.concatenate([one.is_exact for one in parts]),
        )

    def rows(self, order: Any) -> "Tested":
        """Return some of the rows."""
        return Tested(self.distance[order], self.of_mean[order], self.is_exact[order])


@dataclass(frozen=True, eq=False)
class KernelOutputScores:
    """How well outputs with a kernel are predicted, with 95 % intervals.

    Parameters
    ----------
    distance
        The mean squared distance between prediction and output in the kernel's space.
    explained
        The share of the outputs' variance there that is predicted; below 0 the mean training
        output is nearer.
    exact_match
        The share of rows whose output is predicted exactly.
    n_rows
        Number of rows.

    See Also
    --------
    cross_validate_kernel_outputs : assess a model of outputs with a kernel by cross-validation.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import OutputKernelTree, cross_validate_kernel_outputs
    >>> X, y = load_dataset("titanic").rows(range(300)).split_target(["survived", "sex"])
    >>> scores = cross_validate_kernel_outputs(OutputKernelTree(), X, y, n_folds=2)
    >>> scores.n_rows
    300
    """

    distance: Interval
    explained: Interval
    exact_match: Interval
    n_rows: int

    def _rows(self) -> list[tuple[str, Interval]]:
        return [
            ("mean squared distance", self.distance),
            ("variance explained", self.explained),
            ("exact match", self.exact_match),
        ]

    def __str__(self) -> str:
        lines = [f"{what:<21}  {one}" for what, one in self._rows()]
        return "\n".join([*lines, f"95 % intervals, {count(self.n_rows, 'row')}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = []
        for what, one in self._rows():
            score, low, high = alike([one.estimate, one.low, one.high])
            cells.append((what, score, f"{low} to {high}"))
        heads = ("metric", "score", "95 % interval")
        return box(words(count(self.n_rows, "row"), quiet=True), grid(heads, cells))

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each score, with the ends of its interval."""
        rows = self._rows()
        columns = {
            "metric": [what for what, _ in rows],
            "score": [one.estimate for _, one in rows],
            "low": [one.low for _, one in rows],
            "high": [one.high for _, one in rows],
        }
        return result_frame(columns, library)


def scores_of_tested(tested: Tested, n_train: float) -> KernelOutputScores:
    """Return the scores of rows that were predicted by models of ``n_train`` rows."""
    n_rows = len(tested.distance)
    ones, origin = np.ones(n_rows), Origin.once(n_rows, n_train)
    distance = ratio_of_rows(tested.distance, ones)
    exact = ratio_of_rows(tested.is_exact.astype(np.float64), ones)
    assert distance is not None
    assert exact is not None
    ratio = ratio_of_rows(tested.distance, tested.of_mean)
    explained = Interval(float("nan"), float("nan"), float("nan"))
    if ratio is not None:
        around = RowValues(1 - ratio.score, -ratio.deviations, n_rows)
        explained = interval_of_rows(around, origin, -np.inf, 1.0)
    return KernelOutputScores(
        interval_of_rows(distance, origin, 0.0, np.inf),
        explained,
        interval_of_rows(exact, origin),
        n_rows,
    )
