"""Which inputs were chosen, how stable that is, and what could be left out at no cost."""

from typing import TYPE_CHECKING

from branchline._plain_numbers import alike, count, joined, number
from branchline.assess.comparing import Selection, selection_words
from branchline.report._blocks import Block, Grid, Heading, Items, Notice, Picture, Section, Words
from branchline.report.charts import Bar, bar_chart, page_chart

if TYPE_CHECKING:
    from branchline.assess.comparing import AgainstAll
    from branchline.report._findings import Findings

__all__ = ["selection_section"]

_MOST_BARS, _MOST_LISTED, _MOST_NAMED = 20, 300, 40
_WORDS = (
    "Inputs were chosen anew in every training set, before the learners saw it; test rows took no "
    "part in the choice. So all scores of this report include the choice."
)
_SHARES = "How often each input was chosen"
_PATH = "Error against the number of inputs"


def selection_section(findings: "Findings") -> Section | None:
    """Return the section about chosen inputs; None where all inputs are used."""
    found = findings.comparison.selection
    if found is None:
        return None
    blocks: list[Block] = [
        Notice(found.sentence, "good" if found.can_go else "caution"),
        Words(_WORDS),
        Words(selection_words.chosen_sentence(found)),
        *_versus(found.against_all),
        *_shares(found),
        *_alike(found),
        *_path(found),
        *_gone(found),
    ]
    return Section("inputs", "Which inputs are needed", tuple(blocks), "Inputs")


def _versus(against: "AgainstAll | None") -> list[Block]:
    """Return the learner with chosen inputs beside all inputs."""
    if against is None:
        return []
    scores = (against.score, against.score_all)
    texts = alike([end for one in scores for end in (one.estimate, one.low, one.high)])
    rows = [
        (what, texts[at], f"{texts[at + 1]} to {texts[at + 2]}")
        for what, at in (("chosen inputs", 0), ("all inputs", 3))
    ]
    if against.difference is not None:
        mean = against.difference.mean
        ends = (mean.estimate, mean.low, mean.high)
        one, low, high = (selection_words.difference_words(against, end) for end in ends)
        between = "the same on every row" if against.difference.is_same else f"{low} to {high}"
        rows.append(("difference (better: positive)", one, between))
    tests = count(against.n_splits, "test set")
    caption = f"{against.learner} with chosen and with all inputs, on the same {tests}"
    return [Grid(caption, ("inputs", against.metric, "95 % interval"), tuple(rows))]


def _shares(found: Selection) -> list[Block]:
    stability = found.stability
    if stability is None:
        return []
    cells = selection_words.share_cells(stability, _MOST_LISTED)
    bars = [
        Bar(name, float(share), words, float(low), float(high))
        for (name, words, _), share, low, high in zip(
            cells[:_MOST_BARS], stability.shares, stability.lows, stability.highs, strict=False
        )
    ]
    told = f"Share of {count(stability.n_resamples, 'training set')}, with 95 % intervals."
    if len(cells) > _MOST_BARS:
        told += f" Shown are the first {_MOST_BARS} of {len(cells)} that were ever chosen."
    words = f"{_SHARES}. {told}"
    wide, narrow = (
        bar_chart(bars, "share of training sets", words, narrow=narrow) for narrow in (False, True)
    )
    numbers = Grid(_SHARES, ("input", "chosen", "95 % interval"), tuple(cells))
    return [
        Picture(_SHARES, wide, told, numbers, narrow),
        Words(selection_words.stability_sentence(stability)),
    ]


def _alike(found: Selection) -> list[Block]:
    told = selection_words.alike_sentences(found)
    if not told:
        return []
    return [Heading("Inputs that can replace each other"), Items(tuple(("", one) for one in told))]


def _path(found: Selection) -> list[Block]:
    path = found.path
    if path is None:
        return []
    chart = found.draw(kind="path")
    wide, narrow = (page_chart(chart, narrow=narrow) for narrow in (False, True))
    rows = tuple(
        (f"{size:,}", number(float(error)), number(float(spread)))
        for size, error, spread in zip(path.sizes, path.errors, path.standard_errors, strict=True)
    )
    numbers = Grid(_PATH, ("inputs", f"{path.of_what}, inner folds", "standard error"), rows, 0)
    words = (
        f"{chart.note} The inner folds chose the number, so the lowest point of the line is a "
        "little too good; the points are honest."
    )
    return [Picture(_PATH, wide, words, numbers, narrow)]


def _gone(found: Selection) -> list[Block]:
    """Return the inputs that can go, where that is shown."""
    gone = found.can_go
    if not gone:
        return []
    return [Heading("Inputs that can go"), Words(f"{joined(gone, _MOST_NAMED)}.")]
