"""Odds ratios: the coefficients of a logistic model as factors, for people to read."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._drawable import Drawable
from branchline._plain_numbers import number
from branchline.linear._coefficients import Coefficient, Coefficients

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["OddsRatio", "OddsRatios", "odds_ratios_of"]


@dataclass(frozen=True)
class OddsRatio:
    """By what one unit of a term multiplies the odds of a class.

    Parameters
    ----------
    output
        The class.
    term
        What changes by one unit, or is there instead of not: "age", "town=Mons".
    column
        The column of the table that it comes from.
    ratio
        The factor: 2 doubles the odds, 0.5 halves them, 1 changes nothing.
    low, high
        The 95 % interval, where one is known.
    """

    output: str
    term: str
    column: str
    ratio: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class OddsRatios(Drawable):
    """All odds ratios of a model; ``str`` gives a table, ``to_dicts`` plain data.

    Parameters
    ----------
    rows
        One entry per class and term.
    against
        What the odds of a class are against.
    interval
        What the intervals are; None where there are none.
    """

    rows: tuple[OddsRatio, ...]
    against: str
    interval: str | None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[OddsRatio]:
        return iter(self.rows)

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_odds_ratios

        return draw_odds_ratios(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary an odds ratio."""
        return [asdict(row) for row in self.rows]

    def __str__(self) -> str:
        width = max((len(row.term) for row in self.rows), default=0)
        lines = []
        for output in dict.fromkeys(row.output for row in self.rows):
            lines.append(f"odds of {output} against {self.against}, multiplied by:")
            rows = [row for row in self.rows if row.output == output]
            lines += [_line(row, width) for row in sorted(rows, key=_farthest_from_one)]
        return "\n".join([*lines, *([f"in brackets: {self.interval}"] if self.interval else [])])

    __repr__ = __str__


def odds_ratios_of(listed: Coefficients, against: str, interval: str | None) -> OddsRatios:
    """Return the coefficients of log-odds as factors of odds."""
    return OddsRatios(tuple(_ratio(row) for row in listed), against, interval)


def _ratio(row: Coefficient) -> OddsRatio:
    ends = (None, None) if row.low is None or row.high is None else (row.low, row.high)
    factors = [None if end is None or np.isnan(end) else _exp(end) for end in ends]
    return OddsRatio(row.output, row.term, row.column, _exp(row.value), factors[0], factors[1])


def _exp(log_odds: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(log_odds))


def _farthest_from_one(row: OddsRatio) -> float:
    """Return a key that puts the ratios first that change most, up or down."""
    return -abs(math.log(row.ratio)) if 0 < row.ratio < math.inf else -math.inf


def _line(row: OddsRatio, width: int) -> str:
    interval = "" if row.low is None else f"  [{number(row.low)}, {number(row.high)}]"
    return f"  {row.term:<{width}}  {number(row.ratio, 5):>11}{interval}"
