"""The rounds of a recommended gradient boosting: how many, and why not more.

1. After each round the loss was measured on rows that took no part (``validation_loss_``).
2. The rounds of least loss were kept (``n_estimators_``). Where a fixed number was boosted there is
   no such curve; nor where rounds were added to earlier ones, as only some were then judged.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.ensemble import ThresholdClassifier
from branchline.report._blocks import Block, Grid, Picture, Words
from branchline.report._learner_of import learner_of
from branchline.report._words import number_words, plural
from branchline.report.charts import LineOfSteps, line_plot

__all__ = ["ValidatedRounds", "boosting_in", "rounds_blocks", "validated_rounds"]

_TITLE = "How many rounds are enough"
_MEASURES = {
    "log_loss": "mean log loss",
    "exponential": "mean exponential loss",
    "squared_error": "half the mean squared error",
    "absolute_error": "mean absolute error",
    "huber": "mean Huber loss",
    "quantile": "mean quantile loss",
    "poisson": "mean Poisson loss",
    "gamma": "mean gamma loss",
    "tweedie": "mean Tweedie loss",
}
_NO_SCORE = (
    "The number of rounds was chosen by this loss, so it is a little too good: the comparison "
    "shows how good the model is."
)
_ROUND_NUMBERS = (1, 2, 5)


@dataclass(frozen=True, eq=False)
class ValidatedRounds:
    """The loss after each round, on validation rows.

    Parameters
    ----------
    measure
        Which loss it was.
    losses
        The mean loss after each round.
    kept
        How many rounds the model has.
    """

    measure: str
    losses: npt.NDArray[np.float64]
    kept: int

    @property
    def is_cut_short(self) -> bool:
        """Whether the loss still fell when the rounds ended."""
        return self.kept == len(self.losses)

    def to_dict(self) -> dict[str, Any]:
        """Return the rounds as plain data."""
        losses = self.losses.tolist()
        return {"measure": self.measure, "kept": self.kept, "validation_loss": losses}


def boosting_in(model: Any) -> Any:
    """Return the gradient boosting that a model is, or whose threshold it chose; None: neither."""
    model = learner_of(model)
    inner = model.member_ if isinstance(model, ThresholdClassifier) else model
    inner = getattr(inner, "best_estimator_", inner)
    return inner if hasattr(inner, "attributions") else None


def validated_rounds(model: Any) -> ValidatedRounds | None:
    """Return the validation loss of a gradient boosting's rounds, if all of them have one."""
    boosting = boosting_in(model)
    losses = getattr(boosting, "validation_loss_", None)
    if losses is None or not np.isfinite(losses).all():
        return None
    kept, least = boosting.n_estimators_, losses.min()
    # After a warm start the curve has the added rounds only: the kept one need not be its lowest.
    is_whole = kept <= len(losses) and losses[kept - 1] <= least + boosting.tol * abs(least)
    if not is_whole:
        return None
    return ValidatedRounds(_measure(boosting.loss), losses, kept)


def _measure(loss: Any) -> str:
    return _MEASURES.get(loss, "mean loss") if isinstance(loss, str) else "mean loss"


def rounds_blocks(model: Any) -> list[Block]:
    """Return what a gradient boosting consists of, and the curve of its rounds."""
    boosting = boosting_in(model)
    if boosting is None:
        return []
    n_rounds, n_leaves = boosting.n_estimators_, boosting.complexity().count
    told = Words(
        f"It was boosted in {plural(n_rounds, 'round')}; its trees have "
        f"{plural(n_leaves, 'leaf')} in all: too many to be read one by one."
    )
    judged = validated_rounds(model)
    return [told] if judged is None else [told, _picture(judged)]


def _picture(judged: ValidatedRounds) -> Picture:
    words = _what_it_shows(judged)
    kept = f"{plural(judged.kept, 'round')} kept"
    shown = LineOfSteps(judged.losses, "rounds", judged.measure, judged.kept, kept)
    told = f"{_TITLE}. {words}"
    wide, narrow = (line_plot(shown, told, narrow=narrow) for narrow in (False, True))
    return Picture(_TITLE, wide, words, _numbers(judged), narrow)


def _what_it_shows(judged: ValidatedRounds) -> str:
    least, rounds = (
        number_words(float(judged.losses[judged.kept - 1])),
        plural(judged.kept, "round"),
    )
    measure = judged.measure[0].upper() + judged.measure[1:]
    begin = f"{measure} after each round, on rows that took no part in it: lower is better."
    end = f"After {rounds} it is {least}, and more rounds did not help."
    if judged.is_cut_short:
        end = f"It still fell when the {rounds} ended, at {least}: more rounds may do better."
    return f"{begin} {end} {_NO_SCORE}"


def _numbers(judged: ValidatedRounds) -> Grid:
    """Return the loss after a few rounds: 1, 2, 5, 10, …, the kept one and the last."""
    last = len(judged.losses)
    sizes = (by * 10**power for power in range(len(str(last))) for by in _ROUND_NUMBERS)
    rounds = sorted({*(size for size in sizes if size < last), judged.kept, last})
    rows = tuple((f"{one:,}", number_words(float(judged.losses[one - 1]))) for one in rounds)
    marked = frozenset([rounds.index(judged.kept)])
    return Grid(_TITLE, ("rounds", judged.measure), rows, 0, marked)
