"""Words for groups of learners: which are statistically tied, and which only differ by little.

"Tied" is said only where the 95 % interval of a difference holds 0. A learner that is worse beyond
doubt, but not shown to be worse by more than what matters, shows "no difference that matters".
The terminal and the report take both words from here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from branchline._plain_numbers import joined, number

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison
    from branchline.assess.comparing._standing import Standing

__all__ = ["amount_words", "beside_best", "first_group", "group_title", "groups_sentence"]


def first_group(comparison: "Comparison") -> tuple["Standing", ...]:
    """Return the best learner and those that show no difference to it that matters."""
    return tuple(one for one in comparison.standings if one.group == 1)


def groups_sentence(comparison: "Comparison", between: str = "between dotted lines") -> str:
    """Say what learners of one group have in common; empty where there is but one learner."""
    standings = comparison.standings
    if len(standings) < 2:
        return ""
    n_groups = standings[-1].group
    if n_groups == len(standings):
        return "No two learners are statistically tied."
    has_lines = n_groups > 1
    if all(one.is_tied for one in standings):
        who = f"Learners {between}" if has_lines else "All learners"
        return f"{who} are statistically tied."
    who = f"Learners {between}" if has_lines else "The learners"
    size = amount_words(comparison, comparison.negligible())
    return f"{who} are not shown to differ by more than {size}; smaller differences do not matter."


def group_title(comparison: "Comparison", standing: "Standing") -> str:
    """Return the title of a learner's group: "Tied with the best", "Group 2"."""
    standings = comparison.standings
    if len(standings) < 2:
        return ""
    if standing.group > 1:
        return f"Group {standing.group}"
    is_tied = all(one.is_tied for one in first_group(comparison))
    if standings[-1].group == 1:
        return "All tied" if is_tied else "No difference that matters"
    return "Tied with the best" if is_tied else "The best, and no difference that matters"


def beside_best(
    comparison: "Comparison", names: Sequence[tuple[str, "Standing"]], but: str = ""
) -> str:
    """Say how other learners of the first group stand to the best one, which is the subject.

    ``but`` says what none of them is, such as "not simpler": it follows their names.
    """
    tied = sorted(name for name, one in names if one.is_tied)
    close = sorted(name for name, one in names if not one.is_tied)
    told = f", and is statistically tied with {joined(tied, 4)}" if tied else ""
    if not close:
        return f"{told}, {_which(len(tied), but)}" if but else told
    size = amount_words(comparison, comparison.negligible())
    verb = "is" if len(close) == 1 else "are"
    which = f", {_which(len(close), but)}," if but and not tied else ""
    told = f"{told}; {joined(close, 4)}{which} {verb} not shown to be worse by more than {size}"
    return f"{told}. None of them is {but}" if but and tied else told


def _which(how_many: int, but: str) -> str:
    return f"which is not {but}" if how_many == 1 else f"none of which is {but}"


def amount_words(comparison: "Comparison", size: float) -> str:
    """Return a difference of scores: in points (hundredths) where scores go from 0 to 1."""
    metric = comparison.metric
    if metric.highest == 1.0 and metric.negligible is not None:
        points = float(f"{100 * size:.1f}") if size < 0.0995 else float(f"{100 * size:.0f}")
        if points == 0:
            return "less than 0.1 points"
        return f"{number(points)} {'point' if points == 1 else 'points'}"
    return f"{number(size, 3)} ({metric.name})"
