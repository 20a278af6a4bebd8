"""How much each column matters to the model, and why it predicts one row as it does."""

from typing import TYPE_CHECKING, Any

from branchline._intervals import Interval
from branchline._plain_numbers import alike, cell, joined
from branchline.assess import METRICS
from branchline.report._blocks import Block, Grid, Heading, Picture, Words
from branchline.report._words import named, number_words, plural
from branchline.report.charts import Bar, bar_chart

if TYPE_CHECKING:
    from branchline._explanation import Explanation
    from branchline.report._findings import Findings
    from branchline.report._importance import Measured

__all__ = ["cell_words", "importances_picture", "one_row_picture"]

_MOST_BARS, _MOST_LISTED, _MOST_NAMED = 15, 300, 5
_UNSEEN = " (not seen in training)"
# A part of the largest that is smaller than this is rounding: it would be printed as 0.
_SMALLEST = 1e-6


def importances_picture(findings: "Findings") -> list[Block]:
    """Return what permutation importance found, or why it found nothing."""
    measured, found = findings.measured, findings.measured.found
    if findings.is_baseline:
        return []
    if found is None:
        why = measured.why_not
        return [Words(f"How much each column matters is not shown: {why}.", "quiet")]
    least = _SMALLEST * max((abs(one.loss.estimate) for one in found.columns), default=0.0)
    telling = [one for one in found.columns if _reach(one.loss) > least]
    if not telling:
        return [Words("Shuffling any one column changes no score.", "quiet")]
    shown = telling[:_MOST_BARS]
    sizes = alike([one.loss.estimate for one in shown])
    bars = [
        Bar(one.column, one.loss.estimate, size, one.loss.low, one.loss.high)
        for one, size in zip(shown, sizes, strict=True)
    ]
    n_silent = len(found.columns) - len(telling) - len(measured.constant)
    words = _what_is_measured(measured, max(0, n_silent))
    axis = f"loss of {found.metric}"
    return [_picture("How much each column matters", bars, axis, words, _ranks(measured))]


def _reach(loss: Interval) -> float:
    return max(abs(loss.low), abs(loss.high), abs(loss.estimate))


def _what_is_measured(measured: "Measured", n_silent: int) -> str:
    assert measured.found is not None
    metric, rows = measured.found.metric, plural(measured.n_rows, "row")
    worse = "higher" if METRICS[metric].less_is_better else "lower"
    unseen = f"{rows} that the model had not seen"
    if measured.out_of_bag:
        unseen = f"all {rows}, each predicted by the trees that had not seen it"
    words = (
        f"By how much {metric} gets worse ({worse}) when a column is shuffled, measured on "
        f"{unseen}. Columns that hold the same information share their importance."
    )
    if measured.constant:
        names = joined([named(one) for one in measured.constant], _MOST_NAMED)
        have = "has" if len(measured.constant) == 1 else "have"
        words += f" {names} {have} one value in these rows, so shuffling cannot show an effect."
    if n_silent:
        words += f" Shuffling {plural(n_silent, 'other column')} changes nothing."
    return words


def _ranks(measured: "Measured") -> Grid:
    found = measured.found
    assert found is not None
    heads = ("column", f"loss of {found.metric} (95 % interval)", "rank")
    listed = found.columns[:_MOST_LISTED]
    ends = [end for one in listed for end in (one.loss.estimate, one.loss.low, one.loss.high)]
    texts = alike(ends)
    rows: list[tuple[str, ...]] = []
    for at, one in zip(range(0, len(ends), 3), listed, strict=True):
        loss = f"{texts[at]} ({texts[at + 1]} to {texts[at + 2]})"
        if one.is_idle:
            loss = "not known (one value)" if one.column in measured.constant else "0"
        rows.append((one.column, loss, one.rank_words))
    return Grid("How much each column matters", heads, tuple(rows))


def _picture(title: str, bars: list[Bar], axis: str, words: str, numbers: Grid) -> Picture:
    told = f"{title}. {words} " + "; ".join(f"{bar.label}: {bar.words}" for bar in bars)
    wide, narrow = (bar_chart(bars, axis, told, narrow=narrow) for narrow in (False, True))
    return Picture(title, wide, words, numbers, narrow)


def one_row_picture(findings: "Findings") -> list[Block]:
    """Return one row with the part that each column has in its prediction."""
    found = findings.explanation
    if found is None or findings.is_baseline:
        return []
    is_number = isinstance(found.prediction, float)
    prediction = number_words(found.prediction) if is_number else named(found.prediction)
    title = f"One row explained: row {findings.explained_row} is predicted as {prediction}"
    least = _SMALLEST * max((abs(part.amount) for part in found.parts), default=0.0)
    parts = [part for part in found.parts if abs(part.amount) > least]
    sizes = alike([part.amount for part in parts])
    bars = [
        Bar(
            f"{part.column} = {cell_words(part.value)}{_UNSEEN * part.is_unseen}",
            part.amount,
            f"{'+' * (part.amount > 0)}{size}",
        )
        for part, size in zip(parts, sizes, strict=True)
    ]
    if not bars:
        return [Heading(title), Words("No column changes this prediction.")]
    about = _about(found)
    words = f"Parts of the {about}. {_how(found)}"
    if findings.is_explained_unseen:
        words += " The model that is explained had not seen this row."
    if len(bars) > _MOST_BARS:
        words += f" Shown are the {_MOST_BARS} largest of {len(bars)} parts."
    numbers = Grid(title, ("cell", "part"), tuple((bar.label, bar.words) for bar in bars[:100]))
    return [_picture(title, bars[:_MOST_BARS], f"part of the {about}", words, numbers)]


def _about(found: "Explanation") -> str:
    """Return what is explained, a class quoted as everywhere in the report."""
    what, quoted, rest = found.about.partition(" of '")
    names = rest[:-1].split("' against '")
    return f"{what} of {' against '.join(map(named, names))}" if quoted else what


def _how(found: "Explanation") -> str:
    base, total = alike([found.base, found.total])
    if found.is_sum:
        return f"It begins at {base}, each column adds its part, and it ends at {total}."
    return (
        "Each column: the change when its cell alone is made missing. With all cells it is "
        f"{total}, without any {base}."
    )


def cell_words(value: Any) -> str:
    """Return a cell as a reader knows it."""
    if value is None:
        return "missing"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return cell(value) if is_number else str(value)
