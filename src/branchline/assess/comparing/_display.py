"""A comparison in a few lines (``repr``) and as small HTML for notebooks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count, duration
from branchline.assess.comparing._memory_words import file_words, memory_words
from branchline.errors import DataError

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing
    from branchline.assess.comparing._subgroups import Subgroups

__all__ = ["comparison_html", "comparison_repr"]

_MOST_LINES, _MOST_ROWS = 8, 40
_MEASURES = ("fit", "predict", "size", "memory", "file")


def comparison_repr(comparison: "Comparison") -> str:
    """Return the best learners with their scores, in at most fifteen lines."""
    head = f"Comparison: {_about(comparison)}"
    try:
        standings = comparison.standings
    except DataError as error:
        return f"{head}\n  {error.message}"
    chosen = comparison.recommendation.learner
    kept = [one for at, one in enumerate(standings) if at < _MOST_LINES or one.learner == chosen]
    width = max(len(one.learner) for one in kept)
    lines = [head, f"  {'':<{width}}  {comparison.plan.metric} (95 % interval)"]
    scores = _alike(kept)
    for at, one in enumerate(kept):
        mark = "→" if one.learner == chosen else " "
        score, low, high = scores[at]
        lines.append(f"{mark} {one.learner:<{width}}  {score} ({low} to {high})")
    if len(kept) < len(standings):
        lines.append(f"  … {count(len(standings) - len(kept), 'more learner')}")
    if comparison.failures:
        lines.append(f"  {count(len(comparison.failures), 'learner')} failed")
    return "\n".join([*lines, "→ is recommended; print(…) says why."])


def comparison_html(comparison: "Comparison") -> str:
    """Return the standings as a table, then the recommendation."""
    about = words(_about(comparison), quiet=True)
    try:
        standings = comparison.standings[:_MOST_ROWS]
    except DataError as error:
        return box(about, words(error.message))
    metrics = comparison.plan.metrics
    heads = ("learner", metrics[0], "95 % interval", *metrics[1:], *_MEASURES)
    chosen = comparison.recommendation.learner
    marked = [at for at, one in enumerate(standings) if one.learner == chosen]
    begins = [
        at for at in range(1, len(standings)) if standings[at].group != standings[at - 1].group
    ]
    rows = _rows(comparison, standings)
    n_more = len(comparison.standings) - len(rows)
    more = f"… {count(n_more, 'more learner')}" if n_more else ""
    failed = f"{count(len(comparison.failures), 'learner')} failed." if comparison.failures else ""
    return box(
        about,
        grid(heads, rows, marked=marked, begins=begins),
        words(" ".join(part for part in (more, failed) if part), quiet=True),
        words(str(comparison.recommendation)),
        *(_subgroups(one) for one in comparison.subgroup_tables),
    )


def _subgroups(found: "Subgroups") -> str:
    """Return the groups of a column as a table with its sentence."""
    heads = (found.column, "rows", found.metric, "95 % interval", "against the rest", "")
    return words(found.sentence) + grid(heads, found.cells())


def _about(comparison: "Comparison") -> str:
    plan, problem = comparison.plan, comparison.problem
    tested = plan.resampling.describe(problem.n_rows)
    state = "" if comparison.is_complete else "; not all of the plan was carried out"
    learners, rows = count(len(plan.learners), "learner"), count(problem.n_rows, "row")
    inputs = count(problem.table.n_columns, "input")
    return f"{learners} for {problem.target_name!r}, {rows}, {inputs}, {tested}{state}"


def _rows(comparison: "Comparison", standings: Sequence["Standing"]) -> list[tuple[str, ...]]:
    """Return the cells of the table; all scores of a metric have the same decimals."""
    scores = _alike(standings)
    others = [
        alike([comparison.score(one.learner, name).estimate for one in standings])
        for name in comparison.plan.metrics[1:]
    ]
    chosen = comparison.recommendation.learner
    return [
        (
            f"{one.learner}{' ← recommended' if one.learner == chosen else ''}",
            scores[at][0],
            f"{scores[at][1]} to {scores[at][2]}",
            *(column[at] for column in others),
            duration(one.fit_seconds),
            duration(one.predict_seconds),
            count(one.size, one.unit) if one.size else "–",
            memory_words(one.fit_bytes),
            file_words(one.model_bytes),
        )
        for at, one in enumerate(standings)
    ]


def _alike(standings: Sequence["Standing"]) -> list[list[str]]:
    """Return each score and the ends of its interval, all with the same decimals."""
    ends = [(one.score.estimate, one.score.low, one.score.high) for one in standings]
    texts = alike([end for each in ends for end in each])
    return [texts[at : at + 3] for at in range(0, len(texts), 3)]
