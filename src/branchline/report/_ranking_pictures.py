"""Calibration, ROC and precision–recall of the recommended model, with bands."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import fixed, percent
from branchline.report._blocks import Grid, Picture
from branchline.report._words import interval_words, named, plural
from branchline.report.charts import Square, square_plot

if TYPE_CHECKING:
    from branchline.assess.curves import RankingCurve
    from branchline.report._findings import Findings

__all__ = ["ranking_pictures"]

Floats = npt.NDArray[np.float64]

_DIAGONAL = np.array([0.0, 1.0])
_FEW_ROWS = 100
_OFF = "Some probabilities are off by more than chance explains: do not rely on them."
_LITTLE_OFF = "Some probabilities are off by more than chance explains, but not by much."
# A mean difference of probabilities below this is not much.
_LITTLE = 0.03
_NOT_OFF = "No probability is off by more than chance explains."
_TOO_FEW = "There are too few rows to know more."
_CALIBRATION_HEADS = ("predicted", "observed", "from", "to", "rows")


def ranking_pictures(findings: "Findings") -> list[Picture]:
    """Return the pictures that look at probabilities, as far as there are any.

    The baseline ranks nothing: its constants differ from fold to fold only, and curves of them
    would mislead.
    """
    if findings.is_baseline:
        return []
    found = [_calibration(findings), _roc(findings), _precision_recall(findings)]
    return [picture for picture in found if picture is not None]


def _positive(findings: "Findings") -> str:
    outcome = findings.outcome
    if outcome.classes is None or outcome.positive is None:
        return "each class"
    return named(outcome.classes[outcome.positive])


def _calibration(findings: "Findings") -> Picture | None:
    curve = findings.calibration
    if curve is None:
        return None
    about = _positive(findings)
    few = len(findings.outcome) < _FEW_ROWS
    off = _OFF if curve.error >= _LITTLE else _LITTLE_OFF
    verdict = _TOO_FEW if few else off if curve.is_off else _NOT_OFF
    words = (
        f"Of the rows to which it gives {about} a probability of 70 %, about 70 % should be "
        f"{about}: dots near the dashed line. {verdict} The mean difference is "
        f"{fixed(100 * curve.error, 1)} points."
    )
    square = Square(
        f"predicted probability of {about}",
        "observed share",
        points=(curve.predicted, curve.seen),
        bars=(curve.low, curve.high),
        guide=(_DIAGONAL, _DIAGONAL),
    )
    sides = (curve.predicted, curve.seen, curve.low, curve.high, curve.n_rows)
    rows = tuple(
        (*(fixed(share) for share in row), f"{int(count):,}")
        for *row, count in zip(*sides, strict=True)
    )
    title = "Can its probabilities be believed?"
    numbers = Grid(title, _CALIBRATION_HEADS, rows, 0)
    return Picture(title, square_plot(square, f"{title} {words}"), words, numbers)


def _roc(findings: "Findings") -> Picture | None:
    curve = findings.roc
    if curve is None:
        return None
    about = _positive(findings)
    title = f"Finding {about}: hits against false alarms"
    words = f"ROC curve with 95 % band. {_area(findings, curve)} The dashed line is guessing."
    axes = ("share of false alarms among others", f"share of {about} found")
    return _curve(curve, title, words, axes, (_DIAGONAL, _DIAGONAL))


def _area(findings: "Findings", curve: "RankingCurve") -> str:
    """Name both areas: of this curve, and the mean of one for each test set, if they are shown."""
    pooled = f"AUC of all rows pooled, the area under this curve: {interval_words(curve.area)}."
    if "auc" not in findings.comparison.plan.metrics:
        return pooled
    mean = findings.comparison.score(findings.label, "auc").estimate
    return f"{pooled} Mean AUC of the test sets, as in the comparison: {fixed(mean)}."


def _precision_recall(findings: "Findings") -> Picture | None:
    curve = findings.precision_recall
    if curve is None:
        return None
    about = _positive(findings)
    share = float(findings.outcome.is_positive.mean())
    title = f"Finding {about}: how many of those named are right"
    n_rows = plural(int(findings.outcome.is_positive.sum()), "row")
    words = (
        f"Precision against recall with 95 % band; average precision {interval_words(curve.area)}. "
        f"The dashed line is guessing: {n_rows} are {about}, {percent(share)}."
    )
    axes = (f"share of {about} found (recall)", "share that is right (precision)")
    return _curve(curve, title, words, axes, (_DIAGONAL, np.array([share, share])))


def _curve(
    curve: "RankingCurve",
    title: str,
    words: str,
    axes: tuple[str, str],
    guide: tuple[Floats, Floats],
) -> Picture:
    square = Square(
        *axes, line=(curve.x, curve.y), band=(curve.grid, curve.low, curve.high), guide=guide
    )
    places = np.linspace(0, len(curve.grid) - 1, 11).astype(int)
    rows = tuple(
        (fixed(curve.grid[at], 2), fixed(np.interp(curve.grid[at], curve.x, curve.y)),
         fixed(curve.low[at]), fixed(curve.high[at]))
        for at in places
    )  # fmt: skip
    numbers = Grid(title, (axes[0], axes[1], "from", "to"), rows, 0)
    return Picture(title, square_plot(square, f"{title}. {words}"), words, numbers)
