"""Groups of rows in which the model errs most, as an interval plot."""

from typing import TYPE_CHECKING

from branchline._plain_numbers import alike
from branchline._plain_numbers import fine_percent as percent
from branchline.report._blocks import Block, Grid, Picture
from branchline.report._words import plural, signed
from branchline.report.charts import IntervalRow, interval_plot

if TYPE_CHECKING:
    from branchline.report._findings import Findings
    from branchline.report._slices import Slice

__all__ = ["slices_picture"]

_TITLE = "Groups of rows in which it errs most"
_NONE_SURE = "No group stands out beyond what chance explains; these differ most."
_SOME_SURE = (
    "An arrow marks groups that differ from all rows by more than chance explains. The intervals "
    "allow for the number of groups that were looked at."
)


def slices_picture(findings: "Findings") -> list[Block]:
    """Return the picture, or nothing when no group has enough rows."""
    found = findings.slices
    if not found:
        return []
    is_regression = findings.outcome.classes is None
    rows = [_row(one, is_regression=is_regression) for one in found]
    what, overall, mark = "mean of true less predicted", 0.0, "no bias"
    if not is_regression:
        overall = float((findings.outcome.truth != findings.outcome.predicted).mean())
        what, mark = "share of wrong predictions", f"all rows {percent(overall)}"
    words = f"{_TITLE}. " + "; ".join(f"{row.label} {row.words}" for row in rows)
    wide, narrow = (
        interval_plot(
            rows,
            f"{what} (95 % intervals)",
            words,
            reference=overall,
            reference_words=mark,
            narrow=narrow,
        )
        for narrow in (False, True)
    )
    told = _SOME_SURE if any(one.stands_out for one in found) else _NONE_SURE
    return [Picture(_TITLE, wide, told, _grid(rows, found, what), narrow)]


def _row(one: "Slice", *, is_regression: bool) -> IntervalRow:
    error = one.error
    size = signed(error.estimate) if is_regression else percent(error.estimate)
    return IntervalRow(
        f"{one.column}: {one.label}",
        error.estimate,
        error.low,
        error.high,
        f"{size} of {plural(one.n_rows, 'row')}",
        is_chosen=one.stands_out,
    )


def _grid(rows: list[IntervalRow], found: "tuple[Slice, ...]", what: str) -> Grid:
    texts = iter(alike([end for row in rows for end in (row.estimate, row.low, row.high)]))
    numbers = tuple(
        (row.label, f"{one.n_rows:,}", next(texts), next(texts), next(texts))
        for row, one in zip(rows, found, strict=True)
    )
    return Grid(_TITLE, ("group", "rows", what, "from", "to"), numbers)
