"""How informative a row's answer would be, before it is known: a number for each candidate.

With p the probabilities of the classes of a row, sorted from the largest:

- uncertainty: 1 - p₁. The model doubts its best class.
- margin: 1 - (p₁ - p₂). The model hesitates between two classes.
- entropy: -Σ p log p.
- committee: how much the trees of a forest differ. Of classes: the entropy of their mean less the
  mean of their entropies; of numbers: their standard deviation.
- error_reduction: the fall of the expected error 1 - p₁ over other rows, once the row is labeled
  and the model fitted again; averaged over the classes that the row may have (Roy and McCallum,
  2001). Only the 30 rows of smallest margin are tried, and 200 rows measure them.
- random: no number; rows in a random order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline.active._fitting import Fitted, fit_on, fitted_forest, votes
from branchline.active._pool import Pool

__all__ = ["OF_CLASSES", "OF_NUMBERS", "STRATEGIES", "Question"]

_MOST_TRIED, _MOST_MEASURED = 30, 200


@dataclass(frozen=True)
class Question:
    """What a strategy may look at.

    Parameters
    ----------
    learner, fitted
        The learner, and it fitted on all labels but those of check rows.
    pool
        Rows and answers.
    rows
        The candidates.
    seed
        The seed of a committee.
    """

    learner: Any
    fitted: Fitted
    pool: Pool
    rows: Places
    seed: int

    def probabilities(self) -> Floats:
        """Return the probabilities of the candidates."""
        return self.fitted.probabilities(self.pool.table.rows(self.rows))


def _uncertainty(question: Question) -> Floats:
    return np.asarray(1.0 - question.probabilities().max(axis=1))


def _margin(question: Question) -> Floats:
    return margins(question.probabilities())


def margins(probabilities: Floats) -> Floats:
    """Return 1 less the distance of the two largest probabilities."""
    if probabilities.shape[1] < 2:
        return np.zeros(len(probabilities))
    two = np.partition(probabilities, -2, axis=1)[:, -2:]
    return np.asarray(1.0 - (two[:, 1] - two[:, 0]))


def _entropy(question: Question) -> Floats:
    return _entropies(question.probabilities())


def _entropies(probabilities: Floats) -> Floats:
    logs = np.log(np.where(probabilities > 0, probabilities, 1.0))
    return np.asarray(-(probabilities * logs).sum(axis=-1))


def _committee(question: Question) -> Floats:
    forest = fitted_forest(question.learner, question.fitted, question.pool, question.seed)
    each = votes(forest, question.pool.table.rows(question.rows))
    if question.fitted.classes is None:
        return np.asarray(each[:, :, 0].std(axis=0))
    return np.asarray(_entropies(each.mean(axis=0)) - _entropies(each).mean(axis=0))


def _error_reduction(question: Question) -> Floats:
    probabilities = question.probabilities()
    gain = np.full(len(probabilities), -np.inf)
    tried = np.argsort(-margins(probabilities), kind="stable")[:_MOST_TRIED]
    measured = question.pool.table.rows(question.pool.left[:_MOST_MEASURED])
    for at in tried:
        gain[at] = -_expected_error(question, int(question.rows[at]), probabilities[at], measured)
    return gain


def _expected_error(question: Question, row: int, probabilities: Floats, measured: Any) -> float:
    """Return the expected error of the model that also knows this row."""
    total, classes = 0.0, question.fitted.classes
    assert classes is not None
    for share, name in zip(probabilities, classes, strict=True):
        if share == 0:
            continue
        told = replace(question.pool, answers={**question.pool.answers, row: name})
        fitted = fit_on(question.learner, told, told.training, classes)
        total += share * float(np.mean(1.0 - fitted.probabilities(measured).max(axis=1)))
    return total


def _random(question: Question) -> Floats:
    """Candidates stand in a random order: the first is the best."""
    return -np.arange(len(question.rows), dtype=np.float64)


STRATEGIES: Mapping[str, Callable[[Question], Floats]] = {
    "uncertainty": _uncertainty,
    "margin": _margin,
    "entropy": _entropy,
    "committee": _committee,
    "error_reduction": _error_reduction,
    "random": _random,
}
OF_CLASSES = tuple(STRATEGIES)
OF_NUMBERS = ("committee", "random")
