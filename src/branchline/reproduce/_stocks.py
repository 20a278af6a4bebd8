"""Stocks: a table with a row for each stock and a column for each trading day.

1. The shapes are those of a textbook, 28 × 19 in print and 357 × 253 in full; the numbers are
   simulated, so that what is true is known: the return of a day is the market's, times a strength
   of the stock, plus that of its sector, plus noise. A row holds log prices, beginning at 0.
2. Principal components of the daily returns, days in their units: two axes must show the three
   sectors. The market as a whole is the mean of a day, which no axis shows.
3. Log prices of neighboring days are nearly alike, so two of their axes hold nearly all variance:
   that is so of any random walk, and no sign of a market.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._plain_numbers import fixed, percent
from branchline._validation import Flag, check_parameters, check_seed
from branchline.charts import Axis, Chart, Panels, row_points
from branchline.projection import PCA
from branchline.reproduce._drawn import DrawnReproduction, claim
from branchline.reproduce._reproduction import Line

__all__ = ["stocks"]

_SHAPES = ((28, 19), (357, 253))
_SECTORS = ("banks", "energy", "technology")


def stocks(
    *, quick: bool = False, random_state: Any = 0, tell: Callable[[str], None] | None = None
) -> DrawnReproduction:
    """Find the axes of simulated stocks in the two shapes of a textbook's table.

    Parameters
    ----------
    quick
        Only the smaller table. Default False.
    random_state
        The seed of the tables. Default 0.
    tell
        Called with a sentence for each table. Default None: nothing is called.

    See Also
    --------
    DrawnReproduction : a published picture, made anew.

    Examples
    --------
    >>> from branchline.reproduce import stocks
    >>> stocks(quick=True).agrees
    True
    """
    check_parameters("stocks", {"quick": quick}, {"quick": Flag()})
    seed, lines, charts = check_seed(random_state), [], []
    for shape in _SHAPES[:1] if quick else _SHAPES:
        market = _simulated(*shape, seed)
        line, chart = _axes_of(market, seed)
        lines.append(line)
        charts.append(chart)
        if tell is not None:
            tell(f"{line.name}: {line.figures[0].ours}")
    note = (
        "First axes show where stocks differ most; sectors that are not seen here prove nothing, "
        "they may lie along a later axis."
    )
    return DrawnReproduction(
        "Stocks (rows) and trading days (columns), simulated in the shapes of a textbook",
        tuple(lines),
        "our own checks, of what was simulated",
        ("Log prices: few axes hold nearly all, as in any random walk.",),
        picture=Panels(tuple(charts), 2, "Simulated stocks on two axes of their returns", note),
    )


@dataclass(frozen=True, eq=False)
class _Market:
    """Simulated stocks: log prices and sectors."""

    prices: Floats
    sector: Places

    @property
    def returns(self) -> Floats:
        """The change from day to day."""
        return np.diff(self.prices, axis=1, prepend=0.0)


def _simulated(n_stocks: int, n_days: int, seed: int) -> _Market:
    generator = np.random.default_rng([seed, n_stocks])
    sector = np.arange(n_stocks) % len(_SECTORS)
    strength = generator.normal(1.0, 0.4, n_stocks)
    returns = np.outer(strength, generator.normal(0, 0.012, n_days))
    returns += generator.normal(0, 0.015, (len(_SECTORS), n_days))[sector]
    returns += generator.normal(0, 0.01, (n_stocks, n_days))
    return _Market(np.cumsum(returns, axis=1), sector)


def _axes_of(market: _Market, seed: int) -> tuple[Line, Chart]:
    """Return what is checked of a table, and its picture."""
    n_stocks, n_days = market.prices.shape
    model = PCA(2, standardize=False, random_state=seed).fit(market.returns)
    places = model.transform(market.returns)
    right = _nearest_center(places, market.sector)
    held = float(PCA(2, standardize=False).fit(market.prices).explained_variance_ratio_.sum())
    ours = f"{percent(right)} of stocks nearest to their sector; 2 axes of log prices: "
    line = claim(f"{n_stocks} × {n_days}", "two axes show the sectors", right > 0.9,
                 f"{ours}{percent(held)}")  # fmt: skip
    marks = row_points(places, [_SECTORS[at] for at in market.sector])
    shares = model.explained_variance_ratio_
    across, up = (Axis(f"axis {at + 1} ({fixed(100 * shares[at], 0)} %)") for at in (0, 1))
    title = f"{n_stocks} stocks, {n_days} days"
    return line, Chart(tuple(marks), across, up, title, shape="square")


def _nearest_center(places: Floats, sector: Places) -> float:
    """Return the share of stocks that are nearest to the middle of their own sector."""
    centers = np.array([places[sector == at].mean(axis=0) for at in range(len(_SECTORS))])
    apart = ((places[:, None, :] - centers) ** 2).sum(axis=2)
    return float((apart.argmin(axis=1) == sector).mean())
