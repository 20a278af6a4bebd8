"""A comparison as a table of text."""

from typing import TYPE_CHECKING

from branchline._plain_numbers import alike, count, duration, fixed, joined
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._tie_words import groups_sentence

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = ["comparison_text", "duration", "tested_words", "unfinished_words"]

_NEARLY_ALL = 0.95


def comparison_text(comparison: "Comparison") -> str:
    """Return the standings in groups of ties, then the recommendation."""
    plan, problem = comparison.plan, comparison.problem
    heads = ["", plan.metric, "95 % interval", *plan.metrics[1:], "fit", "size"]
    rows: list[list[str]] = []
    breaks, group = set(), 1
    for standing in comparison.standings:
        if standing.group != group:
            breaks.add(len(rows))
            group = standing.group
        rows.append(_row(comparison, standing))
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    lines = [_line(heads, widths)]
    for number, row in enumerate(rows):
        if number in breaks:
            lines.append("  " + "·" * (sum(widths) + 2 * len(widths) - 2))
        lines.append(_line(row, widths))
    lines += [f"  {label}: failed ({why})" for label, why in comparison.failures.items()]
    of = len(comparison.splits)
    lines += [
        f"  {label}: not finished ({done} of {of} folds)"
        for label, done in comparison.unfinished.items()
    ]
    about = (
        f"{count(problem.n_rows, 'row')}, {count(problem.table.n_columns, 'input')}, target "
        f"{problem.target_name!r}; {tested_words(comparison)}. {groups_sentence(comparison)}"
    )
    more = [unfinished_words(comparison)] if not comparison.is_complete else []
    if problem.set_aside:
        more.insert(0, f"Set aside: {joined([one.name for one in problem.set_aside])}.")
    check = _check_first(comparison)
    advice = [str(comparison.recommendation), *([check] if check else [])]
    return "\n".join([*lines, "", about.rstrip(), *more, "", *advice])


def _check_first(comparison: "Comparison") -> str:
    from branchline.assess.comparing._cautions import short_words

    return short_words(comparison.warnings)


def tested_words(comparison: "Comparison") -> str:
    """Say how learners were tested: the plan, and the part of it that all have finished."""
    tested = comparison.plan.resampling.describe(comparison.problem.n_rows)
    done, planned = comparison.n_compared_folds, len(comparison.splits)
    if done == planned:
        return tested
    return f"{tested}; {done} of {planned} test sets finished by all"


def unfinished_words(comparison: "Comparison") -> str:
    """Say what was not carried out, and what that means."""
    done, planned = comparison.n_compared_folds, len(comparison.splits)
    apart = list(comparison.unfinished)
    why = _why_unfinished(comparison)
    told = f"{why}: learners are compared on {done} of {planned} test sets."
    if done == planned:
        told = f"{why}."
    if not apart:
        return f"{told} With more of them the intervals would be narrower."
    none = [label for label in apart if not comparison.unfinished[label]]
    if none == apart:
        return f"{told} {joined(none)} did not finish a single one and cannot be judged."
    return f"{told} {joined(apart)} finished too few to be compared with the others."


def _why_unfinished(comparison: "Comparison") -> str:
    budget, spent = comparison.plan.time_budget, comparison.seconds
    if budget is None or not comparison.is_time_over:
        return "The plan was not carried out to its end"
    if spent >= _NEARLY_ALL * budget:
        return f"The time ({duration(budget)}) was over before all fits were done"
    return (
        f"Fits ended after {duration(spent)} of the {duration(budget)} allowed, as no more would "
        "have been ready in time"
    )


def _row(comparison: "Comparison", standing: "Standing") -> list[str]:
    mark = "→ " if standing.learner == comparison.recommendation.learner else "  "
    estimate, _, interval = str(standing.score).partition(" ")
    others = [
        _brief(name, comparison.score(standing.learner, name).estimate)
        for name in comparison.plan.metrics[1:]
    ]
    size = count(standing.size, standing.unit) if standing.size else "–"
    fit = duration(standing.fit_seconds)
    return [mark + standing.learner, estimate, interval, *others, fit, size]


def _line(cells: list[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return f"{first[0]:<{first[1]}}  " + "  ".join(f"{cell:>{width}}" for cell, width in rest)


def _brief(metric: str, score: float) -> str:
    """Return a score; those without units have three decimals."""
    return alike([score])[0] if METRICS[metric].negligible is None else fixed(score)
