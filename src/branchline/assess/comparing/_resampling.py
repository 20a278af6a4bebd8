"""How rows are dealt to training and test sets.

Every way is data: a kind and its numbers. The same rows and the same seed give the same sets in
whatever order the rows come: rows are dealt by a hash of their content.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count, percent
from branchline._row_keys import scramble
from branchline._validation import Constraint, Real, Whole, check_parameters
from branchline.assess.comparing._problem import Problem
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["KINDS", "Resampling", "Split"]

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """One training set and one test set, as places of rows.

    ``validation`` are rows of the training set on which choices are made before the model is
    fitted anew on all of it; None leaves that to inner folds.
    """

    train: Places
    test: Places
    repeat: int
    validation: Places | None = None

    def __repr__(self) -> str:
        train, test = (count(len(places), "row") for places in (self.train, self.test))
        return f"Split({train} for training, {test} for testing)"


@dataclass(frozen=True)
class Resampling:
    """A way of dealing rows.

    Parameters
    ----------
    kind
        "folds" (every row is tested once a repeat), "leave-one-out", "hold-out" (a part is tested),
        "three-way" (a quarter is tested, another quarter chooses, then both are fitted on),
        "bootstrap" (as many rows as there are, drawn with replacement; those left out are tested),
        "group-folds" (groups are never parted) or "time-folds" (always the past predicts the
        future).
    folds
        The number of folds.
    repeats
        How often everything is dealt anew.
    fraction
        The part that "hold-out" tests.
    """

    kind: str = "folds"
    folds: int = 10
    repeats: int = 1
    fraction: float = 0.3

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(
                f"There is no way of resampling called {self.kind!r}. Those there are: "
                f"{', '.join(KINDS)}.",
                code="P101",
                values=[self.kind],
                repair=Repair("resampling = 'folds'"),
            )
        values = {"folds": self.folds, "repeats": self.repeats, "fraction": self.fraction}
        limits: dict[str, Constraint] = {
            "folds": Whole(2),
            "repeats": Whole(1),
            "fraction": Real(0.0, 0.95, low_open=True),
        }
        check_parameters("Resampling", values, limits)

    def count(self, n_rows: int) -> int:
        """Return the number of splits."""
        once = {"leave-one-out": n_rows, "folds": self.folds, "group-folds": self.folds}
        if self.kind == "time-folds":
            return self.folds - 1
        return once.get(self.kind, 1) * (1 if self.kind == "leave-one-out" else self.repeats)

    def test_to_train(self, n_rows: int) -> float:
        """Return rows of a test set divided by rows of its training set."""
        shares = {
            "leave-one-out": 1 / max(1, n_rows - 1),
            "hold-out": self.fraction / (1 - self.fraction),
            "three-way": 1 / 3,
            # Of n draws 1 − 1/e of the rows are different.
            "bootstrap": math.exp(-1) / (1 - math.exp(-1)),
        }
        return shares.get(self.kind, 1 / (self.folds - 1))

    def splits(self, problem: Problem, seed: int) -> list[Split]:
        """Return all splits of a problem's rows."""
        _refuse_too_few(self, problem)
        repeats = 1 if self.kind in {"leave-one-out", "time-folds"} else self.repeats
        dealt = [
            split
            for repeat in range(repeats)
            for split in KINDS[self.kind](self, problem, _Deck(problem, seed, repeat))
        ]
        return [split for split in dealt if len(split.test)]

    def describe(self, n_rows: int) -> str:
        """Say in words how rows are dealt."""
        times = "" if self.repeats == 1 else f", {self.repeats} times"
        words = {
            "folds": f"{self.folds}-fold cross-validation{times}",
            "leave-one-out": f"leave-one-out ({n_rows} fits)",
            "hold-out": f"{percent(self.fraction)} of the rows held out{times}",
            "three-way": f"50 % to learn, 25 % to choose, 25 % to test{times}",
            "bootstrap": f"bootstrap, rows left out are tested{times}",
            "group-folds": f"{self.folds} folds that keep groups together{times}",
            "time-folds": f"{self.folds} stretches of time, the past predicting the next",
        }
        return words[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return the resampling as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class _Deck:
    """The rows in the order in which one repeat deals them: class by class, by a keyed hash."""

    problem: Problem
    seed: int
    repeat: int

    @property
    def keys(self) -> npt.NDArray[np.uint64]:
        salt = scramble(np.array([self.seed], dtype=np.uint64)) + np.uint64(self.repeat)
        return scramble(self.problem.row_keys ^ scramble(salt))

    @property
    def order(self) -> Places:
        keys = self.keys
        if self.problem.classes is None:
            return np.lexsort((keys,))
        return np.lexsort((keys, self.problem.places))

    def parted(self, held: npt.NDArray[np.bool_]) -> Split:
        return Split(np.flatnonzero(~held), np.flatnonzero(held), self.repeat)

    def every(self, share: float, offset: float = 0.5) -> npt.NDArray[np.bool_]:
        """Mark a share of the rows, spread evenly over the classes."""
        n_rows = self.problem.n_rows
        steps = np.floor((np.arange(n_rows) + offset) * share)
        marked = np.zeros(n_rows, dtype=bool)
        marked[self.order] = np.diff(np.append(steps, math.floor((n_rows + offset) * share))) > 0
        return marked


def _folds(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    fold = np.empty(problem.n_rows, dtype=np.intp)
    fold[deck.order] = np.arange(problem.n_rows) % way.folds
    return [deck.parted(fold == number) for number in range(way.folds)]


def _leave_one_out(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    every = np.arange(problem.n_rows)
    return [Split(np.delete(every, row), every[row : row + 1], 0) for row in every]


def _hold_out(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    return [deck.parted(deck.every(way.fraction))]


def _three_way(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    quarter = np.empty(problem.n_rows, dtype=np.intp)
    quarter[deck.order] = np.arange(problem.n_rows) % 4
    train = np.flatnonzero(quarter != 3)
    validation = np.flatnonzero(quarter == 2)
    return [Split(train, np.flatnonzero(quarter == 3), deck.repeat, validation)]


def _bootstrap(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    order = np.lexsort((deck.keys,))
    draws = np.random.default_rng([deck.seed, deck.repeat]).integers(0, problem.n_rows, len(order))
    drawn = np.sort(order[draws])
    return [Split(drawn, np.setdiff1d(np.arange(problem.n_rows), drawn), deck.repeat)]


def _group_folds(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    """Deal groups, the largest first, each to the fold that has the fewest rows."""
    assert problem.groups is not None
    names, group_of_row, sizes = np.unique(problem.groups, return_inverse=True, return_counts=True)
    mixed = np.random.default_rng([deck.seed, deck.repeat]).permutation(len(names))
    load, fold_of_group = np.zeros(way.folds), np.empty(len(names), dtype=np.intp)
    for group in mixed[np.argsort(-sizes[mixed], kind="stable")]:
        fold_of_group[group] = np.argmin(load)
        load[fold_of_group[group]] += sizes[group]
    fold = fold_of_group[group_of_row]
    return [deck.parted(fold == number) for number in range(way.folds)]


def _time_folds(way: Resampling, problem: Problem, deck: _Deck) -> list[Split]:
    """Cut time into stretches of about equal numbers of rows; moments are never parted."""
    assert problem.times is not None
    _, at = np.unique(problem.times, return_inverse=True)
    before = np.concatenate([[0], np.cumsum(np.bincount(at))[:-1]])
    stretch = (before * way.folds // problem.n_rows)[at]
    found = [
        Split(np.flatnonzero(stretch < number), np.flatnonzero(stretch == number), 0)
        for number in range(1, way.folds)
    ]
    return [split for split in found if len(split.train)]


def _refuse_too_few(way: Resampling, problem: Problem) -> None:
    needed = {"folds": way.folds, "group-folds": way.folds, "time-folds": way.folds, "three-way": 4}
    least = max(2, needed.get(way.kind, 2))
    if problem.n_rows < least:
        raise DataError(
            f"{way.describe(problem.n_rows)} needs {least} rows; there are {problem.n_rows}.",
            code="D090",
            repair=Repair(flag="--folds 2"),
        )
    for kind, rows, says, flag in (
        ("group-folds", problem.groups, "which rows belong together", "--group COLUMN"),
        ("time-folds", problem.times, "when each row happened", "--time-column COLUMN"),
    ):
        if way.kind == kind and rows is None:
            raise ParameterError(
                f"{way.kind!r} needs a column that says {says}.",
                code="P101",
                repair=Repair(flag=flag),
            )
    n_groups = 0 if problem.groups is None else len(np.unique(problem.groups))
    if way.kind == "group-folds" and n_groups < way.folds:
        raise DataError(
            f"{way.folds} folds need {way.folds} groups; there are {n_groups}.",
            code="D090",
            repair=Repair(flag=f"--folds {max(2, n_groups)}"),
        )


KINDS: dict[str, Callable[[Resampling, Problem, _Deck], list[Split]]] = {
    "folds": _folds,
    "leave-one-out": _leave_one_out,
    "hold-out": _hold_out,
    "three-way": _three_way,
    "bootstrap": _bootstrap,
    "group-folds": _group_folds,
    "time-folds": _time_folds,
}
