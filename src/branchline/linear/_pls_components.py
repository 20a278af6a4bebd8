"""The components of partial least squares, one after the other, without iteration.

With X and Y less their means, component a has the weights w_a of the greatest covariance with what
is left of Y (Dayal and MacGregor, 1997: the components are those of NIPALS):

1. w_a is the first left singular vector of XᵀY; r_a = w_a − Σ_{j<a} (p_j·w_a) r_j.
2. t_a = X r_a, p_a = Xᵀ t_a / t_a·t_a, q_a = Yᵀ t_a / t_a·t_a.
3. XᵀY ← XᵀY − (t_a·t_a) p_a q_aᵀ.

It ends where nothing but rounding is left of XᵀY, or of X along r_a. With many more rows than
terms, the triangle of a QR decomposition stands for the rows: it has the same products.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats
from branchline._long_algebra import qr_triangle

__all__ = ["Components", "find_components"]

_NOTHING = 1e-10  # share of all variation that may be rounding
_MANY_ROWS = 4  # times as many as terms


@dataclass(frozen=True)
class Components:
    """R and Q: how components are made of terms, and outputs of components; a column each."""

    rotations: Floats
    loadings: Floats


def find_components(rows: Floats, targets: Floats, most: int) -> Components:
    """Return up to ``most`` components of rows and targets that have mean 0."""
    if len(rows) > _MANY_ROWS * (rows.shape[1] + targets.shape[1]):
        triangle = qr_triangle(np.hstack([rows, targets]))[: rows.shape[1] + targets.shape[1]]
        rows, targets = triangle[:, : rows.shape[1]], triangle[:, rows.shape[1] :]
    products = rows.T @ targets
    size, variation = float(np.linalg.norm(products)), float(np.linalg.norm(rows))
    made: list[tuple[Floats, Floats, Floats]] = []  # r, p and q of each component
    while len(made) < most and float(np.linalg.norm(products)) > _NOTHING * size:
        weights = _first_direction(products)
        rotation = weights - sum((p @ weights) * r for r, p, _ in made)
        scores = rows @ rotation
        squares = float(scores @ scores)
        if not squares > (_NOTHING * variation) ** 2:
            break
        loading, output = rows.T @ scores / squares, targets.T @ scores / squares
        products = products - squares * np.outer(loading, output)
        made.append((rotation, loading, output))
    none = np.zeros((rows.shape[1], 0)), np.zeros((targets.shape[1], 0))
    columns = [np.column_stack(part) for part in zip(*made, strict=True)] if made else []
    return Components(columns[0], columns[2]) if made else Components(*none)


def _first_direction(products: Floats) -> Floats:
    """Return the first left singular vector, its largest number above 0."""
    if products.shape[1] == 1:
        direction = products[:, 0] / np.linalg.norm(products)
    else:
        square = products.T @ products
        right = np.linalg.eigh(square / np.trace(square))[1][:, -1]
        direction = products @ right
        direction /= np.linalg.norm(direction)
    return np.asarray(direction * np.sign(direction[np.abs(direction).argmax()]))
