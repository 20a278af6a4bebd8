"""Predicted numbers against true ones, and the errors against the predictions."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import percent
from branchline.report._blocks import Grid, Picture
from branchline.report._words import named, number_words, signed
from branchline.report.charts import Square, square_plot

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["residual_pictures"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_MOST_DOTS = 1500
_SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def residual_pictures(findings: "Findings") -> list[Picture]:
    """Return both pictures."""
    outcome = findings.outcome
    truth, predicted = outcome.truth.astype(np.float64), outcome.predicted.astype(np.float64)
    kept = np.arange(len(truth))[:: max(1, -(-len(truth) // _MOST_DOTS))]
    of = "" if len(kept) == len(truth) else f" Shown are {len(kept):,} of {len(truth):,} rows."
    target = named(findings.comparison.problem.target_name)
    with np.errstate(over="ignore"):
        residual = np.nan_to_num(truth - predicted)
    middle = number_words(float(np.median(np.abs(residual))))
    words = f"Half of the predictions are off by less than {middle}.{of}"
    return [
        _exact(truth, predicted, kept, target, words),
        _errors(predicted, residual, kept, target),
    ]


def _exact(truth: Floats, predicted: Floats, kept: Places, target: str, words: str) -> Picture:
    ends = float(min(truth.min(), predicted.min())), float(max(truth.max(), predicted.max()))
    square = Square(
        f"predicted {target}",
        f"true {target}",
        ends,
        ends,
        points=(predicted[kept], truth[kept]),
        guide=(np.array(ends), np.array(ends)),
    )
    title = "Predicted and true"
    words = f"On the dashed line a prediction is exact. {words}"
    drawn = square_plot(square, f"{title} {target}. {words}")
    return Picture(title, drawn, words, _quantiles(truth, "Quantiles of the truth", predicted))


def _errors(predicted: Floats, residual: Floats, kept: Places, target: str) -> Picture:
    reach = float(np.abs(residual).max()) or 1.0
    ends = float(predicted.min()), float(predicted.max())
    square = Square(
        f"predicted {target}",
        "true less predicted",
        ends,
        (-reach, reach),
        points=(predicted[kept], residual[kept]),
        guide=(np.array(ends), np.zeros(2)),
    )
    title = "Errors"
    words = (
        "Above the dashed line the truth was higher than predicted, below it lower. A shape other "
        "than a level band means that there is something left to learn."
    )
    drawn = square_plot(square, f"{title} against predicted {target}. {words}")
    return Picture(title, drawn, words, _quantiles(residual, "Quantiles of the errors"))


def _quantiles(values: Floats, caption: str, other: Floats | None = None) -> Grid:
    sides = [values] if other is None else [values, other]
    ends = [np.quantile(side, _SHARES) for side in sides]
    write = signed if other is None else number_words
    rows = tuple(
        (percent(share), *(write(float(side[at])) for side in ends))
        for at, share in enumerate(_SHARES)
    )
    heads = ("share of rows below", *(["error"] if other is None else ["true", "predicted"]))
    return Grid(caption, heads, rows)
