"""The data at a glance: what there is, what is missing, what looks suspicious."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._plain_numbers import fine_percent as percent
from branchline.report._blocks import Block, Folded, Grid, Items, Picture, Section, Spark, Words
from branchline.report._histogram import histogram
from branchline.report._words import named, plural
from branchline.report.charts import Bar, bar_chart
from branchline.table.looking import headline, remarks, values_words

if TYPE_CHECKING:
    from branchline.report._findings import Findings
    from branchline.table.looking import ColumnLook

__all__ = ["data_section"]

_SHOWN_OPEN, _MOST_COLUMNS = 30, 400
_MOST_CLASSES = 20
_MOST_REMARKS = 40


def data_section(findings: "Findings") -> Section:
    """Return the section about the data."""
    blocks: list[Block] = [Words(headline(findings.look) + "."), *_suspicious(findings)]
    blocks.append(_target(findings))
    blocks += _columns(findings)
    return Section("data", "The data at a glance", tuple(blocks), "Data")


def _suspicious(findings: "Findings") -> list[Block]:
    remarked = [(leak.column, leak.text) for leak in findings.leaks]
    remarked += [
        (one.name, f"Set aside, not an input: {one.reason}.")
        for one in findings.comparison.problem.set_aside
    ]
    remarked += [pair for pair in remarks(findings.look) if pair[1] not in _repeats_told(findings)]
    remarked += _repeated(findings)
    if not remarked:
        return [
            Words("No column looks suspicious: no identifier, leak, constant or copy was found.")
        ]
    shown = [Items(tuple(remarked[:_MOST_REMARKS]))]
    if len(remarked) > _MOST_REMARKS:
        return [
            _WORTH,
            *shown,
            Words(f"… and {plural(len(remarked) - _MOST_REMARKS, 'more remark')}.", "quiet"),
        ]
    return [_WORTH, *shown]


def _repeats_told(findings: "Findings") -> set[str]:
    """Return what the look tells of repeated rows, which ``_repeated`` tells more fully."""
    return {note.text for note in findings.look.notes if note.topic == "repeated_rows"}


def _repeated(findings: "Findings") -> list[tuple[str, str]]:
    """Say how many rows are equal in every column, and what was done about them."""
    problem = findings.comparison.problem
    n_repeated = problem.n_repeated
    if not n_repeated or problem.times is not None or problem.groups is not None:
        return []  # a moment or a group of its own tells equal rows apart
    rows = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
    if problem.folds.is_saturated:
        why = "There are few possible rows, so repeats are natural and each counts on its own."
    else:
        why = "Equal rows are kept in the same fold and count as one, so no score is too good."
    return [("repeated rows", f"{rows} an earlier row, the target included. {why}")]


_WORTH = Words("Worth a second look:")


def _target(findings: "Findings") -> Picture:
    problem = findings.comparison.problem
    if problem.classes is not None:
        counts = np.bincount(problem.places, minlength=len(problem.classes))
        order = np.argsort(-counts, kind="stable")
        pairs = [(str(problem.classes[at]), int(counts[at])) for at in order]
        kind = "classes"
    else:
        pairs, kind = histogram(problem.target.astype(np.float64)), "values"
    total = problem.n_rows
    shown, rest = pairs[:_MOST_CLASSES], pairs[_MOST_CLASSES:]
    if rest:
        shown = [
            *shown,
            (plural(len(rest), "more class", "more classes"), sum(count for _, count in rest)),
        ]
    bars = [Bar(name, count, f"{count:,} ({percent(count / total)})") for name, count in shown]
    title = f"The {kind} of {named(problem.target_name)}, which is predicted"
    words = "; ".join(f"{bar.label}: {bar.words}" for bar in bars)
    rows = tuple((name, f"{count:,}", percent(count / total)) for name, count in pairs[:200])
    return Picture(
        title,
        bar_chart(bars, "rows", f"{title}. {words}"),
        numbers=Grid(title, (kind, "rows", "share"), rows),
        narrow=bar_chart(bars, "rows", f"{title}. {words}", narrow=True),
    )


def _columns(findings: "Findings") -> list[Block]:
    columns = findings.look.columns
    blocks: list[Block] = [_grid("The inputs", columns[:_SHOWN_OPEN])]
    rest = columns[_SHOWN_OPEN:_MOST_COLUMNS]
    if rest:
        more = plural(len(columns) - _SHOWN_OPEN, "more input")
        inner: list[Block] = [_grid("More inputs", rest)]
        if len(columns) > _MOST_COLUMNS:
            text = f"… and {len(columns) - _MOST_COLUMNS:,} more, which are not listed."
            inner.append(Words(text, "quiet"))
        blocks.append(Folded(more, tuple(inner)))
    return blocks


def _grid(caption: str, columns: "tuple[ColumnLook, ...]") -> Grid:
    heads = ("column", "kind", "shape", "values", "missing", "distinct")
    caption += "; values: lowest – median – highest, or the most frequent"
    rows = tuple(
        (
            column.name,
            column.words,
            Spark(column.shape),
            values_words(column, 80),
            f"{column.n_missing:,} ({percent(column.missing_share)})" if column.n_missing else "0",
            f"{column.n_distinct:,}",
        )
        for column in columns
    )
    return Grid(caption, heads, rows, n_words=4)
