"""How many columns to keep: the error of growing sets, and the smallest that is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._plain_numbers import number
from branchline._result_frame import Library, result_frame
from branchline._size_rule import accepted_errors
from branchline.charts import Axis, Band, Chart, Line, Rule
from branchline.features._inner_folds import FoldErrors

__all__ = ["SizePath", "ladder", "size_path"]


@dataclass(frozen=True, eq=False)
class SizePath(Drawable):
    """The error of sets of columns of growing size, on rows they were not chosen from.

    Parameters
    ----------
    sizes
        Numbers of columns.
    errors, standard_errors
        The error of each by inner folds: share of wrong classes or mean squared error.
    chosen
        The size that the rule takes.
    of_what
        What the error is.

    See Also
    --------
    SequentialSelector : add, drop or exchange columns while a learner's error falls.
    RankSelector : keep the columns that score best.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import SequentialSelector
    >>> X, y = load_dataset("iris").split_target("species")
    >>> SequentialSelector(estimator="naive_bayes").fit(X, y).path_.sizes
    (1, 2, 3, 4)
    """

    sizes: tuple[int, ...]
    errors: Floats
    standard_errors: Floats
    chosen: int
    of_what: str

    def _columns(self) -> dict[str, Any]:
        return {
            "n_columns": list(self.sizes),
            "error": self.errors,
            "standard_error": self.standard_errors,
            "chosen": [size == self.chosen for size in self.sizes],
        }

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each size, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the path as plain values."""
        return {
            "sizes": list(self.sizes),
            "errors": self.errors.tolist(),
            "standard_errors": self.standard_errors.tolist(),
            "chosen": self.chosen,
            "of_what": self.of_what,
        }

    def __str__(self) -> str:
        lines = [f"{'columns':>7}  {self.of_what}"]
        for size, error, spread in zip(self.sizes, self.errors, self.standard_errors, strict=True):
            mark = "  ← chosen" if size == self.chosen else ""
            lines.append(f"{size:>7}  {number(float(error))} ± {number(float(spread))}{mark}")
        return "\n".join(lines)

    def _chart(self) -> Chart:
        """Return the error against the number of columns, with one standard error on each side."""
        x, low = list(self.sizes), self.errors - self.standard_errors
        marks = (
            Band(x, low, self.errors + self.standard_errors),
            Line(x, self.errors, name="inner folds"),
            Rule(self.chosen, "x", f"{self.chosen} columns"),
        )
        return Chart(
            marks, Axis("number of columns", form="whole"), Axis(self.of_what),
            "Error against the number of columns",
            "The choice is repeated in every fold. The band is one standard error wide on each "
            "side.",
        )  # fmt: skip


def ladder(n_columns: int, most: int | None = None) -> list[int]:
    """Return sizes to try: 1, 2, 3, 5, 7, 10, 14, 20, …, and the last one itself."""
    last = n_columns if most is None else min(most, n_columns)
    sizes = {max(1, round(2 ** (step / 2))) for step in range(60)}
    return [*sorted(size for size in sizes if size < last), last]


def size_path(
    sizes: Sequence[int], errors: Sequence[FoldErrors], rule: Any, of_what: str
) -> SizePath:
    """Return the path with the smallest size that is as good as the best, by the rule.

    Sizes are compared fold by fold with the best one, which is sharper than comparing means.
    """
    means = np.array([one.mean for one in errors])
    spread = np.array([one.standard_error for one in errors])
    best = int(means.argmin())
    limit = accepted_errors(rule)
    chosen = best
    for place in sorted(range(len(sizes)), key=lambda at: sizes[at]):
        apart, error = errors[place].worse_by(errors[best])
        if apart <= limit * error or place == best:
            chosen = place
            break
    return SizePath(tuple(sizes), means, spread, int(sizes[chosen]), of_what)
