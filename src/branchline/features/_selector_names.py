"""Selectors by name: "relief", "mutual_information:10", "forward:5", "shadow".

1. A name is a criterion of ``rank_columns`` (the best columns of that ranking are kept) or a way of
   searching ("minimum_redundancy", "elimination", "forward", …).
2. After a colon stands how many columns are kept: a number, a share ("25%" or "0.25") or "auto".
   Without it the number is "auto": chosen by inner folds.
3. Nothing heavy is imported here, so that a wrong name is refused at once.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from branchline.errors import ParameterError, Repair

__all__ = ["CRITERION_NAMES", "SELECTOR_NAMES", "NamedSelector", "check_selector_name"]

CRITERION_NAMES = (
    *("mutual_information", "gain", "gini", "gain_ratio", "chi_square"),
    *("correlation", "rank_correlation", "t", "f"),
    *("relief", "multisurf", "iterated_relief", "iterated_multisurf", "variance"),
)
# Ways of searching beside rankings: class, parameters, and whether a number can be asked for.
SEARCHES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "minimum_redundancy": ("MinimumRedundancy", {}, True),
    "markov_blanket": ("MarkovBlanketFilter", {}, False),
    "model": ("ModelSelector", {}, True),
    "elimination": ("RecursiveElimination", {}, True),
    "forward": ("SequentialSelector", {"direction": "forward"}, True),
    "backward": ("SequentialSelector", {"direction": "backward"}, True),
    "floating": ("SequentialSelector", {"direction": "floating"}, True),
    "genetic": ("GeneticSelector", {}, False),
    "shadow": ("ShadowSelector", {}, False),
}
SELECTOR_NAMES = (*CRITERION_NAMES, *SEARCHES)
_USUAL = "mutual_information"


@dataclass(frozen=True)
class NamedSelector:
    """A selector's name, and how many columns it keeps: "auto", a number or a share."""

    name: str
    n_columns: Any = "auto"

    @property
    def takes_number(self) -> bool:
        """Whether it can be told how many columns to keep."""
        return self.name in CRITERION_NAMES or SEARCHES[self.name][2]

    def __str__(self) -> str:
        return f"{self.name}:{self.n_columns}" if self.takes_number else self.name


def check_selector_name(words: str) -> NamedSelector:
    """Return what "relief:10" stands for; refuse unknown names and numbers.

    See Also
    --------
    check_selector : refuse what is neither the name of a selector nor a selector.
    make_selector : return an unfitted selector.

    Examples
    --------
    >>> from branchline.features import check_selector_name
    >>> check_selector_name("relief:10").n_columns
    10
    """
    name, colon, number = (part.strip() for part in words.partition(":"))
    if name not in SELECTOR_NAMES:
        near = get_close_matches(name, SELECTOR_NAMES, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        mended = f"{near[0] if near else _USUAL}{f':{number}' if number else ''}"
        raise ParameterError(
            f"There is no selector called {name!r}.{hint} Those known: "
            f"{', '.join(SELECTOR_NAMES)}. A number of columns may follow: {_USUAL}:10.",
            code="P620",
            values=[words],
            repair=Repair(f"select={mended!r}", f"--select {mended}"),
        )
    found = NamedSelector(name, _number(words, name, number if colon else "auto"))
    if colon and number != "auto" and not found.takes_number:
        raise ParameterError(
            f"The selector {name!r} decides itself how many columns it keeps; {words!r} asks for a "
            "number.",
            code="P621",
            values=[words],
            repair=Repair(f"select={name!r}", f"--select {name}"),
        )
    return found


def _number(words: str, name: str, text: str) -> Any:
    """Return how many columns a text asks for."""
    if text == "auto":
        return "auto"
    try:
        if text.endswith("%"):
            share = float(text.removesuffix("%")) / 100
        elif text.isdigit():
            share = int(text)
        else:
            share = float(text)
    except ValueError:
        share = 0.0
    if isinstance(share, int) and share >= 1:
        return share
    if isinstance(share, float) and 0.0 < share < 1.0:
        return share
    raise ParameterError(
        f"After the colon of {words!r} stands how many columns are kept: a whole number from 1 on, "
        "a share such as 25%, or auto.",
        code="P621",
        values=[words],
        repair=Repair(f"select='{name}:10'", f"--select {name}:10"),
    )
