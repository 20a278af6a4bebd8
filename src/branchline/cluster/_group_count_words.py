"""How many groups, as text: the verdict, the rules, a line for each number of groups."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._plain_numbers import count, joined, number
from branchline._plain_text import clean
from branchline.cluster._cluster_stability import word_of

if TYPE_CHECKING:
    from branchline.cluster._group_counts import GroupCounts

__all__ = ["counts_in_words", "divided_in_words"]

_HEADS = ("groups", "W", "gap", "silhouette", "stability", "weakest group", "BIC")
_WIDTHS = (10, 10, 10, 10, 13, 10)
_MOST_NAMES = 4


def counts_in_words(counts: "GroupCounts") -> str:
    """Return everything that was found as lines of text."""
    lines = [counts.verdict()]
    if len(counts.sizes) < 2:
        return lines[0]
    found = ", ".join(f"{rule} {n}" for rule, n in counts.by_rule.items())
    lines.append(f"Rules, which always find a number: {found}.")
    lines.append("  ".join(f"{name:>10}" for name in _HEADS))
    lines += [_line(counts, at) for at in range(len(counts.sizes))]
    lines += _groups(counts)
    if counts.n_rows < counts.n_rows_given:
        lines.append(f"Found on {counts.n_rows:,} of {number(counts.n_rows_given, 9)} rows.")
    return "\n".join(line.rstrip() for line in lines)


def divided_in_words(counts: "GroupCounts") -> str:
    """Return what is known of groups that have one value of a column each; empty if none has."""
    if not counts.divided_by:
        return ""
    names = joined([clean(name) for name in counts.divided_by], _MOST_NAMES)
    text = f" Each group has one value of {names} in nearly all of its rows."
    if counts.without is None:
        return text
    n = counts.without.n_groups
    return f"{text} The other columns alone have {'one group' if n == 1 else count(n, 'group')}."


def _line(counts: "GroupCounts", at: int) -> str:
    """Return the figures of one number of groups."""
    weakest = min((one[0] for one in counts.jaccard[at]), default=np.nan)
    cells = (np.exp(counts.test.log_within[at]), counts.gap[at], counts.silhouette[at],
             counts.stability[at], weakest)  # fmt: skip
    texts = ["" if np.isnan(value) else f"{value:.2f}" for value in cells]
    texts.append("" if np.isnan(counts.bic[at]) else f"{counts.bic[at]:,.0f}")
    words = "  ".join(f"{text:>{wide}}" for text, wide in zip(texts, _WIDTHS, strict=True))
    return f"{counts.sizes[at]:>10}  {words}"


def _groups(counts: "GroupCounts") -> list[str]:
    """Return how each group of the verdict comes back in bootstrap samples."""
    if counts.is_one:
        return []
    lines = ["Groups in bootstrap samples (Jaccard index, 95 % interval):"]
    for at, (mean, low, high) in enumerate(counts.jaccard[counts.n_groups - 1]):
        lines.append(f"  group {at}: {mean:.2f} [{low:.2f}, {high:.2f}], {word_of(mean)}")
    return lines
