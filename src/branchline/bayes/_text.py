"""A naive Bayes model as text: what is typical of each class, column by column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell, count, number, percent
from branchline.bayes._joint import Evidence
from branchline.bayes._summary import Summary
from branchline.bayes._terms import BinnedTerm, CategoryTerm, KernelTerm, SilentTerm, Term
from branchline.table import Field, Schema

__all__ = ["model_text"]

_MOST_CLASSES = 8
_WIDEST = 24


def model_text(
    evidence: Evidence,
    schema: Schema,
    classes: npt.NDArray[Any],
    summaries: Sequence[Summary | None],
    most_categories: int,
) -> str:
    """Return a small text table for each column, with a column for each class."""
    shown = list(range(min(len(classes), _MOST_CLASSES)))
    names = [_short(str(classes[kind])) for kind in shown]
    priors = [_share(p) for p in np.exp(evidence.log_prior[shown])]
    blocks = [_table("", names, [("before any column", priors)])]
    for field, term, summary in zip(schema, evidence.terms, summaries, strict=True):
        rows = _rows(field, term, summary, shown, most_categories)
        blocks.append(_table(_title(field, term), names, rows))
    hidden = len(classes) - len(shown)
    if hidden:
        blocks.append(f"({count(hidden, 'more class', 'more classes')} not shown)")
    return "\n\n".join(blocks)


def _title(field: Field, term: Term) -> str:
    if isinstance(term, SilentTerm):
        return f"{field.name}: not used (one value, or none)"
    if isinstance(term, CategoryTerm):
        return f"{field.name} (frequencies)"
    what = {"gaussian": "normal", "kernel": "kernel density", "binned": "intervals"}[term.kind]
    return f"{field.name} ({what}{', in days' if field.type.is_time else ''})"


def _rows(
    field: Field, term: Term, summary: Summary | None, shown: list[int], most: int
) -> list[tuple[str, list[str]]]:
    if isinstance(term, CategoryTerm):
        return _category_rows(field, term, shown, most)
    if summary is None or isinstance(term, SilentTerm):
        return []
    rows = [
        ("mean", [number(summary.mean[kind], 6) for kind in shown]),
        ("standard deviation", [number(summary.sd[kind], 6) for kind in shown]),
    ]
    if isinstance(term, KernelTerm):
        rows.append(("bandwidth", [number(term.bandwidth[kind], 6) for kind in shown]))
    if isinstance(term, BinnedTerm):
        rows += _interval_rows(term, shown)
    return rows


def _category_rows(
    field: Field, term: CategoryTerm, shown: list[int], most: int
) -> list[tuple[str, list[str]]]:
    names = [str(name) for name in field.type.categories or ()]
    by_name = sorted(range(len(names)), key=names.__getitem__)
    by_size = sorted(by_name, key=lambda place: -float(term.frequency[place].max()))
    seen = [place for place in by_size if term.frequency[place].any()]
    rows = [
        (_short(names[place]), [_share(term.frequency[place, kind]) for kind in shown])
        for place in seen[:most]
    ]
    if len(seen) > most:
        rest = term.frequency[seen[most:]].sum(axis=0)
        rows.append((f"{len(seen) - most} more", [_share(rest[kind]) for kind in shown]))
    return rows


def _interval_rows(term: BinnedTerm, shown: list[int]) -> list[tuple[str, list[str]]]:
    edges = [cell(edge) for edge in term.edges]
    labels = [f"below {edges[0]}"]
    labels += [f"{low} to {high}" for low, high in pairwise(edges)]
    labels.append(f"from {edges[-1]}")
    shares = np.exp(term.log_frequency[:-1])
    return [
        (label, [_share(row[kind]) for kind in shown])
        for label, row in zip(labels, shares, strict=True)
    ]


def _share(share: float) -> str:
    return percent(min(float(share), 1.0), decimals=1)


def _table(title: str, names: list[str], rows: list[tuple[str, list[str]]]) -> str:
    if not rows:
        return title
    first = max(len(label) for label, _ in rows)
    lines = [title] if title else []
    widths = [
        max(len(name), *(len(cells[place]) for _, cells in rows))
        for place, name in enumerate(names)
    ]
    for label, cells in [("", names), *rows]:
        padded = (text.rjust(width) for text, width in zip(cells, widths, strict=True))
        lines.append(f"  {label:<{first}}  {'  '.join(padded)}")
    return "\n".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
