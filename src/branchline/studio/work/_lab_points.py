"""Points for the lab: shapes of two classes in a square, and curves of one column with noise."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess.theory import KnownFunction
from branchline.errors import ParameterError

__all__ = ["CURVES", "SHAPES", "curve_of", "points_of"]

Floats = npt.NDArray[np.float64]


def _xor(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    X = rng.uniform(-0.9, 0.9, (n, 2))
    return X + 0.3 * noise * rng.normal(size=(n, 2)), (X[:, 0] * X[:, 1] > 0).astype(int)


def _circles(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    y = np.arange(n) % 2
    radius, angle = 0.35 + 0.45 * y, rng.uniform(0, 2 * np.pi, n)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    return X + 0.3 * noise * rng.normal(size=(n, 2)), y


def _checkerboard(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    X = rng.uniform(-0.95, 0.95, (n, 2))
    y = np.floor(2 * (X + 1)).sum(axis=1).astype(int) % 2
    return X + 0.2 * noise * rng.normal(size=(n, 2)), y


def _moons(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    y = np.arange(n) % 2
    angle = rng.uniform(0, np.pi, n)
    upper = np.c_[np.cos(angle) - 0.5, np.sin(angle) - 0.25]
    lower = np.c_[0.5 - np.cos(angle), 0.25 - np.sin(angle)]
    X: Floats = lower + (upper - lower) * (y[:, None] == 0)
    X = 0.62 * X
    return X + 0.4 * noise * rng.normal(size=(n, 2)), y


def _overlap(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    y = np.arange(n) % 2
    center = np.where(y[:, None] == 0, -0.22, 0.22)
    return center + (0.2 + noise) * rng.normal(size=(n, 2)), y


def _three(n: int, rng: np.random.Generator, noise: float) -> tuple[Floats, Any]:
    y = np.arange(n) % 3
    angle = np.pi / 2 + 2 * np.pi * y / 3
    center = 0.5 * np.c_[np.cos(angle), np.sin(angle)]
    return center + (0.12 + noise) * rng.normal(size=(n, 2)), y


SHAPES = {
    "xor": _xor,
    "circles": _circles,
    "checkerboard": _checkerboard,
    "moons": _moons,
    "overlap": _overlap,
    "three": _three,
}

# Curves over −1 to 1.
CURVES: dict[str, Any] = {
    "sine": lambda X: 0.6 * np.sin(3.0 * np.asarray(X, dtype=np.float64)[:, 0]),
    "steps": lambda X: 0.5 * np.sign(np.sin(5.0 * np.asarray(X, dtype=np.float64)[:, 0])),
    "line": lambda X: 0.6 * np.asarray(X, dtype=np.float64)[:, 0],
    "noise": lambda X: np.zeros(len(X)),
}


def curve_of(name: str, noise: float) -> KnownFunction:
    """Return a curve as a problem whose truth is known."""
    if name not in CURVES:
        raise ParameterError(f"There is no curve {name!r}.", code="P960", values=list(CURVES))
    inputs = lambda n, rng: rng.uniform(-1, 1, size=(n, 1))  # noqa: E731 (as KnownFunction takes it)
    return KnownFunction(inputs, CURVES[name], noise**2)


def points_of(shape: str, n: int, seed: int, noise: float) -> tuple[Floats, Any]:
    """Return points of a shape or a curve, and their classes or heights."""
    if shape in CURVES:
        X, y = curve_of(shape, noise).draw(n, seed)
        return X, y
    if shape not in SHAPES:
        raise ParameterError(f"There is no shape {shape!r}.", code="P960", values=list(SHAPES))
    X, y = SHAPES[shape](n, np.random.default_rng(seed), noise)
    return np.clip(X, -1, 1), y
