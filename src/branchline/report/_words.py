"""Numbers, names and scores as words that everyone reads in the same way."""

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline.assess import METRICS, Interval
from branchline.table.looking._look_words import clean, shorten

if TYPE_CHECKING:
    from branchline.assess import Comparison

__all__ = [
    "interval_words",
    "joined",
    "named",
    "number_words",
    "plural",
    "probability_words",
    "score_words",
    "signed",
    "title_of",
    "with_article",
]

_LONGEST_NAME = 60
_COUNTED = {"tree", "stump", "rule", "perceptron", "net", "lasso", "network", "forest", "machine"}
_PEOPLE = ("Bayes", "Parzen", "Fisher", "Gauss", "Ada", "Laplace", "Poisson")
_FROM_RIGHT = {"R", "AL", "RLE", "RLO", "RLI"}


def named(name: Any) -> str:
    """Return a name of the data in quotation marks, on one line, not too long.

    A name written from right to left is kept from reordering the sentence around it.
    """
    words = shorten(clean(str(name)), _LONGEST_NAME)
    if any(unicodedata.bidirectional(letter) in _FROM_RIGHT for letter in words):
        words = f"\u2068{words}\u2069"
    return f"“{words}”"


def number_words(value: float) -> str:
    """Return a number with about four digits."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if value == 0:
        return "0"
    if not 1e-3 <= size < 1e7:
        return f"{value:.3g}"
    return f"{value:,.0f}" if size >= 1e4 else f"{value:.4g}"


def signed(value: float) -> str:
    """Return a number with its sign."""
    if not math.isfinite(value):
        return "–"
    return f"{value:+.3g}".replace("-", "−") if value else "0"


def interval_words(interval: Interval, *, brief: bool = False) -> str:
    """Return an estimate with the ends of its interval."""
    if not math.isfinite(interval.estimate):
        return "–"
    estimate, _, ends = str(interval).partition(" ")
    low, _, high = ends.strip("[]").partition(", ")
    return estimate if brief else f"{estimate} ({low} to {high})"


def probability_words(share: float) -> str:
    """Return a probability in per cent; never 0 or 100 %, which no data can show."""
    if not math.isfinite(share):
        return "–"
    if share < 0.005:
        return "<1 %"
    if share > 0.995:
        return ">99 %"
    return f"{100 * share:.0f} %"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def joined(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence."""
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def title_of(comparison: "Comparison", label: str) -> str:
    """Return the name by which people know a learner, as it stands inside a sentence."""
    learner = comparison.learner(label)
    if learner.name is None or learner.label != learner.name:
        return label
    title = catalog.entry(learner.name).title
    is_a_name = title.startswith(_PEOPLE) or not title[1:2].islower()
    return title if is_a_name else title[0].lower() + title[1:]


def with_article(title: str) -> str:
    """Return a learner's title as it stands in a sentence: the decision tree, ridge regression."""
    return f"the {title}" if title.split(" ")[-1].lower() in _COUNTED else title


def score_words(metric: str, interval: Interval, *, brief: bool = True) -> str:
    """Return a score; those without units have three decimals."""
    ends = (interval.estimate, interval.low, interval.high)
    if METRICS[metric].negligible is None or not all(map(math.isfinite, ends)):
        return interval_words(interval, brief=brief)
    estimate, low, high = (f"{end:.3f}" for end in ends)
    return estimate if brief else f"{estimate} ({low} to {high})"
