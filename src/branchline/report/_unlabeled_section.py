"""Whether rows without a target helped each learner that learns from them."""

from typing import TYPE_CHECKING

from branchline._plain_numbers import alike
from branchline.report._blocks import Grid, Section, Words

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["unlabeled_section"]

_WORDS = (
    "Each learner with the rows that have no target, and the same learner on labels alone. Both "
    "predicted the same test rows. A difference above 0 means that the rows without a target "
    "helped; where its interval holds 0, they neither helped nor hurt beyond chance."
)
_HEADS = ("learner", "difference", "95 % interval", "verdict")


def unlabeled_section(findings: "Findings") -> Section | None:
    """Return the section about unlabeled rows; None where none were learned from."""
    found = findings.comparison.unlabeled
    if not found:
        return None
    rows = []
    for one in found:
        mean = one.difference.mean
        score, low, high = alike([mean.estimate, mean.low, mean.high])
        rows.append((one.learner, score, f"{low} to {high}", one.verdict))
    title = f"{found[0].metric} with {found[0].n_unlabeled:,} unlabeled rows less without them"
    blocks = (Words(_WORDS), Grid(title, _HEADS, tuple(rows)))
    return Section("unlabeled", "Did rows without a target help?", blocks, "Unlabeled rows")
