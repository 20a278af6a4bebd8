"""Naive Bayes the slow way: fractions for sums, one row and one cell at a time."""

import math
from fractions import Fraction
from typing import Any

SMALLEST = 2**1074


def exact_sums(values: list[float], weights: list[int]) -> tuple[int, int]:
    """Return Σ w x in units of 2^−1074 and Σ w x² in units of 2^−2148; NaN does not count."""
    pairs = [(Fraction(x), w) for x, w in zip(values, weights, strict=True) if x == x]
    first = sum((w * x for x, w in pairs), Fraction(0)) * SMALLEST
    second = sum((w * x * x for x, w in pairs), Fraction(0)) * SMALLEST**2
    assert first.denominator == second.denominator == 1
    return int(first), int(second)


def mean_and_variance(values: list[float]) -> tuple[Fraction, Fraction]:
    """Return both, without rounding."""
    fractions = [Fraction(x) for x in values]
    mean = sum(fractions, Fraction(0)) / len(fractions)
    return mean, sum(((x - mean) ** 2 for x in fractions), Fraction(0)) / len(fractions)


def gaussian_scores(
    values: list[float], classes: list[int], n_classes: int, x: float, prior: float
) -> list[float]:
    """Return log p(x | class) of normal densities; ``prior`` rows of overall variance are added."""
    overall_mean, overall = mean_and_variance(values)
    found = []
    for kind in range(n_classes):
        own = [v for v, c in zip(values, classes, strict=True) if c == kind]
        mean, variance = mean_and_variance(own) if own else (overall_mean, overall)
        share = Fraction(len(own)) * variance + Fraction(prior) * overall
        variance = share / (len(own) + Fraction(prior))
        variance = max(variance, overall / 2**30)
        squared = float((Fraction(x) - mean) ** 2 / variance)
        found.append(-0.5 * squared - 0.5 * math.log(2 * math.pi * float(variance)))
    return found


def category_scores(
    cells: list[Any], classes: list[int], n_classes: int, cell: Any, alpha: float
) -> list[float]:
    """Return log p(cell | class) with ``alpha`` rows added to every category."""
    names = {name for name in cells if name is not None}
    if cell not in names or len(names) < 2:
        return [0.0] * n_classes
    found = []
    for kind in range(n_classes):
        own = [name for name, c in zip(cells, classes, strict=True) if c == kind]
        own = [name for name in own if name is not None]
        found.append(math.log((own.count(cell) + alpha) / (len(own) + alpha * len(names))))
    return found


def kernel_density(values: list[float], width: float, x: float) -> float:
    """Return the mean of Gaussian curves of ``width`` around the values."""
    curves = (math.exp(-0.5 * ((x - v) / width) ** 2) for v in values)
    return sum(curves) / (len(values) * width * math.sqrt(2 * math.pi))


def left_out_log_loss(counts: list[list[float]], m: float) -> float:
    """Return the log loss of rows' classes, each given its category and the counts of all others.

    Each class is given m rows of the shares that categories have of all rows.
    """
    total = sum(map(sum, counts))
    sizes = [sum(row[kind] for row in counts) for kind in range(len(counts[0]))]
    loss = 0.0
    for row in counts:
        share = sum(row) / total
        for kind, count in enumerate(row):
            if not count:
                continue
            left, fewer = list(row), list(sizes)
            left[kind], fewer[kind] = left[kind] - 1, fewer[kind] - 1
            joint = [
                size / total * (c + m * share) / (f + m)
                for size, c, f in zip(sizes, left, fewer, strict=True)
            ]
            loss -= count * math.log(joint[kind] / sum(joint))
    return loss
