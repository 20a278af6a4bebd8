"""How strongly to penalize: C chosen by cross-validation.

1. Folds are those of ``_folds``. From 20 000 rows on, a part of them is used: C is the variance of
   the weights before any row is seen, so the best one does not grow with the number of rows.
2. C goes from strong penalties to weak ones in powers of ten; each fold starts from where it
   was. The walk ends when the loss has risen for two steps in a row.
3. The C of least mean log loss is taken, or with rule="one_se" the smallest C whose loss is
   within one standard error of the least.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._dtypes import UNITS
from branchline._one_thread import one_thread
from branchline._state import array_from_state, malformed
from branchline.linear._logistic_solver import SoftmaxProblem
from branchline.linear._strength_folds import ScoredFolds, folds_to_score

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["StrengthPath", "choose_strength"]

_STRENGTHS = 10.0 ** np.arange(-4, 5)
_MOST_ROWS = 20_000
_RISES = 2
_DEFAULT = 1.0
# Losses that differ by less are the same: the last bits depend on how BLAS adds.
_SAME = 1e-6


@dataclass(frozen=True, eq=False)
class StrengthPath(Drawable):
    """What cross-validation found for each C that was tried, the strongest penalty first.

    Parameters
    ----------
    strengths
        The values of C.
    losses
        The mean log loss over the held-out rows.
    errors
        Its standard error over the folds.
    """

    strengths: Floats
    losses: Floats
    errors: Floats

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_choice

        taken = self.best(0.0)
        return draw_choice(
            self.strengths, self.losses, self.errors, chosen=taken, name="C", measure="log loss"
        )

    def best(self, n_errors: float) -> float:
        """Return the smallest C whose loss is within ``n_errors`` standard errors of the least."""
        if len(self.strengths) == 0:
            return _DEFAULT
        least = int(np.argmin(self.losses))
        limit = self.losses[least] * (1 + _SAME)
        limit = max(limit, self.losses[least] + n_errors * self.errors[least])
        return float(self.strengths[np.argmax(self.losses <= limit)])

    def pack(self) -> Mapping[str, Any]:
        """Return the path as plain values."""
        return {"strengths": self.strengths, "losses": self.losses, "errors": self.errors}

    @staticmethod
    def unpack(state: Any) -> "StrengthPath":
        """Check packed values and return the path."""
        if not isinstance(state, dict) or set(state) != {"strengths", "losses", "errors"}:
            raise malformed("a path of strengths lacks a part, or has one too many")
        number = np.dtype(np.float64)
        strengths = array_from_state(state, "strengths", number)
        losses = array_from_state(state, "losses", number, length=len(strengths))
        errors = array_from_state(state, "errors", number, length=len(strengths))
        if not all(np.isfinite(part).all() and (part >= 0).all() for part in state.values()):
            raise malformed("a path of strengths has values out of range")
        return StrengthPath(strengths, losses, errors)


@one_thread
def choose_strength(problem: SoftmaxProblem, solver: str, n_folds: int) -> StrengthPath:
    """Return the losses of the values of C that were tried."""
    folds = _split(problem, solver, n_folds)
    tried: list[tuple[float, float, float]] = []
    for strength in _STRENGTHS if folds else ():
        tried.append((float(strength), *_loss(folds, float(strength))))
        losses = [loss for _, loss, _ in tried]
        if np.argmin(losses) < len(losses) - _RISES:
            break
    columns = np.array(tried, dtype=np.float64).reshape(-1, 3).T
    return StrengthPath(*(np.ascontiguousarray(column) for column in columns))


def _split(problem: SoftmaxProblem, solver: str, n_folds: int) -> list[ScoredFolds]:
    step = -(-problem.shape[0] // _MOST_ROWS)
    used = np.zeros(problem.shape[0], dtype=UNITS)
    used[::step] = 1  # rows stand in an order that depends on nothing but their content
    assert problem.folds is not None
    return folds_to_score(problem, solver, problem.folds.split(n_folds), used)


def _loss(folds: list[ScoredFolds], strength: float) -> tuple[float, float]:
    """Return the mean loss over all held-out rows and its standard error over folds."""
    total = np.concatenate([fold.total for fold in folds])
    summed = np.concatenate([fold.losses(strength) for fold in folds])
    mean = summed.sum() / total.sum()
    if len(total) == 1:
        return float(mean), 0.0
    spread = np.sqrt(total @ (summed / total - mean) ** 2 / total.sum())
    return float(mean), float(spread / np.sqrt(len(total) - 1))
