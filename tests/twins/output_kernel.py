"""Slow references of trees for outputs with a kernel: all splits, and all sums, one by one."""

import numpy as np

__all__ = ["best_split", "kernel_variance", "nearest", "squared_distance"]


def kernel_variance(gram, weights):
    """Return Σ w_i ‖φ_i − mean‖² of some outputs in the space of their kernel."""
    total = sum(weights)
    inside = sum(
        one * other * gram[i][j] for i, one in enumerate(weights) for j, other in enumerate(weights)
    )
    return sum(one * gram[i][i] for i, one in enumerate(weights)) - inside / total


def best_split(X, gram, weights):
    """Return the least sum of the variances of two sides, over all thresholds of all columns."""
    best = kernel_variance(gram, weights)
    for column in X.T:
        for threshold in sorted(set(column.tolist()))[:-1]:
            sides = 0.0
            for side in (column <= threshold, column > threshold):
                sides += kernel_variance(gram[np.ix_(side, side)], weights[side])
            best = min(best, sides)
    return best


def squared_distance(gram, weights, output):
    """Return ‖φ_output − Σ w_j φ_j‖² for an output of the Gram matrix."""
    found = gram[output][output]
    for j, one in enumerate(weights):
        found -= 2 * one * gram[output][j]
        for k, other in enumerate(weights):
            found += one * other * gram[j][k]
    return found


def nearest(gram, weights):
    """Return the least squared distance of all outputs to a weighted sum."""
    return min(squared_distance(gram, weights, output) for output in range(len(gram)))
