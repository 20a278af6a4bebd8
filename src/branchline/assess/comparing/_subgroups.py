"""How well a learner does in each group of rows, and whether that differs from the rest.

1. Rows are put into groups by one column (``_row_groups``): categories, numbers, missing
   values. A group's score is that of its test rows, with the interval that any score has.
2. The difference of a group's score to that of all other rows has the standard error
   √(e_g² + e_r²), e being those of the two scores (``_scoring``), and Welch's degrees of freedom.
3. p-values are corrected for the number of groups tested (Holm, 1979): with 95 % confidence no
   group is called different by chance. Of two groups both tests are the same one.
4. A group with fewer than 20 rows is not tested; nor is one with fewer than 5 rows inside or
   outside the positive class, where the metric describes one class or ranks rows.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._intervals import Interval
from branchline._plain_numbers import alike, joined
from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin, corrected_error
from branchline.assess._holm import holm
from branchline.assess._metric import Metric
from branchline.assess._outcome import Outcome
from branchline.assess._row_values import row_values
from branchline.assess._scoring import score_interval
from branchline.assess.comparing._row_groups import FEWEST_ROWS, row_groups

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["Subgroup", "Subgroups", "subgroups_of"]

_MOST_LEVELS = 12
_FEWEST_OF_CLASS = 5
_SURE = 0.05
_NAN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Subgroup:
    """One group of rows.

    Parameters
    ----------
    label
        What the cells of the column are in this group.
    n_rows
        The number of different rows tested.
    score
        The score in this group, with its 95 % interval.
    difference
        This score less that of all other rows, with its 95 % interval (not corrected); NaN where
        it is not tested.
    p_value
        How probable so large a difference is by chance, corrected for the number of groups.
    verdict
        "better", "worse", "no difference shown", "too few rows to tell", "not tested" or "there
        are no other rows".
    """

    label: str
    n_rows: int
    score: Interval
    difference: Interval
    p_value: float
    verdict: str


@dataclass(frozen=True)
class Subgroups:
    """The groups of one column; print it to read it.

    Parameters
    ----------
    column
        What rows are grouped by.
    learner
        Whose predictions these are.
    metric
        What is measured.
    groups
        The groups.
    """

    column: str
    learner: str
    metric: str
    groups: tuple[Subgroup, ...]

    @property
    def sentence(self) -> str:
        """Which groups differ from the rest, in a sentence."""
        told = {
            verdict: joined(names)
            for verdict in ("worse", "better")
            if (names := [f"{one.label}" for one in self.groups if one.verdict == verdict])
        }
        few = [one.label for one in self.groups if one.verdict == "too few rows to tell"]
        small = f" Too few rows to tell: {joined(few)}." if few else ""
        if len(self.groups) == 1:
            return f"All rows tested are of one group of {self.column}: {self.groups[0].label}."
        n_tested = sum(math.isfinite(one.p_value) for one in self.groups)
        if not n_tested:
            return f"No group of {self.column} has enough rows to be tested."
        if not told:
            return f"No group of {self.column} is shown to differ from the rest.{small}"
        if len(told) == len(self.groups) == 2:
            return f"{self.learner} is worse for {told['worse']} than for {told['better']}."
        each = ", and ".join(f"{verdict} for {names}" for verdict, names in told.items())
        comma = "," if len(told) == 2 else ""
        return f"{self.learner} is {each}{comma} than for the rest.{small}"

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each group, as a frame of pandas or polars."""
        columns: dict[str, Any] = {"group": [one.label for one in self.groups]}
        columns["rows"] = [one.n_rows for one in self.groups]
        for name in ("score", "difference"):
            for side in ("estimate", "low", "high"):
                head = name if side == "estimate" else f"{name}_{side}"
                columns[head] = [getattr(getattr(one, name), side) for one in self.groups]
        columns["p_value"] = [one.p_value for one in self.groups]
        columns["verdict"] = [one.verdict for one in self.groups]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as plain data."""
        return {**asdict(self), "sentence": self.sentence}

    def lines(self) -> list[str]:
        """Return the groups as lines of a table."""
        heads = (self.column, "rows", self.metric, "95 % interval", "against the rest", "")
        table = [heads, *self.cells()]
        widths = [max(len(row[at]) for row in table) for at in range(len(heads))]
        return [
            "  "
            + "  ".join(
                f"{cell:<{width}}" if at in {0, 5} else f"{cell:>{width}}"
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]

    def cells(self) -> list[tuple[str, ...]]:
        """Return a line of words for each group: name, rows, score, interval, difference, verdict.

        Scores have the same decimals in all groups.
        """
        scores = [one.score for one in self.groups]
        ends = [end for one in scores for end in (one.estimate, one.low, one.high)]
        texts = alike([*ends, *(one.difference.estimate for one in self.groups)])
        rows: list[tuple[str, ...]] = []
        for at, one in enumerate(self.groups):
            estimate, low, high = texts[3 * at : 3 * at + 3]
            off = texts[len(ends) + at]
            signed = f"{'+' * (one.difference.estimate > 0)}{off}"
            between = f"{low} to {high}" if math.isfinite(one.score.low) else "–"
            rows.append((one.label[:40], f"{one.n_rows:,}", estimate, between, signed, one.verdict))
        return rows

    def __str__(self) -> str:
        return "\n".join([self.sentence, *self.lines()])


def subgroups_of(comparison: "Comparison", learner: str, name: str, metric: Metric) -> Subgroups:
    """Return how well a learner does in each group of a column."""
    column = comparison.problem.column_of(name)
    parts, rows = comparison.parts_of(learner, metric)
    found = []
    for label, members in row_groups(column, _MOST_LEVELS, with_others=True):
        inside = np.asarray(members)[rows]
        if inside.any():
            found.append(_subgroup(comparison, metric, label, (parts, rows, inside)))
    p_values = [one.p_value for one in found]
    corrected = p_values if len(found) == 2 else holm(p_values)  # of two, both tests are the same
    groups = [_judged(metric, one, p_value) for one, p_value in zip(found, corrected, strict=True)]
    return Subgroups(name, learner, metric.name, tuple(groups))


_Tested = tuple[Sequence[Outcome], npt.NDArray[np.intp], npt.NDArray[np.bool_]]


def _subgroup(comparison: "Comparison", metric: Metric, label: str, tested: _Tested) -> Subgroup:
    parts, rows, inside = tested
    own, own_origin = _some(comparison, parts, rows, inside)
    n_rows = len(np.unique(rows[inside]))
    score = score_interval(metric, own, own_origin)
    if _is_small(metric, own, n_rows):
        return Subgroup(label, n_rows, score, _NAN, math.nan, "too few rows to tell")
    if inside.all():
        return Subgroup(label, n_rows, score, _NAN, math.nan, "there are no other rows")
    rest, rest_origin = _some(comparison, parts, rows, ~inside)
    few = len(np.unique(rows[~inside]))
    if _is_small(metric, rest, few) or not math.isfinite(score.estimate):
        return Subgroup(label, n_rows, score, _NAN, math.nan, "not tested")
    difference, p_value = _difference(metric, (own, own_origin), (rest, rest_origin))
    return Subgroup(label, n_rows, score, difference, p_value, "")


def _some(
    comparison: "Comparison",
    parts: Sequence[Outcome],
    rows: npt.NDArray[np.intp],
    which: npt.NDArray[np.bool_],
) -> tuple[list[Outcome], Origin]:
    """Return the predictions of some rows, test set by test set."""
    begin, kept = 0, []
    for part in parts:
        chosen = which[begin : begin + len(part)]
        begin += len(part)
        if chosen.any():
            kept.append(part.rows(chosen))
    return kept, comparison.origin_of(rows[which])


def _is_small(metric: Metric, parts: Sequence[Outcome], n_rows: int) -> bool:
    if n_rows < FEWEST_ROWS:
        return True
    if not (metric.needs_positive or metric.of_ranks) or parts[0].positive is None:
        return False
    truth = np.concatenate([part.is_positive for part in parts])
    repeats = len(truth) / n_rows
    return bool(min(truth.sum(), (~truth).sum()) < _FEWEST_OF_CLASS * repeats)


def _difference(
    metric: Metric, own: tuple[list[Outcome], Origin], rest: tuple[list[Outcome], Origin]
) -> tuple[Interval, float]:
    """Return the score of a group less that of the rest, and the p-value of Welch's t."""
    first, second = (row_values(metric, parts) for parts, _ in (own, rest))
    if first is None or second is None:
        return _NAN, math.nan
    errors = [corrected_error(values, origin) for values, origin in
              ((first, own[1]), (second, rest[1]))]  # fmt: skip
    squares = [error**2 for error, _ in errors]
    mean, error = first.score - second.score, math.sqrt(sum(squares))
    if not math.isfinite(error):
        return _NAN, math.nan
    if error == 0:
        return Interval(mean, mean, mean), float(mean == 0)
    degrees = sum(squares) ** 2 / sum(
        square**2 / n for square, (_, n) in zip(squares, errors, strict=True)
    )
    half = float(stats.t.ppf(0.975, degrees)) * error
    p_value = float(2 * stats.t.sf(abs(mean) / error, degrees))
    return Interval(mean, mean - half, mean + half), p_value


def _judged(metric: Metric, one: Subgroup, p_value: float) -> Subgroup:
    verdict = one.verdict
    if math.isfinite(p_value):
        is_better = (one.difference.estimate < 0) == metric.less_is_better
        verdict = "no difference shown"
        if p_value < _SURE:
            verdict = "better" if is_better else "worse"
    elif not verdict:
        verdict = "not tested"
    return Subgroup(one.label, one.n_rows, one.score, one.difference, p_value, verdict)
