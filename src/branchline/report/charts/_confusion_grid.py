"""The confusion matrix as a grid: a row for each true class, a column for each predicted one."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._drawing import clean, number, text, text_width, title
from branchline._plain_numbers import count as plural
from branchline._plain_numbers import number as plain
from branchline._plain_numbers import percent
from branchline.report.charts._frame import LETTERS, chart, fit

__all__ = ["confusion_grid"]

_LABELS, _LARGEST, _SMALLEST = 150.0, 92.0, 30.0
_HEIGHT = 34.0
_PAGE = 640.0
_TURNED_FROM = 70.0  # narrower columns have their names turned


def confusion_grid(
    counts: npt.NDArray[np.int64],
    names: list[str],
    words: str,
    costs: npt.NDArray[np.float64] | None = None,
) -> str:
    """Draw the counts; with costs, what each cell costs a row stands below its count."""
    n_classes = len(names)
    widest = max(text_width(clean(name), LETTERS) for name in names)
    left = min(_LABELS, widest + 16) + 18
    cell = min(_LARGEST, max(_SMALLEST, (_PAGE - left) / n_classes))
    turned = cell < _TURNED_FROM
    top = (min(_LABELS, widest + 12) if turned else 22.0) + 20
    height = 44.0 if costs is not None else _HEIGHT
    body = [
        text(left + n_classes * cell / 2, 12, "predicted", "quiet mid"),
        f'<text transform="translate(11 {number(top + n_classes * height / 2)}) rotate(-90)" '
        'class="quiet mid">true</text>',
    ]
    for place, name in enumerate(names):
        x = left + (place + 0.5) * cell
        body.append(_column_name(x, top - 8, name, cell, turned=turned))
        y = top + (place + 0.5) * height + 4
        body.append(fit(left - 8, y, name, left - 30, "ink end"))
    share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    for truth, predicted in np.ndindex(counts.shape):
        x, y = left + predicted * cell, top + truth * height
        cost = None if costs is None else float(costs[truth, predicted])
        about = (
            names[truth],
            names[predicted],
            int(counts[truth, predicted]),
            float(share[truth, predicted]),
        )
        body.append(_cell(x, y, cell, height, about, cost, on_diagonal=truth == predicted))
    return chart(body, left + n_classes * cell + 2, top + n_classes * height + 2, words)


def _column_name(x: float, y: float, name: str, cell: float, *, turned: bool) -> str:
    if not turned:
        return fit(x, y, name, cell - 4, "ink mid")
    place = f"translate({number(x + 4)} {number(y)}) rotate(-90)"
    return f'<g transform="{place}">{fit(0, 0, name, _LABELS - 14, "ink")}</g>'


def _cell(
    x: float,
    y: float,
    width: float,
    height: float,
    about: tuple[str, str, int, float],
    cost: Any,
    *,
    on_diagonal: bool,
) -> str:
    truth, predicted, count, share = about
    look = "usual" if on_diagonal else "second"
    # At most 0.45 of the color: the page's ink stays readable on it, in light and in dark.
    strength = f"{0.45 * share:.2f}"
    back = (
        f'<rect x="{number(x + 1)}" y="{number(y + 1)}" width="{number(width - 2)}" '
        f'height="{number(height - 2)}" class="{look} fill" fill-opacity="{strength}"/>'
        f'<rect x="{number(x + 1)}" y="{number(y + 1)}" width="{number(width - 2)}" '
        f'height="{number(height - 2)}" class="cell"/>'
    )
    middle = x + width / 2
    wide = width >= _TURNED_FROM
    shown = f"{count:,} ({percent(share)})" if wide and count else f"{count:,}" if count else "·"
    look = "ink mid" if count else "quiet mid"
    lines = [text(middle, y + height / 2 + (4 if cost is None else -2), shown, look)]
    if cost is not None and wide:
        lines.append(text(middle, y + height / 2 + 15, f"cost {plain(cost, 3)}", "quiet small mid"))
    rows = plural(count, "row")
    hint = title([f"true {truth}, predicted {predicted}: {rows}, {percent(share)} of {truth}"])
    return f"<g>{hint}{back}{''.join(lines)}</g>"
