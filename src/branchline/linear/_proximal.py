"""Proximal gradient descent, which finishes what saga leaves unfinished on unevenly weighted rows.

Accelerated steps with restarts (Beck and Teboulle, 2009; O'Donoghue and Candès, 2015) on the mean
loss f plus the penalty λ [ρ ‖W‖₁ + (1 − ρ)/2 ‖W‖²]:

1. W ← S(V − ∇f(V) / L) for the soft threshold S, where L bounds the curvature of f.
2. V ← W + β (W − last W), β growing; where V overshoots (its step points back), β starts anew.
3. It ends when the largest step, times L, is below what is asked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from branchline._arrays import Floats

__all__ = ["descend", "largest_curvature"]


def descend(
    start: Floats,
    gradient: Callable[[Floats], Floats],
    curvature: float,
    corner: Floats,
    closeness: float,
    max_iter: int,
) -> tuple[Floats, int]:
    """Return the least point near ``start`` and the steps taken; ``corner`` is λρ of each entry."""
    point = ahead = start
    momentum = 1.0
    for step in range(1, max_iter + 1):
        moved = ahead - gradient(ahead) / curvature
        new = np.sign(moved) * np.maximum(np.abs(moved) - corner / curvature, 0.0)
        if float(np.sum((ahead - new) * (new - point))) > 0:
            momentum = 1.0
        larger = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        largest = curvature * float(np.abs(new - ahead).max(initial=0.0))
        ahead = new + ((momentum - 1.0) / larger) * (new - point)
        point, momentum = new, larger
        if largest <= closeness:
            return point, step
    return point, max_iter


def largest_curvature(matrix: Any, share: Floats) -> float:
    """Return the largest eigenvalue of Σ share (1, z)(1, z)ᵀ."""
    n_terms = matrix.shape[1] + 1

    def multiply(vector: Floats) -> Floats:
        along = share * (np.asarray(matrix @ vector[1:]).ravel() + vector[0])
        return np.append(along.sum(), np.asarray(matrix.T @ along).ravel())

    if n_terms <= 2:
        return float(np.trace(np.array([multiply(unit) for unit in np.eye(n_terms)])))
    operator = LinearOperator((n_terms, n_terms), matvec=multiply, dtype=np.float64)
    found = eigsh(operator, k=1, v0=np.ones(n_terms), tol=1e-3, return_eigenvectors=False)
    return 1.01 * float(found[0])
