"""The comparison: an interval for each learner, in groups of ties, with times and sizes."""

from dataclasses import astuple
from typing import TYPE_CHECKING

from branchline import catalog
from branchline._plain_numbers import alike, duration, rounded
from branchline.assess.comparing import (
    file_words,
    group_title,
    groups_sentence,
    memory_words,
    tested_words,
)
from branchline.report._blocks import Block, Grid, Items, Picture, Section, Words
from branchline.report._words import (
    plural,
    probability_words,
    score_words,
    title_of,
)
from branchline.report.charts import IntervalRow, interval_plot

if TYPE_CHECKING:
    from branchline.assess import Standing
    from branchline.report._findings import Findings

__all__ = ["comparison_section", "failures_section", "textbook_section"]

_LONGEST_REASON = 400
_MARKS = (
    "learner",
    "accuracy",
    "measured",
    "efficiency",
    "measured",
    "interpretability",
    "measured",
    "ease",
)


def comparison_section(findings: "Findings") -> Section:
    """Return the section in which all learners are compared."""
    comparison = findings.comparison
    size = rounded(comparison.negligible(), 3)
    tied = (
        f"{groups_sentence(comparison, 'of one group')} A group ends where it is 95 % probable "
        f"that its first is better by more than {size}. The arrow marks the recommended one."
    )
    blocks: tuple[Block, ...] = (_plot(findings, tied), _grid(findings), *_unfinished(findings))
    return Section("comparison", "The comparison", blocks, "Comparison")


def _plot(findings: "Findings", tied: str) -> Picture:
    comparison = findings.comparison
    metric = comparison.metric
    rows = [_row(findings, standing) for standing in comparison.standings]
    side = "less is better" if metric.less_is_better else "more is better"
    axis = f"{metric.name} with 95 % interval ({side})"
    title = f"{metric.name}: {metric.title}"
    words = f"{title}. " + "; ".join(f"{row.label} {row.words}" for row in rows)
    reference = None if findings.baseline is None else findings.baseline.score.estimate
    drawn = [
        interval_plot(
            rows, axis, words, reference=reference, reference_words="baseline", narrow=narrow
        )
        for narrow in (False, True)
    ]
    heads = ("learner", metric.name, "from", "to")
    numbers = tuple((row.label, *alike([row.estimate, row.low, row.high])) for row in rows)
    return Picture(title, drawn[0], tied, Grid(title, heads, numbers), drawn[1])


def _row(findings: "Findings", standing: "Standing") -> IntervalRow:
    score = standing.score
    group = group_title(findings.comparison, standing)
    return IntervalRow(
        standing.learner,
        score.estimate,
        score.low,
        score.high,
        score_words(findings.comparison.plan.metric, score, brief=False),
        group,
        standing.learner == findings.label,
    )


def _grid(findings: "Findings") -> Grid:
    comparison = findings.comparison
    others = comparison.plan.metrics[1:]
    heads = (
        "learner",
        comparison.plan.metric,
        *others,
        "P(better)",
        "P(tie)",
        "P(worse)",
        "fit",
        "predict",
        "size",
        "memory",
        "file",
    )
    standings = comparison.standings
    rows = tuple(_cells(findings, standing) for standing in standings)
    marked = frozenset(at for at, one in enumerate(standings) if one.learner == findings.label)
    breaks = frozenset(
        at for at in range(1, len(standings)) if standings[at].group != standings[at - 1].group
    )
    best = title_of(comparison, comparison.best)
    caption = (
        f"Means over the test sets ({tested_words(comparison)}); lines separate the groups. "
        f"P(better), P(tie) and P(worse): how probable each is against {best}, which scores best. "
        "Memory: the most that a fit had in use at once; file: the size of the saved model"
    )
    return Grid(caption, heads, rows, 1, marked, breaks)


def _cells(findings: "Findings", standing: "Standing") -> tuple[str, ...]:
    comparison, against = findings.comparison, standing.against_best
    probabilities = ("–",) * 3
    if against is not None:
        probabilities = tuple(  # type: ignore[assignment]
            probability_words(share)
            for share in (against.p_higher, against.p_equal, against.p_lower)
        )
    return (
        standing.learner,
        score_words(comparison.plan.metric, standing.score),
        *(
            score_words(name, comparison.score(standing.learner, name))
            for name in comparison.plan.metrics[1:]
        ),
        *probabilities,
        duration(standing.fit_seconds),
        duration(standing.predict_seconds),
        plural(standing.size, standing.unit) if standing.size else "–",
        memory_words(standing.fit_bytes),
        file_words(standing.model_bytes),
    )


def _unfinished(findings: "Findings") -> list[Block]:
    """Return the learners that finished too few folds, apart from the comparison."""
    comparison = findings.comparison
    if not comparison.unfinished:
        return []
    of = plural(len(comparison.splits), "fold")
    items = tuple(
        (label, f"not finished ({n_done} of {of})")
        for label, n_done in comparison.unfinished.items()
    )
    words = "The time was over before these learners had finished as many folds as the others:"
    return [Words(words), Items(items)]


def failures_section(findings: "Findings") -> Section | None:
    """Return what failed and why; None when nothing did."""
    failures = findings.comparison.failures
    if not failures:
        return None
    items = tuple((label, why[:_LONGEST_REASON]) for label, why in failures.items())
    words = Words("These learners have no score; the others are compared without them.")
    return Section("failed", "Learners that failed", (words, Items(items)))


def textbook_section(findings: "Findings") -> Section | None:
    """Return the textbook's marks beside what was measured; None when it gives none."""
    marks = {
        standing.learner: None if name is None else catalog.entry(name).plusses
        for standing in findings.comparison.standings
        for name in [findings.comparison.learner(standing.learner).name]
    }
    if not any(marks.values()):
        return None
    rows = [
        _marks_row(standing, marks[standing.learner], findings.comparison.plan.metric)
        for standing in findings.comparison.standings
    ]
    words = Words(
        "Textbooks give families of learners marks from one plus to four. They are habits, not "
        "facts about these rows: what was measured here counts more. A dash: the textbooks' table "
        "does not have this learner."
    )
    metric = findings.comparison.plan.metric
    caption = f"Marks and measures: {metric}, time to fit, how much there is to read"
    return Section(
        "textbook",
        "What textbooks say",
        (words, Grid(caption, _MARKS, tuple(rows), n_words=8)),
        "Textbooks",
    )


def _marks_row(standing: "Standing", marks: catalog.Plusses | None, metric: str) -> tuple[str, ...]:
    accuracy, efficiency, interpretability, ease = (
        ("–",) * 4 if marks is None else ("+" * mark for mark in astuple(marks))
    )
    return (
        standing.learner,
        accuracy,
        score_words(metric, standing.score),
        efficiency,
        duration(standing.fit_seconds),
        interpretability,
        plural(standing.size, standing.unit) if standing.size else "–",
        ease,
    )
