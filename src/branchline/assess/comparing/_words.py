"""A comparison as a table of text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = ["comparison_text", "duration"]


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
    tested = plan.resampling.describe(problem.n_rows)
    state = "" if comparison.is_complete else " Not all of the plan was carried out."
    notes = [
        "",
        f"{problem.n_rows} rows, {problem.table.n_columns} inputs, target "
        f"{problem.target_name!r}; {tested}. Learners between dotted lines are tied.{state}",
        "",
        str(comparison.recommendation),
    ]
    return "\n".join([*lines, *notes])


def _row(comparison: "Comparison", standing: "Standing") -> list[str]:
    mark = "→ " if standing.learner == comparison.recommendation.learner else "  "
    estimate, _, interval = str(standing.score).partition(" ")
    others = [
        str(comparison.score(standing.learner, name)).partition(" ")[0].replace("nan", "–")
        for name in comparison.plan.metrics[1:]
    ]
    size = f"{standing.size:,} {standing.unit}" if standing.size else "–"
    fit = duration(standing.fit_seconds)
    return [mark + standing.learner, estimate, interval, *others, fit, size]


def _line(cells: list[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return f"{first[0]:<{first[1]}}  " + "  ".join(f"{cell:>{width}}" for cell, width in rest)


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.1f} min"
