"""How many axes a table has: three rules and a test side by side.

- *beyond chance* (parallel analysis, Horn 1965; deflated: Dobriban and Owen 2019): axes whose
  variance is larger than in each of 20 tables in which each column is shuffled by itself, so that
  nothing hangs together. The axes before it are taken out of these tables.
- *above average* (Kaiser): variance of at least the mean variance of a term (1 if standardized).
- *knee*: the corner of the curve of variances, farthest from the line between its ends.
- *share*: as many as hold a given share of the variance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._drawable import Drawable
from branchline._plain_numbers import count, fine_percent, percent
from branchline._result_frame import Library, result_frame
from branchline._validation import Real, check_parameters
from branchline.charts import Axis, Chart, Line, Rule
from branchline.projection._components import Axes, largest_variance

__all__ = ["AxisCounts", "count_axes"]

# An axis of a table without structure is the largest of 20 and itself with probability 1/21.
_N_TABLES = 20
_MOST_AXES = 30
_ROWS_ALWAYS = 1000
_MOST_WORK = 1e9
_MOST_SHOWN = 20
_SHARE = 0.9
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class AxisCounts(Drawable):
    """How many axes each rule finds.

    Parameters
    ----------
    beyond_chance, above_average, knee, by_share
        The answers of the rules.
    share
        The share of the variance that ``by_share`` axes hold at least.
    variances
        The variance of each axis, the largest first.
    total
        The variance of all axes.
    by_chance
        The largest variance in 20 tables without any structure, axis by axis, up to the first axis
        that is not beyond chance (at most 30).
    n_terms
        How many terms the axes are sums of.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import PCA
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> PCA().fit(X).counts_.beyond_chance
    1
    """

    beyond_chance: int
    above_average: int
    knee: int
    by_share: int
    share: float
    variances: Floats
    total: float
    by_chance: Floats
    n_terms: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether the table is so large that only its first axes were looked for."""
        return float(self.variances.sum()) < self.total * (1 - 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as plain values."""
        return {
            "beyond_chance": self.beyond_chance,
            "above_average": self.above_average,
            "knee": self.knee,
            "by_share": self.by_share,
            "share": self.share,
            "variances": self.variances.tolist(),
            "total": self.total,
            "by_chance": self.by_chance.tolist(),
        }

    def at_share(self, share: float) -> int:
        """Return how many axes hold at least a share of the variance.

        Of a large table only the first axes are known; their number is returned when they hold
        less.
        """
        check_parameters("at_share", {"share": share}, {"share": Real(0.0, 1.0, low_open=True)})
        if not self.variances.any():
            return 0
        held = np.cumsum(self.variances)
        n_axes = int(np.searchsorted(held, share * self.total * (1 - _ROUNDING))) + 1
        return min(n_axes, len(self.variances))

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each rule: its name, how many axes, and their share of variance."""
        held = np.concatenate([[0.0], np.cumsum(self.variances)]) / max(self.total, 1e-300)
        names, counts = zip(*self._rules(), strict=True)
        shares = [float(held[n]) for n in counts]
        return result_frame({"rule": names, "n_axes": counts, "share": shares}, library)

    def _rules(self) -> list[tuple[str, int]]:
        return [
            ("beyond chance (parallel analysis)", self.beyond_chance),
            ("variance above average (Kaiser)", self.above_average),
            ("knee of the curve", self.knee),
            (f"{percent(self.share)} of the variance", self.by_share),
        ]

    def verdict(self) -> str:
        """Return in a sentence whether the columns hang together at all."""
        if not self.variances.any():
            return "No column varies, so there is no axis."
        if self.beyond_chance == 0:
            if self.n_terms == 1:
                return "One column varies: it is the only axis."
            return "No axis is beyond chance: the rows do not show that columns vary together."
        held = float(self.variances[: self.beyond_chance].sum() / self.total)
        axes = count(self.beyond_chance, "axis", "axes")
        if self.beyond_chance == _MOST_AXES:  # no more are tested
            axes = f"At least {axes}"
        verb = "is" if self.beyond_chance == 1 else "are"
        return f"{axes} {verb} beyond chance: {fine_percent(held)} of the variance."

    def __str__(self) -> str:
        counted = [f"  {rule:<36}{words:>4}" for rule, words in self._counted()]
        return "\n".join([self.verdict(), "How many axes:", *counted])

    def _counted(self) -> list[tuple[str, str]]:
        """Return each rule with its number of axes; some only know the first axes."""
        last = len(self.variances) if self.is_cut else None
        limits = (_MOST_AXES, last, last, last)
        return [
            (rule, f"≥ {n}" if n == most else str(n))
            for (rule, n), most in zip(self._rules(), limits, strict=True)
        ]

    def _chart(self) -> Chart:
        n_shown = min(_MOST_SHOWN, len(self.variances))
        places = np.arange(1, n_shown + 1)
        n_tested = min(n_shown, len(self.by_chance))
        lines = (
            Line(places, self.variances[:n_shown], "this table", dots=True),
            Line(places[:n_tested], self.by_chance[:n_tested], "largest of 20 shuffled tables",
                 dashed=True),
        )  # fmt: skip
        average = self.total / max(1, self.n_terms)
        marks = (*lines, Rule(average, "y", "average (Kaiser)")) if self.n_terms else lines
        counted = "How many: " + "; ".join(f"{rule} {words}" for rule, words in self._counted())
        axes = Axis("axis", form="whole"), Axis("variance", zero=True)
        return Chart(marks, *axes, "Variance of the axes", f"{self.verdict()} {counted}.")


def count_axes(
    matrix: Floats, weights: Floats, every: Axes, column_of_term: Places, seed: int
) -> AxisCounts:
    """Apply all rules to centered rows without missing cells; terms of a column stand together."""
    variances = every.variances
    if not variances.any():
        return AxisCounts(0, 0, 0, 0, _SHARE, variances, 0.0, np.zeros(1))
    by_chance = _by_chance(matrix, weights, every, column_of_term, seed)
    total = every.total
    average = total / max(1, matrix.shape[1])
    by_share = int(np.searchsorted(np.cumsum(variances), _SHARE * total * (1 - _ROUNDING))) + 1
    return AxisCounts(
        int((variances[: len(by_chance)] > by_chance).sum()),
        int((variances >= average * (1 - _ROUNDING)).sum()),
        _knee(variances),
        min(by_share, len(variances)),
        _SHARE,
        variances,
        total,
        by_chance,
        matrix.shape[1],
    )


def _by_chance(
    matrix: Floats, weights: Floats, every: Axes, column_of_term: Places, seed: int
) -> Floats:
    """Return the largest variance in shuffled tables, axis by axis, up to the first that is larger.

    Before an axis is tested, those before it are taken out of the table: else a strong first axis
    would hide weaker ones. Rows are there as often as they weigh, so copies of a row and a row of
    that weight are alike.
    """
    n_rows = max(2, min(round(float(weights.sum())), _most_rows(matrix.shape[1])))
    ends = np.cumsum(weights) / weights.sum()
    rows = matrix[np.searchsorted(ends, (np.arange(n_rows) + 0.5) / n_rows)]
    generator = np.random.default_rng(seed)
    rank = min(matrix.shape[1] if every.beyond > 0 else len(every.variances), n_rows - 1)
    found: list[float] = []
    for at, variance in enumerate(every.variances[: min(rank, _MOST_AXES)]):
        # What is left has fewer directions; shuffled, it is spread over all of them again.
        narrower = rank / (rank - at)
        found.append(narrower * _largest_by_chance(rows, column_of_term, generator))
        if variance <= found[-1] * (1 + _ROUNDING):
            break
        direction = every.directions[:, at]
        rows = rows - np.outer(rows @ direction, direction)
    return np.array(found)


def _largest_by_chance(
    rows: Floats, column_of_term: Places, generator: np.random.Generator
) -> float:
    """Return the largest variance of an axis over tables with columns shuffled by themselves."""
    rows = rows - rows.mean(axis=0)
    tables = (_shuffled(rows, column_of_term, generator) for _ in range(_N_TABLES))
    return max(largest_variance(table) for table in tables)


def _most_rows(n_terms: int) -> int:
    """Return how many rows are shuffled at most; fewer rows only make the test stricter."""
    return int(max(_ROWS_ALWAYS, _MOST_WORK / (_N_TABLES * n_terms**2)))


def _shuffled(matrix: Floats, column_of_term: Places, generator: np.random.Generator) -> Floats:
    """Return the rows with each column shuffled by itself.

    Terms of one column stay together: its categories exclude each other in any table.
    """
    _, first, n_terms = np.unique(column_of_term, return_index=True, return_counts=True)
    shuffled = generator.permuted(matrix, axis=0)
    for start, n in zip(first[n_terms > 1], n_terms[n_terms > 1], strict=True):
        columns = slice(start, start + n)
        shuffled[:, columns] = matrix[generator.permutation(len(matrix)), columns]
    return shuffled


def _knee(variances: Floats) -> int:
    """Return how many axes stand before the corner of the curve."""
    n = len(variances)
    if n < 3 or variances[0] <= variances[-1]:
        return min(n, 1)
    x = np.linspace(0.0, 1.0, n)
    y = (variances - variances[-1]) / (variances[0] - variances[-1])
    return max(1, int(np.argmax(1 - x - y)))
