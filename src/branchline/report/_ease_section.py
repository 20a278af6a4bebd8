"""Which hyper-parameters mattered, for each learner that was tuned."""

import math
from typing import TYPE_CHECKING

from branchline._plain_numbers import alike, percent
from branchline.report._blocks import Grid, Items, Section, Words

if TYPE_CHECKING:
    from branchline.assess.comparing import Ease
    from branchline.report._findings import Findings

__all__ = ["ease_section"]

_WORDS = (
    "How easily each learner was tuned: how many of the configurations tried are as good as the "
    "best of them, and which hyper-parameters explain the differences. The share is that of the "
    "variance between configurations which a parameter explains by itself, corrected for chance."
)
_HEADS = (
    "learner",
    "parameter",
    "verdict",
    "share",
    "95 % interval",
    "best",
    "score",
    "worst",
    "score",
)


def ease_section(findings: "Findings") -> Section | None:
    """Return the section about tuning; None where nothing was tuned."""
    eases = findings.comparison.eases
    if not eases:
        return None
    items = tuple((one.learner, one.sentence.removeprefix(f"{one.learner}: ")) for one in eases)
    rows = tuple(row for one in eases for row in _rows(one))
    grid = Grid("Hyper-parameters and what they did to the tuned score", _HEADS, rows, 3)
    blocks = (Words(_WORDS), Items(items), grid)
    return Section("tuning", "What mattered in tuning", blocks, "Tuning")


def _rows(ease: "Ease") -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for one in ease.parameters:
        share, ends = "–", "–"
        if math.isfinite(one.share.estimate):
            share = percent(one.share.estimate)
            ends = f"{percent(one.share.low)} to {percent(one.share.high)}"
        best, worst = alike([one.best_score, one.worst_score])
        told = (ease.learner, one.name, one.verdict, share, ends)
        at = ("–", "–") if one.best_score == one.worst_score else (one.best, one.worst)
        found.append((*told, at[0], best, at[1], worst))
    return found
