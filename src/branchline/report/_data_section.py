"""The data at a glance: what there is, what is missing, what looks suspicious."""

from typing import TYPE_CHECKING

import numpy as np

from branchline.report._blocks import Block, Folded, Grid, Items, Picture, Section, Words
from branchline.report._words import named, number_words, plural
from branchline.report.charts import Bar, bar_chart
from branchline.report.charts._frame import tick_words, ticks
from branchline.table.looking._look_text import headline, remarks, values_words
from branchline.table.looking._look_words import percent

if TYPE_CHECKING:
    from branchline.report._findings import Findings
    from branchline.table.looking._look import ColumnLook

__all__ = ["data_section"]

_SHOWN_OPEN, _MOST_COLUMNS = 30, 400
_MOST_CLASSES = 20
_MOST_REMARKS = 40
_N_BINS = 12


def data_section(findings: "Findings") -> Section:
    """Return the section about the data."""
    blocks: list[Block] = [Words(headline(findings.look) + "."), *_suspicious(findings)]
    blocks.append(_target(findings))
    blocks += _columns(findings)
    return Section("data", "The data at a glance", tuple(blocks))


def _suspicious(findings: "Findings") -> list[Block]:
    said = [(leak.column, leak.text) for leak in findings.leaks]
    said += [
        (one.name, f"Set aside, not an input: {one.reason}.")
        for one in findings.comparison.problem.set_aside
    ]
    said += remarks(findings.look)
    if findings.look.n_repeated_rows:
        text = (
            "Equal rows may stand in a training set and in its test set; if they are the same case "
            "written down twice, scores look better than they are."
        )
        said.append(("repeated rows", text))
    if not said:
        return [
            Words("No column looks suspicious: no identifier, leak, constant or copy was found.")
        ]
    shown = [Items(tuple(said[:_MOST_REMARKS]))]
    if len(said) > _MOST_REMARKS:
        return [
            _WORTH,
            *shown,
            Words(f"… and {plural(len(said) - _MOST_REMARKS, 'more remark')}.", "quiet"),
        ]
    return [_WORTH, *shown]


_WORTH = Words("Worth a second look:")


def _target(findings: "Findings") -> Picture:
    problem = findings.comparison.problem
    if problem.classes is not None:
        counts = np.bincount(problem.places, minlength=len(problem.classes))
        order = np.argsort(-counts, kind="stable")
        pairs = [(str(problem.classes[at]), int(counts[at])) for at in order]
        kind = "classes"
    else:
        pairs, kind = _histogram(problem.target.astype(np.float64)), "values"
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


def _histogram(target: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[tuple[str, int]]:
    values = np.unique(target)
    if len(values) <= _N_BINS:
        return [(number_words(float(value)), int((target == value).sum())) for value in values]
    # Halves: the span of numbers near the largest float would overflow.
    low, high = float(values[0]), float(values[-1])
    marks = np.array(ticks(low, high, _N_BINS))
    if len(marks) > 2:  # round numbers, and one more at each end where values lie beyond
        step = marks[1] - marks[0]
        first, last = marks[0] - step * (low < marks[0]), marks[-1] + step * (high > marks[-1])
        edges = np.linspace(first, last, round((last - first) / step) + 1)
    else:
        edges = 2 * np.linspace(low / 2, high / 2, _N_BINS + 1)
    n_bins = len(edges) - 1
    place = np.clip(np.searchsorted(edges, target, side="right") - 1, 0, n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    ends = tick_words(edges.tolist())
    return [(f"{ends[at]} to {ends[at + 1]}", int(counts[at])) for at in range(n_bins)]


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
    heads = ("column", "kind", "lowest – median – highest, or most frequent", "missing", "distinct")
    rows = tuple(
        (
            column.name,
            column.words,
            values_words(column, 80),
            f"{column.n_missing:,} ({percent(column.missing_share)})" if column.n_missing else "0",
            f"{column.n_distinct:,}",
        )
        for column in columns
    )
    return Grid(caption, heads, rows, n_words=3)
