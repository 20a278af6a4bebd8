"""Flip-flop, round by round: how a subset of categories is found for several classes.

Nádas, Nahamoo, Picheny and Powell (1991). A test x ∈ S should tell much about the class; trying
every subset S of k categories costs 2^(k−1).

1. Start with a subset S: the best cut of categories in order of the share of one class.
2. Given S, find the group G of classes that S tells most about: classes in order of their share in
   S, cut where H(side | group) is least.
3. Given G, a problem of two classes: categories in order of the share of G, cut where the impurity
   of the two sides (of all classes) is least. This is the new S.
4. Go on while the impurity falls.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import fixed
from branchline._result_frame import Library, result_frame
from branchline._validation import OneOf, check_parameters
from branchline.errors import DataError
from branchline.tree.reading._labels import join_names

__all__ = ["FlipFlopRound", "FlipFlopTrace", "flip_flop_trace"]

Floats = npt.NDArray[np.float64]
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class FlipFlopRound:
    """One round: the group of classes, the subset of categories, the impurity left, the gain."""

    classes: tuple[Any, ...]
    categories: tuple[Any, ...]
    impurity: float
    gain: float


@dataclass(frozen=True)
class FlipFlopTrace:
    """The rounds of flip-flop; the first one is the start."""

    rounds: tuple[FlipFlopRound, ...]

    def __str__(self) -> str:
        lines = ["round  impurity    gain  classes ⇄ categories"]
        for number, each in enumerate(self.rounds):
            classes = join_names([str(name) for name in each.classes])
            names = join_names([str(name) for name in each.categories])
            numbers = f"{fixed(each.impurity, 4):>8}  {fixed(each.gain, 4):>6}"
            lines.append(f"{number:5}  {numbers}  ({classes}) ⇄ ({names})")
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the rounds as plain data."""
        return {"rounds": [dict(vars(each)) for each in self.rounds]}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each round."""
        names = ("impurity", "gain")
        columns: dict[str, Any] = {n: [getattr(each, n) for each in self.rounds] for n in names}
        for name in ("classes", "categories"):
            columns[name] = [", ".join(map(str, getattr(each, name))) for each in self.rounds]
        return result_frame({"round": range(len(self.rounds)), **columns}, library)


def flip_flop_trace(x: Any, y: Any, *, criterion: str = "entropy") -> FlipFlopTrace:
    """Return the rounds of flip-flop on one column of categories.

    Parameters
    ----------
    x, y
        The category and the class of each row; rows with a missing value are left out.
    criterion
        The impurity of the two sides: "entropy" (default; in bits) or "gini".

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.

    Examples
    --------
    >>> from branchline.tree import flip_flop_trace
    >>> x, y = ["a", "a", "b", "c", "c", "d"], [1, 1, 2, 3, 3, 2]
    >>> round(flip_flop_trace(x, y).rounds[-1].gain, 4)
    0.9183
    """
    check_parameters(
        "flip_flop_trace", {"criterion": criterion}, {"criterion": OneOf(("entropy", "gini"))}
    )
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if not _is_missing(a) and not _is_missing(b)]
    categories = sorted({a for a, _ in pairs}, key=str)
    classes = sorted({b for _, b in pairs}, key=str)
    if len(categories) < 2 or len(classes) < 2:
        raise DataError(
            f"Flip-flop needs at least two categories and two classes. Got {len(categories)} and "
            f"{len(classes)}.",
            code="D562",
        )
    count = np.zeros((len(categories), len(classes)))
    for a, b in pairs:
        count[categories.index(a), classes.index(b)] += 1
    return FlipFlopTrace(tuple(_rounds(count, criterion, categories, classes)))


def _rounds(
    count: Floats, criterion: str, categories: list[Any], classes: list[Any]
) -> list[FlipFlopRound]:
    """Return the rounds that lead to the best subset, from every start."""
    before = _impurity(count.sum(axis=0), criterion)
    runs = [_run(count, criterion, np.arange(len(classes)) == c) for c in range(len(classes))]
    best = min(runs, key=lambda run: (run[-1][2], len(run)))
    return [
        FlipFlopRound(
            tuple(name for name, inside in zip(classes, group, strict=True) if inside),
            tuple(name for name, inside in zip(categories, left, strict=True) if inside),
            impurity,
            before - impurity,
        )
        for group, left, impurity in best
    ]


def _run(count: Floats, criterion: str, group: npt.NDArray[np.bool_]) -> list[Any]:
    left, impurity = _best_subset(count, group, criterion)
    run = [(group, left, impurity)]
    for _ in range(_MOST_ROUNDS):
        group = _best_group(count, left)
        left, impurity = _best_subset(count, group, criterion)
        if impurity >= run[-1][2] - 1e-12:
            break
        run.append((group, left, impurity))
    return run


def _best_subset(
    count: Floats, group: npt.NDArray[np.bool_], criterion: str
) -> tuple[npt.NDArray[np.bool_], float]:
    """Return the best cut of categories in order of the share of a group of classes."""
    share = count[:, group].sum(axis=1) / count.sum(axis=1)
    order = np.argsort(share, kind="stable")
    total, found = count.sum(), []
    for n_left in range(1, len(order)):
        sides = (count[order[:n_left]].sum(axis=0), count[order[n_left:]].sum(axis=0))
        found.append(sum(side.sum() / total * _impurity(side, criterion) for side in sides))
    n_left = 1 + int(np.argmin(found))
    left = np.zeros(len(order), dtype=bool)
    left[order[:n_left]] = True
    return left, float(found[n_left - 1])


def _best_group(count: Floats, left: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the classes, in order of their share on the left, that the side tells most about."""
    of_left, total = count[left].sum(axis=0), count.sum(axis=0)
    order = np.argsort(of_left / total, kind="stable")
    found = []
    for n_inside in range(1, len(order)):
        parts = (order[:n_inside], order[n_inside:])
        sides = [np.array([of_left[p].sum(), (total - of_left)[p].sum()]) for p in parts]
        found.append(sum(side.sum() * _impurity(side, "entropy") for side in sides))
    group = np.zeros(len(order), dtype=bool)
    group[order[: 1 + int(np.argmin(found))]] = True
    return group


def _impurity(count: Floats, criterion: str) -> float:
    p = count[count > 0] / count.sum()
    return float(1 - (p**2).sum()) if criterion == "gini" else float(-(p * np.log2(p)).sum())


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # NaN is not equal to itself
