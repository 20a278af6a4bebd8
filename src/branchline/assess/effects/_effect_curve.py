"""Effect curves as results: numbers, words, frames, charts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._column_places import date_words
from branchline._intervals import Interval
from branchline._plain_numbers import alike, cell, count
from branchline._plain_text import pad
from branchline._result_frame import Library, result_frame

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["EffectCurve", "EffectCurves"]

Floats = npt.NDArray[np.float64]
_MOST_LINES = 12


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """How one prediction changes along one column; print it to read it.

    Parameters
    ----------
    column
        The name of the column.
    output
        What is predicted: a class, whose probability it is, or "prediction".
    method
        "partial_dependence" or "accumulated".
    at
        The places along the column: numbers (dates as years), or places in ``names``.
    names
        The categories; empty for numbers.
    effect, low, high
        The curve and the ends of its band.
    n_rows
        The rows near each place: those of its category, or of the stretch up to the next number.
    when_missing
        The mean prediction with the cell missing; None where no cell is, and for accumulated
        effects.
    band
        "rows" or "refits": what varies within the band.
    axis
        What ``at`` measures, such as "day (year)"; empty: the column itself.

    See Also
    --------
    EffectCurves : effect curves of some columns.
    effect_curves : return how the predictions of a fitted model change with each column.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.assess import effect_curves
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> model = bl.make("ridge", task="regression").fit(X, y)
    >>> curve = effect_curves(model, X, columns="weight")["weight"]
    >>> round(float(curve.effect[0] - curve.effect[-1]))
    18
    """

    column: str
    output: str
    method: str
    at: Floats
    names: tuple[str, ...]
    effect: Floats
    low: Floats
    high: Floats
    n_rows: npt.NDArray[np.int64]
    when_missing: Interval | None
    band: str
    axis: str = ""

    @property
    def reach(self) -> float:
        """The highest less the lowest value of the curve: how much the column can change."""
        return float(np.max(self.effect) - np.min(self.effect))

    def __str__(self) -> str:
        places = np.unique(np.linspace(0, len(self.at) - 1, _MOST_LINES).round().astype(int))
        if self.names:
            places = np.arange(len(self.at))
        words = self._words(places)
        numbers = alike([float(side[place]) for place in places for side in self._sides])
        width = max(len(self.column), *(len(word) for word in words))
        lines = [f"{pad(self.column, width, right=True)}  {self._measure}, 95 % band"]
        for row, word in enumerate(words):
            middle, low, high = numbers[3 * row : 3 * row + 3]
            lines.append(f"{pad(word, width, right=True)}  {middle}  [{low}, {high}]")
        if self.when_missing is not None:
            lines.append(f"{pad('missing', width, right=True)}  {self.when_missing}")
        return "\n".join(lines)

    __repr__ = __str__

    def _words(self, places: npt.NDArray[np.int64]) -> list[str]:
        """Return what the column is at some places: names, dates or numbers."""
        if self.names:
            return [self.names[place] for place in places]
        if self.axis.endswith("(year)") and self.axis != self.column:
            return date_words(self.at[places])
        return [cell(float(self.at[place]), 4) for place in places]

    @property
    def _sides(self) -> tuple[Floats, Floats, Floats]:
        return self.effect, self.low, self.high

    @property
    def _measure(self) -> str:
        what = "prediction" if self.output == "prediction" else f"probability of {self.output}"
        return f"mean {what}" if self.method == "partial_dependence" else f"change of {what}"

    def columns(self) -> dict[str, list[Any]]:
        """Return the curve as columns: a row for each place."""
        at = list(self.names) if self.names else self.at.tolist()
        return {
            "column": [self.column] * len(at),
            "output": [self.output] * len(at),
            "at": at,
            "effect": self.effect.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "n_rows": self.n_rows.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        missing = self.when_missing
        ends = None if missing is None else [missing.estimate, missing.low, missing.high]
        about = {"method": self.method, "band": self.band, "when_missing": ends}
        return {**about, **self.columns(), "column": self.column, "output": self.output}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each place, as a frame of pandas or polars."""
        return result_frame(self.columns(), library)

    def draw(self, ax: Any = None) -> Any:
        """Return the curve as a chart; with axes of matplotlib, draw it on them."""
        return EffectCurves((self,)).draw(ax)


@dataclass(frozen=True, eq=False)
class EffectCurves:
    """Effect curves of some columns; print them to read them.

    Parameters
    ----------
    curves
        A curve for each column and output, by column.
    notes
        What should be known: rows left out, categories not shown.

    See Also
    --------
    effect_curves : return how the predictions of a fitted model change with each column.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.assess import effect_curves
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> model = bl.make("ridge", task="regression").fit(X, y)
    >>> len(effect_curves(model, X, columns=["weight", "model_year"]).curves)
    2
    """

    curves: tuple[EffectCurve, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.curves)

    def __iter__(self) -> Iterator[EffectCurve]:
        return iter(self.curves)

    def __getitem__(self, column: str) -> EffectCurve:
        """Return the first curve of a column."""
        for curve in self.curves:
            if curve.column == column:
                return curve
        raise KeyError(column)

    def __str__(self) -> str:
        return "\n\n".join([*(str(curve) for curve in self.curves), *self.notes])

    def __repr__(self) -> str:
        columns = len({curve.column for curve in self.curves})
        return f"<EffectCurves: {count(columns, 'column')}, {count(len(self.curves), 'curve')}>"

    def to_dict(self) -> dict[str, Any]:
        """Return all curves as plain data."""
        return {"curves": [curve.to_dict() for curve in self.curves], "notes": list(self.notes)}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each place of each curve, as a frame of pandas or polars."""
        parts = [curve.columns() for curve in self.curves]
        merged: dict[str, list[Any]] = {
            key: [value for part in parts for value in part[key]] for key in parts[0]
        }
        if any(curve.names for curve in self.curves):
            merged["at"] = [str(value) for value in merged["at"]]
        return result_frame(merged, library)

    def draw(self, ax: Any = None) -> Any:
        """Return a chart of one column, or panels of several (``branchline.charts``).

        With axes of matplotlib, draw the chart of the first column on them.
        """
        from branchline.charts import Panels, drawn

        charts = self._charts()
        if ax is not None or len(charts) == 1:
            return drawn(charts[0], ax)
        return Panels(
            tuple(charts), 2, "How predictions change with each column", " ".join(self.notes)
        )

    def _charts(self) -> "list[Chart]":
        from branchline.charts.figures import draw_effects

        columns = dict.fromkeys(curve.column for curve in self.curves)
        return [
            draw_effects([curve for curve in self.curves if curve.column == name])
            for name in columns
        ]
