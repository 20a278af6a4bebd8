"""Simulated tables for ``boosting_defaults``: what the real sets have too little of.

Rare classes, yes/no and many-valued categories, wide and tiny tables, noise. Each function takes a
random generator and returns columns by name and a target: texts for classes, floats for numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["SIMULATED", "Simulated"]

Simulated = tuple[dict[str, Any], Any]
Generator = np.random.Generator


def _numbers(X: Any) -> dict[str, Any]:
    return {f"x{place}": X[:, place] for place in range(X.shape[1])}


def _classes(rng: Generator, log_odds: Any) -> Any:
    return np.where(rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds)), "b", "a")


def rare_class(rng: Generator) -> Simulated:
    """Return two classes, one of them of about five rows in a hundred."""
    X = rng.normal(size=(6000, 8))
    odds = -4.6 + 1.2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.8 * np.abs(X[:, 3])
    return _numbers(X), _classes(rng, odds)


def rare_classes(rng: Generator) -> Simulated:
    """Return seven classes, some of them rare."""
    X, weight = rng.normal(size=(2500, 10)), rng.normal(size=(10, 7))
    base = np.array([2.0, 1.5, 1.0, 0.0, -1.0, -2.0, -2.5])
    scores = 0.6 * X @ weight + base + np.sin(2 * X[:, :1]) * weight[0]
    noisy = scores + rng.gumbel(size=scores.shape)
    return _numbers(X), np.array([f"k{place}" for place in noisy.argmax(axis=1)])


def yes_and_no(rng: Generator) -> Simulated:
    """Return twenty yes/no columns of a small table."""
    is_yes = rng.random((800, 20)) < rng.uniform(0.2, 0.8, 20)
    both = is_yes[:, 0] ^ is_yes[:, 1]
    odds = (is_yes - 0.5) @ (0.7 * rng.normal(size=20)) + 1.5 * both - 0.7
    answers = np.where(is_yes, "yes", "no")
    return {f"q{place}": answers[:, place] for place in range(20)}, _classes(rng, odds)


def levels(n_rows: int, n_levels: int, spread: float, regression: bool) -> Any:
    """Return a simulation of a category of many levels with effects, beside one without."""

    def simulate(rng: Generator) -> Simulated:
        X, level = rng.normal(size=(n_rows, 5)), rng.integers(0, n_levels, n_rows)
        effect = spread * rng.normal(size=n_levels)
        score = effect[level] + X[:, 0] + 0.7 * np.sin(2 * X[:, 1]) + 0.5 * X[:, 2] * X[:, 3]
        table = _numbers(X)
        table["level"] = np.array([f"L{number}" for number in level])
        table["noise"] = np.array([f"N{number}" for number in rng.integers(0, n_levels, n_rows)])
        if regression:
            return table, score + rng.normal(size=n_rows)
        return table, _classes(rng, score)

    return simulate


def wide(rng: Generator) -> Simulated:
    """Return 100 rows of 1,500 columns."""
    X = rng.normal(size=(100, 1500))
    odds = 2 * (1.5 * X[:, 0] + X[:, 1] - X[:, 2] + X[:, 3] * X[:, 4])
    return _numbers(X), _classes(rng, odds)


def tiny_classes(rng: Generator) -> Simulated:
    """Return 60 rows of two classes."""
    X, is_in = rng.normal(size=(60, 6)), rng.random(60) < 0.5
    table = {**_numbers(X), "group": np.where(is_in, "m", "f")}
    return table, _classes(rng, 2 * X[:, 0] - 1.5 * X[:, 1] + is_in)


def tiny_numbers(rng: Generator) -> Simulated:
    """Return 50 rows of a number."""
    X = rng.normal(size=(50, 6))
    return _numbers(X), 2 * X[:, 0] + X[:, 1] ** 2 + rng.normal(size=50)


def noisy_classes(rng: Generator) -> Simulated:
    """Return two classes that are hard to predict."""
    X = rng.normal(size=(3000, 15))
    odds = 0.35 * X[:, 0] + 0.25 * X[:, 1] * X[:, 2] - 0.2 * np.abs(X[:, 3])
    return _numbers(X), _classes(rng, odds)


def noisy_numbers(rng: Generator) -> Simulated:
    """Return a number with heavy-tailed noise."""
    X = rng.normal(size=(2000, 12))
    mean = 0.5 * X[:, 0] + 0.4 * np.sin(2 * X[:, 1]) + 0.3 * X[:, 2] * X[:, 3]
    return _numbers(X), mean + 1.5 * rng.standard_t(5, size=2000)


def skewed_numbers(rng: Generator) -> Simulated:
    """Return amounts: positive, with a long tail."""
    X = rng.uniform(size=(3000, 6))
    return _numbers(X), np.exp(2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=3000))


def mixed_numbers(rng: Generator) -> Simulated:
    """Return 400 rows of numbers and categories of two and twelve levels."""
    a, b = rng.normal(size=400), rng.exponential(size=400)
    region, is_yes = rng.integers(0, 12, 400), rng.random(400) < 0.5
    effect = 2 * rng.normal(size=12)
    y = 2 * a + np.sqrt(b) + effect[region] + 1.5 * (is_yes & (a > 0)) + rng.normal(size=400)
    names = np.array([f"region {number}" for number in region])
    return {"a": a, "b": b, "region": names, "yes": np.where(is_yes, "y", "n")}, y


SIMULATED: dict[str, Callable[[Generator], Simulated]] = {
    "rare class": rare_class,
    "rare classes": rare_classes,
    "yes and no": yes_and_no,
    "50 levels": levels(3000, 50, 1.0, False),
    "2000 levels": levels(9000, 2000, 1.5, False),
    "300 levels (number)": levels(6000, 300, 1.0, True),
    "2000 levels (number)": levels(9000, 2000, 1.5, True),
    "wide": wide,
    "tiny": tiny_classes,
    "tiny (number)": tiny_numbers,
    "noisy": noisy_classes,
    "noisy (number)": noisy_numbers,
    "skewed (number)": skewed_numbers,
    "mixed (number)": mixed_numbers,
}
