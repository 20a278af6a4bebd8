"""Targets as numbers: a row of responses for each row, whose means are profiles.

A class becomes 0/1 for each class (one number is enough for two classes), a number is centered and
scaled. So one formula serves both tasks: the mean over some rows is the frequency of each class, or
the mean response; the squared deviation is Gini's impurity, or the variance.
"""

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._validation import ClassTarget, NumberTarget, TrainingData

__all__ = [
    "MANY_CLASSES",
    "Mask",
    "Numbers",
    "Outcomes",
    "Whole",
    "explained_by_classes",
    "explained_share",
    "group_sums",
    "has_many_classes",
    "outcomes_of",
    "plain_responses",
    "responses_of",
    "scaled_numbers",
    "spread_out",
]

Numbers: TypeAlias = npt.NDArray[np.float64]
Whole: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
# What columns are related to: a row of numbers for each row, or very many classes by their index.
Outcomes: TypeAlias = Numbers | ClassTarget

# With more classes than this, a number for each row and class would be mostly zeros.
MANY_CLASSES = 64


def has_many_classes(target: ClassTarget | NumberTarget) -> bool:
    """Return whether rows are told by the index of their class, not by a number for each class."""
    return isinstance(target, ClassTarget) and target.n_classes > MANY_CLASSES


def outcomes_of(target: ClassTarget | NumberTarget) -> Outcomes:
    """Return the responses of rows, or the target itself when it has very many classes."""
    if isinstance(target, ClassTarget) and has_many_classes(target):
        return target
    return responses_of(target)


def responses_of(target: ClassTarget | NumberTarget) -> Numbers:
    """Return a row of numbers for each row of the target."""
    if isinstance(target, NumberTarget):
        values, _ = scaled_numbers(target.values)
        centered = values - values.mean()
        spread = math.sqrt(float((centered * centered).mean()))
        return np.asarray(centered / spread if spread > 0 else np.zeros_like(centered))[:, None]
    one_hot = np.zeros((len(target.class_of_row), target.n_classes))
    one_hot[np.arange(len(one_hot)), target.class_of_row] = 1.0
    if target.n_classes == 2:  # the other column is its complement; √2 keeps distances as they were
        return one_hot[:, 1:] * math.sqrt(2.0)
    return one_hot


def scaled_numbers(values: Numbers) -> tuple[Numbers, int]:
    """Return numbers divided by a power of two, none beyond ±1, and its exponent."""
    exponent = math.frexp(float(np.abs(values).max(initial=0.0)))[1]
    return np.ldexp(values, -exponent), exponent


def group_sums(group_of_row: Whole, n_groups: int, responses: Numbers) -> tuple[Numbers, Numbers]:
    """Return the rows in each group, and the sum of their responses."""
    counts = np.bincount(group_of_row, minlength=n_groups).astype(np.float64)
    sums = [np.bincount(group_of_row, column, minlength=n_groups) for column in responses.T]
    return counts, np.column_stack(sums)


def explained_by_classes(group_of_row: Whole, target: ClassTarget) -> float:
    """Return the share that ``explained_share`` gives for one 0/1 response for each class.

    With n_gc rows of class c in group g, B = Σ n_gc² / n_g − Σ n_c² / n and T = n − Σ n_c² / n.
    """
    n_rows = len(group_of_row)
    in_group = np.bincount(group_of_row).astype(np.float64)
    in_class = np.bincount(target.class_of_row).astype(np.float64)
    pairs, counts = np.unique(
        group_of_row * target.n_classes + target.class_of_row.astype(np.int64), return_counts=True
    )
    by_chance = float((in_class**2).sum()) / n_rows
    between = float((counts**2 / in_group[pairs // target.n_classes]).sum()) - by_chance
    return _beyond_chance(between, n_rows - by_chance, int((in_group > 0).sum()), n_rows)


def _beyond_chance(between: float, total: float, n_groups: int, n_rows: int) -> float:
    chance = (n_groups - 1) / max(n_rows - 1, 1)
    if total <= 0 or chance >= 1:
        return 0.0
    return min(1.0, max(0.0, (between / total - chance) / (1.0 - chance)))


def explained_share(group_of_row: Whole, n_groups: int, responses: Outcomes) -> float:
    """Return which share of the responses' variance groups explain, beyond what chance would.

    With B the variance between groups, T the total one, G groups and n rows, chance explains
    c = (G − 1) / (n − 1) of it; the share is max(0, (B / T − c) / (1 − c)).
    """
    if isinstance(responses, ClassTarget):
        return explained_by_classes(group_of_row, responses)
    counts, sums = group_sums(group_of_row, n_groups, responses)
    sums, counts = sums[counts > 0], counts[counts > 0]
    mean = responses.mean(axis=0)
    total = float(((responses - mean) ** 2).sum())
    between = float((counts[:, None] * (sums / counts[:, None] - mean) ** 2).sum())
    return _beyond_chance(between, total, len(counts), len(responses))


def spread_out(places: Whole, most: int) -> Whole:
    """Return at most ``most`` places, evenly spread: equal rows are adjacent in canonical order."""
    if len(places) <= most:
        return places
    return np.asarray(places[(np.arange(most) * len(places)) // most])


def plain_responses(whole: TrainingData, part: TrainingData) -> Numbers:
    """Return 0 or 1 for each class, or the numbers, scaled like those of ``whole``."""
    if isinstance(part.target, ClassTarget):
        return np.eye(part.target.n_classes)[part.target.class_of_row]
    values = whole.number_target.values
    exponent = math.frexp(float(np.abs(values).max()))[1]
    return np.ldexp(part.number_target.values, -exponent)[:, None]
