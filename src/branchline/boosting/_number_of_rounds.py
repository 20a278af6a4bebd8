"""How many rounds: those after which rows that take no part in learning have the least loss.

1. Split the rows into three folds (tables of 2 500 rows or more: two folds of four; 10 000 rows:
   one of ten), and boost the models of all folds in step; a round grows the trees of all of them in
   one call.
2. After each round take the mean loss of the rows that a model has not learned from.
3. Now and then compare the loss of 16 groups of these rows with the last time. Stop when it has
   not fallen by more than its standard error: further rounds would cost more than they tell.
4. The model is then fitted to all rows with the number of rounds that had the least loss.

A round of the search takes at most about twice as long as a round of the final fit, and rounds are
compared at intervals of a fifth: so the search takes at most about three times the final fit.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from branchline._row_keys import scramble
from branchline.boosting._gradient_boosting_problem import BoostingProblem
from branchline.boosting._loss_interface import Loss, Units
from branchline.boosting._rounds import Rounds

__all__ = ["Clock", "StoppingRule", "best_number_of_rounds"]

# Tables of fewer rows: how many folds are used, of how many.
_FOLDS = {2_500.0: (3, 3), 10_000.0: (2, 4), math.inf: (1, 10)}
_N_GROUPS = 16
_SECONDS_A_CALL = 0.1
_FIRST_LOOK = 10  # rounds before the loss is first compared
_LOOK_EVERY = 8  # rounds at least from one look to the next
_LOOK_AFTER = 1.2  # and by this factor more


@dataclass
class Clock:
    """A time budget; None: no limit.

    Parameters
    ----------
    budget
        Seconds.
    begin
        When they began.
    """

    budget: float | None
    begin: float = field(default_factory=time.monotonic)

    def is_over(self, n_more: float, n_done: int, begin: float) -> bool:
        """Whether most of a further round would lie beyond the budget.

        Parameters
        ----------
        n_more
            The number of rounds that must still fit into the budget.
        n_done, begin
            How many rounds were made since when: what a round takes.
        """
        if self.budget is None:
            return False
        now = time.monotonic()
        return now - self.begin + (n_more - 0.5) * (now - begin) / n_done >= self.budget


@dataclass
class StoppingRule:
    """Losses on validation rows, round after round, and when to stop.

    Parameters
    ----------
    patience
        The number of rounds without a loss lower by ``tol`` after which to stop.
    tol
        The least relative progress.
    losses
        The mean loss after each round.
    """

    patience: int
    tol: float
    losses: list[float] = field(default_factory=list)

    def add(self, loss: float) -> None:
        """Take down the loss of one more round."""
        self.losses.append(loss)

    @property
    def best_round(self) -> int:
        """After how many rounds the loss was least (within ``tol``, the first)."""
        losses = np.array(self.losses)
        least = losses.min()
        return int(np.flatnonzero(losses <= least + self.tol * abs(least))[0]) + 1

    @property
    def has_ended(self) -> bool:
        """Whether there was no progress for ``patience`` rounds."""
        n_done = len(self.losses)
        return n_done > self.patience and n_done - self.best_round >= self.patience


class _Falling:
    """Whether the loss of validation rows still falls by more than its standard error."""

    def __init__(self, rounds: Rounds, inside: Units, loss: Loss) -> None:
        self.rounds, self.inside, self.loss = rounds, inside, loss
        keys = scramble(rounds.problem.rows.keys ^ np.uint64(0x6A09E667F3BCC908))
        group_of_row = np.tile(keys % np.uint64(_N_GROUPS), rounds.n_models)
        self.group_of_row = group_of_row
        self.groups = np.unique(group_of_row[inside > 0])
        self.before: npt.NDArray[np.float64] | None = None
        self.next_look = _FIRST_LOOK

    @property
    def n_to_look(self) -> int:
        """The number of rounds until the next look."""
        return max(1, self.next_look - self.rounds.n_done)

    def has_ended(self) -> bool:
        """Whether it has not fallen since the last look; False where it is not time to look."""
        n_done = self.rounds.n_done
        if n_done < self.next_look or len(self.groups) < 2:
            return False
        now = np.array([self._loss_of(group) for group in self.groups])
        before, self.before = self.before, now
        self.next_look = max(n_done + _LOOK_EVERY, math.ceil(_LOOK_AFTER * n_done))
        if before is None:
            return False
        fall = before - now
        return bool(fall.mean() <= fall.std(ddof=1) / np.sqrt(len(fall)))

    def _loss_of(self, group: np.uint64) -> float:
        units = np.where(self.group_of_row == group, self.inside, 0)
        return self.rounds.loss_of(units, self.loss)


def best_number_of_rounds(
    problem: BoostingProblem,
    stopping: StoppingRule,
    clock: Clock,
    most: int,
    tell: Callable[[], None],
) -> int:
    """Return the number of rounds after which rows that take no part have the least loss.

    Parameters
    ----------
    problem
        What is learned.
    stopping, clock, most
        When to stop at the latest.
    tell
        Called after each round.
    """
    folds = _folds(problem)
    if not folds:
        return 1
    outside = np.stack([learned for learned, _ in folds])
    inside = np.concatenate([tested for _, tested in folds])
    rounds = Rounds(problem, outside, keeps_trees=False)
    loss = rounds.loss_of_next_round()
    falling = _Falling(rounds, inside, loss)
    # A round of the final fit in rounds of the search.
    share = float(problem.all_units.sum() / outside.sum())
    begin = time.monotonic()
    while len(stopping.losses) < most:
        n_more = min(falling.n_to_look, most - len(stopping.losses))
        n_more, seconds = (n_more, _SECONDS_A_CALL) if clock.budget is None else (1, 0.0)
        for round_loss in rounds.run_measured(n_more, seconds, inside, loss):
            stopping.add(round_loss)
            tell()
            if stopping.has_ended:
                return stopping.best_round
        if falling.has_ended():
            break
        n_final = share * stopping.best_round
        if clock.is_over(1 + n_final, rounds.n_done, begin):
            break
    return stopping.best_round


def _folds(problem: BoostingProblem) -> list[tuple[Units, Units]]:
    """Return what rows count in learning and in validation, for each fold."""
    sizes = problem.draws.sizes
    n_rows = problem.data.table.n_rows if sizes is None else int(sizes.sum())
    n_folds, n_parts = next(folds for below, folds in _FOLDS.items() if n_rows < below)
    folds = [problem.fold_units(fold, n_parts) for fold in range(n_folds)]
    return [(outside, inside) for outside, inside in folds if outside.any() and inside.any()]
