"""How rows are split into training and test sets.

Every way is data: a kind and its numbers. ``_folds`` decides which rows go where: the same rows and
the same seed give the same sets in any order of rows, and copies of a row stay together.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._even_shares import leave_one_out
from branchline._folds import Fold, FoldRows, seed_of_repeat
from branchline._plain_numbers import count, percent
from branchline._validation import Constraint, Real, Whole, check_parameters
from branchline.assess._find_metric import nearest_name
from branchline.assess.comparing._choices import RESAMPLINGS
from branchline.assess.comparing._problem import Problem
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["Resampling", "Split"]

Places = npt.NDArray[np.intp]

# Ways of testing that a new shuffle does not change.
_ONCE = ("leave_one_out", "time_folds", "resubstitution")


@dataclass(frozen=True, eq=False)
class Split:
    """One training set and one test set, as places of rows.

    Parameters
    ----------
    test
        The rows to test on.
    repeat
        The number of the repeat.
    n_rows
        The number of rows of the table.
    given
        The rows to fit on, where these are not all others; None: all that are not tested. Leaving
        out each of n rows would otherwise take room for n² places.
    validation
        Rows of the training set on which choices are made before the model is fitted anew on all
        of it; None leaves that to inner folds.
    left_out
        Where ``given`` is None: rows that are neither fitted on nor tested.

    See Also
    --------
    Resampling : ``splits`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import Resampling, make_problem
    >>> problem = make_problem(load_dataset("iris"), "species")
    >>> split = Resampling(n_folds=5).splits(problem, seed=0)[0]
    >>> split.n_train, len(split.test)
    (118, 32)
    """

    test: Places
    repeat: int
    n_rows: int
    given: Places | None = None
    validation: Places | None = None
    left_out: Places | None = None

    def __repr__(self) -> str:
        train, test = count(self.n_train, "row"), count(len(self.test), "row")
        return f"Split({train} for training, {test} for testing)"

    @property
    def train(self) -> Places:
        """The rows to fit on."""
        if self.given is not None:
            return self.given
        is_other = np.ones(self.n_rows, dtype=bool)
        is_other[self.absent] = False
        return np.flatnonzero(is_other)

    @property
    def absent(self) -> Places:
        """Where ``given`` is None: the rows that are not fitted on, each once."""
        return self.test if self.left_out is None else np.concatenate([self.test, self.left_out])

    @property
    def n_train(self) -> int:
        """The number of rows to fit on."""
        if self.given is not None:
            return len(self.given)
        return self.n_rows - len(self.test) - (0 if self.left_out is None else len(self.left_out))


@dataclass(frozen=True)
class Resampling:
    """A way of splitting rows.

    Parameters
    ----------
    kind
        "folds" (default; every row is tested once per repeat), "leave_one_out" (each row is tested
        by itself, with its copies; a row of each other class is left out of its training set, too,
        so that shares of classes are the same in all of them), "hold_out" (a part is tested),
        "three_way" (a quarter is tested, another quarter chooses, then both are fitted on),
        "bootstrap" (as many rows as there are, drawn with replacement; those left out are tested),
        "group_folds" (groups are never split), "time_folds" (the past predicts the future) or
        "resubstitution" (a model is tested on its own training rows: too good, but the quickest
        look).
    n_folds
        The number of folds. Default 10.
    n_repeats
        The number of repeats with a new shuffle. Default 1.
    fraction
        The part that "hold_out" tests. Default 0.3.

    See Also
    --------
    Plan : what a comparison will do.
    Split : one training set and one test set, as places of rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import Resampling, make_problem
    >>> problem = make_problem(load_dataset("iris"), "species")
    >>> len(Resampling(n_folds=5, n_repeats=2).splits(problem, seed=0))
    10
    """

    kind: str = "folds"
    n_folds: int = 10
    n_repeats: int = 1
    fraction: float = 0.3

    def __post_init__(self) -> None:
        if self.kind not in RESAMPLINGS:
            near = nearest_name(self.kind, RESAMPLINGS)
            hint = f" Did you mean {near!r}?" if near else ""
            raise ParameterError(
                f"There is no way of resampling called {self.kind!r}.{hint} Those known: "
                f"{', '.join(RESAMPLINGS)}.",
                code="P101",
                values=[self.kind],
                repair=Repair(f"resampling={near or 'folds'!r}", f"--resampling {near or 'folds'}"),
            )
        values = {"n_folds": self.n_folds, "n_repeats": self.n_repeats, "fraction": self.fraction}
        limits: dict[str, Constraint] = {
            "n_folds": Whole(2),
            "n_repeats": Whole(1),
            "fraction": Real(0.0, 0.95, low_open=True),
        }
        check_parameters("Resampling", values, limits)

    def count(self, n_rows: int) -> int:
        """Return the number of splits."""
        once = {"leave_one_out": n_rows, "folds": self.n_folds, "group_folds": self.n_folds}
        if self.kind == "time_folds":
            return self.n_folds - 1
        return once.get(self.kind, 1) * (1 if self.kind in _ONCE else self.n_repeats)

    def test_to_train(self, n_rows: int) -> float:
        """Return rows of a test set divided by rows of its training set."""
        shares = {
            "leave_one_out": 1 / max(1, n_rows - 1),
            "hold_out": self.fraction / (1 - self.fraction),
            "three_way": 1 / 3,
            # Of n draws 1 − 1/e of the rows are different.
            "bootstrap": math.exp(-1) / (1 - math.exp(-1)),
            "resubstitution": 1.0,
        }
        return shares.get(self.kind, 1 / (self.n_folds - 1))

    def splits(self, problem: Problem, seed: int) -> list[Split]:
        """Return all splits of a problem's rows."""
        self.check(problem)
        repeats = 1 if self.kind in _ONCE else self.n_repeats
        splits = [
            split
            for repeat in range(repeats)
            for split in _SPLITS[self.kind](self, _Repeat(problem, seed, repeat))
        ]
        splits = [split for split in splits if len(split.test) and split.n_train]
        if not splits:
            raise _too_few_different(self, problem)
        return splits

    def check(self, problem: Problem) -> None:
        """Refuse a problem with too few rows or groups, or without a column that is needed."""
        _refuse_too_few(self, problem)

    def describe(self, n_rows: int) -> str:
        """Say in words how rows are split."""
        times = "" if self.n_repeats == 1 else f", {self.n_repeats} times"
        words = {
            "folds": f"{self.n_folds}-fold cross-validation{times}",
            "leave_one_out": f"leave-one-out, {n_rows:,} fits",
            "hold_out": f"{percent(self.fraction)} of the rows held out{times}",
            "three_way": f"50 % to learn, 25 % to choose, 25 % to test{times}",
            "bootstrap": f"bootstrap, rows left out are tested{times}",
            "group_folds": f"{self.n_folds} folds that keep groups together{times}",
            "time_folds": f"{self.n_folds} stretches of time, the past predicting the next",
            "resubstitution": "resubstitution (tested on the training rows: too good)",
        }
        return words[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return the resampling as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class _Repeat:
    """One repeat: its rows, without times, and its seed."""

    problem: Problem
    seed: int
    number: int

    @property
    def rows(self) -> FoldRows:
        return replace(self.problem.folds, times=None)

    @property
    def fold_seed(self) -> int:
        return seed_of_repeat(self.seed, self.number)

    def split(self, fold: Fold, validation: Places | None = None, *, is_one: bool = False) -> Split:
        learn, n_rows = fold.learn_rows, self.problem.n_rows
        test = self.problem.folds.by_content(fold.test_rows)
        if len(learn) + len(test) == n_rows:
            return Split(test, self.number, n_rows, None, validation)
        if not is_one:
            return Split(test, self.number, n_rows, learn, validation)
        left_out = np.setdiff1d(np.flatnonzero(fold.learn == 0), test)
        return Split(test, self.number, n_rows, left_out=left_out)

    def folds(self, n_folds: int) -> list[Fold]:
        return self.rows.split(n_folds, self.fold_seed)


def _folds(way: Resampling, repeat: _Repeat) -> list[Split]:
    return [repeat.split(fold) for fold in repeat.folds(way.n_folds)]


def _leave_one_out(way: Resampling, repeat: _Repeat) -> list[Split]:
    return [repeat.split(fold, is_one=True) for fold in leave_one_out(repeat.rows)]


def _hold_out(way: Resampling, repeat: _Repeat) -> list[Split]:
    fold = repeat.rows.hold_out(way.fraction, repeat.fold_seed)
    return [] if fold is None else [repeat.split(fold)]


def _three_way(way: Resampling, repeat: _Repeat) -> list[Split]:
    folds = repeat.folds(4)
    return [repeat.split(folds[-1], folds[-2].test_rows)] if len(folds) > 2 else []


def _bootstrap(way: Resampling, repeat: _Repeat) -> list[Split]:
    draws = np.random.default_rng([repeat.seed, repeat.number])
    drawn, left_out = repeat.rows.bootstrap(draws, repeat.fold_seed)
    left_out = repeat.rows.by_content(left_out)
    return [Split(left_out, repeat.number, repeat.problem.n_rows, drawn)]


def _resubstitution(way: Resampling, repeat: _Repeat) -> list[Split]:
    every = np.arange(repeat.problem.n_rows)
    return [Split(every, repeat.number, repeat.problem.n_rows, every)]


def _time_folds(way: Resampling, repeat: _Repeat) -> list[Split]:
    return [repeat.split(fold) for fold in repeat.problem.folds.split(way.n_folds)]


def _refuse_too_few(way: Resampling, problem: Problem) -> None:
    needed = dict.fromkeys(("folds", "group_folds", "time_folds"), way.n_folds) | {"three_way": 4}
    least = max(2, needed.get(way.kind, 2))
    if problem.n_rows < least:
        raise DataError(
            f"{way.describe(problem.n_rows)} needs {least} rows; there are {problem.n_rows}.",
            code="D090",
            repair=_fewer_folds(problem.n_rows),
        )
    for kind, rows, says, flag in (
        ("group_folds", problem.groups, "which rows belong together", "--group COLUMN"),
        ("time_folds", problem.times, "when each row happened", "--time-column COLUMN"),
    ):
        if way.kind == kind and rows is None:
            raise ParameterError(
                f"{way.kind!r} needs a column that says {says}.",
                code="P101",
                repair=Repair(flag=flag),
            )
    n_groups = 0 if problem.groups is None else len(np.unique(problem.groups))
    if way.kind == "group_folds" and n_groups < way.n_folds:
        raise DataError(
            f"{way.n_folds} folds need {way.n_folds} groups; there are {n_groups}.",
            code="D090",
            repair=Repair(flag=f"--folds {max(2, n_groups)}"),
        )


def _fewer_folds(n_rows: int) -> Repair:
    folds = max(2, min(10, n_rows))
    return Repair(f"compare(X, y, n_folds={folds})", f"--folds {folds}")


def _too_few_different(way: Resampling, problem: Problem) -> DataError:
    return DataError(
        f"{way.describe(problem.n_rows)}: the rows cannot be split, because equal rows stay "
        "together and there are too few different ones.",
        code="D090",
        repair=Repair("compare(X, y, resampling='folds', n_folds=2)", "--folds 2"),
    )


_SPLITS: dict[str, Callable[[Resampling, _Repeat], list[Split]]] = {
    "folds": _folds,
    "leave_one_out": _leave_one_out,
    "hold_out": _hold_out,
    "three_way": _three_way,
    "bootstrap": _bootstrap,
    "group_folds": _folds,
    "time_folds": _time_folds,
    "resubstitution": _resubstitution,
}
