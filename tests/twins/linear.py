"""Few-line twins of the linear regressors that are our own, on rows instead of sums."""

from itertools import combinations

import numpy as np


def stagewise(matrix, target, weights, step, method, n_steps):
    """Return the weights of standardized terms after some stagewise steps on the residual."""
    share = weights / weights.sum()
    z = matrix - share @ matrix
    z = z / np.sqrt(share @ z**2)
    left = target - share @ target
    left = left / np.sqrt(share @ left**2)
    moved = np.zeros(matrix.shape[1])
    for _ in range(n_steps):
        agreement = (share * left) @ z
        best = np.argmax(np.abs(agreement))
        if abs(agreement[best]) <= (step / 2 if method == "incremental" else 1e-9):
            break
        size = step * (np.sign(agreement[best]) if method == "incremental" else agreement[best])
        moved[best] += size
        left = left - size * z[:, best]
    return moved


def residual_share(matrix, target, weights):
    """Return the share of the target's sum of squares that least squares leaves unexplained."""
    root = np.sqrt(weights)[:, None]
    z = root * (matrix - weights @ matrix / weights.sum())
    y = root[:, 0] * (target - weights @ target / weights.sum())
    fitted = z @ np.linalg.lstsq(z, y, rcond=1e-9)[0] if z.shape[1] else 0.0
    return float(((y - fitted) ** 2).sum() / (y**2).sum())


def best_subsets(matrix, target, weights, groups):
    """Return the least unexplained share of all subsets of each number of columns."""
    return [
        min(
            residual_share(matrix[:, [t for c in chosen for t in groups[c]]], target, weights)
            for chosen in combinations(range(len(groups)), size)
        )
        for size in range(len(groups) + 1)
    ]
