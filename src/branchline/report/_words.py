"""Numbers, names and scores as words that everyone reads in the same way."""

import math
import unicodedata
from typing import TYPE_CHECKING, Any

from branchline import catalog
from branchline._plain_numbers import alike, fixed, joined, signed
from branchline._plain_numbers import count as plural
from branchline._plain_numbers import interval as interval_text
from branchline._plain_numbers import number as number_words
from branchline._plain_numbers import probability as probability_words
from branchline._plain_text import clean, shorten
from branchline.assess import METRICS, Interval

if TYPE_CHECKING:
    from branchline.assess import Comparison

__all__ = [
    "chance_words",
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
_COUNTED = {
    "baseline",
    "tree",
    "stump",
    "rule",
    "perceptron",
    "net",
    "lasso",
    "network",
    "forest",
    "machine",
}
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


def interval_words(interval: Interval, *, brief: bool = False) -> str:
    """Return an estimate with the ends of its interval."""
    ends = (interval.estimate, interval.low, interval.high)
    return alike(ends)[0] if brief else interval_text(*ends)


def chance_words(share: float) -> str:
    """Return a probability as it stands in a sentence: 85 %, more than 99 %, less than 1 %."""
    return probability_words(share).replace("> ", "more than ").replace("< ", "less than ")


def title_of(comparison: "Comparison", label: str) -> str:
    """Return the name by which people know a learner, as it stands inside a sentence."""
    learner = comparison.learner(label)
    if learner.name == comparison.plan.baseline == label:
        return "baseline"
    if learner.name is None or learner.label != learner.name:
        return label
    title = catalog.entry(learner.name).title
    is_a_name = title.startswith(_PEOPLE) or not title[1:2].islower()
    return title if is_a_name else title[0].lower() + title[1:]


def with_article(title: str) -> str:
    """Return a learner's title as it stands in a sentence: the decision tree, ridge regression."""
    is_counted = title.split(" ")[-1].lower() in _COUNTED and not title.startswith("the ")
    return f"the {title}" if is_counted else title


def score_words(metric: str, interval: Interval, *, brief: bool = True) -> str:
    """Return a score; those without units have three decimals."""
    ends = (interval.estimate, interval.low, interval.high)
    if METRICS[metric].negligible is None or not all(map(math.isfinite, ends)):
        return interval_words(interval, brief=brief)
    estimate, low, high = (fixed(end) for end in ends)
    return estimate if brief else f"{estimate} ({low} to {high})"
