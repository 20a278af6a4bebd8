"""What a workload says and what was seen of it: measurements, ratios, verdicts.

ratio = best seconds of the peer / best seconds of the reference, so 4 means four times as fast.
Three things can be wanted: a ratio (bar), a time (limit), a score no worse than any peer's (score).
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks._harness import Bench

__all__ = ["Comparison", "Measurement", "Verdict", "Workload", "judge", "set_ratios"]

_TESTS = {"bar": operator.ge, "limit": operator.lt, "score": operator.le}


@dataclass(frozen=True)
class Workload:
    """A named, seeded workload.

    ``bar`` is the ratio wanted against the peer named in ``against`` (the fastest when None);
    ``limit`` is the maximum number of seconds the reference may take.
    """

    name: str
    run: "Callable[[Bench], None]"
    bar: float | None = None
    against: str | None = None
    limit: float | None = None

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


@dataclass
class Measurement:
    """What was seen of one competitor; ``status`` is measured, not installed or failed."""

    competitor: str
    status: str = "measured"
    message: str = ""
    seconds: list[float] = field(default_factory=list)
    calls: int = 1
    ratio: float | None = None
    score: float | None = None
    peak_mib: float | None = None

    @property
    def best(self) -> float | None:
        """The fastest sample."""
        return min(self.seconds, default=None)

    @property
    def median(self) -> float | None:
        """The middle sample."""
        return median(self.seconds) if self.seconds else None


@dataclass(frozen=True)
class Verdict:
    """One thing wanted of a comparison: a ratio, a time limit or a score no worse than a peer's."""

    kind: str
    wanted: float
    seen: float | None
    met: bool | None


@dataclass
class Comparison:
    """A workload's measurements, its settings and what was judged; or why it was skipped."""

    workload: Workload
    measurements: list[Measurement] = field(default_factory=list)
    reference: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    skipped: str = ""


def set_ratios(found: Comparison) -> None:
    """Set each peer's ratio: its best seconds over the reference's best seconds."""
    ours = _best_of(found, found.reference)
    for one in found.measurements:
        if one.competitor != found.reference and ours and one.best is not None:
            one.ratio = one.best / ours


def judge(found: Comparison, closeness: float | None, *, judged: bool = True) -> list[Verdict]:
    """Return the verdicts on bar, limit and score; ``met`` is None where it cannot be judged."""
    asked = (
        ("bar", found.workload.bar, _ratio_for_bar(found)),
        ("limit", found.workload.limit, _best_of(found, found.reference)),
        ("score", closeness, _score_deficit(found)),
    )
    verdicts = []
    for kind, wanted, seen in asked:
        if wanted is not None:
            met = _TESTS[kind](seen, wanted) if judged and seen is not None else None
            verdicts.append(Verdict(kind, wanted, seen, met))
    return verdicts


def _ratio_for_bar(found: Comparison) -> float | None:
    against = found.workload.against
    ratios = [
        one.ratio
        for one in found.measurements
        if one.ratio is not None and against in (None, one.competitor)
    ]
    return min(ratios, default=None)


def _best_of(found: Comparison, competitor: str | None) -> float | None:
    return next((one.best for one in found.measurements if one.competitor == competitor), None)


def _score_deficit(found: Comparison) -> float | None:
    """Return how far the reference's score lies below the best peer's (negative: above)."""
    scores = {one.competitor: one.score for one in found.measurements if one.score is not None}
    ours = scores.pop(found.reference, None)
    return max(scores.values()) - ours if scores and ours is not None else None
