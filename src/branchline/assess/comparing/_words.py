"""A comparison as a table of text."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchline._intervals import between_ends
from branchline._plain_numbers import alike, count, duration, fixed, joined
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._memory_words import file_words, memory_words
from branchline.assess.comparing._tie_words import groups_sentence

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = [
    "ComparisonText",
    "comparison_text",
    "duration",
    "tested_words",
    "unfinished_words",
]

_NEARLY_ALL = 0.95
_PREDICT = "predict"
_MEMORY = ("memory", "file")


@dataclass(frozen=True)
class ComparisonText:
    """A comparison in words, in the parts that a terminal breaks in different ways.

    Parameters
    ----------
    table
        The lines of the standings, which are never broken.
    absent
        A line for each learner without a score.
    about
        What was compared, how it was tested, and what the groups mean.
    advice
        The recommendation, and what to check first.
    groups
        The lines of a table for each column by which results are shown, which are never broken.
    more
        What these groups and the tuned parameters tell.
    """

    table: tuple[str, ...]
    absent: tuple[str, ...]
    about: tuple[str, ...]
    advice: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    more: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [*self.table, *self.absent, "", *self.about, "", *self.advice]
        for one in self.groups:
            lines += ["", *one]
        return "\n".join([*lines, *(["", *self.more] if self.more else [])])


def comparison_text(comparison: "Comparison", width: float = math.inf) -> ComparisonText:
    """Return the standings in groups, then the recommendation.

    Of a table that would be wider than ``width``, columns are left out: memory first, then metrics
    that do not decide, then the size of the model.
    """
    of = len(comparison.splits)
    failed = [f"  {label}: failed ({why})" for label, why in comparison.failures.items()]
    late = [
        f"  {label}: not finished ({done} of {of} folds)"
        for label, done in comparison.unfinished.items()
    ]
    check = _check_first(comparison)
    advice = [str(comparison.recommendation), *([check] if check else [])]
    table, without = _table(comparison, width)
    about = _about(comparison)
    if without:
        about.append(f"There is no room for {joined(without)}: see --json or the report.")
    return ComparisonText(
        tuple(table),
        (*failed, *late),
        tuple(about),
        tuple(advice),
        tuple(tuple(one.lines()) for one in comparison.subgroup_tables),
        _more(comparison),
    )


def _more(comparison: "Comparison") -> tuple[str, ...]:
    """Return what is known of groups and of tuned parameters, in sentences."""
    groups = [one.sentence for one in comparison.subgroup_tables]
    tuned = [one for one in comparison.eases if one.learner == comparison.recommendation.learner]
    tuning = [f"Tuning of {one.sentence}" for one in tuned]
    helped = [str(one) for one in comparison.unlabeled]
    return (*groups, *tuning, *_chosen_inputs(comparison), *helped)


def _chosen_inputs(comparison: "Comparison") -> list[str]:
    """Return what choosing inputs did, in sentences."""
    found = comparison.selection
    if found is None:
        return []
    from branchline.assess.comparing._selection_words import (
        alike_sentences,
        chosen_sentence,
        stability_sentence,
    )

    told = [found.sentence, chosen_sentence(found)]
    told += [] if found.stability is None else [stability_sentence(found.stability)]
    return [*told, *alike_sentences(found)]


def _table(comparison: "Comparison", width: float) -> tuple[list[str], list[str]]:
    """Return the lines of the table, and the columns that are left out."""
    plan, standings = comparison.plan, comparison.standings
    others = list(plan.metrics[1:])
    heads = ["", plan.metric, "95 % interval", *others, "fit", _PREDICT, "size", *_MEMORY]
    whole = [heads, *(_row(comparison, standing) for standing in standings)]
    widths = [max(len(row[at]) for row in whole) for at in range(len(heads))]
    known = [head for head in _MEMORY if any(row[heads.index(head)] != "–" for row in whole[1:])]
    shown = [head for head in heads if head not in _MEMORY or head in known]
    without: list[str] = []
    for head in [*reversed(known), *reversed(others), "size"]:
        if sum(widths[heads.index(one)] + 2 for one in shown) - 2 <= width:
            break
        shown.remove(head)
        without.insert(0, head)
    places = [heads.index(one) for one in shown]
    heads, *rows = [[row[at] for at in places] for row in whole]
    widths = [widths[at] for at in places]
    lines, group = [_line(heads, widths)], 1
    for standing, row in zip(standings, rows, strict=True):
        if standing.group != group:
            lines.append("  " + "·" * (sum(widths) + 2 * len(widths) - 4))
        group = standing.group
        lines.append(_line(row, widths))
    return lines, without


def _about(comparison: "Comparison") -> list[str]:
    problem = comparison.problem
    rows, inputs = count(problem.n_rows, "row"), count(problem.table.n_columns, "input")
    told = f"{rows}, {inputs}, target {problem.target_name!r}; {tested_words(comparison)}."
    if comparison.plan.select is not None:
        told += " Inputs are chosen anew in every training set."
    lines = [f"{told} {groups_sentence(comparison)}".rstrip()]
    if problem.set_aside:
        lines.append(f"Set aside: {joined([one.name for one in problem.set_aside])}.")
    return lines if comparison.is_complete else [*lines, unfinished_words(comparison)]


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
        return f"{told} {joined(none)} did not finish a single one and cannot be compared."
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
    others = [
        _brief(name, comparison.score(standing.learner, name).estimate)
        for name in comparison.plan.metrics[1:]
    ]
    size = count(standing.size, standing.unit) if standing.size else "–"
    times = duration(standing.fit_seconds), duration(standing.predict_seconds)
    memory = memory_words(standing.fit_bytes), file_words(standing.model_bytes)
    between = between_ends([one.score for one in comparison.standings])
    return [mark + standing.learner, *standing.score.texts(between), *others, *times, size, *memory]


def _line(cells: list[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return f"{first[0]:<{first[1]}}  " + "  ".join(f"{cell:>{width}}" for cell, width in rest)


def _brief(metric: str, score: float) -> str:
    """Return a score; those without units have three decimals."""
    return alike([score])[0] if METRICS[metric].negligible is None else fixed(score)
