"""Slope and intercept of calibration, as a table with its meaning."""

import math
from typing import TYPE_CHECKING

from branchline._intervals import Interval
from branchline._plain_numbers import alike, fixed
from branchline.report._blocks import Block, Grid, Heading, Words

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["calibration_blocks"]

_HEADS = ("figure", "estimate", "from", "to", "ideal")


def calibration_blocks(findings: "Findings") -> list[Block]:
    """Return the table of slope, intercept and calibration in the large; nothing without one."""
    line = findings.calibration_line
    if line is None or findings.is_baseline:
        return []
    is_classes = line.task == "classification"
    names: tuple[tuple[str, Interval, str], ...] = (
        ("slope (logistic recalibration)", line.slope, "1"),
        ("intercept", line.intercept, "0"),
        ("calibration in the large", line.in_the_large, "0"),
    )
    if line.ratio is not None:
        names += (("observed over predicted", line.ratio, "1"),)
    if not is_classes:
        names = (
            ("slope of true on predicted", line.slope, "1"),
            ("intercept", line.intercept, "0"),
            ("mean of true less predicted", line.in_the_large, "0"),
        )
    rows = []
    for name, one, ideal in names:
        ends = (one.estimate, one.low, one.high)
        known = math.isfinite(one.estimate)
        texts = ("–",) * 3 if not known else map(fixed, ends) if is_classes else alike(ends)
        rows.append((name, *texts, ideal))
    caption = "Calibration on rows that the model had not seen, with 95 % intervals"
    title = "Slope and level of its " + ("probabilities" if is_classes else "predictions")
    return [Heading(title), Words(line.verdict), Grid(caption, _HEADS, tuple(rows), 1)]
