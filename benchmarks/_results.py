"""What a workload says and what was seen of it: measurements, ratios, verdicts.

ratio = best seconds of the peer / best seconds of the reference, so 4 means four times as fast.
Three things can be wanted: a ratio (bar), a time (limit), a score no worse than any peer's (score).

Scores are compared draw by draw, on the same rows: with differences d of a peer and of the
reference, the verdict is on their mean, and it is "missed" only where the mean lies more than two
standard errors, s(d) / √n, beyond what is wanted.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks._harness import Bench

__all__ = [
    "Comparison",
    "Measurement",
    "Verdict",
    "Workload",
    "judge",
    "ratio_of_bar",
    "set_ratios",
]


@dataclass(frozen=True)
class Workload:
    """A named, seeded workload.

    ``bar`` is the ratio wanted against the peer named in ``against`` (the fastest when None);
    ``limit`` is the maximum number of seconds the reference may take; ``why`` is the reason for
    the one or the other. ``short`` workloads are those of the run of five minutes. With
    ``by_default`` every library chooses its own settings; otherwise they are equal.
    """

    name: str
    run: "Callable[[Bench], None]"
    bar: float | None = None
    against: str | None = None
    limit: float | None = None
    why: str = ""
    short: bool = False
    by_default: bool = False

    @property
    def family(self) -> str:
        """The family of learners: the file that the workload is in."""
        return self.run.__module__.rpartition(".")[2]

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
    more_scores: list[float] = field(default_factory=list)  # of further draws of the data
    peak_mib: float | None = None

    @property
    def scores(self) -> list[float]:
        """The scores of all draws of the data; the first is that of the timed one."""
        return [] if self.score is None else [self.score, *self.more_scores]

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
    """One thing wanted of a comparison: a ratio, a time limit or a score no worse than a peer's.

    ``met`` is None where nothing was judged, or where the draws do not settle it. ``error`` is the
    standard error of what was seen, None of a single draw.
    """

    kind: str
    wanted: float
    seen: float | None
    met: bool | None
    error: float | None = None


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


def judge(
    found: Comparison, closeness: float | None, *, judged: bool = True, one_of_many: bool = False
) -> list[Verdict]:
    """Return the verdicts on bar, limit and score; ``met`` is None where it cannot be judged.

    ``one_of_many`` says that one draw of the data was scored where there could be more: a worse
    score may then be chance.
    """
    bar, limit = found.workload.bar, found.workload.limit
    ratio, seconds = ratio_of_bar(found), _best_of(found, found.reference)
    verdicts = []
    if bar is not None:
        verdicts.append(Verdict("bar", bar, ratio, None if ratio is None else ratio >= bar))
    if limit is not None:
        met = None if seconds is None else seconds < limit
        verdicts.append(Verdict("limit", limit, seconds, met))
    if closeness is not None:
        score = _judge_score(found, closeness)
        verdicts.append(replace(score, met=score.met or None) if one_of_many else score)
    if judged:
        return verdicts
    return [Verdict(one.kind, one.wanted, one.seen, None, one.error) for one in verdicts]


def ratio_of_bar(found: Comparison) -> float | None:
    """Return the ratio to the peer that the bar names; without a name, to the fastest peer."""
    against = found.workload.against
    ratios = [
        one.ratio
        for one in found.measurements
        if one.ratio is not None and against in (None, one.competitor)
    ]
    return min(ratios, default=None)


def _best_of(found: Comparison, competitor: str | None) -> float | None:
    return next((one.best for one in found.measurements if one.competitor == competitor), None)


def _judge_score(found: Comparison, closeness: float) -> Verdict:
    """Judge the mean difference to the best peer, over the draws of the data."""
    deficits = list(_deficits(found))
    if not deficits:
        return Verdict("score", closeness, None, None)
    mean, error = max(deficits, key=lambda one: one[0])
    met: bool | None = mean <= closeness
    if not met and error is not None and mean - 2 * error <= closeness:
        met = None
    return Verdict("score", closeness, mean, met, error)


def _deficits(found: Comparison) -> Iterator[tuple[float, float | None]]:
    """Yield, for each peer, how far the reference's scores lie below its own, with the error."""
    ours = next((one.scores for one in found.measurements if one.competitor == found.reference), [])
    for one in found.measurements:
        if one.competitor != found.reference and ours and one.scores:
            apart = [theirs - mine for theirs, mine in zip(one.scores, ours, strict=False)]
            apart = [
                value for value in apart if math.isfinite(value)
            ]  # a fit may fail on some draw
            if not apart:
                continue
            error = stdev(apart) / math.sqrt(len(apart)) if len(apart) > 1 else None
            yield fmean(apart), error
