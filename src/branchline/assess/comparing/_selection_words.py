"""What choosing inputs did, in sentences and as text: the same words for terminal and report."""

from typing import TYPE_CHECKING

from branchline._notebook import box, grid, words
from branchline._plain_numbers import (
    alike,
    count,
    duration,
    fixed,
    joined,
    number,
    percent,
    probability,
)
from branchline.assess._metrics import METRICS
from branchline.features import SelectionStability

if TYPE_CHECKING:
    from branchline.assess.comparing._against_all import AgainstAll
    from branchline.assess.comparing._input_choice import InputChoice
    from branchline.assess.comparing._selection import Selection

__all__ = [
    "alike_sentences",
    "choice_html",
    "choice_text",
    "chosen_sentence",
    "difference_words",
    "selection_html",
    "selection_text",
    "share_cells",
    "stability_sentence",
    "verdict_sentence",
]

_MOST_NAMED, _MOST_GROUPS, _MOST_LISTED = 12, 6, 25
# Of fewer training sets, two inputs that are hardly ever chosen together may be chance.
_ENOUGH_SETS = 20
# Bounds of the index of stability that a person can go by (Nogueira and others, section 4).
_POOR, _GOOD = 0.4, 0.75


def verdict_sentence(selection: "Selection") -> str:
    """Say what the choice costs or gains; that inputs can go only where that is shown."""
    against, n_inputs = selection.against_all, selection.n_inputs
    if not selection.is_learned:
        return (
            "No learner is shown to beat the baseline, so it cannot be said which inputs are "
            "needed."
        )
    if against is None:
        return (
            "What the choice costs is not known: no learner was tested with all inputs on the same "
            "test sets."
        )
    kept = selection.kept
    n_gone = None if kept is None else n_inputs - len(kept)
    scores = _scores(against)
    if n_gone == 0:
        return f"All {count(n_inputs, 'input')} are kept. {against.learner}: {scores}."
    some = n_inputs - round(_middle(selection)) if n_gone is None else n_gone
    told = _VERDICTS[against.verdict].format(gone=f"{some:,} of {count(n_inputs, 'input')}")
    return f"{told} {against.learner}: {scores}{_risk(against)}."


_VERDICTS = {
    "gains": "{gone} can go, and the score is better without them.",
    "costs nothing that matters": "{gone} can go at no cost that matters.",
    "tied": "{gone} may be dispensable, but that is not shown: the scores are statistically tied.",
    "probably costs": "To leave {gone} out probably costs something, although the scores are "
    "statistically tied.",
    "costs": "The choice costs something: with all inputs the score is better. {gone} were left "
    "out.",
    "unknown": "There are too few test sets to say what it costs to leave {gone} out.",
}


def _scores(against: "AgainstAll") -> str:
    one, other = alike([against.score.estimate, against.score_all.estimate])
    return f"{against.metric} {one} with the chosen inputs, {other} with all"


def _risk(against: "AgainstAll") -> str:
    found = against.difference
    if found is None:
        return ""
    if found.mean.low == found.mean.high == 0:
        few = f"; {count(against.n_rows, 'row')} are too few to rule out a loss"
        return f" (the same for every row{'' if against.has_enough_rows else few})"
    low, high = (difference_words(against, end) for end in (found.mean.low, found.mean.high))
    told = f" (difference {low} to {high}, better being positive"
    if against.verdict in {"tied", "probably costs"}:
        loss = number(found.negligible, 2)
        told += f"; the probability of a loss above {loss} is {probability(found.p_lower)}"
        if not against.has_enough_rows:
            told += f"; {count(against.n_rows, 'row')} are too few to rule it out"
    return f"{told})"


def difference_words(against: "AgainstAll", amount: float) -> str:
    """Return a difference of scores; of those without units with three decimals."""
    has_units = METRICS[against.metric].negligible is None
    return number(amount, 3) if has_units else fixed(amount)


def _middle(selection: "Selection") -> float:
    sizes = sorted(selection.sizes)
    return sizes[len(sizes) // 2]


def chosen_sentence(selection: "Selection") -> str:
    """Say how many inputs were chosen, in the training sets and from all rows."""
    sizes = selection.sizes
    between = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else f"{sizes[0]}"
    inside = f"{between} of {count(selection.n_inputs, 'input')} in each training set"
    told = f"Chosen by {selection.selector}: {inside}"
    if selection.seconds >= 1:
        told += f" ({duration(selection.seconds)} each)"
    if selection.kept is None:
        return f"{told}."
    return f"{told}; from all rows {len(selection.kept)}: {joined(selection.kept, _MOST_NAMED)}."


def stability_sentence(found: SelectionStability) -> str:
    """Say how stable the choice is as a whole."""
    index, low, high = (fixed(end, 2) for end in (found.index, found.index_low, found.index_high))
    sets = found.of_what.partition(" of ")[0]
    level = "much the same" if found.index >= _GOOD else "partly the same"
    level = "the same" if found.index == 1 else level
    if found.index < _POOR:
        level = "hardly the same, so do not read much into which inputs were chosen"
    told = (
        f"Stability {index} [{low}, {high}] (1: always the same inputs, 0: as by chance): the "
        f"{sets} choose {level}."
    )
    if sets == "resamples":
        return told
    return f"{told} They share most rows; new data would vary more."


def alike_sentences(selection: "Selection") -> list[str]:
    """Say which inputs stand in for each other."""
    groups = [joined(list(group), _MOST_NAMED) for group in selection.alike[:_MOST_GROUPS]]
    told = [f"{group} tell nearly the same and stand in for each other." for group in groups]
    found = selection.stability
    enough = found is not None and found.n_resamples >= _ENOUGH_SETS
    pairs = found.substitutes if found is not None and enough else ()
    known = [set(group) for group in selection.alike]
    for one, other in pairs[:_MOST_GROUPS]:
        if not any({one, other} <= group for group in known):
            told.append(f"{one} and {other} stand in for each other: mostly one of them is chosen.")
    return told


def share_cells(found: SelectionStability, most: int) -> list[tuple[str, str, str]]:
    """Return a row for each input that was chosen: name, share, interval."""
    chosen = [at for at in range(len(found.names)) if found.shares[at] > 0]
    return [
        (
            found.names[at],
            percent(float(found.shares[at])),
            f"{percent(float(found.lows[at]))} to {percent(float(found.highs[at]))}",
        )
        for at in chosen[:most]
    ]


def selection_text(selection: "Selection") -> str:
    """Return all that is known as text."""
    lines = [selection.sentence, chosen_sentence(selection)]
    lines += _share_lines(selection.stability)
    lines += [stability_sentence(selection.stability)] if selection.stability else []
    lines += alike_sentences(selection)
    if selection.path is not None:
        lines += ["", "Inner folds, mean over training sets:", str(selection.path)]
    return "\n".join(lines)


def _share_lines(found: SelectionStability | None) -> list[str]:
    """Return a line for each input that was chosen, with an empty line before and after."""
    if found is None:
        return []
    rows = share_cells(found, _MOST_LISTED)
    width = max((len(name) for name, _, _ in rows), default=0)
    lines = ["", f"Chosen in {found.n_resamples:,} {found.of_what}:"]
    lines += [f"  {name:<{width}}  {share:>6}  {ends}" for name, share, ends in rows]
    n_more = int((found.shares > 0).sum()) - len(rows)
    return [*lines, *([f"  … and {n_more:,} more"] if n_more > 0 else []), ""]


def choice_text(choice: "InputChoice") -> str:
    """Return a choice of inputs as text: ranking, choice, cost, stability."""
    selection = choice.selection
    lines = [str(choice.ranking), "", selection.sentence, chosen_sentence(selection)]
    lines += _share_lines(choice.stability)
    lines += [stability_sentence(choice.stability)] if choice.stability else []
    lines += alike_sentences(selection)
    path = getattr(choice.selector, "path_", None)
    if path is not None:
        lines += ["", "How many: inner folds on all rows.", str(path)]
    return "\n".join(lines)


def selection_html(selection: "Selection") -> str:
    """Return the choice as a small table for notebooks."""
    return _html(selection, selection.stability)


def choice_html(choice: "InputChoice") -> str:
    """Return a choice of inputs as a small table for notebooks."""
    return _html(choice.selection, choice.stability)


def _html(selection: "Selection", stability: SelectionStability | None) -> str:
    parts = [words(selection.sentence), words(chosen_sentence(selection), quiet=True)]
    if stability is not None:
        heads = ("input", f"chosen in {stability.n_resamples:,}", "95 % interval")
        parts.append(grid(heads, share_cells(stability, _MOST_NAMED)))
        parts.append(words(stability_sentence(stability), quiet=True))
    return box(*parts)
