"""Few-line twins of what learns from unlabeled rows: all labelings, repeated propagation."""

from dataclasses import replace
from itertools import product

import numpy as np


def best_of_all_labelings(problem):
    """Return the least objective over all allowed labels of the unlabeled rows."""
    best = np.inf
    for signs in product((-1.0, 1.0), repeat=len(problem.free)):
        labels = np.array(signs)
        positive = problem.mass[labels > 0].sum()
        if problem.least <= positive <= problem.most:
            best = min(best, problem.whole(labels).primal)
    return best


def propagated(weights, mass, known, n_rounds=20_000):
    """Return class shares after many rounds in which rows take the mean of their neighbors."""
    is_labeled = known.any(axis=1)
    shares = known.copy()
    pull = np.asarray(weights) * mass
    for _ in range(n_rounds):
        shares = pull @ shares / pull.sum(axis=1, keepdims=True)
        shares[is_labeled] = known[is_labeled]
    return shares


def spread(weights, mass, known, alpha, n_rounds=2_000):
    """Return what repeated spreading ends in, copy by copy."""
    copies = np.repeat(np.arange(len(mass)), mass.astype(int))
    first = np.concatenate([[True], copies[1:] != copies[:-1]])
    pull = np.asarray(weights)[np.ix_(copies, copies)]
    degrees = pull.sum(axis=1)
    pull = pull / np.sqrt(degrees[:, None] * degrees)
    shares = known[copies]
    for _ in range(n_rounds):
        shares = alpha * pull @ shares + (1 - alpha) * known[copies]
    return shares[first]


def nearest_by_sorting(distances, k):
    """Return the k nearest others of each row, ties by place."""
    square = np.array(distances)
    np.fill_diagonal(square, np.inf)
    return np.argsort(square, axis=1, kind="stable")[:, :k]


def with_limits(problem, least, most):
    """Return a problem of labels with other limits of the positive mass."""
    return replace(problem, least=least, most=most)
