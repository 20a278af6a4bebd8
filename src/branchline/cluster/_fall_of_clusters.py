"""How far the squared distances of rows fall when they are put into clusters."""

import math

import numpy as np

from branchline._arrays import Floats
from branchline.cluster._group_test import cluster_rows

__all__ = ["STARTS", "compact", "fall"]

STARTS = 4


def fall(points: Floats, k: int) -> float:
    """Return log(W_k / W_1)."""
    space = compact(points)
    whole = float(np.nansum((space - np.nanmean(space, axis=0)) ** 2))
    within = cluster_rows(space, k, 0, n_starts=STARTS).within
    return math.log(max(within, whole * 1e-12) / whole) if whole > 0 else 0.0


def compact(points: Floats) -> Floats:
    """Return rows with the same distances in as few columns as there are rows."""
    n_rows, n_terms = points.shape
    if n_terms <= n_rows or np.isnan(points).any():
        return points
    centered = points - points.mean(axis=0)
    values, vectors = np.linalg.eigh(centered @ centered.T)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))
