"""How far each column moves the prediction of gradient boosting, averaged over rows.

1. The score of a row is a constant plus a part for each column (``attributions``): exact Shapley
   values φ.
2. A column's size is the mean of |φ| over rows; of several outputs (classes, quantiles) the mean
   over them too.
3. Its interval is that of a mean over rows, or over groups where rows belong together: the sums of
   deviations within G groups give the error √(Σ s² · G / (G − 1)) / n.
4. Its direction is the rank correlation of a number with φ.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._plain_numbers import number
from branchline.assess import Comparison, Interval, Problem
from branchline.errors import BranchlineError
from branchline.report._blocks import Block, Grid, Picture
from branchline.report._boosting_rounds import boosting_in
from branchline.report._words import interval_words, named, plural
from branchline.report.charts import Bar, bar_chart
from branchline.table import Column

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["Attributions", "ColumnParts", "attributions_picture", "measure_attributions"]

Floats = npt.NDArray[np.float64]

_MOST_ROWS, _FEWEST_ROWS = 2_000, 50
# About a second or two, and 128 MiB.
_MOST_LEAF_VISITS, _MOST_PARTS = 50_000_000, 16_000_000
_MOST_BARS, _MOST_LISTED = 15, 300
# A weaker correlation of a column with its part does not count as a direction.
_CLEAR = 0.5
_HOW_TO_TAKE_IT = (
    "The 95 % intervals hold for this model on other rows; a model fitted on other rows would "
    "differ by more. This is what the model uses, not what causes what."
)
_LOG_LOSSES = {"poisson", "gamma", "tweedie"}


@dataclass(frozen=True)
class ColumnParts:
    """The parts that one column has in the predictions of rows.

    Parameters
    ----------
    column
        Its name.
    size
        How large its part is, up or down, on average over rows.
    direction
        The rank correlation of its values with its parts; None for categories, constants and models
        with several outputs.
    """

    column: str
    size: Interval
    direction: float | None

    @property
    def is_rising(self) -> bool:
        """Whether higher values clearly raise the prediction."""
        return self.direction is not None and self.direction >= _CLEAR

    @property
    def is_falling(self) -> bool:
        """Whether higher values clearly lower it."""
        return self.direction is not None and self.direction <= -_CLEAR


@dataclass(frozen=True)
class Attributions:
    """The parts of all columns, the largest first.

    Parameters
    ----------
    about
        What the parts add up to.
    doubling
        What size of a part doubles or halves what; nothing where parts are in units of the target.
    n_rows
        Over how many rows they are averaged.
    columns
        The columns.
    averaged
        What else they are averaged over: "classes", "quantiles" or nothing.
    """

    about: str
    doubling: str
    n_rows: int
    columns: tuple[ColumnParts, ...]
    averaged: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as plain data."""
        columns = [asdict(one) for one in self.columns[:_MOST_LISTED]]
        return {"about": self.about, "n_rows": self.n_rows, "columns": columns}


# -- measuring ------------------------------------------------------------------------------------


def measure_attributions(comparison: Comparison, model: Any) -> Attributions | None:
    """Return the mean parts of all columns; None for a model without attributions."""
    boosting = boosting_in(model)
    if boosting is None:
        return None
    try:
        problem = _some_rows(comparison.problem, boosting)
        if len(boosting.schema_) < problem.table.n_columns:  # inputs were chosen
            problem = problem.with_inputs(boosting.schema_.names)
        parts = boosting.attributions(problem.table)[..., :-1]
    except BranchlineError:  # a model that was given; importances tell what is wrong with it
        return None
    if not np.isfinite(parts).all():  # targets near the largest float
        return None
    has_one_output = parts.ndim == 2
    sizes = np.abs(parts) if has_one_output else np.abs(parts).mean(axis=1)
    if comparison.problem.classes is None:
        target = named(comparison.problem.target_name)
        score = _score_of_numbers(boosting.loss, target, has_one_output=has_one_output)
    else:
        toward = _toward(comparison) if has_one_output else None
        score = _score_of_classes(boosting.loss, toward)
        if has_one_output and toward == boosting.classes_[0]:
            parts = -parts  # the score speaks for the second class
    columns = _columns(problem, boosting.schema_.names, sizes, parts)
    return Attributions(*score[:2], problem.n_rows, columns, score.averaged)


def _columns(
    problem: Problem, names: tuple[str, ...], sizes: Floats, parts: Floats
) -> tuple[ColumnParts, ...]:
    known = dict(zip(problem.table.names, problem.table.columns, strict=True))
    intervals = _intervals(sizes, problem.groups)
    found = [
        ColumnParts(name, size, _direction(known.get(name), parts, place))
        for place, (name, size) in enumerate(zip(names, intervals, strict=True))
    ]
    return tuple(sorted(found, key=lambda one: -one.size.estimate))


def _some_rows(problem: Problem, boosting: Any) -> Problem:
    """Return as many rows as there is time for; which, does not depend on their order."""
    n_parts = boosting.attributions(problem.table.rows([0])).size
    in_time = _MOST_LEAF_VISITS // max(1, boosting.complexity().count)
    in_memory = _MOST_PARTS // n_parts
    n_rows = min(_MOST_ROWS, max(_FEWEST_ROWS, in_time), max(2, in_memory))
    if n_rows >= problem.n_rows:
        return problem
    return problem.rows(np.argsort(problem.row_keys, kind="stable")[:n_rows])


def _intervals(sizes: Floats, groups: npt.NDArray[Any] | None) -> list[Interval]:
    unit = float(sizes.max(initial=0.0)) or 1.0  # squares of large parts have no room
    mean = (sizes / unit).mean(axis=0)
    sums = sizes / unit - mean
    if groups is not None:
        owners = np.unique(groups, return_inverse=True)[1]
        sums = np.stack([np.bincount(owners, column) for column in sums.T], axis=1)
    n_owners = len(sums)
    if n_owners < 2:
        return [Interval(unit * one, np.nan, np.nan) for one in mean.tolist()]
    error = np.sqrt((sums**2).sum(axis=0) * (n_owners / (n_owners - 1))) / len(sizes)
    half = float(stats.t.ppf(0.975, n_owners - 1)) * error
    return [
        Interval(unit * one, unit * max(0.0, one - reach), unit * (one + reach))
        for one, reach in zip(mean.tolist(), half.tolist(), strict=True)
    ]


def _direction(column: Column | None, parts: Floats, place: int) -> float | None:
    if column is None or column.kind == "category" or parts.ndim > 2:
        return None
    known = ~column.is_missing
    values, own = column.numbers()[known], parts[known, place]
    if len(own) < 2 or np.ptp(own) == 0 or (values == values[0]).all():
        return None
    return float(np.corrcoef(stats.rankdata(values), stats.rankdata(own))[0, 1])


def _toward(comparison: Comparison) -> Any:
    """Return the class that the parts are about: the one that precision and recall describe."""
    outcome = comparison.outcome(comparison.recommendation.learner)
    assert outcome.classes is not None
    return outcome.classes[-1 if outcome.positive is None else outcome.positive]


class _Score(NamedTuple):
    """What parts add up to, what size doubles or halves what, and what was averaged over."""

    about: str
    doubling: str = ""
    averaged: str = ""


def _score_of_classes(loss: Any, toward: Any) -> _Score:
    """Return what the parts of a classifier add up to; ``toward`` None: for all classes."""
    if toward is None:
        doubling = "A part of 0.7 doubles or halves the odds of a class against another."
        return _Score("scores of the classes", doubling if loss == "log_loss" else "", "classes")
    about = named(toward)
    if loss == "log_loss":
        return _Score(f"log-odds of {about}", "A part of 0.7 doubles or halves the odds.")
    if loss == "exponential":
        doubling = "A part of 0.35 doubles or halves the odds."
        return _Score(f"score of {about} (half its log-odds)", doubling)
    return _Score(f"score of {about}")


def _score_of_numbers(loss: Any, target: str, *, has_one_output: bool) -> _Score:
    if not has_one_output:
        return _Score(f"predicted quantiles of {target}", averaged="quantiles")
    if not isinstance(loss, str):
        return _Score(f"score of {target}")
    if loss in _LOG_LOSSES:
        doubling = "A part of 0.7 doubles or halves the prediction."
        return _Score(f"logarithm of the predicted {target}", doubling)
    return _Score(f"predicted {target}")


# -- showing --------------------------------------------------------------------------------------


def attributions_picture(findings: "Findings") -> list[Block]:
    """Return the picture; nothing for other models, and where no column moves anything."""
    found = findings.measured.attributions
    if found is None or findings.is_baseline:
        return []
    telling = [one for one in found.columns if one.size.estimate > 0]
    if not telling:
        return []
    title = f"How far each column moves the {found.about}"
    words = _what_is_shown(found, findings.comparison.problem.n_rows, len(telling))
    bars = [_bar(one) for one in telling[:_MOST_BARS]]
    told = f"{title}. {words} " + "; ".join(map(_as_words, telling[:_MOST_BARS]))
    axis = f"average size of its part in the {found.about}"
    wide, narrow = (bar_chart(bars, axis, told, narrow=narrow) for narrow in (False, True))
    return [Picture(title, wide, words, _numbers(title, found), narrow)]


def _what_is_shown(found: Attributions, n_rows: int, n_telling: int) -> str:
    rows = plural(found.n_rows, "row")
    rows = f"all {rows}" if found.n_rows == n_rows else f"{rows} of {n_rows:,}"
    over = f"{found.averaged} and {rows}" if found.averaged else rows
    sentences = [
        "The prediction of a row begins at a constant, and each column adds its part (its Shapley "
        "value).",
        f"Shown is how large that part is, up or down, on average over {over}.",
        found.doubling,
    ]
    if any(one.is_rising or one.is_falling for one in found.columns[:_MOST_BARS]):
        raised = f"↑: higher values of the column raise the {found.about}; ↓: they lower it."
        sentences.append(raised)
    if n_telling > _MOST_BARS:
        sentences.append(f"Shown are the {_MOST_BARS} largest of {n_telling:,} columns.")
    sentences.append(_HOW_TO_TAKE_IT)
    return " ".join(sentence for sentence in sentences if sentence)


def _bar(one: ColumnParts) -> Bar:
    arrow = "↑ " if one.is_rising else "↓ " if one.is_falling else ""
    size = one.size
    return Bar(one.column, size.estimate, f"{arrow}{number(size.estimate, 3)}", size.low, size.high)


def _as_words(one: ColumnParts) -> str:
    size = f"{one.column}: {number(one.size.estimate, 3)}"
    return f"{size}, higher values {_way(one)}" if one.is_rising or one.is_falling else size


def _way(one: ColumnParts) -> str:
    if one.direction is None:
        return "–"
    return "raise it" if one.is_rising else "lower it" if one.is_falling else "raise or lower it"


def _numbers(title: str, found: Attributions) -> Grid:
    shown = found.columns[:_MOST_LISTED]
    heads = ("column", "size of its part (95 % interval)")
    sizes = ((one.column, interval_words(one.size)) for one in shown)
    if found.averaged:
        return Grid(title, heads, tuple(sizes))
    ways = map(_way, shown)
    rows = tuple((*size, way) for size, way in zip(sizes, ways, strict=True))
    return Grid(title, (*heads, "higher values"), rows)
