"""The confusion matrix as a picture, as a list of confusions, and class by class."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._plain_numbers import fine_percent as percent
from branchline.report._blocks import Block, Grid, Picture, Words
from branchline.report._words import number_words, plural, score_words
from branchline.report.charts import confusion_grid

if TYPE_CHECKING:
    from branchline.assess.curves import Confusion

__all__ = ["class_by_class", "confusion_picture", "frequent_pairs"]

_MOST_DRAWN, _MOST_LISTED, _MOST_PAIRS = 25, 40, 10


def confusion_picture(found: "Confusion", *, has_costs: bool) -> Picture | None:
    """Return the grid of true and predicted classes; None when it would be too large."""
    names = [str(name) for name in found.classes]
    if len(names) > _MOST_DRAWN:
        return None
    title = "True and predicted classes"
    words = "Rows are the truth, columns what was predicted; shares are of the true class."
    if has_costs:
        mean = number_words(found.total_cost / max(1, int(found.counts.sum())))
        words += f" All decisions together cost {number_words(found.total_cost)}: {mean} per row."
    told = "; ".join(
        f"of {int(row.sum()):,} {name}, {int(row[place]):,} are found"
        for place, (name, row) in enumerate(zip(names, found.counts, strict=True))
    )
    costs = found.costs if has_costs else None
    drawn = confusion_grid(found.counts, names, f"{title}. {told}", costs)
    return Picture(title, drawn, words, _counts(found, names))


def _counts(found: "Confusion", names: list[str]) -> Grid:
    rows = tuple(
        (name, *(f"{count:,}" for count in row))
        for name, row in zip(names, found.counts.tolist(), strict=True)
    )
    return Grid("Rows by true class (down) and predicted class (across)", ("true", *names), rows)


def frequent_pairs(found: "Confusion") -> Block:
    """Return the most frequent confusions."""
    wrong = found.counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_PAIRS]
    rows = []
    for truth, predicted in zip(*np.unravel_index(order, wrong.shape), strict=True):
        count = int(wrong[truth, predicted])
        if count:
            share = percent(count / max(1, int(found.counts[truth].sum())))
            rows.append(
                (str(found.classes[truth]), str(found.classes[predicted]), f"{count:,}", share)
            )
    if not rows:
        return Words("No class was ever taken for another.")
    heads = ("true", "taken for", "rows", "of the true class")
    return Grid("The most frequent confusions", heads, tuple(rows), n_words=2)


def class_by_class(found: "Confusion") -> Grid:
    """Return recall and precision of each class."""
    heads = ("class", "rows", "found (recall)", "right when predicted (precision)")
    order = np.argsort(-found.counts.sum(axis=1), kind="stable")[:_MOST_LISTED]
    rows = []
    for place in order.tolist():
        recall, precision = found.recall(place), found.precision(place)
        rows.append(
            (
                str(found.classes[place]),
                f"{int(found.counts[place].sum()):,}",
                "–" if recall is None else score_words("recall", recall, brief=False),
                "never predicted"
                if precision is None
                else score_words("precision", precision, brief=False),
            )
        )
    n_more = len(found.classes) - len(rows)
    more = f"; {plural(n_more, 'rarer class', 'rarer classes')} not shown" if n_more > 0 else ""
    return Grid(f"Class by class, with 95 % intervals{more}", heads, tuple(rows))
