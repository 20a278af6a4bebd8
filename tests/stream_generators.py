"""Streams of the literature, simulated: Agrawal, SEA, LED, random radial basis functions."""

from typing import Any

import numpy as np
import pandas as pd


def agrawal(function: int, n_rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Return loans and whether they are granted (functions 0, 1, 2 and 4 of Agrawal 1993)."""
    rng = np.random.default_rng(seed)
    salary = 20_000 + 130_000 * rng.random(n_rows)
    frame = pd.DataFrame(
        {
            "salary": salary,
            "commission": np.where(salary >= 75_000, 0, 10_000 + 75_000 * rng.random(n_rows)),
            "age": rng.integers(20, 81, n_rows),
            "elevel": rng.integers(0, 5, n_rows),
            "car": rng.integers(1, 21, n_rows),
            "zipcode": rng.integers(0, 9, n_rows),
            "hyears": rng.integers(1, 31, n_rows),
            "loan": 500_000 * rng.random(n_rows),
        }
    )
    frame["hvalue"] = (8 - frame["zipcode"]) * 100_000 * (0.5 + rng.random(n_rows))
    return frame, _RULES[function](frame).astype(int).to_numpy()


def _of_age(frame: pd.DataFrame, young: Any, middle: Any, old: Any) -> pd.Series:
    chosen = np.where(frame.age < 40, young, np.where(frame.age < 60, middle, old))
    return pd.Series(chosen.astype(bool))


def _function_1(f: pd.DataFrame) -> pd.Series:
    ends = [(50_000, 100_000), (75_000, 125_000), (25_000, 75_000)]
    return _of_age(f, *(f.salary.between(low, high) for low, high in ends))


def _function_4(f: pd.DataFrame) -> pd.Series:
    inside = [f.salary.between(50_000, 100_000), f.salary.between(75_000, 125_000)]
    return _of_age(
        f,
        np.where(inside[0], f.loan.between(100_000, 300_000), f.salary >= 200_000),
        np.where(inside[1], (f.salary >= 200_000) & (f.loan <= 400_000), f.salary >= 300_000),
        np.where(
            f.salary.between(25_000, 75_000),
            f.loan.between(300_000, 500_000),
            f.loan.between(75_000, 300_000),
        ),
    )


_RULES: dict[int, Any] = {
    0: lambda f: (f.age < 40) | (f.age >= 60),
    1: _function_1,
    2: lambda f: _of_age(f, f.elevel <= 1, f.elevel.between(1, 3), f.elevel >= 2),
    4: _function_4,
}


def sea(n_rows: int, seed: int, threshold: float = 8.0, noise: float = 0.1) -> tuple[Any, Any]:
    """Return three numbers, of which the first two decide (Street and Kim 2001)."""
    rng = np.random.default_rng(seed)
    matrix = 10 * rng.random((n_rows, 3))
    y = (matrix[:, 0] + matrix[:, 1] > threshold).astype(int)
    return matrix, np.where(rng.random(n_rows) < noise, 1 - y, y)


_DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010"]
_DIGITS += ["1111111", "1111011"]


def led(n_rows: int, seed: int, noise: float = 0.1) -> tuple[Any, Any]:
    """Return the seven lights of a digit, each wrong with some probability (Breiman 1984)."""
    rng = np.random.default_rng(seed)
    lights = np.array([[int(light) for light in digit] for digit in _DIGITS])
    y = rng.integers(0, 10, n_rows)
    flipped = rng.random((n_rows, 7)) < noise
    return np.where(flipped, 1 - lights[y], lights[y]).astype(float), y


def random_rbf(n_rows: int, seed: int, n_classes: int = 4, n_centers: int = 50) -> tuple[Any, Any]:
    """Return rows around weighted random centers, each of a class."""
    rng = np.random.default_rng(seed)
    centers, spreads = rng.random((n_centers, 10)), rng.random(n_centers)
    weights, classes = rng.random(n_centers), rng.integers(0, n_classes, n_centers)
    which = rng.choice(n_centers, n_rows, p=weights / weights.sum())
    away = 2 * rng.random((n_rows, 10)) - 1
    away *= (spreads[which] * rng.normal(size=n_rows) / np.linalg.norm(away, axis=1))[:, None]
    return centers[which] + away, classes[which]
